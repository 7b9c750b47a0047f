#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Means, slopes and their errors from time series in `polhode analyze`, of series whose statistics are known:
test_analysis_series.py PROGRAM"""
import os

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


def order_of_schemes_is_found(program, folder):
    for scheme, order, steps in (("verlet", 2, (0.004, 0.006, 0.008)), ("suzuki4", 4, (0.003, 0.004, 0.005))):
        names = []
        for step in steps:
            names.append(os.path.join(folder, f"{scheme}-{step}.h5md"))
            made.run(program, "run", os.path.join(made.ROOT, "inputs/quickstart.yaml"), "-q", "-o", names[-1],
                     *[w for k, v in {"dynamics.scheme": scheme, "dynamics.step": step, "dynamics.equilibrate.steps": 0,
                                      "dynamics.steps": round(1.5 / step), "system.molecules[0].count": 108,
                                      "interactions.cutoff": 2.4}.items() for w in ("--set", f"{k}={v}")])
        got, error = value(analyze(program, "energy", *names), "order")
        check(abs(got - order) < 0.2 and error < 0.5, scheme, "order", got, error)


made.main([errors_are_those_of_many_runs, drift_is_found_in_both_stages, order_of_schemes_is_found])
