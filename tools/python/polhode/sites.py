# SPDX-License-Identifier: MIT
"""Sites of rigid molecules: places of all sites from centres and orientations, and the way back; forces on sites to
forces and torques on molecules, and the way back. For bridges to programs that know atoms only."""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from .molecules import rotation_matrices


def quaternions_of(matrices: np.ndarray) -> np.ndarray:
    """Unit quaternions [..., 4], scalar first, of rotation matrices [..., 3, 3]"""
    m = np.asarray(matrices, dtype=float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # The symmetric matrix whose eigenvector of the largest eigenvalue is the quaternion: well defined for all rotations
    k = np.empty((*m.shape[:-2], 4, 4))
    k[..., 0, 0] = xx + yy + zz
    k[..., 1, 1], k[..., 2, 2], k[..., 3, 3] = xx - yy - zz, yy - xx - zz, zz - xx - yy
    k[..., 0, 1] = k[..., 1, 0] = m[..., 2, 1] - m[..., 1, 2]
    k[..., 0, 2] = k[..., 2, 0] = m[..., 0, 2] - m[..., 2, 0]
    k[..., 0, 3] = k[..., 3, 0] = m[..., 1, 0] - m[..., 0, 1]
    k[..., 1, 2] = k[..., 2, 1] = m[..., 0, 1] + m[..., 1, 0]
    k[..., 1, 3] = k[..., 3, 1] = m[..., 0, 2] + m[..., 2, 0]
    k[..., 2, 3] = k[..., 3, 2] = m[..., 1, 2] + m[..., 2, 1]
    return np.linalg.eigh(k)[1][..., -1]


class Sites:
    """The sites of all molecules of a simulation, molecule after molecule: `molecule`, `name`, `mass`, `charge`, and
    `body`, their places in the frame of the body."""

    def __init__(self, simulation: Any):
        self.simulation = simulation
        molecule: List[int] = []
        facts: List[Tuple] = []
        for species in simulation.species:
            own = [(site.name, site.mass, site.charge, site.position) for site in species.sites]
            for i in range(species.first, species.first + species.count):
                molecule += [i] * len(own)
                facts += own
        self.molecule = np.array(molecule, dtype=int)
        self.name = [one[0] for one in facts]
        self.mass, self.charge = (np.array([one[k] for one in facts]) for k in (1, 2))
        self.body = np.array([one[3] for one in facts]).reshape(-1, 3)
        self.n_molecules = simulation.n_molecules
        self.first = np.searchsorted(self.molecule, np.arange(self.n_molecules))

    def __len__(self) -> int:
        return len(self.molecule)

    def arms(self, orientations: np.ndarray) -> np.ndarray:
        """From centres to sites, in space"""
        return np.einsum("aij,aj->ai", rotation_matrices(orientations)[self.molecule], self.body)

    def places(self, centres: np.ndarray, orientations: np.ndarray) -> np.ndarray:
        """Places of all sites [site, 3], molecule by molecule"""
        return np.asarray(centres)[self.molecule] + self.arms(orientations)

    def _sum(self, rows: np.ndarray) -> np.ndarray:
        total = np.zeros((self.n_molecules, *rows.shape[1:]))
        np.add.at(total, self.molecule, rows)
        return total

    def to_molecules(self, forces: np.ndarray, orientations: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Forces and torques on molecules, about their centres, from forces on sites"""
        return self._sum(forces), self._sum(np.cross(self.arms(orientations), forces))

    def to_sites(self, forces: np.ndarray, torques: np.ndarray, orientations: np.ndarray) -> np.ndarray:
        """Forces on sites that add up to these: mass times acceleration of a rigid motion from rest. Many others do so,
        too; rigid molecules do not feel the difference."""
        arms, total = self.arms(orientations), self._sum(self.mass[:, None])
        centre = self._sum(self.mass[:, None] * arms) / total
        arms = arms - centre[self.molecule]
        about = torques - np.cross(centre, forces)
        squares = np.einsum("ai,ai->a", arms, arms)[:, None, None] * np.eye(3) - arms[:, :, None] * arms[:, None, :]
        inertia = self._sum(self.mass[:, None, None] * squares)
        turning = np.einsum("ijk,ik->ij", np.linalg.pinv(inertia, rcond=1e-10, hermitian=True), about)
        pulls = self.mass[:, None] * ((forces / total)[self.molecule] + np.cross(turning[self.molecule], arms))
        left = np.abs(self.to_molecules(pulls, orientations)[1] - torques).max(initial=0.0)
        if left > 1e-8 * max(1.0, np.abs(torques).max(initial=0.0)):
            raise ValueError("These torques cannot be forces on sites with mass, as of point dipoles on single sites.")
        return pulls

    def fit(self, places: np.ndarray, tolerance: float = 1e-4) -> Tuple[np.ndarray, np.ndarray]:
        """Centres and orientations of the rigid molecules whose sites are at these places. Each molecule must be whole.
        The largest distance from a rigid molecule that is accepted: `tolerance` times the extent of all molecules."""
        places = np.asarray(places, dtype=float).reshape(-1, 3)
        if len(places) != len(self):
            raise ValueError(f"{len(places)} places, but the molecules have {len(self)} sites.")
        count = self._sum(np.ones((len(self), 1)))
        mean, body = self._sum(places) / count, self._sum(self.body) / count
        spread, own = places - mean[self.molecule], self.body - body[self.molecule]
        u, _, vt = np.linalg.svd(self._sum(spread[:, :, None] * own[:, None, :]))
        u[:, :, 2] *= np.linalg.det(u @ vt)[:, None]
        turned = u @ vt
        centres = mean - np.einsum("ijk,ik->ij", turned, body)
        orientations = quaternions_of(turned)
        off = np.linalg.norm(self.places(centres, orientations) - places, axis=1).max(initial=0.0)
        extent = max(np.linalg.norm(self.body, axis=1).max(initial=0.0), 1e-300)
        if off > tolerance * extent and off > 0.0:
            raise ValueError(f"These are not places of the rigid molecules: a site is off by {off:.3g}. Are molecules whole, "
                             "and their sites in the order of the model?")
        return centres, orientations
