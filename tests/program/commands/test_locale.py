#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Floating-point numbers enter and leave the library through base/plain.h, which does not know the host's locale.

The program itself never calls setlocale. usage: test_locale.py SRC
"""
import pathlib
import re
import sys
import unittest

SRC = pathlib.Path(sys.argv.pop(1)).resolve()
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FLOATING = re.compile(r"%[-+ 0#]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?L?[aefgAEFG]")
READS = re.compile(r"\b(strto(?:d|f|ld)|atof|v?[fs]?scanf)\s*\(")
WRITES = re.compile(r"(?<![\w.>])(v?(?:fprintf|s?n?printf|dprintf|asprintf))\s*\(")


def call_at(text, opening):
    """From an opening bracket to the one that closes it; brackets in texts do not count."""
    depth, k = 0, opening
    while k < len(text):
        if text[k] == '"':
            k = LITERAL.match(text, k).end()
            continue
        depth += {"(": 1, ")": -1}.get(text[k], 0)
        k += 1
        if depth == 0:
            break
    return text[opening:k]


def bare_calls(text):
    """Those that would follow the locale: (offset, name)"""
    found = []
    for m in READS.finditer(text):
        if "scanf" not in m[1] or FLOATING.search(call_at(text, m.end() - 1)):
            found.append((m.start(), m[1]))
    for m in WRITES.finditer(text):
        words = "".join(literal[1:-1] for literal in LITERAL.findall(call_at(text, m.end() - 1)))
        if m[1].startswith("v") or FLOATING.search(words.replace("%%", "")):
            found.append((m.start(), m[1]))
    return found


class Library(unittest.TestCase):
    def test_the_check_sees_what_it_looks_for(self):
        for bare in ('fprintf(out, "a" "%s %*.3f\\n", f(x), 1, y)', "strtod(a, &b)", 'snprintf(t, 3, "(%g", x)',
                     'vsnprintf(t, 3, format, a)', 'sprintf(t, "%-+8.2e", x)'):
            self.assertEqual(len(bare_calls(bare)), 1, bare)
        for good in ('ph_fprintf(out, "%g", x)', 'fprintf(out, "%s 100 %% for %zu", x, n)', "ph_strtod(a, &b)",
                     'fscanf(file, "%*d %ld", &pages)', 'snprintf(t, 3, "%d%%f", x)'):
            self.assertEqual(bare_calls(good), [], good)

    def test_numbers_pass_through_plain(self):
        files = [f for f in SRC.rglob("*.[ch]") if "cli" not in f.relative_to(SRC).parts and f.stem != "plain"]
        self.assertGreater(len(files), 100)
        wrong = []
        for file in sorted(files):
            text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), file.read_text(), flags=re.S)
            for offset, name in bare_calls(text):
                wrong.append(f"{file.relative_to(SRC)}:{text.count(chr(10), 0, offset) + 1}: {name}: use ph_{name}")
        self.assertEqual(wrong, [], "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
