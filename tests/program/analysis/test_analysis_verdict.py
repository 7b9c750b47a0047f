#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verdict on a run, in `polhode info`, in the summary of a run and in Python: test_analysis_verdict.py PROGRAM"""
import functools
import json
import os
import re
import signal
import subprocess
import sys
import time

import h5py
import numpy

import h5md_made as made
from h5md_made import check

sys.path.insert(0, os.path.join(made.ROOT, "tools/python"))
from polhode import results  # noqa: E402

MOLECULES = 100


def told(program, name):
    """The verdict of info on the file as it is now"""
    return told_once(program, name, os.stat(name).st_mtime_ns)


@functools.lru_cache(maxsize=None)
def told_once(program, name, _written):
    """With its checks by name"""
    verdict = json.loads(made.run(program, "info", name, "--json"))["verdict"]
    kinds = {(one["name"], one["state"]) for one in verdict["checks"]}
    if kinds - compared:  # what was compared once is written in the same way again
        compare(program, name, verdict)
    compared.update(kinds)
    verdict["checks"] = {one["name"]: one for one in verdict["checks"]}
    return verdict


compared = set()


def compare(program, name, verdict):
    """Text, JSON and Python say the same."""
    before = {"well": "", "unclear": "unclear: ", "wrong": "NOT WELL: "}
    text = made.run(program, "info", name)
    every = made.run(program, "info", name, "--checks")
    check(f"\nverdict         {before[verdict['state']]}{verdict['line']}\n" in text, text)
    for one in verdict["checks"]:
        line = f"\n  {one['name']:<14}{before[one['state']]}{one['text']}\n"
        check((line in text) == (one["state"] != "well") and line in every, one, text, every)
    if verdict["state"] not in compared:  # Python takes it from the JSON
        found = results.verdict(program, name)
        check((found.state, found.line) == (verdict["state"], verdict["line"]), found)
        check([vars(one) for one in found.checks] == verdict["checks"], found)
    compared.add(verdict["state"])


def states(verdict):
    return {name: one["state"] for name, one in verdict["checks"].items()}


def correlated(rng, rows, mean, deviation, time=1.0):
    """Normal numbers with this correlation time, in rows. A block of them at once, each begun with the last number before it."""
    keep, x = numpy.exp(-1.0 / time), rng.normal(size=rows)
    x[1:] *= (1 - keep**2) ** 0.5
    k = numpy.arange(64)
    remember = numpy.tril(keep ** numpy.maximum(k[:, None] - k, 0))
    for first in range(0, rows, len(k)):
        n, last = min(len(k), rows - first), x[first - 1] if first else 0.0
        x[first : first + n] = remember[:n, :n] @ x[first : first + n] + keep ** (k[:n] + 1) * last
    return mean + deviation * x


def fluid(seed, rows=4000, temperature=1.2, translation=1.0, third=1.0, time=4.0):
    """Series of a fluid of molecules that turn about three axes, in equilibrium"""
    rng, scatter = numpy.random.default_rng(seed), temperature * (2 / (3 * MOLECULES)) ** 0.5
    centres = translation * correlated(rng, rows, temperature, scatter, time)
    axis = numpy.stack([correlated(rng, rows, temperature * f, 3**0.5 * scatter, time) for f in (1, 1, third)], axis=-1)
    rotation = axis.mean(axis=-1)
    return {"temperature": (centres + rotation) / 2, "temperature_translation": centres,
            "temperature_rotation": rotation, "temperature_axis": axis}


def with_energy(series, error=0.0, drift=0.0, seed=9, time=4.0, settle=0.0):
    """Adds energies: those of a fluid at constant energy, whose error has this deviation in kT sqrt(N), which changes by
    `drift` kT per molecule, and which falls at first by `settle` kT per molecule"""
    rng, rows, scatter = numpy.random.default_rng(seed), len(series["temperature"]), MOLECULES**0.5
    kT = series["temperature"].mean()
    total = kT * (error * scatter * correlated(rng, rows, 0, 1, 2.0) + drift * MOLECULES * numpy.linspace(-0.5, 0.5, rows))
    potential = kT * (scatter * correlated(rng, rows, -800, 1, time) + settle * MOLECULES * numpy.exp(-numpy.arange(rows) * 10 / rows))
    total += potential.mean() + 3 * MOLECULES * kT
    return dict(series, total_energy=total, potential_energy=potential)


def write(name, series, units="reduced", **parameters):
    made.write(name, numpy.random.default_rng(0).uniform(0, 3, (1, MOLECULES, 3)), [3.0] * 3, series=series,
               parameters={"degrees_of_translation": 3 * MOLECULES, "degrees_of_rotation": 3 * MOLECULES, **parameters})
    if units == "md":
        with h5py.File(name, "r+") as file:
            del file["parameters/units"]
            file["parameters/units"] = "md"


def a_temperature_far_off_is_not_well(program, folder):
    """1702 K for a request of 300 K, held or still rising"""
    name = os.path.join(folder, "x.h5md")
    for rise in (numpy.zeros(400), numpy.linspace(-1000, 1000, 400)):
        series = {key: value + (rise[:, None] if value.ndim > 1 else rise) for key, value in fluid(1, 400, 1702.0).items()}
        write(name, series, "md", asked_temperature=300.0, ensemble="NVE")
        verdict = told(program, name)
        check(verdict["state"] == "wrong" and verdict["line"].startswith("temperature: 1"), verdict)
        check(" K, asked 300 K: 4" in verdict["line"] and "% too high" in verdict["line"], verdict)
    write(name, fluid(1, 400, 302.0), "md", asked_temperature=300.0)
    check(told(program, name)["state"] == "well", told(program, name))
    write(name, fluid(1, 12, 302.0), "md", asked_temperature=300.0)
    verdict = told(program, name)
    check(verdict["line"] == "length: 12 rows are too few to judge by; also temperature, equipartition", verdict)
    check("too short to compare" in verdict["checks"]["temperature"]["text"], verdict)


def so_is_one_that_was_begun_with_and_never_held(program, folder):
    name = os.path.join(folder, "x.h5md")
    for begun, words in ((0.85, ", begun with 0.85: 41"), (2.4, "% too low; nothing held it"), (1.25, None)):
        write(name, fluid(11), start_temperature=begun, ensemble="NVE")
        verdict = told(program, name)
        check(verdict["state"] == ("wrong" if words else "well"), verdict)
        check((words or "begun with 1.25") in verdict["checks"]["temperature"]["text"], verdict)
    write(name, fluid(11), start_temperature=0.1, asked_temperature=1.2)
    check(told(program, name)["state"] == "well", "a thermostat was told later what to hold", told(program, name))


def energy_is_shared_equally_or_not(program, folder):
    """Also where no temperature was asked for"""
    name = os.path.join(folder, "x.h5md")
    for asked in ({}, {"asked_temperature": 1.2}):
        write(name, fluid(2), **asked)
        check(set(states(told(program, name)).values()) == {"well"}, told(program, name))
    for change, words in (({"translation": 0.9}, "translation 1.0"), ({"third": 1.12}, "axis 3 1.3")):
        write(name, fluid(2, **change))
        verdict = told(program, name)
        check(verdict["checks"]["equipartition"]["state"] == "wrong" and words in verdict["line"], verdict)
        check("not in equilibrium" in verdict["line"], verdict)
    write(name, fluid(2, 100, time=20.0))
    check(states(told(program, name))["equipartition"] == "unclear", told(program, name))


def an_axis_without_a_torque_has_the_temperature_or_not(program, folder):
    """It keeps what it had, up to sqrt(2/N) = 14 % of chance"""
    name = os.path.join(folder, "x.h5md")
    for kept, state, whole in ((1.25, "well", "well"), (1.5, "unclear", "well"), (2.4, "wrong", "wrong"), (0.0, "wrong", "wrong")):
        series = fluid(2)
        series["temperature_axis"][:, 2] = kept
        write(name, series, asked_temperature=1.2, ensemble="NVE")
        verdict = told(program, name)
        check(states(verdict)["axes"] == state and verdict["state"] == whole, kept, verdict)
        check("axis 3 keeps" in verdict["checks"]["axes"]["text"], verdict)


def positions_have_the_temperature_of_momenta_or_not(program, folder):
    """Four and a half errors of which each is known to 20 % are doubtful, sixteen are wrong, and 2 % are no matter"""
    name, rng = os.path.join(folder, "x.h5md"), numpy.random.default_rng(17)
    for off, error, rows, state in ((0.0, 0.01, 4000, "well"), (0.052, 0.011, 200, "unclear"), (0.048, 0.003, 4000, "wrong"),
                                    (0.02, 0.001, 4000, "well")):
        series = fluid(2, rows)
        noise = rng.normal(size=rows)
        noise = (noise - noise.mean()) / noise.std() * error * rows**0.5
        square = 5e4 * (series["temperature_translation"] + 1.2 * (off + noise))
        write(name, dict(series, squared_force=square, laplacian_translation=numpy.full(rows, 5e4)))
        verdict = told(program, name)
        check(states(verdict)["configuration"] == state and verdict["state"] == state, off, error, verdict)
        check("temperature of positions" in verdict["checks"]["configuration"]["text"], verdict)


def separation_into_phases_is_told(program, folder):
    """Two thirds of the molecules in a fourth of the box; not of a film that was built so, nor of a few molecules"""
    name, rng = os.path.join(folder, "x.h5md"), numpy.random.default_rng(18)
    for n, begin, end, state, whole in ((1000, 1.0, 1.0, "well", "well"), (1000, 1.0, 0.25, "unclear", "unclear"),
                                        (1000, 0.25, 0.25, "unclear", "well"), (40, 1.0, 0.25, None, "well")):
        places = 10 * rng.random((12, n, 3))
        places[0, : 2 * n // 3, 0] *= begin
        places[1:, : 2 * n // 3, 0] *= end
        made.write(name, places, [10.0] * 3, series=fluid(2),
                   parameters={"degrees_of_translation": 3 * MOLECULES, "degrees_of_rotation": 3 * MOLECULES})
        verdict = told(program, name)
        check(states(verdict).get("phases") == state and verdict["state"] == whole, n, begin, end, verdict)


def pressure_is_judged_where_asked(program, folder):
    name, rng = os.path.join(folder, "x.h5md"), numpy.random.default_rng(3)
    for off, state in ((0.0, "well"), (0.3, "wrong")):
        series = dict(fluid(3), pressure=correlated(rng, 4000, 2.0 + off, 0.5), density=numpy.full(4000, 0.8))
        write(name, series, asked_temperature=1.2, asked_pressure=2.0, ensemble="NPT")
        verdict = told(program, name)
        check(states(verdict)["pressure"] == state == verdict["state"], verdict)
        check(state == "well" or verdict["line"].startswith("pressure: 2.") and "too high" in verdict["line"], verdict)


def drift_is_measured_by_the_heat_it_brings(program, folder):
    """1.5 % of the kinetic energy, 3 kT per molecule, over the run, or with a bath over the time in which it acts"""
    name = os.path.join(folder, "x.h5md")
    for drift, state in ((1e-4, "well"), (0.02, "well"), (0.09, "wrong"), (-0.09, "wrong")):
        write(name, with_energy(fluid(5), 0.01, drift), ensemble="NVE")
        verdict = told(program, name)
        check(states(verdict)["drift"] == state == verdict["state"], drift, verdict)
        check(f"temperature by at most {100 * abs(drift) / 3:.1g}"[:-1] in verdict["checks"]["drift"]["text"] or drift == 1e-4, verdict)
        series = with_energy(fluid(5), 1.0, seed=1)
        series["conserved_energy"] = with_energy(fluid(5), 0.01, drift)["total_energy"]
        write(name, series, ensemble="NVT")
        check(states(told(program, name))["drift"] == "well", drift, told(program, name))
    series["conserved_energy"] = with_energy(fluid(5), 0.01, 100.0)["total_energy"]
    write(name, series, ensemble="NVT")
    check(states(told(program, name))["drift"] == "wrong", told(program, name))
    write(name, series, ensemble="NVT", thermostat="langevin-middle")
    check(states(told(program, name))["drift"] == "wrong", told(program, name))
    check("not judged" in told(program, name)["checks"]["energy"]["text"], told(program, name))
    write(name, dict(series, acceptance=numpy.full(4000, 0.9)), ensemble="NVT")  # Metropolis: sampling is exact
    check("drift" not in states(told(program, name)), told(program, name))


def steps_and_cells_that_are_hardly_ever_accepted_are_told(program, folder):
    """Slow sampling is exact; a system that is stuck is not sampled at all"""
    name, rows = os.path.join(folder, "x.h5md"), 400
    for part, state, whole, words in ((0.9, "well", "well", "90 % of the"), (0.3, "unclear", "well", "30 % of the"),
                                      (0.02, "wrong", "wrong", "2 % of the"), (0.0, "wrong", "wrong", "nothing moves")):
        for key, check_name in (("acceptance", "acceptance"), ("cell_acceptance", "cell")):
            series = dict(with_energy(fluid(12, rows), 0.01), **{key: numpy.full(rows, part)})
            write(name, series, ensemble="NVT")
            verdict = told(program, name)
            check(states(verdict)[check_name] == state and verdict["state"] == whole, part, verdict)
            check(words in verdict["checks"][check_name]["text"], verdict)
    write(name, dict(with_energy(fluid(12, 12), 0.01), acceptance=numpy.zeros(12)), ensemble="NVT")
    check(states(told(program, name))["acceptance"] == "unclear", "a dozen rows do not tell", told(program, name))


def an_energy_that_never_changes_is_told(program, folder):
    """But not that of an ideal gas, which is zero"""
    name, rows = os.path.join(folder, "x.h5md"), 400
    for energy, state in ((-800.0, "unclear"), (0.0, "well")):
        series = with_energy(fluid(13, rows), 0.001)
        total = series["total_energy"] - series["potential_energy"].mean() + energy
        write(name, dict(series, potential_energy=numpy.full(rows, energy), total_energy=total), ensemble="NVE")
        verdict = told(program, name)
        check(states(verdict)["energy"] == state == verdict["state"], energy, verdict)
        check(state == "well" or "the same in all 400 rows" in verdict["line"], verdict)


def staged(name, seed, settle=1.0, kept=1.0, scatter=0.2, time=4.0, warm=1.2, ensemble="NVT", rows=2000):
    """Stages warm (NVT), npt at pressure 1, production at the volume of one instant: pressures of npt and production, and how
    much the pressure of a fixed volume scatters. Each molecule has a volume of 1.25: rho kT = 0.96."""
    rng, kT = numpy.random.default_rng(seed), 1.2
    series = fluid(seed, 3 * rows)
    for key, value in series.items():
        series[key][:rows] = value[:rows] * warm / kT
    volume = correlated(rng, 3 * rows, 1.25 * MOLECULES, kT / scatter, time)
    volume[2 * rows:] = volume[2 * rows - 1]
    pressure = correlated(rng, 3 * rows, 0, 0.3, 2.0) + numpy.repeat([5.0, settle, kept], rows)
    series.update(volume=volume, density=MOLECULES / volume, pressure=pressure)
    nan, text = numpy.nan, lambda *words: numpy.array(words, dtype="S32")
    asked = {"NPT": 1.0}
    stages = {"name": text("warm", "npt", "production"), "about": text("NVT", "NPT", ensemble), "ensemble": text("NVT", "NPT", ensemble),
              "first_step": numpy.array([0, rows, 2 * rows]), "step": numpy.full(3, 0.01), "temperature": numpy.full(3, kT),
              "pressure": numpy.array([nan, 1.0, asked.get(ensemble, nan)]), "degrees_of_translation": numpy.full(3, 3 * MOLECULES),
              "degrees_of_rotation": numpy.full(3, 3 * MOLECULES)}
    made.write(name, numpy.zeros((1, MOLECULES, 3)), [3.0] * 3, series=series, production=2 * rows,
               parameters={"degrees_of_translation": 3 * MOLECULES, "degrees_of_rotation": 3 * MOLECULES, "ensemble": ensemble,
                           "asked_temperature": kT, "asked_pressure": asked.get(ensemble, nan),
                           **{f"stages/{key}": value for key, value in stages.items()}})


def a_landing_that_missed_says_how_well_it_could_land(program, folder):
    """By the error of the mean potential energy of the stage before, 1.3 for 1000 rows with g = 8 and deviation 15, over F kT"""
    name, rows = os.path.join(folder, "x.h5md"), 2000
    staged(name, 19, ensemble="NVE", rows=rows)
    with h5py.File(name, "r+") as file:
        made.element(file["series"], "potential_energy", correlated(numpy.random.default_rng(1), 3 * rows, -500, 15, 4.0),
                     numpy.arange(3 * rows), numpy.arange(3.0 * rows))
        del file["parameters/asked_temperature"]
        file["parameters/asked_temperature"] = 1.3
    verdict = told(program, name)
    check(verdict["line"].startswith("temperature: 1.") and "(the stage before can land to about 0.2 %)" in verdict["line"], verdict)


def every_stage_is_judged(program, folder):
    """What the production has from a stage counts; what a later stage replaces is told"""
    name = os.path.join(folder, "x.h5md")
    for change, state, stages, words in (
            ({}, "well", "well", "no stage disagrees"),
            ({"warm": 2.0}, "well", "unclear", "warm: temperature: "),  # a thermostat follows
            ({"settle": 0.2}, "wrong", "wrong", "npt: pressure: 0."),  # the production has its volume
            ({"settle": 0.2, "ensemble": "NPT"}, "well", "unclear", "npt: pressure: 0.")):
        staged(name, 14, **change)
        verdict = told(program, name)
        check(verdict["state"] == state and states(verdict)["stages"] == stages, change, verdict)
        check(words in verdict["checks"]["stages"]["text"], verdict)


def a_production_has_the_pressure_of_the_stage_before(program, folder):
    """Up to the fluctuation of the volume that it keeps, which only a stage that is long enough can tell"""
    name = os.path.join(folder, "x.h5md")
    for change, state, of_it, words in (
            ({"kept": 1.01}, "well", "well", "asked 1 in stage 'npt'"),
            ({"kept": 0.7}, "well", "unclear", "from one instant has pressures that scatter by 0.2"),
            ({"kept": -1.0}, "wrong", "wrong", "the stage did not reach it"),
            ({"kept": 0.378, "time": 5000.0}, "unclear", "unclear", "too short to reach it")):
        staged(name, 15, **change)
        verdict = told(program, name)
        check(verdict["state"] == state and states(verdict)["pressure"] == of_it, change, verdict)
        check(words in verdict["checks"]["pressure"]["text"], verdict)


def errors_of_the_energy_are_bounds_of_means(program, folder):
    """sqrt(2/f) times the error in kT sqrt(N), here with f = 6 degrees of freedom each"""
    name = os.path.join(folder, "x.h5md")
    for error, state, words in ((0.02, "well", "shifts means by at most 1.1"), (0.06, "unclear", "half the step makes it 16 times"),
                                (0.5, "wrong", "the step is too long for the scheme")):
        for bath in (False, True):
            series = with_energy(fluid(6), error)
            if bath:  # what is conserved wanders far: only what it does at once tells the error
                rng = numpy.random.default_rng(1)
                series["conserved_energy"] = series["total_energy"] + 0.1 * error * numpy.cumsum(rng.normal(size=4000))
                series["total_energy"] = with_energy(fluid(6), 3.0)["total_energy"]
            write(name, series, ensemble="NVT" if bath else "NVE", scheme_order=4)
            verdict = told(program, name)
            check(states(verdict)["energy"] == state == verdict["state"], error, bath, verdict)
            check(words in verdict["checks"]["energy"]["text"], verdict)


def runs_are_long_enough_or_not(program, folder):
    name = os.path.join(folder, "x.h5md")
    for time, state in ((4.0, "well"), (2000.0, "unclear")):
        write(name, with_energy(fluid(7), 0.01, time=time))
        verdict = told(program, name)
        check(states(verdict)["length"] == state == verdict["state"], time, verdict)
        check(state == "well" or "too short: 4e+03, correlation time of the potential energy" in verdict["line"], verdict)
    slow = numpy.stack([correlated(numpy.random.default_rng(k), 4000, 0, 1, 2000.0) for k in range(3)], axis=-1)
    write(name, dict(with_energy(fluid(7), 0.01), dipole=slow))
    verdict = told(program, name)
    check(verdict["state"] == "well" and states(verdict)["dipole"] == "unclear", "of the dipole alone", verdict)


def the_dipole_is_enough_for_a_permittivity_or_not(program, folder):
    """`analyze dielectric` says the same: from thirty independent values on"""
    name = os.path.join(folder, "x.h5md")
    for time, state in ((4.0, "well"), (70.0, "unclear")):  # 500 and 29 independent values
        dipole = numpy.stack([correlated(numpy.random.default_rng(k), 4000, 0, 1, time) for k in range(3)], axis=-1)
        write(name, dict(with_energy(fluid(7), 0.01), dipole=dipole))
        caution = made.analyze(program, "dielectric", name)["values"]["epsilon"].get("caution")
        check(states(told(program, name))["dipole"] == state and bool(caution) == (state == "unclear"), time, caution, told(program, name))


def beginnings_that_have_not_settled_are_seen(program, folder):
    """1.5 % of the kinetic energy, 3 kT per molecule, in the mean of the first fifth"""
    name = os.path.join(folder, "x.h5md")
    for settle, state in ((0.0, "well"), (0.02, "well"), (0.4, "wrong")):
        write(name, with_energy(fluid(8), 0.01, settle=settle), ensemble="NVE")
        verdict = told(program, name)
        check(states(verdict)["settling"] == state == verdict["state"], settle, verdict)
        check(state == "well" or "higher" in verdict["line"] and "equilibrate longer" in verdict["line"], verdict)


def what_goes_on_in_one_direction_has_not_settled(program, folder):
    """However few independent numbers there are; but slow fluctuations are no trend"""
    name, rows = os.path.join(folder, "x.h5md"), 400
    for density, state, words in ((numpy.geomspace(0.7, 0.16, rows), "wrong", "density still falls: by 0.48"),
                                  (numpy.geomspace(0.16, 0.7, rows), "wrong", "density still rises: by 0.48"),
                                  (numpy.linspace(0.7, 0.67, rows), "unclear", "too short to compare"),
                                  (0.4 + 0.3 * numpy.cos(numpy.linspace(0, 9, rows)), "unclear", "too short to compare")):
        write(name, dict(fluid(16, rows, time=40.0), density=density), ensemble="NPT")
        verdict = told(program, name)
        check(states(verdict)["settling"] == state and words in verdict["checks"]["settling"]["text"], verdict)
        check((verdict["state"] == "wrong") == (state == "wrong"), verdict)


def open_space_has_no_equilibrium(program, folder):
    """But its energy is conserved or not"""
    name = os.path.join(folder, "x.h5md")
    for error, state in ((0.01, "well"), (0.5, "wrong")):
        series = with_energy(fluid(10, translation=0.5), error)
        made.write(name, numpy.zeros((1, MOLECULES, 3)), series=series, boundary="none",
                   parameters={"degrees_of_translation": 3 * MOLECULES, "degrees_of_rotation": 3 * MOLECULES, "ensemble": "NVE"})
        verdict = told(program, name)
        check(states(verdict) == {"drift": "well", "energy": state} and verdict["state"] == state, verdict)


def files_that_say_little_have_no_verdict(program, folder):
    name = os.path.join(folder, "x.h5md")
    for series in ({}, {"something": numpy.zeros(5)}):
        made.write(name, numpy.zeros((2, 3, 3)), [3.0] * 3, series=series)
        verdict = told(program, name)
        check(verdict["state"] == "unclear" and "no series to judge by" in verdict["line"], verdict)
    check(results.verdict(program, os.path.join(folder, "none.h5md")) is None, "there is no file")
    bad = fluid(4)
    bad["temperature_axis"][7, 1] = numpy.inf
    write(name, bad)
    verdict = told(program, name)
    check(verdict["state"] == "wrong" and "not finite" in verdict["checks"]["numbers"]["text"], verdict)


def small(name, **sets):
    """Words that run a small fluid"""
    sets = {"system.molecules[0].count": 108, "interactions.cutoff": 2.4, **{key.replace("__", "."): value for key, value in sets.items()}}
    return ["run", os.path.join(made.ROOT, "inputs/quickstart.yaml"), "-q", "-o", name,
            *[word for pair in sets.items() for word in ("--set", "=".join(map(str, pair)))]]


def runs_end_with_a_verdict(program, folder):
    """A run that goes on; what was asked for is put into its file"""
    name = os.path.join(folder, "x.h5md")
    made.run(program, *small(name, dynamics__steps=200, dynamics__equilibrate__steps=20))
    with h5py.File(name, "r+") as file:
        del file["parameters/asked_temperature"]
        file["parameters/asked_temperature"] = 0.3
    summary = made.run(program, "resume", name, "-q", "--steps", 300)
    verdict = told(program, name)
    check(verdict["line"].startswith("temperature: 1.") and f"\nverdict               NOT WELL: {verdict['line']}\n" in summary,
          summary, verdict)
    check(verdict["checks"]["end"]["text"] == "all 520 steps are done", verdict)


def runs_that_fail_or_are_interrupted_say_so(program, folder):
    name = os.path.join(folder, "x.h5md")
    made.run(program, *small(name, dynamics__scheme="verlet", dynamics__step=0.05), status=3)
    verdict = told(program, name)
    check(verdict["state"] == "wrong" and "end: the numbers failed at step " in verdict["line"], verdict)
    check(re.search(r" of \d+; ", verdict["line"]), verdict)
    for kind in ("energy", "rdf"):
        check("failed at step" in " ".join(made.analyze(program, kind, name)["notes"]), "analyses say it, too", kind)
    made.run(program, "resume", name, "-q", "--until", 1)  # from the checkpoint of the first step
    check(states(told(program, name))["end"] == "well", "what failed is forgotten", told(program, name))

    name = os.path.join(folder, "y.h5md")
    with subprocess.Popen([program, *small(name, dynamics__steps=10**9)], stdout=subprocess.PIPE, text=True) as running:
        while not os.path.exists(name + ".checkpoint") and running.poll() is None:
            time.sleep(0.01)
        try:
            for _ in range(20):  # whatever the run is writing at this moment
                verdict = results.verdict(program, name)
                end = {one.name: one for one in verdict.checks}["end"] if verdict else None
                check(end and end.state == "well" and "the run is in progress: last checkpoint at step " in end.text, verdict)
                check("end:" not in verdict.line, verdict)
        finally:
            running.send_signal(signal.SIGINT)
            summary = running.communicate()[0]
    verdict = told(program, name)
    check(running.returncode == 130 and verdict["line"].startswith("end: interrupted at step "), verdict)
    check("\nverdict" not in summary or f"\nverdict               unclear: {verdict['line']}\n" in summary, summary, verdict)


made.main([a_temperature_far_off_is_not_well, so_is_one_that_was_begun_with_and_never_held, energy_is_shared_equally_or_not,
           an_axis_without_a_torque_has_the_temperature_or_not, positions_have_the_temperature_of_momenta_or_not, separation_into_phases_is_told, pressure_is_judged_where_asked,
           drift_is_measured_by_the_heat_it_brings, steps_and_cells_that_are_hardly_ever_accepted_are_told,
           an_energy_that_never_changes_is_told, a_landing_that_missed_says_how_well_it_could_land, every_stage_is_judged, a_production_has_the_pressure_of_the_stage_before,
           errors_of_the_energy_are_bounds_of_means, runs_are_long_enough_or_not, the_dipole_is_enough_for_a_permittivity_or_not,
           beginnings_that_have_not_settled_are_seen, what_goes_on_in_one_direction_has_not_settled,
           open_space_has_no_equilibrium, files_that_say_little_have_no_verdict,
           runs_end_with_a_verdict, runs_that_fail_or_are_interrupted_say_so])
