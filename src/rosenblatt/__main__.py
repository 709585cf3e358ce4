"""The command `rosenblatt`, also as `python -m rosenblatt`.

Signals end the process with a message even before and after a command.
"""

import sys

from rosenblatt.atomic_write import close_temporary_files
from rosenblatt.cli.sigint import SignalExit, end_in_silence, interruptible
from rosenblatt.estimators.sklearn_interface import use_stand_ins


def main() -> None:
    """Load the commands, run one, and clean up."""
    use_stand_ins()
    signal_exit = SignalExit()
    try:
        with interruptible(signal_exit):
            try:
                from rosenblatt.cli.main import run  # noqa: PLC0415 (a signal may come meanwhile)

                run(signal_exit)
            finally:
                signal_exit.settled = True  # a signal comes too late to change the exit code
                close_temporary_files()
    except KeyboardInterrupt:
        signal_exit.report()
        sys.exit(signal_exit.code)
    finally:
        end_in_silence()


if __name__ == "__main__":
    main()
