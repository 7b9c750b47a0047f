#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The dielectric constant of a Stockmayer fluid is the same whatever surrounds the cutoff sphere, or the sphere of all
copies of the box in an Ewald sum on a mesh, though the dipole fluctuates differently (physics.mesh compares it with a direct
sum); and the same if two charges are the dipole, which see no boundary when they are truncated one by one. A reaction field
that ends smoothly, as beside a switch, is one of a conductor: one of another continuum is cut.

Dipoles are weak and turn fast, the system is small and a bath holds its temperature: each second of computing has many
independent values of the total dipole. Each result is compared with that of a run of 100000 steps, which
`test_analysis_dielectric_slow.py PROGRAM 100000` makes. usage: test_analysis_dielectric_slow.py PROGRAM [STEPS]"""
import os
import sys

import h5md_made as made
from h5md_made import analyze, check, value

INPUT = """
title: weak dipoles
units: reduced
system:
  box: {kind: periodic, density: 0.8}
  molecules: [{model: ./weak.yaml, count: 108}]
  start: {kind: fcc, temperature: 1.35, seed: 1}
interactions:
  cutoff: 2.5
  END
  electrostatics: {method: METHOD, permittivity: BOUNDARY}
dynamics:
  scheme: verlet
  step: 0.01
  steps: STEPS
  thermostat: {kind: langevin, temperature: 1.35, friction: 1}
  equilibrate: {steps: 2000, temperature: 1.35}
output: {frames_every: 20000, series_every: 5}
"""

MODEL = """
name: weak
description: Lennard-Jones and a dipole of 0.7^(1/2)
source: none
units: reduced
mass: 1
inertia: [0.03, 0.03, 0.03]
sites:
"""
DIPOLE = MODEL + "  - {name: A, dipole: [0, 0, 0.8366600265340756], lennard-jones: {epsilon: 1, sigma: 1}}\n"
CHARGES = MODEL + """
  - {name: A, lennard-jones: {epsilon: 1, sigma: 1}}
  - {name: P, position: [0, 0, 0.1], charge: 4.183300132670378}
  - {name: M, position: [0, 0, -0.1], charge: -4.183300132670378}
"""
SMOOTH, CUT = "switch: {width: 0.3, smoothness: 2}", "truncation: shifted"
FIELD, MESH = "reaction-field", "mesh, tolerance: 1e-3"

# Steps; epsilon of 100000 steps, whose errors are below 0.07; five standard deviations of the shorter run. The reaction
# fields differ by what the short cutoff does. The formula of a conductor makes 2.7 of 4.0 where it is wrong, that of
# permittivity 1.5 makes 10 of 3.8.
RUNS = {
    "a conductor around the cutoff": (DIPOLE, FIELD, ".inf", SMOOTH, 7000, 3.78, 0.65),
    "a continuum around the cutoff": (DIPOLE, FIELD, "1.5", CUT, 20000, 4.05, 0.80),
    "charges": (CHARGES, FIELD, "1.5", SMOOTH, 8000, 3.67, 0.65),
    "a conductor around copies": (DIPOLE, MESH, ".inf", SMOOTH, 7000, 3.75, 0.72),
    "a continuum around copies": (DIPOLE, MESH, "1.5", SMOOTH, 10000, 3.80, 0.90),
}


def look(program, folder, name):
    model, method, boundary, end, steps, *_ = RUNS[name]
    text = INPUT.replace("METHOD", method).replace("END", end).replace("BOUNDARY", boundary)
    with open(os.path.join(folder, "weak.yaml"), "w") as weak, open(os.path.join(folder, "in.yaml"), "w") as file:
        weak.write(model)
        file.write(text.replace("STEPS", sys.argv[2] if len(sys.argv) > 2 else str(steps)))
    out = os.path.join(folder, "out.h5md")
    made.run(program, "run", os.path.join(folder, "in.yaml"), "-q", "-o", out, "--overwrite", threads=1)
    found = analyze(program, "dielectric", out)
    epsilon, kirkwood = value(found, "epsilon"), value(found, "kirkwood_factor")
    print("%-30s epsilon %.3f +- %.3f, kirkwood %.3f +- %.3f" % (name, *epsilon, *kirkwood))
    return epsilon, kirkwood[0]


def epsilon_does_not_depend_on_the_boundary(program, folder):
    runs = {name: look(program, folder, name) for name in RUNS}
    for name, ((epsilon, error), _) in runs.items():
        known, tolerance = RUNS[name][-2:]
        check(abs(epsilon - known) < tolerance, name, "epsilon", epsilon, "but", known)
        check(0.05 * tolerance < error < 0.5 * tolerance, name, "error of epsilon", error)
    # A conductor makes the dipole fluctuate by 1.6, the continuum by 1.0 of what independent dipoles do.
    for more, less in (("a conductor around the cutoff", "a continuum around the cutoff"),
                       ("charges", "a continuum around the cutoff"),
                       ("a conductor around copies", "a continuum around copies")):
        check(runs[more][1] - runs[less][1] > 0.3, "the boundary does not matter:", more, less, runs)


made.main([epsilon_does_not_depend_on_the_boundary])
