#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The dielectric constant of a Stockmayer fluid is the same whatever surrounds the cutoff sphere, though the dipole
fluctuates differently: test_analysis_dielectric_slow.py PROGRAM"""
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
  switch: {width: 0.3, smoothness: 2}
  electrostatics: {method: reaction-field}
dynamics: {scheme: verlet, step: 0.006, steps: 40000, equilibrate: {steps: 2000, temperature: 1.35}}
output: {frames_every: 4000, series_every: 5}
"""


def epsilon_does_not_depend_on_the_boundary(program, folder):
    with open(os.path.join(made.ROOT, "potentials/stockmayer.yaml")) as model, \
            open(os.path.join(folder, "weak.yaml"), "w") as weak:
        weak.write(model.read().replace("1.7320508075688772", "1").replace("name: stockmayer", "name: weak"))
    with open(os.path.join(folder, "in.yaml"), "w") as file:
        file.write(INPUT)
    epsilon, fluctuation = [], []
    for boundary in (".inf", "4"):
        name = os.path.join(folder, f"{boundary}.h5md")
        made.run(program, "run", os.path.join(folder, "in.yaml"), "-q", "-o", name, "--set",
                 f"interactions.electrostatics.permittivity={boundary}")
        out = analyze(program, "dielectric", name)
        epsilon.append(value(out, "epsilon"))
        fluctuation.append(value(out, "kirkwood_factor"))
        print(boundary, epsilon[-1], fluctuation[-1], "temperature", out["parameters"]["temperature"])
    (a, da), (b, db) = epsilon
    check(abs(a - b) < 3 * numpy.hypot(da, db), "epsilon", epsilon)
    check(numpy.hypot(da, db) < 0.12 * a, "errors", epsilon)
    check(4.0 < a < 6.5, "above that of independent dipoles, 1 + 3y = 3.6", a)
    (a, da), (b, db) = fluctuation
    check(a - b > 2.5 * numpy.hypot(da, db), "the boundary does not matter at all", fluctuation)


made.main([epsilon_does_not_depend_on_the_boundary])
