"""Initial weights: all zero, random, or the average of the class y = +1.

The average makes no mistake here, so a perceptron that starts from it is at its end. On separable
data every start ends without a mistake. The tanh unit and logistic regression by gradient descent
can start from the same weights.
"""

import sys
from pathlib import Path

from rosenblatt import GradientDescent, Perceptron, TanhPerceptron, builtin


def run(folder: Path) -> Path:
    """Write the mistakes of the first epoch and of the whole run for each rule and start."""
    data = builtin("separable")
    rules = {
        "perceptron": Perceptron(shuffle=False),
        "tanh unit": TanhPerceptron(shuffle=False, max_iter=50, tol=None),
        "logistic": GradientDescent(batch_size=1, shuffle=False, max_iter=50, tol=None),
    }
    lines = ["            start   first epoch  whole run  correct"]
    for name, rule in rules.items():
        for start in ("zero", "random", "means"):
            model = rule.set_params(start=start).fit(data.X, data.y)
            first, score = model.trace_[0].mistakes, model.score(data.X, data.y)
            lines.append(f"{name:12}{start:8}{first:11}{model.mistakes_:11}{score:9.1%}")
    path = folder / "starts.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
