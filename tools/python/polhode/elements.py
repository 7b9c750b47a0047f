# SPDX-License-Identifier: MIT
"""Elements of H5MD: values with steps and times, in the forms that the specification allows."""
from __future__ import annotations

from functools import cached_property
from typing import Dict, Optional

import h5py
import numpy as np

from .names import TrajectoryError
from .series import text_of


USUAL = tuple(getattr(h5py.h5t, name) for name in ("IEEE_F32LE", "IEEE_F64LE", "IEEE_F32BE", "IEEE_F64BE", "NATIVE_LDOUBLE"))
INFLATION = 1100  # the most that deflate makes of a byte, and a little more


def sound(data: h5py.Dataset) -> h5py.Dataset:
    """The data set, if its numbers are of a form that processors have, and not more than the file can hold."""
    if not isinstance(data, h5py.Dataset):
        raise TrajectoryError(f"{data.file.filename}: {data.name} is not a data set: the file is damaged.")
    kind = data.id.get_type()
    if isinstance(kind, h5py.h5t.TypeFloatID) and not any(kind.equal(usual) for usual in USUAL):
        raise TrajectoryError(f"{data.file.filename}: the type of the numbers of {data.name} is that of no processor: the file is damaged.")
    if isinstance(kind, h5py.h5t.TypeIntegerID) and (kind.get_offset() != 0 or kind.get_precision() != 8 * kind.get_size()):
        raise TrajectoryError(f"{data.file.filename}: the type of the numbers of {data.name} is that of no processor: the file is damaged.")
    room = data.file.id.get_filesize() * (INFLATION if data.id.get_create_plist().get_nfilters() else 1)
    if data.size is not None and data.size * kind.get_size() > room:
        raise TrajectoryError(f"{data.file.filename}: {data.name} says that it has more numbers than the file can hold: it is damaged.")
    return data


def whole_rows(group: h5py.Group, clocks: Dict[int, int]) -> int:
    """Of an element: those that all elements of the same steps have"""
    parts = [sound(group[part]) for part in ("step", "time", "value") if part in group]
    rows = min((part.shape[0] for part in parts if part.ndim > 0), default=0)
    if "step" in group and group["step"].ndim > 0:
        rows = min(rows, clocks.get(h5py.h5o.get_info(group["step"].id).addr, rows))
    return rows


class Element:
    """A group {value, step, time}, or a data set without time: the same in all frames."""

    def __init__(self, item: h5py.HLObject, clocks: Dict[int, int]):
        self.fixed = isinstance(item, h5py.Dataset)
        self._item = item
        self.data: h5py.Dataset = sound(item if self.fixed else item["value"])
        self.rows = 1 if self.fixed else whole_rows(item, clocks)

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
            return start + clock[()] * np.arange(self.rows)
        return clock[: self.rows]

    @cached_property
    def steps(self) -> np.ndarray:
        """As many as there are whole rows."""
        steps = self._clock("step")
        return np.arange(self.rows) if steps is None else steps

    @cached_property
    def times(self) -> np.ndarray:
        times = self._clock("time")
        return self.steps.astype(float) if times is None else times

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


def find_element(group: h5py.Group, name: str, clocks: Dict[int, int]) -> Optional[Element]:
    """None if the group has none that can be read."""
    item = group.get(name)
    if isinstance(item, h5py.Dataset) or (isinstance(item, h5py.Group) and isinstance(item.get("value"), h5py.Dataset)):
        return Element(item, clocks)
    return None
