# SPDX-License-Identifier: MIT
"""Simulations in this process, over the shared library. The state is numpy arrays in the library's own memory."""
from __future__ import annotations

import contextlib
import ctypes
import json
import operator
import os
import re
import signal
import threading
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import library as c
from .molecules import Site, Species
from .names import Listed, no_such

try:  # HDF5 lets only one thread in at a time, and h5py may have the same library: its lock is ours
    from h5py._objects import phil as hdf5_lock
except ImportError:
    hdf5_lock = threading.RLock()

Sets = Optional[Mapping[str, Any]]
Force = Callable[[np.ndarray, np.ndarray], Tuple]


class SimulationError(Exception):
    """What the library says. `status` is "input", "numbers", "io" or "memory", as the program's exit status."""

    def __init__(self, text: str, status: str):
        super().__init__(text)
        self.status = status


class Energies(Listed):
    """Energies, temperatures, pressure and sums over all molecules at one instant, in the units of the input."""

    total: float
    kinetic_translation: float
    kinetic_rotation: float
    potential: float
    radial: float
    electric: float
    long_range: float
    external: float
    temperature: float
    temperature_translation: float
    temperature_rotation: float
    virial: np.ndarray
    pressure: float
    pressure_tensor: np.ndarray
    momentum: np.ndarray
    angular_momentum: np.ndarray
    dipole: np.ndarray

    def __init__(self, fields: c.EnergyFields):
        for name, kind in fields._fields_:
            value = getattr(fields, name)
            matrix = kind is not ctypes.c_double and len(value) == 9
            setattr(self, name, value if kind is ctypes.c_double else np.array(value).reshape((3, 3) if matrix else 3))

    def __repr__(self) -> str:
        shown = [f"{name}={value:.10g}" for name, value in vars(self).items() if isinstance(value, float)]
        return f"Energies({', '.join(shown)})"


def _quoted(text: str, inside: bool) -> str:
    """A text as YAML has it. What is a list, a map or a quotation already stays, and so does the empty text that removes
    a key; `inside` a list or a map commas and brackets end a text."""
    whole = re.fullmatch(r"""\[.*\]|\{.*\}|".*"|'.*'""", text, re.DOTALL)
    if whole or (not text and not inside):
        return text
    special = r"""^$|^[-?:](\s|$)|^[\s#&*!|>'"%@`\[\]{},]|\s$|:(\s|$)|\s#|[\x00-\x1f\\]|^(---|\.\.\.)"""
    return json.dumps(text, ensure_ascii=False) if re.search(special + (r"|[\[\]{},]" if inside else ""), text) else text


def _yaml(value: Any, inside: bool = False) -> str:
    """A value as an input has it"""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_yaml(key, True)}: {_yaml(item, True)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_yaml(item, True) for item in value) + "]"
    return _quoted(value, inside) if isinstance(value, str) else str(value)


def _count(n: Any) -> int:
    try:
        return operator.index(n)
    except TypeError:
        raise TypeError(f"{n!r} steps: a whole number is needed.") from None


def _words(sets: Sets) -> Tuple[int, Any]:
    words = [f"{key}={_yaml(value)}".encode() for key, value in (sets or {}).items()]
    return len(words), (ctypes.c_char_p * len(words))(*words)


class _Memory:
    """Memory of the library as numpy wants it; keeps its owner alive."""

    def __init__(self, owner: Any, data: int, shape: Tuple[int, ...], strides: Tuple[int, ...], writable: bool):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "typestr": np.dtype(float).str,
            "data": (data, not writable),
            "shape": shape,
            "strides": strides,
        }


class _Forces:
    """The function that the library calls, and those of the user that it stands for"""

    def __init__(self) -> None:
        self.given: List[Tuple[Force, bool]] = []
        self.raised: Optional[BaseException] = None
        self.function = c.FORCE(self._call)

    def _call(self, pointer: Any, _: Any) -> bool:
        try:
            call, energy = pointer.contents, 0.0
            n = call.molecules
            rows = {3: ((n, 3), (24, 8)), 4: ((n, 4), (32, 8))}
            positions = np.array(_Memory(None, call.positions, *rows[3], False))
            orientations = np.array(_Memory(None, call.quaternions, *rows[4], False))
            sums = [np.asarray(_Memory(None, to, *rows[3], True)) for to in (call.forces, call.torques)]
            for function, _ in self.given:
                result = function(positions, orientations)
                if not isinstance(result, tuple) or len(result) not in (2, 3):
                    raise TypeError("a force must return (energy, forces) or (energy, forces, torques)")
                energy += float(result[0])
                for what, part, total in zip(("forces", "torques"), result[1:], sums):
                    part = np.asarray(part, dtype=float)
                    if part.shape != total.shape:
                        raise ValueError(f"{what} have the shape {part.shape}, not {total.shape}")
                    total += part
            call.energy = energy
            return True
        except BaseException as error:  # it cannot pass through the library, and is raised behind it
            self.raised = error
            return False


class _Handle:
    """The library's simulation; destroyed with the last object that uses it"""

    def __init__(self, pointer: ctypes.c_void_p):
        self.pointer = pointer
        self._destroy = c.library().ph_simulation_destroy
        self.forces = _Forces()
        self.lock = threading.Lock()

    def __del__(self) -> None:
        self._destroy(self.pointer)


class _Interrupt:
    """Ctrl-C ends the work after a step, and is raised then: not within the library, nor between its steps"""

    def __init__(self) -> None:
        self._hit = False
        self._before: Any = None
        self.stop: Any = c.STOP(0)  # NULL: other threads than the main one get no signals, and are not asked

    def _note(self, *_: Any) -> None:
        self._hit = True

    def __enter__(self) -> _Interrupt:
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(handler):
            self._before = handler
            self.stop = c.STOP(lambda _: self._hit)
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self._hit:
                self._before(signal.SIGINT, None)


WRITABLE = ("positions", "orientations", "momenta", "angular_momenta")


def _rows(name: str, value: Any, shape: Tuple[int, int]) -> np.ndarray:
    """As the library takes them; a single row or number stands for all"""
    try:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype=float), shape))
    except ValueError:
        raise ValueError(f"{name} have the shape {np.shape(value)}, not {shape}.") from None


def _array(name: str, about: str) -> Any:
    """A property of Simulation: the array itself, and a copy into it"""

    def get(self: Simulation) -> np.ndarray:
        return self._view(name)

    def put(self: Simulation, value: Any) -> None:
        self._write(name, value)

    return property(get, put if name in WRITABLE else None, None, about)


class Simulation(Listed):
    """A simulation, from an input file (docs/input.md); `sets` are keys that replace or add to what it says, with
    numbers, texts, lists and maps as values (a text in brackets or braces is such a list or map):

        with polhode.Simulation("input.yaml", sets={"dynamics.step": 0.002}) as sim:
            sim.advance(100)
            sim.positions, sim.energies.total

    Also from_text, from_arrays and resume. One simulation is used by one thread at a time; different ones may be used
    by different threads at the same time.

    Arrays have a row per molecule and lie in the memory of the simulation: nothing is copied, and they change when it
    advances. They can be read; to write, assign to them, or use `writing`. Each is up to date when it is asked for.
    """

    def __init__(self, input: Union[str, os.PathLike], sets: Sets = None):
        self._begin(c.library().ph_simulation_from_file, os.fsencode(input), *_words(sets))

    @classmethod
    def from_text(cls, text: str, sets: Sets = None) -> Simulation:
        """From the text of an input; files that it names are looked up from the current folder."""
        return cls.__new__(cls)._begin(c.library().ph_simulation_from_text, text.encode(), *_words(sets))

    @classmethod
    def from_arrays(
        cls,
        text: str,
        molecules: Sequence[Tuple[str, int]],
        positions: Any,
        orientations: Any = None,
        momenta: Any = None,
        angular_momenta: Any = None,
        box: Any = None,
        sets: Sets = None,
    ) -> Simulation:
        """From arrays; `molecules` are pairs of model and count; `text` is an input without `system`.

        Without orientations all lie along the axes of space, without momenta they are at rest, and without a box, three
        edges or three edge vectors, space is open.
        """
        models = (ctypes.c_char_p * len(molecules))(*[os.fsencode(model) for model, _ in molecules])
        counts = (ctypes.c_size_t * len(molecules))(*[count for _, count in molecules])
        edges = np.diag(np.asarray(box, dtype=float)) if np.ndim(box) == 1 else box
        n = sum(count for _, count in molecules)
        given = {"edges": (edges, (3, 3)), "positions": (positions, (n, 3)), "quaternions": (orientations, (n, 4))}
        given.update(momenta=(momenta, (n, 3)), angular_momenta=(angular_momenta, (n, 3)))
        kept = {name: _rows(name, part, shape) for name, (part, shape) in given.items() if part is not None}
        arrays = c.Arrays(len(molecules), models, counts, **{name: part.ctypes.data for name, part in kept.items()})
        return cls.__new__(cls)._begin(c.library().ph_simulation_from_arrays, text.encode(), *_words(sets), arrays)

    @classmethod
    def resume(cls, path: Union[str, os.PathLike], steps: Optional[int] = None) -> Simulation:
        """From what `save(path)` wrote, or from the run whose trajectory this is. `run` then does the steps that were
        planned, and `steps` more, as `polhode resume --steps` does. Forces of functions have to be added again."""
        more = -1 if steps is None else steps
        return cls.__new__(cls)._begin(c.library().ph_simulation_resume, os.fsencode(path), more)

    def _begin(self, make: Callable, *words: Any) -> Simulation:
        self._callbacks: List[Tuple[int, Callable]] = []
        self._moving = threading.Lock()  # held by `advance`,
        self._mover: Optional[int] = None  # in this thread
        self._handle: Optional[_Handle] = None
        pointer, error = ctypes.c_void_p(), c.Error()
        with hdf5_lock:
            status = make(*words, ctypes.byref(pointer), ctypes.byref(error))
        if status != 0:
            raise SimulationError(error.text.decode(errors="replace"), c.STATUS[status])
        self._handle = _Handle(pointer)
        return self

    def close(self) -> None:
        """Ends it; arrays that are still in use keep its memory."""
        self._handle = None

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<simulation, closed>"
        return f"<simulation: {self.n_molecules} molecules, step {self.step}, time {self.time:g}>"

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            names = [one for one in dir(self) if not one.startswith("_")]
            raise AttributeError(no_such("Simulation", name, names))
        super().__setattr__(name, value)

    # ---- The library ----

    @contextlib.contextmanager
    def _used(self) -> Iterator[_Handle]:
        """By one thread at a time, and not from within its own force"""
        handle = self._handle
        if handle is None:
            raise ValueError("The simulation is closed.")
        if not handle.lock.acquire(blocking=False):
            raise RuntimeError("The simulation is in use, by another thread or by the one that calls its force.")
        try:
            yield handle
        finally:
            handle.lock.release()

    def _ask(self, name: str, *words: Any) -> Any:
        """A function that cannot fail"""
        with self._used() as handle:
            return getattr(c.library(), name)(handle.pointer, *words)

    def _do(self, name: str, *words: Any) -> None:
        """A function that can fail"""
        error = c.Error()
        with self._used() as handle:
            handle.forces.raised = None
            status = getattr(c.library(), name)(handle.pointer, *words, ctypes.byref(error))
            raised, handle.forces.raised = handle.forces.raised, None
        if status != 0 and raised is not None:
            raise raised
        if status != 0:
            raise SimulationError(error.text.decode(errors="replace"), c.STATUS[status])

    # ---- Moving it ----

    def advance(self, n: int) -> None:
        """n steps, however many the input asks for; nothing is written. Ctrl-C ends it after a step."""
        n = _count(n)
        if n < 0:
            raise ValueError(f"{n} steps: 0 or more are accepted.")
        if not self._moving.acquire(blocking=False):
            if self._mover == threading.get_ident():
                raise RuntimeError("A function of `every`, or a force, must not advance the simulation.")
            raise RuntimeError("Another thread is advancing the simulation: one at a time can.")
        self._mover = threading.get_ident()
        try:
            end = self.step + n
            while self.step < end:
                due = min([end, *(every * (self.step // every + 1) for every, _ in self._callbacks)])
                with _Interrupt() as interrupt:
                    self._do("ph_simulation_advance_until", due - self.step, interrupt.stop, None)
                for every, function in list(self._callbacks):
                    if self.step % every == 0:
                        function(self)
        finally:
            self._mover = None
            self._moving.release()

    def every(self, n: int, function: Optional[Callable[[Simulation], Any]] = None) -> Callable:
        """Calls function(simulation) while it advances, after each step whose number is a multiple of n. Also as a
        decorator: @sim.every(10)"""
        n = _count(n)
        if n < 1:
            raise ValueError(f"every {n} steps: 1 or more are accepted.")
        if function is None:
            return lambda given: self.every(n, given)
        self._callbacks.append((n, function))
        return function

    def forget(self, function: Callable) -> None:
        """Ends what `every` began."""
        self._callbacks[:] = [one for one in self._callbacks if one[1] is not function]

    def run(self, overwrite: bool = False) -> None:
        """All steps of the input, with trajectory (output.file) and checkpoints, as `polhode run`.

        Ctrl-C ends it with a checkpoint. For simulations as they were made or resumed. Meanwhile no other thread can
        use HDF5."""
        if self._callbacks:
            raise ValueError("A run with a trajectory calls no functions: `advance` does, or `forget` them.")
        with hdf5_lock, _Interrupt() as interrupt:
            self._do("ph_simulation_finish", overwrite, interrupt.stop, None)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the checkpoint PATH.checkpoint, from which resume(PATH) goes on, bit for bit."""
        with hdf5_lock:
            self._do("ph_simulation_save_as", os.fsencode(path))

    # ---- Forces of functions ----

    def add_force(self, function: Force, keeps_momentum: bool = False) -> Force:
        """Adds function(positions, orientations) -> energy, forces[, torques] to what acts on the molecules.

        It is called at every evaluation of forces, with the centres, not wrapped into the box, and quaternions; forces
        [molecule, 3] and torques [molecule, 3], about the centres in the space frame, must be minus the derivatives of
        the energy. The energy is a part of energies.external; like external fields it does not enter the pressure.
        If forces always add up to zero, say keeps_momentum=True: the temperature then counts three degrees of freedom
        less. Not with barostats, nor schemes with force gradients. What the function raises comes out of the method
        that was called; if that was `advance`, the state is then one within a step."""
        self._set_forces([*self._forces().given, (function, keeps_momentum)])
        return function

    def remove_force(self, function: Force) -> None:
        """Takes a function away that `add_force` added."""
        self._set_forces([one for one in self._forces().given if one[0] is not function])

    def _forces(self) -> _Forces:
        with self._used() as handle:
            return handle.forces

    def _set_forces(self, given: List[Tuple[Force, bool]]) -> None:
        forces = self._forces()
        before, forces.given = forces.given, given
        function = forces.function if given else c.FORCE(0)
        try:
            self._do("ph_simulation_set_force", function, None, all(keeps for _, keeps in given))
        except BaseException:
            forces.given = before
            raise

    # ---- Looking at it ----

    @property
    def step(self) -> int:
        """Number of the last one done, from 0"""
        return self._ask("ph_simulation_step")

    @property
    def end(self) -> int:
        """The last step that the input asks for"""
        return self._ask("ph_simulation_end")

    @property
    def time(self) -> float:
        """In the units of the input, from 0"""
        return self._ask("ph_simulation_time")

    @property
    def notes(self) -> List[str]:
        """Remarks on the start, for the user"""
        return self._ask("ph_simulation_notes").decode(errors="replace").splitlines()

    @property
    def n_molecules(self) -> int:
        """Of all species"""
        return self._ask("ph_simulation_molecules")

    @property
    def species(self) -> List[Species]:
        """Kinds of molecules, in the order of the rows of all arrays"""
        found: List[Species] = []
        for s in range(self._ask("ph_simulation_species")):
            facts, first = self._ask("ph_simulation_species_facts", s), sum(one.count for one in found)
            of_sites = [self._ask("ph_simulation_site_facts", s, k) for k in range(self._ask("ph_simulation_sites", s))]
            sites = [Site(site.name.decode(), np.array(site.position), site.mass, site.charge) for site in of_sites]
            found.append(Species(facts.name.decode(), facts.count, first, facts.mass, np.array(facts.inertia), sites))
        return found

    @property
    def box(self) -> Optional[np.ndarray]:
        """Edge vectors as rows [3, 3]; None in open space"""
        edges = np.zeros((3, 3))
        periodic = self._ask("ph_simulation_box", edges.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        return edges if periodic else None

    @property
    def energies(self) -> Energies:
        """Of the present state; computed when asked for"""
        fields = c.EnergyFields()
        self._do("ph_simulation_energies", ctypes.byref(fields))
        return Energies(fields)

    # ---- The state ----

    positions: np.ndarray = _array("positions", "Centres of mass [molecule, 3], wrapped into the box")
    orientations: np.ndarray = _array("orientations", "Quaternions [molecule, 4], scalar first, body to space")
    momenta: np.ndarray = _array("momenta", "Momenta of the centres [molecule, 3]")
    angular_momenta: np.ndarray = _array(
        "angular_momenta", "Angular momenta [molecule, 3], about the centres, in the BODY frame")
    forces: np.ndarray = _array("forces", "Forces [molecule, 3], on the centres")
    torques: np.ndarray = _array("torques", "Torques [molecule, 3], about the centres, in the SPACE frame")

    def _view(self, name: str, writable: bool = False) -> np.ndarray:
        view = c.View()
        self._do("ph_simulation_view", c.ARRAYS.index(name), ctypes.byref(view))
        shape, strides = (view.molecules, view.numbers), (8 * view.row, 8 * view.column)
        return np.asarray(_Memory(self._handle, view.data, shape, strides, writable))

    def _write(self, name: str, value: Any) -> None:
        rows = _rows(name, value, (self.n_molecules, 4 if name == "orientations" else 3))
        self._do("ph_simulation_write", c.ARRAYS.index(name), rows.ctypes.data)

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[np.ndarray]:
        """The array in place, to be written to; checked at the end, and put back if it is impossible:

            with sim.writing("momenta") as momenta:
                momenta *= 0.5
        """
        if name not in WRITABLE:
            raise ValueError(no_such("What can be written", name, WRITABLE))
        array = self._view(name, writable=True)
        before = array.copy()
        try:
            yield array
            self._do("ph_simulation_changed", c.ARRAYS.index(name))
        except BaseException:
            array[...] = before
            raise
        finally:
            array.flags.writeable = False

    @property
    def unwrapped(self) -> np.ndarray:
        """Centres of mass that are not wrapped into the box; a copy"""
        rows = np.empty((self.n_molecules, 3))
        self._do("ph_simulation_read", c.ARRAYS.index("unwrapped"), rows.ctypes.data)
        return rows
