"""`python -m rosenblatt.proof check proof.json X.npy y.npy`."""

import sys

from rosenblatt.proof.checker import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[2:] if sys.argv[1:2] == ["check"] else []))
