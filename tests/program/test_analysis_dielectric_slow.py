#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The dielectric constant of a Stockmayer fluid is the same whatever surrounds the cutoff sphere, or the sphere of all
copies of the box in an Ewald sum on a mesh, though the dipole fluctuates differently (physics.mesh compares it with a direct
sum); and the same if two charges are the dipole,
which see no boundary when they are truncated one by one. A reaction field that ends smoothly, as beside a switch, is one of
a conductor: one of another continuum is cut. test_analysis_dielectric_slow.py PROGRAM"""
import os

import numpy

import h5md_made as made
from h5md_made import analyze, check, value

INPUT = """
title: weak dipoles
units: reduced
system:
  box: {kind: periodic, density: 0.8}
  molecules: [{model: ./weak.yaml, count: 256}]
  start: {kind: fcc, temperature: 1.35, seed: 1}
interactions:
  cutoff: 3.4
  END
  electrostatics: {method: METHOD}
dynamics: {scheme: verlet, step: 0.009, steps: 20000, equilibrate: {steps: 2000, temperature: 1.35}}
output: {frames_every: 4000, series_every: 5}
"""


CHARGES = """
name: weak
description: Lennard-Jones and two charges
source: none
units: reduced
mass: 1
inertia: [0.1, 0.1, 0.1]
sites:
  - {name: A, lennard-jones: {epsilon: 1, sigma: 1}}
  - {name: P, position: [0, 0, 0.1], charge: 5}
  - {name: M, position: [0, 0, -0.1], charge: -5}
"""


SWITCH = "switch: {width: 0.3, smoothness: 2}"


def look(program, folder, model, method, boundary, steps, end=SWITCH):
    with open(os.path.join(folder, "weak.yaml"), "w") as weak, open(os.path.join(folder, "in.yaml"), "w") as file:
        weak.write(model)
        file.write(INPUT.replace("METHOD", method).replace("END", end))
    name = os.path.join(folder, "out.h5md")
    made.run(program, "run", os.path.join(folder, "in.yaml"), "-q", "-o", name, "--overwrite", "--set",
             f"interactions.electrostatics.permittivity={boundary}", "--set", f"dynamics.steps={steps}")
    out = analyze(program, "dielectric", name)
    found = value(out, "epsilon"), value(out, "kirkwood_factor")
    print(method, boundary, "epsilon %.2f +- %.2f, kirkwood %.3f +- %.3f," % (*found[0], *found[1]), "temperature",
          out["parameters"]["temperature"])
    return found


def epsilon_does_not_depend_on_the_boundary(program, folder):
    with open(os.path.join(made.ROOT, "potentials/stockmayer.yaml")) as model:
        dipole = model.read().replace("1.7320508075688772", "1").replace("name: stockmayer", "name: weak")
    field, mesh = "reaction-field", "mesh, tolerance: 1e-3"
    runs = [look(program, folder, dipole, field, ".inf", 20000),
            look(program, folder, dipole, field, "4", 40000, "truncation: shifted"),
            look(program, folder, CHARGES, field, "1.5", 40000), look(program, folder, dipole, mesh, ".inf", 20000),
            look(program, folder, dipole, mesh, "4", 20000)]
    temperature = 0.2  # what a temperature a few per cent beside makes of it
    for k in (1, 2, 3, 4):
        (a, da), (b, db) = runs[0][0], runs[k][0]
        check(abs(a - b) < 3 * numpy.sqrt(da * da + db * db + temperature**2), "epsilon", k, runs)
        check(db < 0.15 * b and 4.0 < b < 8.0, "above that of independent dipoles, 1 + 3y = 3.6", b, db)
    (a, da), (b, db), (c, dc), (d, dd), (e, de) = (run[1] for run in runs)
    check(a - b > 3 * numpy.hypot(da, db), "the boundary does not matter at all", runs)
    check(c - b > 3 * numpy.hypot(db, dc), "charges feel the reaction field", runs)
    check(d - e > 3 * numpy.hypot(dd, de), "the continuum around the Ewald sum does not matter", runs)


made.main([epsilon_does_not_depend_on_the_boundary])
