"""Runs mutants, each on a private copy of the project: first its tests as they are, then with the check taken out.

A mutant is caught when a test of its selection fails. That the tests can't be collected, or that the mutated program
can't even be loaded, is no catch: then the mutant itself is wrong.
"""

from __future__ import annotations

import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant

ROOT = Path(__file__).resolve().parent.parent.parent

PARTS = ("azi_p2p", "tests", "protocol", "examples", "docs", "pyproject.toml", "README.md")
"""What of the project a test may need."""

LONGEST = 600.0
"""Seconds after which a run of tests is given up."""

PATIENCE = 10.0
"""How many times longer than unmutated the tests of a mutant may take, and at least LEAST seconds."""
LEAST = 300.0

_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - (.*))?$", re.MULTILINE)
_OWN_FAULTS = ("ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "NameError")


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of tests has come to: pytest's exit code, the test that failed first with why, seconds, output."""

    code: int
    test: str
    why: str
    seconds: float
    output: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant. `caught_by`: the test that failed, empty for a survivor; `problem`: what else it is."""

    mutant: Mutant
    caught_by: str = ""
    problem: str = ""
    seconds: float = 0.0


class Workplace:
    """A private copy of the project in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        """Copy the project to `folder`, which must not exist, and make sure that the copy is what gets imported."""
        self.root = folder
        folder.mkdir()
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
            elif source.exists():
                shutil.copy2(source, folder / part)
        self._stamp = time.time()
        said = subprocess.run(
            [sys.executable, "-c", "import azi_p2p, tests; print(azi_p2p.__file__); print(tests.__file__)"],
            cwd=folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        for line in said.stdout.splitlines():
            if not Path(line).resolve().is_relative_to(folder.resolve()):
                raise RuntimeError(f"not the copy in {folder} is imported, but {line}")

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.root), "PYTHONSAFEPATH": "", "PYTEST_ADDOPTS": ""}

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """Have the check of this mutant taken out within the block; raises Stale."""
        path = self.root / mutant.file
        before, stat = path.read_bytes(), path.stat()
        path.write_text(mutant.apply(self.root), encoding="utf-8")
        # A time that this file never had: else compiled code of the same length and second would be taken for it.
        self._stamp += 10
        os.utime(path, (self._stamp, self._stamp))
        try:
            yield
        finally:
            path.write_bytes(before)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def run(self, tests: Sequence[str], limit: float = LONGEST) -> Run:
        """Run these tests up to the first that fails. `limit`: seconds."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-rfE", "-p", "no:benchmark", *tests]
        began = time.monotonic()
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
                return Run(-1, "", f"no answer within {limit:.0f} s", time.monotonic() - began, output)
        found = _FAILED.search(output)
        test, why = (found[1], found[2] or "") if found else ("", "")
        return Run(process.returncode, test, why, time.monotonic() - began, output)


class Runner:
    """Runs mutants side by side, each worker in a workplace of its own; each selection of tests once unmutated."""

    def __init__(self, jobs: int = 1) -> None:
        """`jobs`: how many at the same time."""
        self._jobs = jobs
        self._unmutated: dict[tuple[str, ...], Run] = {}
        self._locks: dict[tuple[str, ...], threading.Lock] = {}
        self._lock = threading.Lock()

    def run(self, mutants: Sequence[Mutant]) -> Iterator[Verdict]:
        """Run mutants and give their verdicts in the same order, each as soon as it and those before it are done."""
        with tempfile.TemporaryDirectory(prefix="azi-mutants-") as folder:
            places: queue.SimpleQueue[Workplace] = queue.SimpleQueue()
            for number in range(self._jobs):
                places.put(Workplace(Path(folder).resolve() / f"copy{number}"))

            def judge(mutant: Mutant) -> Verdict:
                place = places.get()
                try:
                    return self._judge(mutant, place)
                finally:
                    places.put(place)

            with ThreadPoolExecutor(self._jobs) as pool:
                waiting = [pool.submit(judge, mutant) for mutant in mutants]
                try:
                    for verdict in waiting:
                        yield verdict.result()
                finally:
                    for verdict in waiting:
                        verdict.cancel()

    def _judge(self, mutant: Mutant, place: Workplace) -> Verdict:
        with self._lock:
            lock = self._locks.setdefault(mutant.tests, threading.Lock())
        with lock:
            if mutant.tests not in self._unmutated:
                self._unmutated[mutant.tests] = place.run(mutant.tests)
            plain = self._unmutated[mutant.tests]
        if plain.code != 0:
            return Verdict(mutant, problem=f"its tests fail as they are ({plain.test or plain.output[-300:]})")
        with place.mutated(mutant):
            run = place.run(mutant.tests, max(LEAST, PATIENCE * plain.seconds))
        if run.code == 0:
            return Verdict(mutant, seconds=run.seconds)
        if run.code != 1 or not run.test:
            return Verdict(mutant, problem=f"no test failed: {run.why or run.output[-300:]}", seconds=run.seconds)
        if run.why.startswith(_OWN_FAULTS):
            return Verdict(mutant, problem=f"it can't be run: {run.why}", seconds=run.seconds)
        return Verdict(mutant, caught_by=run.test, seconds=run.seconds)
