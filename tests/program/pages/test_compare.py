#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Several runs over each other: as a page in Chromium, as pictures, and from the command line.

usage: test_compare.py POLHODE COMPARE
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from browser import shared_browser

POLHODE, COMPARE = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-compare-")
INPUT = """title: A small fluid
units: reduced
system:
  box: {kind: periodic, density: 0.6}
  molecules: [{model: stockmayer, count: 108}]
  start: {kind: fcc, temperature: 1.3, seed: 3}
interactions: {cutoff: 2.5, switch: {smoothness: 6, width: 0.5}, electrostatics: {method: cutoff}}
dynamics: {step: 0.004}
output: {frames_every: 10, series_every: 1}
"""
MARKS = ["<img src=x onerror=hurt=1>", "@c1 & $x"]
RUNS = {f"{scheme}-{step}": (scheme, step) for scheme in ("verlet", "srkn4-6b") for step in (0.004, 0.008)}


def path(name):
    return os.path.join(FOLDER.name, name)


def call(*words):
    return subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=FOLDER.name,
        check=False,
        env={**os.environ, "POLHODE_PROGRAM": POLHODE},
    )


def compare(*words):
    return call(sys.executable, "-B", COMPARE, *words)


def simulate():
    with open(path("fluid.yaml"), "w") as file:
        file.write(INPUT)
    for name, (scheme, step) in RUNS.items():
        done = call(
            POLHODE,
            "run",
            "fluid.yaml",
            "-o",
            name + ".h5md",
            "--quiet",
            "--set",
            f"dynamics.scheme={scheme}",
            "--set",
            f"dynamics.step={step}",
            "--set",
            f"dynamics.steps={round(0.4 / step)}",
        )
        assert done.returncode == 0, done.stderr


simulate()
FILES = [name + ".h5md" for name in RUNS]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = compare(*FILES, "-o", "all.html")
        assert done.returncode == 0, done.stderr
        with open(path("all.html"), encoding="utf-8") as file:
            cls.text = file.read()
        found = re.search(r'id="figure-data">(.*?)</script>', cls.text, re.S)[1]
        cls.figures = {figure["id"]: figure for figure in json.loads(found)}

    def test_it_is_drawn(self):
        browser = shared_browser()
        self.addCleanup(browser.rest)
        browser.open(path("all.html"))
        browser.wait("return document.documentElement.dataset.ready === 'yes'")
        drawn = browser.run(
            """return [...document.querySelectorAll('div.plot')].map(p =>
            [p.id, [...p.querySelectorAll('.scatterlayer path.js-line')].filter(c => c.getBoundingClientRect().width > 20).length])"""
        )
        curves = {"plot-error-step": 2, "plot-error-cost": 2, "plot-error-time": 4, "plot-rdf": 4}
        self.assertLessEqual(curves.items(), dict(drawn).items())
        self.assertTrue(all(n > 0 for _, n in drawn))
        self.ticks_keep_apart(browser)
        browser.look_like(390)
        browser.open(path("all.html"))
        browser.wait("return document.documentElement.dataset.ready === 'yes'")
        self.assertEqual(browser.run("return [innerWidth, document.documentElement.scrollWidth]"), [390, 390])
        self.ticks_keep_apart(browser)
        cut = browser.run(
            """return [...document.querySelectorAll('table.runs td, .legend button span, figcaption')]
            .filter(e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > 390).map(e => e.innerText)"""
        )
        self.assertEqual(cut, [])
        label = browser.run("return getComputedStyle(document.querySelector('table.runs td:nth-child(4)'), '::before').content")
        self.assertEqual(label, '"step"')
        self.assertEqual(browser.complaints(), [])
        self.assertEqual(browser.run("return document.documentElement.dataset.errors"), "0")
        self.labels_are_no_markup(browser)

    def labels_are_no_markup(self, browser):
        labels = MARKS
        done = compare(*FILES[:2], "--labels", ",".join(labels), "-o", "marks.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        browser.open(path("marks.html"))
        browser.wait("return document.documentElement.dataset.ready === 'yes'")
        self.assertFalse(browser.run("return 'hurt' in window"))
        self.assertEqual(browser.run("return [...document.querySelectorAll('#legend-rdf button')].map(b => b.textContent)"), labels)
        self.assertEqual(browser.run("return csvOf('rdf').split('\\n')[1].split(',')[0]"), labels[0])
        self.assertEqual(browser.complaints(), [])
        self.assertFalse(browser.runs_foreign_scripts())

    def ticks_keep_apart(self, browser):
        touching = browser.run(
            """const found = [];
            for (const plot of document.querySelectorAll('div.plot')) for (const [axis, from, to] of [['x', 'left', 'right'], ['y', 'top', 'bottom']]) {
              const boxes = [...plot.querySelectorAll(`.${axis}tick text`)].map(t => [t.textContent, t.getBoundingClientRect()])
                .sort((a, b) => a[1][from] - b[1][from]);
              boxes.forEach(([text, box], k) => { if (k && box[from] < boxes[k - 1][1][to] - 1) found.push([plot.id, boxes[k - 1][0], text]); });
              if (boxes.length < 2) found.push([plot.id, axis, 'has too few ticks']);
            }
            return found;"""
        )
        self.assertEqual(touching, [])

    def test_errors_are_those_of_analyze(self):
        curves = {trace["name"]: trace for trace in self.figures["error-step"]["data"]}
        self.assertEqual(set(curves), {"verlet", "srkn4-6b"})
        for name, (scheme, step) in RUNS.items():
            done = call(POLHODE, "analyze", "energy", name + ".h5md", "--json")
            want = json.loads(done.stdout)["values"]["rms.production"]["value"]
            row = curves[scheme]["x"].index(step)
            self.assertAlmostEqual(curves[scheme]["y"][row] / want, 1.0, delta=1e-5)
        self.assertRegex(self.text, r"Orders found: verlet [\d.]+ \(from two points, hence without an error\); srkn4-6b")

    def test_cost_counts_evaluations_of_forces(self):
        cost = {trace["name"]: trace["x"] for trace in self.figures["error-cost"]["data"]}
        self.assertEqual(cost, {"verlet": [250, 125], "srkn4-6b": [1500, 750]})

    def test_runs_are_called_by_what_differs(self):
        names = [trace["name"] for trace in self.figures["rdf"]["data"]]
        self.assertEqual(
            names, ["verlet, h = 0.004", "verlet, h = 0.008", "srkn4-6b, h = 0.004", "srkn4-6b, h = 0.008"]
        )


class Ticks(unittest.TestCase):
    def test_ticks_that_would_touch_are_left_out(self):
        sys.path.insert(0, os.path.join(os.path.dirname(COMPARE), "python"))
        from polhode.report.compare import cost_axis, spread

        self.assertEqual(spread([4.0, 6.0, 8.0]), [4.0, 6.0, 8.0])
        self.assertEqual(spread([1.0, 1.05, 1.1, 4.0, 15.5, 16.0]), [1.0, 4.0, 16.0])
        self.assertEqual(spread([3.0, 3.0]), [3.0])
        self.assertEqual(cost_axis([{"x": [125.0, 1500.0]}])["ticktext"], ["200", "500", "1000"])
        self.assertLess(len(cost_axis([{"x": [1.0, 1e6]}])["tickvals"]), 7)


class CommandLine(unittest.TestCase):
    def fails(self, status, *words, wanted):
        done = compare(*words)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(wanted, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_pictures_are_pictures(self):
        """Also with labels that would be markup"""
        for name, labels in ("two.png", ["fine", "coarse"]), ("two.svg", MARKS):
            done = compare(*FILES[:2], "--labels", ",".join(labels), "-o", name)
            self.assertEqual((done.returncode, done.stdout), (0, name + "\n"), done.stderr)
        with open(path("two.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        with open(path("two.svg"), encoding="utf-8") as file:
            self.assertEqual(xml.dom.minidom.parse(file).documentElement.tagName, "svg")

    def test_a_file_that_is_there_is_kept(self):
        with open(path("kept.svg"), "w") as file:
            file.write("mine")
        self.fails(4, *FILES, "-o", "kept.svg", wanted="is there already")
        with open(path("kept.svg")) as file:
            self.assertEqual(file.read(), "mine")

    def test_wrong_words_are_told(self):
        self.fails(2, *FILES, "-o", "a.pdf", wanted=".html, .png or .svg")
        self.fails(2, *FILES, "--labels", "a,b", wanted="2 for 4 files")
        self.fails(4, "none.h5md", wanted="none.h5md: is not there")
        self.fails(4, "fluid.yaml", wanted="not an HDF5 file")
        self.fails(4, FILES[0], "-o", "nowhere/a.html", wanted="cannot be written")


if __name__ == "__main__":
    unittest.main()
