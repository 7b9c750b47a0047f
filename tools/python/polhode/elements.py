# SPDX-License-Identifier: MIT
"""Elements of H5MD: values with steps and times, in the forms that the specification allows."""
from __future__ import annotations

from functools import cached_property
from typing import Optional

import h5py
import numpy as np

from .series import text_of


class Element:
    """A group {value, step, time}, or a data set without time: the same in all frames."""

    def __init__(self, item: h5py.HLObject):
        self.fixed = isinstance(item, h5py.Dataset)
        self._item = item
        self.data: h5py.Dataset = item if self.fixed else item["value"]

    @property
    def unit(self) -> str:
        return text_of(self.data.attrs.get("unit", ""))

    @property
    def time_unit(self) -> str:
        clock = None if self.fixed else self._item.get("time")
        return "" if clock is None else text_of(clock.attrs.get("unit", ""))

    def _clock(self, name: str) -> Optional[np.ndarray]:
        if self.fixed or name not in self._item:
            return None
        clock = self._item[name]
        if clock.shape == ():  # linear: an increment, and perhaps an offset
            start = clock.attrs.get("offset", 0)
            return start + clock[()] * np.arange(self.data.shape[0])
        return clock[:]

    @cached_property
    def steps(self) -> np.ndarray:
        """As many as there are whole rows."""
        steps = self._clock("step")
        return np.arange(self.data.shape[0]) if steps is None else steps[: self.data.shape[0]]

    @cached_property
    def times(self) -> np.ndarray:
        times = self._clock("time")
        return self.steps.astype(float) if times is None else times[: len(self.steps)]

    def at(self, step: int) -> Optional[np.ndarray]:
        """The value of that step, numbers as doubles; None if there is none."""
        if self.fixed:
            return as_double(self.data[()])
        row = int(np.searchsorted(self.steps, step))
        if row == len(self.steps) or self.steps[row] != step:
            return None
        return as_double(self.data[row])


def as_double(values: np.ndarray) -> np.ndarray:
    """Numbers of single precision become doubles, so that sums over them do not lose digits."""
    return values.astype(float) if np.asarray(values).dtype.kind == "f" else values


def find_element(group: h5py.Group, name: str) -> Optional[Element]:
    """None if the group has none that can be read."""
    item = group.get(name)
    if isinstance(item, h5py.Dataset) or (isinstance(item, h5py.Group) and isinstance(item.get("value"), h5py.Dataset)):
        return Element(item)
    return None
