"""Why a peer is faster, in the rows of docs/benchmarks.md where one is; from traces and profiles.

That a step is for the proof is read off a trace: the error was small enough before it. How long a
fit without that step would take was not measured.
"""

UNKNOWN = "the reason was not examined."
REASONS: dict[tuple[str, str], str] = {
    ("a9a", "squared_hinge"): (
        "after three of its four steps, ours is 2e-5 above the optimum, but the proved gap is 9e-2;"
        " the fourth step is for the proof, and the equally fast peer proves nothing."
    ),
    ("w8a", "hinge"): (
        "ours takes 16 steps on smoothed hinges, the first seven of them from a start on a"
        " subsample that is 140 % above the optimum; the 14th brings the error below 1e-3, and"
        " the last two are for the proof. LinearSVC's dual coordinate ascent is faster, without a"
        ' proof; our own (`solver="ascent"`) takes longer than these steps.'
    ),
    ("barely", "logistic"): (
        "Newton's third step ends 1e-5 above the optimum, the fourth 4e-10, which is more than is"
        " needed; the faster peer stops in between. A fit takes a hundredth of a second, about half"
        " of it in Python."
    ),
}
