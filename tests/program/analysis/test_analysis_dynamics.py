#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Displacements and time correlations from `polhode analyze`, against MDAnalysis, scipy and exact results:
test_analysis_dynamics.py PROGRAM"""
import os
import warnings

import h5py
import MDAnalysis
import numpy
import scipy.signal
import scipy.special
from MDAnalysis.analysis.msd import EinsteinMSD

import h5md_made as made
from h5md_made import analyze, check, value

warnings.filterwarnings("ignore")


def correlate(x):
    """<x(0).x(t)> over all origins, of [T][N][k] summed over k and averaged over N"""
    n = len(x)
    total = sum(scipy.signal.correlate(x[:, i, k], x[:, i, k], method="direct")[n - 1:]
                for i in range(x.shape[1]) for k in range(x.shape[2]))
    return total / (n - numpy.arange(n)) / x.shape[1]


def msd_is_that_of_mdanalysis(program, folder):
    rng, name = numpy.random.default_rng(1), os.path.join(folder, "walk.h5md")
    walk = numpy.cumsum(rng.normal(size=(120, 20, 3)), axis=0)
    made.write(name, walk, boundary="none", interval=0.5)
    universe = MDAnalysis.Universe.empty(20, trajectory=True)
    universe.load_new(name, format="H5MD", convert_units=False)
    theirs = EinsteinMSD(universe, msd_type="xyz", fft=False).run().results.timeseries
    ours = analyze(program, "msd", name, "--lag", 59.5)["tables"]["translation.point"]["columns"]
    check(numpy.abs(ours["msd"] - theirs).max() < 1e-5 * theirs.max(), ours["msd"] - theirs)
    check(numpy.array_equal(ours["time"], 0.5 * numpy.arange(120)), ours["time"])


def msd_follows_molecules_through_the_box(program, folder):
    """By counts of edges crossed, and without them; in a run of the program, and in a tilted box"""
    rng = numpy.random.default_rng(2)
    edges = numpy.array([[5.0, 0, 0], [1.0, 6, 0], [-1.0, 0.5, 7]])
    walk = 3 + numpy.cumsum(0.3 * rng.normal(size=(60, 10, 3)), axis=0)
    image = numpy.floor(walk @ numpy.linalg.inv(edges))
    want = [((walk[k:] - walk[:60 - k]) ** 2).sum(axis=2).mean() for k in range(30)]
    for elements in ({"image": image.astype("i4")}, {}):
        name = os.path.join(folder, f"walk{len(elements)}.h5md")
        made.write(name, walk - image @ edges, edges, **elements)
        out = analyze(program, "msd", name)
        check(numpy.abs(out["tables"]["translation.point"]["columns"]["msd"] - want).max() < 1e-10, elements.keys())
        check(any("nearest" in note for note in out["notes"]) == (not elements), out["notes"])
    name = made.water(program, folder, molecules=64, steps=200, frames_every=5, extra={"interactions.cutoff": 0.55}.items())
    with h5py.File(name) as file:
        body, start = file["rigid_bodies/spc-e"], file["parameters/production_begins_at_step"][()]
        keep = body["center/step"][:] >= start
        box = file["particles/trajectory/box/edges/value"][0]
        r = (body["center/value"][:] + body["image/value"][:] @ box)[keep]
    got = analyze(program, "msd", name)["tables"]["translation.spc-e"]["columns"]["msd"]
    want = numpy.array([((r[k:] - r[:len(r) - k]) ** 2).sum(axis=2).mean() for k in range(len(got))])
    check(numpy.abs(got - want).max() < 1e-12, got - want)


def diffusion_of_walkers_is_exact_within_errors(program, folder):
    """Also where lags are longer than the blocks of time: as by default"""
    for words in (("--lag", 20, "--fit", "1,10"), ()):
        pulls = []
        for seed in range(20):
            rng, name = numpy.random.default_rng(100 + seed), os.path.join(folder, f"walk{seed}.h5md")
            made.write(name, numpy.cumsum(0.2 * rng.normal(size=(400, 32, 3)), axis=0), boundary="none", interval=0.5)
            out = analyze(program, "msd", name, *words)
            for key in ("diffusion.point", "diffusion_x.point"):
                got, error = value(out, key)
                pulls.append((got - 0.2**2 / (2 * 0.5)) / error)
        size = numpy.sqrt(numpy.mean(numpy.square(pulls)))
        check(0.65 < size < 1.35, words, "scatter over printed error", size)
        print("       ", words, "scatter over printed error:", size)


def finite_size_correction_is_that_of_yeh_and_hummer(program, folder):
    rng, name = numpy.random.default_rng(3), os.path.join(folder, "walk.h5md")
    made.write(name, numpy.cumsum(rng.normal(size=(50, 5, 3)), axis=0) % 8.0, [8.0] * 3)
    out = analyze(program, "msd", name, "--viscosity", 2.5, "--temperature", 1.5)
    shift = value(out, "diffusion_infinite.point")[0] - value(out, "diffusion.point")[0]
    check(abs(shift - 2.837297 * 1.5 / (6 * numpy.pi * 2.5 * 8)) < 1e-12, shift)


def angles_of_steady_rotation_grow_linearly(program, folder):
    """About one body axis: the mean square angle is (omega t)^2, though orientations repeat themselves"""
    name, omega, interval = os.path.join(folder, "turning.h5md"), 1.7, 0.4
    half = 0.5 * omega * interval * numpy.arange(40)
    q = numpy.stack([numpy.cos(half), 0 * half, numpy.sin(half), 0 * half], axis=-1)
    made.write(name, numpy.zeros((40, 3, 3)), [5.0] * 3, interval=interval, orientation=numpy.repeat(q[:, None], 3, axis=1),
               model=made.dipole_model(inertia="[0.1, 0.2, 0.3]"))
    out = analyze(program, "msd", name)
    check("t^2.00" in (out["values"]["rotational_diffusion_2.point"]["caution"] or ""), out["values"])
    table = out["tables"]["rotation.point"]["columns"]
    want = (omega * table["time"]) ** 2
    check(numpy.abs(table["angle_2"] - want).max() < 1e-9 * want.max() and numpy.abs(table["angle_1"]).max() < 1e-9, table)


def rotational_diffusion_of_walkers_is_exact_within_errors(program, folder):
    """Small turns about the three body axes, of different size, which do not commute: mean square angles are 2 D t each"""
    rng, name, interval, exact = numpy.random.default_rng(21), os.path.join(folder, "w.h5md"), 0.5, (0.002, 0.006, 0.015)
    frames, n = 600, 100
    turns = rng.normal(size=(frames, n, 3)) * numpy.sqrt(2 * interval * numpy.array(exact))
    size = numpy.linalg.norm(turns, axis=-1, keepdims=True)
    steps = numpy.concatenate([numpy.cos(size / 2), numpy.sin(size / 2) * turns / size], axis=-1)
    q = numpy.tile([1.0, 0, 0, 0], (frames, n, 1))
    for t in range(1, frames):
        (a, b), (c, d) = (q[t - 1, :, :1], q[t - 1, :, 1:]), (steps[t, :, :1], steps[t, :, 1:])
        q[t] = numpy.concatenate([a * c - (b * d).sum(axis=1, keepdims=True), a * d + c * b + numpy.cross(b, d)], axis=1)
    made.write(name, numpy.zeros((frames, n, 3)), [5.0] * 3, interval=interval, orientation=q,
               model=made.dipole_model(inertia="[0.1, 0.2, 0.3]"))
    out = analyze(program, "msd", name, "--lag", 20)
    for k, want in enumerate(exact):
        got, error = value(out, f"rotational_diffusion_{k + 1}.point")
        check(abs(got - want) < 4 * error < 0.4 * want, k, got, error, want)
        check(not out["values"][f"rotational_diffusion_{k + 1}.point"]["caution"], out["values"])
    check(not any("grows as" in note for note in out["notes"]), out["notes"])
    made.write(name, numpy.arange(40.0)[:, None, None] * numpy.ones((1, 3, 3)), [500.0] * 3)  # at constant speed
    out = analyze(program, "msd", name)
    check(any("grows as t^2.00" in note for note in out["notes"]), out["notes"])
    check("t^2.00" in (out["values"]["diffusion.point"]["caution"] or ""), out["values"])


def velocity_correlation_is_that_of_scipy(program, folder):
    name = made.water(program, folder, molecules=27, steps=300, frames_every=3,
                      extra={"interactions.cutoff": 0.45, "interactions.switch.width": 0.05}.items())
    with h5py.File(name) as file:
        body, start = file["rigid_bodies/spc-e"], file["parameters/production_begins_at_step"][()]
        keep = body["velocity/step"][:] >= start
        v, q, m = (body[f"{key}/value"][:][keep] for key in ("velocity", "orientation", "angular_momentum"))
        inertia, sites, charge = body["inertia"][:], body["sites/position_body"][:], body["sites/charge"][:]
        tensor, kinetic = (file[f"series/{key}/value"][:][file[f"series/{key}/step"][:] >= start]
                           for key in ("pressure_tensor", "temperature"))
        volume, boltzmann = numpy.linalg.det(file["particles/trajectory/box/edges/value"][0]), file["parameters/boltzmann"][()]

    def rotate(q, x):
        u = q[..., 1:]
        t = 2 * numpy.cross(u, x)
        return x + q[..., :1] * t + numpy.cross(u, t)

    out = analyze(program, "correlation", name)
    dipole = rotate(q, numpy.broadcast_to(charge @ sites, m.shape))
    u = dipole / numpy.linalg.norm(dipole, axis=-1, keepdims=True)
    uu = (u[..., :, None] * u[..., None, :]).reshape(*u.shape[:2], 9)
    stress = 0.5 * (tensor + numpy.swapaxes(tensor.reshape(-1, 3, 3), 1, 2).reshape(tensor.shape)) if tensor.ndim == 2 else \
        0.5 * (tensor + numpy.swapaxes(tensor, 1, 2))
    stress = stress.reshape(-1, 9) - numpy.trace(stress.reshape(-1, 3, 3), axis1=1, axis2=2)[:, None] * numpy.eye(3).ravel() / 3
    for table, want in (("velocity.spc-e", correlate(v)), ("angular_velocity.spc-e", correlate(rotate(q, m / inertia))),
                        ("dipole_1.spc-e", correlate(u)), ("dipole_2.spc-e", 1.5 * correlate(uu) - 0.5),
                        ("stress", correlate(stress[:, None]))):
        got = out["tables"][table]["columns"]
        n = len(got["c"])
        check(n > 20 and numpy.abs(got["c"] - (want / want[0])[:n]).max() < 1e-9, table, got["c"][:5], (want / want[0])[:5])
        factor = {"velocity.spc-e": 1 / 3, "stress": volume / (10 * boltzmann * kinetic.mean())}.get(table)
        if factor:
            steps = 0.5 * (want[1:n] + want[:n - 1]) * (got["time"][1] - got["time"][0])
            integral = factor * numpy.concatenate([[0], numpy.cumsum(steps)])
            check(numpy.abs(got["integral"] - integral).max() < 1e-9 * numpy.abs(integral).max(), table, "integral")


def oscillators_and_noise_have_their_exact_correlations(program, folder):
    """A harmonic oscillator: cos(w t). A process that forgets exponentially: exp(-t/tau) and its viscosity, in errors"""
    rng, name = numpy.random.default_rng(7), os.path.join(folder, "x.h5md")
    phase, time = rng.uniform(0, 2 * numpy.pi, size=(1, 400, 3)), numpy.arange(300)[:, None, None]
    a, rows = numpy.exp(-1 / 5.0), 40000
    noise = rng.normal(size=(rows, 5)) * numpy.where(numpy.arange(rows) > 0, numpy.sqrt(1 - a * a), 1.0)[:, None]
    x = scipy.signal.lfilter([1], [1, -a], noise, axis=0)
    tensor = numpy.zeros((rows, 3, 3))  # five independent parts, each of variance 1: sum of squares is 2 for each
    tensor[:, 0, 0], tensor[:, 1, 1], tensor[:, 2, 2] = x[:, 0] + x[:, 1] / 3**0.5, -x[:, 0] + x[:, 1] / 3**0.5, -2 * x[:, 1] / 3**0.5
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        tensor[:, i, j] = tensor[:, j, i] = x[:, 2 + k]
    made.write(name, numpy.zeros((300, 400, 3)), [4.0] * 3, velocity=numpy.cos(0.3 * time + phase), interval=1.0,
               series={"pressure_tensor": tensor, "temperature": numpy.full(rows, 2.0)})
    out = analyze(program, "correlation", name, "--of", "velocity")
    times = [each["caution"] or "" for key, each in out["values"].items() if key.startswith("velocity_time")]
    check(len(times) == 1 and "has not decayed" in times[0], out["values"])
    table = out["tables"]["velocity.point"]["columns"]
    check(numpy.abs(table["c"] - numpy.cos(0.3 * table["time"])).max() < 0.01, "oscillator")
    out = analyze(program, "correlation", name, "--of", "stress", "--lag", 60, "--fit", "0,40")
    table = out["tables"]["stress"]["columns"]
    pull = (table["c"] - numpy.exp(-table["time"] / 5))[1:40] / table["c_error"][1:40]
    check(numpy.abs(pull).max() < 4.5, "stress", pull)
    exact = 64 / (10 * 2) * 10 * (0.5 + a / (1 - a) - a**41 / (1 - a))
    got, error = value(out, "viscosity")
    check(not any(each["caution"] for each in out["values"].values()), out["values"])
    check(abs(got - exact) < 3.5 * error < 0.2 * exact, "viscosity", got, error, exact)


def wandering(rng, n, step, *shape, times=((1.0, 1.0),)):
    """Processes with <x(0) x(t)> = sum of amplitude exp(-t/time), at equal steps"""
    total = 0.0
    for amplitude, time in times:
        keep = numpy.exp(-step / time)
        noise = numpy.sqrt(amplitude) * rng.normal(size=(n, *shape))
        noise[1:] *= numpy.sqrt(1 - keep**2)
        total = total + scipy.signal.lfilter([1.0], [1.0, -keep], noise, axis=0)
    return total


def write_fluxes(name, rng, n, step, volume, temperature, times):
    """Isotropic: s^2 of momentum off the diagonal, 2 s^2 on it, and a part that turns, which must not count"""
    made.write(name, numpy.ones((2, 4, 3)), [9.0] * 3, series={"temperature": numpy.full(n, temperature)}, interval=step)
    off, on, turn, heat = (wandering(rng, n, step, 3, times=times) for _ in range(4))
    p = numpy.zeros((n, 3, 3))
    for k, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        p[:, a, b], p[:, b, a] = off[:, k] + turn[:, k], off[:, k] - turn[:, k]
        p[:, k, k] = 7.0 + numpy.sqrt(2) * on[:, k]
    with h5py.File(name, "a") as file:
        for key, data in (("momentum_flux", p), ("heat_flux", 3 * heat), ("volume", numpy.full(n, volume))):
            made.element(file.require_group("fluxes"), key, data, numpy.arange(n), step * numpy.arange(n))


def transport_coefficients_of_known_processes_are_exact_within_errors(program, folder):
    """Both forms, and where a slow part is lost in noise: then the error says so"""
    volume, temperature, name = 5.0, 2.0, os.path.join(folder, "fluxes.h5md")
    exact = {"viscosity": volume / temperature, "bulk_viscosity": 2 / 3 * volume / temperature,
             "conductivity": 9 * volume / temperature**2}
    for times in (((1.0, 1.0),), ((0.95, 1.0), (0.05, 8.0))):
        area = sum(amplitude * time for amplitude, time in times)
        pulls, slopes, noise = [], [], []
        for seed in range(8):
            write_fluxes(name, numpy.random.default_rng(seed), 12000, 0.1, volume, temperature, times)
            out = analyze(program, "transport", name, "--lag", 40)
            for key, one in exact.items():
                got, error = value(out, key)
                pulls.append((got - one * area) / error)
                noise.append((got - one * area) / value(out, key + "_statistical_error")[0])
                slope, error = value(out, key + "_einstein")
                slopes.append((slope - one * area) / error)
                if len(times) == 1:
                    check(error < 0.2 * one, key, slope, error)
        size, raw, line = (numpy.sqrt(numpy.mean(numpy.square(x))) for x in (pulls, noise, slopes))
        print("       ", times, "scatter over errors:", size, "over noise alone:", raw, "of slopes:", line)
        check(0.3 < size < 1.2 and numpy.abs(pulls).max() < 3.5, times, pulls)
        check(len(times) > 1 or line < 1.5, times, slopes)
        check(len(times) == 1 or raw > 1.5, "nothing was lost in noise", noise)
    said = analyze(program, "transport", name, "--lag", 1.0, "--of", "viscosity")["values"]["viscosity"]
    check("not decayed" in said["caution"], said)
    said = made.run(program, "analyze", "transport", name, "--lag", 1.0, "--fit", "0.5,1.5", "--of", "viscosity", status=2)
    check("--fit 1.5" in said and "--lag" in said, said)
    said = analyze(program, "transport", name, "--lag", 1.0, "--fit", "0.5,1", "--of", "viscosity")
    check(not said["values"]["viscosity"].get("caution") and said["parameters"]["integrated_to.viscosity"] == 1, said)
    made.run(program, "analyze", "transport", name, "--of", "heat", status=2)


def fluxes_of_a_run_begin_with_its_start(program, folder):
    name = made.water(program, folder, molecules=64, steps=4, extra={"interactions.cutoff": 0.55, "output.fluxes_every": 2}.items())
    with h5py.File(name) as file:
        fluxes, pressure = file["fluxes"], file["series/pressure/value"][:]
        rows = numpy.searchsorted(file["series/pressure/step"][:], fluxes["momentum_flux/step"][:])
        p = fluxes["momentum_flux/value"][:].reshape(len(rows), 9)
        check(len(rows) > 2 and rows[0] == 0 and numpy.allclose(p[:, [0, 4, 8]].mean(axis=1), pressure[rows], rtol=1e-9), p[:2], pressure[:2])
        check(fluxes["volume/value"][0] == fluxes["volume/value"][-1] > 0, fluxes["volume/value"][:2])


def free_rotors_have_their_exact_correlations(program, folder):
    """Linear rotors that turn freely at temperature 1: C1(t) = 1 - 2 x D(x), x = t sqrt(kT/2I), D Dawson's integral"""
    rng, name, inertia = numpy.random.default_rng(9), os.path.join(folder, "rotors.h5md"), 0.5
    n, interval = 1500, 0.1
    u = made.random_directions(rng, n)
    w = numpy.cross(u, made.random_directions(rng, n))
    w *= (rng.rayleigh(scale=numpy.sqrt(1 / inertia), size=n) / numpy.linalg.norm(w, axis=-1))[:, None]
    speed = numpy.linalg.norm(w, axis=-1)[None, :, None]
    angle = speed * interval * numpy.arange(80)[:, None, None]
    now = u * numpy.cos(angle) + numpy.cross(w, u) / speed * numpy.sin(angle)
    made.write(name, numpy.zeros((80, n, 3)), [4.0] * 3, interval=interval, orientation=made.attitudes(now),
               model=made.dipole_model(2.0, f"[{inertia}, {inertia}, 0]"))
    out = analyze(program, "correlation", name, "--of", "dipole")
    c1, c2 = (out["tables"][f"dipole_{k}.point"]["columns"] for k in (1, 2))
    x = c1["time"] * numpy.sqrt(1 / (2 * inertia))
    exact = 1 - 2 * x * scipy.special.dawsn(x)
    spread = numpy.sqrt((1 - exact**2) / n) + 1e-9  # rotors are independent, their origins are not
    check((numpy.abs(c1["c"] - exact) < 4 * spread).all(), "C1", c1["c"] - exact)
    check((numpy.abs(c1["c"] - exact)[1:] < 4 * c1["c_error"][1:]).all(), "C1, printed errors", c1["c"] - exact)
    check((c1["c_error"] < 2 * spread).all(), "errors too large", c1["c_error"] / spread)
    exact2 = 0.25 + 0.75 * (1 - 4 * x * scipy.special.dawsn(2 * x))
    check((numpy.abs(c2["c"] - exact2) < 4 * spread).all() and c2["c"].min() > 0.0, "C2", c2["c"] - exact2)


def threads_do_not_matter(program, folder):
    name = made.water(program, folder, molecules=64, steps=100, extra={"interactions.cutoff": 0.55}.items())
    for kind in ("msd", "correlation", "dielectric", "temperature"):
        one, two = (analyze(program, kind, name, threads=n) for n in (1, 3))
        check(str(one["values"]) == str(two["values"]), kind)
        for table in one["tables"]:
            for column, data in one["tables"][table]["columns"].items():
                check(numpy.array_equal(data, two["tables"][table]["columns"][column], equal_nan=True), kind, table, column)
    made.run(program, "analyze", "correlation", name, "-o", os.path.join(folder, "c.h5"))


def missing_parts_are_named(program, folder):
    name = os.path.join(folder, "bare.h5md")
    made.write(name, numpy.random.default_rng(1).uniform(size=(10, 8, 3)), [4.0] * 3)
    out = analyze(program, "msd", name)
    check(any("no orientations" in note for note in out["notes"]), out["notes"])
    for kind, words in (("correlation", ("velocity",)), ("dielectric", ("temperature",))):
        error = made.run(program, "analyze", kind, name, status=2)
        check(all(word in error for word in words), kind, error)
    error = made.run(program, "analyze", "correlation", name, "--of", "angular-velocity", status=2)
    check("orientation" in error and "no orientations of molecules" in error, error)


made.main([msd_is_that_of_mdanalysis, msd_follows_molecules_through_the_box, diffusion_of_walkers_is_exact_within_errors,
           finite_size_correction_is_that_of_yeh_and_hummer, angles_of_steady_rotation_grow_linearly,
           rotational_diffusion_of_walkers_is_exact_within_errors,
           velocity_correlation_is_that_of_scipy, oscillators_and_noise_have_their_exact_correlations,
           transport_coefficients_of_known_processes_are_exact_within_errors, fluxes_of_a_run_begin_with_its_start,
           free_rotors_have_their_exact_correlations, threads_do_not_matter, missing_parts_are_named])
