#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""GROMACS and LAMMPS open what `polhode export` writes, and find our energies in it; and what LAMMPS writes comes in. Each
class is skipped where its program is not installed (Debian: gromacs, lammps).

usage: test_other_programs.py PROGRAM
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy as np

from calling import FOLDER, call, path

WATER = """units: md
system:
  box: {kind: open}
  molecules: [{model: spc-e, count: 8}]
  start: {kind: simple-cubic, spacing: 0.31, temperature: 150, seed: 3}
dynamics: {scheme: verlet, step: 0.001, steps: 20, energy_bound: 100}
output: {frames_every: 10, series_every: 10}
"""
TOPOLOGY = """[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
O 8 15.9994 0.0 A 0.316555789 0.650169581
H 1 1.008 0.0 A 0 0
[ moleculetype ]
spc-e 2
[ atoms ]
1 O 1 spc-e O 1 -0.8476
2 H 1 spc-e H 1 0.4238
3 H 1 spc-e H 1 0.4238
[ settles ]
1 1 0.1 0.16329808618402342
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
eight molecules
[ molecules ]
spc-e 8
"""
# Every pair is within the cutoff. The constant of this reaction field cancels, since molecules are neutral.
RERUN = """integrator = md
nsteps = 0
cutoff-scheme = verlet
nstlist = 1
rlist = 5
rcoulomb = 5
rvdw = 5
verlet-buffer-tolerance = -1
coulombtype = reaction-field
epsilon-rf = 1
vdw-modifier = none
coulomb-modifier = none
nstenergy = 1
nstcalcenergy = 1
"""
# Epsilon in kcal/mol, and no interactions within molecules
LAMMPS = """units real
atom_style full
boundary f f f
read_data water.data
pair_style lj/cut/coul/cut 60.0
pair_modify mix arithmetic
pair_coeff 1 1 %.17g 3.16555789
pair_coeff 2 2 0.0 1.0
neigh_modify exclude molecule/intra all
thermo 10
thermo_style custom step pe ke
thermo_modify format float %%.15g
run 0
rerun water.dump dump x y z vx vy vz wrapped no box no
""" % (0.650169581 / 4.184)
TEMPLATE = "# two atoms\n\n2 atoms\n\nCoords\n\n1 0 0 0\n2 0 0 1.1\n\nTypes\n\n1 1\n2 1\n"
MAKE = """units real
atom_style full
region box block 0 60 0 60 0 60
create_box 1 box
pair_style lj/cut 28.0
mass 1 14.007
pair_coeff 1 1 0.0725 3.31
molecule two dumbbell.mol
region some block 24 38 24 38 24 38
lattice sc 4.5
create_atoms 0 region some mol two 93
neigh_modify exclude molecule/intra all
thermo_style custom step atoms pe
thermo_modify format float %.15g
run 0
write_data made.data
"""
START = """units: md
system:
  molecules: [{model: dumbbell.yaml, count: %d}]
  start: {kind: file, file: made.data, temperature: 10, seed: 1}
interactions: {cutoff: 2.9, switch: {width: 0.1}, combining: geometric, long_range_correction: false}
dynamics: {scheme: verlet, step: 0.001, steps: 1}
"""
GMX = shutil.which("gmx_d") or shutil.which("gmx")
LMP = shutil.which("lmp")


def write(name, text):
    pathlib.Path(path(name)).write_text(text)


def said(*words, **more):
    """Both outputs of another program, in our folder with one thread"""
    done = subprocess.run(words, cwd=FOLDER.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "GMX_MAXBACKUP": "-1"}, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def series(name):
    with h5py.File(path("water.h5md"), "r") as run:
        return run[f"series/{name}/value"][:]


def frame(name, k):
    with h5py.File(path("water.h5md"), "r") as run:
        return run[f"particles/trajectory/{name}/value"][k]


def columns(text, head):
    """The rows of numbers below each line that begins with these words"""
    rows, inside = [], False
    for line in text.splitlines():
        if inside and re.fullmatch(r"[\s\d.e+-]+", line):
            rows.append([float(word) for word in line.split()])
        else:
            inside = line.split()[:len(head)] == head
    return np.array(rows)


def setUpModule():
    write("input.yaml", WATER)
    call("run", path("input.yaml"), "-o", path("water.h5md"), "-q", "--threads", "1")
    for form, words in (("gro", ["--decimals", "6"]), ("trr", []), ("xtc", ["--decimals", "6"]), ("data", []), ("dump", [])):
        call("export", path("water.h5md"), "--format", form, *words)


@unittest.skipUnless(GMX, "GROMACS is not installed")
class Gromacs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        write("water.top", TOPOLOGY)
        write("rerun.mdp", RERUN)
        text = pathlib.Path(path("water.gro")).read_text().splitlines()
        write("boxed.gro", "\n".join(text[:-1] + ["12 12 12", ""]))  # GROMACS wants a box here
        said(GMX, "grompp", "-f", "rerun.mdp", "-c", "boxed.gro", "-p", "water.top", "-o", "water.tpr", "-maxwarn", "9")

    def test_energies_of_frames_are_ours(self):
        exact = GMX.endswith("_d")
        for form, tolerance in (("trr", 1e-11 if exact else 1e-5), ("xtc", 1e-4)):
            said(GMX, "trjconv", "-f", f"water.{form}", "-s", "water.tpr", "-o", f"boxed.{form}", "-box", "12", "12", "12",
                 "-ndec", "6", input="0\n")
            said(GMX, "mdrun", "-s", "water.tpr", "-rerun", f"boxed.{form}", "-deffnm", "rerun", "-nt", "1")
            said(GMX, "energy", "-f", "rerun.edr", "-o", "energy.xvg", *(["-dp"] if exact else []), input="Potential\n")
            found = np.loadtxt(path("energy.xvg"), comments=("#", "@"))
            np.testing.assert_allclose(found[:, 0], [0, 0.01, 0.02], atol=1e-6)
            np.testing.assert_allclose(found[:, 1], series("potential_energy"), rtol=tolerance)

    def test_velocities_of_gro_and_trr_are_those_of_the_run(self):
        for file, k, digits in (("boxed.gro", -1, 5.1e-5), ("water.trr", slice(None), 1e-6)):
            said(GMX, "traj", "-f", file, "-s", "water.tpr", "-ov", "velocity.xvg", "-fp", input="0\n")
            found = np.loadtxt(path("velocity.xvg"), comments=("#", "@"), ndmin=2)[:, 1:]
            want = frame("velocity", k).reshape(len(found), -1)
            self.assertGreater(np.abs(want).max(), 1)
            np.testing.assert_allclose(found, want, rtol=1e-5, atol=digits)

    def test_gromacs_counts_the_frames(self):
        for form, velocities in (("trr", 3), ("xtc", 0)):
            told = said(GMX, "check", "-f", f"water.{form}")
            for name, number in (("Coords", 3), ("Velocities", velocities), ("Time", 3)):
                self.assertEqual(int(re.search(rf"^{name} +(\d+)", told, re.M)[1]), number, (form, name))


@unittest.skipUnless(LMP, "LAMMPS is not installed")
class Lammps(unittest.TestCase):
    def test_energies_of_data_and_dump_are_ours(self):
        """The constant of Coulomb's law has nine digits in LAMMPS."""
        write("in.water", LAMMPS)
        found = columns(said(LMP, "-log", "none", "-in", "in.water"), ["Step", "PotEng", "KinEng"])
        self.assertEqual(found[:, 0].tolist(), [0, 0, 10, 20])
        kinetic = series("kinetic_energy_translation") + series("kinetic_energy_rotation")
        order = [2, 0, 1, 2]  # the data file has the last frame
        np.testing.assert_allclose(4.184 * found[:, 1], series("potential_energy")[order], rtol=1e-7)
        np.testing.assert_allclose(4.184 * found[:, 2], kinetic[order], rtol=1e-8)

    def test_a_template_and_data_of_lammps_come_in(self):
        write("dumbbell.mol", TEMPLATE)
        write("in.made", MAKE)
        [[_, atoms, energy]] = columns(said(LMP, "-log", "none", "-in", "in.made"), ["Step", "Atoms", "PotEng"])
        self.assertGreater(atoms, 20)
        for file in ("dumbbell.mol", "made.data"):
            call("model", "import", file, "--forcefield", "in.made", "-o", "dumbbell.yaml", "--overwrite", cwd=FOLDER.name)
            write("start.yaml", START % (atoms / 2))
            out, _ = call("energy", "start.yaml", "--json", cwd=FOLDER.name)
            np.testing.assert_allclose(json.loads(out)["energy"]["potential"], 4.184 * energy, rtol=1e-9)


if __name__ == "__main__":
    if not GMX and not LMP:
        print("skipped: neither GROMACS nor LAMMPS is installed")
        sys.exit(77)
    with FOLDER:
        unittest.main()
