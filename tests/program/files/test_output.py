#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a run gives and how it is asked: frames in single precision, the summary as JSON, inputs from standard input.

usage: test_output.py POLHODE PYTHON_DIR
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

from calling import FOLDER, POLHODE, call, path, run

PYTHON_DIR = sys.argv.pop(1)
sys.path.insert(0, PYTHON_DIR)
import polhode
from polhode.results import analyze

INPUT = """title: Small
units: md
system:
  box: {kind: periodic, length: 1.9}
  molecules: [{model: spc-e, count: 216}]
  start: {kind: simple-cubic, temperature: 300, seed: 3}
interactions: {cutoff: 0.9, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.001, steps: 20}
output: {frames_every: 5, series_every: 5, checkpoint_every: 10, author: nobody,
         dipole_every: 5, force_every: 5, torque_every: 10}
"""


MODEL = """name: pair
source: none
units: reduced
sites: [{name: A/B, mass: 1, position: [0, 0, 0]}, {name: C, mass: 1, position: [1, 0, 0]}]
"""
PAIRS = """units: reduced
system:
  box: {length: 10}
  molecules: [{model: pair.yaml, count: 8}]
  start: {kind: simple-cubic, temperature: 1}
interactions: {cutoff: 2}
dynamics: {scheme: verlet, step: 0.001, steps: 10}
output: {frames_every: 5, series_every: 5}
"""


def data_sets(file):
    """All data sets of rows, by path"""
    found = {}
    file.visititems(lambda name, item: found.update({name: item}) if name.endswith("/value") else None)
    return found


with open(path("input.yaml"), "w") as out:
    out.write(INPUT)


class Names(unittest.TestCase):
    def test_a_slash_in_the_name_of_a_site_is_no_group(self):
        for name, text in ("pair.yaml", MODEL), ("pairs.yaml", PAIRS):
            with open(path(name), "w", encoding="utf-8") as file:
                file.write(text)
        call("run", path("pairs.yaml"), "-o", path("pairs.h5md"), "--quiet")
        found = analyze(POLHODE, "rdf", path("pairs.h5md"))
        self.assertIn("peak_distance.pair.A:B-pair.C", found.values)
        with polhode.open(path("pairs.h5md")) as run:
            self.assertEqual([site.name for site in run.species[0].sites], ["A/B", "C"])


class SinglePrecision(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.double = run("double.h5md")
        cls.single = run("single.h5md", "--set", "output.precision=single")

    def test_numbers_of_frames_are_rounded_and_need_half_the_bytes(self):
        with h5py.File(self.double, "r") as exact, h5py.File(self.single, "r") as rounded:
            ours, theirs = data_sets(rounded), data_sets(exact)
            self.assertEqual(set(ours), set(theirs))
            halved = []
            for name, data in ours.items():
                frames = name.startswith(("particles/", "rigid_bodies/")) and "/box/" not in name
                if frames and "/image/" not in name:
                    halved.append(name)
                    self.assertEqual(data.dtype, np.dtype("<f4"), name)
                    np.testing.assert_array_equal(data[:], theirs[name][:].astype("<f4"), err_msg=name)
                    sizes = [each.id.get_storage_size() - 4 * each.id.get_num_chunks() for each in (data, theirs[name])]
                    self.assertEqual(2 * sizes[0], sizes[1], name)  # but for the checksums
                else:
                    self.assertEqual(data.dtype, theirs[name].dtype, name)
                    np.testing.assert_array_equal(data[:], theirs[name][:], err_msg=name)
            bodies = "rigid_bodies/spc-e/"
            for name in ("center", "velocity", "orientation", "angular_momentum", "dipole", "force", "torque"):
                self.assertIn(f"{bodies}{name}/value", halved)
            self.assertIn("particles/trajectory/position/value", halved)

    def test_a_run_in_pieces_gives_the_same_bytes(self):
        """Frames are no part of the state: what is resumed has all its digits."""
        half = run("pieces.h5md", "--set", "output.precision=single", "--set", "dynamics.steps=10")
        call("resume", half, "--steps", "10", "--quiet")
        with h5py.File(self.single, "r") as whole, h5py.File(half, "r") as pieces:
            ours, theirs = data_sets(pieces), data_sets(whole)
            for name, data in ours.items():
                self.assertEqual(data[:].tobytes(), theirs[name][:].tobytes(), name)
            self.assertEqual(whole["parameters/state_hash"][()], pieces["parameters/state_hash"][()])
        with h5py.File(self.double, "r") as exact, h5py.File(self.single, "r") as rounded:
            self.assertEqual(exact["parameters/state_hash"][()], rounded["parameters/state_hash"][()])

    def test_info_tells_it(self):
        for file, numbers in ((self.double, "double"), (self.single, "single")):
            text, _ = call("info", file)
            self.assertEqual("in single precision" in text, numbers == "single")
            told = json.loads(call("info", file, "--json")[0])
            numbers_of = {each["path"]: each["numbers"] for each in told["elements"]}
            self.assertEqual(numbers_of["particles/trajectory/position"], numbers)
            self.assertEqual(numbers_of["particles/trajectory/box/edges"], "double")
            self.assertEqual(numbers_of["particles/trajectory/image"], "integer")
            self.assertEqual({each["numbers"] for each in told["series"]}, {"double"})

    def test_readers_read_both(self):
        exact, rounded = polhode.open(self.double), polhode.open(self.single)
        for name in ("centres", "velocities", "quaternions", "angular_momenta", "dipoles", "forces", "torques", "sites"):
            ours, theirs = (np.asarray(getattr(each.frames[-1], name)) for each in (rounded, exact))
            self.assertEqual(ours.dtype, np.dtype(float), name)
            size = np.abs(theirs).max()
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7 * size, err_msg=name)
            self.assertGreater(np.abs(ours - theirs).max(), 1e-10 * size, name)
        for file in (self.double, self.single):
            call("analyze", "rdf", file, "--json")
            call("export", file, "--format", "extxyz", "-o", path("x.extxyz"), "--overwrite")
        # a run that starts from it
        start = ["--set", "system.start.kind=file", "--set", f"system.start.file={self.single}", "--set",
                 "system.start.temperature=", "--set", "system.start.seed="]
        told = json.loads(call("energy", path("input.yaml"), *start, "--json")[0])
        want, found = exact.series["potential_energy"].value[-1], told["energy"]["potential"]
        self.assertLess(abs(found - want), 1e-5 * abs(want))

    def test_another_precision_is_refused_with_the_choices(self):
        _, text = call("check", path("input.yaml"), "--set", "output.precision=half", status=2)
        self.assertIn("output.precision", text)
        self.assertIn("double, single", text)


class SummaryAsJson(unittest.TestCase):
    def test_it_says_what_the_text_says(self):
        words = ("run", path("input.yaml"), "-o", path("told.h5md"), "--overwrite", "--threads", "1", "--set",
                 "dynamics.equilibrate={steps: 10, temperature: 300}")
        text, _ = call(*words)
        told, progress = call(*words, "--json")
        told = json.loads(told)  # one document and nothing else
        self.assertIn("216 molecules", progress)
        self.assertEqual(told["state"], "finished")
        self.assertEqual((told["first_step"], told["last_step"], told["planned_steps"]), (0, 30, 30))
        self.assertEqual((told["units"], told["molecules"], told["title"]), ("md", 216, "Small"))
        self.assertEqual((told["file"], told["checkpoint"]), (path("told.h5md"), path("told.h5md.checkpoint")))
        self.assertGreater(told["seconds"], 0)
        self.assertAlmostEqual(told["time"], 0.03)
        energy = told["total_energy"]
        shown = re.search(r"energy per molecule +(\S+)", text)
        self.assertEqual(f"{energy['first']:.10g}", shown.group(1))
        shown = re.search(r"its drift +(\S+) \+- (\S+)", text)
        self.assertEqual((f"{energy['drift']:+.2e}", f"{energy['drift_error']:.1e}"), shown.groups())
        for key, label, digits in (("potential_energy", "potential energy", 6), ("pressure", "pressure", 5),
                                   ("temperature_translation", "temperature", 5)):
            shown = re.search(rf"^{label} +(\S+)", text, re.MULTILINE).group(1)
            self.assertEqual(f"{told[key]['mean']:.{digits}g}", shown, key)
        asked = [each["text"] for each in told["asked_and_obtained"] if each["shown"]]
        self.assertTrue(asked)
        for line in asked:
            self.assertIn(line, text)
        # the means are those of the series, and errors those of the analyses
        series = polhode.open(told["file"]).series
        self.assertAlmostEqual(told["potential_energy"]["mean"], series["potential_energy"].production.mean() / 216, 10)
        analysed = json.loads(call("analyze", "temperature", told["file"], "--json")[0])["values"]["translation"]
        self.assertEqual((analysed["value"], analysed["error"]), tuple(told["temperature_translation"].values()))

    def test_resume_has_it_too_and_says_where_it_began(self):
        file = run("goes-on.h5md", "--set", "dynamics.steps=10")
        told = json.loads(call("resume", file, "--steps", "5", "--json", "--quiet")[0])
        self.assertEqual((told["state"], told["first_step"], told["last_step"]), ("finished", 10, 15))

    def test_an_interrupted_run_says_so(self):
        process = subprocess.Popen([POLHODE, "run", path("input.yaml"), "-o", path("cut.h5md"), "--json", "--set",
                                    "dynamics.steps=100000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not os.path.exists(path("cut.h5md.checkpoint")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told = json.loads(process.communicate()[0])
        self.assertEqual(process.returncode, 130)
        self.assertEqual(told["state"], "interrupted")
        self.assertLess(told["last_step"], told["planned_steps"])

    def test_a_run_that_fails_prints_no_document(self):
        out, text = call("run", path("input.yaml"), "-o", path("hot.h5md"), "--json", "--set", "dynamics.step=1", status=3)
        self.assertEqual(out, "")
        self.assertTrue(text)


class StandardInput(unittest.TestCase):
    def test_an_input_from_there_is_the_same_input(self):
        want = call("energy", path("input.yaml"), "--json")[0].splitlines()
        got = call("energy", "-", "--json", input=INPUT)[0].splitlines()
        self.assertEqual([line for line in got if "input" not in line], [line for line in want if "input" not in line])
        self.assertEqual(json.loads("\n".join(got))["input"], "standard input")
        self.assertIn("standard input", call("check", "-", input=INPUT)[0])

    def test_a_run_of_it_has_its_text_and_can_be_resumed(self):
        """Nothing else has the text: the folder is empty but for the two files of the run."""
        with tempfile.TemporaryDirectory(dir=FOLDER.name) as folder:
            file = os.path.join(folder, "piped.h5md")
            call("run", "-", "-o", file, "--quiet", "--set", "dynamics.steps=10", input=INPUT, cwd=folder)
            call("resume", file, "--steps", "10", "--quiet", cwd=folder)
            whole = run("direct.h5md")
            with h5py.File(file, "r") as piped, h5py.File(whole, "r") as direct:
                self.assertEqual(piped["parameters/input"][()], direct["parameters/input"][()])
                self.assertEqual(piped["parameters/input_file"][()].rstrip(b"\0"), b"standard input")
                self.assertEqual(piped["parameters/state_hash"][()], direct["parameters/state_hash"][()])

    def test_the_trajectory_needs_a_name(self):
        with tempfile.TemporaryDirectory(dir=FOLDER.name) as folder:
            _, text = call("run", "-", input=INPUT, status=2, cwd=folder)
            self.assertIn("standard input", text)
            self.assertIn("-o FILE.h5md", text)
            self.assertEqual(os.listdir(folder), [])
            call("run", "-", "--quiet", "--set", "output.file=named.h5md", input=INPUT, cwd=folder)
            self.assertIn("named.h5md", os.listdir(folder))

    def test_messages_name_it_with_the_line(self):
        _, text = call("check", "-", input=INPUT.replace("cutoff: 0.9", "cutof: 0.9"), status=2)
        self.assertIn("standard input:7", text)
        _, text = call("check", "-", input="", status=2)
        self.assertIn("standard input: the file is empty", text)


if __name__ == "__main__":
    unittest.main()
