# SPDX-License-Identifier: MIT
"""Trajectories as tables of pandas and as labelled arrays of xarray. Both libraries are needed only here."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Tuple

import numpy as np

from .names import UnknownName, no_such

if TYPE_CHECKING:
    import pandas
    import xarray

AXES = ["x", "y", "z"]
FRAME_ARRAYS = {  # dimensions of a molecule's part, and the name by which Trajectory.unit knows it
    "centres": (("axis",), "position"),
    "unwrapped": (("axis",), "position"),
    "quaternions": (("component",), ""),
    "velocities": (("axis",), "velocity"),
    "angular_momenta": (("axis",), "angular_momentum"),
    "forces": (("axis",), "force"),
    "torques": (("axis",), "torque"),
    "dipoles": (("axis",), "dipole"),
}


def _needed(name: str) -> Any:
    """The library, or an error that says how to get it."""
    try:
        return __import__(name)
    except ImportError:
        raise ImportError(f"This needs {name}: pip install {name}, or apt install python3-{name}.") from None


def _chosen(what: str, names: Optional[Iterable[str]], known: Iterable[str]) -> List[str]:
    """The names that the user asks for, or all."""
    known = list(known)
    wanted = known if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            raise UnknownName(no_such(what, name, known))
    return wanted


def _columns(name: str, shape: Tuple[int, ...]) -> List[str]:
    """Names of the numbers of a row, as `polhode export --format csv` has them."""
    if not shape:
        return [name]
    if shape == (3,):
        return [f"{name}_{a}" for a in AXES]
    if shape in ((3, 3), (9,)):
        return [f"{name}_{a}{b}" for a in AXES for b in AXES]
    return [f"{name}_{k}" for k in range(int(np.prod(shape)))]


def series_table(all_series: Mapping[str, Any], names: Optional[Iterable[str]], production: bool) -> pandas.DataFrame:
    """Time series as a table. Trajectory.to_pandas explains it."""
    pandas = _needed("pandas")
    columns: Dict[str, np.ndarray] = {}
    units: Dict[str, str] = {}
    index = None
    for name in _chosen("The file, among its series,", names, all_series):
        one = all_series[name].production if production else all_series[name]
        labels = _columns(name, one.value.shape[1:])
        if index is None:
            index = pandas.MultiIndex.from_arrays([one.step, one.time], names=["step", "time"])
        rows = one.value.reshape(len(one), len(labels))
        columns.update({label: rows[:, k] for k, label in enumerate(labels)})
        units.update({label: one.unit for label in labels})
    table = pandas.DataFrame(columns, index=index)
    table.attrs["units"] = units
    return table


def series_dataset(all_series: Mapping[str, Any], names: Optional[Iterable[str]], production: bool) -> xarray.Dataset:
    """Time series as labelled arrays. Trajectory.to_xarray explains them."""
    xarray = _needed("xarray")
    found: Dict[str, Any] = {}
    coordinates: Dict[str, Any] = {}
    for name in _chosen("The file, among its series,", names, all_series):
        one = all_series[name].production if production else all_series[name]
        value = one.value.reshape(len(one), 3, 3) if one.value.shape[1:] == (9,) else one.value
        inner = {(): (), (3,): ("axis",), (3, 3): ("axis", "axis_of")}.get(value.shape[1:])
        inner = tuple(f"{name}_{k}" for k in range(value.ndim - 1)) if inner is None else inner
        found[name] = (("time", *inner), value, {"units": one.unit})
        coordinates.update(time=one.time, step=("time", one.step))
        coordinates.update({axis: AXES for axis in inner if axis in ("axis", "axis_of")})
    return xarray.Dataset(found, coordinates)


def frames_dataset(run: Any, frames: Any, names: Optional[Iterable[str]]) -> xarray.Dataset:
    """Frames as labelled arrays. Frames.to_xarray explains them."""
    xarray = _needed("xarray")
    if len(frames) == 0:
        raise ValueError(f"{run.path}: no frame is selected.")
    found = {}
    for name in _chosen("Of a frame", names, FRAME_ARRAYS):
        inner, unit = FRAME_ARRAYS[name]
        rows = [getattr(frame, name) for frame in frames]
        if any(row is None for row in rows):
            if names is not None:
                raise ValueError(f"{run.path}: not every selected frame has {name}.")
            continue
        found[name] = (("time", "molecule", *inner), np.stack(rows), {"units": run.unit(unit) if unit else ""})
    boxes = [frame.box for frame in frames]
    if all(box is not None for box in boxes):
        found["box"] = (("time", "edge", "axis"), np.stack(boxes), {"units": run.unit("box")})
    species = np.concatenate([np.full(one.count, one.name) for one in run.species])
    return xarray.Dataset(
        found,
        {"time": frames.time, "step": ("time", frames.step), "species": ("molecule", species), "axis": AXES}
        | ({"component": ["w", "x", "y", "z"]} if "quaternions" in found else {}),
        {"title": run.title, "creator": run.creator},
    )
