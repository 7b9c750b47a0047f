#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Free energies from `polhode analyze`, against exact results: test_analysis_free_energy.py PROGRAM"""
import importlib.util
import os
import sys

import numpy

import h5md_made as made
from h5md_made import POINT, analyze, check, run, value

sys.path.insert(0, os.path.join(made.ROOT, "tools/python"))
from polhode import free_energy as mbar_of, results

INPUT = """units: reduced
system:
  box: {{kind: periodic, length: {length}}}
  molecules: [{{model: ./{model}.yaml, count: {count}}}]
  start: {{kind: fcc, temperature: 1.5, seed: 1}}
interactions: {interactions}
dynamics: {{step: 0.004, steps: 10}}
"""
BALL = POINT.replace("mass: 1}", "mass: 1, lennard-jones: {epsilon: 1, sigma: 1}}")
DIPOLE = ("name: dipole\ndescription: a dipole\nsource: none\nunits: reduced\n"
          "inertia: [0.1, 0.1, 0]\nsites:\n  - {name: A, mass: 1, dipole: [0, 0, 1.6]}\n")
DUMBBELL = ("name: dumbbell\ndescription: two charges, with the dipole of the other\nsource: none\nunits: reduced\nsites:\n"
            "  - {name: A, mass: 1, charge: 1, position: [0, 0, 0.8]}\n  - {name: B, mass: 1, charge: -1, position: [0, 0, -0.8]}\n")


def write_input(folder, name, length=6, model="point", count=2, interactions="{cutoff: 2.5}"):
    for model_name, text in (("point", POINT), ("ball", BALL), ("dipole", DIPOLE),
                             ("dumbbell", DUMBBELL)):
        with open(os.path.join(folder, model_name + ".yaml"), "w") as file:
            file.write(text)
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(INPUT.format(length=length, model=model, count=count, interactions=interactions))
    return path


def write_gas(folder, count, frames):
    """Points drawn independently"""
    trajectory = os.path.join(folder, "gas.h5md")
    made.write(trajectory, numpy.random.default_rng(2).uniform(0, 6, size=(frames, count, 3)), [6.0] * 3)
    return trajectory


def potential(program, trajectory, *words, **options):
    return analyze(program, "chemical-potential", trajectory, "--temperature", 1.5, *words, **options)


def points_that_do_not_interact_have_none(program, folder):
    out = potential(program, write_gas(folder, 20, 5), "--input", write_input(folder, "ideal.yaml", count=20))
    check(value(out, "excess") == (0, 0), out["values"])
    check(abs(value(out, "fugacity")[0] - 1.5 * 20 / 216) < 1e-14, "pressure of an ideal gas", out["values"])


def a_dipole_in_a_field_has_that_of_langevin(program, folder):
    """-kT ln(sinh(x)/x) among points that do not interact: exact for a dipole, sampled for two charges"""
    field = [0.3, -1.1, 0.6]
    x = 1.6 * numpy.linalg.norm(field) / 1.5
    exact = -1.5 * numpy.log(numpy.sinh(x) / x)
    written = write_input(folder, "field.yaml", count=20, interactions=f"{{cutoff: 2.5, electrostatics: {{method: cutoff}}, external: {{electric_field: {field}}}}}")
    for model, samples in (("dipole", 1), ("dumbbell", 500)):
        out = potential(program, write_gas(folder, 20, 5), "--input", written, "--samples", samples, "--of",
                        os.path.join(folder, model + ".yaml"))
        mu, error = value(out, "excess")
        check(error < (1e-13 if samples == 1 else 0.02) and abs(mu - exact) < 1e-13 + 4 * error, model, mu, error, exact)
        check(("exact mean" == out["parameters"]["orientations"]) == (model == "dipole"), out["parameters"])
        check("fugacity" not in out["values"], "none of it is there, so it has no density")


def a_thin_gas_has_the_second_virial_coefficient(program, folder):
    """Points drawn independently give the mean of exp(-u/kT) of each, 1 - 2 B2/V, to the power of their number"""
    trajectory = write_gas(folder, 3, 60)
    for interactions in ("{cutoff: 2.5, truncation: shifted}", "{cutoff: 2.9, truncation: switched, switch: {width: 0.5, smoothness: 4}}"):
        written = write_input(folder, "gas.yaml", model="ball", count=3, interactions=interactions)
        b2 = value(analyze(program, "virial-coefficient", written, "--temperature", 1.5), "B2.point-point")[0]
        out = potential(program, trajectory, "--input", written, "--samples", 3000)
        mu, error = value(out, "excess")
        exact = -1.5 * 3 * numpy.log(1 - 2 * b2 / 216)
        check(error < 0.003 < abs(exact) and abs(mu - exact) < 4 * error, mu, error, exact)


def the_correction_beyond_the_cutoff_is_that_of_one_molecule_more(program, folder):
    mu = []
    for correction in ("false", "true"):
        written = write_input(folder, "tail.yaml", model="ball", count=3, interactions=f"{{cutoff: 2.5, truncation: cut, long_range_correction: {correction}}}")
        mu.append(value(potential(program, write_gas(folder, 3, 2), "--input", written), "excess")[0])
    tail = 2 * numpy.pi * (4**2 - 3**2) / 216 * 4 * (2.5**-9 / 9 - 2.5**-3 / 3)
    check(abs(mu[1] - mu[0] - tail) < 1e-12, mu, tail)


def few_insertions_are_cautioned(program, folder):
    trajectory = os.path.join(folder, "dense.h5md")
    lattice = 0.95 * numpy.stack(numpy.meshgrid(*[range(6)] * 3), axis=-1).reshape(-1, 3)
    made.write(trajectory, numpy.stack([lattice] * 4), [5.7] * 3)
    written = write_input(folder, "dense.yaml", length=5.7, model="ball", count=216)
    out = potential(program, trajectory, "--input", written, "--samples", 200)
    check("--samples" in out["values"]["excess"]["caution"], out["values"]["excess"])
    out = potential(program, write_gas(folder, 3, 2), "--input", write_input(folder, "thin.yaml", model="ball", count=3))
    check(out["values"]["excess"]["caution"] is None, "a thin gas needs no caution")


def a_run_has_its_own_input(program, folder):
    """A run gives what its input gives again; threads change no bit; what is not a sum over pairs is refused"""
    trajectory, written = os.path.join(folder, "run.h5md"), os.path.join(made.ROOT, "inputs/stockmayer.yaml")
    sets = ["--set", "system.molecules[0].count=32", "--set", "dynamics.steps=60", "--set", "output.frames_every=20", "--set",
            "interactions={cutoff: 1.6, truncation: cut, electrostatics: {method: reaction-field}}", "--set", "system.box.density=0.3"]
    run(program, "run", written, "-q", "-o", trajectory, *sets)
    out = [potential(program, trajectory, "--samples", 300, threads=threads) for threads in (1, 3)]
    again = potential(program, trajectory, "--samples", 300, "--input", written, *sets)
    for other in (out[1], again):
        check(out[0]["values"] == other["values"], out[0]["values"], other["values"])
    check(abs(value(out[0], "excess")[0]) > 0.1 and out[0]["parameters"]["orientations"] == "exact mean", out[0]["values"])
    check("own reaction field" in " ".join(out[0]["notes"]), out[0]["notes"])
    check(potential(program, trajectory, "--samples", 300, "--seed", 1)["values"] != out[0]["values"], "other numbers")
    for words, expected in ((["--set", "interactions.electrostatics.method=ewald"], "sum over pairs"),
                            (["--set", "interactions.external={gravity: [0, 0, 1]}"], "pulls"),
                            (["--set", "system.molecules[0].count=31"], "32 molecules"),
                            (["--of", "nothing"], "nothing")):
        said = run(program, "analyze", "chemical-potential", trajectory, *words, status=2)
        check(expected in said, words, said)
    said = run(program, "analyze", "chemical-potential", write_gas(folder, 3, 2), status=2)
    check("--input" in said, said)


# ---- Differences between runs ----

def free_energy(program, key, files, *words, **options):
    return analyze(program, "free-energy", *files, "--key", key, *words, **options)


def write_springs(folder, constants, kT, frames=150, count=40):
    """Points on springs without interactions: frames are drawn from the exact distribution"""
    rng = numpy.random.default_rng(4)
    anchors = 10.0 * rng.uniform(size=(count, 3))
    for name, text in (("point.yaml", POINT), ("anchors.xyz", f"{count}\nProperties=species:S:1:pos:R:3\n" + "".join(
            "point %.17g %.17g %.17g\n" % tuple(r) for r in anchors))):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    text = ("units: reduced\nsystem:\n  box: {kind: open}\n  molecules: [{model: point, count: %d}]\n  start: {kind: file, file: anchors.xyz}\n"
            "interactions: {external: {tether: 1}}\ndynamics: {step: 0.004, steps: 10}\n" % count)
    files = []
    for k, constant in enumerate(constants):
        files.append(os.path.join(folder, f"spring-{constant}.h5md"))
        made.write(files[-1], anchors + rng.normal(scale=numpy.sqrt(kT / constant), size=(frames + 40 * k, count, 3)), boundary="none",
                   parameters={"input": text, "input_file": os.path.join(folder, "springs.yaml"),
                               "input_set": f"interactions.external.tether={constant}\n"})
    return files


def springs_have_the_free_energy_of_oscillators(program, folder):
    """3 N kT/2 ln(k1/k0), by both routes and within their errors, though files come in any order; dU/dk is a mean square"""
    constants, kT, key = (2.0, 1.0, 1.4, 2.8), 0.7, "interactions.external.tether"
    out = free_energy(program, key, write_springs(folder, constants, kT), "--temperature", kT)
    exact = 1.5 * 40 * kT * numpy.log(2.8)
    for name in ("free_energy", "free_energy_integral"):
        got, error = value(out, name)
        check(0 < error < 0.02 * exact and abs(got - exact) < 4 * error, name, got, error, exact)
    check(out["parameters"]["derivative"].startswith("exact") and not out["notes"], out["parameters"], out["notes"])
    steps, runs, frames = (out["tables"][name]["columns"] for name in ("steps", "runs", "frames_2"))
    check(numpy.allclose(steps["from"], [1, 1.4, 2]) and numpy.allclose(steps["to"], [1.4, 2, 2.8]), steps)
    check(numpy.all(numpy.abs(steps["bar"] - 60 * numpy.log(steps["to"] / steps["from"])) < 4 * steps["bar_error"]), steps)
    check(numpy.all((steps["overlap"] > 0.1) & (steps["overlap"] < 0.9)), steps["overlap"])
    check(numpy.allclose(frames["u_4"] / frames["u_1"], 2.8, rtol=1e-12), "energies of a frame with each value")
    check(numpy.allclose(runs["derivative"][1], kT * frames["u_1"].mean(), rtol=1e-9), "dU/dk is half the sum of squares")
    found = results.analyze(program, "free-energy", *write_springs(folder, constants, kT), "--key", key, "--temperature", str(kT))
    if importlib.util.find_spec("pymbar"):
        mbar = mbar_of.mbar(found)
        off = mbar.f - 60 * numpy.log(mbar.values)
        check(numpy.all(numpy.abs(off) <= 4 * mbar.error) and 0 < mbar.error[3] < 0.5, mbar)
        check(abs(mbar.f[3] - value(out, "free_energy_over_kT")[0]) < 4 * mbar.error[3], mbar, out["values"])
    else:
        try:
            mbar_of.mbar(found)
            check(False, "MBAR without pymbar")
        except ImportError as error:
            check("python3-pymbar" in str(error), error)
    far = free_energy(program, key, write_springs(folder, (1.0, 40.0), kT), "--temperature", kT)
    check("between them" in far["values"]["free_energy"]["caution"], far["values"])


def dipoles_in_a_field_have_the_free_energy_of_langevin(program, folder):
    """A sweep of runs in fields, and one at temperatures: of dipoles too far apart to interact"""
    trajectory = write_input(folder, "dipoles.yaml", length=400, model="dipole", count=27,
                             interactions="{cutoff: 2.5, truncation: cut, electrostatics: {method: cutoff}, external: {electric_field: [0, 0, 1]}}")
    with open(trajectory, "a") as file:
        file.write("output: {frames_every: 20, series_every: 20}\n")
    sets = ["--set", "dynamics={scheme: verlet, step: 0.02, steps: 4000, thermostat: {kind: langevin, temperature: 1.5, friction: 2, seed: 3}}"]

    def log_mean(x):
        return 27 * numpy.log(numpy.sinh(x) / x)
    key = "interactions.external.electric_field[2]"
    run(program, "sweep", trajectory, "--vary", key + "=0.5,1,1.5", "-o", os.path.join(folder, "fields"), "-q", *sets)
    files = [os.path.join(folder, "fields", f"00{k}", "run.h5md") for k in (1, 2, 3)]
    out = [free_energy(program, key, files, threads=threads) for threads in (1, 3)]
    check(out[0]["values"] == out[1]["values"], "threads change bits")
    exact = -1.5 * (log_mean(1.6) - log_mean(1.6 / 3))
    for name in ("free_energy", "free_energy_integral"):
        got, error = value(out[0], name)
        check(error < 0.1 * abs(exact) and abs(got - exact) < 4 * error, name, got, error, exact)

    key = "dynamics.thermostat.temperature"
    run(program, "sweep", trajectory, "--vary", key + "=1.2,1.6,2.2", "-o", os.path.join(folder, "hot"), "-q", *sets)
    files = [os.path.join(folder, "hot", f"00{k}", "run.h5md") for k in (1, 2, 3)]
    out = free_energy(program, key, files)
    exact = -(log_mean(1.6 / 2.2) - log_mean(1.6 / 1.2))
    for name in ("free_energy_over_kT", "free_energy_over_kT_integral"):
        got, error = value(out, name)
        check(error < 0.1 * abs(exact) and abs(got - exact) < 4 * error, name, got, error, exact)
    for words, expected in (([files[0], "--key", key], "2 to 32"), ([*files[:2]], "--key is missing"),
                            ([files[0], files[0], "--key", key], "both have"),
                            ([*files, "--key", "title"], "no number")):
        check(expected in run(program, "analyze", "free-energy", *words, status=2), expected)


made.main([points_that_do_not_interact_have_none, a_dipole_in_a_field_has_that_of_langevin,
           a_thin_gas_has_the_second_virial_coefficient, the_correction_beyond_the_cutoff_is_that_of_one_molecule_more,
           few_insertions_are_cautioned, a_run_has_its_own_input, springs_have_the_free_energy_of_oscillators,
           dipoles_in_a_field_have_the_free_energy_of_langevin])
