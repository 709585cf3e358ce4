"""What can go wrong, and under which name.

::

    RosenblattError
    ├── DataError (also a ValueError)      rows, labels or weights that cannot be learned from
    ├── ParameterError (also a ValueError) a setting out of range, or that does not go with another
    ├── SourceError (also a ValueError)    a file or built-in name that cannot be read
    └── ProofError (also a ValueError)     a proof that does not hold, or is not a proof

Every message says what was wanted, what came, where, and what to do.
"""


class RosenblattError(Exception):
    """Base of every error raised on purpose."""


class DataError(RosenblattError, ValueError):
    """Rows, labels or weights that cannot be learned from."""


class ParameterError(RosenblattError, ValueError):
    """A setting that is out of range or does not go with another."""


class SourceError(RosenblattError, ValueError):
    """A file or a built-in name that cannot be read."""


class ProofError(RosenblattError, ValueError):
    """A proof that does not hold for the data, or is no proof at all."""
