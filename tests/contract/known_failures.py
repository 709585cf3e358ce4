"""scikit-learn's own tests that fail with the import line changed, and why: all that is different.

A name without parameters means that all of its cases fail. The reasons are of three kinds:
*internals* of scikit-learn that a test reaches for, *wording* of a message whose kind is the same,
and *deliberate* differences. The list is about one version of scikit-learn.
"""

VERSION = "1.9.1"

NO_L1 = "deliberate: there is no l1 penalty; asking for one is an error that names what to use"
FLOAT64 = "deliberate: weights are float64 whatever the rows are, so that `gap_` is theirs"
OBJECTIVE = "deliberate: `tol` bounds the objective, and so the weights to about its root only"
ANY_SOLVER = "deliberate: all names of solvers mean the same, none has the limits of its namesake"
SILENT = "deliberate: no warning of parameters that are deprecated, ignored or at odds"
WARNING = "wording: the ConvergenceWarning tells the gap that is left, not the name of a solver"
OTHER_WORDS = "wording: a ValueError in other words"
DIGITS = "deliberate: a task that callbacks hear of is a digit of the gap, not an iteration"
AVERAGE = "internals: it looks for `_average_coef` and `_standard_coef`"
NO_ESTIMATOR = "deliberate: no `covariance_estimator`; `shrinkage` is a number, 'auto' or 'oas'"

KNOWN_FAILURES: dict[str, dict[str, tuple[str, ...]]] = {
    "sklearn.linear_model.tests.test_logistic": {
        NO_L1: (
            "test_sample_and_class_weight_equivalence_liblinear",
            "test_logreg_l1",
            "test_logistic_regression_cv_refit[42-1]",
            "test_saga_vs_liblinear[42-csr_matrix-1]",
            "test_saga_vs_liblinear[42-csr_array-1]",
            "test_elastic_net_coeffs",
            "test_elastic_net_l1_l2_equivalence[42-l1-1-0.001]",
            "test_elastic_net_l1_l2_equivalence[42-l1-1-0.1]",
            "test_elastic_net_l1_l2_equivalence[42-l1-1-1]",
            "test_elastic_net_l1_l2_equivalence[42-l1-1-10]",
            "test_elastic_net_l1_l2_equivalence[42-l1-1-100]",
            "test_elastic_net_l1_l2_equivalence[42-l1-1-1000]",
            "test_elastic_net_l1_l2_equivalence[42-l1-1-1000000.0]",
            "test_elastic_net_vs_l1_l2",
            "test_LogisticRegression_elastic_net_objective",
            "test_LogisticRegressionCV_GridSearchCV_elastic_net[3]",
            "test_l1_ratio_non_elasticnet",
            "test_elastic_net_versus_sgd",
            "test_logisticregression_liblinear_sample_weight[42-params0]",
            "test_scores_attribute_layout_elasticnet",
            "test_liblinear_not_stuck",
            "test_lr_penalty_l1ratio_incompatible",
        ),
        FLOAT64: tuple(
            f"test_dtype_match[{kind}-{intercept}-{solver}]"
            for kind in ("csr_matrix", "csr_array")
            for intercept in (False, True)
            for solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
        ),
        OBJECTIVE: (
            "test_logistic_glmnet",
            "test_consistency_path",
            "test_LogisticRegressionCV_on_folds",
        ),
        ANY_SOLVER: (
            "test_check_solver_option[LogisticRegression]",
            "test_liblinear_multiclass_raises[LogisticRegression]",
            "test_large_sparse_matrix[csr_matrix-liblinear]",
            "test_large_sparse_matrix[csr_matrix-sag]",
            "test_large_sparse_matrix[csr_matrix-saga]",
            "test_large_sparse_matrix[csr_array-liblinear]",
            "test_large_sparse_matrix[csr_array-sag]",
            "test_large_sparse_matrix[csr_array-saga]",
            "test_liblinear_with_large_values",
        ),
        SILENT: (
            "test_penalty_none",
            "test_penalty_deprecated[LogisticRegression]",
            "test_l1_ratio_None_deprecated",
            "test_logisticregression_warns_with_n_jobs",
        ),
        WARNING: ("test_max_iter", "test_newton_cholesky_fallback_to_lbfgs"),
        OTHER_WORDS: ("test_inconsistent_input",),
        "deliberate: the answer does not depend on the seed, since it is solved to the end": (
            "test_liblinear_dual_random_state",
        ),
        "deliberate: held against LIBLINEAR at its own tol, whose weights are 2e-5 off": (
            "test_logistic_cv",
        ),
        "internals: it calls `_log_reg_scoring_path` with all of our parameters": (
            "test_logistic_cv_multinomial_score",
        ),
        "internals: it calls `_predict_proba_lr`": ("test_logreg_predict_proba_multinomial",),
        "internals: a second fit factors H anew, the second step of one fit leads by the first's": (
            "test_warm_start_newton_solver[1-True-newton-cholesky]",
            "test_warm_start_newton_solver[1-True-newton-cg]",
            "test_warm_start_newton_solver[1-False-newton-cholesky]",
            "test_warm_start_newton_solver[1-False-newton-cg]",
        ),
        "deliberate: callbacks are heard whatever solver is named": (
            "test_logistic_regression_callback_support_warning",
        ),
    },
    "sklearn.linear_model.tests.test_perceptron": {},
    "sklearn.svm.tests.test_svm": {
        NO_L1: (
            "test_linearsvc_parameters[42-True-l1-hinge]",
            "test_linearsvc_parameters[42-True-l1-squared_hinge]",
            "test_linearsvc_parameters[42-False-l1-hinge]",
            "test_linearsvc_parameters[42-False-l1-squared_hinge]",
            "test_linearsvc",
            "test_dense_liblinear_intercept_handling",
            "test_linearsvm_liblinear_sample_weight[42-LinearSVM-params0]",
        ),
        "deliberate: `dual` changes nothing, so the hinge goes with dual=False": (
            "test_linearsvc_parameters[42-False-l2-hinge]",
        ),
        "deliberate: several classes are told apart one against the rest, not as by Crammer": (
            "test_linearsvc_crammer_singer",
            "test_crammer_singer_binary",
        ),
        WARNING: ("test_linear_svm_convergence_warnings",),
    },
    "sklearn.linear_model.tests.test_passive_aggressive": {
        AVERAGE: (
            *(
                f"test_classifier_accuracy[{kind}-{intercept}-True]"
                for kind in ("None", "csr_matrix", "csr_array")
                for intercept in (True, False)
            ),
            *(
                f"test_classifier_partial_fit[{kind}-True]"
                for kind in ("None", "csr_matrix", "csr_array")
            ),
        ),
        "deliberate: the length of a row counts the 1 of the bias, which moves by as much": (
            "test_classifier_correctness",
            "test_passive_aggressive_classifier_vs_sgd",
        ),
        "deliberate: partial_fit balances classes by those seen so far": (
            "test_partial_fit_weight_class_balanced",
        ),
        "deliberate: this class is not deprecated": ("test_class_deprecation[PassiveAggressive]",),
    },
    "sklearn.tests.test_discriminant_analysis": {
        NO_ESTIMATOR: ("test_lda_shrinkage", "test_lda_ledoitwolf"),
        "deliberate: every solver takes a shrinkage, and every one can transform": (
            "test_lda_predict",
            "test_lda_transform",
        ),
        "deliberate: one row a class is enough; directions without scatter are left out": (
            "test_raises_value_error_on_same_number_of_classes_and_samples",
        ),
        "deliberate: `covariance_` is always there": ("test_lda_store_covariance",),
        OTHER_WORDS: ("test_lda_priors",),
        FLOAT64: ("test_lda_dtype_match[float32-float32]",),
        "internals: names of features begin with the name of the class": (
            "test_get_feature_names_out",
        ),
    },
}
BY_CHANCE = {  # may fail or pass: for as many digits of `tol` as steps, and one
    "test_logistic_regression_callback_support": DIGITS,
}
