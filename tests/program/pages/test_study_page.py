#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The page of a study: the paper's claims with what was measured, curves, pictures and data, in Chromium.

usage: test_study_page.py POLHODE
"""
import csv
import io
import os
import re
import unittest

from browser import shared_browser
from calling import FOLDER, call


def path(name):
    return os.path.join(FOLDER.name, "out", name)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.told, _ = call("study", "dipoles-100", "--quick", "-o", path(""))
        cls.browser = shared_browser()
        cls.addClassCleanup(cls.browser.rest)

    def show(self, width=None):
        self.browser.look_like(width)
        self.browser.open(path("dipoles-100.html"))
        self.browser.wait("return document.documentElement.dataset.ready === 'yes'")

    def nothing_failed(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.run("return document.documentElement.dataset.errors"), "0")

    def test_claims_are_judged_as_the_program_judges_them(self):
        self.show()
        rows = self.browser.run(
            "return [...document.querySelectorAll('table.claims tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
        )
        told = re.findall(r"\n\n(.+)\n  (holds|holds in part|does not hold): ", self.told)
        self.assertEqual(len(told), 6)
        self.assertEqual([row[1] for row in rows], [verdict for _, verdict in told])
        self.assertIn("splitting methods is indeed favourable", rows[0][0])
        self.assertRegex(rows[0][2], "×10⁻")
        tiles = self.browser.run("return [...document.querySelectorAll('.tile .value')].map(t => Number(t.innerText))")
        self.assertEqual(sum(tiles), 6)
        self.nothing_failed()

    def test_curves_and_pictures_are_there(self):
        self.show()
        drawn = self.browser.run(
            """return [...document.querySelectorAll('div.plot')].map(p => [...p.querySelectorAll('.scatterlayer path.js-line')]
            .filter(c => c.getBoundingClientRect().width > 20).length)"""
        )
        self.assertEqual(drawn, [6, 6])  # three schemes with two flows; against evaluations, and against time
        self.assertFalse(self.browser.runs_foreign_scripts())
        pictures = self.browser.run("return [...document.querySelectorAll('.picture img')].map(i => [i.complete, i.naturalWidth > 100])")
        self.assertEqual(pictures, [[True, True]] * 2)
        ids, links = self.browser.run(
            """return [[...document.querySelectorAll('main section')].map(s => s.id),
            [...document.querySelectorAll('.menu a')].map(a => a.hash.slice(1))]"""
        )
        self.assertEqual(ids, links)
        self.nothing_failed()

    def test_pictures_are_dark_on_a_dark_page(self):
        self.show()
        looks = "return getComputedStyle(document.querySelector('.picture img')).filter"
        self.assertEqual(self.browser.run("setTheme('light'); " + looks), "none")
        self.assertIn("invert", self.browser.run("setTheme('dark'); " + looks))
        self.browser.run("setTheme('light')")

    def test_data_are_those_of_the_study(self):
        self.show()
        inside = list(csv.DictReader(io.StringIO(self.browser.run("return unpacked('table-errors')"))))
        with open(path("errors.csv")) as file:
            beside = list(csv.DictReader(file))
        self.assertEqual(len(inside), len(beside))
        for mine, theirs in zip(inside, beside):
            self.assertEqual((mine["scheme"], mine["flow"]), (theirs["scheme"], theirs["flow"]))
            for name in ("step", "evaluations", "error"):
                self.assertAlmostEqual(float(mine[name]) / float(theirs[name]), 1.0, delta=1e-12)

    def test_a_telephone_shows_it(self):
        self.show(390)
        self.assertEqual(self.browser.run("return [innerWidth, document.documentElement.scrollWidth]"), [390, 390])
        cut = self.browser.run(
            """return [...document.querySelectorAll('.claims td, .tile, .legend, figcaption, .prose')]
            .filter(e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > 390).map(e => e.innerText.slice(0, 60))"""
        )
        self.assertEqual(cut, [])
        wide = "return [...document.querySelectorAll('.picture img')].map(i => i.getBoundingClientRect().right > 390)"
        self.assertEqual(self.browser.run(wide), [False] * 2)
        self.browser.click(".picture img")
        self.assertEqual(self.browser.run(wide), [True, False])  # to be read, and moved sideways
        self.nothing_failed()


if __name__ == "__main__":
    unittest.main()
