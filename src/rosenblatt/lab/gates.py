"""Truth tables on the page, and drawings of the unit or network that computes one."""

from typing import NamedTuple

from rosenblatt.logic.count import count_threshold_functions
from rosenblatt.logic.realize import Realizable, Unrealizable
from rosenblatt.logic.units import Number, ThresholdNetwork, ThresholdUnit, as_text

PRESETS = {
    "and": "0001",
    "or": "0111",
    "nand": "1110",
    "nor": "1000",
    "xor": "0110",
    "x1 implies x2": "1101",
    "majority of 3": "00010111",
    "parity of 3": "01101001",
    "x1 selects x2 or x3": "00110101",
    "parity of 4": "0110100110010110",
}
COUNTED = {n: count_threshold_functions(n) for n in (1, 2, 3)} | {4: 1882}


class Node(NamedTuple):
    """A circle of a drawing: its place, name and intercept."""

    x: float
    y: float
    name: str
    intercept: str


class Edge(NamedTuple):
    """A line of a drawing, its weight, and the place of that label."""

    start: tuple[float, float]
    end: tuple[float, float]
    label: tuple[float, float]
    weight: str
    positive: bool


class Wiring(NamedTuple):
    """A unit or a network as circles and lines, from left to right."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def n_inputs_of(table: str) -> int:
    """Number of inputs of a truth table."""
    return len(table).bit_length() - 1


def rows_of(table: str) -> list[tuple[str, str]]:
    """Inputs and value of each row."""
    n = n_inputs_of(table)
    return [(f"{row:0{n}b}", value) for row, value in enumerate(table)]


def flipped(table: str, row: int) -> str:
    """The table with the value of one row negated."""
    return table[:row] + str(1 - int(table[row])) + table[row + 1 :]


def constant_false(inputs: int) -> str:
    """The truth table of the function that is always 0."""
    return "0" * (1 << inputs)


def neighbouring_preset(table: str, by: int) -> str:
    """The table of the preset `by` places on, or of the first one if this is no preset."""
    tables = list(PRESETS.values())
    place = tables.index(table) + by if table in tables else 0
    return tables[place % len(tables)]


def wiring(found: Realizable | Unrealizable) -> Wiring:
    """The drawing of a unit or a network."""
    if isinstance(found, Realizable):
        return _layers(found.n_inputs, (), found.unit)
    return _layers(found.n_inputs, found.network.hidden, found.network.output)


def explanation(found: Realizable | Unrealizable) -> tuple[str, ...]:
    """The result in sentences."""
    share = _share(found.n_inputs)
    if isinstance(found, Realizable):
        least = "No unit has a smaller sum of absolute weights." if found.minimal else ""
        return tuple(filter(None, [least, share]))
    proof = (
        f"Proof: {found.sums()}. The rows on both sides have the same sum, so a unit would give"
        " both sides the same sum of scores. But scores are at least 0 on true rows and below 0 on"
        " false ones."
    )
    return proof, f"Two layers can, with {_hidden_count(found.network)}:", share


def formulas(found: Realizable | Unrealizable) -> list[str]:
    """The units, one line for each."""
    if isinstance(found, Realizable):
        return [f"y = [{found.unit.formula()}]"]
    return found.network.formula().splitlines()


def _share(n: int) -> str:
    return f"Of the {2**2**n:,} functions of {_input_count(n)}, one unit computes {COUNTED[n]:,}."


def _input_count(n: int) -> str:
    return "1 input" if n == 1 else f"{n} inputs"


def _hidden_count(network: ThresholdNetwork) -> str:
    n = len(network.hidden)
    return "one hidden unit" if n == 1 else f"{n} hidden units"


def _layers(n: int, hidden: tuple[ThresholdUnit, ...], output: ThresholdUnit) -> Wiring:
    columns = [n, len(hidden), 1] if hidden else [n, 1]
    places = [
        [(float(column), (count - 1) / 2 - k) for k in range(count)]
        for column, count in enumerate(columns)
    ]
    nodes = [Node(*place, f"x{k + 1}", "") for k, place in enumerate(places[0])]
    edges: list[Edge] = []
    for k, unit in enumerate(hidden):
        nodes.append(Node(*places[1][k], f"h{k + 1}", _bias(unit)))
        edges += _edges(places[0], places[1][k], unit, 1 / (1 + len(hidden)))
    nodes.append(Node(*places[-1][0], "y", _bias(output)))
    edges += _edges(places[-2], places[-1][0], output, 1 / 3)
    return Wiring(tuple(nodes), tuple(edges))


def _edges(
    starts: list[tuple[float, float]], end: tuple[float, float], unit: ThresholdUnit, along: float
) -> list[Edge]:
    """Edges into a unit, with labels at places where they do not overlap."""
    edges = []
    for (x, y), w in zip(starts, unit.weights, strict=True):
        if w:
            label = ((1 - along) * x + along * end[0], (1 - along) * y + along * end[1])
            edges.append(Edge((x, y), end, label, _signed(w), w > 0))
    return edges


def _bias(unit: ThresholdUnit) -> str:
    return f"{'+' if unit.intercept > 0 else ''}{_signed(unit.intercept)}"


def _signed(value: Number) -> str:
    return f"{'−' if value < 0 else ''}{as_text(value)}"
