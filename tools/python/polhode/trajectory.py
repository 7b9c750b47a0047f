# SPDX-License-Identifier: MIT
"""Trajectories, their frames and what a file says of its run."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Dict, Iterator, List, Optional, Union, overload

import h5py
import numpy as np

from .elements import Element, find_element
from .layout import TrajectoryError, find_particles, open_file, read_bodies, read_particles
from .molecules import Species, fit_dipoles, rotation_matrices
from .series import Series, Stage, text_of


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
        return self.step >= self.end


class Frame:
    """The molecules at one instant. Arrays [molecule, ...] in the order of `Trajectory.species`, read when used.

    What a file does not have at this step is None.
    """

    def __init__(self, run: Trajectory, index: int):
        self._run, self.index = run, index
        self.step = int(run._clock.steps[index])
        self.time = float(run._clock.times[index])

    def _join(self, name: str, width: int) -> Optional[np.ndarray]:
        """Of all species; NaN for those that have none, None if no species has it."""
        parts, found = [], False
        for species in self._run.species:
            element = self._run._element(species, name)
            value = element.at(self.step) if element else None
            if value is not None and self._run._bodies is None:
                value = value[species.molecules]
            found = found or value is not None
            parts.append(np.full((species.count, width), np.nan) if value is None else value)
        return np.concatenate(parts) if found else None

    @cached_property
    def centres(self) -> np.ndarray:
        """Centres of mass, as the file has them: inside the box where it is periodic."""
        found = self._join("position", 3)
        if found is None:
            raise TrajectoryError(f"{self._run.path}: has no positions of step {self.step}.")
        return found

    @cached_property
    def unwrapped(self) -> np.ndarray:
        """Centres that go on through the walls of the box."""
        images = self._join("image", 3)
        if images is None or self.box is None:
            return self.centres
        return self.centres + np.nan_to_num(images) @ self.box

    @cached_property
    def box(self) -> Optional[np.ndarray]:
        """Edge vectors as rows [3, 3]; None in open space."""
        edges = self._run._edges.at(self.step) if self._run._edges else None
        if edges is None:
            return None
        return np.diag(edges) if edges.ndim == 1 else np.asarray(edges)

    @cached_property
    def quaternions(self) -> Optional[np.ndarray]:
        """Scalar first, body to space."""
        return self._join("orientation", 4)

    @cached_property
    def attitudes(self) -> Optional[np.ndarray]:
        """Rotation matrices [molecule, 3, 3]: x_space = Q x_body."""
        return None if self.quaternions is None else rotation_matrices(self.quaternions)

    @cached_property
    def velocities(self) -> Optional[np.ndarray]:
        """Of the centres."""
        return self._join("velocity", 3)

    @cached_property
    def angular_momenta(self) -> Optional[np.ndarray]:
        """In the body frame."""
        return self._join("angular_momentum", 3)

    @cached_property
    def angular_velocities(self) -> Optional[np.ndarray]:
        """In the body frame; 0 about an axis without a moment of inertia."""
        momenta = self.angular_momenta
        moments = [(species.inertia, species.count) for species in self._run.species if species.inertia is not None]
        if momenta is None or len(moments) < len(self._run.species):
            return None
        inertia = np.concatenate([np.tile(inertia, (n, 1)) for inertia, n in moments])
        return np.divide(momenta, inertia, out=np.zeros_like(momenta), where=inertia > 0)

    @cached_property
    def dipoles(self) -> Optional[np.ndarray]:
        """In the space frame; molecules that have none count as 0."""
        written = self._join("dipole", 3)
        if written is not None:
            return np.nan_to_num(written)
        body = self._run.body_dipoles
        if body is None or self.attitudes is None:
            return None
        each = np.concatenate([np.tile(mu, (species.count, 1)) for mu, species in zip(body, self._run.species)])
        return np.einsum("nij,nj->ni", np.nan_to_num(self.attitudes), each)

    @cached_property
    def sites(self) -> np.ndarray:
        """Positions [site, 3] of all particles of the file, molecule by molecule, each molecule in one piece."""
        found = self._run._clock.at(self.step)
        if found is None:
            raise TrajectoryError(f"{self._run.path}: has no positions of step {self.step}.")
        return found

    def __repr__(self) -> str:
        return f"<frame {self.index}: step {self.step}, time {self.time:g}, {self._run.n_molecules} molecules>"


class Frames(Sequence):
    """Frames of a trajectory, as a list: `run.frames[-1]`, `run.frames[::10]`, `len(run.frames)`."""

    def __init__(self, run: Trajectory, indices: range):
        self._run, self._indices = run, indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, which: int) -> Frame: ...

    @overload
    def __getitem__(self, which: slice) -> Frames: ...

    def __getitem__(self, which: Union[int, slice]) -> Union[Frame, Frames]:
        if isinstance(which, slice):
            return Frames(self._run, self._indices[which])
        return Frame(self._run, self._indices[which])

    @property
    def step(self) -> np.ndarray:
        return self._run._clock.steps[np.array(self._indices)] if len(self) else np.zeros(0, dtype=int)

    @property
    def time(self) -> np.ndarray:
        return self._run._clock.times[np.array(self._indices)] if len(self) else np.zeros(0)

    @property
    def production(self) -> Frames:
        """Those after the equilibration."""
        begins = self._run.production_begins
        first = len(self) if begins < 0 else int(np.searchsorted(self.step, begins))
        return Frames(self._run, self._indices[first:])


class Trajectory(Mapping):
    """An open H5MD file. Made by `polhode.open`; as a mapping it has the parameters of the run: `run["scheme"]`."""

    def __init__(self, path: Union[str, os.PathLike]):
        self.path = os.fspath(path)
        self.file = open_file(self.path)
        try:
            self._particles = find_particles(self.file)
            self._particles_position = find_element(self._particles, "position") if self._particles else None
            bodies = self.file.get("rigid_bodies")
            self._bodies: Optional[h5py.Group] = bodies if isinstance(bodies, h5py.Group) and len(bodies) else None
            box = self._particles.get("box") if self._particles else None
            self._edges = find_element(box, "edges") if isinstance(box, h5py.Group) else None
        except (OSError, RuntimeError, KeyError) as error:
            raise TrajectoryError(f"{self.path}: cannot be read, the file is damaged: {error}.") from error
        self._elements: Dict[tuple, Optional[Element]] = {}

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_) -> None:
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
                found[name] = text_of(value) if isinstance(value, bytes) else (
                    value.item() if np.ndim(value) == 0 and isinstance(value, np.generic) else value)
        return found

    def __getitem__(self, name: str) -> Any:
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
        return str(self.parameters.get("title", ""))

    @property
    def units(self) -> str:
        """"md" (nm, ps, u, e, kJ/mol, K), "reduced", or "" if the file does not say."""
        return str(self.parameters.get("units", ""))

    @property
    def creator(self) -> str:
        """Program and version that wrote the file."""
        attributes = self.file["h5md/creator"].attrs if "h5md/creator" in self.file else {}
        return " ".join(text_of(attributes[k]) for k in ("name", "version") if k in attributes)

    @property
    def production_begins(self) -> int:
        """First step of the production; -1 before it has begun, 0 if the file knows of none."""
        return int(self.parameters.get("production_begins_at_step", 0))

    @property
    def stages(self) -> List[Stage]:
        """What has been run so far, in order."""
        ends = [series.last_step for series in self.series.values() if len(series)] + list(self.frames[-1:].step)
        last, begins = int(max(ends, default=0)), self.production_begins
        if begins < 0:
            return [Stage("equilibration", 0, last)]
        before = [Stage("equilibration", 0, begins)] if begins > 0 else []
        return before + [Stage("production", begins, last)]

    @property
    def progress(self) -> Optional[Progress]:
        """From the checkpoint beside the file; None if there is none of this run."""
        try:
            with h5py.File(self.path + ".checkpoint", "r", locking=False) as file:
                if text_of(file["identity"][()]) != self.parameters.get("identity"):
                    return None
                counts, speed = file["counts"][:], file["speed"][:] if "speed" in file else (0, 0.0, 0, 0)
                return Progress(int(counts[0]), int(counts[1]), int(speed[0]), float(speed[1]), int(speed[2]),
                                int(speed[3]))
        except (OSError, KeyError, IndexError, RuntimeError):
            return None

    # ---- Series ----

    @cached_property
    def series(self) -> Dict[str, Series]:
        """Energies, temperatures, pressure and so on by name."""
        group, begins = self.file.get("series"), self.production_begins
        if not isinstance(group, h5py.Group):
            return {}
        begins = np.iinfo(np.int64).max if begins < 0 else begins  # nothing of the production is there yet
        return {name: Series(name, item, begins) for name, item in group.items()
                if isinstance(item, h5py.Group) and "value" in item and "step" in item}

    # ---- Molecules ----

    @cached_property
    def species(self) -> List[Species]:
        """Kinds of molecules, in the order of the molecules in every frame."""
        if self._bodies is not None:
            return read_bodies(self._bodies)
        return read_particles(self.file, self._particles) if self._particles_position else []

    @property
    def n_molecules(self) -> int:
        return sum(species.count for species in self.species)

    @cached_property
    def body_dipoles(self) -> Optional[np.ndarray]:
        """Dipoles in the body frame [species, 3]; None if the file does not tell.

        A file has the total dipole as a series. Dipoles of molecules follow from it and the attitudes.
        """
        turning = [s for s, one in enumerate(self.species) if self._element(one, "orientation")]
        series = self.series.get("dipole")
        charges = np.array([species.charge_dipole for species in self.species])
        if series is None or not turning:
            return charges if np.any(charges) else None
        rows = {int(step): row for row, step in enumerate(series.step)}
        both = [k for k, step in enumerate(self.frames.step) if int(step) in rows]
        frames = [self.frames[k] for k in both[::max(1, len(both) // 8)]]
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

    def _element(self, species: Species, name: str) -> Optional[Element]:
        key = (species.group, name)
        if key not in self._elements:
            group = self._particles if self._bodies is None else self._bodies[species.group]
            name = "center" if self._bodies is not None and name == "position" else name
            self._elements[key] = find_element(group, name) if group is not None else None
        return self._elements[key]


def open(path: Union[str, os.PathLike]) -> Trajectory:
    """Opens a trajectory for reading; also one that is still being written."""
    return Trajectory(path)
