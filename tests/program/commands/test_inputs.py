#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every input in inputs/ runs for a few steps; energies at the start are those of the literature or of the comment in the
file, and they are conserved. An input that is not in the table below fails: say there what is to be expected of it."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import h5md_made as made

INPUTS = os.path.join(made.ROOT, "inputs")

# Steps, steps of equilibration, or of all stages; energy at the start in all (None: of a random start), and its relative precision; bounds of
# the largest error of the energy per molecule: what is far below the lower one would be a system that does not move.
EXPECTED = {
    "argon-buckingham": (20, 5, None, 0, (1e-5, 1e-2)),
    "attractor": (400, 0, 0.6702453802811353, 1e-14, (1e-12, 1e-9)),
    "boards": (4, 4, None, 0, (1e-8, 1e-4)),
    "carbon-dioxide": (2, 2, None, 0, (1e-9, 1e-4)),
    "carbon-dioxide-3cljq": (2, 2, None, 0, (1e-9, 1e-3)),
    "dipolar-soft-spheres": (6, 4, None, 0, (1e-9, 1e-4)),
    "dipole-array": (200, 0, -1.245966364483e-3, 1e-12, (1e-20, 1e-17)),
    "dipole-cluster": (10, 0, None, 0, (0, 1e-19)),
    "dipole-lattice": (30, 0, 125 * 9.82399376, 1e-9, (1e-12, 1e-9)),
    "dumbbells": (3, 3, None, 0, (1e-11, 1e-6)),
    "fast-top": (300, 0, 1269.106729782512, 1e-14, (1e-14, 1e-11)),
    "free-bodies": (400, 0, 4.282718149856739, 1e-14, (1e-17, 1e-14)),
    "gay-berne-nematic": (10, [300, 4, 10], None, 0, (1e-6, 1e-1)),
    "heavy-top": (400, 0, 1.542836142990837, 1e-14, (1e-15, 1e-12)),
    "ice-ih": (2, [4, 2], 432 * (-68.9 + 3 * 8.31446e-3 * 250), 0.005, (1e-7, 1e-2)),
    "lennard-jones": (20, 5, None, 0, (1e-6, 1e-1)),
    "mie": (20, 5, None, 0, (1e-6, 1e-2)),
    "morse": (20, 5, None, 0, (1e-6, 1e-2)),
    "nitrogen": (2, 2, None, 0, (1e-11, 1e-6)),
    "nve-conservation": (3, 3, None, 0, (1e-11, 1e-6)),
    "own-nematic": (4, 0, None, 0, (1e-12, 1e-7)),
    "patchy": (4, 4, None, 0, (1e-14, 1e-6)),
    "perturbed-body": (400, 0, 1.0008, 1e-14, (1e-12, 1e-9)),
    "quickstart": (3, 3, None, 0, (1e-10, 1e-5)),
    "re-squared": (3, 3, None, 0, (1e-13, 1e-8)),
    "satellite": (200, 0, 1.21595664e7, 1e-12, (1e-5, 1e-2)),
    "slow-top": (400, 0, 32.47500520789932, 1e-14, (1e-14, 1e-11)),
    "soft-wall": (1000, 0, 2.587300987776926, 1e-14, (1e-14, 1e-11)),
    "spc-e": (4, 4, None, 0, (1e-3, 3e-1)),
    "spc-e-averages": (2, [4, 2], None, 0, (1e-7, 1e-1)),
    "spc-e-mesh": (2, 2, None, 0, (1e-7, 1e-4)),
    "spc-e-npt": (20, [4, 2, 20], None, 0, (1e-7, 1e-2)),
    "spherical-pendulum": (400, 0, 1.344775436999, 1e-11, (1e-14, 1e-11)),
    "ssd-e": (20, 20, None, 0, (1e-4, 1e-1)),
    "stockmayer": (2, 2, None, 0, (1e-11, 1e-6)),
    "stockmayer-ewald": (4, 4, None, 0, (1e-10, 1e-5)),
    "stockmayer-mesh": (2, 2, None, 0, (1e-8, 1e-5)),
    "stockmayer-random": (20, [300, 100, 100, 20], None, 0, (1e-7, 1e-4)),
    "stockmayer-slab": (4, [4, 4], None, 0, (1e-7, 1e-2)),
    "tabulated": (20, 5, None, 0, (1e-5, 1e-2)),
    "yukawa": (20, 5, None, 0, (1e-6, 1e-2)),
}
# Sanitizers see the same code in other inputs
ALIKE = {"carbon-dioxide-3cljq", "dipolar-soft-spheres", "dumbbells", "mie", "morse", "nitrogen", "nve-conservation", "quickstart",
         "spc-e", "spc-e-mesh", "stockmayer", "stockmayer-mesh", "yukawa"}


def shipped():
    """Names of the inputs; the other files are models, which have no system."""
    for name in sorted(os.listdir(INPUTS)):
        path = os.path.join(INPUTS, name)
        if name.endswith(".yaml"):
            with open(path, encoding="utf-8") as file:
                if "\nsystem:" in file.read():
                    yield name[: -len(".yaml")], path


class Inputs(unittest.TestCase):
    def test_every_input_is_expected_and_every_expected_one_is_there(self):
        self.assertEqual(sorted(EXPECTED), sorted(name for name, _ in shipped()))

    def test_every_input_runs_and_conserves_its_energy(self):
        for name, path in shipped():
            with self.subTest(input=name), tempfile.TemporaryDirectory() as folder:
                steps, before, energy, precision, (least, most) = EXPECTED[name]
                if SHORT and name in ALIKE:
                    continue
                if SHORT:
                    steps, before = 2, [min(one, 2) for one in before] if isinstance(before, list) else min(before, 2)
                out = os.path.join(folder, "out.h5md")
                words = ["run", path, "-q", "-o", out, "--set", "output.series_every=1", "--set",
                         f"output.frames_every={steps}"]
                stages = before if isinstance(before, list) else []
                for number, one in enumerate(stages):
                    words += ["--set", f"stages[{number}].steps={one}"]
                if SHORT and name == "gay-berne-nematic":
                    words += ["--set", "stages[0].barostat.density=0.151"]  # two steps are too few for 0.3
                if not stages:
                    words += ["--set", f"dynamics.steps={steps}"]
                if before and not stages:
                    words += ["--set", f"dynamics.equilibrate.steps={before}"]
                made.run(PROGRAM, *words)
                with h5py.File(out) as file:
                    series = file["series/conserved_energy" if stages else "series/total_energy"]
                    produced = series["step"][()] >= file["parameters/production_begins_at_step"][()]
                    total = series["value"][()][produced]
                self.assertEqual(len(total), steps + 1)
                if SHORT:
                    continue
                start = json.loads(made.run(PROGRAM, "energy", path, "--json"))
                if energy is not None:
                    self.assertAlmostEqual(start["energy"]["total"] / energy, 1.0, delta=precision)
                error = abs(total - total[0]).max() / start["molecules"]
                self.assertGreaterEqual(error, least)
                self.assertLessEqual(error, most)

    def test_the_input_of_the_readme_is_one(self):
        with open(os.path.join(made.ROOT, "README.md"), encoding="utf-8") as file:
            text = re.search(r"```yaml\n(.*?)```", file.read(), re.S)[1]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "water.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            said = made.run(PROGRAM, "check", path)
            self.assertIn("216", said)
            evaluations, step = re.search(r"(\d+) evaluations a step\), .*step ([\d.]+),", said).groups()
            self.assertLess(int(evaluations) / float(step), 500)  # a ps: about what `polhode tune` finds to be enough

    def test_the_program_of_the_page_on_the_library_compiles_and_looks_at_errors(self):
        with open(os.path.join(made.ROOT, "docs/library.md"), encoding="utf-8") as file:
            text = re.search(r"```c\n(.*?)```", file.read(), re.S)[1]
        words = ["cc", "-x", "c", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", os.path.join(made.ROOT, "src"), "-"]
        done = subprocess.run(words, input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("err.text", text)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    SHORT = made.is_sanitized(PROGRAM)  # two steps of each stage, whose energies are not looked at: release does
    unittest.main()
