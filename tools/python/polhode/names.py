# SPDX-License-Identifier: MIT
"""Wrong names are answered with the right ones."""
from __future__ import annotations

import difflib
from typing import Any, Dict, Iterable, Mapping, TypeVar

Item = TypeVar("Item")


def no_such(what: str, name: object, names: Iterable[str]) -> str:
    """The message: what has no such name, the nearest one, and all of them."""
    listed = sorted(names)
    nearest = difflib.get_close_matches(str(name), listed, 1)
    guess = f"; did you mean '{nearest[0]}'?" if nearest else "."
    return f"{what} has no '{name}'{guess} There {'are: ' + ', '.join(listed) if listed else 'is nothing'}."


class TrajectoryError(Exception):
    """A file that cannot be read as H5MD, or does not hold what was asked for. The text names the file."""


class UnknownName(KeyError):
    """Of something that has its parts by name. Says which names there are."""

    def __str__(self) -> str:  # that of KeyError would quote the message
        return str(self.args[0])


class ByName(Dict[str, Item]):
    """A dictionary that says which names it has when it is asked for another."""

    def __init__(self, what: str, items: Mapping[str, Item] = {}):
        super().__init__(items)
        self._what = what

    def __missing__(self, name: object) -> Item:
        raise UnknownName(no_such(self._what, name, self))


class Listed:
    """An object that says which names it has when it is asked for another."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by Python itself
            raise AttributeError(name)
        names = [one for one in dir(self) if not one.startswith("_")]
        raise AttributeError(no_such(type(self).__name__, name, names))
