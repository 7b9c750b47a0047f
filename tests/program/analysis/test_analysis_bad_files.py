#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that are damaged, empty, of other programs, or hold what cannot be analysed: every kind of analysis says what is
wrong, or what it does without; so does the report: test_analysis_bad_files.py PROGRAM"""
import os
import signal
import subprocess
import sys
import time
import warnings

import h5py
import numpy

import h5md_made as made
from h5md_made import analyze, check

sys.path.insert(0, os.path.join(made.ROOT, "tools/python"))
KINDS = ("energy", "temperature", "pressure", "fluctuations", "rdf", "orientation", "structure-factor", "dielectric", "msd",
         "correlation")
UNREADABLE = ("text.h5md", "empty.h5md", "cut.h5md", "short.h5md", "other.h5md")  # alike for all kinds, before they begin
T, N = 20, 50
RNG = numpy.random.default_rng(1)


def positions(frames=T, n=N):
    return RNG.uniform(0, 6, size=(frames, n, 3))


def ours(name, position, frames=T, n=N, edges=(6.0, 6.0, 6.0), **more):
    """With all that the analyses ask for"""
    series = {"total_energy": 1, "temperature": 1, "pressure": 1, "pressure_tensor": (3, 3), "dipole": 3}
    shape = lambda width: (frames,) if width == 1 else (frames, *numpy.atleast_1d(width))
    made.write(name, position, list(edges), model=made.dipole_model(),
               orientation=made.attitudes(made.random_directions(RNG, frames, n)),
               velocity=RNG.normal(size=(frames, n, 3)), angular_momentum=RNG.normal(size=(frames, n, 3)),
               series={key: 3 + RNG.normal(size=shape(width)) for key, width in series.items()}, **more)


def theirs(name, position, edges=None, ids=None):
    """Of another program: positions, and a box that may change"""
    with h5py.File(name, "w") as file:
        head = file.create_group("h5md")
        head.attrs["version"] = [1, 1]
        for part in ("author", "creator"):
            head.create_group(part).attrs["name"] = "another"
        group, step = file.create_group("particles/all"), numpy.arange(len(position))
        box = group.create_group("box")
        if edges is not None:
            box.attrs["dimension"] = 3
            box.attrs["boundary"] = numpy.array(["periodic"] * 3, dtype="S8")
            if numpy.ndim(edges) == 1:
                box["edges"] = edges
            else:
                made.element(box, "edges", edges, step, 0.1 * step)
        made.element(group, "position", position, step, 0.1 * step)
        if ids is not None:
            made.element(group, "id", ids, step, 0.1 * step)


def write_all(folder):
    def at(name):
        return os.path.join(folder, name + ".h5md")

    ours(at("good"), positions())
    with open(at("good"), "rb") as file:
        whole = file.read()
    for name, content in (("text", b"not HDF5"), ("empty", b""), ("cut", whole[: len(whole) // 2]), ("short", whole[:3000])):
        with open(at(name), "wb") as file:
            file.write(content)
    with h5py.File(at("other"), "w") as file:
        file["x"] = 1.0
    for name, wrong in (("nan", numpy.nan), ("infinite", numpy.inf)):
        position = positions()
        position[7, 3, 1] = wrong
        ours(at(name), position)
    ours(at("no-frames"), positions(0), 0)
    ours(at("one-frame"), positions(1), 1)
    ours(at("one-molecule"), positions(T, 1), T, 1)
    ours(at("no-volume"), positions(), edges=(6.0, 6.0, 0.0))
    theirs(at("no-molecules"), positions(T, 0), numpy.full(3, 6.0))
    theirs(at("bare"), positions(), numpy.full(3, 6.0))
    theirs(at("no-box"), positions())
    theirs(at("flat"), positions()[:, :, :2], numpy.full(3, 6.0))
    theirs(at("breathing"), positions(), 6 + RNG.uniform(size=(T, 3)))
    ids = numpy.tile(numpy.arange(N, dtype="i4"), (T, 1))
    ids[5:, 40:] = -1
    theirs(at("variable"), positions(), numpy.full(3, 6.0), ids)
    theirs(at("shuffled"), positions(), numpy.full(3, 6.0), numpy.array([RNG.permutation(N) for _ in range(T)]))
    return at


def every_kind_says_what_is_wrong(program, folder):
    at = write_all(folder)
    for name in sorted(os.listdir(folder)):
        for kind in KINDS[:1] if made.is_sanitized(program) and name in UNREADABLE else KINDS:
            done = subprocess.run([program, "analyze", kind, os.path.join(folder, name)], capture_output=True, text=True)
            check(done.returncode in (0, 2, 4), name, kind, done.returncode, done.stderr)
            check(done.returncode == 0 or name in done.stderr, name, kind, done.stderr)
            check(done.returncode != 0 or done.stdout, name, kind, "silent")
    for name, status, kinds, word in (
        ("text", 2, KINDS, "not an HDF5 file"), ("empty", 2, KINDS, "not an HDF5 file"), ("cut", 4, KINDS, "truncated"),
        ("short", 4, KINDS, "truncated"), ("other", 2, KINDS, "not H5MD"), ("nan", 2, ("rdf", "msd"), "not finite"),
        ("infinite", 2, ("rdf", "structure-factor", "orientation"), "not finite"),
        ("no-frames", 2, ("rdf", "orientation", "msd"), "none of its 0 frames"), ("one-frame", 2, ("msd",), "two at least"),
        ("bare", 2, ("orientation", "dielectric"), "bare.h5md"), ("bare", 2, ("correlation",), "velocity"),
        ("no-box", 2, ("structure-factor", "dielectric"), "periodic box"), ("no-box", 2, ("rdf",), "--cutoff"),
        ("flat", 2, ("rdf", "msd"), "three numbers"), ("no-volume", 2, ("rdf", "msd"), "must be finite and not zero"),
        ("no-molecules", 2, ("rdf", "msd"), "no positions"), ("variable", 2, ("rdf", "msd"), "change places"),
        ("shuffled", 2, ("msd",), "change places"),
    ):
        for kind in kinds[:1] if made.is_sanitized(program) and kinds is KINDS else kinds:
            error = made.run(program, "analyze", kind, at(name), status=status)
            check(word in error, name, kind, error)


def reduced_analyses_say_so(program, folder):
    at = write_all(folder)
    for name, kind, word in (("bare", "msd", "no orientations"), ("bare", "msd", "box edges crossed"),
                             ("breathing", "structure-factor", "box changes"), ("breathing", "msd", "box changes"),
                             ("one-frame", "rdf", "errors cannot be estimated"),
                             ("one-molecule", "rdf", "no pairs")):
        notes = analyze(program, kind, at(name))["notes"]
        check(any(word in note for note in notes), name, kind, notes)


def boxes_that_change_have_their_mean_density(program, folder):
    """Independent points in boxes of any size: g is 1"""
    name, edges = os.path.join(folder, "breathing.h5md"), 6 + 0.3 * RNG.uniform(size=(300, 3))
    theirs(name, RNG.uniform(size=(300, 100, 3)) * edges[:, None, :], edges)
    table = next(iter(analyze(program, "rdf", name, "--spacing", 0.5)["tables"].values()))
    g, error = table["columns"]["g"], table["columns"]["g_error"]
    check(numpy.all(numpy.abs(g - 1)[2:] < 4.5 * error[2:] + 0.005), g, error)


def reports_are_made_of_what_there_is(program, folder):
    """Without the analyses, whose errors are those above; a warning is an error"""
    import polhode
    from polhode.report.page import make_page

    at = write_all(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("good", "nan", "infinite", "no-frames", "one-frame", "one-molecule", "no-volume", "no-molecules", "bare",
                     "no-box", "flat", "breathing", "variable", "shuffled"):
            try:
                with polhode.open(at(name)) as run:
                    page = make_page(run, None)
            except Exception as error:  # whatever it is, it is a failure of this file
                raise AssertionError(f"{name}: {error!r}") from error
            check("</html>" in page, name)
        for name in ("text", "empty", "cut", "short", "other"):
            try:
                polhode.open(at(name)).close()
            except polhode.TrajectoryError as error:
                check(name in str(error), name, error)
            else:
                raise AssertionError(f"{name} was opened")


def interrupted_exports_leave_nothing(program, folder):
    name, out = os.path.join(folder, "long.h5md"), os.path.join(folder, "long.extxyz")
    theirs(name, positions(4000, 200), numpy.full(3, 6.0))
    for _ in range(20):  # where we are not let run in time, an export may end before it is interrupted
        child = subprocess.Popen([program, "export", name, "--format", "extxyz", "-o", out])
        while child.poll() is None and not os.path.exists(out + ".new"):
            time.sleep(0.001)
        child.send_signal(signal.SIGINT)
        if child.wait() != 0:
            break
        os.remove(out)
    check(child.returncode == -signal.SIGINT, child.returncode)
    check(sorted(os.listdir(folder)) == ["long.h5md"], os.listdir(folder))


made.main([every_kind_says_what_is_wrong, reduced_analyses_say_so, boxes_that_change_have_their_mean_density,
           reports_are_made_of_what_there_is, interrupted_exports_leave_nothing])
