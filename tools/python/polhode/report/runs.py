# SPDX-License-Identifier: MIT
"""Runs that are compared: what was found in each, and what it is called."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence

import numpy as np

from ..results import AnalysisError, Result, Value, Verdict, analyze, find_value, verdict
from ..trajectory import Trajectory
from .findings import pair_stride
from .words import number, plain

DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass
class Run:
    """One of the runs, with what was found in it."""

    trajectory: Trajectory
    label: str
    results: Dict[str, Optional[Result]]
    colour: str = "@c1"
    dash: str = "solid"
    verdict: Optional[Verdict] = None

    @property
    def units(self) -> str:
        return self.trajectory.units

    def value(self, kind: str, name: str) -> Optional[Value]:
        found = find_value(self.results.get(kind), name)
        return found if found is not None and np.isfinite(found.value) else None

    @property
    def evaluations_per_time(self) -> Optional[float]:
        """Force evaluations per unit of time: what accuracy costs."""
        about = self.trajectory.parameters
        if "scheme_kicks" in about:
            evaluations = len(about["scheme_kicks"]) - (about.get("scheme_begins_with") == "kick")
        else:
            evaluations = int(about.get("integrator_evaluations", 0))  # implicit ones do not know
        return evaluations / float(about["step"]) if evaluations and about.get("step") else None

    @property
    def method(self) -> str:
        """Name of the scheme, or of the integrator."""
        about = self.trajectory.parameters
        return str(about.get("scheme") or about.get("integrator") or "unknown")


def load_runs(trajectories: Sequence[Trajectory], program: str, labels: Optional[Sequence[str]] = None) -> List[Run]:
    runs = []
    for k, trajectory in enumerate(trajectories):
        results: Dict[str, Optional[Result]] = {}
        for kind in ("energy", "temperature", "pressure", "rdf", "orientation"):
            stride = pair_stride(trajectory, kind) if kind in ("rdf", "orientation") else 1
            try:
                results[kind] = analyze(program, kind, trajectory.path, *(["--frames", f"::{stride}"] if stride > 1 else []))
            except AnalysisError:
                results[kind] = None
        runs.append(Run(trajectory, "", results, f"@c{1 + k % 6}", DASHES[k // 6 % len(DASHES)], verdict(program, trajectory.path)))
    for run, label in zip(runs, labels or make_labels(runs)):
        run.label = label
    groups = groups_by_method(runs)
    few = all(len(group) <= len(DASHES) for group in groups.values())
    if 1 < len(groups) < len(runs) and few:  # colours tell schemes, dashes steps
        for k, group in enumerate(groups.values()):
            for d, run in enumerate(group):
                run.colour, run.dash = f"@c{1 + k % 6}", DASHES[d % len(DASHES)]
    return runs


def make_labels(runs: Sequence[Run]) -> List[str]:
    """Of each run its title, if that tells them apart; else what it does not share with all others; its file where that
    does not tell."""
    titles = [str(run.trajectory.parameters.get("title") or "") for run in runs]
    if len(set(titles)) == len(runs) > 1 and all(titles):
        return titles
    parts: List[List[str]] = [[] for _ in runs]
    for name, words in (
        ("title", "{}"),
        ("scheme", "{}"),
        ("integrator", "{}"),
        ("flow", "flow {}"),
        ("step", "h = {}"),
        ("cutoff", "cutoff {}"),
        ("electrostatics", "{}"),
    ):
        values = [run.trajectory.parameters.get(name) for run in runs]
        if len({str(value) for value in values}) > 1:
            for part, value in zip(parts, values):
                if value is None and name in ("scheme", "integrator", "flow"):
                    continue  # a run has a scheme and a flow, or an integrator
                part.append(words.format(plain(value) if isinstance(value, float) else value))
    counts = [run.trajectory.n_molecules for run in runs]
    if len(set(counts)) > 1:
        for part, n in zip(parts, counts):
            part.append(f"N = {n}")
    heats = [heat.value for heat in (run.value("temperature", "temperature") for run in runs) if heat is not None]
    if len(heats) == len(runs) and np.ptp(heats) > 0.03 * np.mean(heats):
        for part, heat in zip(parts, heats):
            part.append(f"T = {number(heat, 3)}")
    labels = [", ".join(part) for part in parts]
    return [
        label if label and labels.count(label) == 1 else ", ".join(filter(None, [label, run.trajectory.path]))
        for label, run in zip(labels, runs)
    ]


def groups_by_method(runs: Sequence[Run]) -> Dict[str, List[Run]]:
    """Runs of one scheme and flow, by growing step."""
    groups: Dict[str, List[Run]] = {}
    flows = {str(run.trajectory.parameters.get("flow")) for run in runs}
    for run in runs:
        get = run.trajectory.parameters.get
        name = run.method + (f", {get('flow')}" if len(flows) > 1 and get("flow") else "")
        groups.setdefault(name, []).append(run)
    for group in groups.values():
        group.sort(key=lambda run: float(run.trajectory.parameters.get("step", 0.0)))
    return groups
