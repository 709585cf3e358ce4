"""Why a peer is faster, for the rows of docs/benchmarks.md where one is; from traces and profiles.

That a step is for the proof is read off a trace: the error was small enough before it. How long a
fit without that step would take was not measured.
"""

UNKNOWN = "why has not been looked for."
REASONS: dict[tuple[str, str], str] = {
    ("a9a", "squared_hinge"): (
        "after three of its four steps ours is 2e-5 above the best, but proved to be within 9e-2"
        " only; the fourth makes the proof, and the peer that is as fast makes none."
    ),
    ("w8a", "hinge"): (
        "ours takes 16 steps on smooth floors of the hinge, the first seven of them to come down"
        " from a rough start that is 140 % above the best; the 14th brings the error below 1e-3,"
        " the others make the proof. LinearSVC climbs the dual and is there sooner, without one;"
        ' our own ascent (`solver="ascent"`) takes longer than these steps.'
    ),
    ("barely", "logistic"): (
        "Newton's third step ends 1e-5 above the best, the fourth 4e-10, which is more than was"
        " asked for; the faster peer comes to rest in between. A fit takes a hundredth of a second,"
        " about half of it in Python."
    ),
}
