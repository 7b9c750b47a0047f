#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Parts of reports: numbers as people write them, curves with fewer points, results of analyses.

usage: test_report_parts.py POLHODE PYTHON_DIR
"""
import math
import sys
import types
import unittest

import numpy as np

POLHODE, PYTHON_DIR = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, PYTHON_DIR)
from polhode.report import figures, findings, panels, runs, words
from polhode.results import AnalysisError, Value, analyze


class Words(unittest.TestCase):
    def test_numbers_have_the_digits_asked_for(self):
        for value, digits, want in (
            (1.30493, 4, "1.305"),
            (-47.5894, 4, "−47.59"),
            (2.346e-8, 2, "2.3×10⁻⁸"),
            (0, 3, "0"),
            (123456.0, 3, "123456"),
            (1.5e7, 2, "1.5×10⁷"),
            (math.inf, 3, "∞"),
            (math.nan, 3, "–"),
            (None, 3, "–"),
            (-1e-5, 1, "−1×10⁻⁵"),
        ):
            self.assertEqual(words.number(value, digits), want)

    def test_errors_set_the_digits(self):
        for value, error, want in (
            (1.30493, 0.0026, "1.3049 ± 0.0026"),
            (1.30493, 0.0043, "1.305 ± 0.004"),
            (8.8e-9, 2.37e-8, "(0.9 ± 2.4)×10⁻⁸"),
            (-3.16e-4, 9.7e-5, "(−3.2 ± 1.0)×10⁻⁴"),
            (295.0, 1.23, "295.0 ± 1.2"),
            (36.2, 33.0, "36 ± 33"),
            (1.5, math.nan, "1.500"),
            (1.275, 0.0, "1.275"),
        ):
            self.assertEqual(words.with_error(Value(value, error)), want)
        self.assertEqual(words.with_error(None), "–")

    def test_what_was_given_has_no_zeros_at_the_end(self):
        self.assertEqual(
            [words.plain(x) for x in (0.015, 3.0, 4.5, 100.0, 1e-7)], ["0.015", "3", "4.5", "100", "1×10⁻⁷"]
        )

    def test_units_are_raised(self):
        self.assertEqual(words.unit("kJ mol-1 nm-3", ""), "kJ mol⁻¹ nm⁻³")
        self.assertEqual(words.unit("u nm+2 ps-1", ""), "u nm² ps⁻¹")
        self.assertEqual(words.unit(""), "")

    def test_many_are_counted(self):
        self.assertEqual(words.count(1, "frame"), "1\u00a0frame")
        self.assertEqual(words.count(12000, "frame"), "12\u202f000\u00a0frames")


class Methods(unittest.TestCase):
    def test_runs_have_a_scheme_and_a_flow_or_an_integrator(self):
        kicks = {"scheme_kicks": [0.5, 0.5], "scheme_begins_with": "kick"}
        told = (
            {"scheme": "verlet", "flow": "exact", "step": 0.01, **kicks},
            {"integrator": "vlv", "integrator_evaluations": 1, "step": 0.02},
            {"integrator": "akw", "step": 0.02},
        )
        made = [
            runs.Run(types.SimpleNamespace(parameters=about, n_molecules=1, path="x"), "", {}, "@c1") for about in told
        ]
        self.assertEqual(runs.make_labels(made), ["verlet, flow exact, h = 0.01", "vlv, h = 0.02", "akw, h = 0.02"])
        self.assertEqual(list(runs.groups_by_method(made)), ["verlet, exact", "vlv", "akw"])
        self.assertEqual([run.evaluations_per_time for run in made], [100.0, 50.0, None])


class Figures(unittest.TestCase):
    def test_thin_curves_keep_their_extremes(self):
        x = np.arange(100000)
        y = np.sin(0.001 * x)
        y[12345], y[54321] = 7.0, -9.0
        fewer, shown = figures.thin(x, y, 1000)
        self.assertLessEqual(len(fewer), 1000)
        self.assertEqual((shown.max(), shown.min()), (7.0, -9.0))
        self.assertEqual((fewer[shown.argmax()], fewer[shown.argmin()]), (12345, 54321))
        self.assertTrue(np.all(np.diff(fewer) > 0))
        self.assertIs(figures.thin(x[:10], y[:10], 1000)[0].base, x)

    def test_what_is_no_number_becomes_null(self):
        self.assertEqual(figures.numbers([1.23456789, math.nan, math.inf]), [1.23457, None, None])

    def test_moving_means_keep_lines(self):
        line = 3.0 * np.arange(50.0)
        np.testing.assert_allclose(panels.smooth(line, 5)[2:-2], line[2:-2])
        self.assertEqual(panels.smooth(line, 5)[0], 3.0)

    def test_an_axis_forgets_the_few(self):
        values = np.concatenate([np.linspace(0, 1, 1000), [500.0, math.nan]])
        low, high = panels.robust_range(values)
        self.assertTrue(-0.4 < low < 0 and 1 < high < 1.4)


class Frames(unittest.TestCase):
    def test_long_runs_of_many_molecules_are_thinned(self):
        def run(molecules, frames, sites=0):
            kinds = [types.SimpleNamespace(count=molecules, sites=[None] * sites)]
            listed = types.SimpleNamespace(production=range(frames))
            return types.SimpleNamespace(n_molecules=molecules, species=kinds, frames=listed)

        self.assertEqual(findings.pair_stride(run(4000, 200), "rdf"), 1)
        self.assertEqual(findings.pair_stride(run(4000, 10001), "rdf"), 41)  # 8e6 pairs each: 250 frames at most
        self.assertEqual(findings.pair_stride(run(4000, 10001, 3), "orientation"), 41)
        self.assertGreater(findings.pair_stride(run(4000, 10001, 3), "rdf"), 300)  # 16 000 points
        self.assertEqual(findings.pair_stride(run(10**6, 100), "rdf"), 5)  # 20 frames at least
        self.assertEqual(findings.pair_stride(run(100, 1000), "rdf", 100), 10)
        self.assertEqual(findings.pair_stride(run(100, 0), "rdf"), 1)

    def test_ordinals(self):
        self.assertEqual([findings.ordinal(n) for n in (2, 3, 11, 21, 112)], ["2nd", "3rd", "11th", "21st", "112th"])


class Results(unittest.TestCase):
    def test_what_the_program_says_is_the_error(self):
        with self.assertRaises(AnalysisError) as caught:
            analyze(POLHODE, "rdf", "/nonexistent.h5md")
        self.assertIn("/nonexistent.h5md", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
