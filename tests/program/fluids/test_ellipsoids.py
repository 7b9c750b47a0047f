#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whole runs with angular forms: the same bits on any number of processes and threads and after a restart, an overlap that
stops a run, and messages for models that make no sense.

usage: test_ellipsoids.py PROGRAM MPIEXEC
"""
import json
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
  molecules: [{model: gay-berne-3-5-2-1, count: 80}, {model: ./board.yaml, count: 48}, {model: stockmayer, count: 60}]
  start: {kind: random, minimum_distance: 1.6, temperature: 1, seed: 2, minimise: {steps: 300, force: 5}}
interactions: {cutoff: 3.5, switch: {width: 0.8, smoothness: 6}, electrostatics: {method: reaction-field}, PAIRS}
dynamics: {scheme: chin4a, step: 0.002, steps: 12}
output: {frames_every: 6, checkpoint_every: 6}
"""
PAIR = "pairs: [{sites: [board.A, gay-berne-3-5-2-1.A], gay-berne: {epsilon: 1.5, sigma: 0.95}}]"
INPUT = INPUT.replace("PAIRS", PAIR)
FORM = "gay-berne: {epsilon: 1.2, sigma: 0.9, half_axes: [0.3, 0.5, 0.9], wells: [1.2, 0.7, 0.3], mu: 2}"
BOARD = """name: board
source: a test
units: reduced
sites:
  - {name: A, mass: 1, FORM, axis: [0, 0.6, 0.8], side: [1, 0, 0]}
  - {name: B, mass: 0.5, position: [0.1, 0.25, -0.1], charge: 0.4}
  - {name: C, mass: 0.3, position: [-0.2, 0.05, 0.3], charge: -0.4, dipole: [0.1, 0.2, 0.3]}
"""


# Fewer than 186 molecules are fewer than three tiles, which threads and ranks share. INPUT has 188, FAMILIES 224.
# One molecule of each family, with one site, and interactions for all unlike ones: so every form acts in one system.
SITES = {
    "ellipsoid": "re-squared: {A: 1, sigma: 0.5, half_axes: [0.3, 0.4, 0.5], wells: [1, 0.8, 0.6]}",
    "water": "lennard-jones: {epsilon: 1, sigma: 1}, dipole: [0, 0, 0.5], "
             "sticky: {v0: 4, w0: 0.07715, rl: 1, ru: 1.8, rl_prime: 1.1, ru_prime: 1.5, smoothness: 4}",
    "patchy": "soft-sphere: {epsilon: 1, sigma: 1, exponent: 9}, "
              "patch: {epsilon: 3, plateau: 1.1, range: 1.9, inner: 30, outer: 150}",
    "turned": "formula: {u: '3*(1/r)^12 - (1/r)^6*(1 + 0.3*(a1.b1) + 0.2*(a3.n - b3.n))'}",
    "bent": "mie: {epsilon: 1, sigma: 1, repulsive: 14, attractive: 7}, quadrupole: {moments: [0.5, -0.2, -0.3]}",
    "rod": "quadrupole: {Q: 0.6}, table: {file: table.txt}",
    "ball": "buckingham: {A: 2000, rho: 0.15, C: 1}",
}
TWO_SHAPES = "formula: {u: '(1/r)^12*(1 + 0.2*(a.n)^2)'}"
RADIAL = ["yukawa: {epsilon: 1, sigma: 1, kappa: 2}", "morse: {epsilon: 1, minimum: 1.1, a: 4}", "wca: {epsilon: 1, sigma: 1}",
          "formula: {u: '(1/r)^11'}", "lennard-jones: {epsilon: 0.7, sigma: 1}", "table: {file: table.txt}"]
FAMILIES = """units: reduced
system:
  box: {density: 0.25}
  molecules: [%s]
  start: {kind: random, minimum_distance: 1.15, temperature: 1, seed: 3}
interactions:
  cutoff: 2.5
  switch: {width: 0.8, smoothness: 4}
  electrostatics: {method: reaction-field}
  pairs:
%s
dynamics: {scheme: chin4a, step: 0.001, steps: 12}
output: {frames_every: 6}
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
        settings = {"OMP_NUM_THREADS": str(threads), "POLHODE_COMPILER": "none"}
        done = processes.run([*before, PROGRAM, *words], env={**processes.ENVIRONMENT, **settings}, cwd=self.folder.name)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def hash_of(self, name):
        return re.search(r"state hash +(\w+) at step 12", self.call("info", name))[1]

    def expect_bits(self, file):
        """The same state after runs with one and three threads, and on two and three ranks"""
        found = {}
        for before, threads in [((), 1), ((), 3)] + [((MPIEXEC, "-n", n), 1) for n in "23" if shutil.which(MPIEXEC)]:
            self.call("run", file, "--overwrite", "-o", "bits.h5md", before=before, threads=threads)
            found[before, threads] = self.hash_of("bits.h5md")
        self.assertEqual(len(set(found.values())), 1, found)
        return found[(), 1]

    def test_random_starts_are_taken_apart(self):
        """Also end to end and askew, where spheres of their thickness do not overlap"""
        self.write("gas.yaml", INPUT.split("interactions")[0].replace("0.06", "0.12").replace(", minimum_distance: 1.6", "")
                   .replace("{model: ./board.yaml, count: 48}, {model: stockmayer, count: 60}", "{model: lennard-jones, count: 40}")
                   .replace("random,", "random, attitudes: random,").replace("count: 80}, ", "count: 90}, ")
                   + "interactions: {cutoff: 4, switch: {width: 0.5, smoothness: 6}}\ndynamics: {step: 0.0005, steps: 2}\n")
        self.call("run", "gas.yaml", "-o", "gas.h5md")

    def test_bits_depend_on_nothing(self):
        want = self.expect_bits("input.yaml")
        self.call("run", "input.yaml", "-o", "half.h5md", "--set", "dynamics.steps=6")
        self.call("resume", "half.h5md", "--steps", "6")
        self.assertEqual(self.hash_of("half.h5md"), want)

    def test_bits_of_every_family_depend_on_nothing(self):
        """Each form of `list potentials` is in the system, so a new one has to be added here."""
        names = list(SITES)
        shapes = {"ellipsoid", "water", "patchy", "turned"}
        pairs, radial = [], 0
        for k, one in enumerate(names):
            for other in names[k + 1:]:
                both = shapes & {one, other}
                form = TWO_SHAPES if len(both) == 2 else RADIAL[radial % len(RADIAL)]
                radial += len(both) < 2
                pairs.append(f"    - {{sites: [{one}.A, {other}.A], {form}}}")
        for name, site in SITES.items():
            self.write(f"{name}.yaml", f"name: {name}\nsource: a test\nunits: reduced\nmass: 1\ninertia: [0.1, 0.1, 0.1]\n"
                       f"sites:\n  - {{name: A, {site}}}\n")
        self.write("table.txt", "".join(f"{r:.3f} {r**-12 - r**-6:.17g}\n" for r in (0.6 + 0.01 * k for k in range(250))))
        text = FAMILIES % (", ".join(f"{{model: ./{name}.yaml, count: 32}}" for name in names), "\n".join(pairs))
        self.write("families.yaml", text)
        for form in json.loads(self.call("list", "potentials", "--json"))["potentials"]:
            self.assertIn(f"{form['name']}: {{", text + " ".join(SITES.values()) + INPUT + FORM)
        self.expect_bits("families.yaml")

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

    def test_pairs_of_ellipsoids_are_told_and_bad_ones_refused(self):
        said = self.call("check", "input.yaml")
        self.assertIn("of the pair board.A, gay-berne-3-5-2-1.A itself: gay-berne, epsilon 1.5, sigma 0.95", said)
        for old, new, words in [(", sigma: 0.95", "", "gay-berne.sigma' is missing"),
                                ("gay-berne: {", "wca: {epsilon: 1, sigma: 1}, gay-berne: {", "has both wca and gay-berne"),
                                ("gay-berne: {epsilon", "re-squared: {A", "not both have it"),
                                ("sigma: 0.95", "sigma: 0.95, mu: 2", "unknown key"),
                                ("[board.A", "[board.B", "not both have it: accepted are two such sites, or one and a Lennard")]:
            self.assertIn(old, PAIR)
            self.write("pair.yaml", INPUT.replace(PAIR, PAIR.replace(old, new)))
            self.assertIn(words, self.call("check", "pair.yaml", status=2))

    def test_a_pair_of_one_kind_has_numbers_of_its_own(self):
        self.write("pair.yaml", INPUT.replace("[board.A, gay-berne-3-5-2-1.A]", "[board.A, board.A]"))
        self.assertIn("of the pair board.A, board.A itself: gay-berne, epsilon 1.5", self.call("check", "pair.yaml"))

    def test_the_list_has_the_forms(self):
        said = self.call("list", "potentials")
        for words in ("gay-berne", "half_axes: half axes of the ellipsoid", "unlike sites: each its own", "re-squared"):
            self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
