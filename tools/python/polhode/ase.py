# SPDX-License-Identifier: MIT
"""Bridges to ASE, the Atomic Simulation Environment, both ways. Units of the simulation must be `md`.

    atoms = polhode.ase.atoms_of(sim)                     # ase.Atoms of all sites
    atoms.calc = polhode.ase.RigidCalculator(sim)         # energies and forces of a simulation for ASE

    sim.add_force(polhode.ase.force_of(calculator, sim))  # any calculator of ASE moves rigid molecules
    sim.advance(1000)

ASE is needed only here (Debian: python3-ase). Lengths of ASE are Angstrom, energies eV.
"""
from __future__ import annotations

import re
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple

import numpy as np

from ase import Atoms
from ase.calculators.calculator import Calculator, all_changes
from ase.data import atomic_numbers

from .sites import Sites

ANGSTROM = 10.0  # in nm
EV = 96.48533212331  # kJ/mol, CODATA 2018


def symbols_of(sites: Sites, symbols: Optional[Mapping[str, str]] = None) -> list:
    """Elements from the names of sites, as O of OW1; `symbols` says others, by name. Sites without mass become X."""
    found = []
    for name, mass in zip(sites.name, sites.mass):
        letters = re.sub("[^A-Za-z].*", "", name)
        guesses = [letters[:2].capitalize(), letters[:1].upper()]
        if letters[1:2].isupper():  # HW is hydrogen of water, no element of two letters
            guesses = guesses[::-1]
        known = [guess for guess in guesses if guess in atomic_numbers and guess != "X"]
        if symbols and name in symbols:
            found.append(symbols[name])
        elif mass == 0:
            found.append("X")
        elif known:
            found.append(known[0])
        else:
            raise ValueError(f"No element is known for the site '{name}': say symbols={{'{name}': 'O'}}, for example.")
    return found


def atoms_of(simulation: Any, symbols: Optional[Mapping[str, str]] = None) -> Atoms:
    """All sites as atoms of ASE, whole molecules one after the other, with the masses of the model"""
    sites, box = Sites(simulation), simulation.box
    places = sites.places(simulation.positions, simulation.orientations) * ANGSTROM
    return Atoms(symbols_of(sites, symbols), positions=places, masses=sites.mass, cell=None if box is None else box * ANGSTROM,
                 pbc=box is not None)


def force_of(calculator: Any, simulation: Any, symbols: Optional[Mapping[str, str]] = None) -> Callable:
    """A force for Simulation.add_force: the energy and forces of a calculator of ASE on all sites"""
    sites, atoms = Sites(simulation), atoms_of(simulation, symbols)
    atoms.calc = calculator

    def force(centres: np.ndarray, orientations: np.ndarray) -> Tuple[float, np.ndarray, np.ndarray]:
        atoms.set_positions(sites.places(centres, orientations) * ANGSTROM)
        energy = atoms.get_potential_energy() * EV
        return (energy, *sites.to_molecules(atoms.get_forces() * EV * ANGSTROM, orientations))

    return force


class RigidCalculator(Calculator):
    """Energies and forces of a simulation. Atoms must be whole rigid molecules in the order of atoms_of, up to `tolerance`
    of their extent. Forces are those of a rigid motion (Sites.to_sites), so ASE must keep the molecules rigid."""

    implemented_properties = ["energy", "forces"]

    def __init__(self, simulation: Any, tolerance: float = 1e-4, **more: Any):
        super().__init__(**more)
        self.simulation, self.sites, self.tolerance = simulation, Sites(simulation), tolerance

    def calculate(
        self, atoms: Optional[Atoms] = None, properties: Sequence[str] = ("energy",), system_changes: Sequence[str] = all_changes
    ) -> None:
        """What ASE calls"""
        super().calculate(atoms, properties, system_changes)
        simulation, box = self.simulation, self.simulation.box
        cell = np.zeros((3, 3)) if box is None else box * ANGSTROM
        if not np.allclose(self.atoms.cell.array, cell, rtol=1e-6, atol=1e-6):
            raise ValueError("The cell of the atoms is not the box of the simulation, which cannot change.")
        centres, orientations = self.sites.fit(self.atoms.positions / ANGSTROM, self.tolerance)
        simulation.positions = centres
        simulation.orientations = orientations
        forces = self.sites.to_sites(np.array(simulation.forces), np.array(simulation.torques), orientations)
        self.results = {"energy": simulation.energies.potential / EV, "forces": forces / EV / ANGSTROM}
