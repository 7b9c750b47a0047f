#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A thermostat and an integrator that the program does not have run in one process, on three ranks and on a device.

test_new_methods.py NEW_METHODS MPIEXEC

The mistake that this catches: something above src/state that has to know where molecules are."""
import os
import subprocess
import sys
import unittest

import processes

PROGRAM, MPIEXEC = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)


def results(*words):
    """{method: (hash, energy, heat)}"""
    done = processes.run([*words[:-1], PROGRAM, words[-1]], timeout=120)
    if done.returncode:
        raise AssertionError(done.stderr)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[0]: (line[1], float(line[2]), float(line[3])) for line in lines}


class NewMethods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.alone = results("cpu")

    def test_ranks_have_the_same_bits(self):
        self.assertEqual(set(self.alone), {"thermostat", "integrator", "melt"})
        for n in 2, 3:
            self.assertEqual(results(MPIEXEC, "-n", str(n), "ranks"), self.alone)

    def test_a_device_follows_the_same_motion(self):
        """Its forces are sums in another order: rounding has grown by a few orders of magnitude after 40 steps."""
        there = results("emulated")
        for method in "thermostat", "integrator":
            _, energy, heat = self.alone[method]
            self.assertAlmostEqual(there[method][1] / energy, 1.0, delta=1e-9, msg=method)
            self.assertAlmostEqual(there[method][2], heat, delta=1e-9 * abs(energy), msg=method)
        self.assertGreater(abs(self.alone["thermostat"][2]), 1.0)


if __name__ == "__main__":
    processes.need(MPIEXEC)
    unittest.main()
