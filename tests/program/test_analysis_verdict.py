#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verdict on a run, in `polhode info`, in the summary of a run and in Python: test_analysis_verdict.py PROGRAM"""
import json
import os
import sys

import h5py
import numpy

import h5md_made as made
from h5md_made import check

sys.path.insert(0, os.path.join(made.ROOT, "tools/python"))
from polhode import results  # noqa: E402

MOLECULES = 100


def told(program, name):
    """The verdict of info, whose text, JSON and Python say the same; with its checks by name"""
    verdict = json.loads(made.run(program, "info", name, "--json"))["verdict"]
    before = {"well": "", "unclear": "unclear: ", "wrong": "NOT WELL: "}
    text = made.run(program, "info", name)
    every = made.run(program, "info", name, "--checks")
    check(f"\nverdict         {before[verdict['state']]}{verdict['line']}\n" in text, text)
    for one in verdict["checks"]:
        line = f"\n  {one['name']:<14}{before[one['state']]}{one['text']}\n"
        check((line in text) == (one["state"] != "well") and line in every, one, text, every)
    found = results.verdict(program, name)
    check((found.state, found.line) == (verdict["state"], verdict["line"]), found)
    check([vars(one) for one in found.checks] == verdict["checks"], found)
    verdict["checks"] = {one["name"]: one for one in verdict["checks"]}
    return verdict


def states(verdict):
    return {name: one["state"] for name, one in verdict["checks"].items()}


def correlated(rng, rows, mean, deviation, time=1.0):
    """Normal numbers with this correlation time, in rows"""
    x, keep = rng.normal(size=rows), numpy.exp(-1.0 / time)
    for k in range(1, rows):
        x[k] = keep * x[k - 1] + (1 - keep**2) ** 0.5 * x[k]
    return mean + deviation * x


def fluid(seed, rows=4000, temperature=1.2, translation=1.0, third=1.0, time=4.0):
    """Series of a fluid of molecules that turn about three axes, in equilibrium"""
    rng, scatter = numpy.random.default_rng(seed), temperature * (2 / (3 * MOLECULES)) ** 0.5
    centres = translation * correlated(rng, rows, temperature, scatter, time)
    axis = numpy.stack([correlated(rng, rows, temperature * f, 3**0.5 * scatter, time) for f in (1, 1, third)], axis=-1)
    rotation = axis.mean(axis=-1)
    return {"temperature": (centres + rotation) / 2, "temperature_translation": centres,
            "temperature_rotation": rotation, "temperature_axis": axis}


def write(name, series, units="reduced", **parameters):
    made.write(name, numpy.zeros((1, MOLECULES, 3)), [3.0] * 3, series=series, production=None if "stages" in parameters else 0,
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
    check(verdict["state"] == "unclear" and "too short to compare" in verdict["line"], verdict)


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


def pressure_is_judged_where_asked(program, folder):
    name, rng = os.path.join(folder, "x.h5md"), numpy.random.default_rng(3)
    for off, state in ((0.0, "well"), (0.3, "wrong")):
        series = dict(fluid(3), pressure=correlated(rng, 4000, 2.0 + off, 0.5), density=numpy.full(4000, 0.8))
        write(name, series, asked_temperature=1.2, asked_pressure=2.0, ensemble="NPT")
        verdict = told(program, name)
        check(states(verdict)["pressure"] == state == verdict["state"], verdict)
        check(state == "well" or verdict["line"].startswith("pressure: 2.") and "too high" in verdict["line"], verdict)


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


def runs_end_with_a_verdict(program, folder):
    """A run that goes on; what was asked for is put into its file"""
    name = os.path.join(folder, "x.h5md")
    sets = {"dynamics.steps": 200, "dynamics.equilibrate.steps": 20, "system.molecules[0].count": 108, "interactions.cutoff": 2.4}
    made.run(program, "run", os.path.join(made.ROOT, "inputs/quickstart.yaml"), "-q", "-o", name,
             *[word for pair in sets.items() for word in ("--set", "=".join(map(str, pair)))])
    with h5py.File(name, "r+") as file:
        del file["parameters/asked_temperature"]
        file["parameters/asked_temperature"] = 0.3
    summary = made.run(program, "resume", name, "-q", "--steps", 300)
    verdict = told(program, name)
    check(verdict["line"].startswith("temperature: 1.") and f"\nverdict               NOT WELL: {verdict['line']}\n" in summary,
          summary, verdict)
    check(verdict["checks"]["end"]["text"] == "all 520 steps are done", verdict)


made.main([a_temperature_far_off_is_not_well, energy_is_shared_equally_or_not, pressure_is_judged_where_asked,
           files_that_say_little_have_no_verdict, runs_end_with_a_verdict])
