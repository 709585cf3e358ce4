"""A set-up goes into an address and comes back; a bad address is told about, and does no harm."""

from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.datasets import builtin
from rosenblatt.lab.catalogue import LAB_RULES, Number, estimator_for
from rosenblatt.lab.mark_i import ALPHABETS, MACHINES, as_hex, from_hex
from rosenblatt.lab.state import (
    DRAWN,
    FEATURES,
    MAX_POINTS,
    TABS,
    VIEWS,
    Point,
    Setup,
    from_query,
    rounded,
    start_of,
)

numbers = st.floats(-1e6, 1e6).map(rounded)
points = st.lists(st.builds(Point, numbers, numbers, st.integers(0, 2)), max_size=9).map(tuple)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    rule = draw(st.sampled_from(sorted(LAB_RULES)))
    setup = Setup(
        tab=draw(st.sampled_from(TABS)),
        view=draw(st.sampled_from(VIEWS)),
        data=draw(st.sampled_from([DRAWN, *(f"builtin:{name}" for name in builtin.NAMES)])),
        target=draw(st.text(max_size=9)),
        points=draw(points),
        scaled=draw(st.booleans()),
        features=draw(st.sampled_from(FEATURES)),
        degree=draw(st.integers(2, 5)),
        rule=rule,
        start=draw(st.lists(numbers, max_size=5).map(tuple)),
        step=draw(st.none() | st.integers(0, 10**6)),
        table=draw(st.sampled_from(["01", "0110", "01101001"])),
        machine=draw(st.sampled_from(sorted(MACHINES))),
        alphabet=draw(st.sampled_from(sorted(ALPHABETS))),
        cells=draw(st.sampled_from(["", "ff" * 50])),
    )
    step = setup.step
    for setting in LAB_RULES[rule].settings:
        if isinstance(setting, Number):
            setup = setup.with_setting(setting.name, setting.default)
        else:
            text, _ = draw(st.sampled_from(setting.words))
            setup = setup.with_setting(setting.name, setting.read(text))
    return Setup(**{**vars(setup), "step": step})


def query(text: str) -> dict[str, str]:
    return dict(parse_qsl(text, keep_blank_values=True))


@given(setups())
def test_an_address_gives_the_setup_back(setup: Setup) -> None:
    opened = from_query(query(setup.to_query()))
    assert opened.setup == setup
    assert opened.errors == ()


def test_the_first_setup_needs_no_address() -> None:
    assert Setup().to_query() == ""
    assert from_query({}) == (Setup(), ())


def test_an_address_stays_short_enough_for_browsers() -> None:
    most = Setup().with_points([Point(-1.234e-05, 12340.0, 2)] * MAX_POINTS)
    assert len(most.to_query()) < 10_000


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("rule", "magic", "one of perceptron"),
        ("data", "/etc/passwd", "one of drawn"),
        ("data", "builtin:none", "one of drawn"),
        ("target", "x" * 201, "200 characters"),
        ("points", "1_2", "x_y_class"),
        ("points", "1_nan_0", "finite"),
        ("points", "1_2_9", "x_y_class"),
        ("points", "1_x_0", "could not convert"),
        ("points", "~".join(["1_2_0"] * (MAX_POINTS + 1)), "400 points"),
        ("step", "-1", "an integer"),
        ("step", "9" * 11, "from 0"),
        ("scaled", "yes", "True or False"),
        ("degree", "6", "from 2 to 5"),
        ("start", "1_two", "weights are numbers"),
        ("start", "_".join(["1"] * 65), "64 weights"),
        ("table", "011", "digits 0 or 1"),
        ("table", "0112", "digits 0 or 1"),
        ("cells", "zz", "non-hexadecimal"),
        ("cells", "ff", "100 hexadecimal digits"),
        ("tab", "<script>", "one of plane"),
        ("perceptron.eta0", "0", "from 1e-06"),
        ("perceptron.keep", "all", "one of last"),
        ("perceptron.shuffle", "yes", "one of False, True"),
    ],
)
def test_a_bad_field_is_left_out_with_a_sentence(name: str, text: str, told: str) -> None:
    opened = from_query({name: text, "view": "curves"})
    assert opened.setup == Setup(view="curves")
    (complaint,) = opened.errors
    assert told in complaint
    assert complaint.endswith("It was ignored.")
    assert len(complaint) < 400


def test_settings_of_other_rules_and_foreign_words_are_passed_over() -> None:
    assert from_query({"lms.eta0": "7", "utm_source": "x", ".": "", "perceptron.": "1"}) == (
        Setup(),
        (),
    )


def test_changing_what_is_learned_goes_back_to_the_end_of_the_run() -> None:
    setup = Setup(step=3, settings=(("eta0", 0.5),))
    assert setup.with_rule("lms").settings == ()
    assert setup.with_rule("lms").step is None
    assert setup.with_setting("eta0", 2.0).settings == (("eta0", 2.0),)
    assert setup.with_setting("eta0", 2.0).step is None


@pytest.mark.parametrize("text", ["0, 1, -0.5", "0 1 −0.5", " 0,1 ,-0.5 "])
def test_weights_as_they_are_typed(text: str) -> None:
    assert start_of(text) == (0.0, 1.0, -0.5)


def test_cells_come_back_from_their_word(rng: np.random.Generator) -> None:
    cells = (rng.uniform(size=400) < 0.3).astype(float)
    assert (from_hex(as_hex(cells)) == cells).all()


@pytest.mark.parametrize("rule", LAB_RULES)
def test_every_setting_on_the_page_is_one_of_the_estimator(rule: str) -> None:
    model = estimator_for(rule, {})
    params = model.get_params()
    for setting in LAB_RULES[rule].settings:
        assert params[setting.name] == setting.default
        assert setting.read(str(setting.default)) == setting.default
