"""Recipes as people write them, and those that cannot be followed."""

import numpy as np
import pytest

from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.spec import parse_map_spec

X = np.ones((4, 3))
BAD = {
    "polly": "Did you mean 'poly'?",
    "zzz": "There is no feature map 'zzz'. The feature maps are products, poly",
    "poly:two": "poly:two: degree must be an integer; got 'two'.",
    "poly:2,half=true": "'half=true' is not a setting of poly, which has degree, full.",
    "poly:2,3": "'3' is not a setting of poly",
    "poly:full=perhaps": "full must be true or false; got 'perhaps'.",
    "fourier:10,gamma=wide": "gamma must be a number; got 'wide'.",
    "products:": None,
}


@pytest.mark.parametrize("spec", [w for w, trouble in BAD.items() if trouble])
def test_a_slip_is_a_sentence(spec: str) -> None:
    with pytest.raises(ParameterError) as raised:
        parse_map_spec(spec)
    assert str(BAD[spec]) in str(raised.value)


def test_settings_are_read_as_what_they_are() -> None:
    assert parse_map_spec("products:").settings == {}
    assert parse_map_spec("poly:3,full=true").settings == {"degree": 3, "full": True}
    assert parse_map_spec("fourier:gamma=0.5,n=7").settings == {"gamma": 0.5, "n": 7}


@pytest.mark.parametrize(
    ("spec", "trouble"),
    [
        ("products:0", "degree must be an integer from 1 to 6; got 0"),
        ("poly:65", "from 1 to 64; got 65"),
        ("random-products:4", "from 0 to 3, as 3 features have; got 4"),
        ("random-products:-1", "got -1"),
        ("radial:0", "centres must be an integer of at least 1; got 0"),
        ("radial:5", "5 centres need at least as many rows; got n_samples = 4"),
        ("fourier:0", "n must be an integer of at least 1; got 0"),
        ("nystroem:5", "n must be a number of rows from 1 to 4; got 5"),
    ],
)
def test_what_the_rows_cannot_give_is_refused(spec: str, trouble: str) -> None:
    with pytest.raises(ParameterError, match=trouble):
        parse_map_spec(spec).fit(X)


def test_a_map_that_would_explode_says_so_before_it_allocates() -> None:
    wide = np.broadcast_to(np.float64(1), (100_000, 1000))  # takes eight bytes
    with pytest.raises(ParameterError) as raised:
        parse_map_spec("poly:3,full=true").fit(wide)
    assert "167,668,500 features out of 1,000" in str(raised.value)
    assert "124,922.8 GB in all" in str(raised.value)
