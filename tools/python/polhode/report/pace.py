# SPDX-License-Identifier: MIT
"""How far a running simulation is, how fast it goes, and how long it will take: as far as files tell."""
from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Optional, Tuple

from ..trajectory import Progress, Trajectory
from .words import count, duration, number

LEAST_SECONDS = 0.5  # between two times of files: less would be the clock of the file system


@dataclass(frozen=True)
class Pace:
    step: int  # the last that is known to be done,
    end: int  # of so many,
    age: float  # known since so many seconds
    rate: Optional[float] = None  # steps a second; None while nothing tells it
    rough: bool = False  # from rows and times of files, not by the clock of the run

    @property
    def left(self) -> Optional[float]:
        """Seconds, about"""
        return max(0.0, (self.end - self.step) / self.rate - self.age) if self.rate else None


def step_of(run: Trajectory, progress: Progress) -> int:
    """The last that is known to be done: of a row or frame, or of the checkpoint"""
    return max(progress.step, max((stage.last for stage in run.stages), default=0))


def pace_of(run: Trajectory, progress: Progress) -> Pace:
    """The checkpoint has the speed, once there is one that was not written at the start. Until then there may be rows after
    it: the files say when both were written."""
    checkpoint, rows = (os.stat(run.path + ending).st_mtime for ending in (".checkpoint", ""))
    step = step_of(run, progress)
    age = max(0.0, time.time() - (rows if step > progress.step else checkpoint))
    if progress.steps > 0 and progress.seconds > 0:
        return Pace(step, progress.end, age, progress.steps / progress.seconds)
    if step > progress.step and rows - checkpoint > LEAST_SECONDS:
        return Pace(step, progress.end, age, (step - progress.step) / (rows - checkpoint), True)
    return Pace(step, progress.end, age)


def left_words(pace: Pace) -> str:
    if pace.left is None:
        return "time left not known yet"
    for most, seconds, unit in ((90, 1, "s"), (5400, 60, "min"), (172800, 3600, "h")):
        if pace.left < most:
            return f"about {max(1.0, pace.left / seconds):.0f} {unit} left"
    return f"about {pace.left / 86400:.0f} days left"


def progress_tile(pace: Pace) -> Tuple[str, str, str]:
    """Label, value and what is below: while the run goes on"""
    part = min(1.0, pace.step / pace.end) if pace.end else 1.0
    bar = f'<progress max="1" value="{part:.4f}"></progress>'
    when = f", {duration(round(pace.age))} ago" if pace.age >= 1 else ""
    speed = ("some " if pace.rough else "") + f"{number(pace.rate, 3)} steps/s, {left_words(pace)}"
    steps = f"{pace.step:,} of {count(pace.end, 'step')}".replace(",", "\u202f")
    below = f"{bar}{steps}{when}<br>{speed if pace.rate else 'speed and time left not known yet'}"
    return "Progress", f"{100 * part:.{0 if part > 0.1 else 1}f}<small>\u202f%</small>", below
