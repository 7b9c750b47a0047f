#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""polhode sweep: runs over tables of parameters, interrupted and resumed, their summary and page.

usage: test_sweep.py POLHODE
"""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tools/python"))
from browser import shared_browser
from calling import POLHODE, call
from polhode.report import sweep

INPUT = """title: A small fluid
units: reduced
system:
  box: {kind: periodic, density: 0.5}
  molecules: [{model: stockmayer, count: 108}]
  start: {kind: fcc, temperature: 1.3, seed: 3}
interactions: {cutoff: 2.2, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.004, steps: 40}
output: {frames_every: 10, series_every: 2, checkpoint_every: 10, author: nobody}
"""
STEPS, SEEDS = ("0.002", "0.004"), ("1", "2")
VARY = ("--vary", "dynamics.step=0.002,0.004", "--vary", "system.start.seed=1..2")


def rows_of(folder):
    with open(os.path.join(folder, "sweep.csv"), newline="") as file:
        return list(csv.DictReader(file))


def told_by(folder):
    with open(os.path.join(folder, "sweep.json")) as file:
        return json.load(file)


def contents(file):
    """Every data set of a trajectory, but for what names its file and its process"""
    found = {}
    with h5py.File(file, "r") as run:
        run.visititems(lambda name, item: found.update({name: item[()].tobytes() if hasattr(item[()], "tobytes") else item[()]})
                       if isinstance(item, h5py.Dataset) else None)
    return {name: data for name, data in found.items() if name != "parameters/identity"}


class Sweep(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="polhode-sweep-")
        self.addCleanup(self._folder.cleanup)
        with open(self.path("fluid.yaml"), "w") as out:
            out.write(INPUT)

    def path(self, *names):
        return os.path.join(self._folder.name, *names)

    def sweep(self, *words, status=0):
        return call("sweep", "fluid.yaml", "--quiet", "--threads", "1", *words, status=status, cwd=self._folder.name)

    def test_runs_are_those_of_polhode_run(self):
        out, _ = self.sweep(*VARY, "-o", "all", "--no-page")
        told, rows = told_by(self.path("all")), rows_of(self.path("all"))
        self.assertEqual(told["keys"], ["dynamics.step", "system.start.seed"])
        self.assertEqual([tuple(run["parameters"].values()) for run in told["runs"]],
                         [(step, seed) for step in STEPS for seed in SEEDS])
        self.assertEqual(len(rows), 4)
        for k, (run, row) in enumerate(zip(told["runs"], rows)):
            step, seed = STEPS[k // 2], SEEDS[k % 2]
            direct, sets = self.path(f"direct{k}.h5md"), ("--set", f"dynamics.step={step}", "--set", f"system.start.seed={seed}")
            summary = json.loads(call("run", "fluid.yaml", *sets, "-o", direct, "--quiet", "--threads", "1", "--json",
                                      cwd=self._folder.name)[0])
            self.assertEqual(contents(direct), contents(self.path("all", run["file"])))
            self.assertEqual((row["run"], row["dynamics.step"], row["system.start.seed"], row["state"], row["steps"]),
                             (f"00{k + 1}", step, seed, "finished", "40"))
            for key in ("total_energy", "potential_energy", "temperature_translation", "temperature_rotation", "pressure"):
                self.assertEqual(run[key], summary[key], key)
            for key in ("potential_energy", "temperature_translation", "temperature_rotation", "pressure"):
                self.assertEqual((float(row[key]), float(row[key + "_error"])), tuple(summary[key].values()), key)
            self.assertEqual(float(row["drift"]), summary["total_energy"]["drift"])
            self.assertIn(f"{row['run']}  {step}  {seed}     finished", out)

    def test_the_same_command_goes_on_where_it_was_interrupted(self):
        self.sweep(*VARY, "-o", "whole", "--no-page")
        words = [POLHODE, "sweep", "fluid.yaml", "--quiet", "--threads", "1", *VARY, "-o", "cut", "--no-page"]
        finished = self.path("cut", "001", "run.h5md")
        for cut in (signal.SIGINT, signal.SIGKILL, signal.SIGTERM):  # wherever it hits
            process = subprocess.Popen(words, cwd=self._folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while process.poll() is None and not os.path.exists(finished):
                time.sleep(0.001)
            process.send_signal(cut)
            process.communicate()
            self.assertIn(process.returncode, (0, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT))
            finished = self.path("cut", f"00{3 if cut == signal.SIGINT else 4}", "run.h5md")
        call(*words[1:], cwd=self._folder.name)
        for run in told_by(self.path("cut"))["runs"]:
            self.assertEqual(run["state"], "finished")
            self.assertEqual(contents(self.path("cut", run["file"])), contents(self.path("whole", run["file"])))
        self.assertEqual(rows_of(self.path("cut")), rows_of(self.path("whole")))

    def test_an_interrupted_sweep_says_so_and_resumes_from_the_checkpoint(self):
        """The first run is made long enough to be caught in it."""
        words = [POLHODE, "sweep", "fluid.yaml", "--threads", "1", "--set", "dynamics.steps=100000", "--set",
                 "output.frames_every=1000", "--set", "output.series_every=1000", "--vary", "system.start.seed=1,2",
                 "-o", "long", "--json"]
        process = subprocess.Popen(words, cwd=self._folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not os.path.exists(self.path("long", "001", "run.h5md.checkpoint")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told = json.loads(process.communicate()[0])
        self.assertEqual(process.returncode, 130)
        self.assertEqual([run["state"] for run in told["runs"]], ["interrupted", "waiting"])
        reached = told["runs"][0]["last_step"]
        self.assertLess(reached, 100000)
        process = subprocess.Popen(words, cwd=self._folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stderr.readline()  # "2 runs in long": from here on signals are waited for
        process.send_signal(signal.SIGINT)
        told = json.loads(process.communicate()[0])
        self.assertGreaterEqual(told["runs"][0]["last_step"], reached)

    def test_another_plan_is_refused(self):
        self.sweep(*VARY, "-o", "all", "--no-page")
        before = contents(self.path("all", "001", "run.h5md"))
        _, text = self.sweep("--vary", "dynamics.step=0.002,0.005", "--vary", "system.start.seed=1..2", "-o", "all", status=2)
        self.assertIn("dynamics.step=0.004", text)
        self.assertIn("dynamics.step=0.005", text)
        with open(self.path("fluid.yaml"), "a") as out:
            out.write("# another remark\n")
        _, text = self.sweep(*VARY, "-o", "all", status=2)
        self.assertIn("another remark", text)
        self.assertEqual(contents(self.path("all", "001", "run.h5md")), before)

    def files_of(self, folder):
        found = {}
        for where, _, names in os.walk(self.path(folder)):
            for name in names:
                with open(os.path.join(where, name), "rb") as file:
                    found[os.path.join(where, name)] = file.read()
        return found

    def test_results_without_a_plan_are_left_alone(self):
        words = ("--vary", "system.start.seed=1,2", "--no-page")
        self.sweep(*words, "-o", "all")
        whole = self.files_of("all")
        os.remove(self.path("all", "plan.txt"))
        before = self.files_of("all")
        self.assertIn("all/001: is there already (and 3 more", self.sweep(*words, "-o", "all", status=4)[1])
        self.assertEqual(self.files_of("all"), before)
        for name in ("002", "0002", "sweep.csv", "sweep.json", "sweep.html"):
            with self.subTest(name=name):
                os.mkdir(self.path("own"))
                if name.startswith("sweep"):
                    with open(self.path("own", name), "w") as out:
                        out.write("mine")
                else:
                    os.mkdir(self.path("own", name))
                before = self.files_of("own")
                self.assertIn(f"own/{name}: is there already, but no plan.txt", self.sweep(*words, "-o", "own", status=4)[1])
                self.assertEqual((self.files_of("own"), os.listdir(self.path("own"))), (before, [name]))
                shutil.rmtree(self.path("own"))
        os.mkdir(self.path("own"))  # other names are no hindrance
        for name in ("01", "001.txt", "12345", "my-sweep.csv"):
            with open(self.path("own", name), "w") as out:
                out.write("mine")
        before = self.files_of("own")
        self.sweep(*words, "-o", "own")
        self.assertEqual([row["state"] for row in rows_of(self.path("own"))], ["finished"] * 2)
        self.assertEqual({name: self.files_of("own")[name] for name in before}, before)
        self.assertEqual(self.files_of("own")[self.path("own", "plan.txt")], whole[self.path("all", "plan.txt")])

    def test_what_a_sweep_reads_is_not_replaced_by_its_tables(self):
        table = "dynamics.step\n0.002\n"
        for name in ("runs.csv", "sweep.csv"):
            with open(self.path(name), "w") as out:
                out.write(table)
        os.symlink("sweep.csv", self.path("link.csv"))
        for name in ("sweep.csv", "./sweep.csv", "link.csv"):
            _, text = self.sweep("--table", name, "-o", ".", "--no-page", status=2)
            self.assertIn(f"{name}: is the table of this sweep and cannot be its sweep.csv", text)
        self.assertFalse(os.path.exists(self.path("plan.txt")))
        self.sweep("--table", "runs.csv", "-o", "all", "--no-page")
        shutil.copy(self.path("runs.csv"), self.path("all", "sweep.csv"))  # has the same plan
        self.assertIn("is the table", self.sweep("--table", "all/sweep.csv", "-o", "all", "--no-page", status=2)[1])
        shutil.copy(self.path("fluid.yaml"), self.path("all", "sweep.json"))
        self.assertIn("is the input", call("sweep", "all/sweep.json", "--table", "runs.csv", "-o", "all", "--no-page", status=2,
                                           cwd=self._folder.name)[1])
        for name, wanted in (("sweep.csv", table), ("all/sweep.csv", table), ("all/sweep.json", INPUT)):
            with open(self.path(name)) as file:
                self.assertEqual(file.read(), wanted)
        self.sweep("--table", "sweep.csv", "-o", "other", "--no-page")  # in another folder it is a table as any

    def test_a_changed_start_file_is_refused(self):
        call("run", "fluid.yaml", "-o", "one.h5md", "--quiet", cwd=self._folder.name)
        call("run", "fluid.yaml", "--set", "system.start.seed=4", "-o", "two.h5md", "--quiet", cwd=self._folder.name)
        for name in ("one", "two"):
            call("export", f"{name}.h5md", "--format", "extxyz", "-o", f"{name}.xyz", cwd=self._folder.name)
        for ending in ("xyz", "h5md"):
            with self.subTest(ending=ending):
                start, other = self.path(f"start.{ending}"), self.path(f"other.{ending}")
                shutil.copy(self.path(f"one.{ending}"), start)
                shutil.copy(self.path(f"two.{ending}"), other)
                for folder, words in (("set", ("--set", f"system.start=start.{ending}", "--vary", "dynamics.step=0.002,0.004")),
                                      ("varied", ("--vary", f"system.start=other.{ending},start.{ending}"))):
                    words = (*words, "-o", f"{folder}-{ending}", "--no-page")
                    self.sweep(*words)
                    before = self.files_of(f"{folder}-{ending}")
                    os.utime(start)  # the same bytes are the same file
                    self.sweep(*words)
                    self.assertEqual(self.files_of(f"{folder}-{ending}"), before)
                    with open(self.path(f"{folder}-{ending}", "plan.txt")) as file:
                        plan = file.read()
                    self.assertEqual(plan.count(f"start file start.{ending}, hash "), 1)
                    self.assertEqual(plan.count(f"start file other.{ending}, hash "), folder == "varied")
                    shutil.copy(self.path(f"two.{ending}"), start)
                    _, text = self.sweep(*words, status=2)
                    self.assertIn(f"start file start.{ending}, hash ", text)
                    self.assertEqual(self.files_of(f"{folder}-{ending}"), before)
                    os.remove(start)
                    self.assertIn(f"start.{ending}: cannot be read", self.sweep(*words, status=4)[1])
                    shutil.copy(self.path(f"one.{ending}"), start)
                    self.sweep(*words)
        with open(start, "r+b") as file:  # one bit, late in a file of several blocks
            file.seek(-1000, os.SEEK_END)
            byte = file.read(1)[0]
            file.seek(-1000, os.SEEK_END)
            file.write(bytes([byte ^ 1]))
        self.assertIn("start file start.h5md", self.sweep(*words, status=2)[1])
        self.sweep("--vary", "dynamics.step=0.004", "-o", "none", "--no-page")
        with open(self.path("none", "plan.txt")) as file:
            self.assertNotIn("start file", file.read())

    def test_wrong_values_are_found_before_anything_runs(self):
        with open(self.path("open.csv"), "w") as out:
            out.write('system.box,dynamics.step\n"{kind: periodic, density: 0.4}",0.002\n"{kind: periodic, density: 0.4},0.002\n')
        with open(self.path("open-keys.csv"), "w") as out:
            out.write('output.author,"dynamics.step\nme,0.002\n')
        for words, part in ((("--vary", "dynamics.stepp=1,2"), "dynamics.stepp"), (("--vary", "dynamics.step=1,-2"), "-2"),
                            (("--vary", "dynamics.step"), "a key and its values"),
                            (("--vary", "system.start.seed=4..1"), "4..1"),
                            (("--vary", "output.author="), "--vary output.author=: a value is empty"),
                            (("--vary", "output.author= "), "a value is empty"),
                            (("--vary", "output.author=me,,you"), "a value is empty"),
                            (("--vary", "output.author=me,"), "a value is empty"),
                            (("--table", "open.csv"), 'open.csv:3: a quote (") is not closed'),
                            (("--table", "open-keys.csv"), 'open-keys.csv:1: a quote (") is not closed'),
                            (("--vary", "system.start=none.xyz"), "none.xyz: cannot be read"),
                            (("--vary", "system.start=./"), "./: is not a file"),
                            (("--vary", "dynamics.step=1", "--vary", "dynamics.step=2"), "varied twice"),
                            (("--table", "none.csv"), "none.csv"), ((), "--vary")):
            _, text = self.sweep(*words, "-o", "wrong", status=4 if "none." in "".join(words) or "./" in "".join(words) else 2)
            self.assertIn(part, text)
            self.assertFalse(os.path.exists(self.path("wrong")))

    def test_a_table_and_values_with_commas(self):
        with open(self.path("runs.csv"), "w") as out:
            out.write('dynamics.step, system.box\n0.002,"{kind: periodic, density: 0.4}"\n\n'
                      '0.003,"{kind: periodic, density: 0.5}"\n')
        self.sweep("--table", "runs.csv", "--vary", "system.start={kind: fcc, temperature: 1, seed: 4}", "-o", "all", "--no-page")
        rows = rows_of(self.path("all"))
        self.assertEqual([row["system.box"] for row in rows], ["{kind: periodic, density: 0.4}", "{kind: periodic, density: 0.5}"])
        self.assertEqual([row["state"] for row in rows], ["finished"] * 2)
        with h5py.File(self.path("all", "002", "run.h5md"), "r") as run:
            self.assertEqual(run["parameters/step"][()], 0.003)
            edge = run["particles/trajectory/box/edges/value"][0][0][0]
        self.assertAlmostEqual(108 / edge**3, 0.5)
        with open(self.path("runs.csv"), "w") as out:
            out.write("dynamics.step,dynamics.steps\n0.002\n")
        self.assertIn("runs.csv:2: 1 value, but the first line has 2 keys", self.sweep("--table", "runs.csv", status=2)[1])

    def test_quotes_in_a_value_are_written_twice(self):
        with open(self.path("runs.csv"), "w") as out:
            out.write('output.author,dynamics.step\n"a ""b"", c",0.002\n')
        self.sweep("--table", "runs.csv", "-o", "table", "--no-page")
        self.assertEqual([row["output.author"] for row in rows_of(self.path("table"))], ['a "b", c'])

    def test_a_run_that_fails_is_noted_and_the_others_go_on(self):
        words = ("--vary", "dynamics.step=0.002,0.9,0.004", "--set", "dynamics.steps=400", "-o", "hot", "--no-page")
        _, text = self.sweep(*words, status=1)
        self.assertIn("run 002", text)
        rows, told = rows_of(self.path("hot")), told_by(self.path("hot"))
        self.assertEqual([row["state"] for row in rows], ["finished", "failed", "finished"])
        self.assertEqual(rows[1]["potential_energy"], "nan")
        self.assertTrue(told["runs"][1]["message"])
        changed = os.path.getmtime(self.path("hot", "001", "run.h5md"))
        self.sweep(*words, status=1)  # nothing is run again
        self.assertEqual(os.path.getmtime(self.path("hot", "001", "run.h5md")), changed)

    def compare_with_runs_alone(self, folder, *words):
        """Every run of the sweep beside `polhode run` with the same values; failures by their messages. Returns states."""
        runs = told_by(self.path(folder))["runs"]
        for run in runs:
            sets = [word for key, value in run["parameters"].items() for word in ("--set", f"{key}={value}")]
            direct, failed = self.path(f"{folder}-{run['run']}.h5md"), run["state"] == "failed"
            _, text = call("run", *words, *sets, "-o", direct, "--quiet", "--threads", "1", status=3 if failed else 0,
                           cwd=self._folder.name)
            if failed:
                self.assertIn(run["message"].split(" The last good checkpoint")[0], text)
            else:
                self.assertEqual(contents(direct), contents(self.path(folder, run["file"])), run["run"])
        return [run["state"] for run in runs]

    def test_runs_side_by_side_have_the_bits_that_they_have_alone(self):
        """With lists and without, in different boxes; two fail on their way, at once and later."""
        words = ("fluid.yaml", "--backend", "emulated", "--set", "dynamics.steps=60")
        with open(self.path("runs.csv"), "w") as out:
            out.write("dynamics.step,system.start.seed,system.box.density\n0.002,1,0.5\n0.03,3,0.5\n0.9,1,0.5\n0.004,3,0.45\n"
                      "0.003,2,0.6\n")
        self.sweep(*words[1:], "--table", "runs.csv", "-o", "all", "--no-page", status=1)
        self.assertEqual(self.compare_with_runs_alone("all", *words), ["finished", "failed", "failed", "finished", "finished"])
        self.assertEqual([run for run in ("001", "002", "003", "004", "005") if os.path.exists(self.path("all", run, "error.txt"))],
                         ["002", "003"])

    def test_baths_side_by_side_have_the_bits_that_they_have_alone(self):
        words = ("fluid.yaml", "--backend", "emulated", "--set", "dynamics.equilibrate.steps=15")
        self.sweep(*words[1:], "--vary", "dynamics.thermostat.kind=langevin,velocity-rescaling,nose-hoover", "--vary",
                   "dynamics.thermostat.temperature=1,1.5", "--together", "4", "-o", "all", "--no-page")
        self.assertEqual(self.compare_with_runs_alone("all", *words), ["finished"] * 6)

    def test_meshes_side_by_side_have_the_bits_that_they_have_alone(self):
        with open(self.path("water.yaml"), "w") as out:
            out.write("""units: md
system:
  box: {kind: periodic, density: 33}
  molecules: [{model: spc-e, count: 27}]
  start: {kind: simple-cubic, temperature: 298, seed: 1}
interactions: {cutoff: 0.45, electrostatics: {method: mesh, tolerance: 1e-2}}
dynamics: {scheme: verlet, step: 0.001, steps: 12}
output: {frames_every: 4, series_every: 2, author: nobody}
""")
        words = ("water.yaml", "--backend", "emulated")
        call("sweep", *words, "--vary", "system.box.density=33,20", "--vary", "system.start.seed=1,2", "-o", "all", "--no-page",
             "--quiet", "--threads", "1", cwd=self._folder.name)
        self.assertEqual(self.compare_with_runs_alone("all", *words), ["finished"] * 4)

    def test_models_side_by_side_have_the_bits_that_they_have_alone(self):
        """Other sites, numbers of molecules, schemes, steps and formulas in one sweep: what is launched together has
        one kernel, that of the first."""
        with open(self.path("mixed.yaml"), "w") as out:
            out.write("""units: md
system:
  box: {kind: periodic, density: 33}
  molecules: [{model: spc-e, count: 64}]
  start: {kind: simple-cubic, temperature: 298, seed: 1}
interactions: {cutoff: 0.45, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.001, steps: 10}
output: {frames_every: 5, series_every: 2, author: nobody}
""")
        with open(self.path("runs.csv"), "w") as out:
            out.write("system.molecules,system.box.density,dynamics.scheme,dynamics.step,interactions.electrostatics.method,"
                      "interactions.truncation\n")
            for run in ('"[{model: spc-e, count: 64}]",10,verlet,0.001,reaction-field,switched',
                        '"[{model: spc-e, count: 125}]",33,suzuki4,0.002,reaction-field,switched',
                        '"[{model: tip3p, count: 64}]",20,verlet,0.001,mesh,switched',
                        '"[{model: spc-e, count: 64}]",33,verlet,0.0015,mesh,switched',
                        '"[{model: spc-e, count: 27}]",33,verlet-position,0.001,ewald,switched',
                        '"[{model: tip4p-2005, count: 64}]",33,verlet,0.002,mesh,switched',
                        '"[{model: tip4p-2005, count: 64}]",9,verlet,0.002,reaction-field,switched',
                        '"[{model: tip4p-2005, count: 64}]",10,verlet,0.001,reaction-field,shifted',
                        '"[{model: tip5p, count: 64}]",10,mclachlan4-ss5,0.001,reaction-field,switched',
                        '"[{model: spc-e, count: 60}, {model: trappe-co2, count: 4}]",9,verlet,0.001,reaction-field,switched'):
                out.write(run + "\n")
        words = ("mixed.yaml", "--backend", "emulated")
        call("sweep", *words, "--table", "runs.csv", "-o", "all", "--no-page", "--quiet", "--threads", "1", cwd=self._folder.name)
        self.assertEqual(self.compare_with_runs_alone("all", *words), ["finished"] * 10)

    def test_runs_side_by_side_are_heard_between_rows_that_are_far_apart(self):
        """Ctrl-C is, every 16 steps, or sooner where steps take long."""
        every = 100000
        words = [POLHODE, "sweep", "fluid.yaml", "--quiet", "--threads", "1", "--backend", "emulated", "--vary",
                 "system.start.seed=1..3", "--no-page", "--set", f"dynamics.steps={2 * every}", "--set",
                 f"output={{frames_every: {every}, series_every: {every}, author: nobody}}"]
        process = subprocess.Popen([*words, "-o", "far", "--json"], cwd=self._folder.name, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        while process.poll() is None and not os.path.exists(self.path("far", "003", "run.h5md.checkpoint")):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        runs = json.loads(process.communicate()[0])["runs"]
        self.assertEqual([run["state"] for run in runs], ["interrupted"] * 3)
        for run in runs:
            told = json.loads(call("info", self.path("far", run["file"]), "--json")[0])
            self.assertTrue(0 < told["checkpoint"]["step"] < every, told["checkpoint"])

    def test_runs_side_by_side_are_interrupted_and_resumed_all(self):
        """Steps are many, so that it is caught while all are under way."""
        common = ("--backend", "emulated", "--vary", "system.start.seed=1..3", "--set", "output.checkpoint_every=20", "--no-page")
        words = [POLHODE, "sweep", "fluid.yaml", "--quiet", "--threads", "1", *common, "--set", "dynamics.steps=300"]
        call(*words[1:], "--together", "1", "-o", "whole", cwd=self._folder.name)
        process = subprocess.Popen([*words, "-o", "cut", "--json"], cwd=self._folder.name, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        while process.poll() is None and not os.path.exists(self.path("cut", "003", "run.h5md.checkpoint")):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        told = json.loads(process.communicate()[0])
        self.assertEqual(process.returncode, 130)
        self.assertEqual([run["state"] for run in told["runs"]], ["interrupted"] * 3)
        call(*words[1:], "--together", "2", "-o", "cut", cwd=self._folder.name)
        for run in told_by(self.path("cut"))["runs"]:
            self.assertEqual(run["state"], "finished")
            self.assertEqual(contents(self.path("cut", run["file"])), contents(self.path("whole", run["file"])))

    def test_how_many_run_together_is_a_number(self):
        for number in ("0", "257", "x", "2x"):
            _, text = self.sweep("--vary", "dynamics.step=1", "--together", number, status=2)
            self.assertIn(f"--together {number}: a number from 1 to 256 is accepted", text)

    def test_notes_are_printed_once(self):
        """Not for each run"""
        _, text = self.sweep("--vary", "system.start.seed=1..3", "--set", "interactions.electrostatics.method=cutoff", "--set",
                             "dynamics.steps=2", "-o", "notes", "--no-page")
        self.assertEqual(text.count("dipoles interact within the cutoff only"), 1, text)

    def test_keys_that_go_together_make_one_curve(self):
        """Steps and their number, say; a third key that does not go with them makes curves."""
        runs = [{"parameters": {"step": step, "steps": steps, "scheme": scheme}} for step, steps in (("1", "4"), ("2", "2"))
                for scheme in ("verlet", "srkn4-6b")]
        for run in runs:
            run["potential_energy"] = {"mean": 1.0, "error": 0.1}
        quantity = next(one for one in sweep.QUANTITIES if one.name == "potential")
        for chosen, names in ((runs, ["scheme verlet", "scheme srkn4-6b"]), (runs[::2], ["Potential energy"])):
            found = sweep.Sweep("", "", False, ["step", "steps", "scheme"], chosen)
            points = [trace for trace in sweep.curves(found, quantity, "step") if trace["mode"] == "markers"]
            self.assertEqual([trace["name"] for trace in points], names)
            self.assertEqual([trace["showlegend"] for trace in points], [len(names) > 1] * len(names))

    def test_the_page_has_all_runs(self):
        self.sweep("--vary", "dynamics.step=0.002,0.9,0.004", "--vary", "dynamics.scheme=verlet,srkn4-6b", "--set",
                   "dynamics.steps=200", "-o", "page", status=1)
        page = self.path("page", "sweep.html")
        before = os.path.getsize(page)
        shutil.copy(page, self.path("first.html"))
        call("report", self.path("page"), status=4)  # is there already
        call("report", self.path("page"), "--overwrite")
        self.assertEqual(os.path.getsize(page), before)
        self.assertIn("sweep.json", call("report", self._folder.name, status=2)[1])
        browser = shared_browser()
        browser.open(page)
        browser.wait("return document.documentElement.dataset.ready === 'yes'")
        cells = browser.run("return [...document.querySelectorAll('table.runs tbody tr')].map(r => [...r.cells].map(c => "
                            "c.textContent))")
        self.assertEqual(len(cells), 6)
        self.assertEqual([row[:3] for row in cells[:2]], [["001", "0.002", "verlet"], ["002", "0.002", "srkn4-6b"]])
        self.assertTrue(cells[2][3].startswith("failed: "))
        told = [run.get("verdict", {}).get("state", "–") for run in told_by(self.path("page"))["runs"]]
        self.assertEqual(told[2:4], ["–"] * 2)
        for row, state in zip(cells, told):  # "? unclear"
            self.assertTrue(row[4].endswith({"well": "all well"}.get(state, state)), (row, state))
        self.assertEqual(browser.run("return [...document.querySelectorAll('table.runs tbody tr')[1].cells].map(c => "
                                     "c.dataset.label)")[:6], ["run", "step", "scheme", "state", "verdict", "energy error"])
        self.assertEqual(set(browser.run("return [...document.querySelectorAll('div.plot')].flatMap(p => [p._fullLayout.xaxis, "
                                         "p._fullLayout.yaxis]).map(a => a.exponentformat)")), {"power"})  # not 100µ
        self.assertEqual(browser.run("return document.getElementById('state').textContent"), "4 finished, 2 failed")
        titles = browser.run("return [...document.querySelectorAll('figure h3')].map(h => h.textContent)")
        self.assertEqual(titles[:3], ["Energy error", "Drift of the energy", "Potential energy"])
        self.assertEqual(browser.complaints(), [])
        self.assertFalse(browser.runs_foreign_scripts())


if __name__ == "__main__":
    unittest.main()
