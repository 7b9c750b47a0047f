#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Profiles and surface tension from `polhode analyze`, against exact results: test_analysis_profile.py PROGRAM"""
import os

import numpy

import h5md_made as made
from h5md_made import analyze, check, value

EDGES = numpy.array([4.0, 5.0, 10.0])
DUMBBELL = ("name: point\ndescription: two charges\nsource: none\nunits: reduced\nsites:\n"
            "  - {name: P, position: [0, 0, 0.35], mass: 1, charge: 0.8}\n"
            "  - {name: N, position: [0, 0, -0.35], mass: 1, charge: -0.8}\n")


def potential_of(charges, places, z, length, mean_field):
    """Of charges over the area at these places in [0, length): exact, by adding up charged planes"""
    def sheet(at):
        return sum(-4 * numpy.pi * q * numpy.maximum(0.0, at - p) for q, p in zip(charges, places))
    phi = sheet(z)
    return phi - (z / length * sheet(numpy.array([length]))[0] if mean_field else 0)


def potential_is_that_of_charged_planes(program, folder):
    rng, name, frames, n = numpy.random.default_rng(1), os.path.join(folder, "planes.h5md"), 3, 7
    position = rng.uniform(size=(frames, n, 3)) * EDGES
    position[:, :, 2] = numpy.array([0.1, 2.0, 2.2, 5.0, 5.73, 8.0, 9.9])  # two molecules lie across the faces
    up = numpy.zeros((frames, n, 3))
    up[..., 2] = [1, 1, -1, 1, 1, 1, 1]
    orientation = made.attitudes(up)
    for slab in (False, True):
        made.write(name, position, EDGES, orientation=orientation, model=DUMBBELL,
                   parameters={"ewald_geometry": "slab"} if slab else {})
        out = analyze(program, "profile", name, "--spacing", 0.5)
        table = out["tables"]["potential"]["columns"]
        area = EDGES[0] * EDGES[1]
        ends = numpy.concatenate([position[0, :, 2] + 0.35 * up[0, :, 2], position[0, :, 2] - 0.35 * up[0, :, 2]]) % 10.0
        expected = potential_of([0.8 / area] * n + [-0.8 / area] * n, ends, table["z"], 10.0, not slab)
        check(numpy.abs(table["potential"] - expected).max() < 1e-12, slab, table["potential"] - expected)
        check(numpy.abs(expected).max() > 0.1 and table["potential"][0] == 0, "something is there")
        check(slab == (abs(table["potential"][-1]) > 1e-3), "only a periodic potential repeats", table["potential"][-1])
        field = out["tables"]["profile"]["columns"]["field"]
        check(numpy.abs(field + numpy.diff(expected) / 0.5).max() < 1e-11, "field")
        charge = out["tables"]["profile"]["columns"]["charge_density"]
        counts = numpy.histogram(ends, bins=20, range=(0, 10), weights=[0.8] * n + [-0.8] * n)[0]
        check(numpy.abs(charge - counts / (0.5 * area)).max() < 1e-12, "charge")
    check("slab" not in str(analyze(program, "profile", name, "--of", "x")["parameters"]["field_outside"]), "another axis")


def potential_rises_along_a_layer_of_dipoles(program, folder):
    """4 pi times the dipole over the area, in the direction of the dipoles"""
    name, rng = os.path.join(folder, "layer.h5md"), numpy.random.default_rng(2)
    position = rng.uniform(size=(2, 5, 3)) * EDGES
    position[..., 2] = 4.3
    up = numpy.zeros((2, 5, 3))
    up[..., 2] = 1
    made.write(name, position, EDGES, orientation=made.attitudes(up), model=made.dipole_model(0.6),
               parameters={"ewald_geometry": "slab"})
    out = analyze(program, "profile", name, "--spacing", 1)
    step = 4 * numpy.pi * 5 * 0.6 / 20
    phi = out["tables"]["potential"]["columns"]["potential"]
    check(numpy.abs(phi - numpy.where(numpy.arange(11) > 4, step, 0)).max() < 1e-12, phi)
    profile = out["tables"]["profile"]["columns"]
    check(abs(profile["polarisation"][4] - 5 * 0.6 / 20) < 1e-12 and profile["polarisation"][3] == 0, "polarisation")
    check(profile["order"][4] == 1 and profile["mean_cosine"][4] == 1 and numpy.isnan(profile["order"][3]), "order")


def a_step_of_density_and_temperature_is_found(program, folder):
    """Exactly the counts that numpy finds, in a tilted box too, and errors that fit the scatter"""
    rng, frames, n = numpy.random.default_rng(3), 60, 300
    for axis, edges in ((2, numpy.diag([4.0, 5, 10])), (0, numpy.array([[9.0, 0, 0], [2, 8, 0], [1, -2, 7]]))):
        name = os.path.join(folder, f"step{axis}.h5md")
        s = rng.uniform(size=(frames, n, 3))
        dense = rng.uniform(size=(frames, n)) < 0.8
        s[..., axis] = numpy.where(dense, 0.5 * s[..., axis], 0.5 + 0.5 * s[..., axis])
        velocity = rng.normal(size=(frames, n, 3)) * numpy.where(s[..., axis] < 0.5, 1.0, 2.0)[..., None]
        made.write(name, (s - rng.integers(0, 3, size=s.shape)) @ edges, edges, velocity=velocity)
        inverse = numpy.linalg.inv(edges)
        length, volume = 1 / numpy.linalg.norm(inverse[:, axis]), abs(numpy.linalg.det(edges))
        out = analyze(program, "profile", name, "--of", "xyz"[axis], "--spacing", length / 8)
        table = out["tables"]["profile"]["columns"]
        bins = (s[..., axis] * 8).astype(int)
        counts = numpy.array([(bins == b).sum() for b in range(8)])
        check(numpy.abs(table["density.point"] - counts / frames / (volume / 8)).max() < 1e-12, axis, "density")
        hot = numpy.array([(velocity[bins == b] ** 2).mean() for b in range(8)])
        check(numpy.abs(table["temperature"] - hot).max() < 1e-12, "temperature", table["temperature"], hot)
        check(abs(table["z"] - (numpy.arange(8) + 0.5) * length / 8).max() < 1e-12, "z")
        expected = numpy.where(numpy.arange(8) < 4, 0.2, 0.05) * n / (volume / 8)
        pull = (table["density.point"] - expected) / table["density.point_error"]
        check(0.2 < numpy.sqrt((pull**2).mean()) < 2.5, "errors", pull)


def tension_is_half_the_length_times_the_difference(program, folder):
    rng, name, rows = numpy.random.default_rng(4), os.path.join(folder, "tension.h5md"), 4000
    noise = rng.normal(size=(rows, 9))
    for k in range(1, rows):
        noise[k] = 0.8 * noise[k - 1] + 0.6 * noise[k]  # correlated: variance 1
    tensor = noise + numpy.array([1.0, 0, 0, 0, 1.2, 0, 0, 0, 3.0])
    made.write(name, numpy.zeros((2, 1, 3)), EDGES, series={"pressure_tensor": tensor.reshape(rows, 3, 3)})
    for axis, length in (("z", 10.0), ("x", 4.0)):
        out = analyze(program, "surface-tension", name, "--of", axis, "--stage", "all")
        k = "xyz".index(axis)
        others = [tensor[:, 4 * j] for j in range(3) if j != k]
        gamma = 0.5 * length * (tensor[:, 4 * k] - 0.5 * (others[0] + others[1]))
        got, error = value(out, "surface_tension")
        check(abs(got - gamma.mean()) < 1e-12 * abs(gamma).max(), axis, got, gamma.mean())
        true = 0.5 * length * numpy.sqrt(1.5) * numpy.sqrt(9.0 / rows)  # (1 + 0.8)/(1 - 0.8) = 9
        check(0.7 * true < error < 1.4 * true, axis, error, true)
        check((got > 0) == (axis == "z"), "sign", got)
        check(abs(value(out, "pressure_normal")[0] - tensor[:, 4 * k].mean()) < 1e-12, "normal")
        mean = out["tables"]["tension"]["columns"]["mean"]
        check(abs(mean[-1] - got) < 1e-9 and abs(mean[0] - gamma[0]) < 1e-12, "running mean")
    check(any("cutoff" in note for note in out["notes"]), out["notes"])


def tetrahedral_order_is_one_in_diamond_and_zero_in_a_gas(program, folder):
    name, rng = os.path.join(folder, "diamond.h5md"), numpy.random.default_rng(5)
    fcc = numpy.array([(0, 0, 0), (0, 2, 2), (2, 0, 2), (2, 2, 0)]) / 4
    cells = numpy.stack(numpy.meshgrid(*[range(3)] * 3), axis=-1).reshape(-1, 1, 3)
    lattice = 2.0 * (cells + numpy.concatenate([fcc, fcc + 0.25])).reshape(-1, 3)
    made.write(name, numpy.stack([lattice] * 2), [6.0] * 3)
    out = analyze(program, "tetrahedral", name)
    check(abs(value(out, "tetrahedral_order")[0] - 1) < 1e-12 and not out["notes"], out["values"], out["notes"])
    p = out["tables"]["distribution"]["columns"]["p"]
    check(abs(p[-1] - 50) < 1e-9 and p[:-1].max() == 0, "all at 1")
    gas = rng.uniform(0, 6, size=(60, 200, 3))
    made.write(name, gas, [6.0] * 3)
    out = analyze(program, "tetrahedral", name, "--cutoff", 3)
    got, error = value(out, "tetrahedral_order")
    check(abs(got) < 5 * error and error < 0.02, "gas", got, error)
    d = gas[:, :, None] - gas[:, None]
    d -= 6.0 * numpy.rint(d / 6.0)
    near = numpy.argsort((d**2).sum(axis=-1), axis=-1)[..., 1:5]
    u = numpy.take_along_axis(d, near[..., None], axis=2)
    u /= numpy.linalg.norm(u, axis=-1, keepdims=True)
    cosine = (u @ numpy.swapaxes(u, -1, -2))[..., *numpy.triu_indices(4, 1)]
    q = 1 - 0.375 * ((cosine + 1 / 3) ** 2).sum(axis=-1)
    check(abs(got - q.mean()) < 1e-12, "plain sum", got, q.mean())
    p = out["tables"]["distribution"]["columns"]["p"]
    check(numpy.abs(p - numpy.histogram(q, bins=200, range=(-3, 1))[0] / q.size / 0.02).max() < 1e-9, "distribution")
    made.write(name, numpy.array([[(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (5, 5, 5)]] * 2), [20.0] * 3)
    out = analyze(program, "tetrahedral", name, "--cutoff", 1.8)
    check(any("fewer than four" in note and note.startswith("2 ") for note in out["notes"]), out["notes"])


def what_cannot_be_is_refused(program, folder):
    name = os.path.join(folder, "open.h5md")
    made.write(name, numpy.zeros((2, 3, 3)), boundary="none")
    check("open space" in made.run(program, "analyze", "profile", name, status=2), "open space")
    made.write(name, numpy.zeros((2, 6, 3)), boundary="none")
    check("--cutoff" in made.run(program, "analyze", "tetrahedral", name, status=2), "no density")
    made.write(name, numpy.zeros((2, 3, 3)), EDGES)
    check("x, y or z" in made.run(program, "analyze", "profile", name, "--of", "w", status=2), "axis")
    check("--spacing" in made.run(program, "analyze", "profile", name, "--spacing", 100, status=2), "spacing")
    check("pressure_tensor" in made.run(program, "analyze", "surface-tension", name, status=2), "no tensor")


if __name__ == "__main__":
    made.main([potential_is_that_of_charged_planes, potential_rises_along_a_layer_of_dipoles,
               a_step_of_density_and_temperature_is_found, tension_is_half_the_length_times_the_difference,
               tetrahedral_order_is_one_in_diamond_and_zero_in_a_gas, what_cannot_be_is_refused])
