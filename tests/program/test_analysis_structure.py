#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Distribution functions and other structure from `polhode analyze`, against MDAnalysis, plain numpy and exact results:
test_analysis_structure.py PROGRAM"""
import os
import warnings

import h5py
import MDAnalysis
import numpy
from MDAnalysis.analysis.rdf import InterRDF

import h5md_made as made
from h5md_made import analyze, check, value

warnings.filterwarnings("ignore")


def g_of_sites_is_that_of_mdanalysis(program, folder):
    name = made.water(program, folder)
    ours = analyze(program, "rdf", name, "--of", "sites", "--stage", "all", "--spacing", 0.01, "--cutoff", 0.75)
    universe = MDAnalysis.Universe.empty(375, trajectory=True)
    universe.load_new(name, format="H5MD", convert_units=False)
    everything = numpy.arange(375)
    oxygen, hydrogen = universe.atoms[everything % 3 == 0], universe.atoms[everything % 3 != 0]
    for label, a, b, block in (("O-spc-e.O", oxygen, oxygen, (1, 1)), ("O-spc-e.H", oxygen, hydrogen, (1, 2)),
                               ("H-spc-e.H", hydrogen, hydrogen, (2, 2))):
        theirs = InterRDF(a, b, nbins=75, range=(0.0, 0.75), exclusion_block=block).run().results.rdf
        table = ours["tables"]["spc-e." + label]["columns"]
        check(len(table["g"]) == 75, label, len(table["g"]))
        # MDAnalysis has positions and box in single precision: a pair at the edge of a bin may go to the next
        off = numpy.abs(table["g"] - theirs)
        check(off.max() < 0.02 * max(1.0, theirs.max()), label, off.max())
        check(numpy.sqrt((off**2).mean()) < 2e-3 * theirs.max(), label, "rms", off)
        check(table["g"].max() > 1 and table["g"][:10].max() == 0, label, "is not that of a liquid")


def g_is_that_of_a_plain_sum(program, folder):
    """Cells and all pairs give the counts that numpy finds, in a tilted box too"""
    rng = numpy.random.default_rng(5)
    for edges in (numpy.diag([9.0, 10.0, 11.0]), numpy.array([[9.0, 0, 0], [2.0, 10, 0], [-1.5, 2.5, 11]])):
        name = os.path.join(folder, f"{len(os.listdir(folder))}.h5md")
        position = rng.uniform(size=(3, 400, 3)) @ edges + 20 * rng.integers(-1, 2, size=(3, 400, 1)) @ edges[:1]
        made.write(name, position, edges)
        shifts = numpy.array([(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]) @ edges
        counts = numpy.zeros(30)
        for r in position:
            d = r[:, None] - r[None]
            d -= numpy.rint(d @ numpy.linalg.inv(edges)) @ edges
            far = numpy.sqrt(((d[:, :, None] + shifts) ** 2).sum(axis=-1)).min(axis=-1)[numpy.triu_indices(400, 1)]
            counts += numpy.histogram(far, bins=30, range=(0, 3.0))[0]
        for cutoff in (1.5, 3.0):  # cells, and all pairs
            table = analyze(program, "rdf", name, "--cutoff", cutoff, "--spacing", 0.1)["tables"]["point-point"]["columns"]
            neighbours = 2 * numpy.cumsum(counts)[: len(table["n"])] / (3 * 400)
            check(numpy.abs(table["n"] - neighbours).max() < 1e-12, edges, cutoff, table["n"] - neighbours)


def ideal_gas_has_g_of_one(program, folder):
    rng = numpy.random.default_rng(1)
    name = os.path.join(folder, "gas.h5md")
    made.write(name, rng.uniform(0, 6, size=(400, 60, 3)), [6.0, 6.0, 6.0])
    table = analyze(program, "rdf", name, "--spacing", 0.1)["tables"]["point-point"]["columns"]
    pull = ((table["g"] - 1) / table["g_error"])[5:]
    check(0.7 < numpy.sqrt((pull**2).mean()) < 1.35, "errors are not those of the scatter:", numpy.sqrt((pull**2).mean()))
    check(abs(pull.mean()) < 4 / numpy.sqrt(len(pull)), "mean", pull.mean())
    check(abs(table["n"][-1] - 59 / 216 * 4 / 3 * numpy.pi * 2.9**3 * (30 / 29) ** 3) < 5 * table["n_error"][-1], "n")


def threads_do_not_matter(program, folder):
    name = made.water(program, folder, molecules=64, steps=40, extra={"interactions.cutoff": 0.55}.items())
    for kind in ("rdf",):
        one, two = (analyze(program, kind, name, threads=n) for n in (1, 3))
        check(str(one["values"]) == str(two["values"]), kind)
        for table in one["tables"]:
            for column, data in one["tables"][table]["columns"].items():
                check(numpy.array_equal(data, two["tables"][table]["columns"][column], equal_nan=True), kind, table, column)


def open_space_has_numbers_of_neighbours_alone(program, folder):
    name = os.path.join(folder, "open.h5md")
    made.write(name, numpy.array([[[0.0, 0, 0], [1.05, 0, 0], [0, 2.05, 0]]] * 2), boundary="none")
    error = made.run(program, "analyze", "rdf", name, status=2)
    check("--cutoff" in error, error)
    out = analyze(program, "rdf", name, "--cutoff", 3, "--spacing", 0.1)
    table = out["tables"]["point-point"]["columns"]
    check(numpy.isnan(table["g"]).all() and any("Open space" in note for note in out["notes"]), out["notes"])
    check(abs(table["n"][15] - 2 / 3) < 1e-12 and abs(table["n"][-1] - 2) < 1e-12, table["n"])


def files_hold_what_is_printed(program, folder):
    name, rng = os.path.join(folder, "gas.h5md"), numpy.random.default_rng(2)
    made.write(name, rng.uniform(0, 6, size=(20, 50, 3)), [6.0, 6.0, 6.0])
    h5, csv = os.path.join(folder, "out.h5"), os.path.join(folder, "out.csv")
    printed = analyze(program, "rdf", name, "-o", h5, "-o", csv)
    table = printed["tables"]["point-point"]["columns"]
    with h5py.File(h5) as file:
        check(file["analysis"][()] == b"rdf" and b"analyze rdf" in file["provenance/command"][()], "provenance")
        for column, data in table.items():
            check(numpy.array_equal(file["tables/point-point"][column][:], data, equal_nan=True), column)
        found = file["values/coordination_number.point-point"]
        check(found[()] == value(printed, "coordination_number.point-point")[0], "value")
        check(found.attrs["error"] == value(printed, "coordination_number.point-point")[1], "error")
        check(file["parameters/cutoff"][()] == 3.0, "parameter")
    with open(csv) as file:
        lines = [line for line in file if not line.startswith("#")]
    check(lines[0].strip().split(",") == list(table), "names in csv", lines[0])
    check(numpy.array_equal(numpy.loadtxt(lines[1:], delimiter=",")[:, 1], table["g"]), "csv")
    for out in (h5, csv):
        check("--overwrite" in made.run(program, "analyze", "rdf", name, "-o", out, status=4), out)
        made.run(program, "analyze", "rdf", name, "-o", out, "--overwrite")


def bad_files_are_explained(program, folder):
    def fails(kind, file, status, *words):
        error = made.run(program, "analyze", kind, file, status=status)
        check(all(word in error for word in words), kind, words, error)

    name, rng = os.path.join(folder, "gas.h5md"), numpy.random.default_rng(2)
    made.write(name, rng.uniform(0, 6, size=(20, 50, 3)), [6.0, 6.0, 6.0])
    text = os.path.join(folder, "text.h5md")
    with open(text, "w") as file:
        file.write("not HDF5")
    fails("rdf", text, 2, "not an HDF5 file")
    fails("rdf", os.path.join(folder, "none.h5md"), 4, "none.h5md")
    with open(name, "rb") as whole, open(os.path.join(folder, "cut.h5md"), "wb") as cut:
        cut.write(whole.read()[:20000])
    fails("rdf", os.path.join(folder, "cut.h5md"), 4, "cut.h5md")
    other = os.path.join(folder, "other.h5")
    with h5py.File(other, "w") as file:
        file["x"] = 1.0
    fails("rdf", other, 2, "not H5MD")
    fails("energy", name, 2, "total_energy")
    empty = os.path.join(folder, "empty.h5md")
    made.write(empty, numpy.zeros((0, 50, 3)), [6.0, 6.0, 6.0])
    fails("rdf", empty, 2, "none of its 0 frames")
    late = os.path.join(folder, "late.h5md")
    made.write(late, rng.uniform(0, 6, size=(20, 50, 3)), [6.0, 6.0, 6.0], production=100)
    fails("rdf", late, 2, "--stage all")
    check("rdf" in made.run(program, "analyze", "rfd", name, status=2), "nearest name")
    check("--lag is not for rdf" in made.run(program, "analyze", "rdf", name, "--lag", 1, status=2), "option")
    check("half the smallest width" in made.run(program, "analyze", "rdf", name, "--cutoff", 3.1, status=2), "cutoff")


made.main([g_of_sites_is_that_of_mdanalysis, g_is_that_of_a_plain_sum, ideal_gas_has_g_of_one, threads_do_not_matter,
           open_space_has_numbers_of_neighbours_alone, files_hold_what_is_printed, bad_files_are_explained])
