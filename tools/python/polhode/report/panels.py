# SPDX-License-Identifier: MIT
"""Sections of panels, each a figure with a caption, and what their figures share."""
from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Dict, List, Sequence, Tuple

import numpy as np

from ..series import Stage
from ..trajectory import Trajectory
from . import figures as draw
from .words import count, number, plain, unit


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


# ---- What was asked for, and a spike that would flatten the rest ----


def asked_levels(run: Trajectory, quantity: str) -> List[Tuple[float, float, float]]:
    """Of "temperature" or "pressure": from when to when, and what. Stages may ask for different ones."""
    stages, pieces = run.stages, []
    if any(stage.step for stage in stages):
        found = [(stage, getattr(stage, quantity)) for stage in stages]
    else:  # an equilibration has the temperature of the production
        value = run.parameters.get("asked_" + quantity)
        found = [(stage, value) for stage in stages if quantity == "temperature" or stage.name == "production"]
    for stage, value in found:
        if value is None or not np.isfinite(value) or stage.last <= stage.first:
            continue
        begin, end = run.time_at(stage.first), run.time_at(stage.last)
        if pieces and pieces[-1][1] == begin and pieces[-1][2] == value:
            begin = pieces.pop()[0]
        pieces.append((begin, end, float(value)))
    return pieces


def asked_curve(pieces: List[Tuple[float, float, float]], unit_text: str, factor: float = 1.0) -> List[Dict]:
    """The dashed line, named by its value if there is one only: times a factor, that of another unit."""
    levels = {value for _, _, value in pieces}
    name = "asked for" + (f" {plain(factor * levels.pop())}{unit(unit_text)}" if len(levels) == 1 else "")
    return [draw.steps(pieces, name)] if pieces else []


MOST_MARKS = 40  # from one side of a plot to the other


@dataclass
class Fit:
    """An axis that most of the curves fill, and what is then beyond it."""

    axis: Dict = field(default_factory=dict)
    times: Dict = field(default_factory=dict)  # the other axis: marks must not make it longer
    marks: List[Dict] = field(default_factory=list)
    words: str = ""  # a sentence, if anything is beyond


def fit_axis(
    curves: Sequence[Tuple[np.ndarray, np.ndarray]],
    begins: float,
    levels: Sequence[float] = (),
    units: Tuple[str, str] = ("", ""),
) -> Fit:
    """The range of all but the 2 % lowest and highest rows of the production, which begins at a time, and once its
    width on both sides, as far as there are rows. Levels are always inside. `units`: of values and of times, as they are written behind numbers."""
    reach: List[float] = []
    known = [(x[np.isfinite(y)], y[np.isfinite(y)]) for x, y in curves if np.isfinite(y).any()]
    for x, y in known:
        rows = np.sort(y[x >= begins] if np.count_nonzero(x >= begins) > 2 else y)
        cut = int(np.ceil(0.02 * len(rows))) if len(rows) > 9 else 0
        reach += [rows[cut], rows[-1 - cut]]
    if not reach or max(reach) <= min(reach):
        return Fit()
    width = max(reach) - min(reach)
    every = np.concatenate([y for _, y in known])
    low = min([max(min(reach) - width, every.min()), *levels])
    high = max([min(max(reach) + width, every.max()), *levels])
    pad = 0.04 * (high - low)
    fit = Fit({"range": [float(low - pad), float(high + pad)]})
    times = np.concatenate([x for x, _ in known])
    out = (every < low) | (every > high)
    if not out.any():
        return fit
    out_x, out_y = times[out], every[out]
    order = np.argsort(-np.maximum(low - out_y, out_y - high), kind="stable")  # the farthest first
    place = np.floor(MOST_MARKS * (out_x[order] - times.min()) / (np.ptp(times) or 1.0))
    shown = order[np.unique(place, return_index=True)[1]]
    texts = [number(float(y)) for y in out_y[shown]]
    up = out_y[shown] > high
    fit.marks = [draw.marks(out_x[shown], np.where(up, high + 0.5 * pad, low - 0.5 * pad), texts, up, "@c2")]
    fit.times = {"range": [float(times.min()), float(times.max())]}
    worst = order[0]
    fit.words = (
        f" Triangles mark {count(len(out_x), 'row')} beyond the plot, the farthest with {number(float(out_y[worst]))}"
        f"{units[0]} at {plain(float(out_x[worst]))}{units[1]}; a double click shows all."
    )
    return fit


def production_time(run: Trajectory) -> float:
    """When it begins; never, before it has."""
    return np.inf if run.production_begins < 0 else run.time_at(run.production_begins)
