#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Heat capacities, compressibility and expansion from fluctuations, of series whose distributions are exact:
test_analysis_fluctuations.py PROGRAM"""
import os

import numpy
from scipy.signal import lfilter

import h5md_made as made
from h5md_made import analyze, check, value

MOLECULES, T, P = 20, 1.3, 0.7
BOLTZMANN, BAR = 0.00831446261815324, 16.6053906717384685


def gamma(rng, rows, shape, tau):
    """Numbers of the gamma distribution of this shape (a multiple of 1/2), correlated as exp(-2t/tau): halves of squares
    of Gaussian processes"""
    a = numpy.exp(-1 / tau)
    noise = rng.normal(size=(round(2 * shape), rows)) * numpy.sqrt(1 - a * a)
    noise[:, 0] /= numpy.sqrt(1 - a * a)
    return 0.5 * numpy.square(lfilter([1], [1, -a], noise, axis=1)).sum(axis=0)


def ideal_gas(rng, rows, tau=4.0, n=MOLECULES, kT=T, pressure=P):
    """NPT: the weight of a volume is V^n exp(-PV/kT); 3n - 3 degrees of freedom of the centres, 2n of rotation"""
    volume = kT / pressure * gamma(rng, rows, n + 1, tau)
    kinetic = kT * gamma(rng, rows, (5 * n - 3) / 2, tau)
    return {"volume": volume, "density": n / volume, "total_energy": kinetic, "enthalpy": kinetic + pressure * volume,
            "temperature": 2 * kinetic / (5 * n - 3), "pressure": numpy.full(rows, pressure)}


def write(name, series, ensemble, n=MOLECULES, temperature=T, **more):
    asked = {"ensemble": ensemble} if ensemble else {}
    asked.update({"asked_temperature": temperature} if temperature else {})
    made.write(name, numpy.zeros((1, n, 3)), [1.0] * 3, series=series, parameters={**asked, **more})


EXACT = {"compressibility": 1 / P, "thermal_expansion": 1 / T,
         "heat_capacity_P": ((5 * MOLECULES - 3) / 2 + MOLECULES + 1) / MOLECULES,
         "heat_capacity_V": (5 * MOLECULES - 3) / 2 / MOLECULES}


def an_ideal_gas_at_constant_pressure_is_known_exactly(program, folder):
    name = os.path.join(folder, "x.h5md")
    write(name, ideal_gas(numpy.random.default_rng(1), 40000), "NPT", asked_pressure=P)
    out = analyze(program, "fluctuations", name)
    for key, want in EXACT.items():
        got, error = value(out, key)
        check(abs(got - want) < 3.5 * error < 0.12 * want, key, got, error, want)
    got, error = value(out, "volume")
    check(abs(got - (MOLECULES + 1) * T / P) < 3.5 * error < 0.02 * got, "volume", got, error)
    got, error = value(out, "enthalpy")
    check(abs(got - T * EXACT["heat_capacity_P"]) < 3.5 * error < 0.02 * got, "enthalpy per molecule", got, error)
    check(out["parameters"]["temperature"] == T and out["parameters"]["ensemble"] == "NPT", out["parameters"])


def errors_are_those_of_many_runs(program, folder):
    """Also of records that are short: the mean of many runs is as exact as their errors say, and they scatter so"""
    rng, name = numpy.random.default_rng(2), os.path.join(folder, "x.h5md")
    for rows, tau in ((3000, 4.0), (1500, 12.0)):
        pulls = {key: [] for key in EXACT}
        for _ in range(40):
            write(name, ideal_gas(rng, rows, tau), "NPT", asked_pressure=P)
            out = analyze(program, "fluctuations", name)
            for key, want in EXACT.items():
                got, error = value(out, key)
                pulls[key].append((got - want) / error)
        for key, pull in pulls.items():
            rms = numpy.sqrt(numpy.mean(numpy.square(pull)))
            check(0.7 < rms < 1.5 and abs(numpy.mean(pull)) < 0.8, rows, tau, key, rms, numpy.mean(pull))


def units_are_those_of_the_laboratory(program, folder):
    """300 K and 50 kJ/mol/nm^3, of an ideal gas"""
    name, kelvin, pressure = os.path.join(folder, "x.h5md"), 300.0, 50.0
    series = ideal_gas(numpy.random.default_rng(3), 20000, kT=BOLTZMANN * kelvin, pressure=pressure)
    series["temperature"] = numpy.full(20000, kelvin)
    write(name, series, "NPT", temperature=kelvin, asked_pressure=pressure)
    import h5py
    with h5py.File(name, "r+") as file:
        del file["parameters/units"]
        file["parameters/units"] = "md"
        file["series/pressure/value"].attrs["unit"] = "kJ mol-1 nm-3"
    out = analyze(program, "fluctuations", name)
    for key, want, unit in (("compressibility", 1 / (pressure * BAR), "bar-1"), ("thermal_expansion", 1 / kelvin, "K-1"),
                            ("heat_capacity_P", 8.31446261815324 * EXACT["heat_capacity_P"], "J mol-1 K-1"),
                            ("heat_capacity_V", 8.31446261815324 * EXACT["heat_capacity_V"], "J mol-1 K-1"),
                            ("heat_capacity_P_in_k", EXACT["heat_capacity_P"], None)):
        got, error = value(out, key)
        check(abs(got - want) < 3.5 * error < 0.15 * want and out["values"][key]["unit"] == unit, key, got, error, want)
    check(abs(value(out, "pressure_in_bar")[0] - pressure * BAR) < 1e-9, "bar")


def harmonic_systems_have_half_a_k_for_each_square(program, folder):
    """NVT: E is gamma distributed. NVE: K/E is beta distributed, and the formula is exact for any number of molecules."""
    rng, name, rows = numpy.random.default_rng(4), os.path.join(folder, "x.h5md"), 40000
    for n, f, g in ((MOLECULES, 57, 80), (2, 5, 8)):
        kinetic, potential = T * gamma(rng, rows, f / 2, 4.0), T * gamma(rng, rows, g / 2, 4.0)
        write(name, {"total_energy": kinetic + potential, "temperature": 2 * kinetic / f}, "NVT", n)
        nvt = analyze(program, "fluctuations", name)
        share = kinetic / (kinetic + potential)
        write(name, {"total_energy": numpy.ones(rows), "kinetic_energy_translation": 0.25 * share,
                     "kinetic_energy_rotation": 0.75 * share, "temperature": share}, "NVE", n, None,
              degrees_of_translation=f - 2, degrees_of_rotation=2)
        nve = analyze(program, "fluctuations", name)
        for out in (nvt, nve):
            got, error = value(out, "heat_capacity_V")
            want = 0.5 * (f + g) / n
            check(abs(got - want) < 3.5 * error < 0.15 * want, out["parameters"]["ensemble"], n, got, error, want)
            check("compressibility" not in out["values"] and "heat_capacity_P" not in out["values"], out["values"].keys())


def what_a_run_cannot_tell_is_said_and_not_given(program, folder):
    rng, name = numpy.random.default_rng(5), os.path.join(folder, "x.h5md")
    gas = ideal_gas(rng, 400, 4.0)
    for ensemble, rows, tau, words, note in (("NPH", 400, 4.0, (), "In NPH"), ("NPT", 200, 80.0, (), "too short"),
                                             ("NPT", 400, 4.0, ("--stage", "all"), "means"),
                                             ("NVE", 400, 4.0, (), "degrees of freedom")):
        series = ideal_gas(rng, rows, tau)
        series["volume"] = series["volume"] if ensemble != "NVE" else numpy.full(rows, 30.0)
        write(name, {**series, "kinetic_energy_translation": series["total_energy"]}, ensemble, asked_pressure=P)
        out = analyze(program, "fluctuations", name, *words)
        check(not any("capacity" in key or "compress" in key or "expansion" in key for key in out["values"]), ensemble)
        check("volume" in out["values"] and any(note in line for line in out["notes"]), ensemble, out["notes"])
    write(name, {key: column for key, column in gas.items() if key != "enthalpy"}, "NPT", asked_pressure=P)
    check("series/enthalpy" in made.run(program, "analyze", "fluctuations", name, status=2), "missing")
    write(name, gas, None, degrees_of_translation=0, degrees_of_rotation=0)
    check(any("is assumed" in line for line in analyze(program, "fluctuations", name)["notes"]), "assumed")


def each_stage_has_its_own_ensemble(program, folder):
    """Four stages of an ideal gas: at constant volume, ramped, at constant pressure, at constant energy with a harmonic
    potential. The production is the last; the first and third have temperatures and degrees of freedom of their own."""
    rng, name, rows, f, g, hot = numpy.random.default_rng(6), os.path.join(folder, "x.h5md"), 20000, 57, 80, 2.0
    kinetic, potential = (T * gamma(rng, rows, x / 2, 4.0) for x in (f, g))
    gas, share = ideal_gas(rng, rows), kinetic / (kinetic + potential)
    warm = hot * gamma(rng, rows, f / 2, 4.0)
    ones = numpy.ones(rows)
    stages = [{"total_energy": warm, "volume": 30 * ones, "temperature": 2 * warm / f},
              {"total_energy": kinetic, "volume": numpy.linspace(30, 40, rows), "temperature": 2 * kinetic / f},
              {key: gas[key] for key in ("total_energy", "volume", "temperature", "enthalpy")},
              {"total_energy": ones, "volume": 40 * ones, "temperature": share}]
    for stage, part in zip(stages, (warm, kinetic, gas["total_energy"], share)):
        stage.setdefault("enthalpy", stage["total_energy"])
        stage.update({"kinetic_energy_translation": 0.25 * part, "kinetic_energy_rotation": 0.75 * part})
    series = {key: numpy.concatenate([stage[key] for stage in stages]) for key in stages[0]}
    about = {"name": [b"warm", b"press", b"npt", b"make"], "about": [b"", b"", b"", b""], "step": [1.0] * 4,
             "first_step": [rows * k for k in range(4)], "ensemble": [b"NVT", b"NVT", b"NPT", b"NVE"],
             "temperature": [hot, T, T, numpy.nan], "pressure": [numpy.nan, numpy.nan, P, numpy.nan],
             "degrees_of_translation": [1, 1, 1, f - 2], "degrees_of_rotation": [1, 1, 1, 2]}
    wrong = {"ensemble": "NPH", "asked_temperature": 7.0, "degrees_of_translation": f - 2, "degrees_of_rotation": 2}

    def write_file(about, production=3 * rows):
        made.write(name, numpy.zeros((1, MOLECULES, 3)), [1.0] * 3, series=series, production=production,
                   parameters={**wrong, **{f"stages/{key}": numpy.array(x) for key, x in about.items()}})

    write_file(about)
    for stage, ensemble, want in (("warm", "NVT", {"heat_capacity_V": f / 2 / MOLECULES}), ("press", "NVT", {}),
                                  ("npt", "NPT", EXACT), ("make", "NVE", {"heat_capacity_V": (f + g) / 2 / MOLECULES})):
        out = analyze(program, "fluctuations", name, "--stage", stage)
        check(out["parameters"]["ensemble"] == ensemble, stage, out["parameters"])
        check(("enthalpy" in out["values"]) == (stage == "npt") and out["parameters"]["stage"] == stage, stage, out)
        told = {key for key in out["values"] if "capacity" in key or "compress" in key or "expansion" in key}
        check(told == set(want), stage, told)
        check(("The volume changes" in " ".join(out["notes"])) == (stage == "press"), stage, out["notes"])
        for key, exact in want.items():
            got, error = value(out, key)
            check(abs(got - exact) < 3.5 * error < 0.15 * exact, stage, key, got, error, exact)
    for stage in ("all", "equilibration"):
        check(any("Only means" in line for line in analyze(program, "fluctuations", name, "--stage", stage)["notes"]), stage)
    check(analyze(program, "fluctuations", name)["parameters"]["ensemble"] == "NPH", "the production")
    write_file(about, -1)  # before the production has begun there are no conditions of it
    out = analyze(program, "fluctuations", name)
    check("ensemble" not in out["parameters"] and any("has not begun" in line for line in out["notes"]), out)
    check(set(analyze(program, "energy", name)["tables"]) == {"warm", "press", "npt", "make"}, "energies by stage")
    told = made.run(program, "info", name)
    check("production      has not begun" in told and ": asked " not in told, told)
    write_file(about)

    out = analyze(program, "temperature", name, "--stage", "warm")
    check(out["parameters"]["asked_temperature"] == hot and not any("DISAGREES" in line for line in out["notes"]), out["notes"])
    write_file({**about, "temperature": [1.1 * hot, T, T, numpy.nan]})
    out = analyze(program, "temperature", name, "--stage", "warm")
    check(any(line.startswith("Temperature: asked 2.2, obtained 2.0") and "too low" in line for line in out["notes"]),
          out["notes"])
    write_file({key: x for key, x in about.items() if key != "ensemble"})  # as earlier versions wrote
    out = analyze(program, "fluctuations", name, "--stage", "npt")
    check("compressibility" not in out["values"] and "volume" in out["values"], out["values"])
    check("asked_temperature" not in analyze(program, "temperature", name, "--stage", "warm")["parameters"], "not said")


made.main([an_ideal_gas_at_constant_pressure_is_known_exactly, errors_are_those_of_many_runs, units_are_those_of_the_laboratory,
           each_stage_has_its_own_ensemble, harmonic_systems_have_half_a_k_for_each_square, what_a_run_cannot_tell_is_said_and_not_given])
