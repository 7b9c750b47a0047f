#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The Python reader against what the writer was given, against a run, and on files that are not ours.

usage: test_reader.py WRITE_H5MD POLHODE PYTHON_DIR
"""
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

WRITE_H5MD, POLHODE, PYTHON_DIR = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, PYTHON_DIR)
import polhode

KINDS = ("dipoles", "water", "mixture", "open", "argon")
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-reader-")
INPUT = """title: Small
units: reduced
system:
  box: {kind: periodic, density: 0.5}
  molecules:
    - {model: dipolar-soft-sphere, count: 32}
    - {model: stockmayer, count: 8}
  start: {kind: fcc, temperature: 1, seed: 3}
interactions:
  cutoff: 2
  electrostatics: {method: cutoff}
  pairs: [{sites: [dipolar-soft-sphere.A, stockmayer.A], wca: {epsilon: 1, sigma: 1}}]
dynamics: {scheme: verlet, step: 0.002, steps: 30, equilibrate: {steps: 20}}
output: {frames_every: 5, series_every: 5, dipole_every: 5}
"""


def path(name):
    return os.path.join(FOLDER.name, name + ".h5md")


def write(kind, *more):
    done = subprocess.run([WRITE_H5MD, kind, path(kind), "100", *more], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def run_small():
    source = os.path.join(FOLDER.name, "small.yaml")
    with open(source, "w") as file:
        file.write(INPUT)
    subprocess.run(
        [POLHODE, "run", source, "-o", path("run"), "--quiet", "--threads", "1"], check=True, stdout=subprocess.DEVNULL
    )


WANTED = {kind: write(kind) for kind in KINDS}
run_small()


class Written(unittest.TestCase):
    """Frame 1 of each kind, as the writer's test program printed it"""

    def each(self, kinds=KINDS):
        for kind in kinds:
            with self.subTest(kind), polhode.open(path(kind)) as run:
                yield WANTED[kind], run, run.frames[1]

    def test_frames_have_steps_and_times(self):
        for _, run, frame in self.each():
            self.assertEqual(len(run.frames), 11)
            self.assertEqual(list(run.frames.step), [10 * k for k in range(11)])
            self.assertEqual((frame.step, frame.index), (10, 1))
            self.assertEqual([each.step for each in run.frames[-2:]], [90, 100])
            self.assertEqual(list(run.frames[::5].step), [0, 50, 100])
            np.testing.assert_allclose(run.frames[::5].time, [0.0, 0.1, 0.2], rtol=1e-12)
            self.assertRaises(IndexError, lambda: run.frames[11])

    def test_centres_and_box_are_those_of_the_system(self):
        for want, run, frame in self.each():
            self.assertEqual(run.n_molecules, want["n"])
            np.testing.assert_array_equal(frame.centres, want["position"])
            if "edges" in want and run.file["particles/trajectory/box"].attrs["boundary"][0] == b"periodic":
                np.testing.assert_array_equal(frame.box.ravel(), want["edges"])
            else:
                self.assertIsNone(frame.box)

    def test_images_unwrap_the_centres(self):
        for _, run, frame in self.each(("dipoles", "water", "mixture")):
            groups = (
                [run.file["rigid_bodies"][one.name] for one in run.species]
                if "rigid_bodies" in run.file
                else ([run.file["particles/trajectory"]])
            )
            images = np.concatenate([group["image/value"][1] for group in groups])
            self.assertTrue(np.any(images != 0))
            np.testing.assert_allclose(frame.unwrapped, frame.centres + images @ frame.box, rtol=0, atol=1e-12)

    def test_attitudes_place_the_sites(self):
        for want, run, frame in self.each(("water", "mixture")):
            placed = [
                frame.centres[i] + (frame.attitudes[i] @ site.position if np.any(site.position) else 0)
                for one in run.species
                for i in range(one.first, one.first + one.count)
                for site in one.sites
            ]
            np.testing.assert_allclose(placed, [site[3:6] for site in want["sites"]], rtol=0, atol=1e-14)
            np.testing.assert_allclose(frame.sites, placed, rtol=0, atol=1e-14)
            names = [(one.name, site.name) for one in run.species for _ in range(one.count) for site in one.sites]
            self.assertEqual(names, [(site[0], site[1]) for site in want["sites"]])

    def test_attitudes_are_rotations(self):
        for want, run, frame in self.each(("dipoles", "open")):
            np.testing.assert_array_equal(frame.quaternions, want["orientation"])
            np.testing.assert_array_equal(frame.angular_momenta, want["angular_momentum"])
            product = np.einsum("nij,nik->njk", frame.attitudes, frame.attitudes)
            np.testing.assert_allclose(product, np.broadcast_to(np.eye(3), product.shape), atol=1e-14)
            np.testing.assert_allclose(np.linalg.det(frame.attitudes), 1.0, rtol=1e-14)

    def test_spheres_have_no_attitudes(self):
        for _, run, frame in self.each(("argon",)):
            self.assertIsNone(frame.attitudes)
            self.assertIsNone(frame.dipoles)
            self.assertIsNone(run.body_dipoles)

    def test_units_are_those_of_the_file(self):
        names = ("position", "velocity", "angular_momentum", "force", "torque", "dipole", "box", "time", "nothing")
        md = ["nm", "nm ps-1", "u nm+2 ps-1", "kJ mol-1 nm-1", "kJ mol-1", "e nm", "nm", "ps", ""]
        for kind, energy, units in (("dipoles", "", [""] * 9), ("water", "kJ mol-1", md), ("mixture", "kJ mol-1", md)):
            with self.subTest(kind), polhode.open(path(kind)) as run:
                self.assertEqual(run.series["total_energy"].unit, energy)
                self.assertEqual([run.unit(name) for name in names], units)

    def test_forces_and_torques_are_those_of_the_system(self):
        for want, _, frame in self.each(("dipoles", "water")):
            np.testing.assert_array_equal(frame.forces, want["force"])
            np.testing.assert_array_equal(frame.torques, want["torque"])

    def test_elements_with_a_cadence_of_their_own_are_found_by_step(self):
        write("dipoles", "0", "20")
        with polhode.open(path("dipoles")) as run:
            self.assertIsNone(run.frames[1].attitudes)
            self.assertEqual(run.frames[2].attitudes.shape, (run.n_molecules, 3, 3))
        WANTED["dipoles"] = write("dipoles")


class Staged(unittest.TestCase):
    """Two stages: steps of 0.002 up to step 20, then of 0.004 with frames every 5 steps and a box that grows"""

    def setUp(self):
        done = subprocess.run([WRITE_H5MD, "dipoles", path("staged"), "60", "0", "stages"], stdout=subprocess.PIPE, check=True)
        self.last = json.loads(done.stdout)
        self.run_ = polhode.open(path("staged"))
        self.addCleanup(self.run_.close)

    def test_stages_are_those_of_the_file(self):
        self.assertEqual(
            self.run_.stages,
            [
                polhode.Stage("melt", 0, 20, "constant temperature, Nosé-Hoover", 0.002, "NVT", 300.0, None),
                polhode.Stage("make", 20, 60, "constant pressure", 0.004, "NPT", 310.0, 2.5),
            ],
        )
        self.assertEqual(list(self.run_.frames.step), [0, 10, 20, *range(25, 61, 5)])
        self.assertEqual(list(self.run_.frames.production.step), list(range(20, 61, 5)))
        np.testing.assert_allclose(self.run_.frames.time[[2, 3, -1]], [0.04, 0.06, 0.2], rtol=1e-12)

    def test_stages_that_have_not_begun_are_left_out(self):
        subprocess.run([WRITE_H5MD, "dipoles", path("early"), "15", "0", "stages"], stdout=subprocess.DEVNULL, check=True)
        with polhode.open(path("early")) as run:
            self.assertEqual([(one.name, one.first, one.last) for one in run.stages], [("melt", 0, 15)])

    def test_files_may_say_nothing_of_ensembles(self):
        copy = os.path.join(FOLDER.name, "older.h5md")
        shutil.copy(path("staged"), copy)
        with h5py.File(copy, "r+") as file:
            for name in ("ensemble", "temperature", "pressure"):
                del file["parameters/stages"][name]
        with polhode.open(copy) as run:
            self.assertEqual(run.stages[1], polhode.Stage("make", 20, 60, "constant pressure", 0.004))
        found = json.loads(subprocess.run([POLHODE, "info", copy, "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.assertEqual(set(found["stages"][1]), {"name", "about", "first_step", "step"})

    def test_frames_have_boxes_of_their_own(self):
        sides = [frame.box[0, 0] for frame in self.run_.frames]
        np.testing.assert_allclose(sides, [5, 5, 5, *(5 * (0.8 + 0.01 * step) for step in range(25, 61, 5))], rtol=1e-15)
        np.testing.assert_array_equal(self.run_.box, np.reshape(self.last["edges"], (3, 3)))
        frame = self.run_.frames[4]
        images = self.run_.file["particles/trajectory/image/value"][4]
        np.testing.assert_allclose(frame.unwrapped, frame.centres + images @ frame.box, rtol=0, atol=1e-12)

    def test_exports_have_the_box_of_each_frame(self):
        def export(*words):
            words = [POLHODE, "export", path("staged"), "-o", "-", *words]
            return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")

        boxes = [frame.box for frame in self.run_.frames]
        lattices = [line.split('"')[1] for line in export("--format", "extxyz") if "Lattice" in line]
        np.testing.assert_array_equal([np.reshape(line.split(), (3, 3)).astype(float) for line in lattices], boxes)
        for frame in (0, 5, -1):
            found = [line for line in export("--format", "pdb", "--frames", str(frame)) if line.startswith("CRYST1")]
            sides = [float(found[0][k : k + 9]) for k in (6, 15, 24)]
            np.testing.assert_allclose(sides, np.diag(boxes[frame]), atol=5.1e-4)

    def test_runs_start_in_the_box_of_their_frame(self):
        source = os.path.join(FOLDER.name, "again.yaml")
        with open(source, "w") as file:
            file.write(
                "units: reduced\nsystem:\n  box: {kind: periodic}\n  molecules: [{model: stockmayer, count: 6}]\n"
                "  start: {kind: file, file: staged.h5md}\ninteractions: {cutoff: 2, electrostatics: {method: cutoff}}\ndynamics: {step: 0.001, steps: 0}\n"
            )
        for frame in (0, 5, -1):
            words = ["run", source, "-o", path("again"), "-q", "--overwrite", "--set", f"system.start.frame={frame}"]
            subprocess.run([POLHODE, *words], check=True, stdout=subprocess.DEVNULL)
            with polhode.open(path("again")) as run:
                np.testing.assert_array_equal(run.frames[0].box, self.run_.frames[frame].box)
                np.testing.assert_allclose(run.frames[0].centres, self.run_.frames[frame].centres, atol=1e-14)

    def test_the_picture_has_the_box_of_each_frame(self):
        from polhode.report import facts, view

        made = view.make_view(self.run_)
        np.testing.assert_array_equal(made["boxes"], [frame.box for frame in self.run_.frames])
        np.testing.assert_array_equal(made["corners"], np.zeros((11, 3)))
        np.testing.assert_allclose(np.add(made["low"], made["span"]), [7.0, 8.4, 9.8])
        self.assertTrue(facts.box_words(self.run_).endswith(" at the end"))
        with polhode.open(path("dipoles")) as still:
            self.assertEqual(np.shape(view.make_view(still)["boxes"]), (1, 3, 3))
            self.assertFalse(facts.box_words(still).endswith(" at the end"))

    def test_reports_know_stages_and_their_times(self):
        from polhode.report import facts, panels

        shade = panels.equilibration(self.run_)[0]
        np.testing.assert_allclose([shade["x0"], shade["x1"]], [0.0, 0.04], atol=1e-15)
        self.assertIn("0.16 units of time at constant temperature and pressure", facts.lead(self.run_))
        rows = dict(facts.facts(self.run_, None))
        self.assertIn("40", rows["Stage make"])
        self.assertTrue(rows["Stage make"].endswith(" of 0.004: constant pressure"), rows["Stage make"])
        self.assertTrue(rows["Stage melt"].endswith(" of 0.002: constant temperature, Nosé-Hoover"), rows["Stage melt"])

    def info(self, *more):
        return subprocess.run([POLHODE, "info", path("staged"), *more], check=True, stdout=subprocess.PIPE, text=True).stdout

    def test_info_shows_stages(self):
        found = json.loads(self.info("--json"))
        self.assertEqual(
            found["stages"],
            [
                {"name": "melt", "about": "constant temperature, Nosé-Hoover", "first_step": 0, "step": 0.002,
                 "ensemble": "NVT", "asked_temperature": 300},
                {"name": "make", "about": "constant pressure", "first_step": 20, "step": 0.004,
                 "ensemble": "NPT", "asked_temperature": 310, "asked_pressure": 2.5},
            ],
        )
        self.assertTrue(all("every" not in one for one in found["elements"] + found["series"]))
        self.assertEqual(found["box"]["first_edges"], [[5, 0, 0], [0, 6, 0], [0, 0, 7]])
        self.assertEqual(found["box"]["edges"], self.run_.box.tolist())
        text = self.info()
        self.assertIn("edges (5, 0, 0), (0, 6, 0), (0, 0, 7) at first, (7, 0, 0), (0, 8.4, 0), (0, 0, 9.8) at last\n", text)
        self.assertIn("stages          melt, from step 0 on, steps of 0.002: constant temperature, Nosé-Hoover\n", text)
        self.assertIn("                make, from step 20 on, steps of 0.004: constant pressure\n", text)

    def test_analyses_take_the_stage_they_are_told(self):
        def analyze(kind, stage):
            words = [POLHODE, "analyze", kind, path("staged"), *(["--stage", stage] if stage else []), "--json"]
            return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        for stage, rows in (("melt", 4), ("make", 41), ("production", 41), (None, 41), ("equilibration", 4), ("all", 45)):
            found = json.loads(analyze("energy", stage).stdout)["tables"]
            self.assertEqual(len(found[stage or "production"]["columns"]["time"]), rows, stage)
            self.assertEqual(set(found), {stage} if stage else {"production", "melt"})  # each conserves its own energy
        for stage, frames in (("melt", 2), ("make", 9), ("all", 11)):
            self.assertEqual(json.loads(analyze("rdf", stage).stdout)["parameters"]["frames"], frames, stage)
        for kind in ("rdf", "energy"):
            failed = analyze(kind, "meld")
            self.assertEqual(failed.returncode, 2)
            self.assertIn("--stage meld: not accepted; give production, equilibration, melt, make or all.", failed.stderr)
        old = subprocess.run(
            [POLHODE, "analyze", "energy", path("run"), "--stage", "melt"], stderr=subprocess.PIPE, text=True
        )
        self.assertEqual(old.returncode, 2)
        self.assertIn("give production, equilibration or all (the file names no stages)", old.stderr)


class OfARun(unittest.TestCase):
    def setUp(self):
        self.run_ = polhode.open(path("run"))
        self.addCleanup(self.run_.close)

    def test_a_run_says_what_it_was(self):
        run = self.run_
        self.assertEqual((run.title, run.units, run["scheme"], run["step"]), ("Small", "reduced", "verlet", 0.002))
        self.assertTrue(run.creator.startswith("polhode "))
        self.assertEqual(
            [(one.name, one.first, one.count) for one in run.species],
            [("dipolar-soft-sphere", 0, 32), ("stockmayer", 32, 8)],
        )
        self.assertIn("Stockmayer", run.models["stockmayer"])
        self.assertEqual(run.stages, [polhode.Stage("equilibration", 0, 20), polhode.Stage("production", 20, 50)])

    def test_series_know_their_production(self):
        energy = self.run_.series["total_energy"]
        self.assertEqual(list(energy.step), list(range(0, 51, 5)))
        self.assertEqual(list(energy.production.step), list(range(20, 51, 5)))
        np.testing.assert_array_equal(energy.production.value, energy.value[4:])
        self.assertEqual(len(self.run_.frames.production), 7)
        self.assertEqual(self.run_.series["pressure_tensor"].value.shape, (11, 3, 3))

    def test_body_dipoles_follow_from_the_total(self):
        written = self.run_.frames[-1]._join("dipole", 3)
        body = np.einsum("nji,nj->ni", self.run_.frames[-1].attitudes, written)
        for one, found in zip(self.run_.species, self.run_.body_dipoles):
            np.testing.assert_allclose(body[one.molecules], np.tile(found, (one.count, 1)), atol=1e-9)
            self.assertGreater(np.linalg.norm(found), 0.5)

    def test_unwrapped_centres_go_on_through_the_walls(self):
        for before, after in zip(self.run_.frames[:-1], self.run_.frames[1:]):
            moved = np.abs(after.unwrapped - before.unwrapped).max()
            self.assertLess(moved, 0.25 * before.box[0, 0])
        image = self.run_.frames[-1]._join("image", 3)
        np.testing.assert_allclose(
            self.run_.frames[-1].unwrapped - self.run_.frames[-1].centres, image * self.run_.box[0, 0], atol=1e-12
        )

    def test_progress_comes_from_the_checkpoint(self):
        progress = self.run_.progress
        self.assertEqual((progress.step, progress.end, progress.finished), (50, 50, True))
        self.assertEqual((progress.steps, progress.threads), (50, 1))
        self.assertTrue(0 < progress.seconds < 60)
        self.assertTrue(50 <= progress.evaluations <= 150)

    def test_the_checkpoint_of_another_run_does_not_count(self):
        shutil.copy(path("run"), path("copied"))
        with polhode.open(path("copied")) as run:
            self.assertIsNone(run.progress)
        shutil.copy(path("run") + ".checkpoint", path("water") + ".checkpoint")
        with polhode.open(path("water")) as run:
            self.assertIsNone(run.progress)


class Tables(unittest.TestCase):
    """Series and frames as pandas and xarray have them, against the CSV of the program and against the arrays"""

    def test_series_are_a_table_with_the_columns_of_the_csv(self):
        import pandas

        out = subprocess.run([POLHODE, "export", path("run"), "--format", "csv", "-o", "-"], check=True, capture_output=True)
        want = pandas.read_csv(io.BytesIO(out.stdout), index_col=["step", "time"], float_precision="round_trip")
        with polhode.open(path("run")) as run:
            found = run.to_pandas()
            self.assertEqual(set(found.columns), set(want.columns))
            pandas.testing.assert_frame_equal(found[list(want.columns)], want, check_exact=True, check_dtype=False)
            self.assertEqual(found.attrs["units"]["dipole_y"], run.series["dipole"].unit)
            later = run.to_pandas(["dipole"], production=True)
            self.assertEqual([list(later.columns), len(later)], [[f"dipole_{a}" for a in "xyz"], len(run.series["dipole"].production)])
            with self.assertRaisesRegex(polhode.UnknownName, "did you mean 'total_energy'"):
                run.to_pandas("total_enrgy")

    def test_frames_and_series_are_labelled_arrays(self):
        with polhode.open(path("run")) as run:
            series = run.to_xarray(production=True)
            np.testing.assert_array_equal(series.pressure_tensor.sel(axis="y", axis_of="z"),
                                          run.series["pressure_tensor"].production.value.reshape(-1, 3, 3)[:, 1, 2])
            np.testing.assert_array_equal(series.step, run.series["pressure"].production.step)
            frames = run.frames[2:5]
            found = frames.to_xarray()
            np.testing.assert_array_equal(found.centres.isel(time=1), frames[1].centres)
            np.testing.assert_array_equal(found.quaternions.sel(component="w"), [frame.quaternions[:, 0] for frame in frames])
            np.testing.assert_array_equal(found.box.isel(time=2), frames[2].box)
            self.assertEqual(list(found.step), list(frames.step))
            self.assertEqual(list(found.species[[0, 31, 32]].values), ["dipolar-soft-sphere"] * 2 + ["stockmayer"])
            with self.assertRaisesRegex(ValueError, "not every selected frame has forces"):
                frames.to_xarray("forces")
        with polhode.open(path("water")) as run:
            self.assertEqual(run.frames[:1].to_xarray(["velocities"]).velocities.attrs["units"], run.unit("velocity"))


class WrongNames(unittest.TestCase):
    """The answer has the nearest name, and all of them."""

    def refuses(self, kind, call, *words):
        with self.assertRaises(kind) as caught:
            call()
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_of_the_package(self):
        self.refuses(AttributeError, lambda: polhode.opne, "'opne'", "did you mean 'open'", "Simulation", "results")
        self.assertIs(polhode.results.load, __import__("polhode.results").results.load)

    def test_of_what_a_file_holds(self):
        with polhode.open(path("run")) as run:
            frame = run.frames[-1]
            self.refuses(AttributeError, lambda: run.sereis, "did you mean 'series'", "frames")
            self.refuses(AttributeError, lambda: frame.positons, "Frame", "centres", "quaternions")
            self.refuses(AttributeError, lambda: run.species[0].inertai, "did you mean 'inertia'", "mass")
            self.refuses(AttributeError, lambda: run.stages[0].frist, "did you mean 'first'")
            self.refuses(AttributeError, lambda: run.series["total_energy"].values, "did you mean 'value'", "production")
            self.refuses(KeyError, lambda: run.series["totl_energy"], run.path, "'total_energy'?", "potential_energy")
            self.refuses(KeyError, lambda: run["schme"], run.path, "did you mean 'scheme'", "units")
            self.assertNotIn("totl_energy", run.series)
            self.assertIsNone(run.series.get("totl_energy"))
            self.assertIsNone(run.get("schme"))

    def test_of_analyses(self):
        result = polhode.results.analyze(POLHODE, "energy", path("run"))
        self.refuses(KeyError, lambda: result.values["n_such"], "among its values", next(iter(result.values)))
        self.refuses(KeyError, lambda: result.tables["n_such"], "among its tables")
        self.refuses(AttributeError, lambda: result.vlaues, "did you mean 'values'")
        table = polhode.results.Table({"r": np.zeros(1)})
        self.refuses(KeyError, lambda: table["g"], "There are: r.")


class Strange(unittest.TestCase):
    def fails(self, name, *words):
        with self.assertRaises(polhode.TrajectoryError) as caught:
            polhode.open(path(name))
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_what_is_no_trajectory_is_named(self):
        self.fails("none", "none.h5md", "is not there")
        with open(path("text"), "w") as file:
            file.write("not HDF5\n")
        self.fails("text", "text.h5md", "not an HDF5 file")
        with h5py.File(path("other"), "w") as file:
            file["numbers"] = [1, 2, 3]
        self.fails("other", "not H5MD")
        with open(path("run"), "rb") as whole, open(path("cut"), "wb") as cut:
            cut.write(whole.read()[:20000])
        self.fails("cut", "cut.h5md", "truncated")

    def test_another_programs_file_is_read_as_far_as_it_goes(self):
        with h5py.File(path("peer"), "w") as file:
            file.create_group("h5md").attrs["version"] = [1, 1]
            atoms = file.create_group("particles/all")
            atoms["position/value"] = np.arange(18, dtype="f4").reshape(2, 3, 3)
            atoms["position/step"] = 100  # linear
            atoms["box/edges"] = [5.0, 6.0, 7.0]
        with polhode.open(path("peer")) as run:
            self.assertEqual((run.n_molecules, list(run.frames.step), run.units, run.series), (3, [0, 100], "", {}))
            np.testing.assert_array_equal(run.box, np.diag([5.0, 6.0, 7.0]))
            self.assertIsNone(run.frames[0].attitudes)
            self.assertIsNone(run.frames[0].dipoles)
            np.testing.assert_array_equal(run.frames[1].unwrapped, np.arange(9, 18).reshape(3, 3))

    def test_a_file_without_frames_has_none(self):
        with h5py.File(path("empty"), "w") as file:
            file.create_group("h5md").attrs["version"] = [1, 1]
        with polhode.open(path("empty")) as run:
            self.assertEqual((len(run.frames), run.n_molecules, run.box, run.species), (0, 0, None, []))
            self.assertEqual((len(run.frames.step), len(run.frames.production), run.stages[0].last), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
