# SPDX-License-Identifier: MIT
"""Trajectories, their frames and what a file says of its run."""
from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import h5py
import numpy as np

from .elements import Element, find_element, whole_rows
from .frames import Frames
from .layout import TrajectoryError, find_particles, is_written, open_file, read_bodies, read_clocks, read_particles
from .molecules import Species, fit_dipoles
from .names import ByName, Listed, UnknownName, no_such
from .seal import UNSEALED, is_sealed
from .series import Series, Stage, text_of
from .tables import series_dataset, series_table

if TYPE_CHECKING:
    import pandas
    import xarray


@dataclass(frozen=True)
class Progress:
    """Of a run, from its last checkpoint."""

    step: int  # done
    end: int  # to be done in all
    steps: int = 0  # of the process that wrote it, with
    seconds: float = 0.0  # of wall time,
    evaluations: int = 0  # of the forces, and
    threads: int = 0

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.step >= self.end


class Trajectory(Listed, Mapping):
    """An open H5MD file. Made by `polhode.open`; as a mapping it has the parameters of the run: `run["scheme"]`."""

    def __init__(self, path: Union[str, os.PathLike]):
        self.path = os.fspath(path)
        written = os.path.isfile(self.path) and is_written(self.path)  # not of pipes, which would wait
        self.file = open_file(self.path)
        try:
            ours = self.creator.startswith("polhode ") or "parameters/identity" in self.file  # one may be damaged
            self.unsealed = ours and not written and not is_sealed(self.path)  # damage outside frames is not noticed
            self._clocks = read_clocks(self.file, self.path)
            self._particles = find_particles(self.file)
            self._particles_position = self._find(self._particles, "position") if self._particles else None
            bodies = self.file.get("rigid_bodies")
            self._bodies: Optional[h5py.Group] = bodies if isinstance(bodies, h5py.Group) and len(bodies) else None
            box = self._particles.get("box") if self._particles else None
            self._edges = self._find(box, "edges") if isinstance(box, h5py.Group) else None
        except (OSError, RuntimeError, KeyError) as error:
            raise TrajectoryError(f"{self.path}: cannot be read, the file is damaged: {error}.") from error
        self._elements: Dict[tuple, Optional[Element]] = {}

    def close(self) -> None:
        """Closes the file. Arrays that were read stay."""
        self.file.close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<trajectory {self.path}: {self.n_molecules} molecules, {len(self.frames)} frames>"

    # ---- What was run ----

    @cached_property
    def parameters(self) -> Dict[str, Any]:
        """What the file says of its run: texts, numbers and arrays by name."""
        group, found = self.file.get("parameters"), {}
        for name, item in group.items() if isinstance(group, h5py.Group) else ():
            if isinstance(item, h5py.Dataset):
                value = item[()]
                found[name] = (
                    text_of(value)
                    if isinstance(value, bytes)
                    else (value.item() if np.ndim(value) == 0 and isinstance(value, np.generic) else value)
                )
        return found

    def __getitem__(self, name: str) -> Any:
        if name not in self.parameters:
            raise UnknownName(no_such(f"{self.path}, among its parameters,", name, self.parameters))
        return self.parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __bool__(self) -> bool:  # a file without parameters is a trajectory all the same
        return True

    @cached_property
    def models(self) -> Dict[str, str]:
        """Texts of the model files by species."""
        group = self.file.get("parameters/models")
        return {name: text_of(item[()]) for name, item in group.items()} if group else {}

    @property
    def title(self) -> str:
        """As the input names it; "" without one."""
        return str(self.parameters.get("title", ""))

    @property
    def units(self) -> str:
        """ "md" (nm, ps, u, e, kJ/mol, K), "reduced", or "" if the file does not say."""
        return str(self.parameters.get("units", ""))

    def unit(self, name: str) -> str:
        """Of what frames hold: "position", "velocity", "angular_momentum", "force", "torque", "dipole", "box", "time".

        As written in the file, for example "nm ps-1"; "" in reduced units and for what it does not have.
        """
        if name == "time" and self._particles_position and not self._particles_position.fixed:
            return self._particles_position.time_unit
        if name == "box":
            return self._edges.unit if self._edges else ""
        found = [element.unit for element in (self._element(one, name) for one in self.species) if element]
        if not found and name == "dipole" and name in self.series:  # derived from this one
            found = [self.series[name].unit]
        return found[0] if found else ""

    @property
    def creator(self) -> str:
        """Program and version that wrote the file."""
        attributes = self.file["h5md/creator"].attrs if "h5md/creator" in self.file else {}
        return " ".join(text_of(attributes[k]) for k in ("name", "version") if k in attributes)

    @property
    def production_begins(self) -> int:
        """First step of the production; -1 before it has begun, 0 if the file knows of none."""
        return int(self.parameters.get("production_begins_at_step", 0))

    @cached_property
    def stages(self) -> List[Stage]:
        """What has been run so far, in order."""
        ends = [series.last_step for series in self.series.values() if len(series)] + list(self.frames[-1:].step)
        last, begins = int(max(ends, default=0)), self.production_begins
        group = self.file.get("parameters/stages")
        if isinstance(group, h5py.Group):
            firsts = [int(first) for first in group["first_step"][:]]
            n, ends = len(firsts), [*firsts[1:], last]

            def asked(name: str) -> List[Optional[float]]:
                numbers = group[name][:] if name in group else np.full(n, np.nan)
                return [float(x) if np.isfinite(x) else None for x in numbers]

            ensembles = group["ensemble"][:] if "ensemble" in group else [b""] * n
            temperatures, pressures = asked("temperature"), asked("pressure")
            return [
                Stage(
                    text_of(group["name"][k]),
                    firsts[k],
                    min(ends[k], last),
                    text_of(group["about"][k]),
                    float(group["step"][k]),
                    text_of(ensembles[k]),
                    temperatures[k],
                    pressures[k],
                )
                for k in range(n)
                if firsts[k] <= last
            ]
        if begins < 0:
            return [Stage("equilibration", 0, last)]
        before = [Stage("equilibration", 0, begins)] if begins > 0 else []
        return before + [Stage("production", begins, last)]

    def time_at(self, step: int) -> float:
        """Time of a step, which stages may count by steps of different lengths: from the series."""
        series = max(self.series.values(), key=len, default=None)
        if series is None or len(series) < 2:
            return step * float(self.parameters.get("step", 0.0))
        return float(np.interp(step, series.step, series.time))

    @property
    def progress(self) -> Optional[Progress]:
        """From the checkpoint beside the file; None if there is none of this run."""
        if not os.path.isfile(self.path + ".checkpoint"):  # HDF5 would wait for a pipe
            return None
        try:
            with h5py.File(self.path + ".checkpoint", "r", locking=False) as file:
                if text_of(file["identity"][()]) != self.parameters.get("identity"):
                    return None
                counts, speed = file["counts"][:], file["speed"][:] if "speed" in file else (0, 0.0, 0, 0)
                return Progress(
                    int(counts[0]), int(counts[1]), int(speed[0]), float(speed[1]), int(speed[2]), int(speed[3])
                )
        except (OSError, KeyError, IndexError, RuntimeError):
            return None

    @property
    def is_written(self) -> Optional[bool]:
        """Whether a run is writing to the file; None if unknown."""
        return is_written(self.path)

    # ---- Series ----

    def _ledger(self, group: str) -> Dict[str, Series]:
        """The time series of a group of the file."""
        found, begins, where = self.file.get(group), self.production_begins, f"{self.path}, among its {group},"
        if not isinstance(found, h5py.Group):
            return ByName(where)
        begins = np.iinfo(np.int64).max if begins < 0 else begins  # nothing of the production is there yet
        return ByName(
            where,
            {
                name: Series(name, item, begins, slice(0, whole_rows(item, self._clocks)))
                for name, item in found.items()
                if isinstance(item, h5py.Group) and "value" in item and "step" in item
            },
        )

    @cached_property
    def series(self) -> Dict[str, Series]:
        """Energies, temperatures, pressure and so on by name."""
        return self._ledger("series")

    @cached_property
    def fluxes(self) -> Dict[str, Series]:
        """Fluxes of momentum and energy by name; empty without output.fluxes_every."""
        return self._ledger("fluxes")

    def to_pandas(self, names: Optional[Iterable[str]] = None, production: bool = False) -> pandas.DataFrame:
        """All or the named series as a pandas.DataFrame, with step and time as index.

        Columns are named as in `polhode export --format csv`: vectors are name_x, name_y, name_z. `attrs["units"]` has
        their units. With `production` rows of the equilibration are left out."""
        return series_table(self.series, names, production)

    def to_xarray(self, names: Optional[Iterable[str]] = None, production: bool = False) -> xarray.Dataset:
        """All or the named series as an xarray.Dataset along time; vectors have the dimension axis, tensors also
        axis_of. Units are attributes. `frames.to_xarray()` does the same for molecules."""
        return series_dataset(self.series, names, production)

    # ---- Molecules ----

    @cached_property
    def species(self) -> List[Species]:
        """Kinds of molecules, in the order of the molecules in every frame."""
        if self._bodies is not None:
            return read_bodies(self._bodies)
        return read_particles(self.file, self._particles, self._clocks) if self._particles_position else []

    @property
    def n_molecules(self) -> int:
        """Of all species."""
        return sum(species.count for species in self.species)

    @cached_property
    def body_dipoles(self) -> Optional[np.ndarray]:
        """Dipoles in the body frame [species, 3]; None if the file does not tell.

        A file has the total dipole as a series. Dipoles of molecules follow from it and the orientations.
        """
        turning = [s for s, one in enumerate(self.species) if self._element(one, "orientation")]
        series = self.series.get("dipole")
        charges = np.array([species.charge_dipole for species in self.species])
        if series is None or not turning:
            return charges if np.any(charges) else None
        rows = {int(step): row for row, step in enumerate(series.step)}
        both = [k for k, step in enumerate(self.frames.step) if int(step) in rows]
        frames = [self.frames[k] for k in both[:: max(1, len(both) // 8)]]
        known = [(rows[frame.step], np.nan_to_num(frame.attitudes)) for frame in frames if frame.attitudes is not None]
        if not known:
            return charges if np.any(charges) else None
        sums = np.array([[q[self.species[s].molecules].sum(axis=0) for s in turning] for _, q in known])
        totals = series.value[[row for row, _ in known]]
        if np.allclose(np.einsum("fsij,sj->fi", sums, charges[turning]), totals, rtol=1e-9, atol=1e-9):
            return charges
        fitted = fit_dipoles(sums, totals)
        if fitted is None:
            return None
        result = np.zeros((len(self.species), 3))
        result[turning] = fitted
        return result

    # ---- Frames ----

    @cached_property
    def _clock(self) -> Element:
        if self._particles_position is None:
            raise TrajectoryError(f"{self.path}: has no positions of particles.")
        return self._particles_position

    @property
    def frames(self) -> Frames:
        """All frames; empty if the file has no positions."""
        position = self._particles_position
        return Frames(self, range(0 if position is None or position.fixed else len(position.steps)))

    @property
    def box(self) -> Optional[np.ndarray]:
        """Of the last frame."""
        return self.frames[-1].box if len(self.frames) else None

    def _find(self, group: h5py.Group, name: str) -> Optional[Element]:
        return find_element(group, name, self._clocks)

    def _element(self, species: Species, name: str) -> Optional[Element]:
        key = (species.group, name)
        if key not in self._elements:
            group = self._particles if self._bodies is None else self._bodies[species.group]
            name = "center" if self._bodies is not None and name == "position" else name
            self._elements[key] = self._find(group, name) if group is not None else None
        return self._elements[key]


def open(path: Union[str, os.PathLike]) -> Trajectory:
    """Opens a trajectory for reading; also one that is still being written. Warns if it is unsealed."""
    run = Trajectory(path)
    if run.unsealed:
        warnings.warn(f"{run.path} {UNSEALED}", stacklevel=2)
    return run
