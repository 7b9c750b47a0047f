# SPDX-License-Identifier: MIT
"""Trajectories made by hand, of which results are known; and what tests of `polhode analyze` share."""
import functools
import json
import os
import subprocess
import sys

import h5py
import numpy

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def run(program, *words, status=0, threads=None):
    """Runs the program; its standard output, or standard error if another status than 0 is expected"""
    environment = dict(os.environ, **({"OMP_NUM_THREADS": str(threads)} if threads else {}))
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, env=environment)
    if done.returncode != status:
        sys.exit(f"polhode {' '.join(map(str, words))}: status {done.returncode}, not {status}\n{done.stderr}{done.stdout}")
    return done.stderr if status else done.stdout


def analyze(program, kind, *words, threads=None):
    """The JSON document of an analysis, columns of tables as arrays"""
    out = json.loads(run(program, "analyze", kind, *words, "--json", threads=threads))
    for table in out["tables"].values():
        table["columns"] = {k: numpy.array(v, dtype=float) for k, v in table["columns"].items()}
    return out


def value(out, name):
    found = out["values"][name]
    return found["value"], found["error"]


def element(group, name, data, step, time, unit=None):
    made = group.create_group(name)
    made["value"] = data
    made["step"] = step
    made["time"] = time
    if unit:
        made["value"].attrs["unit"] = unit
    return made


POINT = "name: point\ndescription: a point\nsource: none\nunits: reduced\nsites:\n  - {name: A, mass: 1}\n"


def dipole_model(moment=1.0, inertia="[0.1, 0.1, 0]"):
    return ("name: point\ndescription: a dipole\nsource: none\nunits: reduced\n"
            f"inertia: {inertia}\nsites:\n  - {{name: A, mass: 1, dipole: [0, 0, {moment}]}}\n")


def write(name, position=None, edges=None, interval=1.0, series=None, parameters=None, model=POINT, boundary="periodic",
          production=0, fixed=None, **elements):
    """One-site molecules: arrays [T][N][3] of positions and of further elements; series {name: [T] or [T][k]}"""
    with h5py.File(name, "w") as file:
        head = file.create_group("h5md")
        head.attrs["version"] = numpy.array([1, 1])
        for part in ("author", "creator"):
            head.create_group(part).attrs["name"] = numpy.bytes_("test")
        if position is not None:
            frames, n = position.shape[:2]
            group = file.create_group("particles/trajectory")
            step, time = numpy.arange(frames), interval * numpy.arange(frames)
            box = group.create_group("box")
            box.attrs["dimension"] = 3
            box.attrs["boundary"] = numpy.array([boundary] * 3, dtype="S8")
            if edges is not None:
                element(box, "edges", numpy.broadcast_to(numpy.diag(edges) if numpy.ndim(edges) == 1 else edges,
                                                         (frames, 3, 3)), step, time)
            element(group, "position", position, step, time)
            for key, data in elements.items():
                made = element(group, key, data, step, time)
                if key == "angular_momentum":
                    made.attrs["frame"] = numpy.bytes_("body")
            group["species"] = numpy.zeros(n, dtype="i4")
            for key, data in (fixed or {}).items():
                group[key] = data
            file["parameters/species_names"] = numpy.array(["point"], dtype="S32")
            file["parameters/models/point"] = model
        file["parameters/units"] = "reduced"
        file["parameters/boltzmann"] = 1.0
        if production is not None:
            file["parameters/production_begins_at_step"] = production
        for key, number in (parameters or {}).items():
            file[f"parameters/{key}"] = number
        for key, data in (series or {}).items():
            element(file.require_group("series"), key, data, numpy.arange(len(data)), interval * numpy.arange(len(data)))


def attitudes(directions):
    """Quaternions that turn the third body axis into these unit vectors"""
    x, y, z = numpy.moveaxis(directions, -1, 0)
    half = numpy.sqrt(numpy.maximum(0.0, (1 + z) / 2))
    with numpy.errstate(divide="ignore", invalid="ignore"):
        q = numpy.stack([half, -y / (2 * half), x / (2 * half), numpy.zeros_like(x)], axis=-1)
    q[half < 1e-8] = [0, 1, 0, 0]
    return q / numpy.linalg.norm(q, axis=-1, keepdims=True)


def random_directions(rng, *shape):
    v = rng.normal(size=(*shape, 3))
    return v / numpy.linalg.norm(v, axis=-1, keepdims=True)


def water(program, folder, molecules=125, steps=100, frames_every=10, extra=()):
    """A short run of water in units of nm and ps"""
    name = os.path.join(folder, "water.h5md")
    sets = {"system.molecules[0].count": molecules, "dynamics.steps": steps, "dynamics.equilibrate.steps": 50,
            "interactions.cutoff": 0.6, "output.frames_every": frames_every, "output.series_every": 1, **dict(extra)}
    run(program, "run", os.path.join(ROOT, "inputs/spc-e.yaml"), "-q", "-o", name,
        *[w for k, v in sets.items() for w in ("--set", f"{k}={v}")])
    return name


def check(good, *what):
    if not good:
        raise AssertionError(" ".join(map(str, what)))


@functools.lru_cache(maxsize=None)
def is_sanitized(program):
    """Was it built with sanitizers? They watch which memory the program reads and writes: few samples are enough."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


def main(tests, statistics=()):
    """Runs all tests and says which failed; statistics not with sanitizers, since the others run the same code."""
    import tempfile
    failed = 0
    for test in [*tests, *(() if is_sanitized(sys.argv[1]) else statistics)]:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            try:
                test(sys.argv[1], folder)
                print("ok    ", test.__name__)
            except AssertionError as error:
                failed += 1
                print("FAILED", test.__name__, ":", error)
    sys.exit(1 if failed else 0)
