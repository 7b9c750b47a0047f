#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Lennard-Jones liquid near its triple point: diffusion from displacements and from velocities, viscosity from stress:
test_analysis_transport_slow.py PROGRAM

At density 0.8442 and temperature 0.722 simulations of the literature find D = 0.033 and eta between 3.2 and 3.5; the run
here is at constant energy and its temperature lies a little beside that."""
import os

import numpy

import h5md_made as made
from h5md_made import analyze, check, value


def transport_coefficients_agree(program, folder):
    name = os.path.join(folder, "lj.h5md")
    sets = {"system.box.density": 0.8442, "system.start.temperature": 0.722, "dynamics.steps": 15000,
            "dynamics.equilibrate.steps": 2000, "output.frames_every": 6, "output.series_every": 3}
    made.run(program, "run", os.path.join(made.ROOT, "inputs/lennard-jones.yaml"), "-q", "-o", name,
             *[w for k, v in sets.items() for w in ("--set", f"{k}={v}")])
    einstein, d_einstein = value(analyze(program, "msd", name, "--lag", 6, "--fit", "2,5"), "diffusion.lennard-jones")
    velocity = analyze(program, "correlation", name, "--of", "velocity", "--lag", 2)
    kubo, d_kubo = value(velocity, "diffusion.lennard-jones")
    stress = analyze(program, "correlation", name, "--of", "stress", "--lag", 4, "--fit", "0,2")
    eta, d_eta = value(stress, "viscosity")
    temperature, _ = value(analyze(program, "temperature", name), "temperature")
    print(f"T {temperature:.3f}, D {einstein:.4f} +- {d_einstein:.4f} and {kubo:.4f} +- {d_kubo:.4f}, "
          f"eta {eta:.2f} +- {d_eta:.2f}")
    check(abs(einstein - kubo) < 3.5 * numpy.hypot(d_einstein, d_kubo) < 0.005, "diffusion")
    check(0.026 < einstein < 0.038, "diffusion", einstein)
    check(abs(eta - 3.3) < 3 * numpy.hypot(d_eta, 0.2) and d_eta < 0.8, "viscosity", eta, d_eta)
    # velocities of a system whose total momentum is zero: 3 (N - 1)/N kT
    mean, error = value(velocity, "mean_square_velocity.lennard-jones")
    check(abs(mean - 3 * temperature * 499 / 500) < 4 * error + 1e-3, "equipartition", mean, error)


made.main([transport_coefficients_agree])
