#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Several processes, started by mpirun, compute what one computes, bit for bit; what goes wrong is said once, ends all of
them, and leaves a checkpoint.

usage: test_processes.py PROGRAM MPIEXEC NO_SHARED_MEMORY.so     exit status 77, skipped: MPIEXEC is none, or not installed
"""
import concurrent.futures
import filecmp
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

import processes
from processes import ENVIRONMENT

PROGRAM, MPIEXEC, SHIM = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1), os.path.abspath(sys.argv.pop(1))
FLUID = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: stockmayer, count: 1372}]
  start: {kind: fcc, temperature: 1.35, jitter: 0.05}
interactions: {cutoff: 2.5, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.01, steps: 24}
output: {frames_every: 8, series_every: 4, checkpoint_every: 8}
"""
STAGES = """dynamics: {step: 0.005}
stages:
  - {name: one, scheme: verlet, steps: 40, thermostat: {kind: langevin, temperature: 1.35}}
  - {name: two, steps: 1, integrator: rattle}"""
# Forces that are no numbers where molecules meet, and finite where they start from: drifts lead to that, kicks would lead too
# far for lists
BROKEN = {"system.molecules": "[{model: stockmayer, count: 500}]", "system.start.temperature": "3", "dynamics.step": "2",
          "dynamics.steps": "3", "dynamics.thermostat": "{kind: metropolis, temperature: 3}", "dynamics.scheme": "verlet-position",
          "interactions.pairs": "[{sites: [stockmayer.A, stockmayer.A], soft-sphere: {epsilon: 1, sigma: 500, exponent: 100}}]"}
FAR = {"dynamics.thermostat": "{kind: metropolis, temperature: 1.35}", "dynamics.step": "1e12", "dynamics.steps": "4",
       "dynamics.scheme": "verlet-position"}


def alike(processes, threads=1):
    """A run from its start on"""
    return lambda bits, name: bits.is_what_one_computes(name, processes, threads)


def shuffled(processes, per_machine=0):
    """The same with owners that change at random whenever lists are made. Those of one machine, of so many processes, read from
    each other's memory, and send messages to others."""
    machine = {"POLHODE_PER_MACHINE": str(per_machine)} if per_machine else {}
    return lambda bits, name: bits.is_what_one_computes(name, processes, env={**SHUFFLE, **machine})


def resumed(processes, steps):
    """What one process has computed goes on, with owners that change at random: long enough for several lists, where molecules
    are fast. These systems are not run from their start on, since steps are the same."""
    return lambda bits, name: bits.resumes_as_one(name, processes, steps)


# Each adds keys, and says how it is run: of 1372 molecules there are a few tiles.
SYSTEMS = {
    "lists": ({"output.fluxes_every": "5"}, [alike(5), alike(2, 2)]),
    "molecules that change owners, with rare output": (
        {"system.start.temperature": "3", "dynamics.step": "0.005", "dynamics.steps": "60", "output.series_every": "60",
         "output.frames_every": "60", "output.checkpoint_every": "40"}, [shuffled(5, 2)]),
    "external fields": ({"interactions.external": "{electric_field: [0, 0, 1], tether: 1}", "system.start.temperature": "3",
                         "dynamics.step": "0.005", "dynamics.steps": "30", "output.checkpoint_every": "60"}, [resumed(3, 50)]),
    # Springs take molecules apart on every process, then forces minimise on all together; anchors follow.
    "a random start that is minimised": (
        {"system.molecules": "[{model: stockmayer, count: 700}]", "system.box.density": "0.4", "dynamics.steps": "8",
         "system.start": "{kind: random, minimum_distance: 0, temperature: 1.35, minimise: {steps: 40}}",
         "interactions.external": "{tether: 1}", "dynamics.step": "0.001"}, [shuffled(4, 2)]),
    "pinned centres that begin at rest": (
        {"interactions.external": "{pinned: true}", "system.start.temperature": "0",
         "dynamics.thermostat": "{kind: velocity-rescaling, temperature: 1}"}, [alike(3)]),
    # Lists are made at displaced places, too, where molecules change owners.
    "displaced forces, molecules that change owners": (
        {"system.molecules": "[{model: stockmayer, count: 500}]", "system.start.temperature": "3",
         "dynamics.scheme": "omelyan4-2f2gv-displaced", "dynamics.step": "0.02", "dynamics.steps": "24",
         "output.series_every": "6", "output.checkpoint_every": "15"}, [shuffled(3), resumed(2, 17)]),
    "a formula, gradients": (
        {"interactions.pairs": "[{sites: [stockmayer.A, stockmayer.A], formula: {u: 4*(1/r^12 - 1/r^6) + (a.n)*(b.n)/r^3}}]",
         "dynamics.scheme": "chin4a", "dynamics.steps": "4"}, [shuffled(3)]),
    "mixture": ({"system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]"},
                [shuffled(3, 1)]),
    "tilted box": ({"system.box": "{edges: [[12, 0, 0], [3, 12, 0], [-2, 4, 12]]}"}, [resumed(3, 13)]),
    "waters on a mesh": ({"units": "md", "system.box": "{density: 33}", "system.start.temperature": "300",
                          "system.molecules": "[{model: spc-e, count: 500}]", "interactions.cutoff": "0.8",
                          "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}", "dynamics.step": "0.001",
                          "dynamics.steps": "8"}, [shuffled(5)]),
    "windows as wide as half of the mesh": (
        {"units": "md", "system.box": "{density: 33}", "system.start.temperature": "300", "interactions.cutoff": "0.8",
         "system.molecules": "[{model: spc-e, count: 216}]", "dynamics.step": "0.002", "dynamics.steps": "80",
         "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}", "output.force_every": "8"}, [alike(2)]),
    "dipoles on a mesh, gradients": ({"interactions.electrostatics": "{method: mesh, tolerance: 1e-3}",
                                      "dynamics.scheme": "chin4a", "dynamics.steps": "4"}, [shuffled(4)]),
    "quadrupoles on a mesh, gradients": (
        {"units": "md", "system.box": "{mass_density: 745}", "system.molecules": "[{model: nitrogen, count: 256}]",
         "system.start.temperature": "90", "interactions.cutoff": "0.9", "dynamics.step": "0.002", "dynamics.scheme": "chin4a",
         "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}", "dynamics.steps": "4"}, [shuffled(3)]),
    "a mixture on a mesh, in a dielectric": (
        {"system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "system.start.temperature": "3",
         "interactions.electrostatics": "{method: mesh, tolerance: 1e-3, permittivity: 10, remove_net_force: true}",
         "dynamics.step": "0.005", "dynamics.steps": "20", "output.series_every": "20", "output.frames_every": "60"}, [resumed(5, 45)]),
    "a mesh that is chosen again, in a box that grows": (
        {"system.molecules": "[{model: stockmayer, count: 500}]", "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}",
         "dynamics.step": "0.002", "dynamics.steps": "8", "dynamics.barostat": "{kind: ramp, density: 0.2, every: 2}"}, [alike(3)]),
    "direct Ewald sums of molecules that change owners": (
        {"system.molecules": "[{model: stockmayer, count: 500}]", "system.start.temperature": "3", "dynamics.steps": "40",
         "interactions.electrostatics": "{method: ewald, tolerance: 1e-3, permittivity: 10}", "output.series_every": "20",
         "output.frames_every": "40", "output.checkpoint_every": "30"}, [shuffled(3)]),
    "direct Ewald sums": ({"system.molecules": "[{model: stockmayer, count: 500}]", "dynamics.steps": "4",
                           "interactions.electrostatics": "{method: ewald, tolerance: 1e-3}"}, [alike(2, 2)]),
    "direct Ewald sums of charges": ({"units": "md", "system.box": "{density: 33}", "system.start.temperature": "300",
                                      "system.molecules": "[{model: spc-e, count: 216}]", "interactions.cutoff": "0.8",
                                      "interactions.electrostatics": "{method: ewald, tolerance: 1e-3}",
                                      "dynamics.step": "0.001", "dynamics.steps": "4"}, [alike(3)]),
    "direct Ewald sums, gradients": ({"system.molecules": "[{model: stockmayer, count: 256}]", "dynamics.steps": "2",
                                      "dynamics.scheme": "chin4a",
                                      "interactions.electrostatics": "{method: ewald, tolerance: 1e-3}"}, [shuffled(3)]),
    "a bath, with rare output": ({"dynamics.thermostat": "{kind: langevin, temperature: 1.35}", "output.series_every": "24",
                                  "output.frames_every": "24"}, [shuffled(3)]),
    "chains of thermostats, with rare output": (
        {"dynamics.thermostat": "{kind: nose-hoover, temperature: 1.35}", "output.series_every": "24", "output.frames_every": "24",
         "system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]"}, [shuffled(3)]),
    # Molecules that change owners with a list that a rejected step has made go back to where they were, with the new one
    "steps that are rejected, with rare output": (
        {"system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "system.start.temperature": "3",
         "dynamics.thermostat": "{kind: metropolis, temperature: 3, shadow: true}", "dynamics.step": "0.018", "dynamics.steps": "50",
         "dynamics.scheme": "sbab2", "interactions.external": "{electric_field: [0, 0, 1], tether: 1}", "output.series_every": "50", "output.frames_every": "100",
         "output.checkpoint_every": "60"}, [resumed(3, 50)]),
    "steps rejected since molecules go too far for lists": (
        {"dynamics.thermostat": "{kind: metropolis, temperature: 1.35}", "dynamics.step": "1e8", "dynamics.steps": "4",
         "output.series_every": "1"}, [shuffled(3)]),
    # Before the step has evaluated anything, so that a resumed run has no lists to go back to
    "drifts rejected since they go too far for lists": ({**FAR, "system.start.seed": "5"}, [resumed(3, 5)]),
    "near pairs, drifts rejected since they go too far for lists": (
        {**FAR, "dynamics.nested": "{scheme: verlet-position, substeps: 2}", "system.start.seed": "6"}, [resumed(3, 5)]),
    "near pairs, steps rejected since molecules go too far for lists": (
        {**FAR, "dynamics.step": "1e8", "dynamics.scheme": "verlet", "dynamics.nested": "{substeps: 2}", "system.start.seed": "7"},
        [resumed(3, 5)]),
    # In the middle of a step, which one process ends there; several are told by the next evaluation, which does not count
    "steps of several stages rejected since forces are not finite": (
        {"system.box": "{kind: open}", "system.molecules": "[{model: stockmayer, count: 64}]", "interactions": "{}",
         "system.start.spacing": "3e-22", "system.start.jitter": "0", "dynamics.step": "1e15", "dynamics.steps": "3",
         "dynamics.thermostat": "{kind: metropolis, temperature: 1.35}", "dynamics.scheme": "yoshida4"}, [alike(3)]),
    "steps with gradients rejected since forces are not finite": (
        {**BROKEN, "dynamics.scheme": "chin4b", "system.start.seed": "2"}, [alike(3)]),
    "near pairs, steps rejected since forces are not finite": (
        {**BROKEN, "dynamics.nested": "{scheme: verlet-position, substeps: 2}", "system.start.seed": "3"}, [alike(3)]),
    "two time scales on a mesh, steps rejected since forces are not finite": (
        {**BROKEN, "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}", "system.start.seed": "4",
         "dynamics.nested": "{part: reciprocal, scheme: verlet-position, substeps: 1}"}, [alike(3)]),
    # Cells that change so much that some are rejected, and lists are made for those: molecules that
    # change owners with such a list go back to where they were, with the new one
    "cells of any shape, some of them rejected": (
        {"system.box": "{edges: [[12, 0, 0], [2, 12, 0], [-2, 3, 12]]}", "system.start.temperature": "3", "dynamics.step": "0.005",
         "system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "dynamics.steps": "30",
         "dynamics.thermostat": "{kind: velocity-rescaling, temperature: 3}", "output.series_every": "20",
         "output.frames_every": "30", "output.checkpoint_every": "30", "dynamics.barostat":
         "{kind: cell-rescaling, pressure: 4, relaxation_time: 0.04, compressibility: 0.1, shape: full, every: 3}"}, [resumed(3, 31)]),
    "constant pressure, waters on a mesh": (
        {"units": "md", "system.box": "{density: 33}", "system.start.temperature": "300", "interactions.cutoff": "0.8",
         "system.molecules": "[{model: spc-e, count: 500}]", "dynamics.step": "0.002", "dynamics.steps": "16",
         "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}", "output.series_every": "10", "output.frames_every": "16",
         "dynamics.thermostat": "{kind: nose-hoover, temperature: 300}",
         "dynamics.barostat": "{kind: cell-rescaling, pressure_bar: 1, relaxation_time: 0.1, shape: edges, every: 2}"},
        [alike(3, 2)]),
    "constant pressure, direct Ewald sums and gradients": (
        {"system.molecules": "[{model: stockmayer, count: 500}]", "dynamics.steps": "6", "dynamics.scheme": "chin4a",
         "interactions.electrostatics": "{method: ewald, tolerance: 1e-3}", "dynamics.thermostat": "{kind: langevin, temperature: 1.35}",
         "dynamics.barostat": "{kind: cell-rescaling, pressure: 1, relaxation_time: 0.5, every: 1}"}, [shuffled(3)]),
    "constant pressure, two time scales on a mesh": (
        {"units": "md", "system.box": "{density: 33}", "system.start.temperature": "300", "interactions.cutoff": "0.8",
         "system.molecules": "[{model: spc-e, count: 500}]", "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}",
         "dynamics.step": "0.004", "dynamics.steps": "5", "dynamics.nested": "{part: reciprocal, substeps: 2}",
         "dynamics.thermostat": "{kind: langevin, temperature: 300}",
         "dynamics.barostat": "{kind: cell-rescaling, pressure_bar: 1, relaxation_time: 0.1, every: 1}"}, [shuffled(3)]),
    "constant pressure, steps that are rejected": (
        {"dynamics.thermostat": "{kind: metropolis, temperature: 1.35}", "dynamics.step": "0.02", "output.series_every": "24",
         "dynamics.barostat": "{kind: cell-rescaling, pressure: 1, relaxation_time: 0.1, every: 2}"}, [shuffled(3)]),
    # Where the temperature of the start is asked for, too
    "an extended Hamiltonian at constant enthalpy": (
        {"dynamics.scheme": "mclachlan4-ss5", "dynamics.steps": "8", "dynamics.barostat": "{kind: andersen, pressure: 1}"},
        [alike(2, 2)]),
    "an extended Hamiltonian, with rare output": (
        {"system.molecules": "[{model: lennard-jones, count: 1372}]", "system.start.temperature": "3", "dynamics.step": "0.005",
         "dynamics.steps": "50", "dynamics.thermostat": "{kind: nose-poincare, temperature: 3}", "output.series_every": "50",
         "dynamics.barostat": "{kind: andersen, pressure: 4, relaxation_time: 0.1}", "output.frames_every": "100",
         "output.checkpoint_every": "60"}, [resumed(5, 50)]),
    "an extended Hamiltonian without a cutoff": (
        {"system.box": "{kind: open}", "system.molecules": "[{model: lennard-jones, count: 108}]", "interactions": "{}",
         "system.start.spacing": "1.2", "output.force_every": "4",
         "dynamics.thermostat": "{kind: nose-poincare, temperature: 1.35}"}, [alike(3)]),
    # Bodies that change owners between the two halves of a step take with them what the first has found
    "one-step integrators: vlv, with rare output": (
        {"system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "system.start.temperature": "3",
         "dynamics": "{integrator: vlv, step: 0.005, steps: 50}", "output.series_every": "50", "output.frames_every": "100",
         "interactions.external": "{electric_field: [0, 0, 1], tether: 1}", "output.checkpoint_every": "60"}, [resumed(3, 50)]),
    "one-step integrators: new3, waters on a mesh": (
        {"units": "md", "system.box": "{density: 33}", "system.start.temperature": "300", "interactions.cutoff": "0.8",
         "system.molecules": "[{model: spc-e, count: 500}]", "interactions.electrostatics": "{method: mesh, tolerance: 1e-3}",
         "dynamics": "{integrator: new3, step: 0.002, steps: 20}", "output.series_every": "10", "output.frames_every": "40"},
        [resumed(3, 25)]),
    "one-step integrators: rattle, momenta that are scaled": (
        {"system.start.temperature": "3", "dynamics":
         "{integrator: rattle, step: 0.005, steps: 40, thermostat: {kind: velocity-rescaling, temperature: 3}}",
         "output.series_every": "20", "output.frames_every": "40", "output.checkpoint_every": "30"}, [shuffled(3)]),
    "one-step integrators: eln-cay and trap, without a cutoff": (
        {"system.box": "{kind: open}", "system.molecules": "[{model: stockmayer, count: 108}]", "interactions": "{}",
         "system.start.spacing": "1.2", "dynamics": "{step: 0.005}", "output.series_every": "10", "output.force_every": "4", "stages":
         "[{name: one, integrator: eln-cay, steps: 30}, {name: two, integrator: trap, steps: 4}]"}, [alike(3)]),
    # Unknowns of a step, and what is remembered of their changes, go with molecules that change owners while they are solved for
    "one-step integrators: trap, with rare output": (
        {"system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "system.start.temperature": "3",
         "dynamics": "{integrator: trap, step: 0.005, steps: 12}", "output.series_every": "6", "output.frames_every": "12",
         "output.checkpoint_every": "8"}, [shuffled(3)]),
    "a density that grows": (
        {"dynamics.barostat": "{kind: ramp, density: 0.95, every: 2}", "dynamics.step": "0.005", "dynamics.steps": "30",
         "output.series_every": "30", "output.frames_every": "30", "output.checkpoint_every": "20"}, [shuffled(3)]),
    "shadow energies and configurational temperatures": (
        {"system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "system.start.temperature": "3",
         "interactions": "{cutoff: 2.5, truncation: force-shifted, electrostatics: {method: mesh, tolerance: 1e-3}}",
         "dynamics.step": "0.005", "dynamics.steps": "20", "output.series_every": "15", "output.frames_every": "30",
         "output.checkpoint_every": "30", "output.shadow_energy": "true", "output.configurational_temperature": "true"},
        [resumed(3, 25)]),
    "configurational temperatures, compressed": (
        {"interactions.truncation": "force-shifted", "output.configurational_temperature": "true", "output.compression": "4",
         "output.fluxes_every": "6",
         "dynamics.thermostat": "{kind: langevin, temperature: 1.35}",
         "dynamics.barostat": "{kind: cell-rescaling, pressure: 1, relaxation_time: 0.5, every: 5}"}, [shuffled(3)]),
    # Lists are made several times, thinned out more often, and neither where somebody looks
    "near pairs of molecules that change owners": (
        {"system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "system.start.temperature": "3",
         "dynamics.nested": "{substeps: 2, radius: 1.7, width: 0.7}", "dynamics.steps": "60", "output.series_every": "14",
         "output.fluxes_every": "9",
         "output.frames_every": "60", "output.checkpoint_every": "23"}, [shuffled(4, 2)]),
    "near pairs in lists that are short, in fields": (
        {"dynamics.nested": "{substeps: 3, radius: 1.2, width: 0.4}", "dynamics.steps": "12",
         "interactions.external": "{electric_field: [0, 0, 1], tether: 1}"}, [resumed(3, 13)]),
    # Both lists are made for cells that are rejected, and thinned out at their times
    "near pairs in cells of any shape, some of them rejected": (
        {"system.box": "{edges: [[12, 0, 0], [2, 12, 0], [-2, 3, 12]]}", "system.start.temperature": "3", "dynamics.step": "0.005",
         "system.molecules": "[{model: stockmayer, count: 700}, {model: lennard-jones, count: 672}]", "dynamics.steps": "30",
         "dynamics.nested": "{substeps: 2, radius: 1.7, width: 0.7}", "dynamics.thermostat": "{kind: langevin, temperature: 3}",
         "output.series_every": "14", "output.frames_every": "60", "output.checkpoint_every": "23", "dynamics.barostat":
         "{kind: cell-rescaling, pressure: 4, relaxation_time: 0.04, compressibility: 0.1, shape: full, every: 3}"}, [resumed(3, 31)]),
    "near pairs, steps that are rejected": (
        {"dynamics.nested": "{substeps: 2}", "dynamics.steps": "6", "dynamics.thermostat": "{kind: metropolis, temperature: 1.35}",
         "dynamics.step": "0.02"}, [shuffled(3)]),
    "near pairs where all interact": (
        {"system.box": "{kind: open}", "system.molecules": "[{model: stockmayer, count: 108}]", "system.start.spacing": "1.2",
         "interactions": "{}", "dynamics.nested": "{substeps: 2, radius: 2, width: 1}", "dynamics.steps": "12"}, [alike(3)]),
    # Several of the blocks (4096) that processes make of a start; at rest, so that momenta are drawn for the bath
    "a start in parts that is heated": (
        {"system.molecules": "[{model: stockmayer, count: 9000}, {model: lennard-jones, count: 700}]",
         "system.start.temperature": "0", "dynamics.step": "0.005", "dynamics.steps": "3",
         "dynamics.equilibrate": "{steps: 8, temperature: 1.35}"}, [alike(3)]),
    # Momenta are stopped and scaled where molecules are, and again; places of a pair list outlive a stage
    "stages, several blocks": (
        {"system.molecules": "[{model: stockmayer, count: 5000}, {model: lennard-jones, count: 700}]", "dynamics": "{step: 0.004}",
         "system.start.temperature": "1.35", "output.series_every": "5", "output.frames_every": "10", "output.checkpoint_every": "7",
         "stages": "[{name: one, scheme: verlet, steps: 21, land: true, thermostat: {kind: langevin, temperature: 2}}, {name: two, "
                   "scheme: chin4a, steps: 2}, {name: three, scheme: verlet, steps: 3, thermostat: {kind: nose-hoover, temperature: 1}},"
                   " {name: four, scheme: verlet, steps: 4}]"}, [alike(3)]),
    "a drop in open space": (
        {"system.box": "{kind: open}", "system.start.spacing": "1.1", "system.start.temperature": "3", "dynamics.steps": "20",
         "output.series_every": "60", "output.frames_every": "60", "output.checkpoint_every": "60"}, [resumed(3, 50)]),
    "open space": ({"system.box": "{kind: open}", "system.molecules": "[{model: stockmayer, count: 108}]",
                    "interactions": "{}", "system.start.spacing": "1.2"}, [resumed(3, 13)]),
}
SHUFFLE = {**ENVIRONMENT, "POLHODE_SHUFFLE_OWNERS": "1", "POLHODE_POISON_OTHERS": "1"}
# Molecules of one site and of two, in several of the blocks that processes write (4096), few of a third kind, and elements
# of their own cadence; arrays of a checkpoint are large from 16 385 molecules on.
TOGETHER = {"system.molecules": "[{model: stockmayer, count: 12000}, {model: dipolar-lj-dumbbell, count: 4500}, "
                                "{model: lennard-jones, count: 20}]",
            "system.box.density": "0.4", "output.frames_every": "2",
            "interactions.pairs": "[{sites: [stockmayer.A, dipolar-lj-dumbbell.A], lennard-jones: {epsilon: 1, sigma: 1}}, "
                                  "{sites: [lennard-jones.A, dipolar-lj-dumbbell.A], lennard-jones: {epsilon: 1, sigma: 1}}]",
            "output.velocity_every": "3", "output.force_every": "2", "output.dipole_every": "4", "dynamics.step": "0.001"}
# With so many processes and threads; and runs that so many begin, and so many resume
MANY = {"mixture": (16, 1), "tilted box": (8, 2), "chains of thermostats, with rare output": (8, 2),
        "constant pressure, steps that are rejected": (16, 1)}
MANY_RESUMED = {"waters on a mesh": (16, 8), "cells of any shape, some of them rejected": (8, 16),
                "shadow energies and configurational temperatures": (8, 16)}


def settings(keys):
    return [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]


def alone(*words, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, **more)


def together(n, *words, variables=(), **more):
    """With variables, written as for env, that mpiexec itself does not see."""
    return processes.run([MPIEXEC, "-n", str(n), "env", *variables, PROGRAM, *words], **more)


def described(file):
    return json.loads(alone("info", file, "--json").stdout)


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.input = self.path("in.yaml")
        with open(self.input, "w", encoding="utf-8") as file:
            file.write(FLUID)

    def path(self, name):
        return os.path.join(self.folder, name)

    def good(self, ran):
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def same(self, file, other):
        self.assertTrue(filecmp.cmp(self.path(file), self.path(other), shallow=False), f"{file} and {other} differ")

    def same_checkpoint(self, file, other):
        """All but how long steps took"""
        with h5py.File(self.path(file) + ".checkpoint") as one, h5py.File(self.path(other) + ".checkpoint") as several:
            self.assertEqual(set(one), set(several))
            for name in set(one) - {"speed"}:
                self.assertEqual(np.asarray(one[name]).tobytes(), np.asarray(several[name]).tobytes(),
                                 f"{name} of {other}.checkpoint differs")


# Many runs these, of more processes; or near pairs, other Ewald sums and baths of a mixture are tried in the same way here
ELSEWHERE = {"mixture", "tilted box", "waters on a mesh", "direct Ewald sums", "a bath, with rare output",
             "drifts rejected since they go too far for lists", "steps rejected since molecules go too far for lists",
             "chains of thermostats, with rare output", "constant pressure, steps that are rejected",
             "cells of any shape, some of them rejected"}


class Bits(Processes):
    systems, most = tuple(name for name in SYSTEMS if name not in ELSEWHERE), 50  # steps after resuming
    overlaps = ("0.12", "0.8", 100), ("0", "6.5", 10000)  # jitter, density, and so many pairs at least
    writings = ("single", "gathered"), ("double", "collective")
    without_shared_memory = ((3, 3, {"NO_SHARED_MEMORY": "1"}), (3, 3, {"SHARED_MEMORY_ROOM": str(2**20)}),
                             (4, 2, {"NO_SHARED_MEMORY": "0"}), (3, 3, {"NO_SHARED_MEMORY": "2", "NO_SHARED_MEMORY_FROM": "2"}))
    kept = {}  # what one process makes of a system, once for all tests: its file, and how many evaluations it took

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.references = folder.name

    def setUp(self):
        super().setUp()
        self.input = os.path.join(self.references, "in.yaml")  # whose name is in all files
        with open(self.input, "w", encoding="utf-8") as file:
            file.write(FLUID)

    def words(self, name):
        return ("run", self.input, "--quiet", "--overwrite", "--json", *settings(SYSTEMS[name][0]))

    def alone_once(self, name):
        if name not in self.kept:
            file = os.path.join(self.references, f"{list(SYSTEMS).index(name)}.h5md")
            ran = self.good(alone(*self.words(name), "-o", file, "--threads", "1"))
            self.kept[name] = file, json.loads(ran.stdout)["force_evaluations"]
        return self.kept[name]

    def copies(self, name, *files):
        """Of what one process made of a system, to go on with"""
        for file in files:
            for ending in "", ".checkpoint", ".checkpoint.1":
                if os.path.exists(self.alone_once(name)[0] + ending):
                    shutil.copyfile(self.alone_once(name)[0] + ending, self.path(file) + ending)

    def is_what_one_computes(self, name, n, threads=1, **more):
        one, spent = self.alone_once(name)
        several = f"{name}, several.h5md"
        ran = self.good(together(n, *self.words(name), "-o", self.path(several), "--threads", str(threads), **more))
        said = json.loads(ran.stdout)
        self.assertEqual((said["processes"], said["force_evaluations"]), (n, spent))
        if threads == 1:  # the file says how many
            self.same(one, several)
        self.same_checkpoint(one, several)
        return ran

    def resumes_as_one(self, name, n, steps):
        """Each process reads a range of numbers, and owners are others than before."""
        one, several = f"{name}, one.h5md", f"{name}, several.h5md"
        self.copies(name, one, several)
        for file, resume in (one, alone), (several, lambda *words: together(n, *words, env=SHUFFLE)):
            self.good(resume("resume", self.path(file), "--steps", str(min(steps, self.most)), "--quiet", "--threads", "1"))
        self.same(one, several)
        self.same_checkpoint(one, several)

    def system(self, name):
        """All runs of a system; returns a hash of the state that one process ends with"""
        keys, ways = SYSTEMS[name]
        one, _ = self.alone_once(name)
        with h5py.File(one) as file:
            if "shape: full" in keys.get("dynamics.barostat", ""):
                accepted = file["series/cell_acceptance/value"][-1]
                self.assertTrue(0.2 < accepted < 0.8, f"{accepted} of the cells are accepted")
            if "rejected, with rare output" in name:
                accepted = file["series/acceptance/value"][-1]
                self.assertTrue(0.3 < accepted < 0.95, f"{accepted} of the steps are accepted")
        for way in ways:
            way(self, name)
        with h5py.File(one + ".checkpoint") as checkpoint:
            return hash(b"".join(np.asarray(checkpoint[column]).tobytes() for column in checkpoint if column.startswith("system_")))

    def test_all_systems(self):
        """Where owners are shuffled, what a process gives back of others' molecules is not a number, so that nobody reads it. Two
        systems at a time, since a process that runs alone leaves a core idle."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = {name: pool.submit(self.system, name) for name in self.systems}
        for name, ended in found.items():
            with self.subTest(name):
                ended.result()
        states = [ended.result() for ended in found.values() if not ended.exception()]
        self.assertEqual(len(set(states)), len(states), "two systems are alike")

    def test_starts_that_overlap(self):
        """Found from the lists of each process: as many pairs, and the same worst one. Without jitter all are alike."""
        keys = {"dynamics.steps": "0", "system.molecules": "[{model: stockmayer, count: 9000}]"}
        for jitter, density, least in self.overlaps:
            more = {**keys, "system.start.jitter": jitter, "system.box.density": density, "interactions.cutoff": "1.5"}
            words = ("run", self.input, "--quiet", "--overwrite", "--threads", "1", *settings(more))
            want = self.good(alone(*words, "-o", self.path("one.h5md"))).stderr
            with self.subTest(jitter=jitter, message=want):
                self.assertGreater(int(want.split(" other pairs overlap")[0].split()[-1]), least)
                ran = self.good(together(3, *words, "-o", self.path("several.h5md")))
                self.assertEqual(*([line for line in text.splitlines() if "overlap" in line] for text in (ran.stderr, want)))
                self.same("one.h5md", "several.h5md")

    def test_memory_that_cannot_be_shared(self):
        """One process of a machine gets none, from the first list on or later, or there is too little room: all of them send
        messages, and say so once."""
        for n, each, more in self.without_shared_memory:
            with self.subTest(processes=n, each=each, **more):
                ran = self.is_what_one_computes("molecules that change owners, with rare output", n, variables=["LD_PRELOAD=" + processes.preloaded(SHIM)],
                                                env={**ENVIRONMENT, "POLHODE_PER_MACHINE": str(each), **more})
                self.assertEqual(ran.stderr.count("Note: memory that processes of one machine share"), 1, ran.stderr)

    def test_resume_with_another_number(self):
        """As a run that nobody interrupted: both lists are as they were, each thinned out at its time."""
        name = "near pairs of molecules that change owners"
        file = self.path("several.h5md")
        self.good(together(3, *self.words(name), "--set", "dynamics.steps=37", "-o", file, "--threads", "1"))
        self.good(together(2, "resume", file, "--steps", "23", "--threads", "1"))
        self.assertEqual(described(self.alone_once(name)[0])["state_hash"], described(file)["state_hash"])

    def test_resume_between_two_thinnings(self):
        """A list that was thinned out at another time has other pairs beyond the cutoff, and its sums other last digits."""
        one, several = self.path("one.h5md"), self.path("several.h5md")
        slow = settings({"system.start.temperature": "3", "dynamics.step": "0.001", "dynamics.steps": "30", "output.checkpoint_every": "99"})
        self.good(alone("run", self.input, "--quiet", "--threads", "1", *slow, "-o", one))
        for ending in "", ".checkpoint":
            shutil.copy(one + ending, several + ending)
        with h5py.File(one + ".checkpoint") as file:
            for other in "list_built_at_0", "system_r_0":
                self.assertFalse(np.array_equal(file["list_thinned_at_0"], file[other]), f"the list is that of {other}")
        self.good(alone("resume", one, "--steps", "1", "--quiet", "--threads", "1"))
        self.good(together(2, "resume", several, "--steps", "1", "--quiet", "--threads", "1"))
        self.same_checkpoint("one.h5md", "several.h5md")

    def test_resume_of_what_has_ended(self):
        """Nothing is computed, and nothing saved: the hash is that of the molecules that were read, also where one process writes
        all of a file, or where all have all of them."""
        for name in "lists", "open space", "configurational temperatures, compressed":
            self.copies(name, "one.h5md", "several.h5md")
            for file, resume in ("one.h5md", alone), ("several.h5md", lambda *words: together(3, *words)):
                self.good(resume("resume", self.path(file), "--steps", "0", "--threads", "1"))
            with self.subTest(name):
                self.same("one.h5md", "several.h5md")

    def test_resume_after_a_change_of_stage(self):
        """The first mover leaves molecules with their owners, and with them places where lists were made"""
        self.input = self.path("stages.yaml")
        with open(self.input, "w", encoding="utf-8") as file:
            file.write(FLUID.replace("dynamics: {scheme: verlet, step: 0.01, steps: 24}", STAGES).replace("1372", "500")
                       .replace("checkpoint_every: 8", "checkpoint_every: 1000"))
        for name, first in (("one", alone), ("several", lambda *w: together(3, *w))):
            self.good(first("run", self.input, "--quiet", "-o", self.path(f"{name}.h5md"), "--threads", "1"))
            self.good(alone("resume", self.path(f"{name}.h5md"), "--steps", "30", "--threads", "1"))
        self.same("one.h5md", "several.h5md")

    def test_files_that_all_write(self):
        """Byte for byte those that one process writes; the checkpoint but for the time that it took"""
        for precision, writing in self.writings:
            keys = {**TOGETHER, "output.precision": precision, "output.writing": writing}
            for name, ns in ("one", (1, 1)), ("several", (3, 5)):
                for n, words in zip(ns, (("run", self.input, "--overwrite", "-o", self.path(f"{name}.h5md"),
                                          *settings({**keys, "dynamics.steps": "3"})),
                                         ("resume", self.path(f"{name}.h5md"), "--steps", "2"))):
                    words = (*words, "--quiet", "--threads", "1")
                    self.good(together(n, *words) if n > 1 else alone(*words))
            with self.subTest(writing=writing):
                self.same("one.h5md", "several.h5md")
                self.same_checkpoint("one.h5md", "several.h5md")

    def test_energies_and_forces(self):
        """Forces of each molecule, and differences of energies between which all molecules are moved alike"""
        few = {"system.molecules": "[{model: stockmayer, count: 256}]"}
        for words in ("energy", self.input, "--forces", "--json"), ("check", self.input, "--gradients", *settings(few)):
            one, three = (re.sub(r"[\d.]+ GB are free", "", self.good(ran).stdout) for ran in (alone(*words), together(3, *words)))
            self.assertEqual(one, three)

    def test_bench_measures_all_together(self):
        words = ("bench", "steps", "--input", self.input, "--json")
        one, three = (json.loads(self.good(ran).stdout) for ran in (alone(*words), together(3, *words)))
        self.assertEqual((one["processes"], three["processes"]), (1, 3))
        for key in ("pairs", "evaluations", "lists_made", "potential_energy_at_start", "drift_per_molecule"):
            self.assertEqual(one[key], three[key], key)
        for key in ("share_of_exchange", "share_of_waiting"):
            self.assertTrue(0.0 <= three[key] < 1.0, three)
        self.assertGreater(three["share_of_exchange"], 0.0)

    def test_the_input_may_be_standard_input(self):
        self.assertEqual(self.good(together(2, "energy", "-", input=FLUID)).stdout,
                         self.good(alone("energy", "-", input=FLUID)).stdout)


class KindsOfBits(Bits):
    """For sanitizers, which take several times as long: one of each kind of code that reads and writes memory of its own"""
    systems = ("molecules that change owners, with rare output", "dipoles on a mesh, gradients",
               "a mesh that is chosen again, in a box that grows", "direct Ewald sums, gradients",
               "two time scales on a mesh, steps rejected since forces are not finite",
               "near pairs in cells of any shape, some of them rejected", "an extended Hamiltonian, with rare output",
               "one-step integrators: trap, with rare output",
               "shadow energies and configurational temperatures", "open space")
    most, overlaps, writings, without_shared_memory = 10, Bits.overlaps[:1], Bits.writings[1:], Bits.without_shared_memory[2:3]
    # Files that all write are resumed so, too; and what the systems run is done again
    test_resume_with_another_number = test_resume_between_two_thinnings = test_resume_after_a_change_of_stage = None
    test_bench_measures_all_together = test_the_input_may_be_standard_input = None


class Many(Processes):
    """More processes than cores, and than there are tiles or slabs for"""

    def test_many_processes(self):
        """Those with two threads also change owners at random, whenever lists are made."""
        for name, (n, threads) in MANY.items():
            words = ("run", self.input, "--quiet", "--overwrite", "--threads", str(threads), *settings(
                {**SYSTEMS[name][0], "dynamics.steps": "6", "output.frames_every": "2"}))
            self.good(alone(*words, "-o", self.path("one.h5md")))
            with self.subTest(name, processes=n, threads=threads):
                self.good(together(n, *words, "-o", self.path("several.h5md"), env=SHUFFLE if threads > 1 else ENVIRONMENT))
                self.same("one.h5md", "several.h5md")

    def test_resume_with_other_numbers(self):
        for name, many in MANY_RESUMED.items():
            for file, numbers in ("one", (1, 1)), ("several", many):
                for n, words in zip(numbers, (("run", self.input, "--overwrite", "-o", self.path(f"{file}.h5md"), *settings(
                        {**SYSTEMS[name][0], "dynamics.steps": "5"})), ("resume", self.path(f"{file}.h5md"), "--steps", "3"))):
                    words = (*words, "--quiet", "--threads", "1")
                    self.good(together(n, *words) if n > 1 else alone(*words))
            with self.subTest(name):
                self.same("one.h5md", "several.h5md")


class Trouble(Processes):
    def test_a_wrong_input_is_reported_once(self):
        ran = together(3, "run", self.input, "--set", "dynamics.scheme=verlot")
        self.assertEqual(ran.stderr.split("\n--")[0].strip(), alone("run", self.input, "--set",
                                                                   "dynamics.scheme=verlot").stderr.strip())
        self.assertEqual(ran.returncode, 2)

    def test_a_backend_of_one_process_is_refused(self):
        ran = together(2, "run", self.input, "--set", "dynamics.backend=emulated")
        self.assertEqual(ran.returncode, 2)
        self.assertEqual(ran.stderr.count("one process, but there are 2"), 1, ran.stderr)

    def test_a_slab_of_ions_across_a_face_is_refused(self):
        """Each process makes a part of the cloud; ions at both faces are those of all."""
        for name, charge in ("plus", 1), ("minus", -1):
            with open(self.path(f"{name}.yaml"), "w", encoding="utf-8") as file:
                file.write(f"name: {name}\nsource: none\nunits: reduced\nsites: [{{name: A, mass: 1, charge: {charge}}}]\n")
        with open(self.input, "w", encoding="utf-8") as file:
            file.write("""units: reduced
system:
  box: {length: [20, 20, 60]}
  molecules: [{model: plus.yaml, count: 100}, {model: minus.yaml, count: 100}]
  start: {kind: gaussian, spread: 3, temperature: 1}
interactions: {cutoff: 2, electrostatics: {method: mesh, tolerance: 1e-3, geometry: slab}}
dynamics: {scheme: verlet, step: 0.00001, steps: 2}
output: {frames_every: 0}
""")
        ran = together(2, "run", self.input, "--threads", "1")
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn("geometry is slab, but ions lie at both faces", ran.stderr)
        self.assertEqual(ran.stderr.split("\n--")[0].strip(), alone("run", self.input).stderr.strip())

    def test_a_wrong_option_is_reported_once(self):
        ran = together(3, "run", self.input, "--thread", "none")
        self.assertEqual((ran.returncode, ran.stderr.count("none")), (2, 1), ran.stderr)

    def test_what_one_process_does_is_done_once(self):
        self.assertEqual(self.good(together(3, "list", "flows")).stdout, alone("list", "flows").stdout)
        for words in ("tune", self.input, "--tolerance", "1e-3"), ("bench", "flows"), ("bench", "forces", "--scaling"):
            ran = together(3, *words)
            self.assertEqual((ran.returncode, ran.stderr.count("start it without mpirun")), (2, 1), ran.stderr)

    def test_a_file_that_the_first_cannot_write_ends_all(self):
        ran = together(3, "run", self.input, "--quiet", "-o", self.path("nowhere/run.h5md"))
        self.assertEqual((ran.returncode, ran.stderr.count("polhode run: ")), (4, 1), ran.stderr)

    def test_numbers_that_fail_are_reported_once(self):
        """Also those of a body for which one process finds no solution, which others do not know of."""
        for key in ("dynamics.step=0.2", "dynamics={integrator: rattle, step: 3, steps: 6}",
                    "dynamics={integrator: vlv, step: 1e9, steps: 6}", "dynamics={integrator: trap, step: 0.3, steps: 6}"):
            ran = together(3, "run", self.input, "--quiet", "--overwrite", "-o", self.path("run.h5md"), "--set", key)
            with self.subTest(key):
                self.assertEqual((ran.returncode, ran.stderr.count("last good checkpoint")), (3, 1), ran.stderr)
                if "rattle" in key or "vlv" in key:
                    self.assertEqual(ran.stderr.count("finds no solution for the rotation of molecule"), 1, ran.stderr)

    def test_forces_that_are_not_finite_are_those_of_the_lowest_number(self):
        """Whichever process has it. Of several, who looks for the solution of an implicit step tells of it."""
        pairs = "[{sites: [lennard-jones.A, lennard-jones.A], soft-sphere: {epsilon: 1, sigma: 500, exponent: 100}}]"
        words = ["run", self.input, "--quiet", "--overwrite", "-o", self.path("run.h5md"), "--set", "dynamics={step: 1, steps: 1}",
                 "--set", "system.molecules=[{model: lennard-jones, count: 500}]", "--set", "system.start={kind: fcc, temperature: 3}",
                 "--set", f"interactions={{cutoff: 1.15, pairs: {pairs}}}"]  # neighbours begin farther away, without forces
        for integrator in ("trap", "imidm"):
            words += ["--set", f"dynamics.integrator={integrator}"]
            first = re.search(r"The force on molecule (\d+) .* is not finite", alone(*words).stderr).group(1)
            for n in 2, 3:
                with self.subTest(integrator, n=n):
                    ran = together(n, *words)
                    self.assertEqual((ran.returncode, ran.stderr.count("last good checkpoint")), (3, 1), ran.stderr)
                    self.assertRegex(ran.stderr, rf"change by inf of the largest momentum, most on molecule {first}\.")

    def test_one_that_fails_alone_says_why_and_ends_all(self):
        script = self.path("differs")
        with open(script, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$PMIX_RANK}}\n'
                       f'[ "$rank" = 1 ] && exec {PROGRAM} energy missing.yaml\nexec {PROGRAM} energy {self.input}\n')
        os.chmod(script, 0o755)
        ran = processes.run([MPIEXEC, "-n", "3", script])
        self.assertNotEqual(ran.returncode, 0)
        self.assertEqual(ran.stderr.count("polhode energy: missing.yaml"), 1, ran.stderr)

    def test_processes_with_different_inputs_are_told(self):
        script = self.path("differs")
        for words in f"run {self.input} --quiet -o {self.path('run.h5md')}", f"energy {self.input}":
            with open(script, "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$PMIX_RANK}}\n'
                           f'exec {PROGRAM} {words} --set system.start.seed=$rank\n')
            os.chmod(script, 0o755)
            ran = processes.run([MPIEXEC, "-n", "3", script])
            self.assertNotEqual(ran.returncode, 0)
            self.assertEqual(ran.stderr.count("do not hold the same state"), 1, ran.stderr)
        self.assertFalse(os.path.exists(self.path("run.h5md")))


class Ends(Processes):
    """A run without end, of three processes; something happens to one of them. Then it resumes, on one."""

    def start(self, *settings):
        self.file, self.settings = self.path("run.h5md"), settings
        self.run = subprocess.Popen([MPIEXEC, "-n", "3", PROGRAM, "run", self.input, "-o", self.file, "--set",
                                     "dynamics.steps=1000000", *settings], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    text=True, env=ENVIRONMENT)
        self.addCleanup(self.run.kill)
        while not os.path.exists(self.file + ".checkpoint.1"):  # the second checkpoint has been written
            self.assertIsNone(self.run.poll())
            time.sleep(0.02)

    def ranks(self):
        """Processes of the run, in the order of their ranks"""
        found = processes.ranks(self.file)
        self.assertEqual(sorted(found), [0, 1, 2])
        return [found[rank] for rank in sorted(found)]

    def all_gone(self, ranks):
        for process in ranks:
            while processes.is_alive(process):
                time.sleep(0.02)

    def end(self):
        out, errors = self.run.communicate(timeout=3600)
        step = described(self.file)["checkpoint"]["step"]
        want = self.path("want.h5md")
        self.good(alone("resume", self.file, "--until", str(step + 5), "--quiet"))
        self.good(alone("run", self.input, "--quiet", "-o", want, "--set", f"dynamics.steps={step + 5}",
                        *self.settings))
        self.assertEqual(described(self.file)["state_hash"], described(want)["state_hash"])
        return out, errors

    def test_a_signal_to_any_ends_the_run_with_a_checkpoint(self):
        self.start()
        os.kill(self.ranks()[1], signal.SIGTERM)
        out, errors = self.end()
        self.assertEqual(self.run.returncode, 130, errors)
        self.assertEqual(out.count("Interrupted; to continue"), 1)

    def test_a_process_that_is_killed_ends_all(self):
        self.start()
        ranks = self.ranks()
        os.kill(ranks[2], signal.SIGKILL)
        self.end()
        self.assertNotEqual(self.run.returncode, 0)
        self.all_gone(ranks)

    def test_a_process_that_crashes_says_what_it_kept(self):
        self.start("--set", "interactions={cutoff: 2.5}")  # each process has a note, of what was chosen
        ranks = self.ranks()
        os.kill(ranks[1], signal.SIGABRT)
        _, errors = self.end()
        self.assertNotEqual(self.run.returncode, 0)
        self.assertEqual(errors.count("choose by interactions.electrostatics"), 2, errors)
        self.all_gone(ranks)

    def test_a_file_that_cannot_grow_ends_all(self):
        self.start()
        size = os.path.getsize(self.file)
        resource.prlimit(self.ranks()[0], resource.RLIMIT_FSIZE, (size, size))
        _, errors = self.end()
        self.assertEqual(self.run.returncode, 4, errors)
        self.assertEqual((errors.count("polhode run: Step "), errors.count("last good checkpoint")), (1, 1), errors)

    def test_a_share_that_cannot_be_written_ends_all(self):
        """Not by the process that has the file, which stays as it was committed before"""
        self.start(*settings({**TOGETHER, "output.writing": "collective", "output.checkpoint_every": "1"}))
        size = os.path.getsize(self.file)
        resource.prlimit(self.ranks()[1], resource.RLIMIT_FSIZE, (size, size))
        _, errors = self.end()
        self.assertEqual(self.run.returncode, 4, errors)
        self.assertEqual((errors.count("polhode run: Step "), errors.count("last good checkpoint")), (1, 1), errors)

    def test_an_interrupt_ends_the_run(self):
        self.start()
        ranks = self.ranks()
        self.run.send_signal(signal.SIGINT)  # of the launcher, whose exit status is its own
        self.end()
        self.all_gone(ranks)


class KindsOfEnds(Ends):
    """For sanitizers: where a process writes what it kept, or cannot write"""
    test_a_signal_to_any_ends_the_run_with_a_checkpoint = test_a_process_that_is_killed_ends_all = None
    test_an_interrupt_ends_the_run = None


if __name__ == "__main__":
    if MPIEXEC == "none":  # a program without MPI says so, once
        for rank in "0", "1":
            told = alone("energy", "missing.yaml", env={**os.environ, "PMI_RANK": rank, "PMI_SIZE": "2"})
            assert (told.returncode, "without MPI" in told.stderr) == ((2, True) if rank == "0" else (0, False)), told
    processes.need(MPIEXEC)
    unittest.main()
