#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was asked for against what was obtained, in `polhode info` and in the summary of a run:
test_analysis_asked.py PROGRAM"""
import json
import os
import re

import h5py
import numpy

import h5md_made as made
from h5md_made import check

BAR = 16.6053906717384685


def told(program, name):
    """What info says, by quantity, and its lines for people"""
    items = json.loads(made.run(program, "info", name, "--json")).get("asked_and_obtained", [])
    lines = [line[16:] for line in made.run(program, "info", name).split("\n") if ": asked " in line]
    check(lines == [item["text"] for item in items if item["shown"]], lines, items)
    return {item["quantity"]: item for item in items}, lines


def write(name, series, units="reduced", **parameters):
    made.write(name, numpy.zeros((1, 9, 3)), [3.0] * 3, series=series, parameters=parameters)
    if units == "md":
        with h5py.File(name, "r+") as file:
            del file["parameters/units"]
            file["parameters/units"] = "md"


def noise(rng, rows, mean, deviation):
    """With exactly this mean and deviation"""
    x = rng.normal(size=rows)
    return mean + deviation * (x - x.mean()) / x.std()


def differences_that_matter_are_found(program, folder):
    """Four errors and 1.5 %: both must be exceeded"""
    rng, name = numpy.random.default_rng(1), os.path.join(folder, "x.h5md")
    for mean, deviation, rows, verdict, words in (
            (1.16, 0.06, 2000, "agrees", "temperature: asked 1.15, obtained 1.1600(13)"),  # 7 errors, but 0.9 %
            (1.19, 0.4, 400, "agrees", "temperature: asked 1.15, obtained 1.19(2)"),  # 3.5 %, but 2 errors
            (1.21, 0.06, 2000, "disagrees", "temperature: asked 1.15, obtained 1.2100(13): DISAGREES, 5.2 % too high"),
            (1.12, 0.06, 2000, "disagrees", "temperature: asked 1.15, obtained 1.1200(13): DISAGREES, 2.6 % too low"),
            (1.19, 0.06, 8, "too-short", None), (1.19, 1.5, 400, "too-short", None)):
        write(name, {"temperature": noise(rng, rows, mean, deviation)}, asked_temperature=1.15)
        found, lines = told(program, name)
        got = found["temperature"]
        check(got["verdict"] == verdict and len(lines) == 1, mean, deviation, rows, got, lines)
        check(got["asked"] == 1.15 and abs(got["obtained"] - mean) < 1e-12, got)
        check(0.8 < got["error"] * rows**0.5 / deviation < 1.6 and ("too short" in lines[0]) == (verdict == "too-short"), got)
        check(words is None or re.sub(r"\d*\(\d+\)", "", words) == re.sub(r"\d*\(\d+\)", "", lines[0]), lines, words)


def only_the_production_counts(program, folder):
    name, rng = os.path.join(folder, "x.h5md"), numpy.random.default_rng(2)
    series = numpy.concatenate([noise(rng, 1000, 2.0, 0.05), noise(rng, 1000, 1.15, 0.05)])
    made.write(name, numpy.zeros((1, 9, 3)), [3.0] * 3, production=1000, series={"temperature": series},
               parameters={"asked_temperature": 1.15})
    check(told(program, name)[0]["temperature"]["verdict"] == "agrees", told(program, name))
    for parameters in ({}, {"asked_temperature": numpy.nan}):
        write(name, {"temperature": series}, **parameters)
        check(told(program, name) == ({}, []), parameters)


def parts_are_told_where_the_whole_hides_them(program, folder):
    name, rng, rows = os.path.join(folder, "x.h5md"), numpy.random.default_rng(3), 2000
    cold, hot, right = (noise(rng, rows, mean, 0.03) for mean in (1.1, 1.3, 1.2))
    still = numpy.full(rows, 0.7)  # nothing turns the molecules about this axis
    write(name, {"temperature": right, "temperature_translation": cold, "temperature_rotation": hot,
                 "temperature_axis": numpy.stack([hot, hot, still], axis=-1)}, asked_temperature=1.2)
    found, lines = told(program, name)
    check([found[key]["verdict"] for key in ("temperature", "temperature of translation", "temperature of rotation",
                                             "temperature about axis 1")] == ["agrees"] + 3 * ["disagrees"], found)
    check("temperature about axis 3" not in found and len(lines) == 3, lines)
    write(name, {"temperature": hot, "temperature_translation": hot, "temperature_rotation": hot}, asked_temperature=1.2)
    check(len(told(program, name)[1]) == 1, "the whole says it all")


def pressures_are_measured_by_that_of_an_ideal_gas(program, folder):
    """Water at 1 bar: an ideal gas of its density would have 1370 bar"""
    name, rng, rows = os.path.join(folder, "x.h5md"), numpy.random.default_rng(4), 4000
    for off, verdict in ((15.0, "agrees"), (40.0, "disagrees"), (-40.0, "disagrees")):
        series = {"temperature": noise(rng, rows, 298.0, 5.0), "density": noise(rng, rows, 33.3, 0.3),
                  "pressure": noise(rng, rows, (1.0 + off) / BAR, 100 / BAR)}
        write(name, series, "md", asked_temperature=298.0, asked_pressure=1.0 / BAR)
        found, lines = told(program, name)
        got = found["pressure"]
        check(got["verdict"] == verdict and got["unit"] == "bar" and abs(got["asked"] - 1) < 1e-9, off, got)
        check(abs(got["obtained"] - 1 - off) < 1e-6 and len(lines) == 2, got, lines)
        check(lines[0].startswith("temperature: asked 298 K, obtained 298.00(") and lines[0].endswith(") K"), lines)
        check(verdict == "agrees" or f": DISAGREES, 40 bar too {'high' if off > 0 else 'low'}" in lines[1], lines)


def the_summary_says_the_same(program, folder):
    """A run that goes on; what was asked for is put into its file"""
    name = os.path.join(folder, "x.h5md")
    sets = {"dynamics.steps": 200, "dynamics.equilibrate.steps": 20, "system.molecules[0].count": 108, "interactions.cutoff": 2.4}
    made.run(program, "run", os.path.join(made.ROOT, "inputs/quickstart.yaml"), "-q", "-o", name,
             *[word for pair in sets.items() for word in ("--set", "=".join(map(str, pair)))])
    with h5py.File(name, "r+") as file:
        if "asked_temperature" in file["parameters"]:
            del file["parameters/asked_temperature"]
        file["parameters/asked_temperature"] = 3.0
    summary = made.run(program, "resume", name, "-q", "--steps", 300)
    found, lines = told(program, name)
    check(found["temperature"]["verdict"] == "disagrees", found)
    check(re.findall(r"\n(?:asked and obtained)? +(temperature.*: asked.*)", summary) == lines and len(lines) >= 1, summary, lines)


made.main([differences_that_matter_are_found, only_the_production_counts, parts_are_told_where_the_whole_hides_them,
           pressures_are_measured_by_that_of_an_ideal_gas, the_summary_says_the_same])
