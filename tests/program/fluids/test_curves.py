#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Potentials of the user's own, tables and formulas, from their files to runs: what errors name, that a run does not need the
table once it has begun, and that bits depend neither on threads nor on the place of the table. usage: test_curves.py PROGRAM"""
import os
import shutil
import unittest
import unittest.mock

import calling
import h5py
import h5md_made as made
import numpy
from calling import call, path

# Formulas are compiled where a test asks for it: that takes longer than these runs.
os.environ["POLHODE_COMPILER"] = "none"
COMPILED = unittest.mock.patch.dict(os.environ, {"POLHODE_COMPILER": "cc"})
MODEL = """name: atom
source: made for this test
units: reduced
sites:
  - {name: A, mass: 1, position: [0, 0, 0.2], %s}
  - {name: B, mass: 1, position: [0, 0, -0.2], %s}
"""
INPUT = """units: reduced
system:
  box: {density: 0.3}
  molecules: [{model: ./atom.yaml, count: 32}]
  start: {kind: fcc, temperature: 1, seed: 3}
interactions: {cutoff: 2.2, truncation: switched, switch: {width: 1, smoothness: 6}}
dynamics: {scheme: chin4a, step: 0.005, steps: 20}
output: {frames_every: 10, series_every: 5}
"""
TABLE = "table: {file: lj.txt}"
FORMULA = 'formula: {u: "4*eps*((s/r)^12 - (s/r)^6)", constants: {eps: 1, s: 1}}'
ANGLES = 'formula: {u: "4*eps*((s/r)^12 - (s/r)^6) + eps*((a1.n)*(b2.n) + (a2.n)*(b1.n) - a.b)*(s/r)^4", constants: {eps: 1, s: 1}}'
BUILT_IN = "lennard-jones: {epsilon: 1, sigma: 1}"


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


def points(n=241):
    return [(r, 4 * (r**-12 - r**-6), 4 * (12 * r**-13 - 6 * r**-7)) for r in numpy.linspace(0.6, 3, n)]


def table(columns=2, comment="# r, u, -u'\n", rows=None):
    return comment + "".join(" ".join(f"{x:.17g}" for x in row[:columns]) + "\n" for row in rows or points())


def set_up(one, other=None):
    write("atom.yaml", MODEL % (one, other or one))
    write("input.yaml", INPUT)
    write("lj.txt", table())


def state(name):
    """All numbers of the trajectory's frames and series, by name"""
    found = {}
    with h5py.File(path(name)) as file:
        def take(key, item):
            if isinstance(item, h5py.Dataset) and key.startswith(("particles", "series")):
                found[key] = item[()]
        file.visititems(take)
    return found


class Curves(unittest.TestCase):
    def assert_same(self, one, other):
        one, other = state(one), state(other)
        self.assertEqual(sorted(one), sorted(other))
        self.assertGreater(len(one), 20)
        for key, values in one.items():
            self.assertTrue(numpy.array_equal(values, other[key], equal_nan=True), key)

    @unittest.skipIf(made.is_sanitized(calling.POLHODE), "others run the same code")
    def test_they_run_like_the_form_they_imitate(self):
        energies = []
        for one, other in ((BUILT_IN, None), (TABLE, None), (FORMULA, None)):
            set_up(one, other)
            calling.run("run.h5md")
            energies.append(state("run.h5md")["series/potential_energy/value"])
            said = call("check", "--gradients", path("input.yaml"))[0]
            for line in said.splitlines():
                if line.split()[:1] in (["force"], ["torque"], ["virial"]):
                    self.assertLess(float(line.split()[1]), 1e-8, line)
            self.assertIn("largest deviations", said)
        self.assertLess(numpy.max(numpy.abs(energies[2] - energies[0])), 1e-9 * 32)
        self.assertLess(numpy.max(numpy.abs(energies[1] - energies[0])), 1e-6 * 32)

    def test_a_formula_may_depend_on_angles(self):
        set_up(ANGLES)
        write("atom.yaml", MODEL.replace("source", "inertia: [0.2, 0.3, 0.25]\nsource") % (ANGLES, ANGLES))
        said = call("check", "--gradients", path("input.yaml"))[0]
        self.assertIn("angular form of atom.A: formula u = 4*eps*", said)
        rows = [line.split() for line in said.splitlines() if line.split()[:1] in (["force"], ["torque"], ["virial"])]
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertLess(float(row[1]), 1e-8, row)

    @unittest.skipIf(made.is_sanitized(calling.POLHODE), "others run the same code")
    def test_bits_do_not_depend_on_a_compiler(self):
        """Schemes with gradients take rates, too."""
        if not shutil.which("cc"):
            self.skipTest("there is no cc")
        turning = MODEL.replace("source", "inertia: [0.2, 0.3, 0.25]\nsource")
        for model in (MODEL % (FORMULA, FORMULA), turning % (ANGLES, ANGLES)):
            set_up(FORMULA)
            write("atom.yaml", model)
            for compiler, said in (("cc", "Formula compiled by cc: u = 4*eps"),
                                   ("none", "Formula not compiled, which makes it slower, because POLHODE_COMPILER is none: u = ")):
                with unittest.mock.patch.dict(os.environ, {"POLHODE_COMPILER": compiler}):
                    self.assertIn(said, call("run", path("input.yaml"), "-o", path(f"{compiler}.h5md"), "--quiet", "--overwrite")[1])
            self.assert_same("cc.h5md", "none.h5md")

    def test_virial_coefficients_compile_formulas(self):
        """To the same digits as without a compiler, of which a word comes before the result. Nothing is said of other models."""
        set_up('formula: {u: "4*((1/r)^12 - (1/r)^6)*(1 + 0.2*((a.n)*(b.n))^2)"}')
        write("atom.yaml", MODEL.split("  - {name: B")[0].replace("source", "inertia: [0.2, 0.2, 0]\nsource")
              .replace("0, 0, 0.2", "0, 0, 0") % 'formula: {u: "4*((1/r)^12 - (1/r)^6)*(1 + 0.2*((a.n)*(b.n))^2)"}')
        results = []
        for compiler in ("cc", "none") if shutil.which("cc") else ("none",):
            with unittest.mock.patch.dict(os.environ, {"POLHODE_COMPILER": compiler}):
                said, warned = call("analyze", "virial-coefficient", path("input.yaml"), "--quiet")[:2]
            results.append([line for line in said.splitlines() if line.startswith("B2")])
            self.assertIn("note: Formula " + ("compiled by cc" if compiler == "cc" else "not compiled"), said)
            self.assertEqual("A formula could not be compiled" in warned, compiler == "none")
        self.assertEqual(results[0], results[-1])
        self.assertEqual(len(results[0]), 1)

    def test_faults_of_angles_name_line_and_column(self):
        set_up(ANGLES)
        for old, new, words in (
                ("a.b)", "a.c)", "atom.yaml:6: sites[0].formula.u, column 69: after the dot one of n, a, a1"),
                ("a.b)", "a)", "column 67: a is an axis, which counts by products"),
                ("a.b)", "a.a1)", "column 67: this product of vectors of one site is constant"),
                ("(a2.n)*(b1.n)", "(a2.n)*(b2.n)", "sites[0].formula.u changes when two sites of this kind are exchanged: at r = ")):
            write("atom.yaml", MODEL.replace("source", "inertia: [0.2, 0.3, 0.25]\nsource") % (ANGLES.replace(old, new), ANGLES))
            self.assert_refused(words)
        write("atom.yaml", MODEL.replace("source", "inertia: [0.2, 0.3, 0.25]\nsource") % (ANGLES, "sticky: {v0: 1, w0: 0, rl: 1, "
              "ru: 2, rl_prime: 1, ru_prime: 2}, " + ANGLES))
        self.assert_refused("sites[1] has sticky and a formula with axes: one angular form is possible.")
        write("atom.yaml", MODEL % (ANGLES, ANGLES))
        self.assert_refused("would turn the molecule about an axis")
        set_up(BUILT_IN)
        pairs = "pairs: [{sites: [atom.A, atom.A], formula: {u: 1/r^12 + a.n}}], "
        write("input.yaml", INPUT.replace("{cutoff", "{" + pairs + "cutoff"))
        self.assert_refused("interactions.pairs[0].formula.u changes when two sites of this kind are exchanged")

    @COMPILED
    def test_bits_do_not_depend_on_threads(self):
        for form in (TABLE, FORMULA):
            set_up(form)
            calling.run("one.h5md")
            calling.run("three.h5md", "--threads", "3")
            self.assert_same("one.h5md", "three.h5md")

    def test_they_run_on_devices(self):
        """The device evaluates the program itself. Its trajectory is that of the processor but for rounding."""
        turning = MODEL.replace("source", "inertia: [0.2, 0.3, 0.25]\nsource")
        for model in (MODEL % (TABLE, TABLE), MODEL % (FORMULA, FORMULA), turning % (ANGLES, ANGLES)):
            set_up(TABLE)
            write("atom.yaml", model)
            for backend, threads in (("cpu", "1"), ("emulated", "1"), ("emulated", "3")):
                calling.run(f"{backend}{threads}.h5md", "--backend", backend, "--threads", threads, "--set",
                            "dynamics.scheme=verlet")
            self.assert_same("emulated1.h5md", "emulated3.h5md")
            energies = [state(name)["series/potential_energy/value"] for name in ("cpu1.h5md", "emulated1.h5md")]
            self.assertLess(numpy.max(numpy.abs(energies[1] - energies[0])), 1e-10 * numpy.max(numpy.abs(energies[0])))

    def test_a_run_goes_on_without_its_table(self):
        """To the same bits; and its analyses need no table either."""
        set_up(TABLE)
        calling.run("whole.h5md")
        calling.run("part.h5md", "--set", "dynamics.steps=10")
        os.remove(path("lj.txt"))
        call("resume", path("part.h5md"), "--steps", "10", "--quiet")
        self.assert_same("whole.h5md", "part.h5md")
        with h5py.File(path("part.h5md")) as file:
            self.assertEqual(file["parameters/tables/1"][()].decode(), table())
        self.assertIn("32 atom", call("info", path("part.h5md"))[0])
        self.assertIn("no such file", call("run", path("input.yaml"), "-o", path("x.h5md"), status=4)[1].lower())

    def test_the_error_of_a_table_is_said_at_the_start(self):
        set_up(TABLE)
        said = call("check", path("input.yaml"))[1]
        self.assertRegex(said, r"lj.txt, 241 points from 0.6 to 3: between points the spline of degree 7 is expected to err by up to "
                               r"0.000\d in u at r = 0.6\d+, and by up to \de-1\d where u is below 1")
        self.assertNotIn("Warning", said)
        write("lj.txt", table(rows=[(r, round(u, 3)) for r, u, _ in points()]))
        self.assertIn("Warning: the points of the table", call("check", path("input.yaml"))[1])

    def assert_refused(self, words, *more, status=2):
        said = call("check", path("input.yaml"), *more, status=status)[1]
        self.assertIn(words, said)

    def test_faults_of_a_table_name_file_and_line(self):
        set_up(TABLE)
        write("lj.txt", table(3))
        call("check", path("input.yaml"))
        rows = points()
        for text, words in (
                (table() + "3.1\n", "lj.txt:243: has 1 column. Accepted: two, as in the lines before."),
                (table() + "3.1 0 0\n", "lj.txt:243: has 3 columns. Accepted: two"),
                (table(3) + "3.1 0\n", "lj.txt:243: has 2 columns. Accepted: three, as in the lines before."),
                ("1 2 3 4\n" + table(), "lj.txt:1: has 4 columns. Accepted: two, r and u, or three"),
                (table() + "3.1 O\n", "lj.txt:243: 'O' is not a number"),
                (table() + "3.1 nan\n", "lj.txt:243: 'nan' is not a number"),
                (table() + "3.1 0x1p3\n", "lj.txt:243: '0x1p3' is not a number"),
                (table() + "2.9 0\n", "lj.txt:243: r is 2.9, not larger than 3 in line 242"),
                ("0 1e9\n" + table(), "lj.txt:1: r is 0. Accepted: a distance above 0."),
                (table(rows=rows[:15]), "lj.txt: has 15 points. Accepted: at least 16."),
                ("", "lj.txt: has 0 points"),
                (table(3, rows=[(r, u, f if k != 9 else -f) for k, (r, u, f) in enumerate(rows)]),
                 "lj.txt:11: the force is -"),
                (table(3, rows=[(r, u, 10 * f) for r, u, f in rows]), "lj.txt:4: the force is ")):
            write("lj.txt", text)
            self.assert_refused(words)
        write("lj.txt", table())
        self.assert_refused("interactions.cutoff is 3.05, but the table interaction of atom.A and atom.A ends at 3 (",
                            "--set", "interactions.cutoff=3.05", "--set", "system.box.density=0.1")
        write("atom.yaml", MODEL % (TABLE, BUILT_IN))
        self.assert_refused("Sites atom.A and atom.B have radial interactions of different form")
        write("atom.yaml", MODEL % (TABLE.replace("lj", "lk"), BUILT_IN))
        self.assert_refused("atom.yaml:5: sites[0].table.file: ", status=4)
        write("atom.yaml", MODEL % ("table: {}", BUILT_IN))
        self.assert_refused("sites[0].table.file")

    def test_faults_of_a_formula_name_line_and_column(self):
        set_up(FORMULA)
        for old, new, words in (
                ("(s/r)^6)", "(s/r)^6", "atom.yaml:5: sites[0].formula.u, column 26: the formula ends, but the '(' in column 7"),
                ("(s/r)^6", "(sigma/r)^6", "column 20: sigma is neither a variable nor a constant. Known: r, a.n, b.n, a.b, "
                 "a1.n .. b3.n, a1.b1 .. a3.b3, eps, s."),
                ("s: 1}", "s: one}", "sites[0].formula.constants.s is 'one'. Accepted: a number."),
                ("s: 1}", "s: 1, t: 2}", "sites[0].formula.constants.t is not in u"),
                ("s: 1}", "s: 1, exp: 2}", "'exp' cannot be the name of a constant"),
                ("s: 1}", "s: 1, r: 2}", "'r' cannot be the name of a constant")):
            write("atom.yaml", MODEL % (FORMULA.replace(old, new), BUILT_IN))
            self.assert_refused(words)

    def test_a_formula_without_a_value_is_no_overlap(self):
        for formula in ("log(-r)", "(a.b)^0.5/r"):
            set_up(f'formula: {{u: "{formula}"}}', BUILT_IN)
            write("input.yaml", INPUT.replace("interactions: {", "interactions: {pairs: [{sites: [atom.A, atom.B], "
                                              "lennard-jones: {epsilon: 1, sigma: 1}}], "))
            told = call("run", path("input.yaml"), "-o", path("a.h5md"), "--quiet", "--overwrite", status=3)[1]
            self.assertRegex(told, r"formula of the sites A and A of molecules \d+ and \d+ is not a number at r = [0-9.]+, ")
            self.assertIn(f"u = {formula}", told)
            self.assertNotIn("overlap", told)

    def test_pairs_of_the_input_take_both(self):
        set_up(BUILT_IN)
        call("run", path("input.yaml"), "-o", path("a.h5md"), "--quiet", "--overwrite")
        want = state("a.h5md")["series/potential_energy/value"][0]
        write("atom.yaml", MODEL % (BUILT_IN, BUILT_IN.replace("sigma: 1", "sigma: 0.5")))
        pairs = f"pairs: [{{sites: [atom.A, atom.B], {TABLE}}}, {{sites: [atom.B, atom.B], {FORMULA}}}], "
        write("input.yaml", INPUT.replace("{cutoff", "{" + pairs + "cutoff"))
        call("run", path("input.yaml"), "-o", path("b.h5md"), "--quiet", "--overwrite")
        self.assertAlmostEqual(state("b.h5md")["series/potential_energy/value"][0], want, delta=1e-7 * abs(want))

    def test_what_is_not_possible_is_said(self):
        set_up(TABLE)
        smooth = ("--set", "dynamics.scheme=mclachlan8-ss17", "--set", "interactions.switch.smoothness=all")
        self.assertIn("only 6 continuous derivatives", "".join(call("check", path("input.yaml"), *smooth)))
        set_up(FORMULA)
        self.assertNotIn("continuous derivatives", "".join(call("check", path("input.yaml"), *smooth)))


if __name__ == "__main__":
    unittest.main()
