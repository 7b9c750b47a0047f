#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""tools/plot-study, but of all studies with one kind of figure only the first is rendered: figures of the others are made,
and their files are written with a line in them. Rendering takes most of the time, and does the same for each. Of the figures
that are rendered, only the first is one in PNG, too.

usage: plot_each_kind.py DIR
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
from unittest import mock

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "tools" / "plot-study"
loader = importlib.machinery.SourceFileLoader("plot_study", str(SCRIPT))
plot_study = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot_study", loader))
loader.exec_module(plot_study)

seen = set()


def write_line(figure, path, **_):
    pathlib.Path(path).write_text(f"{len(figure.axes)} axes\n")


figure = plot_study.matplotlib.figure.Figure
render = figure.savefig


def render_few(one, path, **more):
    if path.suffix == ".png" and "PNG" in seen:
        write_line(one, path)
        return
    seen.update(["PNG"] if path.suffix == ".png" else [])
    render(one, path, **more)


def once(kind, draw):
    def drawing(file, directory):
        if kind not in seen:
            seen.add(kind)
            with mock.patch.object(figure, "savefig", render_few):
                draw(file, directory)
            return
        with mock.patch.object(figure, "savefig", write_line), mock.patch.object(figure, "tight_layout"):
            draw(file, directory)

    return drawing


plot_study.DRAWINGS = {kind: once(kind, draw) for kind, draw in plot_study.DRAWINGS.items()}
sys.exit(plot_study.main())
