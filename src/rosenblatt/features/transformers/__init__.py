"""Feature maps as scikit-learn transformers."""
