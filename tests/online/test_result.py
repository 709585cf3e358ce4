"""Endings keep their identity through pickles, and through files that call what `__reduce__` says.

skops makes an object anew without arguments unless `__reduce__` names its own class.
"""

import copy
import pickle

import pytest

from rosenblatt.online.result import Ending


@pytest.mark.parametrize("ending", list(Ending))
def test_an_ending_is_kept_by_name(ending: Ending) -> None:
    kind, arguments = ending.__reduce__()
    assert (kind, arguments) == (Ending, (ending.name,))
    assert kind(*arguments) is ending
    assert pickle.loads(pickle.dumps(ending)) is copy.deepcopy(ending) is ending
    assert ending.value.encode() not in pickle.dumps(ending)


@pytest.mark.parametrize("value", ["NO_SUCH_ENDING", 3, None])
def test_what_is_no_ending_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"is not a valid Ending"):
        Ending(value)
