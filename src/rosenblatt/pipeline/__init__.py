"""The training pipeline: read, preprocess, train, evaluate, prove."""
