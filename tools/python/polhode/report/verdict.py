# SPDX-License-Identifier: MIT
"""Is all well with this run? As `polhode info` judges it, worn by the page at its top."""
from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any, List, Optional, Sequence

from .. import results
from ..results import Asked
from .words import pretty

# By state: what the page calls it, and its sign
WORDS = {"well": ("All well", "✓"), "unclear": ("Unclear", "?"), "wrong": ("Wrong", "✗")}


@dataclass
class Check:
    name: str
    state: str
    text: str


@dataclass
class Verdict:
    state: str  # "well", "wrong" or "unclear"
    line: str  # "all well", or what is not and why
    checks: List[Check] = field(default_factory=list)


def _part(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def _text(item: Any, name: str) -> str:
    return str(_part(item, name) or "")


def ask_verdict(program: Optional[str], path: str, asked: Sequence[Asked]) -> Optional[Verdict]:
    """The program's; from what it compares of temperature and pressure, if it gives none. None without either."""
    ask = getattr(results, "verdict", None)
    told = ask(program, path) if ask and program else None
    if told is not None and _part(told, "state"):
        checks = [Check(_text(one, "name"), _text(one, "state"), _text(one, "text")) for one in _part(told, "checks") or []]
        return Verdict(_text(told, "state"), _text(told, "line"), checks)
    wrong = [one.text.replace("DISAGREES, ", "") for one in asked if one.shown and one.verdict == "disagrees"]
    return Verdict("wrong", "; ".join(wrong), [Check("asked and obtained", "wrong", text) for text in wrong]) if wrong else None


def badge_html(verdict: Optional[Verdict]) -> str:
    """One line, below the title"""
    if verdict is None:
        return ""
    words, sign = WORDS.get(verdict.state, (verdict.state, "?"))
    line = "" if verdict.line.strip(" .").lower() == words.lower() else f" <span>{escape(pretty(verdict.line))}</span>"
    more = ' <a href="#checks">All checks</a>' if verdict.checks else ""
    return f'<p class="verdict {escape(verdict.state)}" id="verdict" role="status"><b>{sign}\u00a0{words}</b>{line}{more}</p>'


def checks_html(verdict: Optional[Verdict]) -> str:
    """All of them, those that are wrong first"""
    if verdict is None or not verdict.checks:
        return ""
    order = {"wrong": 0, "unclear": 1}
    rows = "".join(
        f'<tr class="{escape(check.state)}"><td><b>{sign_of(check.state)}</b></td><th>{escape(check.name)}</th>'
        f"<td>{escape(pretty(check.text))}</td></tr>"
        for check in sorted(verdict.checks, key=lambda one: order.get(one.state, 2))
    )
    return (
        '<section id="checks"><h2>Checks</h2><div class="card"><table class="checks"><tbody>'
        f"{rows}</tbody></table></div></section>"
    )


def sign_of(state: str) -> str:
    word, sign = WORDS.get(state, (state, "·"))
    return f'<span title="{escape(word)}" aria-label="{escape(word)}">{sign}</span>'
