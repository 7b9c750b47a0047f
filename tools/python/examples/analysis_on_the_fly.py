#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Own analysis while a simulation runs, without a trajectory: how far an electric field turns the dipoles of a gas.

The mean of cos(angle to the field) of dipoles that do not feel each other is Langevin's function coth x - 1/x with
x = mu E/kT. Here a thin gas of Stockmayer molecules comes close to it.

usage: analysis_on_the_fly.py [STEPS]
"""
import sys

import numpy as np

import polhode

INPUT = """
units: reduced
system:
  box: {kind: periodic, density: 0.002}
  molecules: [{model: stockmayer, count: 256}]
  start: {kind: fcc, temperature: 3, seed: 1}
interactions:
  cutoff: 3
  switch: {width: 0.5}
  electrostatics: {method: reaction-field}
  external: {electric_field: [0, 0, 3.4641]}
dynamics:
  scheme: verlet
  step: 0.01
  steps: 1
  thermostat: {kind: langevin, temperature: 3, friction: 1, seed: 2}
"""
MU, FIELD, KT = 3**0.5, 3.4641, 3.0
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 6000

with polhode.Simulation.from_text(INPUT) as sim:
    found = []

    def look(sim):
        axes = polhode.rotation_matrices(sim.orientations)[:, :, 2]  # of the dipoles, in space
        found.append(axes[:, 2].mean())

    sim.advance(STEPS // 4)  # settles
    sim.every(20, look)
    sim.advance(STEPS)

blocks = [block.mean() for block in np.array_split(found, 10)]  # longer than the memory of the gas
error = np.std(blocks, ddof=1) / np.sqrt(len(blocks))
x = MU * FIELD / KT
print(f"mean cosine {np.mean(found):.4f} +- {error:.4f}, without interactions {1 / np.tanh(x) - 1 / x:.4f}")
