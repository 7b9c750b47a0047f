# SPDX-License-Identifier: MIT
"""Energy, temperature and pressure."""
from __future__ import annotations

from html import escape
from typing import List, Optional

import numpy as np

from ..results import Value, find_value
from ..trajectory import Trajectory
from . import figures as draw
from .facts import BAR, conserved_series, tells_errors, time_unit, volume_varies
from .findings import Findings
from .panels import (
    Panel,
    Section,
    asked_curve,
    asked_levels,
    axis,
    equilibration,
    fit_axis,
    production_time,
    shaded,
    smooth,
    stage_names,
    time_axis,
)
from .words import number, plain, unit, with_error

# ---- Energy ----


def energy_section(run: Trajectory, found: Findings) -> Optional[Section]:
    series = run.series.get("total_energy")
    if series is None or len(series) == 0:
        return None
    name = conserved_series(run, found)
    total, series = name == "total_energy", run.series[name]
    section, rows, n = Section("energy", "Energy"), series.production, max(1, run.n_molecules)
    energy_unit = unit(series.unit)
    if len(rows) > 1 and tells_errors(run, found):
        error = (rows.value - rows.value[0]) / n
        drift = find_value(found.energy, "drift.production")
        data = [draw.curve(rows.time, error, "error", "@c1", 1.2, showlegend=False)]
        rms = find_value(found.energy, "rms.production")
        text = (
            ("Total energy per molecule" if total else "What bath and cell leave unchanged, the conserved energy, per molecule,")
            + f" minus its value where the production began. It stays within {number(np.abs(error).max(), 2)}{energy_unit}"
        )
        text += f", and within {number(rms.value, 2)} rms of its mean" if rms is not None else ""
        if drift is not None and np.isfinite(drift.value):
            line = np.array([rows.time[0], rows.time[-1]])
            middle = error.mean() + drift.value * (line - rows.time.mean())
            data.append(draw.curve(line, middle, "drift", "@c2", 1.6, "dash", showlegend=False))
            text += (
                f"; the line through it (dashed) has the slope {with_error(drift)}{energy_unit} per "
                f"{'ps' if run.units == 'md' else 'unit of time'}{verdict(drift)}"
            )
        fit = fit_axis([(rows.time, error)], rows.time[0], [0.0], (unit(series.unit), time_unit(run)))
        section.panels.append(
            Panel(
                "Conservation of energy" if total else "Conserved energy",
                draw.figure(
                    "energy-error",
                    data + fit.marks,
                    time_axis(run),
                    axis("energy error per molecule", series.unit),
                    [draw.level(0.0)],
                    xaxis=fit.times,
                    yaxis={"exponentformat": "power", **fit.axis},
                ),
                text + "." + fit.words,
            )
        )
    section.panels.append(_energies_panel(run, found, n))
    return section


def verdict(drift: Value) -> str:
    if not np.isfinite(drift.error) or drift.error <= 0:
        return ""
    return ": none within its error" if abs(drift.value) < 2 * drift.error else ""


def _energies_panel(run: Trajectory, found: Findings, n: int) -> Panel:
    parts = [
        ("potential_energy", "potential", "@c1"),
        ("kinetic_energy_translation", "kinetic, translation", "@c2"),
        ("kinetic_energy_rotation", "kinetic, rotation", "@c3"),
        ("total_energy", "total", "@ink"),
    ]
    data, words, curves = [], [], []
    for name, label, colour in parts:
        series = run.series.get(name)
        if series is None or not len(series):
            continue
        data.append(draw.curve(series.time, series.value / n, label, colour, 1.3))
        curves.append((series.time, series.value / n))
        rows = series.production
        if len(rows):
            words.append(f"{label} {number(float(rows.value.mean()) / n)}")
    series_unit = run.series["total_energy"].unit
    means = f" Means of the production: {'; '.join(words)}{unit(series_unit)}." if words else ""
    fit = fit_axis(curves, production_time(run), (), (unit(series_unit), time_unit(run)))
    return Panel(
        "Where the energy is",
        draw.figure(
            "energies",
            data + fit.marks,
            time_axis(run),
            axis("energy per molecule", series_unit),
            equilibration(run),
            annotations=stage_names(run),
            xaxis=fit.times,
            yaxis=fit.axis,
        ),
        f"Potential and kinetic energy per molecule.{means}{heat_capacities(found)}{fit.words}{shaded(run)}",
    )


def heat_capacities(found: Findings) -> str:
    """Those that the fluctuations tell, in k per molecule"""
    told = []
    for letter, word in (("V", "volume"), ("P", "pressure")):
        value = find_value(found.fluctuations, f"heat_capacity_{letter}_in_k", f"heat_capacity_{letter}")
        if value is not None:
            told.append(f"{with_error(value)} at constant {word}")
    return f" Heat capacity per molecule from fluctuations, in units of k: {', '.join(told)}." if told else ""


# ---- Temperature and pressure ----


def temperature_section(run: Trajectory, found: Findings) -> Optional[Section]:
    named = [("temperature_translation", "translation", "@c2"), ("temperature_rotation", "rotation", "@c1")]
    shown = [
        (run.series[name], label, colour)
        for name, label, colour in named
        if name in run.series and len(run.series[name]) and np.isfinite(run.series[name].value).any()
    ]
    if not shown:
        return None
    section, series_unit = Section("temperature", "Temperature and pressure"), shown[0][0].unit
    data = []
    for series, label, colour in shown:
        window = max(1, len(series) // 60)
        data.append(
            draw.curve(series.time, series.value, label, colour + "/0.3", 0.8, showlegend=False, hoverinfo="skip")
        )
        data.append(draw.curve(series.time, smooth(series.value, window), label, colour, 1.8))
    asked = asked_levels(run, "temperature")
    fit = fit_axis(
        [(series.time, series.value) for series, _, _ in shown],
        production_time(run),
        [value for _, _, value in asked],
        (unit(series_unit), time_unit(run)),
    )
    data += asked_curve(asked, series_unit) + fit.marks
    section.panels.append(
        Panel(
            "Temperature",
            draw.figure(
                "temperature",
                data,
                time_axis(run),
                axis("temperature", series_unit),
                equilibration(run),
                annotations=stage_names(run),
                xaxis=fit.times,
                yaxis=fit.axis,
            ),
            "Of translation and of rotation, each row faint and their moving mean."
            if len(shown) > 1
            else "Each row faint, and their moving mean.",
        )
    )
    section.panels[-1].caption += (" The dashed line is the target." if asked else "") + fit.words + shaded(run)
    bars = _axes_panel(found, series_unit, [value for _, _, value in asked[-1:]])
    if bars:
        section.panels.append(bars)
    pressure = _pressure_panel(run, found)
    if pressure:
        section.panels.append(pressure)
    density = _density_panel(run, found)
    if density:
        section.panels.append(density)
    return section


AXES = [
    ("translation", "translation"),
    ("rotation", "rotation"),
    ("axis_1", "axis 1"),
    ("axis_2", "axis 2"),
    ("axis_3", "axis 3"),
]


def _axes_panel(found: Findings, series_unit: str, asked: List[float]) -> Optional[Panel]:
    values = [(label, find_value(found.temperature, name)) for name, label in AXES]
    known = [(label, value) for label, value in values if value is not None and np.isfinite(value.value)]
    mean = find_value(found.temperature, "temperature")
    if found.temperature is None or len(known) < 2:
        return None
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [label for label, _ in known],
            "y": draw.numbers([value.value for _, value in known]),
            "showlegend": False,
            "error_y": {
                "type": "data",
                "array": draw.numbers([2 * np.nan_to_num(value.error) for _, value in known]),
                "color": "@c1",
                "thickness": 1.4,
                "width": 6,
            },
            "marker": {"color": "@c1", "size": 9},
        }
    ]
    shapes = [draw.level(mean.value)] if mean and np.isfinite(mean.value) else []
    shapes += [draw.level(value, "@ink", "dash") for value in asked]
    text = "Means of the production with twice their standard errors. Equipartition asks all of them to agree"
    if mean and np.isfinite(mean.value):
        text += f" with {with_error(mean)}{unit(series_unit)} (dotted)"
    text += "".join(f", and {plain(value)}{unit(series_unit)} was asked for (dashed)" for value in asked)
    largest = find_value(found.temperature, "largest_difference")
    if largest is not None and np.isfinite(largest.value):
        text += f"; the largest difference of two is {number(largest.value, 2)} times its error"
    notes = "".join(" " + escape(note) for note in found.temperature.notes)
    return Panel(
        "Equipartition",
        draw.figure("equipartition", data, "", axis("temperature", series_unit), shapes),
        text + "." + notes,
    )


def _pressure_panel(run: Trajectory, found: Findings) -> Optional[Panel]:
    series = run.series.get("pressure")
    if series is None or not len(series) or not np.isfinite(series.value).any():
        return None
    rows, value = series.production, find_value(found.pressure, "pressure")
    data = [draw.curve(series.time, series.value, "pressure", "@c4/0.45", 0.9, showlegend=False)]
    text = "Instantaneous pressure"
    if len(rows) > 1:
        running = np.cumsum(rows.value) / np.arange(1, len(rows) + 1)
        data.append(draw.curve(rows.time, running, "running mean", "@c4", 2.0))
        text += " (faint) and its running mean over the production"
    asked = asked_levels(run, "pressure")
    fit = fit_axis(
        [(series.time, series.value)],
        production_time(run),
        [value for _, _, value in asked],
        (unit(series.unit), time_unit(run)),
    )
    data += (asked_curve(asked, "bar", BAR) if run.units == "md" else asked_curve(asked, "")) + fit.marks
    if value is not None:
        text += f", which ends at {with_error(value)}{unit(series.unit)}"
        if run.units == "md":
            text += f", that is {with_error(Value(BAR * value.value, BAR * value.error))}\u202fbar"
    return Panel(
        "Pressure",
        draw.figure(
            "pressure",
            data,
            time_axis(run),
            axis("pressure", series.unit),
            equilibration(run),
            annotations=stage_names(run),
            xaxis=fit.times,
            yaxis=fit.axis,
        ),
        text + "." + (" The dashed line is the target." if asked else "") + fit.words + shaded(run),
    )


def _density_panel(run: Trajectory, found: Findings) -> Optional[Panel]:
    """Of a box that changes"""
    name = next((name for name in ("mass_density", "density", "volume") if name in run.series), None)
    if name is None or not volume_varies(run):
        return None
    series, word = run.series[name], name.replace("_", " ")
    rows, value = series.production, find_value(found.fluctuations, name)
    data = [draw.curve(series.time, series.value, word, "@c5/0.45", 0.9, showlegend=False)]
    text = word.capitalize()
    if len(rows) > 1:
        running = np.cumsum(rows.value) / np.arange(1, len(rows) + 1)
        data.append(draw.curve(rows.time, running, "running mean", "@c5", 2.0))
        text += " (faint) and its running mean over the production"
    if value is not None:
        text += f", which ends at {with_error(value)}{unit(series.unit)}"
    volume = find_value(found.fluctuations, "volume")
    if volume is not None and name != "volume":
        text += f"; the mean volume is {with_error(volume)}{unit(volume.unit)}"
    for key, words in (("compressibility", "isothermal compressibility"), ("thermal_expansion", "thermal expansion")):
        found_value = find_value(found.fluctuations, key)
        if found_value is not None:
            text += f"; {words} from fluctuations {with_error(found_value)}{unit(found_value.unit)}"
    notes = "".join(" " + escape(note) for note in found.fluctuations.notes) if found.fluctuations else ""
    fit = fit_axis([(series.time, series.value)], production_time(run), (), (unit(series.unit), time_unit(run)))
    return Panel(
        "Density" if name != "volume" else "Volume",
        draw.figure(
            "density",
            data + fit.marks,
            time_axis(run),
            axis(word, series.unit),
            equilibration(run),
            annotations=stage_names(run),
            xaxis=fit.times,
            yaxis=fit.axis,
        ),
        text + "." + fit.words + notes + shaded(run),
    )
