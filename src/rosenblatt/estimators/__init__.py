"""scikit-learn estimators: validate, call, store."""
