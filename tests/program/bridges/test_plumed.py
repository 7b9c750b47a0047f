#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A bias of PLUMED, computed by a kernel of our own with the documented interface: forces, energies, files, restart,
ranks, and what is refused.

usage: test_plumed.py PROGRAM KERNEL MPIEXEC
"""
import os
import pathlib
import shutil
import sys
import unittest

import h5py
import numpy as np

import processes
from calling import FOLDER, POLHODE, call, path

KERNEL, MPIEXEC = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
ENVIRONMENT = {**processes.ENVIRONMENT, "PLUMED_KERNEL": KERNEL, "OMP_NUM_THREADS": "1"}
OPEN = """units: md
system:
  box: {kind: open}
  molecules: [{model: spc-e, count: 4}]
  start: {kind: simple-cubic, spacing: 0.32, temperature: 100, seed: 3}
interactions: {plumed: plumed.dat}
dynamics: {scheme: verlet, step: 0.0005, steps: 20, energy_bound: 10}
output: {frames_every: 5, series_every: 1}
"""
# A dimer that the box cuts through, and other species before it, so that the numbers of atoms are not those of molecules
PERIODIC = """units: md
system:
  box: {kind: periodic, length: [1.5, 1.6, 1.7]}
  molecules: [{model: trappe-co2, count: 3}, {model: spc-e, count: 24}]
  start: {kind: simple-cubic, temperature: 200, seed: 3}
interactions:
  cutoff: 0.7
  switch: {width: 0.2, smoothness: 6}
  electrostatics: {method: reaction-field}
  plumed: {file: plumed.dat, every: 2, log: my.log, keeps_momentum: true}
dynamics: {scheme: verlet-position, step: 0.001, steps: 12, thermostat: {kind: langevin, temperature: 200, friction: 1}}
output: {frames_every: 1, series_every: 1}
"""
RESTRAINT = "DISTANCE ATOMS=2,10\nRESTRAINT KAPPA=2000 AT=0.3\nPRINT FILE=COLVAR\n"


def write(folder, text, plumed=RESTRAINT):
    shutil.rmtree(path(folder), ignore_errors=True)
    os.mkdir(path(folder))
    pathlib.Path(path(folder), "input.yaml").write_text(text)
    pathlib.Path(path(folder), "plumed.dat").write_text(plumed)


def polhode(folder, *words, kernel=KERNEL, **more):
    environment = {**ENVIRONMENT, "PLUMED_KERNEL": kernel}
    if kernel is None:
        del environment["PLUMED_KERNEL"]
    return call(*words, cwd=path(folder), env=environment, **more)


def run(folder, *sets):
    polhode(folder, "run", "input.yaml", "-o", "run.h5md", "-q", "--overwrite", *(word for key in sets for word in ("--set", key)))
    return path(f"{folder}/run.h5md")


def series(file, name):
    with h5py.File(file, "r") as opened:
        return opened[f"series/{name}/value"][:]


def everything(file):
    """All numbers of a trajectory"""
    found = {}
    with h5py.File(file, "r") as opened:
        opened.visititems(lambda name, item: found.__setitem__(name, item[()])
                          if isinstance(item, h5py.Dataset) and name.startswith(("particles", "rigid_bodies", "series")) else None)
    return found


class Bias(unittest.TestCase):
    def same(self, one, other):
        self.assertEqual(one.keys(), other.keys())
        self.assertGreater(len(one), 20)
        for name, values in one.items():
            np.testing.assert_array_equal(values, other[name], name)

    def test_forces_torques_and_virial_are_derivatives(self):
        for text, plumed in ((OPEN, RESTRAINT), (PERIODIC, RESTRAINT.replace("2,10", "11,80"))):
            write("one", text, plumed)
            told, _ = polhode("one", "check", "input.yaml", "--gradients")
            self.assertIn("virial", told)
            bias, _ = polhode("one", "energy", "input.yaml")
            self.assertIn("bias of PLUMED", bias)

    def test_plumed_gets_sites_box_and_clock(self):
        """Distances that PLUMED prints are those of the frames, over the faces of the box; the bias is in the series."""
        write("one", PERIODIC, RESTRAINT.replace("2,10", "11,80"))
        file = run("one")
        colvar = np.loadtxt(path("one/COLVAR"))
        self.assertEqual(colvar[:, 0].tolist(), [0, 2, 4, 6, 8, 10, 12])
        with h5py.File(file, "r") as opened:
            atoms = opened["particles/trajectory/position/value"][-1]
        box = np.array([1.5, 1.6, 1.7])
        self.assertEqual(len(atoms), 81)
        apart = atoms[79] - atoms[10]
        apart -= box * np.round(apart / box)
        self.assertAlmostEqual(np.linalg.norm(apart), colvar[-1, 1], delta=1e-6)
        np.testing.assert_allclose(series(file, "energy_bias")[::2], colvar[:, 2], rtol=1e-12)
        log = pathlib.Path(path("one/my.log")).read_text().split()
        self.assertEqual(log[1], "81")
        self.assertAlmostEqual(float(log[3]), 200 * 8.31446261815324e-3, delta=1e-9)
        self.assertEqual((float(log[5]), log[7], log[9]), (0.001, "0", "0"))

    def test_conserved_energy_has_the_order_of_the_scheme(self):
        for scheme, order, step in (("verlet", 2, 4e-4), ("verlet-position", 2, 4e-4), ("suzuki4", 4, 1.2e-3)):
            write("one", OPEN)
            errors = []
            for part in (1, 2):
                energy = series(run("one", f"dynamics.scheme={scheme}", f"dynamics.step={step / part}",
                                    f"dynamics.steps={round(0.048 / step) * part}"), "conserved_energy")
                errors.append(np.abs(energy[::part] - energy[0]).max())
            self.assertLess(abs(np.log2(errors[0] / errors[1]) - order), 0.2, (scheme, errors))
            self.assertGreater(np.ptp(series(path("one/run.h5md"), "energy_bias")), 0.5)

    def test_work_of_a_moving_bias_is_not_energy_of_the_system(self):
        write("one", OPEN, RESTRAINT + "SLIDE=0.0002\n")
        file = run("one", "dynamics.steps=60")
        total, conserved = series(file, "total_energy"), series(file, "conserved_energy")
        self.assertGreater(abs(total[-1] - total[0]), 1.0)
        write("one", OPEN)
        still = series(run("one", "dynamics.steps=60"), "conserved_energy")
        self.assertLess(np.ptp(conserved), 3 * np.ptp(still))
        self.assertLess(np.ptp(conserved), 0.2 * np.ptp(total))

    def test_a_resumed_run_gives_the_same_bits(self):
        for text, plumed in ((OPEN, RESTRAINT + "SLIDE=0.0002\n"), (PERIODIC, RESTRAINT)):
            steps = 20 if text == OPEN else 12
            write("whole", text, plumed)
            whole = everything(run("whole"))
            write("parts", text, plumed)
            run("parts", f"dynamics.steps={steps // 2}")
            polhode("parts", "resume", "run.h5md", "-q", "--steps", str(steps // 2))
            self.same(whole, everything(path("parts/run.h5md")))
            printed = [pathlib.Path(path(f"{name}/COLVAR")).read_text().splitlines() for name in ("whole", "parts")]
            half = len(printed[0]) // 2 + 1
            self.assertEqual(printed[1][half].split()[:2], printed[1][half - 1].split()[:2])  # where it went on, once more
            self.assertEqual(printed[1][:half] + printed[1][half + 1:], printed[0])

    def test_a_run_resumed_between_two_actions_loses_none(self):
        """PLUMED adds no hill at the first step that it gets. That must be the step of the restart, though odd."""
        text = OPEN.replace("plumed: plumed.dat", "plumed: {file: plumed.dat, every: 2}")
        plumed = RESTRAINT + "SLIDE=0.0002\nSTRIDE=2\n"
        write("whole", text, plumed)
        whole = everything(run("whole"))
        write("parts", text, plumed)
        run("parts", "dynamics.steps=9")
        self.assertIn("restart 0", pathlib.Path(path("parts/plumed.log")).read_text())
        polhode("parts", "resume", "run.h5md", "-q", "--steps", "11")
        self.assertIn("restart 1", pathlib.Path(path("parts/plumed.log")).read_text())
        self.same(whole, everything(path("parts/run.h5md")))
        for file in ("COLVAR", "COLVAR.state"):
            self.assertEqual(*(pathlib.Path(path(f"{name}/{file}")).read_text() for name in ("whole", "parts")))

    def test_two_ranks_give_the_same_bits(self):
        if MPIEXEC == "none" or not shutil.which(MPIEXEC):
            self.skipTest("no MPI")
        for text in (OPEN, PERIODIC):
            write("one", text)
            alone = everything(run("one"))
            write("two", text)
            done = processes.run([MPIEXEC, "-n", "2", POLHODE, "run", "input.yaml", "-o", "run.h5md", "-q"], env=ENVIRONMENT,
                                 cwd=path("two"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.same(alone, everything(path("two/run.h5md")))
            self.assertEqual(*(pathlib.Path(path(f"{name}/COLVAR")).read_text() for name in ("one", "two")))

    def test_what_is_refused_says_why(self):
        def refused(expected, *sets, text=OPEN, plumed=RESTRAINT, **more):
            write("one", text, plumed)
            _, told = polhode("one", "check", "input.yaml", *(word for key in sets for word in ("--set", key)), status=2, **more)
            self.assertIn(expected, told)
            self.assertIn("interactions.plumed", told)
            self.assertNotIn("mesh by default", told)

        refused("PLUMED_KERNEL is not set", kernel=None)
        refused("'/nowhere/k.so', cannot be loaded", kernel="/nowhere/k.so")
        refused("no plumed_symbol_table", kernel="libm.so.6")
        refused("'none.dat' cannot be read", text=OPEN.replace("plumed.dat", "none.dat"))
        refused("input.yaml:6", text=OPEN.replace("plumed.dat", "{log: a.log}"))
        refused("PLUMED reports (init): I cannot understand line of the input", plumed="METAD\n")
        refused("PLUMED reports (init)", text=PERIODIC.replace("electrostatics: {method: reaction-field}", ""), plumed="METAD\n")
        refused("takes the potential energy of the system", plumed=RESTRAINT + "ENERGY\n")
        refused("takes force gradients", "dynamics.scheme=takahashi-imada2")
        refused("output.shadow_energy needs derivatives", "output.shadow_energy=true")
        refused("Accepted: cpu", "dynamics.backend=emulated")
        refused("only one: give all stages the same step", text=OPEN.partition("dynamics:")[0]
                + "stages: [{name: a, step: 0.0005, steps: 2}, {name: b, step: 0.001, steps: 2}]\n")


if __name__ == "__main__":
    with FOLDER:
        unittest.main()
