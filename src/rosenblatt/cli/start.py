"""Where the command begins: Ctrl-C is a sentence even while modules are being loaded."""

import sys


def main() -> None:
    """Load the commands, and run one."""
    try:
        from rosenblatt.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    run()
