#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Averages without the error of the step, against exact ones: test_analysis_averages.py PROGRAM"""
import os

import h5py
import numpy

import h5md_made as made
from h5md_made import analyze, check, value

SPRINGS = """units: reduced
system:
  box: {kind: open}
  molecules: [{model: lennard-jones, count: 64}]
  start: {kind: simple-cubic, spacing: 20, temperature: 1}
interactions: {cutoff: 2.5, switch: {width: 1}, external: {tether: 1}}
dynamics:
  {scheme: verlet, step: 0.4, steps: 6000, thermostat: {kind: langevin, temperature: 1, friction: 0.5}}
output: {series_every: 1, shadow_energy: true, frames_every: 0}
"""
ROTORS = """units: reduced
system:
  box: {kind: open}
  molecules: [{model: body.yaml, count: 64}]
  start: {kind: simple-cubic, spacing: 1000, temperature: 1}
interactions: {truncation: cut, cutoff: 2.5, external: {electric_field: [0, 0, 3]}, electrostatics: {method: cutoff}}
dynamics:
  {scheme: sbab2, step: 0.5, steps: 6000, thermostat: {kind: langevin, temperature: 1, friction: 2}}
output: {series_every: 1, shadow_energy: true, frames_every: 0}
"""
BODY = """name: body
description: a dipole on a body of three different moments of inertia
source: none
units: reduced
mass: 1
inertia: [0.5, 0.8, 1.1]
sites:
  - {name: A, dipole: [0, 0, 1]}
"""


def run(program, folder, text, *words):
    path, out = os.path.join(folder, "input.yaml"), os.path.join(folder, "out.h5md")
    for name, lines in ((path, text), (os.path.join(folder, "body.yaml"), BODY)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(lines)
    sets = [word for one in words for word in ("--set", one)]
    made.run(program, "run", path, "-q", "--overwrite", "--threads", "1", "-o", out, *sets)
    return out


def springs_lose_a_known_bias(program, folder):
    """verlet has 3/2 kT over 1 - w, w = h^2/4; what is left is of order 4, (1 - 2w)/(1 - w)^2"""
    for h in (0.8, 0.4):
        w = h * h / 4
        name = run(program, folder, SPRINGS, f"dynamics.step={h}")
        out = analyze(program, "averages", name, "--frames", "100:")
        plain, plain_error = value(out, "potential_energy_as_run")
        got, error = value(out, "potential_energy")
        want, biased = 1.5 * (1 - 2 * w) / (1 - w) ** 2, 1.5 / (1 - w)
        check(abs(plain - biased) < 4 * plain_error < 0.3 * (biased - 1.5) + 0.02, h, plain, plain_error)
        check(abs(got - want) < 4 * error < 0.05, h, got, error, want)
        check(abs(value(out, "potential_energy_correction")[0] - (got - plain)) < 1e-9, h, got, plain)
        check(abs(value(out, "temperature_translation")[0] - 1) < 0.02, h, out["values"])
        check(any("weak thermostat" in note for note in out["notes"]), out["notes"])


def weights_of_the_shadow_energy_leave_no_bias(program, folder):
    """sbab2 has D = h^2 q^2/72, so the rows have springs of 1 + h^2/36; the weights bring them back. H alone rejects more."""
    h, metropolis = 1.5, "dynamics.thermostat.kind=metropolis"
    common = ("dynamics.scheme=sbab2", f"dynamics.step={h}", metropolis)
    name = run(program, folder, SPRINGS, *common, "dynamics.thermostat.shadow=true")
    out = analyze(program, "averages", name, "--frames", "100:")
    want, biased = 1.5, 1.5 / (1 + h * h / 36)
    plain, plain_error = value(out, "potential_energy_as_run")
    got, error = value(out, "potential_energy")
    check(abs(plain - biased) < 4 * plain_error < 0.03, plain, plain_error, biased)
    check(abs(got - want) < 4 * error < 0.05, got, error, want)
    # weights are exp of a sum of 192 squares; their variance over their mean squared is ((1 - s)^2/(1 - 2 s))^96 - 1, s = 2D/(kT q^2) <q^2>
    s = 2 * h * h / 72 * biased / 1.5
    worth = ((1 - 2 * s) / (1 - s) ** 2) ** 96
    rows, counted = (out["parameters"][key] for key in ("rows", "rows_that_count"))
    check(abs(counted / rows - worth) < 0.08, counted, rows, worth)
    accepted = []
    for shadow in ("true", "false"):
        with h5py.File(run(program, folder, SPRINGS, *common, f"dynamics.thermostat.shadow={shadow}", "output.shadow_energy=true",
                           "dynamics.steps=500")) as file:
            accepted.append(file["series/acceptance/value"][-1])
    check(accepted[0] > accepted[1] + 0.05, accepted)


def bodies_in_a_field_have_the_energy_of_langevin(program, folder):
    """Rigid bodies with the exact rotation; the friction is strong, which sbab2 allows"""
    exact = -(3 / numpy.tanh(3) - 1)  # -mu E L(mu E/kT) at mu = 1, E = 3, kT = 1
    name = run(program, folder, ROTORS)
    out = analyze(program, "averages", name, "--frames", "100:")
    plain, plain_error = value(out, "potential_energy_as_run")
    got, error = value(out, "potential_energy")
    check(abs(plain - exact) > 5 * plain_error, "no bias is to be seen", plain, plain_error, exact)
    check(abs(got - exact) < 4 * error < 0.05, got, error, exact)
    check(abs(got - exact) < 0.5 * abs(plain - exact), got, plain, exact)
    check(not any("weak" in note or "noise" in note for note in out["notes"]), out["notes"])
    with h5py.File(name) as file:
        check(file["parameters/thermostat"][()] == b"langevin", "the file does not name its thermostat")


def constant_energy_gives_the_mean_at_that_energy(program, folder):
    """Springs by verlet on the surface of their shadow energy: half of <H> is potential"""
    n, rows, h = 60, 20000, 0.6
    w = h * h / 4
    z = numpy.random.default_rng(3).normal(size=(rows, 2 * n))
    z *= numpy.sqrt(2 * n) / numpy.linalg.norm(z, axis=1)[:, None]
    kinetic, potential = 0.5 * (z[:, :n] ** 2).sum(axis=1), 0.5 * (z[:, n:] ** 2).sum(axis=1) / (1 - w)
    total = kinetic + potential
    shadow = total + h * h * (2 * kinetic / 12 - 2 * potential / 24)
    series = {"total_energy": total, "shadow_energy": shadow, "potential_energy": potential,
              "kinetic_energy_translation": kinetic, "temperature": 2 * kinetic / n}
    name = os.path.join(folder, "x.h5md")
    made.write(name, numpy.zeros((1, n, 3)), [1.0] * 3, series=series, parameters={"ensemble": "NVE", "scheme": "verlet"})
    out = analyze(program, "averages", name)
    half, plain, (got, error) = 0.5 * total.mean() / n, potential.mean() / n, value(out, "potential_energy")
    check(plain - half > 0.02, plain, half)
    check(abs(got - half) < 0.2 * (plain - half) and error < 0.01 * half, got, error, half)
    made.write(name, numpy.zeros((1, n, 3)), [1.0] * 3, series=series,
               parameters={"ensemble": "NVT", "scheme": "verlet", "thermostat": "nose-hoover", "asked_temperature": 1.0})
    notes = analyze(program, "averages", name)["notes"]
    check(any("nose-hoover it is a guess" in note for note in notes), notes)


def what_has_no_such_error_is_refused(program, folder):
    x = numpy.random.default_rng(4).normal(size=50)
    whole = {"total_energy": x, "shadow_energy": x, "potential_energy": x, "kinetic_energy_translation": x, "temperature": x}
    name = os.path.join(folder, "x.h5md")

    def said(series, *words, **parameters):
        given = {"ensemble": "NVE", "scheme": "verlet", **parameters}
        made.write(name, numpy.zeros((1, 5, 3)), [1.0] * 3, series=series, parameters=given)
        return made.run(program, "analyze", "averages", name, *words, status=2)

    check("series/shadow_energy is missing" in said({"total_energy": x}), "shadow")
    check("no error of the step" in said({**whole, "acceptance": x}), "metropolis")
    check("'NPT'" in said(whole, ensemble="NPT"), "NPT")
    check("no --stage" in said({**whole, "acceptance": x}, "--stage", "one", ensemble="NVT", thermostat_shadow=1), "weights of a stage")
    check("'none'" in said(whole, scheme="none"), "scheme")
    check("10 rows are too few" in said({key: data[:10] for key, data in whole.items()}), "rows")


if __name__ == "__main__":
    made.main([what_has_no_such_error_is_refused, constant_energy_gives_the_mean_at_that_energy],
              [springs_lose_a_known_bias, weights_of_the_shadow_energy_leave_no_bias, bodies_in_a_field_have_the_energy_of_langevin])
