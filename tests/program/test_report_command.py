#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""polhode report on the command line: its numbers, and what it refuses.

usage: test_report_command.py POLHODE
"""
import json
import os
import re
import sys
import unittest

import h5py
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from report_runs import FOLDER, make, path, polhode


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
        shown = re.search(r"Energy drift</div><div class=\"value\">\((\S+) ±", text)[1].replace("\u2212", "-")
        self.assertAlmostEqual(float(shown), drift["value"] / 10.0**exponent, delta=0.06)

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
