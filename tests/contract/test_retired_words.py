"""Words that the code has given up for those of the field, which docs/glossary.md lists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).parents[2]
PACKAGE = Path(rosenblatt.__file__).parent
DOCS = ROOT / "docs"

RETIRED_WORDS = {  # a part of an identifier, and the field's word for it
    "anew": "again, clone",
    "bend": "curvature",
    "bends": "curvature",
    "beside": "aux, also",
    "camp": "saved",
    "climb": "ascent",
    "desk": "session",
    "doctor": "SeparationMonitor",
    "door": "validation",
    "doubt": "error_bound",
    "downhill": "line_search",
    "emitting": "llvm",
    "farewell": "cancel",
    "floors": "smoothing",
    "freed": "presolve",
    "grip": "1 / intercept_step",
    "ground": "feature_set",
    "grounds": "feature_sets",
    "guest": "candidate",
    "hear": "progress, callback",
    "heard": "progress, callback",
    "hearing": "callback",
    "judge": "evaluate",
    "judged": "evaluated",
    "judges": "evaluates",
    "judging": "evaluation",
    "lead": "margin",
    "leads": "margins",
    "lean": "grad_dot_dir",
    "leap": "acceleration",
    "leaps": "acceleration",
    "listen": "progress, callback",
    "listener": "progress, callback",
    "mended": "corrected",
    "owed": "sample_gap",
    "pull": "alpha",
    "pulls": "alpha",
    "referee": "baseline",
    "referees": "baselines",
    "rests": "remainders, shrink_for",
    "rightly": "correctly",
    "rough": "float32, subsample",
    "said": "confidence, message",
    "shadow": "W_float32",
    "slope": "derivative",
    "slopes": "derivatives",
    "strange": "unknown",
    "stranger": "unknown",
    "sure": "confidence",
    "team": "active_set",
    "tell": "report",
    "teller": "report",
    "telling": "report",
    "tells": "reports",
    "told": "report, message",
    "trouble": "error",
    "troubles": "errors",
    "unrest": "stationarity_residual",
    "wake": "next_visit",
    "wakes": "next_visit",
    "wires": "bridge",
}
RETIRED_NAMES = {  # words with a good use elsewhere: only these identifiers are retired
    "Built": "EncodedData",
    "Entry": "Result",
    "Floor": "SmoothedHinge",
    "Following": "UpdatedGram",
    "Kept": "EstimatorState",
    "Late": "TimeLimitReached",
    "Leader": "AdaptivePreconditioner",
    "Learned": "FittedPreprocessing",
    "Marks": "Scores",
    "Problem": "TrainingData",
    "ROOM": "SPACE",
    "ROOMS": "CONTROLLERS",
    "Room": "Controller",
    "Walk": "State",
    "Watch": "Deadline",
    "_check_price": "_check_C",
    "_fall": "_predicted_decrease",
    "_make_room": "_grow",
    "_price": "_C",
    "_room": "_capacity",
    "carry_out": "run",
    "clear4": "margin_test",
    "clear_rows": "margin_test",
    "decided": "predicted_codes",
    "fall": "predicted_decrease",
    "kept_of": "state_of",
    "late": "weighted_update_sum",
    "marks_of": "scores_of",
    "n_passes": "n_epochs",
    "require_room": "require_memory",
    "room": "memory, distance_to_bounds",
    "rooms": "controllers",
    "walk": "run_epoch, take_step",
}
NOUNS_IN_ING = {  # the last word of a file name is a noun; these are the field's in -ing
    "centering",
    "encoding",
    "plotting",
    "racing",
    "ranking",
    "sampling",
    "scaling",
    "screening",
    "smoothing",
    "stopping",
    "warning",
}
RETIRED_FILES = {"futures", "kept", "looks", "room", "watch", "words"}
RETIRED_PHRASES = (  # regular expressions, and what to write
    (r"\bright on\b", "accuracy"),
    (r"\bputs? (every|all) rows?\b.*\bright\b", "separates the classes"),
    (r"\bbest possible\b", "the optimum"),
    (r"\bwhich chance may make\b", "not significant at 5 %"),
    (r"\bjudg(e|es|ed|ing|ement|ements)\b", "evaluate"),
    (r"\btold\b(?! apart)", "reported, or nothing"),
    (r"\brightly\b", "correctly"),
    (r"\breferees?\b", "baseline, reference"),
    (r"\bwithout end grow", "coefficients that diverge"),
    (r"\bin vain\b", "without success"),
    (r"\bConverged: an epoch\b", "Converged after ... epochs, the last without a mistake"),
    (r"\brow-class pairs?\b", "rows, or pairs of a row and a rival class"),
    (r"\bnot worked out\b", "not determined"),
    (r"\bas found after\b", "found after"),
    (r"\bone (label|name|number|object|target|text) an? [a-z]+\b", "one ... per ..."),
    (r"\b(is|are) wanted\b", "expected"),
    (r"\bmust be as many\b", "the numbers must be equal"),
    (r"\bgrew beyond float64\b", "overflow"),
    (r"\bhas no place for\b", "cannot store"),
    (r"\bcannot be asked\b", "is impossible"),
    (r"\bknows no\b", "has no"),
    (r"\bmistakes? left\b", "mistakes in the last epoch"),
    (r"\bless the best other\b", "minus the best other"),
    (r"\bfeatures as they are\b", "original features"),
    (r"\bwithout end\b", "endless, without bound"),
    (r"\b(by lot|drawn by chance)\b", "at random"),
    (r"\banew\b", "again"),
    (r"\bcut short\b", "truncated"),
    (r"(\}|\bthis|\bit) is no (file|mean|proof)\b", "is not a ..."),
    (r"\bmade of them?\b", "made from"),
    (r"\bbeyond all floats\b", "too large for a float"),
    (r"\bpulls?\b", "dual variable, alpha"),
    (r"\bas was seen after\b", "after"),
    (r"\bthe largest class alone\b", "majority-class baseline"),
    (r"\b(no|which) model that holds together\b", "an inconsistent model"),
    (r"\bMend\b", "Fix, correct"),
    (r"\bhas no price\b", "is not penalised"),
)


def test_identifiers_are_words_of_the_field() -> None:
    assert [found for path in modules() for found in retired_identifiers(path)] == []


def test_messages_are_in_the_words_of_the_field() -> None:
    assert [found for path in modules() for found in retired_messages(path)] == []


@pytest.mark.skipif(not DOCS.exists(), reason="tests run apart from the repository")
def test_pages_are_in_the_words_of_the_field() -> None:
    assert [found for path in pages() for found in retired_prose(path)] == []


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def pages() -> list[Path]:
    return [*sorted(DOCS.rglob("*.md")), ROOT / "README.md"]


def retired_prose(path: Path) -> Iterator[str]:
    text = path.read_text()
    for pattern, better in RETIRED_PHRASES:
        for match in re.finditer(pattern.replace(" ", r"\s+"), text, re.IGNORECASE):
            line = 1 + text.count("\n", 0, match.start())
            yield f"{path.relative_to(ROOT)}:{line} {match[0]!r}: {better}"


def retired_identifiers(path: Path) -> Iterator[str]:
    for name, line in identifiers(path):
        better = RETIRED_NAMES.get(name) or next(
            (RETIRED_WORDS[word] for word in words(name) if word in RETIRED_WORDS), None
        )
        if better:
            yield f"{path.relative_to(PACKAGE)}:{line} {name}: {better}"
    noun = path.stem.split("_")[-1]
    if path.stem in RETIRED_FILES or (noun.endswith("ing") and noun not in NOUNS_IN_ING):
        yield f"{path.relative_to(PACKAGE)}:0 a file is named after the noun it defines"


def identifiers(path: Path) -> Iterator[tuple[str, int]]:
    """Names that the module defines or uses, its own file name among them, with their lines."""
    yield path.stem, 0
    for node in ast.walk(ast.parse(path.read_text())):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, line
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name, line
            case ast.keyword(arg=str(name)):
                yield name, line
            case ast.alias(name=name, asname=other):
                yield from ((part, line) for part in (*name.split("."), other) if part)


def words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def retired_messages(path: Path) -> Iterator[str]:
    for text, line in messages(path):
        for pattern, better in RETIRED_PHRASES:
            if re.search(pattern, text, re.IGNORECASE):
                yield f"{path.relative_to(PACKAGE)}:{line} {text!r}: {better}"


def messages(path: Path) -> Iterator[tuple[str, int]]:
    """String literals of two words or more; of docstrings only those that a command shows."""
    tree = ast.parse(path.read_text())
    hidden = set() if "cli" in path.parts else {id(node) for node in docstrings(tree)}
    hidden |= {id(node) for node in module_docstring(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            hidden |= {id(part) for part in node.values}
            constants = [getattr(part, "value", "") for part in node.values]
            text = "".join(part if isinstance(part, str) else "{}" for part in constants)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in hidden else node.value
        else:
            continue
        if " " in text:
            yield " ".join(text.split()), node.lineno


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and body:
            yield from leading_string(body[0])


def module_docstring(tree: ast.Module) -> Iterator[ast.Constant]:
    if tree.body:
        yield from leading_string(tree.body[0])


def leading_string(statement: ast.stmt) -> Iterator[ast.Constant]:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        yield statement.value
