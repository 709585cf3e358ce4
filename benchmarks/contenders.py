"""Who takes part in benchmarks/solvers.py: rows of a table.

A contender fits one problem by one setting of its ladder, from loose to tight, and gives weights
(k × d) and biases. What it needs of the data beyond the arrays of the problem (another precision,
another layout) is made by `prepare`, outside its time. Peers are imported when they are called.
"""

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from problems import CACHE
from referee import C
from scipy import sparse

Setting = dict[str, Any]
Weights = tuple[np.ndarray, np.ndarray]
BINARY, TEN = "two classes", "ten classes"
ENDLESS = 10**6
CACHED_ROWS = 1000  # megabytes


@dataclass(frozen=True)
class Task:
    """What is asked: a loss, with or without a bias, on so many threads."""

    loss: str
    bias: bool
    threads: int
    n_rows: int


@dataclass(frozen=True)
class Contender:
    """One tool with one of its methods."""

    name: str
    package: str
    losses: tuple[str, ...]
    fit: Callable[[Any, np.ndarray, Task, Setting], Weights]
    ladder: tuple[Setting, ...]
    prepare: Callable[[Any, np.ndarray], tuple[Any, np.ndarray]] = lambda X, y: (X, y)
    threads: bool = False
    bias: bool = False
    """Whether it can leave the bias out of the penalty."""
    plain: bool = True
    """Whether it can do without a bias."""
    dense: bool = True
    sparse: bool = True
    classes: tuple[str, ...] = (BINARY, TEN)

    @property
    def installed(self) -> bool:
        try:
            return importlib.util.find_spec(self.package) is not None
        except ModuleNotFoundError:
            return False

    def takes(self, X: Any, y: np.ndarray, task: Task) -> bool:
        """Whether the task can be given to it at all."""
        classes = BINARY if y.max() == 1 else TEN
        shape = self.sparse if sparse.issparse(X) else self.dense
        return (
            shape
            and task.loss in self.losses
            and classes in self.classes
            and (self.bias if task.bias else self.plain)
            and (self.threads or task.threads == 1)
        )


def ladder(name: str, values: tuple[Any, ...], **fixed: Any) -> tuple[Setting, ...]:
    return tuple({name: value, **fixed} for value in values)


def powers(first: int, last: int) -> tuple[float, ...]:
    return tuple(10.0**-k for k in range(first, last + 1))


def trained(model: Any, X: Any, y: np.ndarray) -> Weights:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return model.coef_, model.intercept_


def ours(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    return certified(X, y, task, setting)[0]


def certified(X: Any, y: np.ndarray, task: Task, setting: Setting) -> tuple[Weights, float]:
    """Our weights, and the gap within which they are proved to be the best."""
    model = our_model(task, setting)
    return trained(model, X, y), float(np.max(model.gap_))


def our_model(task: Task, setting: Setting) -> Any:
    import rosenblatt

    common = {"C": C, "fit_intercept": task.bias, "n_jobs": task.threads} | setting
    if task.loss == "logistic":
        return rosenblatt.LogisticRegression(**common)
    return rosenblatt.LinearSVM(loss=task.loss, **common)


def linear_svc(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    from sklearn.svm import LinearSVC

    return trained(
        LinearSVC(C=C, loss=task.loss, fit_intercept=False, random_state=0, **setting),
        X,
        y,
    )


def libsvm(X: Any, y: np.ndarray, _: Task, setting: Setting) -> Weights:
    from sklearn.svm import SVC

    W, b = trained(SVC(C=C, kernel="linear", cache_size=CACHED_ROWS, **setting), X, y)
    return (W.toarray() if sparse.issparse(W) else W), b


def sklearn_logistic(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=C, fit_intercept=task.bias, max_iter=ENDLESS, random_state=0, **setting
    )
    return trained(model, X, y)


def intel_logistic(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    from sklearnex.linear_model import LogisticRegression

    model = LogisticRegression(
        C=C, fit_intercept=task.bias, max_iter=ENDLESS, n_jobs=task.threads, **setting
    )
    return trained(model, X, y)


def sgd(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    from sklearn.linear_model import SGDClassifier

    names = {"logistic": "log_loss"}
    model = SGDClassifier(
        loss=names.get(task.loss, task.loss),
        alpha=1 / (C * task.n_rows),
        fit_intercept=task.bias,
        tol=None,
        average=task.n_rows + 1,  # from the second pass on: the first steps are wild
        random_state=0,
        **setting,
    )
    return trained(model, X, y)


def liblinear(X: Any, _: np.ndarray, task: Task, setting: Setting) -> Weights:
    """X is LIBLINEAR's own problem, made before."""
    from liblinear.liblinearutil import parameter, train

    s, e = setting["s"], setting["e"]
    bias = "-B 1 -R" if task.bias else "-B -1"
    threads = f"-m {task.threads}" if task.threads > 1 else ""
    model = train(X, parameter(f"-s {s} -c {C} -e {e} {bias} {threads} -q"))
    ten = model.nr_class > 2
    order = np.argsort(model.get_labels()) if ten else [0]
    k, d, rows = len(order), model.nr_feature, model.nr_feature + (model.bias >= 0)
    flat = np.ctypeslib.as_array(model.w, (k * rows,)).reshape(rows, k).T[order]
    if not ten and model.get_labels()[0] != 1:
        flat = -flat
    W = np.zeros((k, X.width))  # LIBLINEAR does not see columns of zeros at the end
    W[:, :d] = flat[:, :d]
    return W, flat[:, d] if model.bias >= 0 else np.zeros(k)


def liblinear_problem(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    from liblinear.liblinearutil import problem

    own = problem(y.astype(np.float64), X.astype(np.float64))
    own.width = X.shape[1]
    return own, y


def snap(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    import snapml

    common = {"regularizer": 1 / C, "n_jobs": task.threads, "max_iter": ENDLESS, **setting}
    if task.loss == "hinge":
        model = snapml.SupportVectorMachine(loss="hinge", fit_intercept=False, **common)
    else:
        model = snapml.LogisticRegression(fit_intercept=False, **common)
    model.fit(X, y)
    return model.coef_, np.zeros(1)


def skglm_svm(X: Any, y: np.ndarray, _: Task, setting: Setting) -> Weights:
    from skglm import LinearSVC

    return trained(LinearSVC(C=C, fit_intercept=False, max_iter=500, **setting), X, y)


def skglm_logistic(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    from skglm.datafits import Logistic
    from skglm.penalties import L2
    from skglm.solvers import LBFGS

    solver = LBFGS(max_iter=ENDLESS, **setting)
    return solver.solve(X, y, Logistic(), L2(1 / (C * task.n_rows)))[0], np.zeros(1)


def lightning_cd(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    from lightning.classification import CDClassifier

    loss = {"logistic": "log"}.get(task.loss, task.loss)
    model = CDClassifier(loss=loss, C=C, alpha=1.0, max_iter=ENDLESS, random_state=0, **setting)
    model.fit(X, y)
    return model.coef_, np.zeros(1)


def lightning_svm(X: Any, y: np.ndarray, task: Task, setting: Setting) -> Weights:
    from lightning.classification import LinearSVC

    model = LinearSVC(C=C, loss=task.loss, max_iter=ENDLESS, random_state=0, **setting)
    model.fit(X, y)
    return model.coef_, np.zeros(1)


def wabbit(X: Path, _: np.ndarray, task: Task, setting: Setting) -> Weights:
    """X is a file of examples with their cache beside it; L-BFGS on the same objective."""
    from vowpalwabbit import Workspace

    model = Workspace(
        f"--bfgs --noconstant --l2 {1 / C} --loss_function {task.loss} --quiet --holdout_off"
        f" -b 18 -d {X} --cache_file {X}.cache --passes 1000 --termination {setting['termination']}"
    )
    d = int(X.with_suffix(".width").read_text())
    W = np.array([model.get_weight(column) for column in range(d)])
    model.finish()
    return W, np.zeros(1)


def wabbit_file(X: Any, y: np.ndarray) -> tuple[Path, np.ndarray]:
    from vowpalwabbit import Workspace

    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"wabbit-{X.shape[0]}.txt"
    with path.open("w") as lines:
        for start, stop, label in zip(X.indptr[:-1], X.indptr[1:], 2 * y - 1, strict=True):
            row = zip(X.indices[start:stop], X.data[start:stop], strict=True)
            lines.write(f"{label} | {' '.join(f'{j}:{x:.9g}' for j, x in row)}\n")
    path.with_suffix(".width").write_text(str(X.shape[1]))
    Workspace(f"-d {path} --cache_file {path}.cache -k --quiet -b 18").finish()
    return path, y


def in_float64(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    return X.astype(np.float64), y


def by_columns(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """float64 and column by column."""
    X = X.astype(np.float64)
    return (X.tocsc() if sparse.issparse(X) else np.asfortranarray(X)), y


def signed(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    return by_columns(X, 2 * y - 1)


def sklearn_rows(
    package: str, fit: Callable[..., Weights], solver: str, tols: tuple[float, ...], **more: Any
) -> tuple[Contender, ...]:
    """One on the float32 rows, which may stop short of the optimum, and one on float64."""
    name = {"sklearn": "scikit-learn", "sklearnex": "Intel"}[package]
    more = {"threads": True, "bias": True} | more
    steps = ladder("tol", tols, solver=solver)
    return (
        Contender(f"{name} {solver}", package, ("logistic",), fit, steps, **more),
        Contender(
            f"{name} {solver}, float64",
            package,
            ("logistic",),
            fit,
            steps,
            prepare=in_float64,
            **more,
        ),
    )


def liblinear_row(s: int, loss: str, method: str, **more: Any) -> Contender:
    return Contender(
        f"LIBLINEAR -s {s} ({method})",
        "liblinear",
        (loss,),
        liblinear,
        ladder("e", powers(0, 8), s=s),
        prepare=liblinear_problem,
        **more,
    )


OURS = (
    Contender(
        "rosenblatt LinearSVM",
        "rosenblatt.estimators.linear_svm",
        ("hinge", "squared_hinge"),
        ours,
        ladder("tol", (1e-3, 1e-6)),
        threads=True,
        bias=True,
    ),
    Contender(
        "rosenblatt LogisticRegression",
        "rosenblatt.estimators.logistic_regression",
        ("logistic",),
        ours,
        ladder("tol", (1e-3, 1e-6)),
        threads=True,
        bias=True,
    ),
)
PASSES = (5, 20, 100)  # where even a loose tolerance takes too long
EPOCHS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
PEERS = (
    *sklearn_rows("sklearn", sklearn_logistic, "newton-cholesky", powers(1, 8), sparse=False),
    *sklearn_rows("sklearn", sklearn_logistic, "lbfgs", powers(0, 8)),
    *sklearn_rows("sklearn", sklearn_logistic, "newton-cg", powers(0, 7)),
    *sklearn_rows("sklearnex", intel_logistic, "lbfgs", powers(1, 8), sparse=False),
    Contender(
        "scikit-learn LinearSVC, primal",
        "sklearn",
        ("squared_hinge",),
        linear_svc,
        ladder("tol", powers(0, 8), dual=False, max_iter=ENDLESS),
        prepare=in_float64,
    ),
    Contender(
        "scikit-learn LinearSVC, dual",
        "sklearn",
        ("hinge", "squared_hinge"),
        linear_svc,
        ladder("max_iter", PASSES, dual=True, tol=1e-3)
        + ladder("tol", powers(0, 8), dual=True, max_iter=ENDLESS),
        prepare=in_float64,
    ),
    liblinear_row(3, "hinge", "dual", threads=True),
    liblinear_row(1, "squared_hinge", "dual", threads=True),
    liblinear_row(2, "squared_hinge", "primal", threads=True, bias=True),
    liblinear_row(0, "logistic", "primal", threads=True, bias=True, classes=(BINARY,)),
    liblinear_row(7, "logistic", "dual", classes=(BINARY,)),
    Contender(
        "snapml",
        "snapml",
        ("hinge", "logistic"),
        snap,
        ladder("tol", powers(1, 9)),
        threads=True,
        classes=(BINARY,),
    ),
    Contender(
        "scikit-learn saga",
        "sklearn",
        ("logistic",),
        sklearn_logistic,
        ladder("tol", powers(1, 6), solver="saga"),
        bias=True,
    ),
    Contender(
        "scikit-learn sag",
        "sklearn",
        ("logistic",),
        sklearn_logistic,
        ladder("tol", powers(1, 6), solver="sag"),
        bias=True,
    ),
    Contender(
        "scikit-learn SVC (LIBSVM)",
        "sklearn",
        ("hinge",),
        libsvm,
        ladder("tol", powers(1, 6)),
        prepare=in_float64,
        bias=True,
        plain=False,
        classes=(BINARY,),
    ),
    Contender(
        "scikit-learn SGD",
        "sklearn",
        ("hinge", "logistic"),
        sgd,
        ladder("max_iter", EPOCHS),
        bias=True,
        classes=(BINARY,),
    ),
    Contender(
        "lightning, dual",
        "lightning",
        ("hinge", "squared_hinge"),
        lightning_svm,
        ladder("tol", powers(1, 7)),
        prepare=in_float64,
    ),
    Contender(
        "lightning, primal",
        "lightning",
        ("squared_hinge", "logistic"),
        lightning_cd,
        ladder("tol", powers(1, 7)),
        prepare=by_columns,
        classes=(BINARY,),
    ),
    Contender(
        "Vowpal Wabbit L-BFGS",
        "vowpalwabbit",
        ("logistic",),
        wabbit,
        ladder("termination", powers(2, 9)),
        prepare=wabbit_file,
        dense=False,
        classes=(BINARY,),
    ),
    Contender(
        "skglm, dual",
        "skglm",
        ("hinge",),
        skglm_svm,
        ladder("tol", powers(1, 7)),
        prepare=by_columns,
        classes=(BINARY,),
    ),
    Contender(
        "skglm, lbfgs",
        "skglm",
        ("logistic",),
        skglm_logistic,
        ladder("tol", powers(3, 10)),
        prepare=signed,
        classes=(BINARY,),
    ),
)
CONTENDERS = OURS + PEERS
