#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Means, slopes and their errors from time series in `polhode analyze`, of series whose statistics are known:
test_analysis_series.py PROGRAM"""
import os
import re

import numpy

import h5md_made as made
from h5md_made import analyze, check, value


def correlated(rng, n, tau, runs=None):
    """A Gaussian process with correlation exp(-t/tau), variance 1: the integrated correlation time is exact"""
    a = numpy.exp(-1 / tau)
    x = rng.normal(size=(runs or 1, n))
    x[:, 1:] *= numpy.sqrt(1 - a * a)
    for k in range(1, n):
        x[:, k] += a * x[:, k - 1]
    return x if runs else x[0]


def errors_are_those_of_many_runs(program, folder):
    """Of 40 runs of the same process the mean scatters as the printed errors say"""
    rng, tau = numpy.random.default_rng(3), 8.0
    pulls, times = [], []
    exact = 0.5 * (1 + numpy.exp(-1 / tau)) / (1 - numpy.exp(-1 / tau))
    for series in correlated(rng, 6000, tau, 40):
        name = os.path.join(folder, "x.h5md")
        made.write(name, numpy.zeros((1, 1, 3)), [1.0] * 3, series={"total_energy": series})
        out = analyze(program, "energy", name, "--stage", "production")
        mean, error = value(out, "total_energy.production")
        pulls.append(mean / error)
        times.append(out["values"]["total_energy.production"]["correlation_time"])
        slope, error = value(out, "drift.production")
        pulls.append(slope / error)
    check(0.8 < numpy.sqrt(numpy.mean(numpy.square(pulls))) < 1.25, "pull", numpy.sqrt(numpy.mean(numpy.square(pulls))))
    check(0.75 * exact < numpy.mean(times) < 1.15 * exact, "correlation time", numpy.mean(times), exact)


def drift_is_found_in_both_stages(program, folder):
    rng, name = numpy.random.default_rng(4), os.path.join(folder, "x.h5md")
    time = numpy.arange(3000) * 0.5
    energy = 7.0 + numpy.where(time < 500, -0.01, 0.002) * (time - 500) + 0.1 * rng.normal(size=3000)
    made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, interval=0.5, production=1000, series={"total_energy": energy})
    out = analyze(program, "energy", name)
    for stage, slope in (("equilibration", -0.01), ("production", 0.002)):
        got, error = value(out, f"drift.{stage}")
        check(abs(got - slope / 5) < 4 * error < 0.02 * abs(slope), stage, got, error)
    late = energy[1000:]
    rms, error = value(out, "rms.production")
    check(abs(rms - late.std() / 5) < 1e-12, "rms", rms, late.std() / 5)
    residual = late - numpy.polyval(numpy.polyfit(time[1000:], late, 1), time[1000:])
    check(abs(out["values"]["rms_about_line.production"]["value"] - residual.std() / 5) < 1e-12, "rms about line")


def what_a_bath_conserves_is_what_counts(program, folder):
    """The total energy moves with a bath, and in the production it drifts: that is no error of the method"""
    rng, name, time = numpy.random.default_rng(14), os.path.join(folder, "x.h5md"), numpy.arange(2000.0)
    series = {"total_energy": 0.01 * time + rng.normal(size=2000), "conserved_energy": 3e-6 * time + 1e-3 * rng.normal(size=2000)}
    for begins, bath, said in ((0, True, "conserved_energy"), (1000, False, "total_energy")):
        if not bath:  # it ends where the production begins
            series["conserved_energy"][begins:] = numpy.nan
        made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, production=begins, series=series,
                   parameters={"ensemble": "NVT" if bath else "NVE"})
        out, told = analyze(program, "energy", name), made.run(program, "info", name)
        want = (3e-6 if bath else 0.01) / 5
        check(abs(value(out, "drift.production")[0] - want) < 4 * value(out, "drift.production")[1] < 0.5 * want, bath, out["values"])
        check(out["parameters"]["conserved.production"] == said and said.replace("_", " ") in told, said, told)
        check(f"drift {value(out, 'drift.production')[0]:.3g} +-" in told, told)
        check(bath or out["parameters"]["conserved.equilibration"] == "conserved_energy", out["parameters"])
    del series["conserved_energy"]
    made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, series=series, parameters={"ensemble": "NVT"})
    check(any("are no errors" in note for note in analyze(program, "energy", name)["notes"]), "a bath without its energy")


def runs_and_analyses_say_the_same(program, folder):
    """Error and drift of the energy as `run`, `resume`, `info` and `analyze energy` tell them of one file"""
    name = os.path.join(folder, "told.h5md")
    first = made.run(program, "run", os.path.join(made.ROOT, "inputs/quickstart.yaml"), "-q", "-o", name,
                     *[w for k, v in {"dynamics.scheme": "verlet", "dynamics.step": 0.004, "dynamics.equilibrate.steps": 50,
                                      "dynamics.steps": 200, "system.molecules[0].count": 108, "interactions.cutoff": 2.4,
                                      "output.series_every": 3}.items() for w in ("--set", f"{k}={v}")])
    more = made.run(program, "resume", name, "--steps", "100", "-q")
    out = analyze(program, "energy", name)
    rms, (drift, error) = value(out, "rms.production")[0], value(out, "drift.production")
    deviation = numpy.array(out["tables"]["production"]["columns"]["deviation"])
    check(abs(rms - deviation.std()) < 1e-9 * rms, "rms about the mean", rms, deviation.std())
    told = re.search(r"its error +(\S+) rms about its mean; from the first row (\S+) at most, (\S+) at the end \((\d+) rows\)\n"
                     r" +its drift +(\S+) \+- (\S+)", more)
    check(told, more)
    check(told[1] == f"{rms:.3e}" and told[5] == f"{drift:+.2e}" and told[6] == f"{error:.1e}", told[0], rms, drift, error)
    check(told[2] == f"{abs(deviation - deviation[0]).max():.3e}" and told[3] == f"{deviation[-1] - deviation[0]:+.3e}", told[0])
    check(int(told[4]) == len(deviation) and f"({len(deviation)} rows)" not in first, told[0], first)
    told = made.run(program, "info", name)
    check(f"rms {rms:.3g}, drift {drift:.3g} +- {error:.1g} per" in told, told, rms, drift, error)


def order_of_schemes_is_found(program, folder):
    schemes = ("verlet", 2, (0.004, 0.006, 0.008)), ("suzuki4", 4, (0.003, 0.004, 0.005))
    for scheme, order, steps in schemes[:1] if made.is_sanitized(program) else schemes:
        names = []
        for step in steps:
            names.append(os.path.join(folder, f"{scheme}-{step}.h5md"))
            made.run(program, "run", os.path.join(made.ROOT, "inputs/quickstart.yaml"), "-q", "-o", names[-1],
                     *[w for k, v in {"dynamics.scheme": scheme, "dynamics.step": step, "dynamics.equilibrate.steps": 0,
                                      "dynamics.steps": round(1.5 / step), "system.molecules[0].count": 108,
                                      "interactions.cutoff": 2.4}.items() for w in ("--set", f"{k}={v}")])
        got, error = value(analyze(program, "energy", *names), "order")
        check(abs(got - order) < 0.2 and error < 0.5, scheme, "order", got, error)
    # two steps: a caution instead of an error, also where one of them was run twice
    for few, cautious in ((names[:2], True), ((*names[:2], names[0], names[1]), True), (names, False)):
        out = analyze(program, "energy", *few)
        got, error = value(out, "order")
        check(abs(got - order) < 0.3 and (error is None) == cautious, few, got, error)
        check(any("from two points" in note for note in out["notes"]) == cautious, few, out["notes"])


def temperatures_of_axes_are_compared(program, folder):
    rng, name = numpy.random.default_rng(5), os.path.join(folder, "t.h5md")
    common = correlated(rng, 4000, 5.0)
    series = {"temperature": 1.3 + 0.01 * common, "temperature_translation": 1.3 + 0.02 * common,
              "temperature_rotation": 1.3 - 0.02 * common}
    axes = numpy.stack([1.3 + 0.02 * correlated(rng, 4000, 5.0), 1.32 + 0.02 * correlated(rng, 4000, 5.0),
                        numpy.full(4000, numpy.nan)], axis=-1)
    made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, series={**series, "temperature_axis": axes})
    out = analyze(program, "temperature", name)
    got, error = value(out, "axis_1-axis_2")
    check(abs(got - (axes[:, 0] - axes[:, 1]).mean()) < 1e-12 and 3e-4 < error < 3e-3, got, error)
    check("axis_3" not in out["values"] and any("not shared equally" in note for note in out["notes"]), out["notes"])
    axes[:, 1] -= 0.02
    axes[:, 2] = 1.5
    made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, series={**series, "temperature_axis": axes})
    out = analyze(program, "temperature", name)
    check(value(out, "largest_difference")[0] < 4 and any("axis_3 does not change" in n for n in out["notes"]), out["notes"])


def configurational_temperatures_are_ratios_of_means(program, folder):
    """In md units too; of 30 runs ratio and difference scatter as the errors say; a difference that is there is noted"""
    rng, name, boltzmann = numpy.random.default_rng(8), os.path.join(folder, "c.h5md"), 0.00831446261815324
    pulls, differences, errors = [], [], []
    few = made.is_sanitized(program)
    for squares, laplacians, kinetic in zip(*(correlated(rng, 3000, 4.0, 1 if few else 30) for _ in range(3))):
        series = {"squared_torque": 1.3 * 50 * (1 + 0.1 * squares + 0.2 * laplacians),
                  "laplacian_rotation": 50 * (1 + 0.2 * laplacians),
                  "temperature": numpy.full(3000, 1.3), "temperature_rotation": 1.3 + 0.13 * squares + 0.01 * kinetic}
        made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, series=series)
        out = analyze(program, "temperature", name)
        got, error = value(out, "configurational_rotation")
        want = series["squared_torque"].mean() / series["laplacian_rotation"].mean()
        check(abs(got - want) < 1e-12 and "configurational_translation" not in out["values"], got, want)
        pulls.append((got - 1.3) / error)
        got, less = value(out, "configurational-rotation")
        check(abs(got - want + series["temperature_rotation"].mean()) < 1e-12, got)
        differences.append(got / less)
        errors.append((error, less))
        check(not any("momenta" in note for note in out["notes"]) or abs(got) > 4 * less, out["notes"])
    for what, pull in (("ratio", pulls), ("difference", differences)):
        check(few or 0.7 < numpy.sqrt(numpy.mean(numpy.square(pull))) < 1.4, what, pull)
    error, less = numpy.mean(errors, axis=0)
    check(few or 5 < error / less < 20, "what squares and temperature have in common goes out", error, less)
    series["laplacian_rotation"] *= 1.02 / boltzmann
    made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, series=series)
    with made.h5py.File(name, "r+") as file:
        del file["parameters/units"]
        file["parameters/units"] = "md"
    out = analyze(program, "temperature", name)
    got, error = value(out, "configurational_rotation")
    check(abs(got - want / 1.02) < 1e-9 and any("orientations differs from that of the momenta" in note
                                                for note in out["notes"]), got, out["notes"])


def pressure_and_its_tensor_are_averaged(program, folder):
    rng, name = numpy.random.default_rng(6), os.path.join(folder, "p.h5md")
    tensor = numpy.eye(3) * 0.7 + 0.1 * rng.normal(size=(2000, 3, 3))
    made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3,
               series={"pressure_tensor": tensor, "pressure": numpy.trace(tensor, axis1=1, axis2=2) / 3})
    out = analyze(program, "pressure", name)
    for key, want in (("pressure", 0.7), ("pressure_yy", 0.7), ("pressure_xz", 0.0)):
        got, error = value(out, key)
        check(abs(got - want) < 4 * error < 0.02, key, got, error)
    check(abs(value(out, "pressure_xz")[0] - 0.5 * (tensor[:, 0, 2] + tensor[:, 2, 0]).mean()) < 1e-12, "xz")
    check(value(out, "largest_anisotropy")[0] < 4, "isotropic")


def ideal_dipoles_have_their_dielectric_constant(program, folder):
    """Independent dipoles: 1 + 3y with a conductor around; the other boundaries from the same fluctuations"""
    rng, name = numpy.random.default_rng(8), os.path.join(folder, "d.h5md")
    n, moment, side, temperature = 50, 0.8, 5.0, 1.2
    u = made.random_directions(rng, 3000, n)
    y = 4 * numpy.pi * n * moment**2 / (9 * side**3 * temperature)
    for boundary, epsilon in ((numpy.inf, None), (3.0, None), (1.0, None)):
        made.write(name, rng.uniform(0, side, size=(3000, n, 3)), [side] * 3, orientation=made.attitudes(u),
                   model=made.dipole_model(moment), series={"dipole": moment * u.sum(axis=1),
                                                            "temperature": numpy.full(3000, temperature)},
                   parameters={"electrostatics": "reaction-field", "electrostatics_boundary_permittivity": boundary})
        out = analyze(program, "dielectric", name)
        got, error = value(out, "epsilon")
        e, big = boundary, numpy.isinf(boundary)
        exact = 1 + 3 * y if big else (2 * e + 1 + 2 * e * 3 * y) / (2 * e + 1 - 3 * y)
        check(abs(got - exact) < 3.5 * error < 0.1 * exact, boundary, got, error, exact)
        check(abs(value(out, "y")[0] - y) < 1e-12, "y")
        check(abs(value(out, "kirkwood_factor")[0] - 1) < 3.5 * value(out, "kirkwood_factor")[1], "Kirkwood")
        spread = (moment * u.sum(axis=1)).var(axis=0).sum()
        strength = 4 * numpy.pi * spread / (3 * side**3 * temperature)
        same = 1 + strength if big else (2 * e + 1 + 2 * e * strength) / (2 * e + 1 - strength)
        check(abs(got - same) < 1e-9, "formula", got, same)
        table = out["tables"]["convergence"]["columns"]
        check(abs(table["epsilon"][-1] - got) < 1e-12 and table["time"][-1] == 2999, "convergence")
        check(out["values"]["epsilon"]["caution"] is None and out["values"]["kirkwood_factor"]["caution"] is None, out["values"])
    # the same from frames, without a series; and a plain cutoff is vacuum, which is said
    made.write(name, numpy.zeros((3000, n, 3)), [side] * 3, orientation=made.attitudes(u), model=made.dipole_model(moment),
               parameters={"electrostatics": "cutoff"})
    plain = analyze(program, "dielectric", name, "--temperature", temperature)
    check(abs(value(plain, "epsilon")[0] - got) < 1e-9 and any("plain cutoff" in note for note in plain["notes"]), plain)
    told = plain["values"]["epsilon"]["caution"]
    check("dipoles ended at a plain cutoff" in told and "independent" not in told, told)


def unreliable_permittivities_are_marked(program, folder):
    """The same 200 rows of a total dipole that turns at once are enough; if it hardly moves they are not. The reason is in
    text, JSON and files."""
    rng, name, file = numpy.random.default_rng(4), os.path.join(folder, "d.h5md"), os.path.join(folder, "d.h5")
    slow = numpy.cumsum(rng.normal(size=(200, 3)), axis=0) / 10 + 1
    for dipole, few in ((rng.normal(size=(200, 3)), False), (slow, True)):
        made.write(name, numpy.zeros((1, 5, 3)), [4.0] * 3, model=made.dipole_model(),
                   series={"dipole": dipole, "temperature": numpy.ones(200)}, parameters={"electrostatics": "mesh"})
        told = analyze(program, "dielectric", name)["values"]["epsilon"]["caution"]
        check(("independent values of the total dipole" in told) if few else told is None, few, told)
        text = made.run(program, "analyze", "dielectric", name, "-o", file, "--overwrite")
        check(("epsilon CANNOT BE DEFENDED: the run is too short" in text) == few, few, text)
        with made.h5py.File(file) as found:
            check(("caution" in found["values/epsilon"].attrs) == few, few)
            check("caution" not in found["values/dipole_fluctuation"].attrs, "of what is measured itself")


def reaction_fields_count_as_far_as_they_are_felt(program, folder):
    """Dipoles: as the permittivity says, but a conductor where the field vanishes smoothly. Charges, truncated site by
    site: a conductor."""
    rng, name = numpy.random.default_rng(9), os.path.join(folder, "d.h5md")
    n, side, rc, width = 20, 4.0, 1.9, 0.6
    u = made.random_directions(rng, 200, n)
    series = {"dipole": u.sum(axis=1), "temperature": numpy.ones(200)}
    third = 4 * numpy.pi * u.sum(axis=1).var(axis=0).sum() / (9 * side**3)
    about = {"electrostatics": "reaction-field", "electrostatics_boundary_permittivity": 5.0, "cutoff": rc}
    charges = made.POINT.replace("  - {name: A, mass: 1}", "  - {name: A, mass: 1, position: [0, 0, 0.5], charge: 1}\n"
                                 "  - {name: B, mass: 1, position: [0, 0, -0.5], charge: -1}")
    for field, model, more in ((8 / 11, made.dipole_model(), {"truncation": "shifted"}),
                               (1.0, made.dipole_model(), {"truncation": "switched", "switch_width": width,
                                                           "switch_smoothness": "2"}),
                               (1.0, charges, {"truncation": "cut"})):
        made.write(name, numpy.zeros((1, n, 3)), [side] * 3, model=model, series=series, parameters={**about, **more})
        got, _ = value(analyze(program, "dielectric", name), "epsilon")
        ratio = third / (1 + field * third)
        check(abs(got - (1 + 2 * ratio) / (1 - ratio)) < 1e-9, more, got, (1 + 2 * ratio) / (1 - ratio))


made.main([unreliable_permittivities_are_marked, reaction_fields_count_as_far_as_they_are_felt, temperatures_of_axes_are_compared,
           configurational_temperatures_are_ratios_of_means, pressure_and_its_tensor_are_averaged,
           ideal_dipoles_have_their_dielectric_constant, drift_is_found_in_both_stages, order_of_schemes_is_found,
           what_a_bath_conserves_is_what_counts, runs_and_analyses_say_the_same],
          statistics=[errors_are_those_of_many_runs])
