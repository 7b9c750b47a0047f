# SPDX-License-Identifier: MIT
"""Figures for plotly.js, as plain dictionaries. Colours are names, such as "@c1", that the page turns into its own."""
from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

MOST_POINTS = 3000  # of one curve: more than a screen can show


def numbers(values: Sequence[float] | np.ndarray, digits: int = 6) -> List[Optional[float]]:
    """For JSON: rounded to what can be seen, and null where there is none."""
    return [float(f"{v:.{digits}g}") if np.isfinite(v) else None for v in np.asarray(values, dtype=float)]


def thin(x: np.ndarray, y: np.ndarray, most: int = MOST_POINTS) -> Tuple[np.ndarray, np.ndarray]:
    """Fewer points with the same envelope: smallest and largest of each stretch."""
    if len(x) <= most:
        return x, y
    edges = np.linspace(0, len(x), most // 2 + 1).astype(int)
    keep: Set[int] = set()
    for a, b in zip(edges[:-1], edges[1:]):
        part = np.where(np.isfinite(y[a:b]), y[a:b], 0.0)
        keep.update((a + int(part.argmin()), a + int(part.argmax())))
    chosen = np.array(sorted(keep))
    return x[chosen], y[chosen]


def curve(x, y, name: str, colour: str, width: float = 1.6, dash: str = "solid", **more) -> Dict:
    x, y = thin(np.asarray(x), np.asarray(y, dtype=float))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": numbers(x, 8),
        "y": numbers(y),
        "name": name,
        "line": {"color": colour, "width": width, "dash": dash},
        **more,
    }


def band(x, low, high, colour: str) -> Dict:
    """Between two curves."""
    x, low, high = (np.asarray(a, dtype=float) for a in (x, low, high))
    chosen = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS // 4)).astype(int)) if len(x) else []
    x, low, high = x[chosen], low[chosen], high[chosen]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": numbers(np.concatenate([x, x[::-1]]), 8),
        "y": numbers(np.concatenate([high, low[::-1]])),
        "fill": "toself",
        "fillcolor": colour + "/0.16",
        "line": {"width": 0, "color": colour + "/0"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def steps(pieces: Sequence[Tuple[float, float, float]], name: str, colour: str = "@ink") -> Dict:
    """Levels, each from one time to another: what was asked for."""
    x = [end for begin, end, _ in pieces for end in (begin, end, np.nan)]
    y = [level for _, _, level in pieces for level in (level, level, np.nan)]
    return curve(x[:-1], y[:-1], name, colour, 1.3, "dash")


def marks(x, y, texts: Sequence[str], up: Sequence[bool], colour: str) -> Dict:
    """Triangles at the edge of a plot, for what lies beyond it."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": numbers(x, 8),
        "y": numbers(y),
        "text": list(texts),
        "hoverinfo": "text",
        "showlegend": False,
        "cliponaxis": False,
        "marker": {"size": 9, "color": colour, "symbol": ["triangle-up" if one else "triangle-down" for one in up]},
    }


def level(value: float, colour: str = "@muted", dash: str = "dot") -> Dict:
    """A horizontal line."""
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": value,
        "y1": value,
        "line": {"color": colour, "width": 1, "dash": dash},
        "layer": "below",
    }


def upright(time: float, colour: str = "@muted") -> Dict:
    """A vertical line."""
    return {
        "type": "line",
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "x0": time,
        "x1": time,
        "line": {"color": colour, "width": 1, "dash": "dot"},
        "layer": "below",
    }


def label(time: float, text: str) -> Dict:
    """Of what begins at a time, at the top."""
    return {
        "x": time,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "text": text,
        "showarrow": False,
        "font": {"size": 11, "color": "@muted"},
    }


def stage_shade(begin: float, end: float) -> Dict:
    """The time of the equilibration."""
    return {
        "type": "rect",
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "x0": begin,
        "x1": end,
        "fillcolor": "@shade",
        "line": {"width": 0},
        "layer": "below",
    }


def figure(name: str, data: List[Dict], x: str, y: str, shapes: Optional[List[Dict]] = None, **layout) -> Dict:
    """`x` and `y` are titles of the axes."""
    axes = {
        "xaxis": {"title": {"text": x}, **layout.pop("xaxis", {})},
        "yaxis": {"title": {"text": y}, **layout.pop("yaxis", {})},
    }
    return {"id": name, "data": data, "layout": {**axes, "shapes": shapes or [], **layout}}
