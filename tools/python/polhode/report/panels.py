# SPDX-License-Identifier: MIT
"""Sections of panels, each a figure with a caption, and what their figures share."""
from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Dict, List

import numpy as np

from ..series import Stage
from ..trajectory import Trajectory
from . import figures as draw
from .words import unit


@dataclass
class Panel:
    """A figure and its caption (HTML)."""

    title: str
    figure: Dict
    caption: str
    wide: bool = False


@dataclass
class Section:
    name: str
    title: str
    panels: List[Panel] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)


def axis(name: str, unit_text: str) -> str:
    return f"{name} ({unit(unit_text, '')})" if unit_text else name


def time_axis(run: Trajectory) -> str:
    return axis("time", "ps" if run.units == "md" else "")


def equilibration(run: Trajectory) -> List[Dict]:
    """Shades the time before the production, and marks where stages begin that have names of their own."""
    last = max(stage.last for stage in run.stages)
    end = last if run.production_begins < 0 else min(run.production_begins, last)
    shade = [draw.stage_shade(run.time_at(0), run.time_at(end))] if end > 0 else []
    return shade + [draw.upright(run.time_at(stage.first)) for stage in named_stages(run)[1:]]


def named_stages(run: Trajectory) -> List[Stage]:
    """Those of a run that has others than an equilibration and a production."""
    stages = run.stages
    return stages if {stage.name for stage in stages} - {"equilibration", "production"} else []


def stage_names(run: Trajectory) -> List[Dict]:
    """At the top of a plot against time."""
    return [draw.label(run.time_at(stage.first), escape(stage.name)) for stage in named_stages(run)]


def shaded(run: Trajectory) -> str:
    if named_stages(run):
        return " Dotted lines are where stages begin; the time before the production is shaded."
    return " The shaded time is the equilibration with a thermostat." if equilibration(run) else ""


def smooth(values: np.ndarray, window: int) -> np.ndarray:
    """Moving means; the ends are means of what there is."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    k = np.arange(len(values))
    low, high = np.maximum(0, k - window // 2), np.minimum(len(values), k + window // 2 + 1)
    return (total[high] - total[low]) / (high - low)


def robust_range(values: np.ndarray) -> List[float]:
    """Of an axis: without the few values that would flatten the rest."""
    tail = np.sort(values[np.isfinite(values)])
    low, high = tail[int(0.02 * len(tail))], tail[int(0.98 * (len(tail) - 1))]
    margin = 0.25 * (high - low) or 1.0
    return [float(low - margin), float(high + margin)]
