#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ices from the command line: energies of published models, densities, and what is refused: test_ice.py PROGRAM"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import h5md_made as made
from h5md_made import check

INPUT = os.path.join(made.ROOT, "inputs/ice-ih.yaml")


def energy(program, *sets, status=0):
    said = made.run(program, "energy", INPUT, *([] if status else ["--json"]), *[w for s in sets for w in ("--set", s)],
                    status=status)
    return said if status else json.loads(said)


def lattice_energies_are_those_of_the_models(program, folder):
    """At 0 K, relaxed: Aragones, Noya, Abascal, Vega, J. Chem. Phys. 127 (2007) 154518, -16.465 and -15.059 kcal/mol. The
    crystals here are not relaxed: a little above. Hydrogens against the rules cost tens of kJ/mol."""
    for model, published in (("tip4p-ice", -16.465 * 4.184), ("tip4p-2005", -15.059 * 4.184)):
        lattice = energy(program, f"system.molecules[0].model={model}")["energy"]["potential_per_molecule"]
        check(0.0 < lattice - published < 0.01 * -published, model, lattice, published)
    values = {form: energy(program, f"system.start.form={form}", f"system.molecules[0].count={n}", "interactions.cutoff=0.85")["energy"]["potential_per_molecule"]
              for form, n in (("Ih", 432), ("II", 432), ("VII", 432))}
    check(values["Ih"] < values["II"] < values["VII"] < -50, values)


def density_is_that_of_the_crystal_or_of_the_input(program, folder):
    for sets, density in (([], 920.2), (["system.box.mass_density=850"], 850.0), (["system.box.density=30"], 30 * 18.0154 * 1.66054)):
        out = made.run(program, "check", INPUT, *[w for s in sets for w in ("--set", s)])
        edges = [float(w) for w in out.split("box: periodic, ")[1].split(", volume")[0].split(" x ")]
        volume = edges[0] * edges[1] * edges[2]
        check(abs(432 * 18.0154 * 1.66054 / volume - density) < 1e-3 * density, sets, edges)
        check(abs(edges[0] / edges[2] - 6 * 0.4518 / (3 * 0.7356)) < 1e-6, "not stretched evenly", edges)


def what_cannot_be_is_refused(program, folder):
    for sets, words in ((["system.molecules[0].count=430"], ("molecules[0].count", "384 or 432")),
                        (["system.start.cells=[6, 3, 2]"], ("system.start.cells", "hold 288", "is 432")),
                        (["system.molecules[0].model=acetonitrile"], ("molecules[0].model", "no water")),
                        (["system.box.length=3"], ("system.box.length", "kind: ice")),
                        (["system.start.attitudes=aligned"], ("system.start.attitudes", "kind: ice")),
                        (["system.box.kind=open"], ("system.start.form", "periodic")),
                        (["system.start.form=IV"], ("system.start.form", "Ih, Ic, II"))):
        said = energy(program, *sets, status=2)
        check(all(word in said for word in words), sets, said)
    long = energy(program, "system.start.cells=[2, 3, 9]", "interactions.cutoff=0.4")
    check(long["molecules"] == 432, "cells of the user")


if __name__ == "__main__":
    made.main([what_cannot_be_is_refused, density_is_that_of_the_crystal_or_of_the_input], [lattice_energies_are_those_of_the_models])
