#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Analyses of boxes that change from frame to frame, against plain sums in the box of each frame.

usage: test_analysis_boxes.py POLHODE
"""
import os

import numpy

import h5md_made as made
from h5md_made import analyze, check, value


def breathing(rng, frames, tilt=0.0):
    """Edges [frame, 3, 3]: volumes differ by a factor of two and more"""
    edges = numpy.zeros((frames, 3, 3))
    edges[:, range(3), range(3)] = 5 * (1 + 0.35 * rng.uniform(size=(frames, 1))) * (1 + 0.05 * rng.uniform(size=(frames, 3)))
    edges[:, 1, 0], edges[:, 2, 1] = tilt * rng.uniform(size=frames), -tilt * rng.uniform(size=frames)
    return edges


def pairs(r, edge):
    """Vectors of all pairs to their nearest images, up to half the width of the box"""
    i, j = numpy.triu_indices(len(r), 1)
    s = (r[j] - r[i]) @ numpy.linalg.inv(edge)
    return i, j, (s - numpy.rint(s)) @ edge


def noted(out, word):
    return any(word in note for note in out["notes"])


def g_is_relative_to_the_density_of_each_frame(program, folder):
    rng, name, frames, n = numpy.random.default_rng(31), os.path.join(folder, "x.h5md"), 12, 60
    for tilt in (0.0, 0.7):
        edges = breathing(rng, frames, tilt)
        position = rng.uniform(size=(frames, n, 3)) @ edges
        u = made.random_directions(rng, frames, n) + 0.4 * position / numpy.linalg.norm(position, axis=-1, keepdims=True)
        u /= numpy.linalg.norm(u, axis=-1, keepdims=True)
        made.write(name, position, edges, orientation=made.attitudes(u), model=made.dipole_model())
        bins = numpy.linspace(0, 2.25, 10)
        volume, terms = numpy.linalg.det(edges), []
        for r, edge, v in zip(position, edges, u):
            i, j, d = pairs(r, edge)
            far, cosine = numpy.linalg.norm(d, axis=1), (v[i] * v[j]).sum(axis=1)
            along = (v[i] * d).sum(axis=1) * (v[j] * d).sum(axis=1) / far**2
            weights = (numpy.ones_like(far), 3 * cosine, 1.5 * (3 * along - cosine), 2.5 * (3 * cosine**2 - 1))
            terms.append([numpy.histogram(far, bins=bins, weights=one)[0] for one in weights])
        terms = numpy.array(terms)  # [frame, term, bin]
        ideal = n * (n - 1) / 2 * 4 / 3 * numpy.pi * numpy.diff(bins**3)
        want = (terms * volume[:, None, None]).mean(axis=0) / ideal
        plain = terms.mean(axis=0) * volume.mean() / ideal  # the mean density of all frames is not it
        check(numpy.abs(want - plain)[0, 2:].max() > 0.02, "the boxes are too much alike")

        words = ("--spacing", 0.25, "--cutoff", 2.25)
        out = analyze(program, "rdf", name, *words)
        table = out["tables"]["point-point"]["columns"]
        check(noted(out, "density of each frame"), out["notes"])
        check(numpy.abs(table["g"] - want[0]).max() < 1e-11, tilt, table["g"], want[0])
        inside = 2 / n * numpy.cumsum(terms[:, 0].mean(axis=0))  # of neighbours, which have no density
        check(numpy.abs(table["n"] - inside).max() < 1e-11, tilt, table["n"], inside)

        table = analyze(program, "orientation", name, *words)["tables"]["pairs"]["columns"]
        for k, column in enumerate(("g", "h110", "h112", "h220")):
            check(numpy.abs(table[column] - want[k]).max() < 1e-10, tilt, column, table[column], want[k])
        kirkwood = 1 + 2 / n * numpy.cumsum(terms[:, 1].mean(axis=0)) / 3
        check(numpy.abs(table["g_kirkwood"] - kirkwood).max() < 1e-11, tilt, "Kirkwood")

    few = analyze(program, "rdf", name, "--frames", "0:1")  # half the smallest width is that of the frames looked at
    width = 1 / numpy.linalg.norm(numpy.linalg.inv(edges[0]), axis=0)
    check(abs(few["parameters"]["cutoff"] - width.min() / 2) < 0.02, few["parameters"])


def wave_vectors_fit_the_box_of_each_frame(program, folder):
    rng, name, frames, n = numpy.random.default_rng(32), os.path.join(folder, "x.h5md"), 8, 40
    side = 5 + 0.5 * rng.uniform(size=frames)
    position = rng.uniform(size=(frames, n, 3)) * side[:, None, None]
    made.write(name, position, side[:, None, None] * numpy.eye(3))
    out = analyze(program, "structure-factor", name, "--spacing", 0.05, "--k-max", 3)
    check(noted(out, "means over frames"), out["notes"])
    table = out["tables"]["structure_factor"]["columns"]
    whole = numpy.array([(a, b, c) for a in range(-3, 4) for b in range(-3, 4) for c in range(-3, 4)])
    lengths = numpy.linalg.norm(whole, axis=1)
    for shell, square in enumerate((1, 2, 3, 4)):
        some = whole[numpy.abs(lengths**2 - square) < 1e-9]
        waves = 2 * numpy.pi * some / side[:, None, None]  # [frame, vector, 3]
        s = numpy.abs(numpy.exp(-1j * numpy.einsum("fna,fva->fnv", position, waves)).sum(axis=1)) ** 2 / n
        check(abs(table["s"][shell] - s.mean()) < 1e-10, square, table["s"][shell], s.mean())
        k = 2 * numpy.pi * numpy.sqrt(square) * (1 / side).mean()
        check(abs(table["k"][shell] - k) < 1e-12, square, table["k"][shell], k)
        check(abs(k - 2 * numpy.pi * numpy.sqrt(square) / side[-1]) > 1e-3, "the last box is not the mean")


def displacements_do_not_grow_with_the_box(program, folder):
    """Walkers that cross the edges many times: a box that breathes does not move them, though n . edges changes by much
    more than they walk"""
    rng, name, frames, n = numpy.random.default_rng(33), os.path.join(folder, "x.h5md"), 400, 8
    edges = breathing(rng, frames, 0.3)
    edges = edges[:1] + 0.02 * (edges - edges[:1])
    drift = numpy.array([0.9, -0.7, 0.4])  # 70 boxes in all
    step = 0.05 * rng.normal(size=(frames, n, 3)) + drift
    walk = numpy.concatenate([numpy.zeros((1, n, 3)), numpy.cumsum(step[1:], axis=0)])
    position, image = numpy.zeros((frames, n, 3)), numpy.zeros((frames, n, 3))
    position[0] = rng.uniform(size=(n, 3)) @ edges[0]
    for f in range(1, frames):
        r = position[f - 1] + step[f]
        crossed = numpy.floor(r @ numpy.linalg.inv(edges[f]))
        position[f], image[f] = r - crossed @ edges[f], image[f - 1] + crossed
    lags = 40
    want = [((walk[k:] - walk[:frames - k]) ** 2).sum(axis=2).mean() for k in range(lags)]
    direct = position + image @ edges
    jumps = ((direct[1:] - direct[:-1]) ** 2).sum(axis=2).mean()
    check(jumps > 1.3 * want[1], "n . edges does not jump", jumps, want[1])
    for elements in ({"image": image.astype("i4")}, {}):
        made.write(name, position, edges, **elements)
        out = analyze(program, "msd", name, "--lag", lags - 1)
        got = out["tables"]["translation.point"]["columns"]["msd"]
        check(numpy.abs(got - want).max() < 1e-9 * max(want), list(elements), got - want)
        check(noted(out, "box of its frame"), out["notes"])


def volumes_are_means_of_the_stage(program, folder):
    rng, name, frames = numpy.random.default_rng(34), os.path.join(folder, "x.h5md"), 300
    edges = breathing(rng, frames)
    edges[:100] = 3 * numpy.eye(3)  # the equilibration, at constant volume
    dipole, tensor = rng.normal(size=(frames, 3)), rng.normal(size=(frames, 9))
    series = {"dipole": dipole, "pressure_tensor": tensor, "temperature": numpy.ones(frames)}
    made.write(name, rng.uniform(0, 3, size=(frames, 2, 3)), edges, series=series, production=100)
    volume = numpy.linalg.det(edges[100:]).mean()
    for words, want, changes in (((), volume, True), (("--stage", "equilibration"), 27.0, False),
                                 (("--stage", "all"), numpy.linalg.det(edges).mean(), True)):
        out = analyze(program, "dielectric", name, "--permittivity", "inf", *words)
        check(abs(out["parameters"]["volume"] - want) < 1e-12 * want, words, out["parameters"])
        check(noted(out, "box changes") == changes, words, out["notes"])
        m = dipole[100:] if not words else (dipole[:100] if words[1] == "equilibration" else dipole)
        exact = 1 + 4 * numpy.pi / 3 / want * ((m**2).sum(axis=1).mean() - (m.mean(axis=0) ** 2).sum())
        check(abs(value(out, "epsilon")[0] - exact) < 1e-9, words, value(out, "epsilon"), exact)
    viscosity = value(analyze(program, "correlation", name, "--of", "stress", "--lag", 5, "--fit", "0,4"), "viscosity")[0]
    made.write(name, rng.uniform(0, 3, size=(frames, 2, 3)), [10.0] * 3, series=series, production=100)
    still = value(analyze(program, "correlation", name, "--of", "stress", "--lag", 5, "--fit", "0,4"), "viscosity")[0]
    check(abs(viscosity / still - volume / 1000) < 1e-12, viscosity, still, volume)


def finite_size_corrections_take_the_mean_box(program, folder):
    rng, name = numpy.random.default_rng(35), os.path.join(folder, "x.h5md")
    side = 8 + 0.1 * rng.uniform(size=50)
    made.write(name, numpy.cumsum(rng.normal(size=(50, 5, 3)), axis=0) % 8.0, side[:, None, None] * numpy.eye(3))
    out = analyze(program, "msd", name, "--viscosity", 2.5, "--temperature", 1.5)
    shift = value(out, "diffusion_infinite.point")[0] - value(out, "diffusion.point")[0]
    check(abs(shift - 2.837297 * 1.5 / (6 * numpy.pi * 2.5 * side.mean())) < 1e-12, shift)


if __name__ == "__main__":
    made.main([g_is_relative_to_the_density_of_each_frame, wave_vectors_fit_the_box_of_each_frame,
               displacements_do_not_grow_with_the_box, volumes_are_means_of_the_stage,
               finite_size_corrections_take_the_mean_box])
