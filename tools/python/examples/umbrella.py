#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Umbrella sampling by a force in Python: the mean force between two Lennard-Jones atoms, window by window.

Each window holds pairs of atoms at a distance by a bias k/2 (r - r0)^2, and the bias balances the mean force: at the
mean distance the free energy A(r) = u(r) - 2 kT ln r (the second term: there is more room at larger distances) has the
slope k (r0 - <r>), up to terms of the order kT/k. Many pairs, far from each other, are sampled at once. As a check, the
mean distance is compared with the integral of r over exp(-(A + bias)/kT), which is exact.

usage: umbrella.py [STEPS OF EACH WINDOW]
"""
import sys

import numpy as np

import polhode

KT, K = 1.0, 300.0
PAIRS, APART = 64, 40.0  # pairs, and how far one is from the next
RULES = f"""
units: reduced
interactions: {{cutoff: 6}}
dynamics:
  scheme: verlet
  step: 0.005
  steps: 1
  thermostat: {{kind: langevin, temperature: {KT}, friction: 1, seed: 7}}
"""
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000


def lennard_jones(r):
    return 4 * (r**-12 - r**-6)


def exact_mean(r0):
    r = np.linspace(0.6, 5.0, 20001)
    weight = r**2 * np.exp(-(lennard_jones(r) + 0.5 * K * (r - r0) ** 2) / KT)
    return np.sum(r * weight) / np.sum(weight)


def pairs_at(r0):
    """Positions of pairs on a grid: rows 2 i and 2 i + 1 are one"""
    side = round(PAIRS ** (1 / 3))
    places = APART * np.stack(np.meshgrid(*3 * [np.arange(side)]), axis=-1).reshape(-1, 3)
    return np.repeat(places, 2, axis=0) + np.tile([[0, 0, 0], [r0, 0, 0]], (len(places), 1))


def window(r0):
    """Mean distance and its error"""
    distances = []

    def bias(positions, orientations):
        d = positions[0::2] - positions[1::2]
        r = np.linalg.norm(d, axis=1, keepdims=True)
        forces = np.empty_like(positions)
        forces[0::2] = -K * (r - r0) * d / r
        forces[1::2] = -forces[0::2]
        return 0.5 * K * np.sum((r - r0) ** 2), forces

    def look(sim):
        d = sim.unwrapped[0::2] - sim.unwrapped[1::2]
        distances.append(np.linalg.norm(d, axis=1))

    with polhode.Simulation.from_arrays(RULES, [("lennard-jones", 2 * PAIRS)], pairs_at(r0)) as sim:
        sim.add_force(bias, keeps_momentum=True)
        sim.advance(STEPS // 3)  # warms up and settles
        sim.every(10, look)
        sim.advance(STEPS)
    each = np.mean(distances, axis=0)  # of each pair: they do not know of each other
    return each.mean(), each.std(ddof=1) / np.sqrt(PAIRS)


print("  r0    mean distance         exact     mean force        slope of A")
for r0 in (1.0, 1.1, 1.2, 1.4, 1.7, 2.1):
    mean, error = window(r0)
    force, force_error = K * (r0 - mean), K * error
    slope = -24 * (2 * mean**-13 - mean**-7) - 2 * KT / mean
    print(f"{r0:5.2f} {mean:9.4f} +- {error:.4f} {exact_mean(r0):9.4f} {force:9.3f} +- {force_error:.3f} {slope:10.3f}")
