# SPDX-License-Identifier: MIT
"""All numbers of a report. They come from `polhode analyze`, as those that users print themselves."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

import numpy as np

from ..results import AnalysisError, Asked, Result, Verdict, analyze, asked_and_obtained, verdict
from ..trajectory import Trajectory

# While a run goes on, curves need not be better than from these frames.
MOST_FRAMES_LIVE, MOST_CORRELATED_LIVE = 100, 500
# Pairs of points that are looked at, in all frames: half a minute or so. Frames one after the other tell little more.
MOST_PAIRS = 2e9
MOST_CORRELATED = 1e7  # molecules in all frames
FEWEST_FRAMES_MOTION = 10  # a line is fitted to the middle of a quarter of them


def first_of(texts: Dict[str, Optional[str]]) -> List[Tuple[Optional[str], str]]:
    """Each text once, with the first of its names"""
    first: Dict[Optional[str], str] = {}
    for name, text in texts.items():
        first.setdefault(text, name)
    return list(first.items())


@dataclass
class Findings:
    energy: Optional[Result] = None
    temperature: Optional[Result] = None
    pressure: Optional[Result] = None
    fluctuations: Optional[Result] = None
    asked: List[Asked] = field(default_factory=list)
    verdict: Optional[Verdict] = None
    rdf: Optional[Result] = None
    orientation: Optional[Result] = None
    body_axis: Optional[int] = None  # 1, 2 or 3 if orientations are of an axis of the body, not of dipoles
    motion: Optional[Result] = None
    correlation: Optional[Result] = None
    dielectric: Optional[Result] = None
    missing: List[str] = field(default_factory=list)  # sentences
    chosen: Dict[str, str] = field(default_factory=dict)  # by kind of analysis: which frames were taken, if not all

    def cautions(self) -> List[Tuple[str, str]]:
        """Of results that must not be taken as they are: of what, and why"""
        results = (self.energy, self.temperature, self.pressure, self.fluctuations, self.rdf, self.orientation, self.motion)
        names = {"dielectric": "permittivity", "msd": "diffusion"}
        return [
            (names.get(result.kind, result.kind) + (f", {name}" if name and result.kind == "correlation" else ""), text)
            for result in (*results, self.correlation, self.dielectric)
            if result is not None
            for text, name in first_of({**{name: value.caution for name, value in result.values.items()}, "": result.caution})
            if text
        ]


@dataclass
class Asker:
    """Runs an analysis of the program, and records what it cannot do."""

    run: Trajectory
    program: Optional[str]
    live: bool
    found: Findings

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
        self.found.missing.append(text)
        return None

    def ask_pairs(self, kind: str, *words: str) -> Optional[Result]:
        """Of structure, which some of the frames show as well: they need not follow each other."""
        stride = pair_stride(self.run, kind, MOST_FRAMES_LIVE if self.live else None)
        if stride > 1:
            self.found.chosen[kind] = f"Every {ordinal(stride)} frame of the production."
        return self.ask(kind, *words, *(["--frames", f"::{stride}"] if stride > 1 else []))

    def ask_motion(self, kind: str) -> Optional[Result]:
        """Of motion, for which frames must follow each other: the last ones."""
        n = len(self.run.frames.production)
        most = max(100, int(MOST_CORRELATED / max(1, self.run.n_molecules)))
        most = min(most, MOST_CORRELATED_LIVE) if self.live else most
        if n > most:
            self.found.chosen[kind] = f"The last {most} frames of {n}."
        return self.ask(kind, *(["--frames", f"{n - most}:"] if n > most else []))


def body_axis(run: Trajectory) -> Optional[int]:
    """Along which axis of the body, 1, 2 or 3, the axes of the molecules lie: of the first kind that has one"""
    for one in run.species:
        if one.axis is not None and np.max(np.abs(one.axis)) > 1 - 1e-9:
            return int(np.argmax(np.abs(one.axis))) + 1
    return None


def pair_stride(run: Trajectory, kind: str, frames: Optional[int] = None) -> int:
    """Every how many frames are enough for what counts pairs: of molecules, and for `rdf` also of sites"""
    points = run.n_molecules + (sum(one.count * len(one.sites) for one in run.species) if kind == "rdf" else 0)
    most = max(20, int(MOST_PAIRS / (0.5 * points * points + 1)))
    return max(1, -(-len(run.frames.production) // min(most, frames or most)))


def ordinal(n: int) -> str:
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def tell(text: str) -> None:
    """A progress line that the next one replaces, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def gather(run: Trajectory, program: Optional[str], live: bool = False, at_once: bool = False) -> Findings:
    """Everything that the file allows. What it does not allow is listed in `missing`. `at_once`: from the series alone."""
    found = Findings()
    asker = Asker(run, program, live, found)
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
        if "ensemble" in run.parameters:
            found.fluctuations = asker.ask("fluctuations")
        if program:
            found.asked = asked_and_obtained(program, run.path)
    if program:
        found.verdict = verdict(program, run.path)
    if at_once:
        found.missing.append("Structure and dipoles come with the next page, in a moment.")
    else:
        _gather_structure(run, asker, found)
        _gather_motion(run, asker, found)
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
        found.rdf = asker.ask_pairs("rdf")
        dipoles = run.frames[-1].dipoles
        if dipoles is not None and np.any(dipoles):
            found.orientation = asker.ask_pairs("orientation")
        elif run.frames[-1].quaternions is not None:
            found.body_axis = body_axis(run)
            if found.body_axis is not None:
                found.orientation = asker.ask_pairs("orientation", "--of", f"axis-{found.body_axis}")


def _gather_motion(run: Trajectory, asker: Asker, found: Findings) -> None:
    """Of centres only: how bodies turn is seen from their dipoles."""
    moves = float(run.parameters.get("degrees_of_translation", 1)) > 0
    if moves and run.box is not None and len(run.frames.production) >= FEWEST_FRAMES_MOTION:
        found.motion = asker.ask_motion("msd")
    if found.motion:
        for kept, name in ((found.motion.values, "diffusion."), (found.motion.tables, "translation.")):
            for key in [key for key in kept if not key.startswith(name)]:
                del kept[key]


def _gather_dipoles(run: Trajectory, asker: Asker, found: Findings) -> None:
    if len(run.frames) and run.frames[-1].attitudes is None:
        found.missing.append("The molecules do not turn, or the frames have no orientations: what rests on them is not shown.")
    elif len(run.frames) and run.body_dipoles is None:
        found.missing.append(
            "The molecules have no dipoles, or the file does not tell them: what rests on dipoles is " "not shown."
        )
    elif len(run.frames.production) >= 5:
        found.correlation = asker.ask_motion("correlation")
    series = run.series.get("dipole")
    if series is not None and run.box is not None and len(series.production) >= 10 and series.value.any():
        found.dielectric = asker.ask("dielectric")
