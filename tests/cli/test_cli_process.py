"""The command line as a process: signals, pipes, full disks, and what it loads."""

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import PETS, QUICKLY, contents, rosenblatt

import rosenblatt as library

CODE = "import sys; sys.argv[0] = 'rosenblatt'; from rosenblatt.__main__ import main; main()"
FULL = Path("/dev/full")


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", CODE, *words]


@pytest.fixture(autouse=True)
def _found_by_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(library.__file__).parent.parent  # by a path that holds in every folder
    monkeypatch.setenv("PYTHONPATH", str(home))


def process(*words: str, **how: object) -> subprocess.CompletedProcess[str]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
    return subprocess.run(command(*words), check=False, timeout=120, **streams)  # type: ignore[call-overload, no-any-return]


def test_a_terminal_is_not_needed_and_gets_no_colours() -> None:
    for environment in ({}, {"NO_COLOR": "1"}):
        done = process("score", "pets.model", "pets.csv", env={**os.environ, **environment})
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == rosenblatt("score", "pets.model", "pets.csv").out
        assert "\x1b" not in done.stdout


def test_progress_is_for_terminals_that_want_it() -> None:
    predict, score = ("predict", "pets.model", "pets.csv"), ("score", "pets.model", "pets.csv")
    wanted = {predict: b"Predicting", (*predict, "--quiet"): b"", (*score, "--json"): b""}
    for words, shown in wanted.items():
        ours, theirs = os.openpty()
        with os.fdopen(theirs, "wb") as terminal:
            done = process(*words, stderr=terminal)
        assert done.returncode == 0
        assert done.stdout == rosenblatt(*words).out
        os.set_blocking(ours, False)
        told = _rest_of(ours)
        assert shown in told if shown else told == b""


def _rest_of(terminal: int) -> bytes:
    with os.fdopen(terminal, "rb", buffering=0) as stream:
        try:
            return stream.read(1 << 16) or b""
        except OSError:  # how a terminal that was left ends
            return b""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("show", "pets.model"), 0),
        (("predict", "pets.model", "pets.csv"), 0),
        (("separable", "builtin:or"), 0),
        (("separable", "builtin:xor"), 1),
    ],
)
def test_a_closed_pipe_changes_no_verdict(words: tuple[str, ...], code: int) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as pipe:
        done = process(*words, stdout=pipe)
    assert (done.returncode, done.stderr) == (code, "")


def test_who_reads_a_line_gets_a_line() -> None:
    Path("long.csv").write_text(PETS + "7,false,red,cat\n" * 50_000)
    with subprocess.Popen(
        command("predict", "pets.model", "long.csv"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == b"prediction,score\n"
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 0


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words", [("show", "pets.model"), ("predict", "pets.model", "pets.csv"), ("--version",)]
)
def test_standard_output_that_is_full(words: tuple[str, ...]) -> None:
    with FULL.open("wb") as full:
        done = process(*words, stdout=full)
    assert (done.returncode, done.stderr) == (2, "Error: No space left on device.\n")


def small_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "pets.csv", "-o", "pets.model", *QUICKLY),
        ("predict", "pets.model", "long.csv", "-o", "old.csv"),
        ("predict", "pets.model", "long.csv", "-o", "new.jsonl"),
        ("predict", "pets.model", "long.csv", "-o", "new.parquet"),
        ("separable", "pets.csv", "--proof", "proof.json"),
    ],
)
def test_a_full_disk_leaves_the_old_file_and_no_other(words: tuple[str, ...]) -> None:
    Path("old.csv").write_text("old\n")
    Path("long.csv").write_text(PETS + "7,false,red,cat\n" * 100)
    before = contents()
    done = process(*words, preexec_fn=small_files, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr
    assert contents() == before


def test_a_pipe_is_written_to_and_never_replaced() -> None:
    os.mkfifo("pipe")
    wanted = rosenblatt("predict", "pets.model", "pets.csv").out
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    said = rosenblatt("predict", "pets.model", "pets.csv", "--to", "csv", "-o", "pipe")
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read().decode() == wanted
    assert said == (0, "", "")
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    done = process("predict", "pets.model", "pets.csv", "--to", "csv", "-o", "/dev/stdout")
    assert done.stdout == wanted


SAID = {
    signal.SIGINT: (130, "Interrupted.\n"),
    signal.SIGTERM: (143, "Ended by SIGTERM.\n"),
    signal.SIGHUP: (129, "Ended by SIGHUP.\n"),
}


@pytest.mark.parametrize("number", SAID)
def test_a_signal_ends_a_command_cleanly(number: signal.Signals) -> None:
    before = contents()
    with subprocess.Popen(
        command("fit", "-", "-o", "new.model"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        time.sleep(0.1)
        assert running.stdin is not None
        for _ in range(100):  # until it reads, and so is past its imports
            running.stdin.write(b"1,2,3\n" * 1000)
        running.stdin.flush()
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err.decode()) == (SAID[number][0], b"", SAID[number][1])
    assert contents() == before


WHILE_WRITING = """
import os, sys
import rosenblatt.cli.sigint as interrupting
{setting}
sys.argv[0] = "rosenblatt"
def ended(handle):  # the moment at which a file is about to take its place
    print("writing", flush=True)
    {waiting}
os.fsync = ended
from rosenblatt.__main__ import main; main()
"""
WRITERS = {
    "model": ("fit", "pets.csv", "-o", "new", *QUICKLY),
    "report": ("fit", "pets.csv", "--report", "new", *QUICKLY),
    "proof": ("separable", "pets.csv", "--proof", "new"),
    "csv": ("predict", "pets.model", "pets.csv", "-o", "new.csv"),
    "jsonl": ("predict", "pets.model", "pets.csv", "-o", "new.jsonl"),
    "parquet": ("predict", "pets.model", "pets.csv", "-o", "new.parquet"),
    "export": ("export", "pets.model", "-o", "new.json"),
    "comparison": ("compare", "pets.csv", "--report", "new", "--folds", "2", *QUICKLY),
}


def ended_while_writing(
    words: tuple[str, ...], number: signal.Signals, waiting: str, setting: str = ""
) -> tuple[int, str]:
    """End a command by a signal as it writes; its exit code, and what it said."""
    code = WHILE_WRITING.format(waiting=waiting, setting=setting)
    with (
        Path("pets.csv").open("rb") as pets,
        subprocess.Popen(
            [sys.executable, "-c", code, *words],
            stdin=pets,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as running,
    ):
        assert running.stdout is not None
        assert running.stdout.readline() == "writing\n"
        assert any(name.endswith(".part") for name in contents())
        running.send_signal(number)
        _, err = running.communicate(timeout=60)
    return running.returncode, err


@pytest.mark.parametrize("case", WRITERS)
def test_a_signal_leaves_no_part_of_a_file(
    case: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(own))
    before = contents()
    waiting = "import time; time.sleep(60)"
    assert ended_while_writing(WRITERS[case], signal.SIGTERM, waiting) == SAID[signal.SIGTERM]
    assert contents() == before
    assert not list(own.iterdir())


NEVER_RETURNS = {  # what prepares it, and what then never returns to Python
    "a lock that it holds itself": (
        "import ctypes; lock = (ctypes.c_byte * 64)(); libc = ctypes.CDLL(None)",
        "libc.pthread_mutex_lock(lock); libc.pthread_mutex_lock(lock)",
    ),
    "a compiled loop": (
        """import numba, numpy
@numba.njit('(i8[:],)', nogil=True)
def count(turns):
    while turns[0] >= 0:
        turns[0] = (turns[0] + 1) % 1000
""",
        "count(numpy.zeros(1, numpy.int64))",
    ),
}


@pytest.mark.parametrize("case", NEVER_RETURNS)
def test_a_signal_ends_what_does_not_return_to_python(
    case: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(own))
    Path("new.csv").write_text("old\n")
    before = contents()
    preparing, waiting = NEVER_RETURNS[case]
    words = ("predict", "pets.model", "-", "-o", "new.csv")  # with a copy of its input, too
    setting = f"{preparing}\ninterrupting.FORCED_EXIT_DELAY = 0.2"
    assert ended_while_writing(words, signal.SIGTERM, waiting, setting) == SAID[signal.SIGTERM]
    assert contents() == before
    assert not list(own.iterdir())


def test_the_copy_of_the_input_is_gone_before_python_ends(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal that comes while Python ends, which takes a while, leaves nothing behind either."""
    own = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(own))
    listing = f"import atexit, os; atexit.register(lambda: print(os.listdir({str(own)!r})));"
    words = ("predict", "pets.model", "-", "-o", "new.csv")
    done = subprocess.run(
        [sys.executable, "-c", listing + CODE, *words],
        input=PETS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_signal_after_the_command_is_done_comes_too_late() -> None:
    late = (
        "import signal, threading\n"
        "join = threading.Thread.join\n"
        "def late_join(thread, timeout=None):\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "    join(thread, timeout)\n"
        "threading.Thread.join = late_join\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", late + CODE, "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == rosenblatt("--version")


def test_a_library_cannot_make_another_error_of_a_signal() -> None:
    """As numpy does where it reads the type of a buffer."""
    code = (
        "import signal\n"
        "from rosenblatt.cli import main\n"
        "def app(**options):\n"
        "    try:\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "    except BaseException:\n"
        "        raise ValueError('no type')\n"
        "main.app = app\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code + CODE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "Ended by SIGTERM.\n")


def test_ctrl_c_while_python_ends_shows_no_traceback() -> None:
    code = "import atexit, signal; atexit.register(lambda: signal.raise_signal(signal.SIGINT));"
    done = subprocess.run(
        [sys.executable, "-c", code + CODE, "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_signals_that_are_ignored_stay_so() -> None:
    """As `nohup` wants it."""
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    code = ignoring + (
        "from rosenblatt.cli.sigint import interruptible\n"
        "with interruptible():\n"
        "    signal.raise_signal(signal.SIGHUP)\n"
        "    print('goes on')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "goes on\n")


def test_a_signal_at_any_moment_leaves_whole_files_or_none() -> None:
    words = ("fit", "pets.csv", "-o", "new", "--report", "new.html", *QUICKLY)
    started = time.monotonic()
    done = process(*words)
    length = time.monotonic() - started
    whole = {name: contents().pop(name) for name in ("new", "new.html")}
    assert done.returncode == 0
    for moment in range(4):
        for name in whole:
            Path(name).unlink(missing_ok=True)
        before = contents()
        with subprocess.Popen(
            command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as running:
            time.sleep(length * (moment + 1) / 5)
            running.terminate()
            _, err = running.communicate(timeout=60)
        assert (running.returncode, err) in {SAID[signal.SIGTERM], (-signal.SIGTERM, ""), (0, "")}
        after = contents()
        assert {name: after[name] for name in before} == before
        assert set(after) - set(before) <= set(whole)
        assert after.get("new", whole["new"]) == whole["new"]


def test_an_interrupt_while_modules_are_loaded() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from rosenblatt.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_the_package_runs_as_a_module() -> None:
    words = ("show", "pets.model")
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt", *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == rosenblatt(*words)


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        (("--version",), {"numpy", "numba", "sklearn", "scipy", "polars"}),
        (("--help",), {"numpy", "numba", "sklearn", "scipy", "polars"}),
        (("fit", "--help"), {"numba", "sklearn", "scipy", "polars"}),
        (("show", "pets.model"), {"numba", "sklearn", "scipy"}),
        (("predict", "pets.model", "pets.csv"), {"numba", "sklearn", "scipy"}),
        (("score", "pets.model", "pets.csv"), {"numba", "sklearn", "scipy"}),
        (("fit", "pets.csv", "-o", "new.model"), {"sklearn"}),
        (("fit", "builtin:iris", "--rule", "fisher-discriminant"), {"sklearn"}),
        (("fit", "builtin:iris", "--rule", "logistic-regression", "--C", "cv"), {"sklearn"}),
        (("separable", "builtin:or", "--proof", "or.json"), {"sklearn"}),
        (("verify", "or.json", "builtin:or"), {"numba", "sklearn", "scipy"}),
        (("export", "pets.model", "-o", "pets.json"), {"sklearn"}),
    ],
)
def test_light_commands_load_little(words: tuple[str, ...], unwanted: set[str]) -> None:
    rosenblatt("separable", "builtin:or", "--proof", "or.json")
    code = (
        f"import sys; sys.argv = ['rosenblatt', *{words!r}]\n"
        "from rosenblatt.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as ending:\n    assert not ending.code\n"
        f"print({sorted(unwanted)!r}, sorted({unwanted!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, f"{sorted(unwanted)} []\n")
