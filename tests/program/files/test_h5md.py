#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trajectories as h5py, MDAnalysis and ASE see them, and the rules of H5MD object by object.

usage: test_h5md.py WRITE_H5MD POLHODE
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import h5py
import numpy as np

warnings.simplefilter("ignore")
import ase.io
import MDAnalysis

WRITE_H5MD, POLHODE = sys.argv.pop(1), sys.argv.pop(1)
KINDS = ("dipoles", "water", "mixture", "open", "argon")
PHYSICAL = ("water", "mixture", "argon")
BODIES = ("water", "mixture")
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-h5md-")
FRAMES = 11


def path(kind):
    return os.path.join(FOLDER.name, kind + ".h5md")


def write(kind, *more):
    done = subprocess.run([WRITE_H5MD, kind, path(kind), "100", *more], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


WANTED = {kind: write(kind) for kind in KINDS}


def objects(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: item}))
    return found


def elements(file):
    """Groups {value, step, time}"""
    return {name: item for name, item in objects(file).items() if isinstance(item, h5py.Group) and "value" in item}


def is_fixed(text, attribute):
    kind = h5py.h5a.open(text.id, attribute.encode()).get_type()
    return isinstance(kind, h5py.h5t.TypeStringID) and not kind.is_variable_str()


def is_variable(text, attribute):
    kind = h5py.h5a.open(text.id, attribute.encode()).get_type()
    return isinstance(kind, h5py.h5t.TypeStringID) and kind.is_variable_str() and kind.get_cset() == h5py.h5t.CSET_ASCII


def address(item):
    return h5py.h5o.get_info(item.id).addr


class Rules(unittest.TestCase):
    """Of the specification, and of the programs that read H5MD"""

    def each(self):
        for kind in KINDS:
            with self.subTest(kind), h5py.File(path(kind), "r") as file:
                yield kind, file

    def test_the_root_says_who_wrote_it(self):
        for kind, file in self.each():
            self.assertEqual(list(file["h5md"].attrs["version"]), [1, 1])
            self.assertEqual(file["h5md"].attrs["version"].dtype, np.dtype("i4"))
            self.assertEqual(file["h5md/author"].attrs["name"], b"A. Tester")
            self.assertEqual(file["h5md/creator"].attrs["name"], b"polhode")
            self.assertEqual(file["h5md/creator"].attrs["version"], b"0.1.0 (abcdef)")
            for group, name in (("author", "name"), ("creator", "name"), ("creator", "version")):
                self.assertTrue(is_fixed(file["h5md"][group], name))

    def test_units_are_named_where_there_are_any(self):
        units = {"position": "nm", "center": "nm", "edges": "nm", "velocity": "nm ps-1", "force": "kJ mol-1 nm-1",
                 "torque": "kJ mol-1", "dipole": "e nm", "angular_momentum": "u nm+2 ps-1"}
        for kind, file in self.each():
            self.assertEqual("modules" in file["h5md"], kind in PHYSICAL)
            if kind not in PHYSICAL:
                self.assertFalse([name for name, item in objects(file).items() if "unit" in item.attrs])
                continue
            module = file["h5md/modules/units"]
            self.assertEqual(list(module.attrs["version"]), [1, 0])
            self.assertEqual(module.attrs["system"], "SI")
            self.assertTrue(is_variable(module, "system"))
            for name, element in elements(file).items():
                self.assertEqual(element["time"].attrs["unit"], "ps")
                self.assertTrue(is_variable(element["time"], "unit"))
                last = name.split("/")[-1]
                if not name.startswith("series/"):
                    self.assertEqual(element["value"].attrs.get("unit"), units.get(last))
                if "unit" in element["value"].attrs:
                    self.assertTrue(is_variable(element["value"], "unit"))
            self.assertEqual(file["particles/trajectory/mass"].attrs["unit"], "u")
            self.assertEqual(file["particles/trajectory/charge"].attrs["unit"], "e")
            self.assertEqual(file["series/total_energy/value"].attrs["unit"], "kJ mol-1")

    def test_the_group_of_particles_is_the_one_that_readers_take(self):
        for kind, file in self.each():
            order = file["particles"].id.get_create_plist().get_link_creation_order()
            self.assertEqual(order, h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
            self.assertEqual(list(file["particles"])[0], "trajectory")
            self.assertEqual(sorted(file["particles"]), ["system", "trajectory"])
            link = file.get("particles/system", getlink=True)
            self.assertIsInstance(link, h5py.SoftLink)
            self.assertEqual(link.path, "/particles/trajectory")
            named = [name for name, item in objects(file).items()
                     if isinstance(item, h5py.Group) and name.split("/")[-1] == "position"]
            self.assertEqual(named, ["particles/trajectory/position"])
            self.assertNotIn("observables", file)

    def test_elements_have_values_steps_and_times_of_equal_length(self):
        for kind, file in self.each():
            for name, element in elements(file).items():
                rows = 21 if name.startswith("series/") else FRAMES
                self.assertEqual(sorted(element), ["step", "time", "value"])
                self.assertEqual(element["step"].dtype, np.dtype("<i8"))
                self.assertEqual(element["time"].dtype, np.dtype("<f8"))
                self.assertEqual(element["value"].dtype, np.dtype("<i4" if name.endswith("/image") else "<f8"))
                for part in element.values():
                    self.assertEqual(part.shape[0], rows)
                    self.assertIsNone(part.maxshape[0])
                self.assertEqual(list(element["step"]), [(5 if rows == 21 else 10) * k for k in range(rows)])
                np.testing.assert_array_equal(element["time"], 0.002 * element["step"][:])
                self.assertEqual(element.attrs["every"], 5 if rows == 21 else 10)

    def test_one_clock_serves_all_frames_and_one_the_series(self):
        for kind, file in self.each():
            clocks = {}
            for name, element in elements(file).items():
                clocks.setdefault(name.startswith("series/"), set()).add(
                    (address(element["step"]), address(element["time"])))
            self.assertEqual({key: len(value) for key, value in clocks.items()}, {False: 1, True: 1})

    def test_positions_lie_frame_by_frame(self):
        for kind, file in self.each():
            position = file["particles/trajectory/position/value"]
            n = len(WANTED[kind]["sites"]) if kind in BODIES else WANTED[kind]["n"]
            self.assertEqual(position.shape, (FRAMES, n, 3))
            self.assertEqual(position.chunks, (1, n, 3))
            self.assertIsNone(position.compression)

    def test_the_box_is_whole(self):
        for kind, file in self.each():
            box = file["particles/trajectory/box"]
            self.assertEqual(box.attrs["dimension"], 3)
            word = b"none" if kind == "open" else b"periodic"
            self.assertEqual(list(box.attrs["boundary"]), [word] * 3)
            self.assertTrue(is_fixed(box, "boundary"))
            self.assertEqual("edges" in box, kind != "open")
            if kind != "open":
                self.assertEqual(box["edges/value"].shape, (FRAMES, 3, 3))
                np.testing.assert_array_equal(box["edges/value"][3].ravel(), WANTED[kind]["edges"])

    def test_particles_have_kinds_masses_and_charges(self):
        for kind, file in self.each():
            trajectory, sites = file["particles/trajectory"], WANTED[kind]["sites"]
            for name, column, dtype in (("mass", 6, "<f8"), ("charge", 7, "<f8")):
                self.assertEqual(trajectory[name].dtype, np.dtype(dtype))
                np.testing.assert_array_equal(trajectory[name], [site[column] for site in sites])
            self.assertEqual(trajectory["species"].dtype, np.dtype("<i4"))
            names = file["parameters/species_names"][:][trajectory["species"][:]]
            self.assertEqual([name.decode() for name in names], [site[1 if kind in BODIES else 0] for site in sites])

    def test_frames_hold_what_the_system_had(self):
        for kind, file in self.each():
            want = WANTED[kind]
            if kind in BODIES:
                np.testing.assert_allclose(file["particles/trajectory/position/value"][1],
                                           [site[3:6] for site in want["sites"]], rtol=0, atol=1e-15)
            else:
                for name in ("position", "orientation", "angular_momentum", "force", "torque"):
                    if kind == "argon" and name not in ("position", "force"):
                        self.assertNotIn(name, file["particles/trajectory"])
                        continue
                    np.testing.assert_array_equal(file[f"particles/trajectory/{name}/value"][1], want[name])

    def test_rigid_bodies_hold_the_molecules(self):
        for kind, file in self.each():
            self.assertEqual("rigid_bodies" in file, kind in BODIES)
            if kind not in BODIES:
                continue
            want, first = WANTED[kind], 0
            species = {"tip4p-2005": 5} if kind == "water" else {"tip4p-2005": 3, "argon": 4, "rotor": 2}
            self.assertEqual(set(file["rigid_bodies"]), set(species))
            for name, n in species.items():
                body = file["rigid_bodies"][name]
                rotates = name != "argon"
                for element, key in (("center", "position"), ("force", "force"), ("orientation", "orientation"),
                                     ("angular_momentum", "angular_momentum"), ("torque", "torque")):
                    if not rotates and element not in ("center", "force"):
                        self.assertNotIn(element, body)
                        continue
                    np.testing.assert_array_equal(body[element]["value"][1], want[key][first:first + n])
                if rotates:
                    self.assertEqual(body["angular_momentum"].attrs["frame"], b"body")
                self.assertEqual(body["inertia"].shape, (3,))
                self.assertEqual(body["mass"].shape, ())
                sites = {"tip4p-2005": 4, "argon": 1, "rotor": 2}[name]
                self.assertEqual(body["sites/position_body"].shape, (sites, 3))
                for part in ("mass", "charge", "species", "name"):
                    self.assertEqual(body["sites"][part].shape, (sites,))
                self.assertAlmostEqual(body["sites/mass"][:].sum(), body["mass"][()], delta=1e-12)
                first += n

    def test_bonds_hold_molecules_together(self):
        for kind, file in self.each():
            self.assertEqual("connectivity" in file, kind in BODIES)
            if kind not in BODIES:
                continue
            bonds = file["connectivity/bonds"]
            self.assertEqual(bonds.dtype, np.dtype("<i4"))
            self.assertEqual(file[bonds.attrs["particles_group"]].name, "/particles/trajectory")
            molecules = [site[2] for site in WANTED[kind]["sites"]]
            self.assertTrue(all(molecules[a] == molecules[b] and a < b for a, b in bonds))
            self.assertEqual(len(bonds), len(molecules) - len(set(molecules)))

    def test_what_vmd_looks_up_is_consistent(self):
        for kind, file in self.each():
            vmd, species = file["parameters/vmd_structure"], file["particles/trajectory/species"][:]
            self.assertEqual(sorted(set(species)), list(vmd["indexOfSpecies"]))
            for name in ("name", "type", "mass", "radius", "atomicnumber"):
                self.assertEqual(vmd[name].shape, vmd["indexOfSpecies"].shape)
            self.assertLessEqual(vmd["name"].dtype.itemsize, 16)
            self.assertEqual(vmd["resid"].shape, species.shape)
            self.assertEqual(list(vmd["resid"]), [site[2] for site in WANTED[kind]["sites"]])
            self.assertEqual(vmd["resname"].shape, (WANTED[kind]["n"],))
            self.assertEqual(vmd["chain"].shape, (WANTED[kind]["n"],))
            self.assertEqual(vmd["charge"].shape, species.shape)
            self.assertGreater(min(vmd["radius"]), 0.0)
            if kind in BODIES:
                bonds = np.column_stack([vmd["bond_from"], vmd["bond_to"]]) - 1
                np.testing.assert_array_equal(bonds, file["connectivity/bonds"])

    def test_the_series_is_dense_and_in_order(self):
        for kind, file in self.each():
            columns = {"total_energy": (), "momentum": (3,), "pressure_tensor": (3, 3), "potential_energy": ()}
            self.assertEqual(list(file["series"]), list(columns))
            for name, shape in columns.items():
                self.assertEqual(file["series"][name]["value"].shape, (21, *shape))
            self.assertEqual(file["series/pressure_tensor/value"][4, 0, 2], -100 + 0.001 * 20 + 1 / 9)

    def test_parameters_are_as_given(self):
        for kind, file in self.each():
            parameters = file["parameters"]
            self.assertEqual(parameters["title"][()].decode(), "A test, à la carte")
            self.assertEqual(parameters["input"][()], b"units: reduced\n# verbatim\n")
            self.assertEqual(parameters["models/one"][()], b"name: one\n")
            self.assertEqual(parameters["step"][()], 0.002)
            self.assertEqual(parameters["seed"][()], 42)
            self.assertEqual(list(parameters["coefficients"]), [0.25, 0.5, 1 / 3])
            self.assertEqual(parameters["production_begins_at_step"][()], 20)
            self.assertEqual(parameters["state_hash_at_step"][()], 100)
            self.assertEqual(parameters["state_hash"].dtype, np.dtype("<u8"))


class Readers(unittest.TestCase):
    """Programs that people use"""

    def universe(self, kind):
        if kind in PHYSICAL:
            return MDAnalysis.Universe(path(kind))
        n = WANTED[kind]["n"]
        return MDAnalysis.Universe(path(kind), n_atoms=n, convert_units=False)

    def test_mdanalysis_opens_the_file_alone(self):
        for kind in KINDS:
            with self.subTest(kind):
                want, universe = WANTED[kind], self.universe(kind)
                length = 10.0 if kind in PHYSICAL else 1.0  # nm to Angstrom
                self.assertEqual(len(universe.trajectory), FRAMES)
                frame = universe.trajectory[1]
                self.assertAlmostEqual(frame.time, 0.02, delta=1e-12)
                self.assertEqual(frame.data["step"], 10)
                positions = [site[3:6] for site in want["sites"]] if kind in BODIES else want["position"]
                np.testing.assert_allclose(frame.positions, length * np.array(positions), rtol=1e-6)
                if kind not in BODIES:
                    masses = np.array([site[6] for site in want["sites"]])
                    np.testing.assert_allclose(frame.velocities, length * np.array(want["momentum"]) / masses[:, None],
                                               rtol=1e-5, atol=1e-5)
                    np.testing.assert_allclose(frame.forces, np.array(want["force"]) / length, rtol=1e-5, atol=1e-6)
                if kind == "open":
                    self.assertIsNone(frame.dimensions)
                elif kind == "water":
                    c = np.hypot(0.75, 7.0)
                    np.testing.assert_allclose(frame.dimensions,
                                               [50, 60, 10 * c, np.degrees(np.arccos(0.75 / c)), 90, 90], rtol=1e-6)
                else:
                    np.testing.assert_allclose(frame.dimensions, [5 * length, 6 * length, 7 * length, 90, 90, 90])

    def test_centres_of_mass_of_sites_are_those_of_the_molecules(self):
        for kind in BODIES:
            want, universe = WANTED[kind], self.universe(kind)
            universe.trajectory[1]
            masses = np.array([site[6] for site in want["sites"]])
            molecule = np.array([site[2] for site in want["sites"]])
            for values, wanted in ((universe.atoms.positions, np.array(want["position"])),
                                   (universe.trajectory.ts.velocities, None)):
                weighted = np.array([np.bincount(molecule, masses * values[:, k]) for k in range(3)]).T
                total = np.bincount(molecule, masses)[:, None]
                if wanted is None:
                    wanted = np.array(want["momentum"]) / total
                np.testing.assert_allclose(weighted / total, 10 * wanted, rtol=2e-5, atol=2e-5)

    def test_a_pdb_is_the_topology_that_h5md_lacks(self):
        for kind in KINDS:
            with self.subTest(kind):
                pdb = os.path.join(FOLDER.name, kind + ".pdb")
                subprocess.run([POLHODE, "export", path(kind), "--format", "pdb", "-o", pdb, "--overwrite"],
                               check=True, stdout=subprocess.DEVNULL)
                sites = WANTED[kind]["sites"]
                if kind in PHYSICAL:
                    universe = MDAnalysis.Universe(pdb, path(kind))
                else:
                    universe = MDAnalysis.Universe(pdb).load_new(path(kind), convert_units=False)
                self.assertEqual(len(universe.trajectory), FRAMES)
                self.assertEqual(list(universe.atoms.resindices), [site[2] for site in sites])
                want = [site[1 if kind in BODIES else 0].upper()[:4] for site in sites]
                self.assertEqual(list(universe.atoms.names), want)
                if kind in BODIES:
                    self.assertEqual(len(universe.atoms.bonds), len(sites) - WANTED[kind]["n"])
                    oxygens = universe.select_atoms("name O")
                    self.assertEqual(len(oxygens), 5 if kind == "water" else 3)
                still = MDAnalysis.Universe(pdb)
                universe.trajectory[FRAMES - 1]
                np.testing.assert_allclose(still.atoms.positions, universe.atoms.positions, atol=6e-4)

    def test_ase_reads_extended_xyz(self):
        for kind in KINDS:
            with self.subTest(kind):
                out = os.path.join(FOLDER.name, kind + ".extxyz")
                subprocess.run([POLHODE, "export", path(kind), "--format", "extxyz", "--scale", "1", "-o", out, "--overwrite"],
                               check=True, stdout=subprocess.DEVNULL)
                images = ase.io.read(out, index=":", format="extxyz")
                self.assertEqual(len(images), FRAMES)
                want, atoms = WANTED[kind], images[1]
                self.assertEqual(atoms.info["Step"], 10)
                self.assertEqual(atoms.info["Time"], 0.02)
                positions = [site[3:6] for site in want["sites"]] if kind in BODIES else want["position"]
                np.testing.assert_allclose(atoms.positions, positions, rtol=0, atol=1e-15)
                self.assertEqual(list(atoms.pbc), [kind != "open"] * 3)
                if kind != "open":
                    np.testing.assert_array_equal(np.array(atoms.cell).ravel(), want["edges"])
                if kind in ("dipoles", "open"):
                    q = np.array(want["orientation"])
                    np.testing.assert_array_equal(atoms.arrays["orientation"], q[:, [1, 2, 3, 0]])
                self.assertEqual(list(atoms.arrays["type"]),
                                 [site[1 if kind in BODIES else 0] for site in want["sites"]])

    def test_two_cadences_and_compression_are_read(self):
        write("water", "4", "50")
        try:
            with h5py.File(path("water"), "r") as file:
                self.assertEqual(file["particles/trajectory/velocity/value"].shape[0], 3)
                self.assertEqual(list(file["rigid_bodies/tip4p-2005/orientation/step"]), [0, 50, 100])
                self.assertEqual(file["particles/trajectory/position/value"].compression, "gzip")
                np.testing.assert_allclose(file["particles/trajectory/position/value"][1],
                                           [site[3:6] for site in WANTED["water"]["sites"]], rtol=0, atol=1e-15)
        finally:
            write("water")


if __name__ == "__main__":
    unittest.main()
