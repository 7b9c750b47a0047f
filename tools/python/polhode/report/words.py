# SPDX-License-Identifier: MIT
"""Numbers and units as people write them, in HTML."""
from __future__ import annotations

import math
import re
from html import escape
from typing import Optional

from ..results import Value

RAISED = str.maketrans("-+0123456789", "⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = "\u2212"


def signed(text: str) -> str:
    return text.replace("-", MINUS)


def power(exponent: int) -> str:
    return "10" + str(exponent).translate(RAISED)


def number(value: Optional[float], digits: int = 4) -> str:
    """1.305, 2.3×10⁻⁸, −47.59; a dash for NaN."""
    if value is None or not math.isfinite(value):
        return "∞" if value == math.inf else "–"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if -4 < exponent < 6:
        return signed(f"{value:.{max(0, digits - 1 - exponent)}f}")
    mantissa = f"{value / 10.0**exponent:.{digits - 1}f}"
    return signed(mantissa) + "×" + power(exponent)


def plain(value: float, digits: int = 6) -> str:
    """What was given, not measured: without zeros at the end."""
    text = number(value, digits)
    mantissa, times, rest = text.partition("×")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + times + rest


def with_error(value: Optional[Value], digits: int = 4) -> str:
    """1.305(4), 0.9(24)×10⁻⁸, −15500(1300): as many digits as the error allows, two of it if it begins with 1."""
    if value is None or not math.isfinite(value.value):
        return number(value.value if value else None)
    error = value.error
    if not math.isfinite(error) or error <= 1e-14 * abs(value.value):
        return number(value.value, digits)
    size = math.floor(math.log10(error))
    size -= error / 10.0**size < 1.95
    in_last, last = round(error / 10.0**size), 10.0**size  # the error, in units of the last digit
    largest = math.floor(math.log10(max(abs(round(value.value / last)), in_last) * last * (1 + 1e-9)))  # as it is written
    if -4 < largest < 6 and size > -7:
        if size > 0:
            return signed(f"{round(value.value / last) * last:.0f}") + f"({in_last * last:.0f})"
        return signed(f"{value.value:.{-size}f}") + f"({in_last})"
    return signed(f"{value.value / 10.0**largest:.{max(0, largest - size)}f}") + f"({in_last})×" + power(largest)


def pretty(line: str) -> str:
    """A text with powers as people write them: 5e-10 becomes 5×10⁻¹⁰, 1.5e+00 becomes 1.5, eps^2 becomes ε². Names of files stay."""

    def write(match: re.Match) -> str:
        digits, exponent = match[1], int(match[2])
        if -3 <= exponent <= 2:
            return f"{float(match[0]):g}"
        return power(exponent) if float(digits) == 1 else f"{digits}×{power(exponent)}"

    line = re.sub(r"(?<![A-Za-z]-)\b(\d(?:\.\d+)?)e([+-]?\d+)\b", write, line).replace("H0 =", "H₀ =")
    line = re.sub(r"(?<=\w)\^(-?\d+)", lambda match: match[1].translate(RAISED), re.sub(r"\beps\b", "ε", line))
    return line.replace(" = ", "\u00a0=\u00a0").replace(" +- ", "\u00a0±\u00a0")  # not to be broken


def unit(text: str, lead: str = "\u202f") -> str:
    """kJ mol-1 becomes kJ mol⁻¹, with a thin space before it; empty if there is none."""
    if not text:
        return ""
    return lead + escape(re.sub(r"(?<=[A-Za-z])[+]?(-?\d+)", lambda match: str(match[1]).translate(RAISED), text))


def duration(seconds: float) -> str:
    if seconds < 99.5:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 5970 else f"{seconds / 3600:.3g} h"


def count(n: int, one: str, many: str = "") -> str:
    """1 frame, 12 000 frames"""
    return f"{n:,}".replace(",", "\u202f") + "\u00a0" + (one if n == 1 else many or one + "s")
