# SPDX-License-Identifier: MIT
"""What was run: the header's figures and the table of facts."""
from __future__ import annotations

import re
from html import escape
from typing import List, Optional, Tuple

import numpy as np

from ..results import Result, Value, find_value
from ..seal import UNSEALED
from ..series import text_of
from ..trajectory import Progress, Trajectory
from .findings import Findings
from .pace import left_words, pace_of, progress_tile, step_of
from .words import count, duration, number, plain, unit, with_error

BAR = 16.6053906717385  # in a kJ/mol/nm^3
TRUNCATIONS = {
    "none": "not truncated",
    "cut": "cut off",
    "shifted": "shifted to zero",
    "force-shifted": "force shifted",
    "switched": "switched to zero",
}

ENSEMBLES = {
    "NVE": " at constant energy",
    "NVT": " at constant temperature",
    "NPT": " at constant temperature and pressure",
    "NPH": " at constant enthalpy and pressure",
}


def title_of(run: Trajectory) -> str:
    return run.title or run.path.rsplit("/", 1)[-1]


def length_unit(run: Trajectory) -> str:
    return unit("nm" if run.units == "md" else "")


def time_unit(run: Trajectory) -> str:
    return unit("ps" if run.units == "md" else "")


def ensemble_of(run: Trajectory) -> str:
    """Of the production, which is the last stage; "" if the file does not say."""
    return str(run.parameters.get("ensemble", "")) or run.stages[-1].ensemble


def lead(run: Trajectory) -> str:
    """One sentence below the title."""
    kinds = " and ".join(f"{one.count:,} {escape(one.name)}".replace(",", "\u202f") for one in run.species[:4])
    words = [kinds + (" molecules" if run.n_molecules != 1 else " molecule") if run.species else "no molecules"]
    last, begins = max(stage.last for stage in run.stages), run.production_begins
    if run.parameters.get("step") and 0 <= begins < last:
        time = plain(run.time_at(last) - run.time_at(begins))
        constant = ENSEMBLES.get(ensemble_of(run) or "NVE", "")
        words.append(f"{time}{time_unit(run) or (' unit' if time == '1' else ' units') + ' of time'}{constant}")
    if run.box is not None:
        words.append("periodic box")
    elif len(run.frames):
        words.append("open space")
    return ", ".join(words) + "."


def runs_now(run: Trajectory, progress: Optional[Progress], live: bool) -> bool:
    return live and progress is not None and not progress.finished and run.is_written is not False


def state(run: Trajectory, found: Findings, progress: Optional[Progress], live: bool) -> Tuple[str, str]:
    """Class and words of the pill beside the name."""
    wrong = found.verdict is not None and found.verdict.state == "wrong"
    but = ", but something is wrong" if wrong else ""
    if progress is None:
        return ("wrong", "something is wrong") if wrong else ("", "")
    if progress.finished:
        return ("wrong" if wrong else ""), "finished" + but
    done = f"step {step_of(run, progress):,} of {progress.end:,}".replace(",", "\u202f")
    if runs_now(run, progress, live):
        return ("wrong" if wrong else "running"), f"running, {done}, {left_words(pace_of(run, progress))}{but}"
    return ("wrong" if wrong else "stopped"), "stopped at " + done + but


def notes_of(run: Trajectory) -> List[str]:
    """What the program had to say of the input, as the file keeps it, and of the file"""
    notes = run.parameters.get("notes")
    lines = [notes] if isinstance(notes, str) else [] if notes is None else [text_of(one) for one in np.ravel(notes)]
    lines += [f"The file {UNSEALED}"] if run.unsealed else []
    return [line for text in lines for line in text.splitlines() if line.strip()]


# ---- Header ----


def key_figures(
    run: Trajectory, found: Findings, progress: Optional[Progress], live: bool = False
) -> List[Tuple[str, str, str]]:
    """Label, value and what is below it."""
    figures = [progress_tile(pace_of(run, progress))] if progress and runs_now(run, progress, live) else []
    drift = find_value(found.energy, "drift.production")
    if drift is not None and np.isfinite(drift.value) and tells_errors(run, found):
        rms = find_value(found.energy, "rms.production")
        per = "ps" if run.units == "md" else "unit of time"
        none = np.isfinite(drift.error) and abs(drift.value) < 2 * drift.error
        conserved = conserved_series(run, found) == "conserved_energy"
        figures.append(
            (
                "Drift of the conserved energy" if conserved else "Energy drift",
                with_error(drift),
                f"{unit(run.series['total_energy'].unit, '')} per molecule and {per}{', none within its error' if none else ''}"
                + (f"; fluctuation {number(rms.value, 2)} rms" if rms is not None else ""),
            )
        )
    temperature = find_value(found.temperature, "temperature")
    if temperature is not None and np.isfinite(temperature.value):
        parts = [(word, find_value(found.temperature, word)) for word in ("translation", "rotation")]
        figures.append(
            (
                "Temperature",
                with_error(temperature) + small(unit(temperature.unit)),
                "<br>".join(
                    f"{word} {with_error(value)}"
                    for word, value in parts
                    if value is not None and np.isfinite(value.value)
                )
                + asked_words(found, "temperature"),
            )
        )
    elif "temperature" in run.series and len(run.series["temperature"]):
        series = run.series["temperature"]
        figures.append(
            ("Temperature", number(float(series.value[-1]), 4) + small(unit(series.unit)), "of the last row")
        )
    pressure = find_value(found.pressure, "pressure")
    if pressure is not None and np.isfinite(pressure.value):
        own = with_error(pressure) + unit(pressure.unit)
        asked = asked_words(found, "pressure")
        bar = with_error(Value(BAR * pressure.value, BAR * pressure.error)) + small("\u202fbar")
        figures.append(
            ("Pressure", bar, own + asked) if run.units == "md" else ("Pressure", own, "mean of the production" + asked)
        )
    density = density_of(found)
    if density is not None and volume_varies(run):
        figures.append(("Density", with_error(density) + small(unit(density.unit)), "mean of the production"))
    order = find_value(found.orientation, "P2") if found.body_axis is not None else None
    if order is not None and any(shape.half_axes is not None for one in run.species for shape in one.shapes):
        figures.append(doubtful_figure("Order P₂", order, found.orientation, "of the axes of the molecules"))
    diffusion = list(found.motion.values.values()) if found.motion else []
    if len(diffusion) == 1:
        figures.append(doubtful_figure("Diffusion coefficient", diffusion[0], found.motion, "from mean square displacements"))
    permittivity = find_value(found.dielectric, "epsilon")
    if permittivity is not None and np.isfinite(permittivity.value):
        figures.append(doubtful_figure("Permittivity", permittivity, found.dielectric, "from fluctuations of the dipole"))
    speed = speed_figure(run, progress)
    return figures + ([speed] if speed and not runs_now(run, progress, live) else [])


def doubtful_figure(label: str, value: Value, result: Result, below: str) -> Tuple[str, str, str]:
    """A number that may have a caution: then without an error, and with a link to the reason."""
    caution, shown = value.caution or result.caution, with_error(value)
    below += "; the error is a lower bound" if value.rough else ""
    if caution:
        shown = f'<span class="doubtful">{number(value.value, 2)}</span>'
        below = f'<b class="caution" title="{escape(caution)}">unreliable, without an error</b>: <a href="#notes">why</a>'
    return label, shown + small(unit(value.unit)), below


def conserved_series(run: Trajectory, found: Findings) -> str:
    """Name of what is conserved: with a bath or a moving cell that is not the total energy."""
    if found.energy is not None:
        return str(found.energy.parameters.get("conserved.production", "total_energy"))
    series = run.series.get("conserved_energy")
    return "total_energy" if series is None or not np.isfinite(series.value[-1:]).any() else "conserved_energy"


def tells_errors(run: Trajectory, found: Findings) -> bool:
    """Is that a measure of errors? Not the total energy of a run with a bath."""
    return ensemble_of(run) in ("", "NVE") or conserved_series(run, found) != "total_energy"


def density_of(found: Findings) -> Optional[Value]:
    return find_value(found.fluctuations, "mass_density", "density")


def volume_varies(run: Trajectory) -> bool:
    series = run.series.get("volume")
    return series is not None and len(series) > 1 and bool(np.ptp(series.value) > 0)


def asked_words(found: Findings, quantity: str) -> str:
    """Below a figure, marked where they disagree"""
    for one in found.asked:
        if one.quantity == quantity:
            words = f"asked {plain(one.asked)}{unit(one.obtained.unit)}"
            return f'<br><b class="wrong">{words}</b>' if one.verdict == "disagrees" else f"<br>{words}"
    return ""


def small(text: str) -> str:
    return f"<small>{text}</small>" if text else ""


def speed_figure(run: Trajectory, progress: Optional[Progress]) -> Optional[Tuple[str, str, str]]:
    if progress is None or progress.steps <= 0 or progress.seconds <= 0:
        return None
    rate = progress.steps / progress.seconds
    evaluations = progress.evaluations * run.n_molecules / progress.seconds
    return (
        "Speed",
        number(rate, 3) + small(" steps/s"),
        (
            f"{number(1e-6 * evaluations, 3)} million"
            if evaluations >= 1e5
            else f"{evaluations:,.0f}".replace(",", "\u202f")
        )
        + " molecules evaluated per second, "
        + count(progress.threads, "thread"),
    )


# ---- Table ----


def facts(run: Trajectory, progress: Optional[Progress]) -> List[Tuple[str, str]]:
    """Rows of label and value (HTML); what the file does not say is left out."""
    get, rows = run.parameters.get, []
    rows.append(
        (
            "Molecules",
            "<br>".join(
                f"{one.count:,} {escape(one.name)}".replace(",", "\u202f")
                + (f", {count(len(one.sites), 'site')}" if one.sites else "")
                for one in run.species
            )
            or "none",
        )
    )
    rows.append(("Box", box_words(run)))
    if get("scheme"):
        order = f", order {escape(str(get('scheme_order')))}" if get("scheme_order") else ""
        rows.append(("Scheme", f"{escape(str(get('scheme')))}{order}, flow {escape(str(get('flow', '')))}"))
    if get("integrator"):
        rows.append(("Integrator", f"{escape(str(get('integrator')))}, order {escape(str(get('integrator_order')))}"))
    if get("step"):
        rows.append(("Step", plain(float(run["step"])) + time_unit(run)))
    if get("truncation"):
        rows.append(("Interactions", interaction_words(run)))
    if get("electrostatics"):
        around = get("electrostatics_boundary_permittivity")
        rows.append(
            (
                "Electrostatics",
                escape(str(get("electrostatics")))
                + (f", permittivity around {number(float(around), 3)}" if around is not None else ""),
            )
        )
    if get("external"):
        rows.append(("External field", escape(str(get("external")))))
    if ensemble_of(run):
        rows.append(("Ensemble", escape(ensemble_of(run)) + ENSEMBLES.get(ensemble_of(run), "").replace(" at", ", at")))
    for stage in run.stages:
        if stage.last > stage.first:
            length = f" of {plain(stage.step)}{time_unit(run)}" if stage.step else ""
            about = f": {escape(stage.about)}" if stage.about else ""
            name = "Stage " + escape(stage.name) if stage.step else escape(stage.name.capitalize())
            rows.append((name, count(stage.last - stage.first, "step") + length + about))
    rows.append(
        (
            "Output",
            count(len(run.frames), "frame")
            + (
                ", " + count(max(len(series) for series in run.series.values()), "row") + " of the series"
                if run.series
                else ""
            ),
        )
    )
    if progress and progress.seconds > 0 and progress.steps > 0 and progress.evaluations > 0:
        rows.append(
            (
                "Wall time",
                f"{duration(progress.seconds)} for {count(progress.steps, 'step')}, "
                f"{count(progress.evaluations, 'force evaluation')}, "
                f"{count(progress.threads, 'thread')}" + per_day(run, progress),
            )
        )
    if run.creator:
        rows.append(("Program", escape(run.creator)))
    if get("build"):
        rows.append(("Build", escape(re.sub(r", \d+ threads?$", "", str(get("build")).split(", ", 1)[-1]))))
    return rows


def per_day(run: Trajectory, progress: Progress) -> str:
    step = float(run.parameters.get("step", 0.0))
    if run.units != "md" or not step or len({stage.step for stage in run.stages}) > 1:  # steps of several lengths
        return ""
    return f"; {number(86400 * progress.steps / progress.seconds * step / 1000, 3)} ns a day"


def box_words(run: Trajectory) -> str:
    if run.box is None:
        return "open space" if len(run.frames) else "not told"
    edges = np.linalg.norm(run.box, axis=1)
    lengths = plain(edges[0], 5) if np.allclose(edges, edges[0]) else " × ".join(plain(edge, 5) for edge in edges)
    square = np.allclose(run.box, np.diag(np.diag(run.box)))
    kind = ("cube of edge " if np.allclose(edges, edges[0]) else "") if square else "tilted, edges "
    volume, per = abs(np.linalg.det(run.box)), "\u202fnm⁻³" if run.units == "md" else ""
    density = f"density {plain(run.n_molecules / volume, 4)}{per}" if volume > 0 else "without a volume"
    first = run.frames[0].box
    end = " at the end" if first is not None and not np.array_equal(first, run.box) else ""
    return f"{kind}{lengths}{length_unit(run)}, {density}{end}"


def interaction_words(run: Trajectory) -> str:
    get = run.parameters.get
    words = TRUNCATIONS.get(str(get("truncation")), escape(str(get("truncation"))))
    if get("cutoff"):
        words += f" at {plain(float(run['cutoff']))}{length_unit(run)}"
    if get("switch_width"):
        smooth = escape(str(get("switch_smoothness", "")))
        words += f" over {plain(float(run['switch_width']))}" + (
            f", {smooth} continuous derivatives" if smooth else ""
        )
    return words
