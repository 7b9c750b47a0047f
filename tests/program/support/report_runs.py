# SPDX-License-Identifier: MIT
"""Small runs and their reports, for the tests of reports. The first word of the command line is the program."""
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

POLHODE = os.path.abspath(sys.argv.pop(1))
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-report-")
FLUID = """title: "A fluid of <dipoles> & </script> more"
units: reduced
system:
  box: {kind: periodic, density: 0.7}
  molecules: [{model: stockmayer, count: 108}]
  start: {kind: fcc, temperature: 1.3, seed: 3}
interactions: {cutoff: 2.5, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.004, steps: 200, equilibrate: {steps: 50}}
output: {frames_every: 5, series_every: 2}
"""
WATER = """title: Water
units: md
system:
  box: {kind: periodic, density: 33}
  molecules: [{model: spc-e, count: 64}]
  start: {kind: simple-cubic, temperature: 298, seed: 3}
interactions: {cutoff: 0.6, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.002, steps: 100, equilibrate: {steps: 50}}
output: {frames_every: 5, series_every: 2}
"""
CLUSTER = """title: Cluster
units: reduced
system:
  box: {kind: open}
  molecules: [{model: lennard-jones, count: 13}]
  start: {kind: fcc, spacing: 1.2, temperature: 0.1, seed: 3}
dynamics: {scheme: verlet, step: 0.004, steps: 60}
output: {frames_every: 5, series_every: 2}
"""
ROD = """name: rod
source: made for this test
units: reduced
mass: 1
inertia: [0.21, 0.18, 0.07]
sites:
  - {name: A, gay-berne: {epsilon: 1, sigma: 1, half_axes: [0.3, 0.5, 0.9]}, axis: [1, 0, 1], side: [0, 1, 0]}
"""
ROD_ALONE = """title: One ellipsoid
units: reduced
system:
  box: {kind: open}
  molecules: [{model: rod.yaml, count: 1}]
  start: {kind: fcc, spacing: 2, attitudes: aligned, temperature: 1, seed: 3}
dynamics: {scheme: verlet, step: 0.01, steps: 40}
output: {frames_every: 40, series_every: 10}
"""


BODY = """name: pair
description: two sites with names that a browser must not read as markup
source: nowhere
units: reduced
sites:
  - {name: "<!--<script>", position: [0.1, 0, 0], mass: 0.5, lennard-jones: {epsilon: 1, sigma: 1}}
  - {name: "<u>Q", position: [-0.1, 0, 0], mass: 0.5}
"""


def craft(name):
    """A run whose texts would be markup, if a page took them as such"""
    with open(path("pair.yaml"), "w") as file:
        file.write(BODY)
    text = FLUID.replace("model: stockmayer", "model: pair.yaml").replace("steps: 200", "steps: 50")
    simulate(name, text, "--set", "interactions.external.tether=0.25")
    with h5py.File(path(name + ".h5md"), "r+") as file:
        file["parameters/integrator"] = np.bytes_("vlv")
        for k, key in enumerate(("switch_smoothness", "scheme_order", "integrator_order")):
            if key in file["parameters"]:
                del file["parameters/" + key]
            file["parameters/" + key] = np.bytes_(f"<img src=x onerror=hurt={2 + k}>")


SOURCES = {"fluid": FLUID, "water": WATER, "cluster": CLUSTER}


def path(name):
    return os.path.join(FOLDER.name, name)


def polhode(*words, **more):
    return subprocess.run(
        [POLHODE, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=FOLDER.name,
        check=False,
        **more,
    )


def simulate(name, text, *words):
    with open(path(name + ".yaml"), "w") as file:
        file.write(text)
    done = polhode("run", name + ".yaml", "-o", name + ".h5md", "--quiet", *words)
    assert done.returncode == 0, done.stderr


def press(name):
    """A run of the fluid as if it had been at constant pressure: three stages, what it then has in its series, the
    temperature not what was asked for, and a total energy that drifts as its bath wants"""
    if not os.path.exists(path("fluid.h5md")):
        simulate("fluid", FLUID)
    shutil.copyfile(path("fluid.h5md"), path(name + ".h5md"))
    rng = np.random.default_rng(1)
    with h5py.File(path(name + ".h5md"), "r+") as file:
        step, time = file["series/total_energy/step"][:], file["series/total_energy/time"][:]
        volume = 150 + rng.normal(size=len(step))
        energy = 108 * 0.01 * time + rng.normal(size=len(step))
        about = {"ensemble": "NPT", "asked_temperature": 2.6, "asked_pressure": 0.5}
        about.update({"stages/name": np.array([b"melt", b"cool", b"measure"]), "stages/first_step": [0, 20, 50]})
        about.update({"stages/about": np.array([b"NVT", b"NVT", b"NPT"]), "stages/step": [0.004] * 3})
        about.update({"stages/ensemble": about["stages/about"], "stages/temperature": [2.6] * 3})
        about.update({"stages/pressure": [np.nan, np.nan, 0.5]})
        about.update({"stages/degrees_of_translation": [321] * 3, "stages/degrees_of_rotation": [324] * 3})
        columns = {"volume": volume, "density": 108 / volume, "enthalpy": energy + 0.5 * volume, "total_energy": energy}
        columns["temperature"] = 1.3 + 0.01 * rng.normal(size=len(step))
        columns["pressure"] = 0.5 + 0.01 * rng.normal(size=len(step))
        columns["conserved_energy"] = 1e-4 * rng.normal(size=len(step))
        for folder, items in (("parameters", about), ("series", columns)):
            for key, value in items.items():
                if f"{folder}/{key}" in file:
                    del file[f"{folder}/{key}"]
                file[f"{folder}/{key}" + ("/value" if folder == "series" else "")] = value
        for key in columns:
            file[f"series/{key}/step"], file[f"series/{key}/time"] = step, time


def make(name):
    """The page; made once."""
    if not os.path.exists(path(name + ".html")):
        if name == "pressed":
            press(name)
        if name == "crafted":
            craft(name)
        if name in SOURCES and not os.path.exists(path(name + ".h5md")):
            simulate(name, SOURCES[name])
        done = polhode("report", name + ".h5md")
        assert done.returncode == 0, done.stderr
    return path(name + ".html")
