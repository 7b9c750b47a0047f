#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whole runs with angular forms: the same bits on any number of processes and threads and after a restart, an overlap that
stops a run, and messages for models that make no sense.

usage: test_ellipsoids.py PROGRAM MPIEXEC
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import processes

MPIEXEC = sys.argv.pop(2)
PROGRAM = os.path.abspath(sys.argv.pop(1))
INPUT = """units: reduced
system:
  box: {density: 0.06}
  molecules: [{model: gay-berne-3-5-2-1, count: 40}, {model: ./board.yaml, count: 24}, {model: stockmayer, count: 30}]
  start: {kind: random, minimum_distance: 1.6, temperature: 1, seed: 2, minimise: {steps: 300, force: 5}}
interactions: {cutoff: 3.5, switch: {width: 0.8, smoothness: 6}, electrostatics: {method: reaction-field}}
dynamics: {scheme: chin4a, step: 0.002, steps: 12}
output: {frames_every: 6, checkpoint_every: 6}
"""
FORM = "gay-berne: {epsilon: 1.2, sigma: 0.9, half_axes: [0.3, 0.5, 0.9], wells: [1.2, 0.7, 0.3], mu: 2}"
BOARD = """name: board
source: a test
units: reduced
sites:
  - {name: A, mass: 1, FORM, axis: [0, 0.6, 0.8], side: [1, 0, 0]}
  - {name: B, mass: 0.5, position: [0.1, 0.25, -0.1], charge: 0.4}
  - {name: C, mass: 0.3, position: [-0.2, 0.05, 0.3], charge: -0.4, dipole: [0.1, 0.2, 0.3]}
"""


class Ellipsoids(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("input.yaml", INPUT)
        self.write("board.yaml", BOARD.replace("FORM", FORM))

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def call(self, *words, threads=2, before=(), status=0):
        done = processes.run([*before, PROGRAM, *words], env={**processes.ENVIRONMENT, "OMP_NUM_THREADS": str(threads)},
                             cwd=self.folder.name)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def hash_of(self, name):
        return re.search(r"state hash +(\w+) at step 12", self.call("info", name))[1]

    def test_random_starts_are_taken_apart(self):
        """Also end to end and askew, where spheres of their thickness do not overlap"""
        self.write("gas.yaml", INPUT.split("interactions")[0].replace("0.06", "0.12").replace(", minimum_distance: 1.6", "")
                   .replace("{model: ./board.yaml, count: 24}, {model: stockmayer, count: 30}", "{model: lennard-jones, count: 40}")
                   .replace("random,", "random, attitudes: random,").replace("count: 40}, ", "count: 90}, ")
                   + "interactions: {cutoff: 4, switch: {width: 0.5, smoothness: 6}}\ndynamics: {step: 0.0005, steps: 2}\n")
        self.call("run", "gas.yaml", "-o", "gas.h5md")

    def test_bits_depend_on_nothing(self):
        self.call("run", "input.yaml", "-o", "one.h5md", threads=1)
        want = self.hash_of("one.h5md")
        self.call("run", "input.yaml", "-o", "three.h5md", threads=3)
        self.assertEqual(self.hash_of("three.h5md"), want)
        self.call("run", "input.yaml", "-o", "half.h5md", "--set", "dynamics.steps=6")
        self.call("resume", "half.h5md", "--steps", "6")
        self.assertEqual(self.hash_of("half.h5md"), want)
        for n in (2, 3) if shutil.which(MPIEXEC) else ():
            self.call("run", "input.yaml", "-o", f"ranks{n}.h5md", before=(MPIEXEC, "-n", str(n)), threads=1)
            self.assertEqual(self.hash_of(f"ranks{n}.h5md"), want)

    def test_an_overlap_stops_the_run_and_names_its_molecules(self):
        self.write("start.xyz", "2\nProperties=species:S:1:pos:R:3:orientation:R:4\n"
                   "gay-berne-3-5-2-1 0 0 0 1 0 0 0\ngay-berne-3-5-2-1 0 0 1.5 1 0 0 0\n")
        self.write("two.yaml", "units: reduced\nsystem: {box: {kind: open}, molecules: [{model: gay-berne-3-5-2-1, count: 2}], "
                   "start: {kind: file, file: start.xyz}}\n")
        self.assertIn("Molecules 0 and 1 overlap", self.call("energy", "two.yaml", status=3))

    def test_bad_models_are_refused(self):
        for old, new, words in [(", side: [1, 0, 0]", "", "has axis, but no side"),
                                ("side: [1, 0, 0]", "side: [0, 3, 4]", "must not be zero or parallel"),
                                (FORM + ", ", "", "but no such form"),
                                ("half_axes: [0.3, 0.5, 0.9]", "half_axes: [0.3, 0, 0.9]", "half_axes"),
                                (FORM, FORM + ", re-squared: {A: 1, sigma: 1, half_axes: [1, 1, 2]}", "one angular form"),
                                ("mu: 2", "mu: 1", "no combining rule")]:
            text = BOARD.replace("FORM", FORM)
            self.assertIn(old, text)
            self.write("board.yaml", text.replace(old, new))
            self.assertIn(words, self.call("check", "input.yaml", status=2))

    def test_the_list_has_the_forms(self):
        said = self.call("list", "potentials")
        for words in ("gay-berne", "half_axes: half axes of the ellipsoid", "unlike sites: each its own", "re-squared"):
            self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
