#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hydrogen bonds of `polhode analyze` against patterns made by hand, and against MDAnalysis:
test_analysis_hydrogen_bonds.py PROGRAM"""
import os
import sys

import numpy

import h5md_made as made
from h5md_made import analyze, check, value

# The hydrogen is on the axis, above the oxygen, which is the centre
ROD = ("name: point\ndescription: a rod\nsource: none\nunits: reduced\ninertia: [0.1, 0.1, 0]\nsites:\n"
       "  - {name: O, mass: 1}\n  - {name: H, position: [0, 0, 0.1]}\n")


def patterns(rng, frames):
    """Bonds that come and go: by distance, by angle, and at random. [3][frames]"""
    first = numpy.array([1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1])
    return numpy.array([first, numpy.roll(first, 5), rng.integers(0, 2, frames)])


def correlations(h, lags):
    """C and S of bonds [bonds][frames], as they are defined"""
    frames = h.shape[1]
    c, s = numpy.ones(lags), numpy.ones(lags)
    for k in range(1, lags):
        origins = h[:, :frames - k]
        kept = numpy.prod([h[:, j:frames - k + j] for j in range(k + 1)], axis=0)
        c[k], s[k] = (origins * h[:, k:]).sum() / origins.sum(), kept.sum() / origins.sum()
    return c, s


def bonds_that_come_and_go_are_counted_exactly(program, folder):
    name, rng, frames, lags = os.path.join(folder, "pattern.h5md"), numpy.random.default_rng(1), 12, 7
    h = patterns(rng, frames)
    position, up = numpy.zeros((frames, 6, 3)), numpy.zeros((frames, 6, 3))
    up[:, 1::2, 0] = 1  # acceptors lie across: their own hydrogens point elsewhere
    for bond, there in enumerate(h):
        angle = numpy.radians(numpy.where(there, 29.9, 30.1)) if bond == 1 else numpy.zeros(frames)
        distance = numpy.where(there, 0.349, 0.351) if bond != 1 else numpy.full(frames, 0.3)
        up[:, 2 * bond] = numpy.stack([0 * angle, numpy.sin(angle), numpy.cos(angle)], axis=-1)
        position[:, 2 * bond] = [3.0 * bond + 1, 2, 9.9]  # across a face of the box
        position[:, 2 * bond + 1] = position[:, 2 * bond] + distance[:, None] * [0, 0, 1]
    made.write(name, position % 10.0, [10.0] * 3, interval=0.5, orientation=made.attitudes(up), model=ROD)
    out = analyze(program, "hydrogen-bonds", name, "--cutoff", 0.35, "--lag", 0.5 * (lags - 1))
    check(abs(value(out, "hydrogen_bonds")[0] - h.sum() / frames) < 1e-12, out["values"], h.sum() / frames)
    check(abs(value(out, "hydrogen_bonds_per_molecule")[0] - 2 * h.sum() / frames / 6) < 1e-12, "per molecule")
    length = (0.349 * (h[0].sum() + h[2].sum()) + 0.3 * h[1].sum()) / h.sum()
    check(abs(value(out, "bond_length")[0] - length) < 1e-12, "length", value(out, "bond_length"), length)
    check(abs(value(out, "bond_angle")[0] - 29.9 * h[1].sum() / h.sum()) < 1e-6, "angle", value(out, "bond_angle"))
    fraction = out["tables"]["numbers"]["columns"]["fraction"]
    check(abs(fraction[1] - h.mean()) < 1e-12 and abs(fraction[0] + fraction[1] - 1) < 1e-12, fraction)
    table = out["tables"]["lifetime"]["columns"]
    c, s = correlations(h, lags)
    check(numpy.abs(table["t"] - 0.5 * numpy.arange(lags)).max() < 1e-12, "times")
    check(numpy.abs(table["intermittent"] - c).max() < 1e-12, table["intermittent"], c)
    check(numpy.abs(table["continuous"] - s).max() < 1e-12, table["continuous"], s)
    check(c[3] - s[3] > 0.3, "they differ")
    lifetime = 0.5 * (s.sum() - 0.5 * (s[0] + s[-1]))
    check(abs(value(out, "lifetime_continuous")[0] - lifetime) < 1e-12, "lifetime", value(out, "lifetime_continuous"))
    again = [analyze(program, "hydrogen-bonds", name, "--cutoff", 0.35, "--lag", 3, threads=n)["values"] for n in (1, 3)]
    check(again == [out["values"]] * 2, "threads", again)
    wide = analyze(program, "hydrogen-bonds", name, "--cutoff", 0.36, "--angle", 31)
    check(value(wide, "hydrogen_bonds")[0] == 3, "wider criterion", wide["values"])
    check("CANNOT BE DEFENDED" in made.run(program, "analyze", "hydrogen-bonds", name, "--cutoff", 0.36, "--angle", 31), "for ever")


def the_time_at_which_bonds_are_lost(program, folder):
    """Of 40 bonds a tenth breaks in each frame for good: C is linear, and S as well"""
    name, frames, n = os.path.join(folder, "loss.h5md"), 11, 40
    position, up = numpy.zeros((frames, 2 * n, 3)), numpy.zeros((frames, 2 * n, 3))
    up[:, ::2, 2], up[:, 1::2, 0] = 1, 1
    position[:, :, 0] = numpy.repeat(numpy.arange(n), 2)
    broken = numpy.arange(frames)[:, None] > numpy.arange(n) // 4
    position[:, 1::2, 2] = numpy.where(broken, 0.5, 0.3)
    made.write(name, position, [40.0, 5, 5], orientation=made.attitudes(up), model=ROD)
    out = analyze(program, "hydrogen-bonds", name, "--cutoff", 0.35, "--lag", 10)
    alive = (~broken).sum(axis=1)
    c = numpy.array([alive[k:].sum() / alive[:frames - k].sum() for k in range(frames)])
    table = out["tables"]["lifetime"]["columns"]
    check(numpy.abs(table["intermittent"] - c).max() < 1e-12 and numpy.abs(table["continuous"] - c).max() < 1e-12, table, c)
    at = int(numpy.argmax(c < numpy.exp(-1)))
    time = at - 1 + (c[at - 1] - numpy.exp(-1)) / (c[at - 1] - c[at])
    check(abs(value(out, "lifetime_intermittent")[0] - time) < 1e-12, value(out, "lifetime_intermittent"), time)


def what_cannot_be_is_refused(program, folder):
    name = os.path.join(folder, "bare.h5md")
    up = numpy.zeros((2, 2, 3))
    up[..., 2] = 1
    made.write(name, numpy.zeros((2, 2, 3)), [5.0] * 3, orientation=made.attitudes(up), model=made.dipole_model())
    check("no molecule has a hydrogen" in made.run(program, "analyze", "hydrogen-bonds", name, "--cutoff", 1, status=2), "no hydrogen")
    made.write(name, numpy.zeros((2, 2, 3)), [5.0] * 3, orientation=made.attitudes(up), model=ROD.replace("O", "C"))
    check("no molecule has a hydrogen" in made.run(program, "analyze", "hydrogen-bonds", name, "--cutoff", 1, status=2), "carbon")
    apart = numpy.array([[[0.0, 0, 0], [0, 0, 2]]] * 2)
    made.write(name, apart, [5.0] * 3, orientation=made.attitudes(up), model=ROD)
    check("not in nm" in made.run(program, "analyze", "hydrogen-bonds", name, status=2), "units")
    check("half the box" in made.run(program, "analyze", "hydrogen-bonds", name, "--cutoff", 3, status=2), "cutoff")
    check("180" in made.run(program, "analyze", "hydrogen-bonds", name, "--cutoff", 1, "--angle", 181, status=2), "angle")
    out = analyze(program, "hydrogen-bonds", name, "--cutoff", 1)
    check(value(out, "hydrogen_bonds")[0] == 0 and any("no lifetimes" in note for note in out["notes"]), out)


def mdanalysis_finds_the_same_bonds(program, folder):
    """Its HydrogenBondAnalysis takes the angle at the hydrogen: it finds pairs by distance, and the angle is ours."""
    import MDAnalysis
    from MDAnalysis.analysis.hydrogenbonds import HydrogenBondAnalysis
    from MDAnalysis.lib.correlations import autocorrelation
    from MDAnalysis.lib.distances import calc_angles
    name = made.water(program, folder, 64, 60, 2, {"dynamics.scheme": "verlet", "dynamics.step": 0.004}.items())
    for form in ("gro", "trr"):
        made.run(program, "export", name, "--format", form)
    out = analyze(program, "hydrogen-bonds", name, "--lag", 0.1)
    table = out["tables"]["lifetime"]["columns"]
    lags = len(table["t"])
    u = MDAnalysis.Universe(name.replace(".h5md", ".gro"), name.replace(".h5md", ".trr"), to_guess=())
    first = len(u.trajectory) - out["parameters"]["frames"]
    found = HydrogenBondAnalysis(u, donors_sel="name O", hydrogens_sel="name H", acceptors_sel="name O", d_a_cutoff=3.5,
                                 d_h_a_angle_cutoff=0)
    found.run(start=first)
    sets, lengths = [set() for _ in range(len(u.trajectory))], []
    for at in u.trajectory[first:]:
        places = at.positions.astype(float)
        for _, donor, hydrogen, acceptor, length, _ in found.results.hbonds[found.results.hbonds[:, 0] == at.frame]:
            ends = places[[int(hydrogen), int(donor), int(acceptor)]]
            if calc_angles(*ends, box=at.dimensions) < numpy.radians(30):
                sets[at.frame].add((hydrogen, acceptor))
                lengths.append(length)
    sets = sets[first:]
    check(len(lengths) > 500, "bonds", len(lengths))
    check(abs(value(out, "hydrogen_bonds")[0] - len(lengths) / len(sets)) < 0.5 / len(sets), value(out, "hydrogen_bonds"), len(lengths))
    check(abs(value(out, "bond_length")[0] - numpy.mean(lengths) / 10) < 1e-6, "length")
    bonds = sorted(set().union(*sets))
    h = numpy.array([[bond in there for there in sets] for bond in bonds], dtype=int)
    c, s = correlations(h, lags)
    check(numpy.abs(table["intermittent"] - c).max() < 1e-9 and numpy.abs(table["continuous"] - s).max() < 1e-9, "lifetimes")
    _, theirs, _ = autocorrelation(sets, tau_max=lags - 1)  # the mean of ratios, not the ratio of means
    check(numpy.abs(table["continuous"] - theirs).max() < 0.01, table["continuous"], theirs)


if __name__ == "__main__":
    made.main([bonds_that_come_and_go_are_counted_exactly, the_time_at_which_bonds_are_lost, what_cannot_be_is_refused],
              [mdanalysis_finds_the_same_bonds])
