#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A scan of temperatures in one process: compressibility factor Z = P/(rho kT) of a Lennard-Jones gas, two at a time.

Attraction makes Z < 1 when it is cold, repulsion Z > 1 when it is hot; near the Boyle temperature, 3.4 for this
potential without a cutoff, a thin gas behaves as an ideal one.

usage: temperature_scan.py [STEPS]
"""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

os.environ.setdefault("OMP_NUM_THREADS", "1")  # each simulation has one thread, and there are two
import polhode

INPUT = """
units: reduced
system:
  box: {kind: periodic, density: 0.1}
  molecules: [{model: lennard-jones, count: 256}]
  start: {kind: fcc, temperature: 1, seed: 1}
interactions: {cutoff: 3.5, switch: {width: 0.5}}
dynamics:
  scheme: verlet
  step: 0.006
  steps: 1
  thermostat: {kind: velocity-rescaling, temperature: 1, relaxation_time: 0.5, seed: 3}
"""
DENSITY = 0.1
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 2500


def compressibility(temperature):
    """Z and its error"""
    sets = {"system.start.temperature": temperature, "dynamics.thermostat.temperature": temperature}
    with polhode.Simulation.from_text(INPUT, sets) as sim:
        pressures = []
        sim.advance(STEPS // 4)
        sim.every(10, lambda sim: pressures.append(sim.energies.pressure))
        sim.advance(STEPS)
    blocks = np.array([block.mean() for block in np.array_split(pressures, 10)]) / (DENSITY * temperature)
    return blocks.mean(), blocks.std(ddof=1) / np.sqrt(len(blocks))


temperatures = [1.5, 2.5, 4.0, 6.0]
with ThreadPoolExecutor(2) as pool:
    found = list(pool.map(compressibility, temperatures))
for temperature, (z, error) in zip(temperatures, found):
    print(f"T = {temperature:4.1f}   Z = {z:.4f} +- {error:.4f}")
zero = np.interp(1.0, [z for z, _ in found], temperatures)
print(f"Z = 1 at T = {zero:.2f}")
