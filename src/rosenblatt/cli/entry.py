"""Where the command begins and ends: a signal is a sentence even before and after a command."""

import sys

from rosenblatt.atomic_write import close_temporary_files
from rosenblatt.cli.sigint import Ending, end_in_silence, interruptible


def main() -> None:
    """Load the commands, run one, and clean up."""
    ending = Ending()
    try:
        with interruptible(ending):
            try:
                from rosenblatt.cli.main import run

                run(ending)
            finally:
                ending.settled = True  # a signal comes too late to change the exit code
                close_temporary_files()
    except KeyboardInterrupt:
        ending.tell()
        sys.exit(ending.code)
    finally:
        end_in_silence()
