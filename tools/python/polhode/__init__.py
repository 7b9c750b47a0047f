# SPDX-License-Identifier: MIT
"""Polhode in Python: simulations in this process, and trajectories, as numpy arrays.

    import polhode
    with polhode.Simulation("quickstart.yaml") as sim:
        sim.advance(100)
        sim.positions            # [molecule, 3], in the simulation's own memory; and orientations, momenta, forces ...
        sim.energies.total

    with polhode.open("quickstart.h5md") as run:
        energy = run.series["total_energy"].production      # rows after the equilibration
        print(energy.mean() / run.n_molecules, energy.unit)
        for frame in run.frames[-10:]:
            frame.centres        # [molecule, 3], wrapped into the box; frame.unwrapped is not
            frame.attitudes      # [molecule, 3, 3], rotation matrices: x_space = Q x_body
            frame.dipoles        # [molecule, 3], in the space frame

Of a file nothing is read before it is asked for, so files may be larger than memory. A file can be read while a run
writes it; open it again to see what has come since. `polhode.results` has what `polhode analyze` finds. Needs numpy and
h5py (Debian: python3-numpy, python3-h5py), simulations also the shared library (docs/python.md).
"""
from . import results
from .frames import Frame, Frames
from .layout import TrajectoryError
from .library import LibraryError
from .molecules import Site, Species, rotation_matrices
from .names import UnknownName, no_such
from .series import Series, Stage
from .simulation import Energies, Simulation, SimulationError
from .trajectory import Progress, Trajectory, open
from .version import VERSION as __version__

__all__ = [
    "Simulation",
    "SimulationError",
    "Energies",
    "LibraryError",
    "results",
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
    "UnknownName",
]


def __getattr__(name: str) -> object:
    if name.startswith("__"):  # asked by Python itself
        raise AttributeError(name)
    raise AttributeError(no_such("polhode", name, __all__))
