# SPDX-License-Identifier: MIT
"""Structure, motion and dipoles."""
from __future__ import annotations

from html import escape
from typing import Dict, List, Optional, Set, Tuple

import numpy as np

from ..results import Result, Table, find_value
from ..trajectory import Trajectory
from . import figures as draw
from .findings import Findings
from .panels import Panel, Section, axis, time_axis
from .words import count, number, plain, unit, with_error

# ---- Structure ----

MOST_PAIRS = 6


def structure_section(run: Trajectory, found: Findings) -> Optional[Section]:
    section = Section("structure", "Structure")
    if found.rdf and found.rdf.tables:
        section.panels.append(_rdf_panel(run, found.rdf, found.chosen.get("rdf", "")))
    if found.orientation and "pairs" in found.orientation.tables:
        frames = found.chosen.get("orientation", "")
        section.panels += (
            _orientation_panels(run, found.orientation, frames)
            if found.body_axis is None
            else [_axis_panel(run, found.orientation, found.body_axis, frames)]
        )
    return section if section.panels else None


def _length_axis(run: Trajectory) -> str:
    return axis("r", "nm" if run.units == "md" else "")


def _rdf_panel(run: Trajectory, result: Result, frames: str) -> Panel:
    """One curve for each pair of kinds; the first ones are shown, others wait in the legend."""
    data, text = [], "How much denser than on average it is at a distance r from a molecule or site"
    pairs = [(name, table) for name, table in result.tables.items() if not set(pair_sites(name, run)) & massless(run)]
    for k, (name, table) in enumerate(pairs[:MOST_PAIRS]):
        colour, seen = f"@c{1 + k % 6}", {} if k < 4 else {"visible": "legendonly"}
        data.append(
            draw.curve(
                table["r"],
                table["g"],
                pair_words(name, run),
                colour,
                1.8,
                showlegend=len(pairs) > 1,
                legendgroup=name,
                **errors_of(table, "g"),
                **seen,
            )
        )
        if "g_error" in table:
            spread = np.nan_to_num(table["g_error"])
            data.insert(
                0,
                {
                    **draw.band(table["r"], table["g"] - spread, table["g"] + spread, colour),
                    "legendgroup": name,
                    **seen,
                },
            )
        if k == 0:
            text += _shell_words(name, run, result)
    if len(pairs) > MOST_PAIRS:
        text += f". {count(len(pairs) - MOST_PAIRS, 'more pair')} not shown here: polhode analyze rdf has them"
    if len(pairs) < len(result.tables):
        names = ", ".join(sorted({site for _, site in massless(run)}))
        text += f". Sites without mass ({escape(names)}) are left out"
    return Panel(
        "Pair distribution",
        draw.figure("rdf", data, _length_axis(run), "g(r)", [draw.level(1.0)], yaxis={"rangemode": "tozero"}),
        f"{text}. {frames}".rstrip(),
    )


def massless(run: Trajectory) -> Set[Tuple[str, str]]:
    """Sites that only carry charges, as M of TIP4P, by molecule and name; not those of molecules whose sites have no masses."""
    kinds = [one for one in run.species if any(site.mass > 0 for site in one.sites)]
    return {(one.name, site.name) for one in kinds for site in one.sites if site.mass == 0}


def pair_sites(name: str, run: Trajectory) -> List[Tuple[str, str]]:
    """water.O-water.H as molecule and site of both; nothing where they cannot be told apart"""
    known = {f"{one.name}.{site.name}": (one.name, site.name) for one in run.species for site in one.sites}
    for first, found in known.items():
        if name.startswith(first + "-") and name[len(first) + 1 :] in known:
            return [found, known[name[len(first) + 1 :]]]
    return []


def pair_words(name: str, run: Trajectory) -> str:
    """water.O-water.H becomes O–H, if there is one kind of molecules; centres are called so."""
    if len(run.species) != 1:
        return name
    own = run.species[0].name
    if name == f"{own}-{own}":
        return "centres"
    halves = name.split(f"-{own}.")
    return "–".join(half.replace(own + ".", "", 1) for half in halves) if len(halves) == 2 else name


def _shell_words(name: str, run: Trajectory, result: Result) -> str:
    length = unit("nm" if run.units == "md" else "")
    names = ("peak_distance", "peak_height", "minimum_distance", "coordination_number")
    value = {key: find_value(result, f"{key}.{name}") for key in names}
    if any(each is None or not np.isfinite(each.value) for each in value.values()):
        return ""
    return (
        f". The first shell of {escape(pair_words(name, run))} peaks at {with_error(value['peak_distance'])}{length} with "
        f"g = {with_error(value['peak_height'])} and ends at {with_error(value['minimum_distance'])}{length}: "
        f"{with_error(value['coordination_number'])} neighbours"
    )


def errors_of(table: Table, y: str) -> Dict:
    """Of a curve that is not thinned: they go with it into its CSV file."""
    known = y + "_error" in table and len(table[y]) <= draw.MOST_POINTS
    return {"customdata": draw.numbers(table[y + "_error"])} if known else {}


def with_band(table: Table, x: str, y: str, label: str, colour: str, **more) -> List[Dict]:
    """A curve on the band of its errors."""
    spread = np.nan_to_num(table[y + "_error"]) if y + "_error" in table else np.zeros(len(table[y]))
    return [
        {**draw.band(table[x], table[y] - spread, table[y] + spread, colour), "legendgroup": y},
        draw.curve(table[x], table[y], label, colour, 1.8, legendgroup=y, **errors_of(table, y), **more),
    ]


def _orientation_panels(run: Trajectory, result: Result, frames: str) -> List[Panel]:
    table = result.tables["pairs"]
    data = [
        trace
        for name, label, colour in (
            ("h110", "h₁₁₀", "@c1"),
            ("h112", "h₁₁₂", "@c2"),
            ("h220", "h₂₂₀", "@c3"),
        )
        for trace in with_band(table, "r", name, label, colour)
    ]
    order = [
        f"P<sub>{k}</sub> = {with_error(find_value(result, f'P{k}'))}" for k in (1, 2) if find_value(result, f"P{k}")
    ]
    text = (
        "Projections of the pair distribution on dipoles. h<sub>110</sub> is positive where they are parallel, "
        "h<sub>112</sub> where they lie as they attract each other most, head to tail or side by side antiparallel; "
        "h<sub>220</sub> does not tell head from tail."
    )
    text += f" Order of the whole sample: {', '.join(order)}." if order else ""
    text += " " + frames if frames else ""
    panels = [
        Panel(
            "Orientational order", draw.figure("orientation", data, _length_axis(run), "h(r)", [draw.level(0.0)]), text
        )
    ]
    kirkwood, most = table["g_kirkwood"], find_value(result, "g_kirkwood")
    panels.append(
        Panel(
            "Kirkwood factor",
            draw.figure(
                "kirkwood",
                with_band(table, "r", "g_kirkwood", "g_K", "@c5", showlegend=False),
                _length_axis(run),
                "g<sub>K</sub>(r)",
                [draw.level(1.0)],
            ),
            f"Dipole of a molecule and all others within r, along the first one: 1 without correlation. It is "
            f"{number(kirkwood[len(kirkwood) // 2], 3)} half way out and {with_error(most) if most else '–'} at the largest "
            f"distance. How it goes far out depends on the electrostatics at the boundary.",
        )
    )
    return panels


def _axis_panel(run: Trajectory, result: Result, which: int, frames: str) -> Panel:
    """Of axes without head and tail only h220 has a meaning."""
    table = result.tables["pairs"]
    data = with_band(table, "r", "h220", "h₂₂₀", "@c3", showlegend=False)
    text = (
        f"How parallel the axes of molecules at a distance r are (axis {which} of the body): h<sub>220</sub> is positive where "
        "they are more parallel than without order, and does not tell head from tail."
    )
    order = find_value(result, "P2")
    if order is not None:
        text += (
            f" Order of the whole sample: P<sub>2</sub> = {with_error(order)}. It is 1 if all are parallel. Without any order "
            f"{run.n_molecules} molecules have about {number(run.n_molecules ** -0.5, 1)}."
        )
    director = [find_value(result, f"director_{word}") for word in "xyz"]
    if all(each is not None and np.isfinite(each.value) for each in director):
        text += f" Director: ({', '.join(with_error(each) for each in director)})."
    text += " " + frames if frames else ""
    figure = draw.figure("orientation", data, _length_axis(run), "h<sub>220</sub>(r)", [draw.level(0.0)])
    return Panel("Orientational order", figure, text)


# ---- Motion ----


def motion_section(run: Trajectory, found: Findings) -> Optional[Section]:
    """Mean square displacements of every kind of molecules, and their diffusion coefficients."""
    if not found.motion or not found.motion.tables:
        return None
    data: List[Dict] = []
    words, result = [], found.motion
    for k, (name, table) in enumerate(list(result.tables.items())[:6]):
        kind, colour = name.partition(".")[2], f"@c{1 + k % 6}"
        spread = np.nan_to_num(table["msd_error"])
        group = {"legendgroup": kind, "showlegend": len(result.tables) > 1}
        data.insert(0, {**draw.band(table["time"], table["msd"] - spread, table["msd"] + spread, colour), "legendgroup": kind})
        data.append(draw.curve(table["time"], table["msd"], kind, colour, 1.8, **group, **errors_of(table, "msd")))
        value = find_value(result, f"diffusion.{kind}")
        if value is not None:
            doubt = f", which is unreliable: {escape(value.caution)}" if value.caution else ""
            words.append(f"{escape(kind)} {with_error(value)}{unit(value.unit)}{doubt}")
    fit = [unit_time(run, result.parameters.get(name)) for name in ("fit_from", "fit_to")]
    text = (
        "How far centres have gone after a time t, squared, as a mean over molecules and beginnings. Diffusion coefficient, "
        f"a sixth of the slope from {fit[0]} to {fit[1]}: {'; '.join(words)}. {found.chosen.get('msd', '')}"
    )
    squared = axis("mean square displacement", "nm2" if run.units == "md" else "")
    figure = draw.figure("msd", data, axis("t", "ps" if run.units == "md" else ""), squared)
    return Section("motion", "Motion", [Panel("Mean square displacement", figure, text.rstrip())])


def unit_time(run: Trajectory, value: object) -> str:
    return plain(float(value)) + unit("ps" if run.units == "md" else "")


# ---- Dipoles ----


def dipole_section(run: Trajectory, found: Findings) -> Optional[Section]:
    section = Section("dipoles", "Dipoles")
    if found.correlation and any(name.startswith("dipole_1") for name in found.correlation.tables):
        section.panels.append(_correlation_panel(run, found.correlation, found.chosen.get("correlation", "")))
    if found.dielectric and "convergence" in found.dielectric.tables:
        section.panels.append(_dielectric_panel(run, found.dielectric))
    return section if section.panels else None


def _correlation_panel(run: Trajectory, result: Result, frames: str) -> Panel:
    """C1 and C2 of every kind of molecules, and that of the total dipole."""
    data: List[Dict] = []
    shown, words = 0.0, []
    time_unit = unit("ps" if run.units == "md" else "")
    curves = [(name, table) for name, table in result.tables.items() if "dipole" in name]
    for k, (name, table) in enumerate(curves[:6]):
        kind, colour = name.partition(".")[2], f"@c{1 + k % 6}"
        label = {"dipole_1": "C₁", "dipole_2": "C₂"}.get(name.partition(".")[0], "total dipole")
        label += f", {kind}" if kind and len(run.species) > 1 else ""
        spread = np.nan_to_num(table["c_error"]) if "c_error" in table else np.zeros(len(table["c"]))
        data.insert(
            0, {**draw.band(table["time"], table["c"] - spread, table["c"] + spread, colour), "legendgroup": name}
        )
        data.append(draw.curve(table["time"], table["c"], label, colour, 1.8, legendgroup=name, **errors_of(table, "c")))
        value = find_value(result, f"dipole_time_{name[7]}.{kind}" if kind else "total_dipole_time")
        if value is not None and np.isfinite(value.value):
            shown = max(shown, 6 * value.value)
            told = "not known, for it has not decayed" if value.caution else f"{with_error(value)}{time_unit}"
            words.append(f"{escape(label)} {told}")
    longest = max(float(table["time"][-1]) for _, table in curves)
    text = (
        "Decay of dipole correlations: means of the Legendre polynomials P₁ and P₂ of the cosine between a molecule's "
        "dipole and itself a time t later, and the same of the total dipole"
    )
    text += f". Relaxation times (integrals): {'; '.join(words)}" if words else ""
    if any("dipole" in note and "not decayed" in note for note in result.notes):
        text += ". Not all have decayed within the longest time: those integrals are cut off there"
    return Panel(
        "Dipole correlation",
        draw.figure(
            "correlation",
            data,
            axis("t", "ps" if run.units == "md" else ""),
            "C(t)",
            [draw.level(0.0)],
            xaxis={"range": [0, min(longest, shown) if shown > 0 else longest]},
        ),
        f"{text}. {frames}".rstrip(),
    )


def _dielectric_panel(run: Trajectory, result: Result) -> Panel:
    table, value = result.tables["convergence"], find_value(result, "epsilon")
    middle, spread = table["epsilon"], table["epsilon_error"]
    known = np.isfinite(middle) & np.isfinite(spread)
    data = [
        draw.band(table["time"][known], (middle - spread)[known], (middle + spread)[known], "@c2"),
        draw.curve(table["time"], middle, "ε", "@c2", 1.8, showlegend=False, **errors_of(table, "epsilon")),
    ]
    settled = middle[len(middle) // 10 :][np.isfinite(middle[len(middle) // 10 :])]
    top = 1.5 * float(np.max(settled)) if len(settled) and np.max(settled) > 0 else None
    text = "Static permittivity from the fluctuations of the total dipole, with its error, up to each time of the production"
    if value is not None and value.caution:
        text += f"; at the end {number(value.value, 2)}, which is unreliable: {escape(value.caution)}"
    elif value is not None:
        text += f"; at the end {with_error(value)}"
        text += (
            ", whose error is a lower bound: the run is short for the dipole's correlation time" if value.rough else ""
        )
    factor = find_value(result, "kirkwood_factor")
    text += f". Kirkwood factor of the whole sample: {with_error(factor)}" if factor is not None else ""
    return Panel(
        "Permittivity",
        draw.figure("dielectric", data, time_axis(run), "ε", yaxis={"range": [0, top]} if top else {}),
        text + "." + "".join(" " + escape(note) for note in result.notes),
    )
