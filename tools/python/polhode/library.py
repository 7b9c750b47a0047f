# SPDX-License-Identifier: MIT
"""The shared library libpolhode: where it is, and its functions, as polhode.h declares them."""
from __future__ import annotations

import ctypes
import functools
import glob
import os
import pathlib
import shutil
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import List

from .version import VERSION


class LibraryError(Exception):
    """The shared library cannot be used: it was not found, or is of another version."""


# ---- What polhode.h declares ----

STATUS = ("ok", "check", "input", "numbers", "io", "memory")  # enum ph_status
ARRAYS = ("positions", "unwrapped", "momenta", "orientations", "angular_momenta", "forces", "torques")  # enum ph_array


class Error(Structure):
    _fields_ = [("status", c_int), ("text", c_char * 1024)]


class Arrays(Structure):
    _fields_ = [
        ("n_species", c_size_t),
        ("models", POINTER(c_char_p)),
        ("counts", POINTER(c_size_t)),
        ("edges", c_void_p),
        ("positions", c_void_p),
        ("quaternions", c_void_p),
        ("momenta", c_void_p),
        ("angular_momenta", c_void_p),
    ]


class SpeciesFacts(Structure):
    _fields_ = [("name", c_char_p), ("count", c_size_t), ("mass", c_double), ("inertia", c_double * 3)]


class SiteFacts(Structure):
    _fields_ = [("name", c_char_p), ("position", c_double * 3), ("mass", c_double), ("charge", c_double)]


class View(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("molecules", c_size_t),
        ("numbers", c_size_t),
        ("row", c_size_t),
        ("column", c_size_t),
    ]


class EnergyFields(Structure):
    _fields_ = [
        ("total", c_double),
        ("kinetic_translation", c_double),
        ("kinetic_rotation", c_double),
        ("potential", c_double),
        ("radial", c_double),
        ("electric", c_double),
        ("long_range", c_double),
        ("external", c_double),
        ("temperature", c_double),
        ("temperature_translation", c_double),
        ("temperature_rotation", c_double),
        ("virial", c_double * 9),
        ("pressure", c_double),
        ("pressure_tensor", c_double * 9),
        ("momentum", c_double * 3),
        ("angular_momentum", c_double * 3),
        ("dipole", c_double * 3),
    ]


class ForceCall(Structure):
    _fields_ = [
        ("molecules", c_size_t),
        ("positions", c_void_p),
        ("quaternions", c_void_p),
        ("forces", c_void_p),
        ("torques", c_void_p),
        ("energy", c_double),
    ]


STOP = CFUNCTYPE(c_bool, c_void_p)
FORCE = CFUNCTYPE(c_bool, POINTER(ForceCall), c_void_p)

_SETS = (c_size_t, POINTER(c_char_p))
_OUT = (POINTER(c_void_p), POINTER(Error))
FUNCTIONS = {  # what it returns, what it takes
    "ph_version": (c_char_p,),
    "ph_simulation_from_file": (c_int, c_char_p, *_SETS, *_OUT),
    "ph_simulation_from_text": (c_int, c_char_p, *_SETS, *_OUT),
    "ph_simulation_from_arrays": (c_int, c_char_p, *_SETS, POINTER(Arrays), *_OUT),
    "ph_simulation_resume": (c_int, c_char_p, c_int64, *_OUT),
    "ph_simulation_save_as": (c_int, c_void_p, c_char_p, POINTER(Error)),
    "ph_simulation_destroy": (None, c_void_p),
    "ph_simulation_advance": (c_int, c_void_p, c_int64, POINTER(Error)),
    "ph_simulation_advance_until": (c_int, c_void_p, c_int64, STOP, c_void_p, POINTER(Error)),
    "ph_simulation_finish": (c_int, c_void_p, c_bool, STOP, c_void_p, POINTER(Error)),
    "ph_simulation_step": (c_int64, c_void_p),
    "ph_simulation_end": (c_int64, c_void_p),
    "ph_simulation_time": (c_double, c_void_p),
    "ph_simulation_notes": (c_char_p, c_void_p),
    "ph_simulation_molecules": (c_size_t, c_void_p),
    "ph_simulation_species": (c_size_t, c_void_p),
    "ph_simulation_species_of": (c_size_t, c_void_p, c_size_t),
    "ph_simulation_species_facts": (SpeciesFacts, c_void_p, c_size_t),
    "ph_simulation_sites": (c_size_t, c_void_p, c_size_t),
    "ph_simulation_site_facts": (SiteFacts, c_void_p, c_size_t, c_size_t),
    "ph_simulation_box": (c_bool, c_void_p, POINTER(c_double)),
    "ph_simulation_read": (c_int, c_void_p, c_int, c_void_p, POINTER(Error)),
    "ph_simulation_write": (c_int, c_void_p, c_int, c_void_p, POINTER(Error)),
    "ph_simulation_view": (c_int, c_void_p, c_int, POINTER(View), POINTER(Error)),
    "ph_simulation_changed": (c_int, c_void_p, c_int, POINTER(Error)),
    "ph_simulation_energies": (c_int, c_void_p, POINTER(EnergyFields), POINTER(Error)),
    "ph_simulation_set_force": (c_int, c_void_p, FORCE, c_void_p, c_bool, POINTER(Error)),
}

# ---- Where it is ----

CARRIED = pathlib.Path(__file__).resolve().parent / "carried"  # in a wheel that tools/wheel made
SONAME = "libpolhode.so." + ".".join(VERSION.split(".")[:2])


def _of_prefix(prefix: pathlib.Path) -> List[str]:
    """Where an installation below this folder may have it"""
    return [str(prefix / "lib" / SONAME), *sorted(glob.glob(f"{glob.escape(str(prefix))}/lib*/**/{SONAME}"))]


def _of_package(folder: pathlib.Path) -> List[str]:
    """The same from the folder in which the package lies: share/polhode/python, or tools/python of a source tree"""
    if folder.parts[-3:] == ("share", "polhode", "python"):
        return _of_prefix(folder.parents[2])
    return [str(folder.parents[1] / "build/release" / SONAME)] if folder.parts[-2:] == ("tools", "python") else []


def places() -> List[str]:
    """Where the library is looked up, in this order; the last is a name for the system's loader."""
    given = os.environ.get("POLHODE_LIBRARY")
    if given:
        return [given]
    carried = CARRIED / SONAME
    found = [str(carried)] if carried.exists() else []
    found += _of_package(pathlib.Path(__file__).resolve().parents[1])
    try:
        from .origin import FOLDER  # what pip copied the package from

        found += _of_package(pathlib.Path(FOLDER))
    except ImportError:
        pass
    program = shutil.which("polhode")
    if program:
        found += _of_prefix(pathlib.Path(program).resolve().parents[1])
    return list(dict.fromkeys([*found, SONAME]))


def _load_first() -> ctypes.CDLL:
    tried = []
    for place in places():
        if os.sep in place and not os.path.exists(place):
            tried.append(f"  {place}: is not there")
            continue
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            tried.append(f"  {place}: {error}")
    raise LibraryError(
        "The shared library of Polhode was not found. Build it (tools/run, in the source tree), install it (cmake "
        f"--install, or the package), or name the file in the environment variable POLHODE_LIBRARY. Looked at:\n"
        + "\n".join(tried)
    )


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Loaded when it is first needed, so that trajectories can be read without it."""
    loaded = _load_first()
    for name, (returns, *takes) in FUNCTIONS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise LibraryError(f"{loaded._name} has no function {name}: it is older than this package.") from None
        function.restype, function.argtypes = returns, takes
    version = loaded.ph_version().decode()
    if version.split()[0].split(".")[:2] != VERSION.split(".")[:2]:
        raise LibraryError(f"{loaded._name} is version {version}, this package is for {VERSION}.")
    return loaded
