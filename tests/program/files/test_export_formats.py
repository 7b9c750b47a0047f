#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""XTC, TRR, DCD, LAMMPS dumps, GRO and PDB with models, as MDAnalysis reads them, extended XYZ, as ASE does, and GSD, as
HOOMD-blue's own library does, against the trajectory that they were made from.

usage: test_export_formats.py WRITE_H5MD POLHODE
"""
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import ase.io
import ase.units
import gsd.hoomd
import h5py
import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import MDAnalysis

WRITE_H5MD, POLHODE = sys.argv.pop(1), sys.argv.pop(1)
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-formats-")
KINDS = ("dipoles", "water", "mixture", "open", "large", "argon")
PHYSICAL = ("water", "mixture", "argon")  # in nm; MDAnalysis has Angstrom


def path(name):
    return os.path.join(FOLDER.name, name)


def export(file, form, *words, status=0):
    """The name of the exported file, or what was said if it failed"""
    out = path("exported." + form)
    done = subprocess.run([POLHODE, "export", file, "--format", form, "-o", out, "--overwrite", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == status, done.stderr
    return done.stderr if status else out


def frames_of(file, n):
    """Positions [frame, particle, 3], boxes, times and steps as MDAnalysis has them; GRO by its first frame"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if file.endswith((".xtc", ".dcd", ".trr", ".dump")):
            universe = MDAnalysis.Universe.empty(n, trajectory=True)
            universe.load_new(file, format="LAMMPSDUMP" if file.endswith("dump") else None)
        else:
            universe = MDAnalysis.Universe(file)
        all_frames = [(frame.positions.copy(), None if frame.dimensions is None else frame.dimensions.copy(), frame.time,
                       frame.data.get("step")) for frame in universe.trajectory]
    return [[frame[k] for frame in all_frames] for k in range(4)]


def angles(edges):
    """Lengths and angles of edge vectors, as MDAnalysis orders them"""
    a, b, c = edges
    between = [np.degrees(np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v))) for u, v in ((b, c), (a, c), (a, b))]
    return np.array([np.linalg.norm(a), np.linalg.norm(b), np.linalg.norm(c), *between])


def make(name, positions, edges=None, unit="nm", image=None):
    """A file of another program: positions [frame, particle, 3], the same box in all frames"""
    positions = np.asarray(positions, dtype=float)
    with h5py.File(path(name), "w") as file:
        file.create_group("h5md").attrs["version"] = np.array([1, 1])
        group = file.create_group("particles/all")
        position = group.create_group("position")
        position["value"] = positions
        position["value"].attrs["unit"] = unit
        position["step"] = 5 * np.arange(len(positions)) + 15
        position["time"] = 0.5 * np.arange(len(positions)) + 1.5
        box = group.create_group("box")
        box.attrs["dimension"] = 3
        box.attrs["boundary"] = np.array([b"periodic" if edges is not None else b"none"] * 3)
        if edges is not None:
            box["edges"] = np.asarray(edges, dtype=float)
        if image is not None:
            group["image/value"] = image
            group["image/step"] = position["step"]
            group["image/time"] = position["time"]
    return path(name)


class EveryKind(unittest.TestCase):
    def test_positions_boxes_and_times_are_those_of_the_trajectory(self):
        for kind in KINDS:
            for stages in (False, True) if kind in ("water", "argon") else (False,):
                file = path("run.h5md")
                subprocess.run([WRITE_H5MD, kind, file, "100", *(["0", "stages"] if stages else [])],
                               stdout=subprocess.DEVNULL, check=True)
                with h5py.File(file, "r") as run:
                    group = run["particles/trajectory"]
                    want, time, step = (group["position"][part][:] for part in ("value", "time", "step"))
                    edges = group["box/edges/value"][:] if kind != "open" else None
                for form in ("xtc", "dcd", "pdb", "gro", "trr", "dump"):
                    with self.subTest(f"{kind}, {form}, {'stages' if stages else 'one stage'}"):
                        out = export(file, form, *(["--frames", ":"] if form in ("pdb", "gro") else []))
                        positions, boxes, times, steps = frames_of(out, want.shape[1])
                        if form == "gro":  # MDAnalysis stops after one
                            with open(out) as text:
                                self.assertEqual(text.read().count(" t= "), len(want))
                        else:
                            self.assertEqual(len(positions), len(want))
                        unit = 10.0 if kind in PHYSICAL or form in ("xtc", "gro", "trr") else 1.0
                        digits = {"xtc": 5e-3 if want.shape[1] > 9 else 0, "gro": 5e-3, "pdb": 5e-4}.get(form, 0)
                        largest = 0
                        for k, found in enumerate(positions):
                            if form == "dump":  # MDAnalysis puts the lowest corner of the box into the origin
                                found = found - found[0] + unit * want[k][0]
                            off = np.abs(found - unit * want[k]).max()
                            largest = max(largest, off)
                            self.assertLess(off, digits + 1e-5)
                            if edges is None and form == "dump":
                                np.testing.assert_allclose(boxes[k][:3], np.ptp(want[k], axis=0) + 2, rtol=1e-5)
                            elif edges is None:
                                self.assertIsNone(boxes[k])
                            else:
                                wanted = angles(edges[k]) * np.array([unit] * 3 + [1] * 3)
                                np.testing.assert_allclose(boxes[k], wanted, atol=6e-3 if form == "pdb" else 1e-4)
                        self.assertGreaterEqual(largest, 0.5 * digits)  # no more than the format has
                        if form in ("xtc", "trr"):
                            self.assertEqual(steps, list(step))
                            np.testing.assert_allclose(times, time, rtol=1e-6)
                        if form == "dcd" and not stages:
                            np.testing.assert_allclose(times, time, rtol=1e-6)

    def test_gro_has_velocities(self):
        """In nm/ps to four decimals, turned with a box that is put upright"""
        file, seen = path("run.h5md"), 0
        for kind in KINDS:
            subprocess.run([WRITE_H5MD, kind, file, "100"], stdout=subprocess.DEVNULL, check=True)
            with h5py.File(file, "r") as run:
                group = run["particles/trajectory"]
                if "velocity" not in group:
                    continue
                want = group["velocity/value"][-1]
                edges = group["box/edges/value"][-1] if kind != "open" else np.eye(3)
            with self.subTest(kind):
                found = MDAnalysis.Universe(export(file, "gro")).atoms.velocities / 10
                np.testing.assert_allclose(np.linalg.norm(found, axis=1), np.linalg.norm(want, axis=1), atol=1.5e-4)
                if np.allclose(np.triu(edges, 1), 0):
                    np.testing.assert_allclose(found, want, atol=6e-5)
                    seen += 1
        self.assertGreater(seen, 1)

    def test_lammps_data_has_one_frame_with_all_that_molecules_need(self):
        """Read by ASE and by MDAnalysis, in the units of LAMMPS's style real"""
        file = path("run.h5md")
        for kind in ("water", "mixture", "open", "argon"):
            subprocess.run([WRITE_H5MD, kind, file, "100"], stdout=subprocess.DEVNULL, check=True)
            with self.subTest(kind), h5py.File(file, "r") as run:
                group = run["particles/trajectory"]
                out, unit = export(file, "data"), 10.0 if kind in PHYSICAL else 1.0
                with open(out, encoding="utf-8") as text:
                    self.assertIn("units = " + ("real" if kind in PHYSICAL else "lj"), text.readline())
                atoms = ase.io.read(out, format="lammps-data", style="full", units="real", sort_by_id=True)
                want = group["position/value"][-1]
                if kind == "open":
                    want = want - want.min(axis=0)
                    np.testing.assert_allclose(atoms.positions - atoms.positions.min(axis=0), want, atol=1e-9)
                else:
                    np.testing.assert_allclose(np.abs(np.linalg.norm(atoms.positions, axis=1)), unit * np.linalg.norm(want, axis=1), rtol=1e-9)
                np.testing.assert_allclose(atoms.get_masses(), group["mass"][:], rtol=1e-8) if kind in PHYSICAL else None
                velocities = group["velocity/value"][-1]
                universe = MDAnalysis.Universe(out)
                np.testing.assert_allclose(universe.atoms.charges, group["charge"][:] if "charge" in group else 0, atol=1e-6)
                if kind in PHYSICAL:  # MDAnalysis 2.4 takes Angstrom/fs for something else
                    heavy = group["mass"][:] > 0
                    np.testing.assert_allclose(np.linalg.norm(atoms.get_velocities()[heavy], axis=1) * 1000 * ase.units.fs,
                                               np.linalg.norm(velocities[heavy], axis=1) * 10, rtol=1e-6)
        self.assertIn("one frame", export(file, "data", "--frames", ":", status=2))

    def test_trr_and_dumps_have_velocities_and_trr_forces(self):
        file = path("run.h5md")
        for kind in ("mixture", "argon", "dipoles"):
            subprocess.run([WRITE_H5MD, kind, file, "100"], stdout=subprocess.DEVNULL, check=True)
            with self.subTest(kind), h5py.File(file, "r") as run:
                group = run["particles/trajectory"]
                want = group["velocity/value"][-1]
                universe = MDAnalysis.Universe.empty(len(want), trajectory=True, velocities=True, forces=True)
                universe.load_new(export(file, "trr"))
                frame = universe.trajectory[-1]
                np.testing.assert_allclose(frame.velocities, 10 * want, rtol=1e-6, atol=1e-6)
                self.assertEqual(frame.has_forces, "force" in group)
                if "force" in group:
                    np.testing.assert_allclose(frame.forces, group["force/value"][-1] / 10, rtol=1e-6, atol=1e-6)
                with open(export(file, "dump")) as text:
                    rows = [line.split() for line in text.readlines()[-len(want):]]
                factor = 10e-3 if kind in PHYSICAL else 1.0
                np.testing.assert_allclose(np.array(rows)[:, 9:].astype(float), factor * want, rtol=1e-14)
                np.testing.assert_array_equal(np.array(rows)[:, 4].astype(float), group["mass"][:])
                self.assertEqual([row[0] for row in rows], [str(k + 1) for k in range(len(want))])

    def test_gsd_has_particles_in_a_box_around_the_origin(self):
        """Images make the molecules whole again. Orientations and angular momenta of spheres are HOOMD-blue's quaternions."""
        file = path("run.h5md")
        for kind in KINDS:
            subprocess.run([WRITE_H5MD, kind, file, "100"], stdout=subprocess.DEVNULL, check=True)
            with self.subTest(kind), h5py.File(file, "r") as run, gsd.hoomd.open(export(file, "gsd"), "rb") as found:
                group = run["particles/trajectory"]
                self.assertEqual([frame.configuration.step for frame in found], list(group["position/step"][:]))
                self.assertEqual((found.file.schema, found.file.schema_version), ("hoomd", (1, 4)))
                for k, frame in enumerate(found):
                    want, particles = group["position/value"][k], frame.particles
                    lx, ly, lz, xy, xz, yz = frame.configuration.box.astype(float)
                    edges = np.array([[lx, 0, 0], [xy * ly, ly, 0], [xz * lz, yz * lz, lz]])
                    if kind != "open":
                        np.testing.assert_allclose(angles(edges), angles(group["box/edges/value"][k]), rtol=1e-6)
                    self.assertLess(np.abs(particles.position @ np.linalg.inv(edges)).max(), 0.5 + 1e-6)
                    whole = particles.position + particles.image @ edges + (0.5 * edges.sum(axis=0) if kind != "open" else 0)
                    np.testing.assert_allclose(whole, want, atol=3e-6 * np.abs(want).max())
                    np.testing.assert_allclose(particles.mass, group["mass"][:], rtol=1e-6)
                    np.testing.assert_allclose(particles.velocity, group["velocity/value"][k], atol=1e-5)
                self.assertEqual([particles.types[k] for k in particles.typeid][:2],
                                 {"water": ["O", "H"], "mixture": ["O", "H"], "argon": ["argon", "argon"]}.get(kind, [particles.types[0]] * 2))
                if kind == "mixture":
                    self.assertEqual(list(particles.body), [k // 4 for k in range(12)] + [-1] * 4 + [7, 7, 8, 8])
                if "orientation" in group:
                    q, momentum = group["orientation/value"][-1], group["angular_momentum/value"][-1]
                    np.testing.assert_allclose(particles.orientation, q, atol=1e-6)
                    conjugate = particles.orientation * [1, -1, -1, -1]
                    body = conjugate[:, :1] * particles.angmom[:, 1:] + particles.angmom[:, :1] * conjugate[:, 1:] \
                        + np.cross(conjugate[:, 1:], particles.angmom[:, 1:])  # HOOMD-blue: L = conj(q) p/2
                    np.testing.assert_allclose(0.5 * body, momentum, atol=1e-5)

    def test_ase_reads_extended_xyz_in_its_units(self):
        file = path("run.h5md")
        for kind, symbols in (("water", ["O", "H", "H", "X"]), ("argon", ["Ar"])):
            subprocess.run([WRITE_H5MD, kind, file, "100"], stdout=subprocess.DEVNULL, check=True)
            atoms = ase.io.read(export(file, "extxyz"), index=-1)
            with h5py.File(file, "r") as run:
                group = run["particles/trajectory"]
                self.assertEqual(atoms.get_chemical_symbols(), symbols * (len(atoms) // len(symbols)))
                np.testing.assert_allclose(atoms.positions, 10 * group["position/value"][-1], rtol=1e-14)
                np.testing.assert_allclose(np.array(atoms.cell), 10 * group["box/edges/value"][-1], rtol=1e-14)
                np.testing.assert_allclose(atoms.arrays["velo"], 10 * group["velocity/value"][-1], rtol=1e-14)
                if kind == "water":  # a bond of TIP4P/2005
                    self.assertAlmostEqual(atoms.get_distance(0, 1), 0.957, places=3)
                    self.assertEqual(list(atoms.arrays["name"][:4]), ["O", "H", "H", "M"])
                else:
                    want = group["force/value"][-1] * (ase.units.kJ / ase.units.mol / ase.units.nm)
                    np.testing.assert_allclose(atoms.get_forces(), want, rtol=1e-6)
            kept = ase.io.read(export(file, "extxyz", "--scale", "1"), index=-1)
            np.testing.assert_allclose(10 * kept.positions, atoms.positions, rtol=1e-14)

    def test_names_and_molecules_come_with_gro_and_pdb(self):
        file = path("mixture.h5md")
        subprocess.run([WRITE_H5MD, "mixture", file, "100"], stdout=subprocess.DEVNULL, check=True)
        for form in ("gro", "pdb"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                universe = MDAnalysis.Universe(export(file, form), export(file, "xtc"))
            self.assertEqual(len(universe.trajectory), 11)
            self.assertEqual(list(universe.atoms.names), 3 * list("OHHM") + 4 * [{"gro": "Ar", "pdb": "AR"}[form]] + 2 * list("CN"))
            self.assertEqual(list(universe.residues.resnames)[::4], {"gro": ["tip4p", "argon", "rotor"],
                                                                     "pdb": ["TIP4", "ARGO", "ROTO"]}[form])
            self.assertEqual(len(universe.residues), 9)
            for _ in universe.trajectory:  # every molecule in one piece
                bonds = universe.atoms.positions[[1, 2, 5, 6, 9, 10]] - universe.atoms.positions[[0, 0, 4, 4, 8, 8]]
                np.testing.assert_allclose(np.linalg.norm(bonds, axis=1), 10 * np.hypot(0.0757, 0.0586), atol=2e-2)


class Compression(unittest.TestCase):
    """All ways that XTC has of writing an atom"""

    def check(self, positions, decimals):
        file = make("made.h5md", positions)
        found, _, times, steps = frames_of(export(file, "xtc", "--decimals", str(decimals)), positions.shape[1])
        self.assertEqual(len(found), len(positions))
        for got, want in zip(found, positions):
            single = 10 * np.abs(want).max() * 2.5e-7  # MDAnalysis has floats
            np.testing.assert_allclose(got, 10 * want, rtol=0, atol=5.01 * 10.0**-decimals + single)
        self.assertEqual(steps, list(5 * np.arange(len(positions)) + 15))
        np.testing.assert_allclose(times, 0.5 * np.arange(len(positions)) + 1.5)

    def test_near_and_far_atoms_in_any_order(self):
        random = np.random.default_rng(3)
        for n in (1, 2, 9, 10, 11, 12, 27, 100, 1000):
            frames = []
            for spread in (0.0, 1e-3, 0.02, 0.1, 1.0, 30.0):
                steps = np.where(random.random((2, n, 1)) < 0.7, 0.02, spread) * random.normal(size=(2, n, 3))
                frames.extend(np.cumsum(steps, axis=1) - spread)
            for decimals in (1, 3, 5):  # each frame is written on its own
                self.check(np.array(frames), decimals)

    def test_long_runs_of_near_atoms_and_single_ones(self):
        for length in (1, 2, 3, 8, 9, 10, 17, 18, 40):
            first = np.arange(30)[:, None] * np.array([1.0, -2.0, 0.5])
            chain = first[:, None, :] + 0.01 * np.arange(length)[None, :, None] * np.array([1.0, 1.0, -1.0])
            self.check(chain.reshape(1, -1, 3), 3)

    def test_ranges_that_need_more_than_24_bits(self):
        random = np.random.default_rng(4)
        for size in (16.7, 16.8, 40.0, 400.0):
            centres = random.uniform(-0.5 * size, 0.5 * size, (40, 1, 3))
            self.check((centres + 0.1 * random.normal(size=(40, 3, 3))).reshape(1, -1, 3), 6)
        flat = random.uniform(0, 100, (1, 50, 3)) * np.array([1.0, 0.0, 1e-3])  # one large range is enough
        self.check(flat, 6)

    def test_water_needs_less_than_half_of_the_bytes_of_dcd(self):
        """A molecule needs about 10 bytes: 39 bits for the box, twice 20 for hydrogens."""
        random = np.random.default_rng(5)
        turns = np.linalg.qr(random.normal(size=(1000, 3, 3)))[0]
        body = np.array([[0, 0, 0], [0.0816, 0, 0.0577], [-0.0816, 0, 0.0577]])
        water = (random.uniform(0, 3.1, (1000, 1, 3)) + np.einsum("nij,aj->nai", turns, body)).reshape(1, -1, 3)
        file = make("water.h5md", water, 3.1 * np.eye(3))
        xtc, dcd = (os.path.getsize(export(file, form)) for form in ("xtc", "dcd"))
        self.assertLess(xtc, 0.33 * dcd)
        self.assertGreater(xtc, 0.2 * dcd)

    def test_what_does_not_fit_is_refused(self):
        file = make("far.h5md", np.array([[[2000.0, 0, 0]] * 12]))
        text = export(file, "xtc", "--decimals", "6", status=2)
        self.assertIn("2000", text)
        self.assertIn("--decimals", text)
        self.assertEqual(len(frames_of(export(file, "xtc", "--decimals", "5"), 12)[0]), 1)


class Boxes(unittest.TestCase):
    EDGES = np.array([[3.0, 0.0, 0.0], [0.5, 2.5, 0.0], [-0.4, 0.3, 2.0]])

    def test_a_turned_box_is_turned_back_with_all_that_is_in_it(self):
        random = np.random.default_rng(6)
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn))
        fractions = random.random((2, 30, 3))
        upright = fractions @ self.EDGES
        file = make("turned.h5md", upright @ turn.T, self.EDGES @ turn.T)
        for form, digits in (("xtc", 5e-3), ("trr", 0), ("dcd", 0), ("gro", 5e-3), ("pdb", 5e-4), ("dump", 0)):
            positions, boxes, _, _ = frames_of(export(file, form, "--frames", ":"), 30)
            for got, want, box in zip(positions, upright, boxes):
                np.testing.assert_allclose(got, 10 * want, rtol=0, atol=digits + 1e-5, err_msg=form)
                np.testing.assert_allclose(box, angles(10 * self.EDGES), rtol=1e-3 if form == "pdb" else 1e-5)

    def test_unwrapped_molecules_are_where_they_went(self):
        random = np.random.default_rng(7)
        fractions, image = random.random((2, 30, 3)), random.integers(-3, 4, (2, 30, 3))
        file = make("images.h5md", fractions @ self.EDGES, self.EDGES, image=image)
        for form in ("xtc", "trr", "dcd", "extxyz"):
            if form == "extxyz":
                with open(export(file, form, "--unwrapped", "--scale", "1")) as text:
                    rows = [line.split()[1:4] for line in text if len(line.split()) == 4]
                positions = 10 * np.array(rows, dtype=float).reshape(2, 30, 3)
            else:
                positions = frames_of(export(file, form, "--unwrapped"), 30)[0]
            for got, want in zip(positions, (fractions + image) @ self.EDGES):
                np.testing.assert_allclose(got, 10 * want, rtol=0, atol=5.1e-3 if form == "xtc" else 1e-4)
        bare = make("bare.h5md", fractions @ self.EDGES, self.EDGES)
        self.assertIn("image", export(bare, "xtc", "--unwrapped", status=2))

    def test_units_of_other_programs_are_known(self):
        positions = np.random.default_rng(8).random((1, 20, 3))
        for unit in ("nm", "Angstrom"):
            file = make("unit.h5md", positions, self.EDGES, unit=unit)
            for form in ("xtc", "dcd"):
                found, boxes, _, _ = frames_of(export(file, form), 20)
                scale = 10 if unit == "nm" else 1
                np.testing.assert_allclose(found[0], scale * positions[0], rtol=0, atol=5.1e-3)
                self.assertAlmostEqual(boxes[0][0], scale * 3, delta=1e-5)

    def test_frames_are_chosen(self):
        file = make("ten.h5md", np.arange(10)[:, None, None] * np.ones((10, 12, 3)))
        for form in ("xtc", "dcd", "pdb"):
            found, _, times, _ = frames_of(export(file, form, "--frames", "2:9:3"), 12)
            self.assertEqual([round(float(each[0, 0])) for each in found], [20, 50, 80])
            if form != "pdb":
                np.testing.assert_allclose(times, [2.5, 4.0, 5.5], rtol=1e-6)
        found, _, _, _ = frames_of(export(file, "pdb"), 12)  # the last alone
        self.assertEqual([round(float(each[0, 0])) for each in found], [90])


if __name__ == "__main__":
    unittest.main()
