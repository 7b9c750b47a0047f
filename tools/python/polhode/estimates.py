# SPDX-License-Identifier: MIT
"""A small stand-in, in numpy, for what `polhode analyze` does not have."""
from __future__ import annotations

from typing import Optional

import numpy as np

from .results import Result, Table
from .trajectory import Trajectory

MOST_PAIRS = 4_000_000  # of one frame: beyond, some molecules only are seen from


def pairs_of(frame, half: float):
    """Separations r_j - r_i of pairs nearer than `half`, with i and j; of a part of the molecules if they are many."""
    centres, box = frame.centres, frame.box
    n = len(centres)
    chosen = np.arange(n) if n * n <= MOST_PAIRS else np.arange(0, n, -(-n * n // MOST_PAIRS))
    inverse = None if box is None else np.linalg.inv(box)
    for i in chosen:
        d = centres - centres[i]
        if box is not None:
            d -= np.rint(d @ inverse) @ box
        r2 = np.einsum("nk,nk->n", d, d)
        j = np.flatnonzero((r2 < half * half) & (np.arange(n) != i))
        yield i, j, d[j], np.sqrt(r2[j])


def orientation(run: Trajectory, most_frames: int = 20, bins: int = 150) -> Optional[Result]:
    """Projections h110, h112, h220 and g_K(r) of the dipoles."""
    frames = run.frames.production
    box = run.box
    if len(frames) == 0 or box is None or run.n_molecules < 2:
        return None
    frames = frames[::max(1, -(-len(frames) // most_frames))]
    volume = abs(np.linalg.det(box))
    half = 0.5 * volume / max(np.linalg.norm(np.cross(box[a], box[b])) for a, b in ((0, 1), (1, 2), (2, 0)))
    edges = np.linspace(0.0, half, bins + 1)
    sums, seen, polar = np.zeros((4, bins)), 0, True
    for frame in frames:
        dipoles = frame.dipoles
        size = np.linalg.norm(dipoles, axis=1) if dipoles is not None else np.zeros(1)
        polar = polar and bool(np.all(size > 0))
        axes = dipoles / size[:, None] if polar else None
        for i, j, d, r in pairs_of(frame, half):
            seen += 1
            where = np.minimum((r / half * bins).astype(int), bins - 1)
            weights = [np.ones_like(r)]
            if polar:
                cosine = axes[j] @ axes[i]
                normal = d / r[:, None]
                along = 3 * (normal @ axes[i]) * np.einsum("nk,nk->n", normal, axes[j]) - cosine
                weights += [cosine, along, 1.5 * cosine**2 - 0.5]
            for k, weight in enumerate(weights):
                sums[k] += np.bincount(where, weight, bins)
    shells = 4 / 3 * np.pi * np.diff(edges**3)
    density, r = run.n_molecules / volume, 0.5 * (edges[1:] + edges[:-1])
    ideal = seen * shells * density
    unit = "nm" if run.units == "md" else ""
    if not polar:
        return None
    result = Result("orientation")
    result.tables["projections"] = Table(
        {"r": r, "h110": 3 * sums[1] / ideal, "h112": 1.5 * sums[2] / ideal, "h220": 5 * sums[3] / ideal,
         "kirkwood": 1 + np.cumsum(sums[1]) / seen}, {"r": unit})
    return result
