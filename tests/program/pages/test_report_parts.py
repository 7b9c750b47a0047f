#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Parts of reports: numbers as people write them, curves with fewer points, results of analyses.

usage: test_report_parts.py POLHODE PYTHON_DIR
"""
import math
import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from urllib.parse import quote

import numpy as np

POLHODE, PYTHON_DIR = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
sys.path.insert(0, PYTHON_DIR)
import polhode
from polhode import results
from polhode.report import facts, figures, findings, pace, panels, runs, shell, structure, study, verdict, view, words
from polhode.results import AnalysisError, Value, analyze
from polhode.trajectory import Progress


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
            (1.30493, 0.0026, "1.305(3)"),
            (1.30493, 0.0013, "1.3049(13)"),
            (8.8e-9, 1.37e-8, "0.9(14)×10⁻⁸"),
            (-3.16e-4, 9.7e-5, "−3.2(10)×10⁻⁴"),
            (-9.96e-8, 2.1e-8, "−1.0(2)×10⁻⁷"),
            (9.98, 0.04, "9.98(4)"),
            (295.0, 1.23, "295.0(12)"),
            (36.2, 33.0, "40(30)"),
            (15534.0, 1284.0, "15500(1300)"),
            (1.5, math.nan, "1.500"),
            (1.275, 0.0, "1.275"),
        ):
            self.assertEqual(words.with_error(Value(value, error)), want)
        self.assertEqual(words.with_error(None), "–")

    def test_powers_of_ten_in_texts_are_raised(self):
        self.assertEqual(words.pretty("drift -7.2e-08 +- 2e-08, 1e-6 of 5.0e+00"), "drift -7.2×10⁻⁸\u00a0±\u00a02×10⁻⁸, 10⁻⁶ of 5")
        self.assertEqual(words.pretty("heavy-top-1e-3.svg: T0 at 1/eps^2 and h^p"), "heavy-top-1e-3.svg: T0 at 1/ε² and h^p")

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
        for run, title in zip(made, ("cold", "warm", "hot")):
            run.trajectory.parameters = {**run.trajectory.parameters, "title": title}
        self.assertEqual(runs.make_labels(made), ["cold", "warm", "hot"])
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

    def test_an_axis_forgets_a_spike_and_says_so(self):
        time = np.arange(100.0)
        values = 1 + 0.1 * np.sin(time)
        whole = panels.fit_axis([(time, values)], 50.0)
        self.assertTrue(0.85 < whole.axis["range"][0] < 0.9 and 1.1 < whole.axis["range"][1] < 1.15)
        self.assertEqual((whole.marks, whole.words, whole.times), ([], "", {}))
        for where in (3, 60):  # before the production, and in it
            spiked = values.copy()
            spiked[where] = 500.0
            fit = panels.fit_axis([(time, spiked)], 50.0, [], (" K", " ps"))
            self.assertLess(fit.axis["range"][1], 1.4)
            self.assertEqual((fit.marks[0]["x"], fit.marks[0]["text"]), ([where], ["500.0"]))
            self.assertEqual(fit.marks[0]["marker"]["symbol"], ["triangle-up"])
            self.assertTrue(max(values) < fit.marks[0]["y"][0] < fit.axis["range"][1])  # at the edge, and inside of it
            self.assertIn(f"1 row beyond the plot, the farthest with 500.0 K at {where} ps", fit.words)
        self.assertGreater(panels.fit_axis([(time, values)], 50.0, [3.0]).axis["range"][1], 3.0)
        self.assertEqual(panels.fit_axis([(time, np.ones(100))], 0.0).axis, {})


class Verdicts(unittest.TestCase):
    def test_a_wrong_run_is_called_wrong(self):
        checks = [
            results.Check("drift", "well", "none within its error"),
            results.Check("temperature", "wrong", "<5 times> too high"),
        ]
        found = results.Verdict("wrong", "temperature 1702(9) K, 300 K asked for", checks)
        badge, table = verdict.badge_html(found), verdict.checks_html(found)
        self.assertIn('class="verdict wrong"', badge)
        self.assertIn("1702(9) K, 300 K asked for", badge)
        self.assertLess(table.index("&lt;5 times&gt; too high"), table.index("none within its error"))  # the worst first
        page = shell.html_page("Water", "", "", "", "", [], verdict="wrong")
        self.assertIn("<title>WRONG: Water</title>", page)
        self.assertIn('data-verdict="wrong"', page)
        self.assertIn(quote(shell.TINTS["wrong"]), page)
        calm = shell.html_page("Water", "", "", "", "", [], verdict="well")
        self.assertIn("<title>Water</title>", calm)
        self.assertNotIn(quote(shell.TINTS["wrong"]), calm)
        run = types.SimpleNamespace(stages=[], is_written=False)
        done, broken = (types.SimpleNamespace(step=step, end=9, finished=step == 9) for step in (9, 5))
        for judged, look, words in ((found, "wrong", "finished, but something is wrong"), (None, "", "finished")):
            self.assertEqual(facts.state(run, findings.Findings(verdict=judged), done, False), (look, words))
        self.assertEqual(facts.state(run, findings.Findings(), broken, False), ("stopped", "stopped at step 5 of 9"))

    def test_without_verdicts_there_are_none(self):
        self.assertEqual((verdict.badge_html(None), verdict.checks_html(None)), ("", ""))

    def test_words_between_backticks_are_code(self):
        self.assertEqual(study.prose("`a <b>` and 1e-9"), "<code>a &lt;b&gt;</code> and 10⁻⁹")

    def test_notes_and_cautions_are_kept(self):
        for notes, lines in ((None, []), ("one\ntwo", ["one", "two"]), (np.array([b"one", b"two"]), ["one", "two"])):
            self.assertEqual(facts.notes_of(types.SimpleNamespace(parameters={"notes": notes}, unsealed=False)), lines)
        doubtful = results.Result("dielectric", {"epsilon": Value(71.3, 2.0, caution="too short")})
        found = findings.Findings(dielectric=doubtful)
        self.assertEqual(found.cautions(), [("permittivity", "too short")])
        run = types.SimpleNamespace(series={}, parameters={}, stages=[types.SimpleNamespace(ensemble="NVE")])
        for caution, wanted in (("too short", 'class="doubtful">71<'), ("", "71(2)")):
            doubtful.values["epsilon"].caution = caution
            tiles = {label: (value, below) for label, value, below in facts.key_figures(run, found, None)}
            self.assertIn(wanted, tiles["Permittivity"][0])
            self.assertEqual("too short" in tiles["Permittivity"][1], bool(caution))


class Paces(unittest.TestCase):
    """Of a run whose checkpoint and rows were written at known times"""

    NOW = 1.7e9

    def pace(self, checkpoint, steps, rows, row):
        with tempfile.TemporaryDirectory() as folder:
            run = types.SimpleNamespace(path=folder + "/run.h5md", stages=[types.SimpleNamespace(last=row)])
            for ending, at in ((".checkpoint", checkpoint), ("", rows)):
                open(run.path + ending, "w").close()
                os.utime(run.path + ending, (at, at))
            seconds = 4.0 if steps else 0.0
            with unittest.mock.patch.object(pace.time, "time", lambda: self.NOW):
                return pace.pace_of(run, Progress(steps, 10000, steps, seconds, steps, 1))

    def test_the_checkpoint_has_the_speed(self):
        now = self.NOW
        found = self.pace(now, 400, now, 400)
        self.assertEqual((found.step, found.rate, found.rough), (400, 100.0, False))
        self.assertEqual(found.left, 96.0)
        old = self.pace(now - 50, 400, now - 40, 1000)  # rows are later; what has passed since is not left
        self.assertEqual((old.step, old.rate), (1000, 100.0))
        self.assertEqual(old.left, 50.0)

    def test_until_then_rows_tell_it_or_nobody_does(self):
        now = self.NOW
        rows = self.pace(now - 10, 0, now, 500)
        self.assertEqual((rows.step, rows.rough), (500, True))
        self.assertAlmostEqual(rows.rate, 50.0, delta=1e-3)
        self.assertIn("some 50.0 steps/s, about 3 min left", pace.progress_tile(rows)[2])
        for found in (self.pace(now, 0, now, 0), self.pace(now, 0, now + 0.1, 7)):
            self.assertEqual((found.rate, found.left), (None, None))
            self.assertIn("not known yet", pace.progress_tile(found)[2])


class Pairs(unittest.TestCase):
    def test_sites_without_mass_are_not_centres(self):
        site = lambda name, mass: types.SimpleNamespace(name=name, mass=mass)
        kinds = [
            types.SimpleNamespace(name="tip4p-2005", sites=[site("O", 16.0), site("H", 1.0), site("M", 0.0)]),
            types.SimpleNamespace(name="bare", sites=[site("A", 0.0)]),  # nothing has mass: then it is shown
        ]
        run = types.SimpleNamespace(species=kinds)
        self.assertEqual(structure.massless(run), {("tip4p-2005", "M")})
        self.assertEqual(structure.pair_sites("tip4p-2005.O-tip4p-2005.M", run), [("tip4p-2005", "O"), ("tip4p-2005", "M")])
        self.assertEqual(structure.pair_sites("tip4p-2005-bare", run), [])


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


class Files(unittest.TestCase):
    def test_molecules_of_one_site_have_their_inertia(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "in.yaml"), "w") as file:
                file.write(
                    "units: reduced\nsystem:\n  box: {density: 0.8}\n  molecules: [{model: stockmayer, count: 32}]\n"
                    "  start: {kind: fcc, temperature: 1.35}\ninteractions: {cutoff: 1.5}\ndynamics: {step: 0.01, steps: 1}\n"
                )
            subprocess.run([POLHODE, "run", "in.yaml", "-q"], cwd=folder, check=True, capture_output=True)
            with polhode.open(os.path.join(folder, "in.h5md")) as run:
                np.testing.assert_array_equal(run.species[0].inertia, [0.1, 0.1, 0.1])
                frame = run.frames[0]
                np.testing.assert_allclose(frame.angular_velocities, frame.angular_momenta / 0.1, rtol=1e-12)

    def test_molecules_without_dipoles_have_the_order_of_their_axes(self):
        """P2 and director as from orientations; the axis is that of the rods. Catches another axis, and a director that is a row."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "in.yaml"), "w") as file:
                file.write(
                    "units: reduced\nsystem:\n  box: {density: 0.1}\n  molecules: [{model: gay-berne-3-5-1-3, count: 32}]\n"
                    "  start: {kind: fcc, attitudes: aligned, temperature: 2}\ninteractions: {cutoff: 3}\n"
                    "dynamics: {step: 0.004, steps: 20, scheme: verlet}\noutput: {frames_every: 2, series_every: 2}\n"
                )
            subprocess.run([POLHODE, "run", "in.yaml", "-q"], cwd=folder, check=True, capture_output=True)
            with polhode.open(os.path.join(folder, "in.h5md")) as run:
                found = findings.gather(run, POLHODE)
                self.assertEqual(found.body_axis, 3)
                u = np.array([frame.attitudes[:, :, 2] for frame in run.frames])
                tensor = 1.5 * np.einsum("tia,tib->tab", u, u) / 32 - 0.5 * np.eye(3)
                order = results.find_value(found.orientation, "P2")
                self.assertAlmostEqual(order.value, np.linalg.eigvalsh(tensor)[:, -1].mean(), delta=1e-12)
                director = [results.find_value(found.orientation, "director_" + axis) for axis in "xyz"]
                along = np.linalg.eigh(tensor.mean(axis=0))[1][:, -1]
                self.assertAlmostEqual(abs(np.dot([each.value for each in director], along)), 1, delta=1e-12)
                panel = structure.structure_section(run, found).panels[-1]
                self.assertEqual([trace["name"] for trace in panel.figure["data"] if not trace.get("fill")], ["h₂₂₀"])
                self.assertIn(f"P<sub>2</sub> = {words.with_error(order)}", panel.caption)
                self.assertIn(", ".join(words.with_error(each) for each in director), panel.caption)
                self.assertIn("Order P₂", [label for label, _, _ in facts.key_figures(run, found, None)])

    def test_what_is_drawn_beside_ellipsoids(self):
        """Ellipsoids at their size, without the charges inside; spheres at theirs, and without an axis, since points do not turn."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "board.yaml"), "w") as file:
                file.write(
                    "name: board\nsource: a test\nunits: reduced\nmass: 1\ninertia: [0.21, 0.18, 0.07]\nsites:\n"
                    "  - {name: A, gay-berne: {epsilon: 1, sigma: 1, half_axes: [0.3, 0.5, 0.9]}}\n"
                    "  - {name: plus, position: [0, 0, 0.5], charge: 0.6}\n  - {name: minus, position: [0, 0, -0.5], charge: -0.6}\n"
                )
            with open(os.path.join(folder, "in.yaml"), "w") as file:
                file.write(
                    "units: reduced\nsystem:\n  box: {density: 0.05}\n"
                    "  molecules: [{model: board.yaml, count: 4}, {model: lennard-jones, count: 4}]\n"
                    "  start: {kind: fcc, attitudes: aligned, temperature: 1}\ninteractions: {cutoff: 2, electrostatics: {method: reaction-field}}\n"
                    "dynamics: {step: 0.002, steps: 4, scheme: verlet}\noutput: {frames_every: 1, series_every: 1}\n"
                )
            subprocess.run([POLHODE, "run", "in.yaml", "-q"], cwd=folder, check=True, capture_output=True)
            with polhode.open(os.path.join(folder, "in.h5md")) as run:
                board, sphere = view.make_view(run)["kinds"]
            self.assertEqual([site["name"] for site in board["sites"]], ["A"])
            self.assertEqual(board["sites"][0]["half"], [0.3, 0.5, 0.9])
            np.testing.assert_allclose(board["axis"], [0, 0, 1], atol=1e-9)
            self.assertTrue(board["polar"])
            self.assertEqual((sphere["sites"][0]["radius"], sphere["axis"], sphere["polar"]), (0.5, None, False))


class Patches(unittest.TestCase):
    def test_patches_are_seen_where_their_axes_leave_the_ball(self):
        """A ball with two patches. Catches x of a patch in the place of z, and a molecule said to have the axis of its first patch."""
        at, here = polhode.molecules, np.zeros(3)
        shapes = [at.Shape(np.eye(3)[[1, 2, 0]]), at.Shape(np.eye(3))]  # z of the first is x of the body
        sites = [at.Site("core", here, 1.0, 0.0), *(at.Site(f"p{k}", here, 0.0, 0.0, shape) for k, shape in enumerate(shapes))]
        ball = at.Species("ball", 2, 0, 1.0, np.ones(3), sites)
        found = view._sites(ball, "@c1", 1.0, False, False)
        self.assertEqual([site["name"] for site in found], ["core", "p0", "p1"])
        np.testing.assert_allclose([site["at"] for site in found], 0.8 * 0.28 * np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1]]))
        self.assertIsNone(ball.axis)
        self.assertEqual(view._sites(at.Species("rod", 2, 0, 1.0, np.ones(3), sites[:2]), "@c1", 1.0, False, False)[1:], [])
        np.testing.assert_array_equal(at.Species("rod", 2, 0, 1.0, np.ones(3), sites[:2]).axis, [1, 0, 0])


if __name__ == "__main__":
    unittest.main()
