#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""polhode report on the command line: its numbers, and what it refuses.

usage: test_report_command.py POLHODE
"""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from report_runs import FLUID, FOLDER, POLHODE, make, path, polhode


class OnTheCommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make("fluid")

    def fails(self, status, words, *wanted, **more):
        done = polhode("report", *words, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        for word in wanted:
            self.assertIn(word, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_numbers_are_those_of_analyze(self):
        with open(make("fluid"), encoding="utf-8") as page:
            text = page.read()
        figures = {
            each["id"]: each
            for each in json.loads(re.search(r'id="figure-data">(.*?)</script>', text, re.S)[1].replace("<\\/", "</"))
        }
        for kind, table, column, figure in (
            ("rdf", "stockmayer-stockmayer", "g", "rdf"),
            ("orientation", "pairs", "h112", "orientation"),
            ("orientation", "pairs", "g_kirkwood", "kirkwood"),
            ("dielectric", "convergence", "epsilon", "dielectric"),
            ("correlation", "dipole_2.stockmayer", "c", "correlation"),
        ):
            done = polhode("analyze", kind, "fluid.h5md", "--json")
            want = json.loads(done.stdout)["tables"][table]["columns"][column]
            shown = [trace["y"] for trace in figures[figure]["data"] if len(trace["y"]) == len(want)]
            self.assertTrue(
                any(
                    np.allclose(np.array(y, float), np.array(want, float), rtol=2e-5, atol=1e-12, equal_nan=True)
                    for y in shown
                ),
                (kind, column),
            )
        values = json.loads(polhode("analyze", "energy", "fluid.h5md", "--json").stdout)["values"]
        drift = values["drift.production"]
        exponent = int(np.floor(np.log10(max(abs(drift["value"]), drift["error"]))))
        shown = re.search(r"Energy drift</div><div class=\"value\">([^(]+)\((\d+)\)", text)
        digits, last = shown[1].replace("\u2212", "-"), 10.0 ** -len(shown[1].partition(".")[2])
        self.assertAlmostEqual(float(digits), drift["value"] / 10.0**exponent, delta=0.51 * last)
        self.assertAlmostEqual(int(shown[2]) * last, drift["error"] / 10.0**exponent, delta=0.51 * last)

    def parts(self, name):
        """Its text, and its figures by name"""
        with open(make(name), encoding="utf-8") as page:
            text = page.read()
        figures = json.loads(re.search(r'id="figure-data">(.*?)</script>', text, re.S)[1].replace("<\\/", "</"))
        return text.split("<script")[0], {each["id"]: each for each in figures}

    def test_what_a_bath_conserves_is_what_counts(self):
        text, figures = self.parts("pressed")
        self.assertIn("at constant temperature and pressure", text)
        self.assertIn("Drift of the conserved energy</div>", text)
        self.assertNotIn("Energy drift</div>", text)
        self.assertNotIn("Total energy per molecule minus", text)
        error = np.array(figures["energy-error"]["data"][0]["y"], float)
        self.assertTrue(0 < np.abs(error).max() < 1e-5)  # 1e-4 of 108 molecules; the total energy moves by 0.01
        plain, figures = self.parts("fluid")
        self.assertIn("Energy drift</div>", plain)
        self.assertIn("Total energy per molecule minus", plain)
        self.assertNotIn("density", figures)

    def test_what_disagrees_with_what_was_asked_for_is_marked(self):
        text, _ = self.parts("pressed")
        found = json.loads(polhode("info", "pressed.h5md", "--json").stdout)["asked_and_obtained"]
        self.assertEqual([one["verdict"] for one in found if one["quantity"] in ("temperature", "pressure")], ["disagrees", "agrees"])
        self.assertIn('<b class="wrong">asked 2.6</b>', text)
        self.assertIn("<br>asked 0.5</div>", text)
        worn = re.search(r'<p class="verdict wrong" id="verdict"[^>]*>(.*?)</p>', text)[1]
        self.assertIn("Wrong", worn)
        self.assertRegex(worn, r"temperature: .*\b1\.(29|30)\d*\(\d+\)")
        self.assertIn("asked 2.6", worn)
        self.assertIn("too low", worn)
        self.assertTrue('<span class="pill wrong" id="state">something is wrong<' in text)  # no checkpoint: ended or not
        self.assertIn("<title>WRONG: ", text)
        self.assertIn('<tr class="wrong">', text)
        calm = self.parts("cluster")[0]
        self.assertFalse('class="verdict wrong"' in calm or "<title>WRONG" in calm or "something is wrong<" in calm)

    def test_what_was_asked_for_is_drawn(self):
        _, figures = self.parts("pressed")
        for name, begin, level in (("temperature", 0.0, 2.6), ("pressure", 0.2, 0.5)):
            line = next(trace for trace in figures[name]["data"] if trace.get("name", "").startswith("asked for"))
            self.assertEqual((line["name"], line["y"], line["line"]["dash"]), (f"asked for {level}", [level] * 2, "dash"))
            self.assertTrue(np.allclose(line["x"], [begin, 1.0]), line["x"])
            low, high = figures[name]["layout"]["yaxis"]["range"]
            self.assertTrue(low < level < high)
        self.assertFalse(any("asked" in trace.get("name", "") for trace in self.parts("cluster")[1]["temperature"]["data"]))

    def test_stages_are_marked_where_they_begin(self):
        text, figures = self.parts("pressed")
        for name in ("energies", "temperature", "pressure", "density"):
            layout = figures[name]["layout"]
            lines = [shape["x0"] for shape in layout["shapes"] if shape["type"] == "line" and shape.get("yref") == "paper"]
            self.assertTrue(np.allclose(lines, [0.08, 0.2]), lines)
            self.assertEqual([each["text"] for each in layout["annotations"]], ["melt", "cool", "measure"])
            self.assertTrue(np.allclose([each["x"] for each in layout["annotations"]], [0, 0.08, 0.2]))
        for label, steps, ensemble in (("melt", 20, "NVT"), ("cool", 30, "NVT"), ("measure", 200, "NPT")):
            self.assertIn(f"<th>Stage {label}</th><td>{steps}\u00a0steps of 0.004: {ensemble}</td>", text)
        self.assertFalse(any("text" in each for each in self.parts("fluid")[1]["energies"]["layout"].get("annotations", [])))

    def test_fluctuations_are_those_of_analyze(self):
        text, figures = self.parts("pressed")
        values = json.loads(polhode("analyze", "fluctuations", "pressed.h5md", "--json").stdout)["values"]
        for name, words in (("compressibility", "isothermal compressibility from fluctuations "), ("density", "which ends at ")):
            shown = re.search(re.escape(words) + r"(\d[\d.]*)\((\d+)\)", text.split('id="plot-density"')[1])
            error = int(shown[2]) * 10.0 ** -len(shown[1].partition(".")[2])
            self.assertAlmostEqual(float(shown[1]), values[name]["value"], delta=error)
            self.assertAlmostEqual(error, values[name]["error"], delta=0.3 * values[name]["error"])
        self.assertIn("at constant pressure", text.split('id="plot-energies"')[1])

    def test_a_page_that_is_there_is_kept(self):
        with open(path("kept.html"), "w") as file:
            file.write("mine")
        self.fails(4, ["fluid.h5md", "-o", "kept.html"], "kept.html: is there already", "--overwrite")
        with open(path("kept.html")) as file:
            self.assertEqual(file.read(), "mine")
        self.assertEqual(polhode("report", "fluid.h5md", "-o", "kept.html", "--overwrite").returncode, 0)
        with open(path("kept.html")) as file:
            self.assertTrue(file.read().startswith("<!DOCTYPE html>"))
        self.assertEqual([name for name in os.listdir(FOLDER.name) if ".new" in name], [])

    def test_files_that_are_no_trajectories_are_named(self):
        self.fails(4, ["none.h5md"], "none.h5md")
        self.fails(2, ["fluid.yaml", "-o", "a.html"], "fluid.yaml", "not an HDF5 file")
        with open(path("fluid.h5md"), "rb") as whole, open(path("cut.h5md"), "wb") as cut:
            cut.write(whole.read()[:30000])
        self.fails(4, ["cut.h5md"], "cut.h5md")
        with h5py.File(path("other.h5md"), "w") as file:
            file["numbers"] = [1]
        self.fails(2, ["other.h5md"], "other.h5md", "not H5MD")
        self.assertFalse(os.path.exists(path("a.html")) or os.path.exists(path("cut.html")))

    def test_wrong_words_are_told(self):
        self.fails(2, [], "an H5MD file is needed")
        self.fails(2, ["fluid.h5md", "-o", "b.html", "--every", "3"], "--live")
        self.fails(2, ["fluid.h5md", "-o", "b.html", "--live", "--every", "0"], "--every 0", "seconds")
        self.fails(4, ["fluid.h5md", "-o", "nowhere/b.html"], "nowhere/b.html", "cannot be written")

    def begin_run(self, name):
        """It stands still from its first checkpoint on: it is there, and takes no processor from the page."""
        with open(path(name + ".yaml"), "w") as file:
            file.write(FLUID)
        words = ["--quiet", "--threads", "1", "--overwrite", "--set", "dynamics.steps=100000000"]
        words += ["--set", "output.frames_every=1000", "--set", "output.series_every=1000"]
        run = subprocess.Popen(
            [POLHODE, "run", name + ".yaml", "-o", name + ".h5md", *words], cwd=FOLDER.name, stdout=subprocess.DEVNULL
        )
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        while not os.path.exists(path(name + ".h5md.checkpoint")):
            self.assertIsNone(run.poll())
            time.sleep(0.05)
        run.send_signal(signal.SIGSTOP)
        return run

    def begin_live(self, name):
        live = subprocess.Popen(
            [POLHODE, "report", name + ".h5md", "--live", "--every", "0.2", "--overwrite"],
            cwd=FOLDER.name,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(live.wait)
        self.addCleanup(live.kill)
        self.addCleanup(live.stdout.close)
        self.assertIn("follows the run", live.stdout.readline())
        self.assertIn(">running, step", self.page(name))
        return live

    def page(self, name):
        with open(path(name + ".html"), encoding="utf-8") as file:
            return file.read()

    def stays_as_it_is(self, name):
        self.assertNotIn("data-renew", self.page(name).split("<body")[0])
        self.assertNotIn(">running, step", self.page(name))
        self.assertRegex(self.page(name), 'id="state">stopped at step [0-9\u202f]+ of 100\u202f000\u202f')

    def test_a_live_page_ends_with_its_run(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            name = f"ended-{number}"
            run = self.begin_run(name)
            live = self.begin_live(name)
            run.send_signal(number)
            run.send_signal(signal.SIGCONT)
            self.assertEqual(run.wait(), 130 if number == signal.SIGTERM else -number)
            for _ in range(2400):  # it must see that the run is gone: the file goes on changing
                if live.poll() is not None:
                    break
                os.utime(path(name + ".h5md"))
                time.sleep(0.1)
            self.assertEqual(live.poll(), 0)
            self.stays_as_it_is(name)

    def test_a_live_page_is_left_in_order(self):
        self.begin_run("left")
        live = self.begin_live("left")
        live.send_signal(signal.SIGTERM)
        self.assertEqual(live.wait(), 0)
        self.stays_as_it_is("left")

    def test_missing_packages_are_named(self):
        os.makedirs(path("shadow/plotly"), exist_ok=True)
        with open(path("shadow/plotly/__init__.py"), "w") as file:
            file.write("raise ImportError\n")
        self.fails(
            4,
            ["fluid.h5md", "-o", "b.html"],
            "apt install python3-plotly",
            env={**os.environ, "PYTHONPATH": path("shadow")},
        )
        self.fails(
            4,
            ["fluid.h5md", "-o", "b.html"],
            "/nonexistent/python",
            "python3",
            env={**os.environ, "POLHODE_PYTHON": "/nonexistent/python"},
        )


if __name__ == "__main__":
    unittest.main()
