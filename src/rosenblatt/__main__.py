"""`python -m rosenblatt` is the command `rosenblatt`."""

from rosenblatt.cli.entry import main

if __name__ == "__main__":
    main()
