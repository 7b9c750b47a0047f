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
    table = ours["tables"]["spc-e.O-spc-e.H"]["columns"]
    check(numpy.allclose(table["n"], 2 * table["n_reverse"], rtol=1e-12), "two H for each O")


def g_is_that_of_a_plain_sum(program, folder):
    """Cells and all pairs give the counts that numpy finds, in a tilted box too"""
    rng = numpy.random.default_rng(5)
    for edges in (numpy.diag([9.0, 10.0, 11.0]), numpy.array([[9.0, 0, 0], [2.0, 10, 0], [-1.5, 2.5, 11]])):
        name = os.path.join(folder, f"{len(os.listdir(folder))}.h5md")
        position = rng.uniform(size=(3, 250, 3)) @ edges + 20 * rng.integers(-1, 2, size=(3, 250, 1)) @ edges[:1]
        made.write(name, position, edges)
        shifts = numpy.array([(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]) @ edges
        counts = numpy.zeros(30)
        i, j = numpy.triu_indices(250, 1)
        for r in position:
            d = r[i] - r[j]
            d -= numpy.rint(d @ numpy.linalg.inv(edges)) @ edges
            far = numpy.sqrt(((d[:, None] + shifts) ** 2).sum(axis=-1)).min(axis=-1)
            counts += numpy.histogram(far, bins=30, range=(0, 3.0))[0]
        for cutoff in (1.5, 3.0):  # cells, and all pairs
            table = analyze(program, "rdf", name, "--cutoff", cutoff, "--spacing", 0.1)["tables"]["point-point"]["columns"]
            neighbours = 2 * numpy.cumsum(counts)[: len(table["n"])] / (3 * 250)
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


def the_first_shell_is_found_though_another_is_higher(program, folder):
    """Points of a lattice, some of which have a neighbour much nearer than the next point"""
    rng, name, frames = numpy.random.default_rng(3), os.path.join(folder, "pairs.h5md"), 30
    lattice = 1.5 * numpy.stack(numpy.meshgrid(*[range(6)] * 3), axis=-1).reshape(-1, 3)
    points = lattice + rng.normal(scale=0.05, size=(frames, 216, 3))
    way = rng.normal(size=(frames, 12, 3))
    near = points[:, :12] + (0.5 + rng.normal(scale=0.03, size=(frames, 12, 1))) * way / numpy.linalg.norm(way, axis=-1, keepdims=True)
    made.write(name, numpy.concatenate([points, near], axis=1), [9.0] * 3)
    out = analyze(program, "rdf", name, "--spacing", 0.05)
    table = out["tables"]["point-point"]["columns"]
    check(table["r"][table["g"].argmax()] > 1.3, "the second shell is not the highest")
    check(abs(value(out, "peak_distance.point-point")[0] - 0.5) < 0.05, out["values"])
    got, error = value(out, "coordination_number.point-point")
    check(abs(got - 2 * 12 / 228) < 0.01 and error < 0.01, got, error)


def threads_do_not_matter(program, folder):
    name = made.water(program, folder, molecules=64, steps=40, extra={"interactions.cutoff": 0.55}.items())
    for kind in ("rdf", "orientation", "structure-factor"):
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
    slab = os.path.join(folder, "slab.h5md")
    made.write(slab, rng.uniform(0, 6, size=(20, 50, 3)), [6.0, 6.0, 6.0])
    with h5py.File(slab, "r+") as file:
        file["particles/trajectory/box"].attrs["boundary"] = numpy.array(["periodic", "periodic", "none"], dtype="S8")
    fails("rdf", slab, 2, "some directions only")
    late = os.path.join(folder, "late.h5md")
    made.write(late, rng.uniform(0, 6, size=(20, 50, 3)), [6.0, 6.0, 6.0], production=100)
    fails("rdf", late, 2, "--stage all")
    check("rdf" in made.run(program, "analyze", "rfd", name, status=2), "nearest name")
    check("--lag is not for rdf" in made.run(program, "analyze", "rdf", name, "--lag", 1, status=2), "option")
    check("half the smallest width" in made.run(program, "analyze", "rdf", name, "--cutoff", 3.1, status=2), "cutoff")


def projections_are_those_of_a_plain_sum(program, folder):
    """h110, h112, h220 and Kirkwood's factor, of directions that know of each other"""
    rng, name = numpy.random.default_rng(11), os.path.join(folder, "dipoles.h5md")
    position = rng.uniform(0, 5, size=(4, 80, 3))
    u = position - 2.5 + 0.5 * rng.normal(size=position.shape)
    u /= numpy.linalg.norm(u, axis=-1, keepdims=True)
    made.write(name, position, [5.0] * 3, orientation=made.attitudes(u), model=made.dipole_model(1.3))
    out = analyze(program, "orientation", name, "--spacing", 0.25)
    table = out["tables"]["pairs"]["columns"]
    i, j = numpy.triu_indices(80, 1)
    sums, edges = numpy.zeros((4, 10)), numpy.linspace(0, 2.5, 11)
    for r, v in zip(position, u):
        d = r[j] - r[i]
        d -= 5 * numpy.rint(d / 5)
        far = numpy.linalg.norm(d, axis=1)
        n, cosine = d / far[:, None], (v[i] * v[j]).sum(axis=1)
        terms = (numpy.ones_like(far), 3 * cosine, 1.5 * (3 * (v[i] * n).sum(axis=1) * (v[j] * n).sum(axis=1) - cosine),
                 2.5 * (3 * cosine**2 - 1))
        sums += [numpy.histogram(far, bins=edges, weights=t)[0] / 4 for t in terms]
    shells = 4 / 3 * numpy.pi * numpy.diff(edges**3) * (80 * 79 / 2) / 125
    for k, column in enumerate(("g", "h110", "h112", "h220")):
        check(numpy.abs(table[column] - sums[k] / shells).max() < 1e-11, column, table[column], sums[k] / shells)
    check(numpy.abs(table["g_kirkwood"] - 1 - 2 * numpy.cumsum(sums[1]) / 3 / 80).max() < 1e-12, "Kirkwood")
    mean = u.mean(axis=1)
    check(abs(value(out, "P1")[0] - numpy.linalg.norm(mean, axis=1).mean()) < 1e-12, "P1")
    check(abs(value(out, "g_kirkwood_all")[0] - 80 * (mean**2).sum(axis=1).mean()) < 1e-11, "all")
    tensor = 1.5 * numpy.einsum("tia,tib->tab", u, u) / 80 - 0.5 * numpy.eye(3)
    check(abs(value(out, "P2")[0] - numpy.linalg.eigvalsh(tensor)[:, -1].mean()) < 1e-12, "P2")
    want = numpy.linalg.eigh(tensor.mean(axis=0))[1][:, -1]
    got = numpy.array([value(out, "director_" + axis)[0] for axis in "xyz"])
    check(abs(abs(got @ want) - 1) < 1e-12 and got[abs(got).argmax()] > 0, "director", got, want)


def dipoles_in_a_field_follow_langevin(program, folder):
    """<cos> = coth x - 1/x of independent dipoles in a field; they know nothing of each other beyond it"""
    rng, name, x = numpy.random.default_rng(12), os.path.join(folder, "field.h5md"), 1.5
    z = numpy.log(numpy.exp(-x) + rng.uniform(size=(400, 100)) * (numpy.exp(x) - numpy.exp(-x))) / x
    angle = rng.uniform(0, 2 * numpy.pi, size=z.shape)
    u = numpy.stack([numpy.sqrt(1 - z * z) * numpy.cos(angle), numpy.sqrt(1 - z * z) * numpy.sin(angle), z], axis=-1)
    made.write(name, rng.uniform(0, 6, size=u.shape), [6.0] * 3, orientation=made.attitudes(u), model=made.dipole_model())
    out = analyze(program, "orientation", name, "--spacing", 0.5)
    langevin = 1 / numpy.tanh(x) - 1 / x
    got, error = value(out, "mean_direction_z")
    check(abs(got - langevin) < 3.5 * error < 0.02, got, error, langevin)
    got, error = value(out, "mean_direction_x")
    check(abs(got) < 3.5 * error < 0.02, "x", got, error)
    table = out["tables"]["pairs"]["columns"]
    pull = (table["h110"] - 3 * langevin**2 * table["g"]) / table["h110_error"]
    check(numpy.abs(pull).max() < 4.5, "h110", pull)
    got, error = value(out, "director_x")  # across the field: within its error, which is that of <u_x u_z>
    check(abs(got) < 3.5 * error < 0.05, "director", got, error)
    axis = analyze(program, "orientation", name, "--spacing", 0.5, "--of", "axis-3")
    check(abs(value(axis, "mean_direction_z")[0] - value(out, "mean_direction_z")[0]) < 1e-12, "body axis")


def lattices_and_gases_have_their_structure_factor(program, folder):
    """A simple cubic lattice: N at the vectors of the reciprocal lattice, 0 elsewhere. Independent points: 1."""
    name, rng = os.path.join(folder, "x.h5md"), numpy.random.default_rng(13)
    lattice = numpy.stack(numpy.meshgrid(*[1.1 * numpy.arange(6)] * 3, indexing="ij"), axis=-1).reshape(1, 216, 3)
    made.write(name, lattice + 0.3, [6.6] * 3)
    table = analyze(program, "structure-factor", name, "--spacing", 0.01, "--k-max", 12)["tables"]["structure_factor"]["columns"]
    unit = 2 * numpy.pi / 1.1
    bragg = {numpy.sqrt(n) * unit: share for n, share in ((1, 3), (2, 6), (3, 4), (4, 3))}
    for k, s, vectors in zip(table["k"], table["s"], table["vectors"]):
        near = min(bragg, key=lambda b: abs(b - k))
        if abs(near - k) > 0.02:
            check(s < 1e-20, k, s)
        elif near == unit:  # 3 of the lattice and those of the box with the same length, (6, 0, 0) and (4, 4, 2)
            check(abs(s * vectors / 216 - 3) < 1e-9, k, s, vectors)
    check(table["s"].max() > 20, "no peak")
    if not made.is_sanitized(program):
        made.write(name, rng.uniform(0, 6, size=(300, 40, 3)), [6.0] * 3)
        table = analyze(program, "structure-factor", name)["tables"]["structure_factor"]["columns"]
        pull = (table["s"] - 1) / table["s_error"]
        check(0.7 < numpy.sqrt((pull**2).mean()) < 1.4, "gas", pull)
    edges = numpy.array([[6.0, 0, 0], [1.0, 7, 0], [-1.0, 2.0, 5]])
    position = rng.uniform(size=(2, 50, 3)) @ edges
    made.write(name, position, edges)
    table = analyze(program, "structure-factor", name, "--k-max", 1.9, "--spacing", 1e-3)["tables"]["structure_factor"]["columns"]
    whole = numpy.array([(a, b, c) for a in range(-4, 5) for b in range(-4, 5) for c in range(-4, 5)])
    vectors = 2 * numpy.pi * whole @ numpy.linalg.inv(edges).T
    lengths = numpy.linalg.norm(vectors, axis=1)
    for k, s in zip(table["k"], table["s"]):
        some = vectors[numpy.abs(lengths - k) < 5e-4]
        want = (numpy.abs(numpy.exp(-1j * position @ some.T).sum(axis=1)) ** 2).mean() / 50
        check(len(some) >= 2 and abs(s - want) < 1e-9, "tilted", k, s, want, len(some))


def dumbbell_by_plain_quadrature(sites, mu, temperature):
    """Two molecules of Lennard-Jones sites at places along z, with charges, and a dipole mu at the centre. For each pair of
    directions the integral over the distance, and then the mean over directions: not as the program does it."""
    x, w = numpy.polynomial.legendre.leggauss(24)
    phi = (numpy.arange(14) + 0.5) * numpy.pi / 14
    c1, c2, angle = [g.ravel() for g in numpy.meshgrid(x, x, phi, indexing="ij")]
    weight = (w[:, None, None] * w[None, :, None] * numpy.ones(14) / 56).ravel()
    u1 = numpy.stack([numpy.sqrt(1 - c1**2), 0 * c1, c1], axis=1)
    u2 = numpy.stack([numpy.sqrt(1 - c2**2) * numpy.cos(angle), numpy.sqrt(1 - c2**2) * numpy.sin(angle), c2], axis=1)
    far = 24.0
    edges = numpy.concatenate([numpy.arange(0, 3, 0.1), numpy.geomspace(3, far, 9)])
    nodes, node_weights = numpy.polynomial.legendre.leggauss(7)
    total = 0.0
    for lower, upper in zip(edges[:-1], edges[1:]):
        for t, v in zip(nodes, node_weights):
            r = 0.5 * (lower + upper) + 0.5 * (upper - lower) * t
            energy = mu**2 * ((u1 * u2).sum(axis=1) - 3 * c1 * c2) / r**3
            core = numpy.zeros_like(c1)
            for z1, q1, e1 in sites:
                for z2, q2, e2 in sites:
                    d2 = ((numpy.array([0, 0, r]) + z2 * u2 - z1 * u1) ** 2).sum(axis=1)
                    inverse6 = 1 / (d2 * d2 * d2)  # a power would take most of the time
                    energy += q1 * q2 / numpy.sqrt(d2)
                    core += 4 * numpy.sqrt(e1 * e2) * (inverse6 * inverse6 - inverse6)
            f = numpy.where(core > 1000 * temperature, -1.0, numpy.expm1(-numpy.minimum(energy + core, 1e5) / temperature))
            mean = (weight * f).sum()
            total += 0.5 * (upper - lower) * v * r * r * mean
    return -2 * numpy.pi * total, -2 * numpy.pi * mean * r**6 / far**3 / 3


def virial_coefficients_are_exact(program, folder):
    """Lennard-Jones: the series in powers of 1/T. Axial molecules: other quadratures. Monte Carlo: within its error."""
    from math import factorial, gamma, pi
    inputs = os.path.join(made.ROOT, "inputs")
    for temperature in (3.0,) if made.is_sanitized(program) else (0.8, 3.0, 20.0):
        series = sum(-2 ** (j + 0.5) / (4 * factorial(j)) * gamma((2 * j - 1) / 4) * temperature ** (-(2 * j + 1) / 4)
                     for j in range(80))
        got, error = value(analyze(program, "virial-coefficient", os.path.join(inputs, "lennard-jones.yaml"), "--of", "whole",
                                   "--temperature", temperature), "B2.lennard-jones-lennard-jones")
        want = 2 * pi / 3 * series
        check(abs(got - want) < error < 1e-7 and abs(got - want) < 1e-9, temperature, got, error, want)

    def write(sites):
        model, name = os.path.join(folder, "model.yaml"), os.path.join(folder, "pair.yaml")
        with open(model, "w") as file:
            file.write("name: made\nsource: made up\nunits: reduced\ninertia: [1, 1, 1]\nmass: 1\nsites:\n" + sites)
        with open(name, "w") as file:
            file.write("units: reduced\nsystem:\n  box: {kind: open}\n  molecules: [{model: %s, count: 2}]\n"
                       "  start: {kind: gaussian, spread: 1, temperature: 3}\n" % model)
        return name

    def coefficient(sites, *words):
        out = analyze(program, "virial-coefficient", write(sites), *words)
        return *value(out, "B2.made-made"), out

    x, z = (0.018, 0.024) if made.is_sanitized(program) else (0.18, 0.24)  # a short rod takes few directions
    rod = (f"  - {{name: A, position: [{x}, 0, {z}], charge: 0.8, lennard-jones: {{epsilon: 1, sigma: 1}}}}\n"
           f"  - {{name: B, position: [-{x}, 0, -{z}], charge: -0.8, lennard-jones: {{epsilon: 0.5, sigma: 1}}}}\n")
    got, error, out = coefficient(rod)
    check(error < 1e-6 and out["parameters"]["method.made-made"] == "quadrature", "rod", error, out["parameters"])
    if not made.is_sanitized(program):  # release compares
        want, tail = dumbbell_by_plain_quadrature([(0.3, 0.8, 1.0), (-0.3, -0.8, 0.5)], 0.0, 3.0)
        check(abs(got - want - tail) < 1e-6, "rod", got, error, want, tail)
    table = out["tables"]["made-made"]["columns"]
    check((numpy.diff(table["r"]) > 0).all() and abs(table["f"][0] + 1) < 1e-12, "Mayer's function")

    # what is not axial by a charge too small to matter is sampled, to the value of what is
    ball = "  - {name: A, dipole: [0, 0, %s], lennard-jones: {epsilon: 1, sigma: 1}}\n"
    exact, _, _ = coefficient(ball % 1.5)
    samples, most = (128, 0.4) if made.is_sanitized(program) else (2048, 0.1)
    got, error, out = coefficient(ball % 1.5 + "  - {name: B, position: [0.1, 0, 0], charge: 1e-12}\n"
                                  "  - {name: C, position: [0, 0.1, 0], charge: -1e-12}\n", "--samples", samples)
    check(out["parameters"]["method.made-made"] == "Monte Carlo" and abs(got - exact) < 3.5 * error < most * abs(exact),
          "sampled", got, error, exact)
    for sites, word in (("  - {name: A, soft-sphere: {epsilon: 1, sigma: 1, exponent: 3}}\n", "r^-3"),
                        ("  - {name: A, charge: 1, lennard-jones: {epsilon: 1, sigma: 1}}\n", "charged"),
                        ("  - {name: A, dipole: [0, 0, 1]}\n", "not finite")):
        name = write(sites)
        refused = made.run(program, "analyze", "virial-coefficient", name, status=3 if word == "not finite" else 2)
        check(word in refused, refused)
    stockmayer = os.path.join(inputs, "stockmayer.yaml")
    for more in ([], ["--of", "whole"]):
        again = [made.run(program, "analyze", "virial-coefficient", stockmayer, *more, "--json", threads=n) for n in (1, 3)]
        check(again[0] == again[1], "threads")


made.main([projections_are_those_of_a_plain_sum, lattices_and_gases_have_their_structure_factor, virial_coefficients_are_exact,
           g_of_sites_is_that_of_mdanalysis, g_is_that_of_a_plain_sum, threads_do_not_matter,
           open_space_has_numbers_of_neighbours_alone, files_hold_what_is_printed, bad_files_are_explained],
          statistics=[dipoles_in_a_field_follow_langevin, ideal_gas_has_g_of_one,
                      the_first_shell_is_found_though_another_is_higher])
