#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Constant temperature and pressure as a user meets them: test_ensembles_slow.py PROGRAM

- Equilibration lands on the temperature asked for: two runs of 256 Stockmayer molecules, within 1.5 %. One has the
  usual scheme, which evaluates forces eleven times a step, and is shorter: within 3 %. Verlet with half the step does
  for the other.
- The Lennard-Jones fluid at the pressures of NIST's Monte Carlo table for the temperature 0.85 has the densities and
  energies of that table, with a random cell at one pressure and with a deterministic one at the other. Its
  compressibility from fluctuations of the volume is that from differences of the table. At the density found, NVT has
  the pressure asked for.
- The analyses of both ensembles say so themselves.
"""
import json
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

PROGRAM = sys.argv[1]
os.environ["OMP_NUM_THREADS"] = "1"  # a second thread gains little with 256 molecules, and takes processor time
failures = []


def expect(good, text):
    print(("ok    " if good else "WRONG ") + text, flush=True)
    if not good:
        failures.append(text)


def run(folder, name, text, *sets):
    source, target = os.path.join(folder, name + ".yaml"), os.path.join(folder, name + ".h5md")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    words = [word for one in sets for word in ("--set", one)]
    subprocess.run([PROGRAM, "run", source, "-q", "-o", target, *words], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return target


def series(target, name):
    with h5py.File(target) as file:
        keep = file[f"series/{name}/step"][:] >= file["parameters/production_begins_at_step"][()]
        return file[f"series/{name}/value"][:][keep]


def blocks(x, n=20):
    """Mean and its standard error, from n blocks that are longer than anything remembers"""
    means = numpy.array([b.mean() for b in numpy.array_split(x, n)])
    return means.mean(), means.std(ddof=1) / numpy.sqrt(n)


NEWCOMER = """
units: reduced
system:
  box: {kind: periodic, density: 0.8}
  molecules: [{model: stockmayer, count: 256}]
  start: {kind: fcc, jitter: 0.01, temperature: 1.15}
interactions: {cutoff: 3, electrostatics: {method: cutoff}}
dynamics: {step: 0.01, steps: 2000, equilibrate: {steps: 2000}}
output: {series_every: 5}
"""


SHORT = ["dynamics.steps=500", "dynamics.equilibrate.steps=1000"]
CHEAP = ["dynamics.scheme=verlet", "dynamics.step=0.005", "dynamics.steps=4000", "dynamics.equilibrate.steps=4000"]


def landing(folder):
    for seed in 1, 2:
        target = run(folder, f"newcomer{seed}", NEWCOMER, f"system.start.seed={seed}",
                     f"dynamics.equilibrate.seed={seed}", *(CHEAP if seed > 1 else SHORT))
        mean, error = blocks(series(target, "temperature"), 10)
        expect(abs(mean / 1.15 - 1) < (0.015 if seed > 1 else 0.03), f"seed {seed}: temperature {mean:.4f} +- {error:.4f}, asked 1.15")


FLUID = """
units: reduced
system:
  box: {kind: periodic, density: 0.8}
  molecules: [{model: lennard-jones, count: 256}]
  start: {kind: fcc, jitter: 0.01, temperature: 0.85}
interactions: {cutoff: 2.8, switch: {width: 0.4}, long_range_correction: true}
dynamics: {scheme: verlet, step: 0.008}
output: {series_every: 5, frames_every: 1000}
stages:
"""
WARM = "  - {name: warm, steps: 300, step: 0.008, thermostat: {kind: langevin, friction: 2}}\n"
PRESSED = WARM + """
  - {name: settle, steps: 3000, thermostat: {kind: langevin, friction: 0.5},
     barostat: {kind: cell-rescaling, pressure: PRESSURE, relaxation_time: 1, every: 10}}
"""
RANDOM = PRESSED + """
  - {name: production, steps: 8000, step: 0.016, scheme: omelyan4-5fv,
     thermostat: {kind: metropolis, friction: 0.5},
     barostat: {kind: cell-rescaling, pressure: PRESSURE, relaxation_time: 0.4, every: 5}}
"""
DETERMINISTIC = PRESSED + """
  - {name: production, steps: 5000, step: 0.016, scheme: mclachlan4-ss5, thermostat: {kind: nose-poincare, relaxation_time: 0.5},
     barostat: {kind: andersen, pressure: PRESSURE, relaxation_time: 1}}
"""
CANONICAL = WARM + "  - {name: production, steps: 8000, thermostat: {kind: langevin, friction: 0.5}}\n"

# NIST: density, energy, pressure at the temperature 0.85; errors of the table: 0.001 and 0.005
STATES = [("random", RANDOM, 0.82, -5.7947, 0.55355), ("deterministic", DETERMINISTIC, 0.86, -6.0305, 1.2660)]
SLOPE = {0.82: (1.2660 - 0.0067714) / (0.86 - 0.776), 0.86: (1.2660 - 0.55355) / (0.86 - 0.82) * 1.12}


def pressed(folder):
    for kind, stages, density, energy, pressure in STATES:
        target = run(folder, kind, FLUID + stages.replace("PRESSURE", str(pressure)))
        mean, error = blocks(series(target, "density"))
        u, du = blocks(series(target, "potential_energy") / 256)
        allowed = numpy.hypot(5 * error, 3 * 0.005 / SLOPE[density])
        expect(abs(mean - density) < allowed and error < 0.0025,
               f"{kind} cell at pressure {pressure}: density {mean:.4f} +- {error:.4f}, NIST {density}")
        slope = (-6.0305 + 5.7947) / 0.04  # of energies with density
        shifted = u - slope * (mean - density)
        expect(abs(shifted - energy) < numpy.hypot(5 * du, 4 * 0.002),
               f"  energy {u:.4f} +- {du:.4f}, at that density {shifted:.4f}, NIST {energy}")
        if kind != "random":
            continue
        said = subprocess.run([PROGRAM, "analyze", "fluctuations", target, "--json"], check=True,
                              capture_output=True, text=True).stdout
        kappa = json.loads(said)["values"]["compressibility"]
        expected = 1 / (density * SLOPE[density])
        expect(abs(kappa["value"] - expected) < 4 * kappa["error"] + 0.1 * expected and kappa["error"] < 0.3 * expected,
               f"  compressibility {kappa['value']:.4f} +- {kappa['error']:.4f}, from NIST's table {expected:.4f}")
        accepted = series(target, "cell_acceptance")[-1]
        expect(0.7 < accepted < 0.999, f"  accepted changes of the cell: {accepted:.3f}")
    target = run(folder, "canonical", (FLUID + CANONICAL).replace("density: 0.8}", f"density: {mean:.6f}}}"))
    mean, error = blocks(series(target, "pressure"))
    expect(abs(mean - pressure) < numpy.hypot(5 * error, 4 * 0.02),
           f"NVT at the density of NPT: pressure {mean:.4f} +- {error:.4f}, asked of NPT {pressure}")


with tempfile.TemporaryDirectory() as where:
    landing(where)
    pressed(where)
if failures:
    sys.exit("\n".join(failures))
