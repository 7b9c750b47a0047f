# SPDX-License-Identifier: MIT
"""All numbers of a report. They come from `polhode analyze`, as those that users print themselves."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import List, Optional

from ..results import AnalysisError, Result, analyze
from ..trajectory import Trajectory

MOST_FRAMES_LIVE, MOST_CORRELATED_LIVE = (
    100,
    500,
)  # while a run goes on, curves need not be better than from these frames


@dataclass
class Findings:
    energy: Optional[Result] = None
    temperature: Optional[Result] = None
    pressure: Optional[Result] = None
    rdf: Optional[Result] = None
    orientation: Optional[Result] = None
    correlation: Optional[Result] = None
    dielectric: Optional[Result] = None
    missing: List[str] = field(default_factory=list)  # sentences


@dataclass
class Asker:
    """Asks the program, and notes what it cannot tell."""

    run: Trajectory
    program: Optional[str]
    live: bool
    missing: List[str]

    def ask(self, kind: str, *words: str) -> Optional[Result]:
        if not self.program:
            return None
        tell(f"{kind} ...")
        for _ in range(5):
            before = os.stat(self.run.path).st_mtime_ns
            try:
                return analyze(self.program, kind, self.run.path, *words)
            except AnalysisError as error:
                text = f"{kind}: {error}"
            if os.stat(self.run.path).st_mtime_ns == before:  # else it has read what a run was just writing
                break
        self.missing.append(text)
        return None

    def ask_frames(self, kind: str) -> Optional[Result]:
        n = len(self.run.frames.production)
        stride = -(-n // MOST_FRAMES_LIVE) if self.live else 1
        return self.ask(kind, *(["--frames", f"::{stride}"] if stride > 1 else []))


def tell(text: str) -> None:
    """A line that the next one replaces, where somebody looks."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def gather(run: Trajectory, program: Optional[str], live: bool = False) -> Findings:
    """Everything that the file allows. What it does not allow is listed in `missing`."""
    found = Findings()
    asker = Asker(run, program, live, found.missing)
    if not program:
        found.missing.append("The program polhode was not found: there are no results of polhode analyze.")
    if "total_energy" not in run.series:
        found.missing.append("The file has no time series: energies, temperatures and pressure are not shown.")
    elif len(run.series["total_energy"].production) < 3:
        found.missing.append("The production has hardly begun: there are no results yet.")
    else:
        found.energy, found.temperature = asker.ask("energy"), asker.ask("temperature")
        if "pressure" in run.series:
            found.pressure = asker.ask("pressure")
    _gather_structure(run, asker, found)
    _gather_dipoles(run, asker, found)
    tell("")
    return found


def _gather_structure(run: Trajectory, asker: Asker, found: Findings) -> None:
    if len(run.frames) == 0:
        found.missing.append("The file has no frames: structure and the picture of the molecules are not shown.")
    elif len(run.frames.production) == 0:
        found.missing.append("There is no frame of the production yet: structure is not shown.")
    elif run.box is None:
        found.missing.append("The molecules are in open space: a distribution g(r) relative to a density is not shown.")
    elif run.n_molecules < 2:
        found.missing.append("There is one molecule only: structure is not shown.")
    else:
        found.rdf = asker.ask_frames("rdf")
        if run.frames[-1].dipoles is not None:
            found.orientation = asker.ask_frames("orientation")


def _gather_dipoles(run: Trajectory, asker: Asker, found: Findings) -> None:
    if len(run.frames) and run.frames[-1].attitudes is None:
        found.missing.append("The molecules do not turn, or the frames have no orientations: what rests on them is not shown.")
    elif len(run.frames) and run.body_dipoles is None:
        found.missing.append(
            "The molecules have no dipoles, or the file does not tell them: what rests on dipoles is " "not shown."
        )
    elif len(run.frames.production) >= 5:
        later = max(0, len(run.frames.production) - MOST_CORRELATED_LIVE) if asker.live else 0
        found.correlation = asker.ask("correlation", *(["--frames", f"{later}:"] if later else []))
    series = run.series.get("dipole")
    if series is not None and run.box is not None and len(series.production) >= 10 and series.value.any():
        found.dielectric = asker.ask("dielectric")
