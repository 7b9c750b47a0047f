# SPDX-License-Identifier: MIT
"""Where things are in a file."""
from __future__ import annotations

import fcntl
import os
import struct
from typing import Any, Dict, List, Optional

import h5py
import numpy as np

from .elements import find_element, sound
from .molecules import Shape, Site, Species
from .names import TrajectoryError
from .seal import is_damaged
from .series import text_of


def open_file(path: str) -> h5py.File:
    if not os.path.isfile(path):
        raise TrajectoryError(f"{path}: is not there.")
    if is_damaged(path):
        raise TrajectoryError(f"{path}: is damaged: it is not as the run wrote it.")
    for attempts_left in reversed(range(20)):
        try:
            file = h5py.File(path, "r", locking=False)  # a run may be writing it
            break
        except (OSError, RuntimeError) as error:
            if attempts_left and is_written(path):
                continue  # HDF5 takes a file that grows while it is opened for a damaged one
            if "truncated" in str(error):
                raise TrajectoryError(f"{path}: is truncated, its end is missing.") from error
            raise TrajectoryError(f"{path}: is not an HDF5 file, or a damaged one.") from error
    if "h5md" not in file:
        file.close()
        raise TrajectoryError(f"{path}: is an HDF5 file, but not H5MD: it has no group 'h5md'.")
    return file


def read_clocks(file: h5py.File, path: str) -> Dict[int, int]:
    """Rows that all elements of a list of steps have, by the address of the list.

    A run that is killed while it adds a row leaves it in some of them. Links into other files, and data sets whose data
    are there, are refused: a file from elsewhere could have made them.
    """
    rows: Dict[int, int] = {}
    names: List[bytes] = []

    def visit(name: bytes, info: Any) -> Optional[bytes]:  # opens nothing: h5py loses what is raised in it
        if info.type == h5py.h5l.TYPE_HARD:
            names.append(name)
        return name if info.type not in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT) else None

    elsewhere = file.id.links.visit(visit, info=True)
    if elsewhere is not None:
        raise TrajectoryError(
            f"{path}: {elsewhere.decode('utf-8', 'replace')} is a link into another file. "
            "Only what is in the file itself is read."
        )
    for name in names:
        refuse_elsewhere(file, name.decode("utf-8", "surrogateescape"), path)
    for name in names:
        if not name.endswith(b"/value"):
            continue
        group = file[name[: -len(b"/value")].decode("utf-8", "surrogateescape")]
        parts = [group[part] for part in ("step", "time", "value") if isinstance(group.get(part), h5py.Dataset)]
        if isinstance(group.get("step"), h5py.Dataset) and group["step"].ndim > 0:
            address = h5py.h5o.get_info(group["step"].id).addr
            n = min(part.shape[0] for part in parts if part.ndim > 0)
            rows[address] = min(n, rows.get(address, n))
    return rows


def refuse_elsewhere(file: h5py.File, name: str, path: str) -> None:
    """Raises if the numbers or texts of a data set are in other files. Damage shows where the object is read."""
    try:
        item = file[name]
        elsewhere = isinstance(item, h5py.Dataset) and (item.is_virtual or item.external)
    except (OSError, KeyError, RuntimeError, ValueError, TypeError):
        return
    if elsewhere:
        raise TrajectoryError(f"{path}: the data of {name} are in another file. Only what is in the file itself is read.")


def is_written(path: str) -> Optional[bool]:
    """Whether a run is writing to this file; None if the file system does not say.

    It holds a lock on one byte far behind the end (src/output/hdf5/store.c), which goes with its process however that ends.
    """
    flock, far = "hhqqi4x", 2**63 - 2  # struct flock of Linux: kind, from where, first byte, length, owner
    try:
        with open(path, "rb") as file:
            lock = struct.pack(flock, fcntl.F_RDLCK, os.SEEK_SET, far, 1, 0)
            return struct.unpack(flock, fcntl.fcntl(file, fcntl.F_OFD_GETLK, lock))[0] != fcntl.F_UNLCK
    except (OSError, AttributeError):
        return None


def find_particles(file: h5py.File) -> Optional[h5py.Group]:
    """Ours, or the first that has positions."""
    groups = file.get("particles")
    if not isinstance(groups, h5py.Group):
        return None
    for name in ["trajectory"] + list(groups):
        if isinstance(groups.get(name), h5py.Group) and "position" in groups[name]:
            return groups[name]
    return None


def read_shapes(group: h5py.Group, n: int) -> List[Optional[Shape]]:
    """Of n sites or particles: `axes` and `half_axes` of the group, which has them if one of its sites has axes."""
    if "axes" not in group or "half_axes" not in group:
        return [None] * n
    axes, half = (np.asarray(sound(group[name])[()], dtype=float) for name in ("axes", "half_axes"))
    if axes.shape != (n, 3, 3) or half.shape != (n, 3) or not (np.isfinite(axes).all() and np.isfinite(half).all()):
        return [None] * n
    return [Shape(a, h if np.all(h > 0) else None) if np.any(a) else None for a, h in zip(axes, half)]


def read_radius(file: h5py.File, particle: int) -> float:
    """Half of sigma of a particle, from what VMD reads; 0 if not known"""
    kinds, radii = file.get("particles/trajectory/species"), file.get("parameters/vmd_structure/radius")
    if not isinstance(kinds, h5py.Dataset) or not isinstance(radii, h5py.Dataset) or not 0 <= particle < len(kinds):
        return 0.0
    kind = int(sound(kinds)[particle])
    return float(sound(radii)[kind]) if 0 <= kind < len(radii) else 0.0


def read_bodies(bodies: h5py.Group) -> List[Species]:
    found, first = [], 0
    for name in sorted(bodies, key=lambda each: int(bodies[each].attrs.get("first_particle", 0))):
        group, sites = bodies[name], bodies[name]["sites"]
        listed = [
            Site(text_of(label), position, float(mass), float(charge), shape)
            for label, position, mass, charge, shape in zip(
                sites["name"][:],
                sites["position_body"][:],
                sites["mass"][:],
                sites["charge"][:],
                read_shapes(sites, len(sites["name"])),
            )
        ]
        count = group["center/value"].shape[1]
        particle = int(group.attrs.get("first_particle", 0))
        found.append(
            Species(
                name,
                count,
                first,
                float(group["mass"][()]),
                group["inertia"][:],
                listed,
                radius=read_radius(bodies.file, particle) if len(listed) == 1 else 0.0,
                group=name,
                first_particle=particle,
            )
        )
        first += count
    return found


def read_particles(file: h5py.File, group: h5py.Group, clocks: Dict[int, int]) -> List[Species]:
    """Molecules of one particle each: a species is a stretch of particles of one kind."""
    position, labels = find_element(group, "position", clocks), find_element(group, "species", clocks)
    n = position.data.shape[-2] if position else 0
    if n == 0:
        return []
    kinds = np.asarray(labels.data[:], dtype=int) if labels and labels.fixed else np.zeros(n, dtype=int)
    names = (
        [text_of(name) for name in file["parameters/species_names"][:]] if ("parameters/species_names" in file) else []
    )
    masses = find_element(group, "mass", clocks)
    radii = file.get("parameters/vmd_structure/radius")
    moments = file.get("parameters/inertia")
    shapes = read_shapes(file["parameters"], len(names)) if names else []
    starts = [0] + [int(k) + 1 for k in np.flatnonzero(np.diff(kinds))] + [n]
    found = []
    for first, end in zip(starts[:-1], starts[1:]):
        kind = int(kinds[first])
        name = names[kind] if 0 <= kind < len(names) else f"species {kind}"
        found.append(
            Species(
                name,
                end - first,
                first,
                float(masses.data[first]) if masses and masses.fixed else 1.0,
                moments[kind] if moments is not None and 0 <= kind < len(moments) else None,
                radius=float(radii[kind]) if radii is not None and 0 <= kind < len(radii) else 0.0,
                first_particle=first,
                shape=shapes[kind] if 0 <= kind < len(shapes) else None,
            )
        )
    return found
