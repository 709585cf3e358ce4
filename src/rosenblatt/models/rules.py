"""Rules by the names that model files have for them: the only way from a file to a type."""

RULES = {
    "perceptron": "Perceptron",
    "batch-perceptron": "BatchPerceptron",
    "passive-aggressive": "PassiveAggressive",
    "arow": "AROW",
    "second-order-perceptron": "SecondOrderPerceptron",
    "lms": "LMS",
    "tanh-perceptron": "TanhPerceptron",
    "least-squares": "LeastSquares",
    "fisher-discriminant": "FisherDiscriminant",
    "linear-discriminant": "LinearDiscriminant",
    "linear-svm": "LinearSVM",
    "logistic-regression": "LogisticRegression",
    "kernel-perceptron": "KernelPerceptron",
    "sentence-ranker": "SentenceRanker",
    "threshold-unit": "ThresholdUnit",
    "threshold-network": "ThresholdNetwork",
}
NAMES = {estimator: rule for rule, estimator in RULES.items()}
