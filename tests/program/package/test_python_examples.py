#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The examples of the Python package give what is known of their systems.

usage: test_python_examples.py LIBRARY PYTHON_DIR
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY, PYTHON_DIR = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
NUMBER = r"(-?\d+\.\d+)"


class Examples(unittest.TestCase):
    def call(self, name):
        done = subprocess.run(
            ["/usr/bin/python3", "-B", PYTHON_DIR / "examples" / name],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(PYTHON_DIR), "POLHODE_LIBRARY": LIBRARY},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout, end="")
        return done.stdout

    def test_all_are_here(self):
        listed = {path.name for path in (PYTHON_DIR / "examples").iterdir()}
        scripts = {"analysis_on_the_fly.py", "umbrella.py", "temperature_scan.py"}
        self.assertEqual(listed, scripts | {"water.ipynb", "forces.ipynb"})

    def cells(self, name):
        """What the cells of a notebook define, run one after the other as plain Python"""
        import nbformat

        path = PYTHON_DIR / "examples" / name
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        text = ["import matplotlib; matplotlib.use('Agg')"]
        for cell in notebook.cells:
            if cell.cell_type == "code":
                self.assertEqual((cell.outputs, cell.execution_count), ([], None), "outputs are not kept")
                text.append(cell.source)
            else:
                for link in re.findall(r"\]\(([^)#]*)", cell.source):
                    self.assertTrue((path.parent / link).exists(), link)
        with tempfile.TemporaryDirectory(prefix="polhode-notebook-") as folder:
            done = subprocess.run(["/usr/bin/python3", "-B", "-W", "ignore", "-c", "\n".join(text)], cwd=folder,
                                  capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": str(PYTHON_DIR), "POLHODE_LIBRARY": LIBRARY})
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout, end="")
        return done.stdout

    def test_the_notebook_of_water_conserves_energy_and_finds_neighbours(self):
        out = self.cells("water.ipynb")
        self.assertLess(float(re.search(r"total energy: (\S+) of", out)[1]), 0.02)
        self.assertTrue(0.26 < float(re.search(rf"neighbours are {NUMBER} nm", out)[1]) < 0.3, out)
        self.assertAlmostEqual(float(re.search(rf"{NUMBER} e nm", out)[1]), 0.04893, delta=1e-5)  # 2.35 D

    def test_the_notebook_of_forces_shows_their_gradient_and_order(self):
        out = self.cells("forces.ipynb")
        force, slope = map(float, re.search(rf"force {NUMBER}, .* {NUMBER}", out).groups())
        self.assertAlmostEqual(force, slope, delta=1e-3)
        orders = [float(word) for word in re.search(r"orders \[(.*)\]", out)[1].split()]
        for order in orders:
            self.assertAlmostEqual(order, 4, delta=0.3)

    def test_a_field_turns_dipoles_as_langevin_said(self):
        out = self.call("analysis_on_the_fly.py")
        mean, error, free = map(float, re.search(rf"{NUMBER} \+- {NUMBER}.* {NUMBER}$", out, re.M).groups())
        self.assertAlmostEqual(free, 0.5373, delta=1e-4)
        self.assertTrue(1e-4 < error < 0.01, error)
        self.assertLess(abs(mean - free), 5 * error + 0.005)  # the gas is thin, not ideal

    def test_pairs_stay_where_theory_says(self):
        row = rf"^ *{NUMBER} +{NUMBER} \+- {NUMBER} +{NUMBER} +{NUMBER} \+- {NUMBER} +{NUMBER}$"
        rows = re.findall(row, self.call("umbrella.py"), re.M)
        self.assertEqual(len(rows), 6)
        for row in rows:
            r0, mean, error, exact, force, force_error, slope = map(float, row)
            self.assertTrue(5e-5 < error < 1e-3, row)
            self.assertLess(abs(mean - exact), 5 * error + 1e-4, row)
            if r0 > 1.3:  # where A is nearly a straight line over the width of a window
                self.assertLess(abs(force - slope), 5 * force_error, row)
        forces = [float(row[4]) for row in rows]
        self.assertTrue(forces[0] < -10 < forces[2] < forces[3] and forces[3] > 0 > forces[4], forces)

    def test_gas_is_ideal_near_the_boyle_temperature(self):
        out = self.call("temperature_scan.py")
        rows = [tuple(map(float, row)) for row in re.findall(rf"T = +{NUMBER} +Z = {NUMBER} \+- {NUMBER}", out)]
        self.assertEqual([row[0] for row in rows], [1.5, 2.5, 4.0, 6.0])
        z = [row[1] for row in rows]
        self.assertEqual(z, sorted(z))
        self.assertTrue(0.68 < z[0] < 0.88 and 1.02 < z[3] < 1.2, z)
        self.assertTrue(all(0.001 < row[2] < 0.05 for row in rows), rows)
        zero = float(re.search(rf"Z = 1 at T = {NUMBER}", out)[1])
        self.assertTrue(2.4 < zero < 4.5, zero)


if __name__ == "__main__":
    unittest.main()
