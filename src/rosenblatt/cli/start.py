"""Where the command begins: a signal is a sentence even while modules are being loaded."""

import sys

from rosenblatt.cli.interrupting import interruptible
from rosenblatt.writing import close_temporary_files


def main() -> None:
    """Load the commands, and run one."""
    with interruptible() as ending:
        try:
            from rosenblatt.cli.main import main as run

            run()
        except KeyboardInterrupt:
            ending.tell()
            sys.exit(ending.code)
        finally:
            close_temporary_files()
