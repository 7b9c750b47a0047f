# SPDX-License-Identifier: MIT
"""MBAR from the energies that `polhode analyze free-energy` writes. Needs pymbar (Debian: python3-pymbar)."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .results import Result


@dataclass
class FreeEnergies:
    """F/kT of each run less that of the first."""

    values: np.ndarray  # of the key
    f: np.ndarray
    error: np.ndarray


def energies(result: Result) -> list[np.ndarray]:
    """U/kT of the frames of each run: [run][value][frame]"""
    runs = range(1, len(result.tables["runs"]["value"]) + 1)
    return [np.array([result.tables[f"frames_{k}"][f"u_{l}"] for l in runs]) for k in runs]


def mbar(result: Result) -> FreeEnergies:
    """All runs at once, by the multistate acceptance ratio (Shirts, Chodera 2008), from frames that are independent"""
    try:
        import pymbar
        from pymbar import timeseries
    except ImportError as missing:
        raise ImportError("MBAR needs pymbar: install python3-pymbar, or pip install 'pymbar<4'") from missing
    samples = []
    for k, u in enumerate(energies(result)):
        other = u[k + 1] if k + 1 < len(u) else u[k - 1]
        work = other - u[k]
        if not np.ptp(work) > 0:
            raise ValueError(f"run {k + 1} has the same energies with the value of its neighbour: the key changes nothing")
        inefficiency = timeseries.statisticalInefficiency(work)
        samples.append(u[:, timeseries.subsampleCorrelatedData(work, g=inefficiency)])
    found = pymbar.MBAR(np.concatenate(samples, axis=1), [u.shape[1] for u in samples])
    f, error = found.getFreeEnergyDifferences(return_theta=False)[:2]
    return FreeEnergies(result.tables["runs"]["value"], f[0], error[0])
