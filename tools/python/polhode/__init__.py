# SPDX-License-Identifier: MIT
"""Reads trajectories of Polhode, and other H5MD files, as numpy arrays.

    import polhode
    with polhode.open("quickstart.h5md") as run:
        energy = run.series["total_energy"].production      # rows after the equilibration
        print(energy.mean() / run.n_molecules, energy.unit)
        for frame in run.frames[-10:]:
            frame.centres        # [molecule, 3], wrapped into the box; frame.unwrapped is not
            frame.attitudes      # [molecule, 3, 3], rotation matrices: x_space = Q x_body
            frame.dipoles        # [molecule, 3], in the space frame

Nothing is read before it is asked for, so files may be larger than memory. A file can be read while a run writes it;
open it again to see what has come since. Needs numpy and h5py (Debian: python3-numpy, python3-h5py).
"""
from .frames import Frame, Frames
from .layout import TrajectoryError
from .molecules import Site, Species, rotation_matrices
from .series import Series, Stage
from .trajectory import Progress, Trajectory, open

__all__ = [
    "open",
    "Trajectory",
    "TrajectoryError",
    "Frame",
    "Frames",
    "Progress",
    "Series",
    "Stage",
    "Site",
    "Species",
    "rotation_matrices",
]
