# SPDX-License-Identifier: MIT
"""Sections of panels, each a figure with a caption, and what their figures share."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List

import numpy as np

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
    """Shades the time before the production."""
    begins = run.production_begins
    clocks = [one for one in (*run.series.values(), run.frames) if len(one)]
    if begins == 0 or not clocks:
        return []
    clock = max(clocks, key=len)  # time is not proportional to the step: stages have steps of their own
    steps, times = clock.step, clock.time
    end = times[-1] if begins < 0 else float(np.interp(begins, steps, times))
    return [draw.stage_shade(float(times[0]), float(end))] if end > times[0] else []


def shaded(run: Trajectory) -> str:
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
