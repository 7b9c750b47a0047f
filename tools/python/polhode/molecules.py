# SPDX-License-Identifier: MIT
"""Rigid molecules: species, their sites, and orientations as matrices."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional

import numpy as np

from .names import Listed


@dataclass(frozen=True)
class Shape(Listed):
    """Axes of an ellipsoid, a sticky dipole or a point quadrupole."""

    axes: np.ndarray  # [3, 3], rows: x, y and z of the site in the body frame
    half_axes: Optional[np.ndarray] = None  # [3], of an ellipsoid, along these axes

    @property
    def long_axis(self) -> np.ndarray:
        """The symmetry axis, in the body frame [3]. Of an ellipsoid with three different half axes: the longest."""
        if self.half_axes is None:
            return self.axes[2]
        middle = np.sort(self.half_axes)[1]
        alike = np.abs(self.half_axes - middle) <= 1e-9 * middle
        return self.axes[int(np.argmin(alike) if alike.sum() == 2 else np.argmax(self.half_axes))]


@dataclass(frozen=True)
class Site(Listed):
    """A site of a molecule, in the body frame (origin: centre of mass, axes: principal axes)."""

    name: str
    position: np.ndarray  # [3]
    mass: float
    charge: float
    shape: Optional[Shape] = None  # of sites with axes of their own


@dataclass(frozen=True)
class Species(Listed):
    """Molecules of one kind. They follow each other: molecules `first` to `first + count - 1` of every frame."""

    name: str
    count: int
    first: int
    mass: float
    inertia: Optional[np.ndarray] = None  # [3], principal moments; None where the file does not say
    sites: List[Site] = field(default_factory=list)  # none for molecules that are one particle
    radius: float = 0.0  # of one site or particle, for drawing; 0 if not known
    group: str = ""  # where its frames are in the file
    first_particle: int = 0
    shape: Optional[Shape] = None  # of one particle, as that of a site

    @property
    def shapes(self) -> List[Shape]:
        """Those of all sites, or of the particle"""
        found = [self.shape, *(site.shape for site in self.sites)]
        return [shape for shape in found if shape is not None]

    @property
    def axis(self) -> Optional[np.ndarray]:
        """Symmetry axis in the body frame [3]: that of its shapes, if they have one, or of a linear or symmetric top; else None."""
        along = [shape.long_axis for shape in self.shapes]
        if along and all(abs(each @ along[0]) > 1 - 1e-9 for each in along):
            return along[0]
        if self.inertia is None or not np.any(self.inertia > 0):
            return None
        middle = np.sort(self.inertia)[1]
        alike = np.abs(self.inertia - middle) <= 1e-9 * middle
        return np.eye(3)[int(np.argmin(alike))] if alike.sum() == 2 else None

    @property
    def molecules(self) -> slice:
        """Of arrays with one row per molecule."""
        return slice(self.first, self.first + self.count)

    @property
    def charge_dipole(self) -> np.ndarray:
        """Dipole of the charges, in the body frame [3]. Point dipoles of sites are not among them."""
        total = np.zeros(3)
        for site in self.sites:
            total += site.charge * site.position
        return total


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """Matrices [..., 3, 3] of unit quaternions [..., 4], scalar first: x_space = Q x_body."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, dtype=float), -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def fit_dipoles(sums: np.ndarray, totals: np.ndarray) -> Optional[np.ndarray]:
    """Body dipoles [species, 3] from total dipoles [frame, 3] and the sums of orientations [frame, species, 3, 3].

    M = sum over species of (sum of Q_i) mu: linear in mu, and exact, if the frames tell all of its components.
    None if they do not, or if M is something else.
    """
    frames, species = sums.shape[:2]
    matrix = np.moveaxis(sums, 1, 2).reshape(frames * 3, species * 3)
    found, _, rank, _ = np.linalg.lstsq(matrix, totals.reshape(-1), rcond=1e-8)
    size = np.abs(matrix) @ np.abs(found) + np.abs(totals.reshape(-1))
    if rank < 3 * species or not np.all(np.abs(matrix @ found - totals.reshape(-1)) <= 1e-8 * (size + size.max())):
        return None
    return np.where(np.abs(found) > 1e-9 * np.abs(found).max(), found, 0.0).reshape(species, 3)
