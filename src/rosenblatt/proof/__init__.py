"""The checker of proof files that needs the standard library only: `python -m rosenblatt.proof`."""
