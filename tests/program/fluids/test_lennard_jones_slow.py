#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shipped inputs/lennard-jones.yaml gives the properties of NIST's reference calculations at the temperature 0.85
(cutoff 3, with the correction for the long range): test_lennard_jones_slow.py PROGRAM INPUT

Energy is constant, so the temperature is a result and lies a little beside 0.85: energy and pressure are taken there
with the heat capacity and the thermal pressure coefficient of the same run, from the fluctuations of the kinetic energy
(Lebowitz, Percus, Verlet, Phys. Rev. 153 (1967) 250; NIST's tables at 0.85 and 0.90 have the same slopes). Errors are
those of block averages. Energy and pressure are those of NIST's Monte Carlo table, diffusion that of its table of
molecular dynamics, whose energies lie 0.006 to 0.01 below those of the Monte Carlo table, more than its errors.
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

TEMPERATURE, ENERGY_ERROR, PRESSURE_ERROR = 0.85, 0.001, 0.005
STATE = (0.776, -5.5121, 0.0067714, 0.061)  # that of the input; test_ensembles_slow.py has 0.82 and 0.86


def blocks(x, n=20):
    """Mean and its standard error, from n blocks that are longer than anything remembers"""
    means = numpy.array([b.mean() for b in numpy.array_split(x, n)])
    return means.mean(), means.std(ddof=1) / numpy.sqrt(n)


def diffusion(file, start):
    """From the mean square displacement between times 2 and 5, over all origins"""
    group = file["particles/trajectory"]
    step, time = group["position/step"][:], group["position/time"][:]
    edges = group["box/edges/value"][0]
    keep = step >= start
    r = group["position/value"][:][keep] + group["image/value"][:][keep] @ (edges if edges.ndim == 2 else numpy.diag(edges))
    interval = time[1] - time[0]
    lags = range(round(2 / interval), round(5 / interval) + 1)
    msd = [((r[k:] - r[:-k]) ** 2).sum(axis=2).mean() for k in lags]
    return numpy.polyfit([k * interval for k in lags], msd, 1)[0] / 6


def check(program, source, state):
    density, u_ref, p_ref, d_ref = state
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "lj.h5md")
        subprocess.run([program, "run", source, "-q", "-o", name], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with h5py.File(name) as file:
            start = file["parameters/production_begins_at_step"][()]
            series = file["series"]
            keep = series["temperature/step"][:] >= start
            n = file["particles/trajectory/position/value"].shape[1]
            volume = n / density
            t_all = series["temperature/value"][:][keep]
            u_all = series["potential_energy/value"][:][keep] / n
            p_all = series["pressure/value"][:][keep]
            d = diffusion(file, start)
    kinetic = 0.5 * (3 * n - 3) * t_all
    t, _ = blocks(t_all)
    capacity = 1.5 / (1 - 1.5 * n * kinetic.var() / kinetic.mean() ** 2)  # of one molecule
    both = ((p_all - p_all.mean()) * (kinetic - kinetic.mean())).mean()
    slope = 2 * capacity * density / 3 * (1 - volume * both / (n * t * t))  # dp/dT
    u, du = blocks(u_all + (capacity - 1.5) * (TEMPERATURE - t_all))
    p, dp = blocks(p_all + slope * (TEMPERATURE - t_all))
    print(f"density {density}: T {t:.4f}; at {TEMPERATURE}: U {u:.4f} +- {du:.4f} (NIST {u_ref}), p {p:.4f} +- {dp:.4f} "
          f"(NIST {p_ref}), D {d:.4f} (NIST {d_ref}), cv {capacity:.2f}, dp/dT {slope:.2f}")
    good = abs(t - TEMPERATURE) < 0.08  # three times the fluctuations of the bath
    good = good and abs(u - u_ref) < 3 * numpy.hypot(du, ENERGY_ERROR)
    good = good and abs(p - p_ref) < 3 * numpy.hypot(dp, PRESSURE_ERROR)
    return good and abs(d - d_ref) < 0.12 * d_ref


if not check(*sys.argv[1:3], STATE):
    sys.exit("some property is not NIST's")
