# SPDX-License-Identifier: MIT
"""Time series, and the stages of a run."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional

import h5py
import numpy as np

from .names import Listed


@dataclass(frozen=True)
class Stage(Listed):
    """A part of a run: steps from `first` to `last`, both included."""

    name: str  # as the file calls it; "equilibration" or "production" if it names no stages
    first: int
    last: int
    about: str = ""  # ensemble and method in words
    step: Optional[float] = None  # its length; None if the file names no stages
    ensemble: str = ""  # NVE, NVT, NPT or NPH; "" if the file does not say
    temperature: Optional[float] = None  # asked for; None without
    pressure: Optional[float] = None


class Series(Listed):
    """One quantity against time. What `Trajectory.series` holds; arrays are read when they are first used.

    A series has the rows that all series have: of a row that is just being written, some parts may be there already.
    """

    def __init__(self, name: str, group: h5py.Group, begins: int, rows: slice):
        self.name, self._group, self._begins, self._rows = name, group, begins, rows

    def __len__(self) -> int:
        return self._rows.stop - self._rows.start

    def __repr__(self) -> str:
        return f"<series {self.name}: {len(self)} rows of shape {self._group['value'].shape[1:]}>"

    @property
    def unit(self) -> str:
        """As written in the file, for example "kJ mol-1"; "" in reduced units."""
        return text_of(self._group["value"].attrs.get("unit", ""))

    @cached_property
    def step(self) -> np.ndarray:
        """Steps of the rows."""
        return self._group["step"][self._rows]

    @property
    def last_step(self) -> int:
        """Of the last row, without reading the others."""
        return int(self._group["step"][self._rows.stop - 1])

    @cached_property
    def time(self) -> np.ndarray:
        """Times of the rows."""
        if "time" not in self._group:  # H5MD does not ask for times
            return self.step.astype(float)
        return self._group["time"][self._rows]

    @cached_property
    def value(self) -> np.ndarray:
        """The rows [row, ...]."""
        return self._group["value"][self._rows]

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return np.asarray(self.value, dtype=dtype)

    def mean(self) -> np.ndarray:
        """Of all rows."""
        return self.value.mean(axis=0)

    def since(self, step: int) -> Series:
        """The rows from `step` on."""
        first = self._rows.start + int(np.searchsorted(self.step, step))
        return Series(self.name, self._group, self._begins, slice(first, self._rows.stop))

    @property
    def production(self) -> Series:
        """The rows of the production; all of them, where a file does not say when it began."""
        return self.since(self._begins)


def text_of(value: object) -> str:
    """A text of HDF5, whichever of the types it was given."""
    if isinstance(value, np.ndarray):
        value = value.flat[0] if value.size else ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
