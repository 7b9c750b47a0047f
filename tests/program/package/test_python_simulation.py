#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Simulations in Python: arrays without copies, callbacks, forces of functions, files, threads, interrupts.

usage: test_python_simulation.py LIBRARY POLHODE PYTHON_DIR
"""
import gc
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import numpy as np

LIBRARY, POLHODE, PYTHON_DIR = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
os.environ["POLHODE_LIBRARY"] = LIBRARY
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored by what runs in the background
sys.path.insert(0, PYTHON_DIR)
import polhode
from polhode import Simulation

FOLDER = tempfile.TemporaryDirectory(prefix="polhode-simulation-")
os.chdir(FOLDER.name)
RULES = """units: reduced
interactions: {cutoff: 2.3, switch: {width: 0.4}, electrostatics: {method: reaction-field}}
dynamics: {scheme: srkn6-11b, step: 0.004, steps: 12}
output: {file: fluid.h5md, frames_every: 4, series_every: 1}
"""
TEXT = (
    RULES
    + """system:
  box: {kind: periodic, density: 0.6}
  molecules: [{model: stockmayer, count: 64}]
  start: {kind: fcc, temperature: 1.2, seed: 5}
"""
)
with open("fluid.yaml", "w", encoding="utf-8") as file:
    file.write(TEXT)
ARRAYS = ("positions", "orientations", "momenta", "angular_momenta", "forces", "torques")


def state(sim):
    return [np.array(getattr(sim, name)) for name in ARRAYS]


class Same(unittest.TestCase):
    def same(self, one, other):
        for name, a, b in zip(ARRAYS, state(one), state(other)):
            np.testing.assert_array_equal(a, b, name)


class Made(Same):
    def test_texts_arrive_as_they_are(self):
        plain = ("one, two", "100%", "a#b", "x]")
        for title in (*plain, "run #1", "a: b", "#1", "- x", "* \"y\" \\ 'z'", " spaces ", "%", "été: #2", "C:"):
            with Simulation("fluid.yaml", {"title": title, "dynamics.steps": 1}) as sim:
                sim.run(overwrite=True)
            self.assertEqual(polhode.open("fluid.h5md").title, title)
        start = {"kind": "fcc", "temperature": 1.2, "seed": 5}
        other = Simulation("fluid.yaml", {"system.start": "{kind: fcc, temperature: 1.2, seed: 5}"})  # as YAML
        self.same(Simulation("fluid.yaml", {"system.start": start}), other)
        with self.assertRaisesRegex(polhode.SimulationError, "a, b #1.yaml"):
            Simulation("fluid.yaml", {"system.molecules": [{"model": "a, b #1.yaml", "count": 64}]})
        self.assertEqual(len(Simulation("fluid.yaml", {"title": ""}).species), 1)  # an empty one removes

    def test_from_file_text_and_arrays(self):
        sets = {"dynamics.step": np.float64(0.002), "dynamics.compensated": True}
        one, two = Simulation("fluid.yaml", sets), Simulation.from_text(TEXT, sets)
        three = Simulation.from_arrays(
            RULES,
            [("stockmayer", 64)],
            one.unwrapped,
            one.orientations,
            one.momenta,
            one.angular_momenta,
            np.diag(one.box),
            sets,
        )
        self.same(one, two)
        self.same(one, three)
        for sim in (one, two, three):
            sim.advance(5)
            self.assertEqual((sim.step, sim.end), (5, 12))
            self.assertAlmostEqual(sim.time, 0.01)
        self.same(one, two)
        self.same(one, three)

    def test_settings_are_written_as_inputs_have_them(self):
        field = {"interactions.external": {"electric_field": np.array([0, 0.5, 0]), "tether": 2}, "title": "A try"}
        sim, plain = Simulation("fluid.yaml", field), Simulation("fluid.yaml")
        self.assertNotEqual(sim.energies.external, 0)
        self.assertEqual(plain.energies.external, 0)

    def test_facts(self):
        sim = Simulation("fluid.yaml", {"interactions.electrostatics.method": "cutoff"})
        self.assertEqual([(one.name, one.count, one.mass) for one in sim.species], [("stockmayer", 64, 1.0)])
        np.testing.assert_allclose(sim.box, np.eye(3) * (64 / 0.6) ** (1 / 3), rtol=1e-12)
        self.assertIsInstance(sim.notes, list)
        self.assertEqual(sim.positions.shape, (64, 3))
        self.assertEqual(sim.orientations.shape, (64, 4))
        self.assertIn("64 molecules", repr(sim))
        positions = [[0, 0, 0], [0, 0, 2.5]]
        pair = Simulation.from_arrays("units: reduced\ndynamics: {step: 0.01, steps: 1}", [("wca", 2)], positions)
        self.assertIsNone(pair.box)
        self.assertEqual(pair.energies.potential, 0)

    def test_what_is_wrong_is_said(self):
        with self.assertRaises(polhode.SimulationError) as caught:
            Simulation("fluid.yaml", {"dynamics.stpe": 1})
        self.assertEqual(caught.exception.status, "input")
        self.assertIn("dynamics.stpe", str(caught.exception))
        with self.assertRaisesRegex(polhode.SimulationError, "nowhere.yaml"):
            Simulation("nowhere.yaml")
        sim = Simulation("fluid.yaml")
        for wrong in (lambda: sim.postions, lambda: setattr(sim, "postions", 0)):
            with self.assertRaisesRegex(AttributeError, "did you mean 'positions'.*momenta"):
                wrong()
        with self.assertRaisesRegex(AttributeError, "did you mean 'total'"):
            sim.energies.totl
        with self.assertRaisesRegex(ValueError, r"momenta have the shape \(3, 64\), not \(64, 3\)"):
            sim.momenta = sim.momenta.T
        with self.assertRaises(AttributeError):
            sim.forces = 0
        with self.assertRaisesRegex(ValueError, "There are: angular_momenta, momenta, orientations, positions"):
            with sim.writing("forces"):
                pass
        sim.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            sim.advance(1)


class State(Same):
    def test_arrays_are_the_memory_of_the_simulation(self):
        with Simulation("fluid.yaml") as sim:
            kept = {name: getattr(sim, name) for name in ARRAYS}
            before = {name: array.copy() for name, array in kept.items()}
            sim.advance(3)
            for name, array in kept.items():
                self.assertTrue(np.shares_memory(array, getattr(sim, name)), name)
                self.assertFalse(np.array_equal(array, before[name]), name)
                with self.assertRaisesRegex(ValueError, "read-only"):
                    array[0, 0] = 0
            np.testing.assert_allclose((kept["orientations"] ** 2).sum(axis=1), 1, rtol=1e-13)
            energy = (kept["momenta"] ** 2).sum() / 2
            self.assertAlmostEqual(sim.energies.kinetic_translation, energy, delta=1e-11)
            np.testing.assert_allclose(sim.energies.momentum, kept["momenta"].sum(axis=0), atol=1e-12)
            self.assertEqual(sim.energies.virial.shape, (3, 3))

    def test_arrays_keep_the_simulation_alive(self):
        sim = Simulation("fluid.yaml")
        handle = weakref.ref(sim._handle)
        positions, row = sim.positions, sim.momenta[3]
        want = (positions.copy(), row.copy())
        sim.close()
        del sim
        gc.collect()
        seeds = range(9, 12)
        others = [Simulation("fluid.yaml", {"system.start.seed": seed}) for seed in seeds]  # would take the memory
        self.assertIsNotNone(handle())
        np.testing.assert_array_equal(positions, want[0])
        np.testing.assert_array_equal(row, want[1])
        del positions
        gc.collect()
        self.assertIsNotNone(handle())
        del row
        gc.collect()
        self.assertIsNone(handle())
        self.assertEqual(len({sim.energies.total for sim in others}), 3)

    def test_a_simulation_that_was_left_is_destroyed(self):
        sim = Simulation("fluid.yaml")
        sim.add_force(lambda r, q: (0.0, 0 * r))
        handle = weakref.ref(sim._handle)
        del sim
        gc.collect()
        self.assertIsNone(handle())

    def test_what_is_assigned_counts(self):
        one, two = Simulation("fluid.yaml"), Simulation("fluid.yaml")
        one.advance(2)
        two.advance(2)
        one.momenta = -2.0 * one.momenta
        with two.writing("momenta") as momenta:
            momenta *= -2.0
        self.assertRaises(ValueError, momenta.__setitem__, 0, 0.0)  # not any more
        one.advance(3)
        two.advance(3)
        self.same(one, two)
        forces = one.forces
        before = forces.copy()
        with one.writing("positions") as positions:
            positions[0] += [0.05, 0, 0]
        self.assertFalse(np.array_equal(one.forces, before))
        np.testing.assert_array_equal(forces, one.forces)
        one.momenta = 0
        self.assertEqual(one.energies.kinetic_translation, 0)

    def test_what_is_impossible_is_put_back(self):
        sim, other = Simulation("fluid.yaml"), Simulation("fluid.yaml")
        with self.assertRaisesRegex(polhode.SimulationError, "molecule 7"):
            with sim.writing("orientations") as q:
                q[7] *= 2
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            with sim.writing("positions") as r:
                r += 1
                raise ZeroDivisionError("mine")
        with self.assertRaises(polhode.SimulationError):
            sim.momenta = np.nan
        sim.advance(2)
        other.advance(2)
        self.same(sim, other)


class Moving(Same):
    def test_functions_are_called_every_n_steps(self):
        sim, seen = Simulation("fluid.yaml"), []
        sim.advance(1)
        sim.every(3, lambda one: seen.append((3, one.step)))

        @sim.every(4)
        def each_fourth(one):
            seen.append((4, one.step))

        sim.advance(11)
        self.assertEqual(seen, [(3, 3), (4, 4), (3, 6), (4, 8), (3, 9), (3, 12), (4, 12)])
        sim.forget(each_fourth)
        sim.advance(4)
        self.assertEqual(seen[7:], [(3, 15)])
        self.assertRaises(ValueError, sim.run)
        sim.every(1, lambda one: one.advance(1))
        self.assertRaisesRegex(RuntimeError, "must not advance", sim.advance, 1)
        self.assertRaises(ValueError, sim.every, 0)
        self.assertRaises(ValueError, sim.advance, -1)
        self.assertRaisesRegex(TypeError, "2.5 steps: a whole number", sim.advance, 2.5)
        self.assertRaisesRegex(TypeError, "2.5 steps: a whole number", sim.every, 2.5)
        self.assertEqual(sim.step, 17)
        sim._callbacks.clear()
        sim.advance(np.int64(2))
        self.assertEqual(sim.step, 19)

    def test_a_saved_simulation_goes_on(self):
        sim = Simulation("fluid.yaml")
        sim.advance(5)
        sim.save("saved")
        other = Simulation.resume("saved")
        self.assertEqual(other.step, 5)
        sim.advance(6)
        other.advance(6)
        self.same(sim, other)
        self.assertRaisesRegex(polhode.SimulationError, "no.h5md", Simulation.resume, "no.h5md")

    def test_a_run_is_that_of_the_program(self):
        with Simulation("fluid.yaml") as sim:
            sim.run(overwrite=True)
            self.assertEqual(sim.step, 12)
            last = sim.unwrapped
        words = [POLHODE, "run", "fluid.yaml", "-o", "same.h5md", "--quiet", "--overwrite"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        with polhode.open("fluid.h5md") as ours, polhode.open("same.h5md") as theirs:
            self.assertEqual(len(ours.frames), 4)
            np.testing.assert_array_equal(ours.frames[-1].unwrapped, theirs.frames[-1].unwrapped)
            np.testing.assert_array_equal(ours.frames[-1].unwrapped, last)
            np.testing.assert_array_equal(ours.series["total_energy"].value, theirs.series["total_energy"].value)
        with self.assertRaisesRegex(polhode.SimulationError, "is there already"):
            Simulation("fluid.yaml").run()

    def test_many_simulations_in_many_threads(self):
        alone = Simulation("fluid.yaml")
        alone.advance(20)
        alone.save("alone")
        done, errors = [], []

        def work(k):
            try:
                with Simulation("fluid.yaml", {"system.start.seed": 5 + k % 2}) as sim:
                    sim.advance(20)
                    sim.save(f"thread-{k}")
                    with polhode.open("fluid.h5md") as run:
                        done.append((k, state(sim), run.frames[0].centres))
            except BaseException as error:
                errors.append(error)

        Simulation("fluid.yaml").run(overwrite=True)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(len(done), 6)
        for k, found, _ in done:
            equal = all(np.array_equal(a, b) for a, b in zip(found, state(alone)))
            self.assertEqual(equal, k % 2 == 0)

    def test_two_threads_cannot_use_one(self):
        sim, caught = Simulation("fluid.yaml"), []

        def intrude():
            try:
                sim.positions
            except RuntimeError as error:
                caught.append(str(error))

        def force(positions, orientations):
            thread = threading.Thread(target=intrude)
            thread.start()
            thread.join()
            return 0.0, np.zeros_like(positions)

        sim.add_force(force)
        self.assertRegex(caught[0], "in use")

    def test_who_else_advances_is_told(self):
        sim, caught = Simulation("fluid.yaml"), []

        def intrude():
            try:
                sim.advance(1)
            except RuntimeError as error:
                caught.append(str(error))

        def between(_):
            thread = threading.Thread(target=intrude)
            thread.start()
            thread.join()
            intrude()

        sim.every(1, between)
        sim.advance(1)
        self.assertRegex(caught[0], "Another thread is advancing")
        self.assertRegex(caught[1], "A function of `every`.* must not advance")
        sim.forget(between)
        thread = threading.Thread(target=sim.advance, args=(2,))  # one after the other may
        thread.start()
        thread.join()
        sim.advance(1)
        self.assertEqual(sim.step, 4)

    def interrupted(self, work):
        """In a force, that is within the library"""
        sim, calls = Simulation("fluid.yaml"), []

        def force(positions, orientations):
            calls.append(1)
            if len(calls) == 30:
                signal.raise_signal(signal.SIGINT)
            return 0.0, np.zeros_like(positions)

        sim.add_force(force)
        with self.assertRaises(KeyboardInterrupt):
            work(sim)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertGreater(sim.step, 0)
        self.assertLess(len(calls), 30 + 15)  # no more than the step that had begun
        return sim

    def test_an_interrupt_ends_steps_and_nothing_else(self):
        sim = self.interrupted(lambda sim: sim.advance(1000))
        other = Simulation("fluid.yaml")
        other.advance(sim.step)
        for name, a, b in zip(ARRAYS, state(sim), state(other)):
            np.testing.assert_allclose(a, b, atol=1e-9, err_msg=name)
        sim.advance(2)

    def test_an_interrupted_run_has_a_checkpoint(self):
        sim = self.interrupted(lambda sim: sim.run(overwrite=True))
        resumed = Simulation.resume("fluid.h5md")
        self.assertEqual(resumed.step, sim.step)
        self.assertRaisesRegex(polhode.SimulationError, "add_force", resumed.advance, 1)
        program = subprocess.run([POLHODE, "resume", "fluid.h5md"], capture_output=True, text=True)
        self.assertEqual(program.returncode, 2)
        self.assertIn("A force of the program that made it acted on this run", program.stderr)
        resumed.add_force(lambda positions, orientations: (0.0, 0 * positions))
        resumed.run()
        self.assertEqual(resumed.step, 12)
        with polhode.open("fluid.h5md") as run:
            self.assertEqual(run["caller_force"], 1)
            identity = run["identity"]
        Simulation("fluid.yaml").run(overwrite=True)
        with polhode.open("fluid.h5md") as run:
            self.assertNotIn("caller_force", run)
            self.assertNotEqual(run["identity"], identity)


class Forces(unittest.TestCase):
    def test_a_function_is_as_good_as_a_field(self):
        k, e = 30.0, np.array([0.3, -0.2, 0.5])
        fields = {"interactions.external": {"tether": k, "electric_field": e}}
        built_in, sim = Simulation("fluid.yaml", fields), Simulation("fluid.yaml")
        anchor, body = sim.unwrapped, np.array([0, 0, 1.0]) * self.dipole(sim)

        def force(positions, orientations):
            d = positions - anchor
            mu = np.einsum("nij,j->ni", polhode.rotation_matrices(orientations), body)
            return 0.5 * k * np.sum(d * d) - np.sum(mu @ e), -k * d, np.cross(mu, e)

        sim.add_force(force)
        for _ in range(3):
            a, b = built_in.energies, sim.energies
            self.assertAlmostEqual(a.external, b.external, delta=1e-12 * abs(a.radial))
            self.assertAlmostEqual(a.total, b.total, delta=1e-11 * abs(a.radial))
            self.assertAlmostEqual(a.temperature, b.temperature, delta=1e-11)
            np.testing.assert_allclose(built_in.forces, sim.forces, rtol=0, atol=1e-9)
            np.testing.assert_allclose(built_in.torques, sim.torques, rtol=0, atol=1e-9)
            built_in.advance(5)
            sim.advance(5)
        self.assertGreater(abs(a.external), 1)
        sim.remove_force(force)
        self.assertEqual(sim.energies.external, 0)

    def dipole(self, sim):
        return np.linalg.norm(sim.energies.dipole) / np.linalg.norm(
            polhode.rotation_matrices(sim.orientations)[:, :, 2].sum(axis=0)
        )

    def biased(self, scheme, step, steps):
        """Two molecules that feel each other, and a harmonic bias on their distance"""
        sim = Simulation.from_arrays(
            "units: reduced\ndynamics: {step: 0.01, steps: 1}",
            [("stockmayer", 2)],
            [[0, 0, 0], [1.3, 0, 0]],
            [[1, 0, 0, 0], [0.8, 0.6, 0, 0]],
            [[0, 0.3, 0], [0, -0.3, 0]],
            sets={"dynamics.scheme": scheme, "dynamics.step": step},
        )

        def umbrella(positions, orientations):
            d = positions[0] - positions[1]
            r = np.linalg.norm(d)
            f = -50.0 * (r - 1.2) * d / r
            return 25.0 * (r - 1.2) ** 2, np.array([f, -f])

        sim.add_force(umbrella, keeps_momentum=True)
        first = sim.energies
        sim.advance(steps)
        self.assertNotAlmostEqual(first.external, sim.energies.external, places=2)
        return sim.positions.copy(), abs(sim.energies.total - first.total)

    def test_the_scheme_keeps_its_order(self):
        exact, drift = self.biased("srkn6-11b", 0.0025, 200)
        self.assertLess(drift, 1e-8)
        coarse, fine = self.biased("verlet", 0.005, 100)[0], self.biased("verlet", 0.0025, 200)[0]
        slope = np.log2(np.abs(coarse - exact).max() / np.abs(fine - exact).max())
        self.assertLess(abs(slope - 2), 0.2)

    def test_functions_add_up_and_their_faults_come_out(self):
        sim = Simulation("fluid.yaml")
        up = sim.add_force(lambda r, q: (1.0, np.full_like(r, 2.0)))
        sim.add_force(lambda r, q: (0.5, np.zeros_like(r), np.ones_like(r)))
        self.assertEqual(sim.energies.external, 1.5)
        forces = sim.forces.copy()
        sim.remove_force(up)
        np.testing.assert_allclose(forces - sim.forces, 2.0, rtol=1e-9)
        self.assertEqual(sim.energies.external, 0.5)
        before = state(sim)
        wrong = (
            (ZeroDivisionError, "division", lambda r, q: 1 / 0),
            (TypeError, "must return", lambda r, q: r),
            (ValueError, r"forces have the shape \(3,\), not \(64, 3\)", lambda r, q: (0.0, r[0])),
            (RuntimeError, "in use", lambda r, q: (sim.energies.total, 0 * r)),
            (polhode.SimulationError, "not finite", lambda r, q: (0.0, r * np.nan)),
        )
        for kind, words, force in wrong:
            self.assertRaisesRegex(kind, words, sim.add_force, force)
            self.assertEqual(sim.energies.external, 0.5)
        for a, b in zip(before, state(sim)):
            np.testing.assert_array_equal(a, b)
        gradient = Simulation("fluid.yaml", {"dynamics.scheme": "chin4a"})
        self.assertRaisesRegex(polhode.SimulationError, "force gradients", gradient.add_force, up)


class Documented(unittest.TestCase):
    def test_what_the_page_says_works(self):
        root = os.path.join(PYTHON_DIR, "../..")
        with open(os.path.join(root, "docs/python.md"), encoding="utf-8") as page:
            blocks = re.findall(r"```python\n(.*?)```", page.read(), re.S)
        self.assertEqual(len(blocks), 5)  # the last one needs pandas and xarray, see test_reader.py
        names = {"np": np, "k": 10.0, "r0": 1.0, "step": 3}
        exec(blocks[0].replace("inputs/", root + "/inputs/").replace("advance(100)", "advance(5)"), names)
        names["sim"] = sim = Simulation("fluid.yaml")
        exec(blocks[1], names)
        exec(blocks[2], names)
        sim.advance(2)
        self.assertGreater(sim.energies.external, 0)
        Simulation("fluid.yaml").run(overwrite=True)
        exec(blocks[3].replace("quickstart.h5md", "fluid.h5md"), names)
        self.assertEqual(len(names["energy"]), 13)


if __name__ == "__main__":
    unittest.main()
