# SPDX-License-Identifier: MIT
"""Molecules at one instant, and the sequence of them."""
from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Iterable, List, Optional, Protocol, Union, overload

import h5py
import numpy as np

from .elements import Element
from .layout import TrajectoryError
from .molecules import Species, rotation_matrices
from .names import Listed
from .tables import frames_dataset

if TYPE_CHECKING:
    import xarray


class Source(Protocol):
    """What frames read from: a trajectory."""

    path: str
    _bodies: Optional[h5py.Group]
    _edges: Optional[Element]

    @property
    def species(self) -> List[Species]:
        ...

    @property
    def n_molecules(self) -> int:
        ...

    @property
    def production_begins(self) -> int:
        ...

    @property
    def body_dipoles(self) -> Optional[np.ndarray]:
        ...

    @property
    def _clock(self) -> Element:
        ...

    def _element(self, species: Species, name: str) -> Optional[Element]:
        ...


class Frame(Listed):
    """The molecules at one instant. Arrays [molecule, ...] in the order of `Trajectory.species`, read when used.

    What a file does not have at this step is None.
    """

    def __init__(self, run: Source, index: int):
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
        """Unwrapped centres, by the box of this frame: in one that changes, they jump with it."""
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
    def forces(self) -> Optional[np.ndarray]:
        """On the centres."""
        return self._join("force", 3)

    @cached_property
    def torques(self) -> Optional[np.ndarray]:
        """About the centres, in the space frame."""
        return self._join("torque", 3)

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

    def __init__(self, run: Source, indices: range):
        self._run, self._indices = run, indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, which: int) -> Frame:
        ...

    @overload
    def __getitem__(self, which: slice) -> Frames:
        ...

    def __getitem__(self, which: Union[int, slice]) -> Union[Frame, Frames]:
        if isinstance(which, slice):
            return Frames(self._run, self._indices[which])
        return Frame(self._run, self._indices[which])

    @property
    def step(self) -> np.ndarray:
        """Steps of the frames."""
        return self._run._clock.steps[np.array(self._indices)] if len(self) else np.zeros(0, dtype=int)

    @property
    def time(self) -> np.ndarray:
        """Times of the frames."""
        return self._run._clock.times[np.array(self._indices)] if len(self) else np.zeros(0)

    @property
    def production(self) -> Frames:
        """Those after the equilibration."""
        begins = self._run.production_begins
        first = len(self) if begins < 0 else int(np.searchsorted(self.step, begins))
        return Frames(self._run, self._indices[first:])

    def to_xarray(self, names: Optional[Iterable[str]] = None) -> xarray.Dataset:
        """All or the named arrays of the frames as an xarray.Dataset, with the dimensions time, molecule and axis.

        Names are those of `Frame`: "centres", "unwrapped", "quaternions", "velocities", "angular_momenta", "forces",
        "torques", "dipoles". Without names it takes what every frame has. Units are attributes. It reads all at once."""
        return frames_dataset(self._run, self, names)
