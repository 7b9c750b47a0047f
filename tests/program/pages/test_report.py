#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reports, made by the program and opened in Chromium: nothing fails, all is drawn, the molecules can be turned and played.

usage: test_report.py POLHODE [InABrowser | Live]
"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../support"), os.path.join(HERE, "../../../tools/python")]
from browser import shared_browser
from report_runs import FLUID, FOLDER, POLHODE, ROD, ROD_ALONE, make, path, polhode, simulate

import polhode as package
from polhode.report.view import make_view


class WithABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = shared_browser()
        cls.addClassCleanup(cls.browser.rest)
        WithABrowser.shown = None

    shown = None

    def show(self, page):
        """Opens it, unless it is there already: then the picture is put back to its beginning."""
        if WithABrowser.shown == page:
            self.browser.run("polhodeView.show(-1); polhodeView.camera({})")
            return
        WithABrowser.shown = page
        self.browser.open(page)
        self.browser.wait("return document.documentElement.dataset.ready === 'yes'")

    def nothing_failed(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.run("return document.documentElement.dataset.errors"), "0")
        away = self.browser.run(
            "return performance.getEntriesByType('resource').map(e => e.name).filter(n => /^http/.test(n))"
        )
        self.assertEqual(away, [])

    def plots(self):
        """Names of the plots that have curves or points in them, and of all."""
        return self.browser.run(
            """const all = [...document.querySelectorAll('div.plot')];
            const drawn = all.filter(p => [...p.querySelectorAll('.scatterlayer path')].some(c => c.getBoundingClientRect().width > 20
                || c.closest('.point, .points')));
            return [drawn.map(p => p.id), all.map(p => p.id)];"""
        )


class InABrowser(WithABrowser):
    def test_everything_is_drawn_and_played(self):
        wanted = {
            "fluid": {
                "energy-error",
                "energies",
                "temperature",
                "equipartition",
                "pressure",
                "rdf",
                "orientation",
                "kirkwood",
                "msd",
                "correlation",
                "dielectric",
            },
            "cluster": {"energy-error", "energies", "temperature"},
        }
        wanted["water"] = wanted["fluid"]
        wanted["pressed"] = wanted["fluid"] | {"density"}
        for name, figures in wanted.items():
            with self.subTest(name):
                self.show(make(name))
                drawn, every = self.plots()
                self.assertEqual(drawn, every)
                self.assertEqual({each.replace("plot-", "") for each in every}, figures)
                self.molecules_can_be_played({"fluid": 108, "pressed": 108, "water": 64, "cluster": 13}[name])
                self.nothing_failed()

    def test_the_header_has_the_key_figures(self):
        self.show(make("fluid"))
        text = self.browser.run("return document.querySelector('header.top').innerText")
        self.assertIn("A fluid of <dipoles> & </script> more", text)
        for word in ("Energy drift", "Temperature", "Pressure", "Permittivity", "steps/s", "finished"):
            self.assertIn(word, text)
        facts = self.browser.run("return document.querySelector('.facts').innerText").replace("\u00a0", " ")
        for word in ("108 stockmayer", "verlet, order 2, flow exact", "0.004", "at 2.5", "200 steps", "polhode 0."):
            self.assertIn(word, facts)

    def state(self):
        return self.browser.run("return polhodeView.state()")

    def ink(self):
        """Of the picture: how many of its pixels are not empty, and a sum that tells two pictures apart."""
        return self.browser.run(
            """const c = document.getElementById('view');
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let n = 0, sum = 0;
            for (let k = 0; k < d.length; k += 4) { if (d[k + 3]) { ++n; sum = (sum * 31 + d[k] + k) % 1000003; } }
            return [n, sum];"""
        )

    def molecules_can_be_played(self, n):
        before, first = self.state(), self.ink()
        self.assertEqual((before["molecules"], before["frame"]), (n, before["frames"] - 1))
        self.assertGreater(first[0], 2000)
        self.browser.click("#view-play")
        self.browser.wait(  # at another frame, and at once, however slowly we look
            """const s = polhodeView.state();
            if (!s.playing || s.frame === s.frames - 1) return false;
            document.querySelector('#view-play').click();
            return true;"""
        )
        self.assertFalse(self.state()["playing"])
        self.browser.wait(f"return polhodeView.state().paints > {before['paints']}")
        self.assertNotEqual(self.ink(), first)

    def test_molecules_can_be_turned(self):
        self.show(make("fluid"))
        before, first = self.state(), self.ink()
        self.browser.drag("#view", 120, 40)
        self.browser.wait(f"return polhodeView.state().paints > {before['paints']}")
        after = self.state()
        self.assertAlmostEqual(after["camera"]["yaw"], before["camera"]["yaw"] - 0.96, delta=0.02)
        self.assertAlmostEqual(after["camera"]["pitch"], before["camera"]["pitch"] + 0.32, delta=0.02)
        self.assertNotEqual(self.ink(), first)
        self.browser.click("#view-home")
        self.assertEqual(self.state()["camera"], before["camera"])

    def test_arrows_point_along_the_dipoles(self):
        self.show(make("fluid"))
        with h5py.File(path("fluid.h5md"), "r") as file:
            q = file["particles/trajectory/orientation/value"][-1]
        w, x, y, z = q.T
        axis = np.stack(
            [2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z], axis=1
        )  # body z, the dipole's
        np.testing.assert_allclose(self.browser.run("return polhodeView.axes()"), axis, atol=1e-3)

    def test_ellipsoids_are_drawn_as_they_lie(self):
        """The second moments of the pixels are those of the ellipsoid's shadow. Catches axes that are mixed up, turned the
        wrong way or left as in the model, and half axes taken for whole ones beside the scale of the picture."""
        with open(path("rod.yaml"), "w") as file:
            file.write(ROD)
        simulate("rod-alone", ROD_ALONE)
        with package.open(path("rod-alone.h5md")) as run:
            view, frame, shape = make_view(run), run.frames[-1], run.species[0].shape
            centre = frame.centres[0].tolist()
            np.testing.assert_array_equal(shape.half_axes, [0.3, 0.5, 0.9])
            np.testing.assert_allclose(shape.axes[[2, 0]], [[0.5**0.5, 0, 0.5**0.5], [0, 1, 0]], atol=1e-15)
            half = frame.attitudes[0] @ (shape.axes.T * shape.half_axes)
            self.assertGreater(np.abs(frame.attitudes[0] - np.eye(3)).max(), 0.2)
        self.show(make("fluid"))
        self.addCleanup(setattr, WithABrowser, "shown", None)
        self.browser.run("window.other = startView(arguments[0]); document.getElementById('view-style').value = 'sites'", view)
        for yaw, right in ((0, [1, 0, 0]), (np.pi / 2, [0, 1, 0])):
            n, moments, scale = self.browser.run(
                """other.camera({yaw: arguments[0], pitch: 0}); other.paint();
                const c = document.getElementById('view'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                const s = [0, 0, 0, 0, 0, 0];
                for (let k = 0; k < d.length; k += 4) if (d[k + 3] > 127) {
                  const x = (k / 4) % c.width, y = Math.floor(k / 4 / c.width);
                  [1, x, y, x * x, x * y, y * y].forEach((v, m) => { s[m] += v; });
                }
                const [n, x, y] = [s[0], s[1] / s[0], s[2] / s[0]];
                return [n, [s[3] / n - x * x, s[4] / n - x * y, s[5] / n - y * y], other.pixels(arguments[1]) * devicePixelRatio];""",
                yaw,
                centre,
            )
            seen = np.array([right, [0, 0, -1]]) @ half * scale  # pixels count downwards
            shadow = seen @ seen.T
            self.assertAlmostEqual(n / (np.pi * np.linalg.det(shadow) ** 0.5), 1, delta=0.03)
            np.testing.assert_allclose(moments, shadow[[0, 0, 1], [0, 1, 1]] / 4, atol=0.02 * shadow.max() / 4)

    def fits(self):
        """Nothing is wider than the window or its tile, and what is to be touched is large enough."""
        wide = self.browser.run(
            """const wide = [...document.querySelectorAll('.tile, .tile .value, .card, figcaption, .legend')]
                .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className + ': ' + e.innerText.slice(0, 40));
            return [document.documentElement.scrollWidth <= innerWidth, wide, innerWidth];"""
        )
        self.assertEqual(wide[:2], [True, []], wide)
        return wide[2]

    def sections_are_in_the_menu(self):
        found = self.browser.run(
            """const ids = [...document.querySelectorAll('main section')].map(s => s.id);
            const links = [...document.querySelectorAll('.menu a')].map(a => a.hash.slice(1));
            return [ids, links];"""
        )
        self.assertEqual(found[0], found[1])
        self.browser.run("document.querySelector('.menu a[href=\"#structure\"]').focus(); document.activeElement.click()")
        self.browser.wait("return document.querySelector('.menu a[aria-current]')?.hash === '#structure'")
        top, menu = self.browser.run(
            "return [document.getElementById('structure'), document.querySelector('.menu')].map(e => e.getBoundingClientRect().top)"
        )
        self.assertTrue(0 <= top < 200 and menu == 0, (top, menu))

    def test_the_menu_leads_to_all_sections(self):
        self.show(make("pressed"))
        self.fits()
        self.sections_are_in_the_menu()
        told = self.browser.run("return document.querySelector('#motion figcaption').innerText")
        self.assertRegex(told, r"Diffusion coefficient.*: stockmayer [\d.]+\(\d+\)")
        self.assertIn("wrong", self.browser.run("return getComputedStyle(document.getElementById('verdict')).borderColor && document.title.toLowerCase()"))
        self.assertTrue(self.browser.run("return document.getElementById('verdict').getBoundingClientRect().height > 20"))

    def test_telephones_show_all_of_it(self):
        self.browser.look_like(390)
        self.addCleanup(self.browser.look_like, None)
        self.addCleanup(setattr, WithABrowser, "shown", None)
        for name in ("pressed", "water"):
            WithABrowser.shown = None
            self.show(make(name))
            self.assertEqual(self.fits(), 390)
            drawn, every = self.plots()
            self.assertEqual(drawn, every)
            small = self.browser.run(
                """return [...document.querySelectorAll('button, select, summary, .menu a, a.csv')].filter(e => e.offsetParent)
                .filter(e => e.getBoundingClientRect().height < 40).map(e => e.outerHTML.slice(0, 80));"""
            )
            self.assertEqual(small, [])
            self.nothing_failed()
        self.sections_are_in_the_menu()
        before = self.state()["camera"]["yaw"]
        self.browser.swipe("#view", 100, 0)  # turns
        turned = self.state()["camera"]["yaw"]
        self.assertGreater(abs(turned - before), 0.3)
        for place in ("#view", "#plot-temperature .nsewdrag"):  # up: the page goes on
            centred = f"document.querySelector('{place}').scrollIntoView({{block: 'center'}})"
            height = self.browser.run(f"{centred}; return scrollY")
            self.browser.swipe(place, 0, -200)
            self.browser.wait(f"return scrollY > {height} + 100")
        self.assertEqual(self.state()["camera"]["yaw"], turned)

    def test_data_can_be_taken_as_csv(self):
        self.show(make("fluid"))
        lines = self.browser.run("return unpacked('series-packed')").splitlines()
        exported = polhode("export", "fluid.h5md", "--format", "csv", "-o", "fluid.csv")
        self.assertEqual(exported.returncode, 0, exported.stderr)
        with open(path("fluid.csv")) as file:
            wanted = file.read().splitlines()
        self.assertEqual(lines[0], wanted[0])
        self.assertEqual([line.split(",") for line in lines[1:]], [[repr(float(x)) if k else x for k, x in enumerate(line.split(","))] for line in wanted[1:]])
        rdf = [line.split(",") for line in self.browser.run("return csvOf('rdf')").splitlines()]
        self.assertEqual(rdf[0], ["curve", "r", "g(r)", "error"])
        done = json.loads(polhode("analyze", "rdf", "fluid.h5md", "--json").stdout)["tables"]["stockmayer-stockmayer"]["columns"]
        np.testing.assert_allclose([float(row[2]) for row in rdf[1:]], done["g"], rtol=1e-5)
        np.testing.assert_allclose([float(row[3]) for row in rdf[1:]], done["g_error"], rtol=1e-5)
        names = {line.split(",")[0] for line in self.browser.run("return csvOf('temperature')").splitlines()[1:]}
        self.assertEqual(names, {"translation", "rotation", "asked for 1.3"})
        self.browser.run(  # a link saves under a name, and what it says it does
            """window.saved = null; const address = URL.createObjectURL; URL.createObjectURL = (blob) => address.call(URL, window.kept = blob);
            HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.href]; };
            document.querySelector('a.csv[data-figure=rdf]').dispatchEvent(new MouseEvent('click', {cancelable: true}));"""
        )
        name, address = self.browser.wait("return window.saved")
        self.assertEqual((name, address.split(":")[0]), ("fluid-rdf.csv", "blob"))
        self.assertEqual(self.browser.run("return window.kept.text()").count("\n"), len(rdf))
        WithABrowser.shown = None

    def test_legends_show_and_hide(self):
        self.show(make("water"))
        curves = "return [...document.querySelectorAll('#plot-rdf .scatterlayer path.js-line')].length"
        before = self.browser.run(curves)
        self.browser.click("#legend-rdf button")
        self.browser.wait(f"{curves} < {before}")
        self.browser.click("#legend-rdf button")
        self.browser.wait(f"{curves} === {before}")

    def test_dark_is_dark(self):
        self.show(make("fluid"))
        chosen = "return sessionStorage.getItem('polhode-theme')"
        self.assertIsNone(self.browser.run(chosen), "the page follows the system until its reader chooses")
        look = (
            "return [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor, "
            "document.querySelector('#plot-rdf .scatterlayer path.js-line').style.stroke]"
        )
        first = self.browser.run(look)
        self.browser.click("#theme")
        second = self.browser.run(look)
        self.assertEqual(self.browser.run(chosen), second[0])
        self.browser.click("#theme")
        self.assertEqual({first[0], second[0]}, {"light", "dark"})
        self.assertNotEqual(first[1], second[1])
        self.assertNotEqual(first[2], second[2])
        self.assertEqual(self.browser.run(look), first)
        self.nothing_failed()

    def test_another_programs_file_gets_what_there_is(self):
        with h5py.File(path("peer.h5md"), "w") as file:
            file.create_group("h5md").attrs["version"] = [1, 1]
            file["h5md"].create_group("author").attrs["name"] = np.bytes_("Somebody")
            file["h5md"].create_group("creator").attrs["name"] = np.bytes_("other")
            file["h5md/creator"].attrs["version"] = np.bytes_("1")
            atoms = file.create_group("particles/all")
            atoms["position/value"] = np.random.default_rng(1).uniform(0, 5, (3, 200, 3)).astype("f4")
            atoms["position/step"], atoms["position/time"] = [0, 10, 20], [0.0, 0.1, 0.2]
            box = atoms.create_group("box")
            box.attrs["dimension"], box.attrs["boundary"] = 3, np.array([b"periodic"] * 3)
            box["edges"] = [5.0, 5.0, 5.0]
        self.show(make("peer"))
        missing = self.browser.run("return document.getElementById('missing').innerText")
        self.assertIn("no time series", missing)
        self.assertIn("no orientations", missing)
        self.assertEqual(self.plots()[0], ["plot-rdf"])
        self.assertEqual(self.state()["molecules"], 200)
        self.nothing_failed()

    def test_texts_of_files_are_no_markup(self):
        make("crafted")
        self.show(path("crafted.html"))
        self.assertFalse(self.browser.run("return 'hurt' in window"))
        names = self.browser.run("return [...document.querySelectorAll('#legend-rdf button')].map(b => b.textContent)")
        self.assertIn("<!--<script>–<u>Q", names)
        caption = self.browser.run("return document.querySelector('#structure figcaption').innerText + document.querySelector('.facts').innerText")
        for word in ("<img src=x onerror=hurt=2>", "<img src=x onerror=hurt=3>", "<img src=x onerror=hurt=4>", "0.25"):
            self.assertIn(word, caption)
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.nothing_failed()
        self.assertFalse(self.browser.runs_foreign_scripts())

    def test_without_frames_there_is_no_picture(self):
        make("fluid")
        with h5py.File(path("fluid.h5md"), "r") as whole, h5py.File(path("bare.h5md"), "w") as file:
            for name in ("h5md", "series", "parameters"):
                whole.copy(name, file)
        self.show(make("bare"))
        self.assertIn("no frames", self.browser.run("return document.getElementById('missing').innerText"))
        self.assertFalse(self.browser.run("return document.getElementById('view') !== null"))
        drawn, every = self.plots()
        self.assertEqual(drawn, every)
        self.assertIn("plot-energy-error", drawn)
        self.nothing_failed()


class Live(WithABrowser):
    def test_a_page_can_follow_a_run(self):
        with open(path("long.yaml"), "w") as file:
            file.write(FLUID)
        run = subprocess.Popen(
            [
                POLHODE,
                "run",
                "long.yaml",
                "-o",
                "long.h5md",
                "-q",
                "--threads",
                "1",
                "--set",
                "dynamics.steps=1000000000",
                "--set",
                "output.frames_every=1000",
                "--set",
                "output.series_every=100",
            ],
            cwd=FOLDER.name,
            stdout=subprocess.DEVNULL,
        )
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        while not os.path.exists(path("long.h5md.checkpoint")):
            time.sleep(0.05)
        run.send_signal(signal.SIGSTOP)  # while others work: it would take processor time, and write what pages then show
        live = subprocess.Popen(
            [POLHODE, "report", "long.h5md", "--live", "--every", "1"],
            cwd=FOLDER.name,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(live.kill)
        self.assertIn("follows the run", live.stdout.readline())
        self.show(path("long.html"))
        self.assertIn("running", self.browser.run("return document.getElementById('state').innerText"))
        self.assertNotIn("killed", self.browser.run("return document.body.innerText"))
        self.assertIn("Progress", self.browser.run("return document.querySelector('.tile').innerText"))
        rows = "return JSON.parse(document.getElementById('figure-data').textContent)[0].data[0].x.slice(-1)[0]"
        first = self.browser.run(rows)
        run.send_signal(signal.SIGCONT)
        self.browser.run("polhodeView.camera({yaw: 2})")
        self.browser.wait("window.before = window.before || performance.timeOrigin; return window.before !== undefined")
        deadline = time.monotonic() + 600  # the page comes again by itself, with later times and the same camera
        while time.monotonic() < deadline:
            try:
                speed = "return /steps\\/s, about .* left/.test(document.querySelector('.tile').innerText)"
                if self.browser.run("return document.documentElement.dataset.ready === 'yes'") and (
                    self.browser.run(rows) > first and self.browser.run(speed)
                ):
                    break
            except RuntimeError:
                pass  # while it loads
            time.sleep(0.1)
        run.send_signal(signal.SIGSTOP)
        self.assertGreater(self.browser.run(rows), first)
        self.assertTrue(self.browser.run(speed))
        self.assertAlmostEqual(self.browser.run("return polhodeView.camera().yaw"), 2, delta=1e-9)
        live.send_signal(signal.SIGINT)
        self.assertEqual(live.wait(600), 0)
        live.stdout.close()
        live.stderr.close()
        with open(path("long.html"), encoding="utf-8") as page:
            self.assertNotIn("data-renew", page.readline() + page.readline())

    def test_a_live_report_of_a_finished_run_ends(self):
        make("fluid")
        done = polhode("report", "fluid.h5md", "-o", "done.html", "--live", timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path("done.html"), encoding="utf-8") as page:
            self.assertNotIn("data-renew", page.readline() + page.readline())


if __name__ == "__main__":
    unittest.main()
