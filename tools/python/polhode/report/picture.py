# SPDX-License-Identifier: MIT
"""The figures of a page as one picture, drawn with matplotlib: PNG or SVG, for papers and slides."""
from __future__ import annotations

import re
from typing import Dict, List, Sequence

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from .panels import Panel
from .shell import HERE

MARKS = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "x": "x", "cross": "+"}
DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}


def colours() -> Dict[str, str]:
    """Those of the light page."""
    light = (HERE / "page.css").read_text().partition(":root {")[2].partition("}")[0]
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", light))


def plain_text(text: str) -> str:
    """Of our own words. Names that users gave have no markup: see `literal`."""
    return re.sub(r"<sub>(.*?)</sub>", lambda match: f"$_{{{match[1]}}}$", text)


def literal(text: str) -> str:
    return text.replace("$", r"\$")


def numbers_of(values) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def draw_panel(axes, panel: Panel, palette: Dict[str, str]) -> None:
    layout = panel.figure["layout"]
    for trace in panel.figure["data"]:
        x, y = numbers_of(trace["x"]), numbers_of(trace["y"])
        name, _, alpha = trace["line"]["color"].partition("/")
        colour = palette[name[1:]]
        if trace.get("fill"):
            axes.fill(x, y, color=colour, alpha=0.16, linewidth=0)
            continue
        axes.plot(
            x,
            y,
            DASHES[trace["line"].get("dash", "solid")],
            color=colour,
            linewidth=1.0 * trace["line"]["width"],
            alpha=float(alpha) if alpha else 1.0,
            label=literal(trace["name"]),
            marker=MARKS[trace["marker"]["symbol"]] if "marker" in trace else None,
            markersize=5,
        )
        if "error_y" in trace:
            axes.errorbar(
                x, y, numbers_of(trace["error_y"]["array"]), fmt="none", ecolor=colour, elinewidth=1, capsize=2
            )
    for shape in layout["shapes"]:
        if shape["type"] == "line":
            axes.axhline(shape["y0"], color=palette["muted"], linewidth=0.8, linestyle=":", zorder=0)
    for setter, name in ((axes.set_xscale, "xaxis"), (axes.set_yscale, "yaxis")):
        setter(layout[name].get("type", "linear"))
    axes.set_xlabel(plain_text(layout["xaxis"]["title"]["text"]))
    axes.set_ylabel(plain_text(layout["yaxis"]["title"]["text"]))
    axes.set_title(plain_text(panel.title), loc="left", fontsize=10.5, fontweight="bold")
    ticks = layout["xaxis"].get("tickvals")
    if ticks:
        axes.set_xticks(ticks, layout["xaxis"]["ticktext"])
        axes.set_xticks([], minor=True)
    few = len(panel.figure["data"]) < 6
    axes.legend(
        frameon=False,
        fontsize=8 if few else 7,
        **({} if few else {"loc": "upper left", "bbox_to_anchor": (0.0, -0.17), "ncol": 3}),
    )


def save_picture(panels: Sequence[Panel], path: str, kind: str) -> None:
    """`kind` is png or svg."""
    palette, columns = colours(), min(2, len(panels))
    rows = -(-len(panels) // columns)
    plt.rcParams.update(
        {
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": "#888888",
            "axes.grid": True,
            "grid.color": "#ecebe6",
            "axes.axisbelow": True,
            "svg.hashsalt": "polhode",
        }
    )
    figure, grid = plt.subplots(rows, columns, figsize=(4.9 * columns, 3.5 * rows), squeeze=False, layout="constrained")
    spare: List = list(grid.flat)
    for panel in panels:
        draw_panel(spare.pop(0), panel, palette)
    for axes in spare:
        axes.set_visible(False)
    figure.savefig(path, format=kind, dpi=160, facecolor="white", metadata={"Date": None} if kind == "svg" else None)
    plt.close(figure)
