#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A configuration of SPC/E water: reaction fields against an Ewald sum.

One that ends smoothly is as near to the Ewald sum as one that is cut, however wide its edge is. (One that was multiplied by a
switch had forces off by 9, 18, 22 % with a switch of 0.1, 0.2, 0.3 nm, and an energy off by up to 0.26 kJ/mol.)
"""
import json
import os
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import h5md_made as made

PROGRAM = os.path.abspath(sys.argv.pop(1))
INPUT = """units: md
system:
  box: {{kind: periodic, density: 33.37}}
  molecules: [{{model: spc-e, count: 216}}]
  start: {{kind: file, file: {file}}}
interactions: {{cutoff: 0.9, {end}, electrostatics: {{method: {method}}}}}
dynamics: {{step: 0.002, steps: 0}}
"""


def look(end, method):
    """Electric energy per molecule, and all forces and torques"""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "water.yaml")
        with open(name, "w", encoding="utf-8") as file:
            file.write(INPUT.format(file=os.path.join(made.ROOT, "tests/data/water.xyz"), end=end, method=method))
        out = json.loads(made.run(PROGRAM, "energy", name, "--forces", "--json"))
    return ((out["energy"]["electric"] + out["energy"]["waves"]) / 216,
            numpy.array([m["force"] for m in out["molecules_forces"]]),
            numpy.array([m["torque"] for m in out["molecules_forces"]]))


def deviation(found, exact):
    return numpy.sqrt(((found - exact) ** 2).mean() / (exact**2).mean())


class Water(unittest.TestCase):
    def test_smooth_reaction_fields_are_near_sharp_ones_and_an_ewald_sum(self):
        energy_cut, force_cut, torque_cut = look("truncation: cut", "reaction-field")
        for width in (0.1, 0.2, 0.3):
            end = f"switch: {{width: {width}}}"
            energy, force, torque = look(end, "reaction-field")
            energy_all, force_all, torque_all = look(end, "ewald")
            off, off_torque = deviation(force, force_all), deviation(torque, torque_all)
            print("width %g: energy %+.3f from a sharp end, %+.3f from an Ewald sum; forces off by %.3f, torques by %.3f" %
                  (width, energy - energy_cut, energy - energy_all, off, off_torque))
            with self.subTest(width=width):
                self.assertTrue(0.001 < abs(energy - energy_cut) < 0.15, energy - energy_cut)
                self.assertTrue(abs(energy - energy_all) < 0.25, energy - energy_all)
                self.assertTrue(0.02 < off < 0.045, off)
                self.assertTrue(0.02 < off_torque < 0.08, off_torque)
        off, off_torque = deviation(force_cut, force_all), deviation(torque_cut, torque_all)
        print("sharp end: forces off by %.3f, torques by %.3f" % (off, off_torque))
        self.assertTrue(0.02 < off < 0.06 and 0.02 < off_torque < 0.06)


if __name__ == "__main__":
    unittest.main()
