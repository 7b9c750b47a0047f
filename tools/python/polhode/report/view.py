# SPDX-License-Identifier: MIT
"""The last frames in few bytes, for the picture that can be turned and played."""
from __future__ import annotations

import base64
from typing import Dict, List, Optional

import numpy as np

from ..molecules import Shape, Species
from ..trajectory import Trajectory

MOST_BYTES, MOST_FRAMES, MOST_MOLECULES = 2_500_000, 60, 5000
BYTES_PER_MOLECULE = 6 + 8  # three 16-bit coordinates, a quaternion in four

# Relative sizes and colours of elements; others take colours by turns.
ELEMENTS = {
    "H": ("@light", 0.6),
    "O": ("@c2", 1.0),
    "C": ("@dark", 1.0),
    "N": ("@c1", 1.0),
    "S": ("@c3", 1.1),
    "F": ("@c5", 0.9),
    "Cl": ("@c5", 1.1),
    "Ar": ("@c1", 1.2),
}


def pack(values: np.ndarray, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def _choose(run: Trajectory) -> np.ndarray:
    """All molecules, or those in a cube in the middle of the last frame."""
    n = run.n_molecules
    if n <= MOST_MOLECULES:
        return np.arange(n)
    centres = run.frames[-1].centres
    middle = centres.min(axis=0) / 2 + centres.max(axis=0) / 2
    far = np.abs(centres - middle).max(axis=1)
    return np.sort(np.argsort(far)[:MOST_MOLECULES])


def _ellipsoid(shape: Optional[Shape]) -> Dict:
    """Half axes and the directions along which they are; nothing of what is no ellipsoid"""
    if shape is None or shape.half_axes is None:
        return {}
    return {"half": shape.half_axes.tolist(), "along": shape.axes.tolist(), "radius": float(shape.half_axes.max())}


def _knobs(species: Species, ball: Dict) -> List[Dict]:
    """Small balls where the axes of a ball with several of them, such as patches, leave it"""
    patches = [site for site in species.sites if site.shape is not None]
    if len(patches) < 2:
        return []
    reach = 0.8 * ball["radius"]
    return [
        {"at": (reach * site.shape.axes[2]).tolist(), "name": site.name, "colour": "@c2", "radius": 0.5 * reach}
        for site in patches
    ]


def _sites(species: Species, colour: str, spacing: float, alone: bool, true_size: bool) -> List[Dict]:
    """Balls of a molecule: large enough to touch, or of a part of the distance between molecules if it is one ball.
    Ellipsoids, and balls among them (`true_size`), have their own size."""
    extent = max((float(np.linalg.norm(site.position)) for site in species.sites), default=0.0)
    if extent == 0.0:
        name = species.sites[0].name if species.sites else species.name
        ball = {
            "at": [0, 0, 0],
            "name": name,
            "colour": ELEMENTS.get(name, (colour,))[0],
            "radius": species.radius if true_size and species.radius > 0 else (0.36 if alone else 0.28) * spacing,
        }
        ellipsoids = [shape for shape in species.shapes if shape.half_axes is not None]
        return [{**ball, **_ellipsoid(ellipsoids[0])}] if ellipsoids else [ball, *_knobs(species, ball)]
    found = []
    thin = min((shape.half_axes.min() for shape in species.shapes if shape.half_axes is not None), default=np.inf)
    hide = np.isfinite(thin) or any(site.mass > 0 for site in species.sites)
    for site in species.sites:
        shape = _ellipsoid(site.shape)
        if hide and site.mass == 0 and not shape:
            continue  # it carries a charge, and is inside of the others
        paint, relative = ELEMENTS.get(site.name.rstrip("0123456789"), (colour, 0.9))
        ball = {
            "at": [float(x) for x in site.position],
            "name": site.name,
            "colour": paint,
            "radius": min(0.72 * extent * relative, 0.8 * float(thin)),
        }
        found.append({**ball, **shape})
    return found


def make_view(run: Trajectory) -> Optional[Dict]:
    """What view.js draws; None without frames."""
    if len(run.frames) == 0 or run.n_molecules == 0:
        return None
    chosen = _choose(run)
    most = max(1, min(MOST_FRAMES, MOST_BYTES // (BYTES_PER_MOLECULE * len(chosen))))
    frames = run.frames[-most:]
    box = run.box
    placed = np.array([frame.centres[chosen] for frame in frames], dtype=float)
    placed[~np.isfinite(placed)] = np.nan
    if placed.shape[2] != 3 or np.isnan(placed).all(axis=(0, 1)).any():
        return None
    low, high = np.nanmin(placed, axis=(0, 1)), np.nanmax(placed, axis=(0, 1))
    corners = np.zeros((1, 3))
    boxes = None
    if box is not None:
        each = [frame.box for frame in frames]
        changes = any(one is not None and not np.array_equal(one, box) for one in each)
        boxes = np.array([box if one is None else one for one in each] if changes else [box])
        elsewhere = np.any(low < -0.1 * np.diag(box))  # boxes of other programs may begin there
        corners = 0.5 * (low + high - boxes.sum(axis=1)) if elsewhere else np.zeros((len(boxes), 3))
        ends = corners[:, None, :] + np.array([[(k >> e) & 1 for e in range(3)] for k in range(8)]) @ boxes
        low, high = np.minimum(low, ends.min(axis=(0, 1))), np.maximum(high, ends.max(axis=(0, 1)))
    flat = high <= low  # one molecule that stays, or a plane
    low, span = np.where(flat, low - 0.5, low), np.where(flat, 1.0, high - low)
    dipoles = run.body_dipoles
    volume = abs(np.linalg.det(box)) if box is not None else float(np.prod(span))
    spacing = float((volume / run.n_molecules) ** (1 / 3))
    alone = not any(one.sites for one in run.species)
    shaped = any(shape.half_axes is not None for species in run.species for shape in species.shapes)
    kinds, turned = [], frames[-1].quaternions is not None
    for s, species in enumerate(run.species):
        inside = int(np.count_nonzero((chosen >= species.first) & (chosen < species.first + species.count)))
        axis = dipoles[s] if dipoles is not None and np.any(dipoles[s]) else None
        polar = axis is not None
        if polar:
            axis = axis / np.linalg.norm(axis)
        elif turned and (species.inertia is None or np.any(species.inertia > 0)):
            axis = np.array([0.0, 0.0, 1.0]) if species.axis is None else species.axis
        colour = f"@c{3 + s % 4}" if shaped else f"@c{1 + s % 6}"  # the first two are those of directions
        kinds.append(
            {
                "name": species.name,
                "count": inside,
                "sites": _sites(species, colour, spacing, alone, shaped),
                "colour": colour,
                "axis": None if axis is None else [float(x) for x in axis],
                "polar": polar,
            }
        )
    turns = None
    if turned:
        each = [
            np.nan_to_num(frame.quaternions[chosen])
            if frame.quaternions is not None
            else np.tile([1.0, 0, 0, 0], (len(chosen), 1))
            for frame in frames
        ]
        turns = pack(np.rint(np.clip(each, -1, 1) * 32767), "<i2")
    return {
        "kinds": kinds,
        "n": len(chosen),
        "of": run.n_molecules,
        "frames": len(frames),
        "all": len(run.frames),
        "time": [float(t) for t in frames.time],
        "low": low.tolist(),
        "span": span.tolist(),
        "boxes": None if boxes is None else boxes.tolist(),  # of each frame, or one for all
        "corners": corners.tolist(),
        "spacing": spacing,
        "unit": "ps" if run.units == "md" else "",
        "length": "nm" if run.units == "md" else "",
        "position": pack(np.rint((np.nan_to_num(placed) - low) / span * 65535), "<u2"),
        "attitude": turns,
    }
