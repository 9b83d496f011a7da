#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare rows of ftr browse with the lines of the text command.

Usage: tests/tools/rows-check.py TEXT DUMPDIR WIDTH [TIME...]

TEXT is all that the command prints. The screen N.txt of the folder was made by going to the Nth TIME. Its rows, without
the two columns for marks, have to be lines of TEXT that follow each other, cut at WIDTH, and the selected one (by the
letters of the attributes) the first whose time is not before TIME, or the last line; any where TIME is -. Prints how
many rows were compared and what differs. Exit codes: 0 equal, 1 not.
"""
import re
import sys
import unicodedata

GUTTER = 2
SELECTED = "s"


def width(c):
    return 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1


def cut(line, columns):
    if line.isascii():
        return line[:columns]
    at = 0
    for i, c in enumerate(line):
        at += width(c)
        if at > columns:
            return line[:i]
    return line


def screen(path):
    with open(path, encoding="utf-8") as f:
        text, _, looks = f.read().partition("\n\n")
    looks = looks.split("\n")[:-1]
    # of the text only, rows that are blank may be missing at the end
    rows = (text.split("\n") + [""] * len(looks))[:len(looks)]
    return rows, looks


def time_of(line):
    m = re.search(r"\] (?:\S+ )? *(\d+)\.(\d{6}): ", line)
    return int(m[1] + m[2]) if m else None


def first_not_before(lines, wanted):
    """The numbers of lines that may be selected: of one time as it is shown there may be several."""
    times = [time_of(line) for line in lines]
    for i in reversed(range(len(times) - 1)):       # a loss is told at the time of what follows
        if times[i] is None:
            times[i] = times[i + 1]
    found = [i for i, t in enumerate(times) if t is not None and t >= wanted]
    if not found:
        return {len(lines) - 1}
    return {i for i in found if times[i] == times[found[0]]} | {found[0]}


def check(lines, shown, path, wanted):
    """(rows compared, what is wrong or None)"""
    rows, looks = screen(path)
    body = [(row[GUTTER:].rstrip(), look) for row, look in zip(rows[2:-1], looks[2:-1])]
    while body and not body[-1][0]:
        body.pop()
    at = [i for i in range(len(shown) - len(body) + 1) if shown[i:i + len(body)] == [b[0] for b in body]]
    if not at:
        return 0, "%s: its rows are not lines that follow each other: %s" % (path, body[0][0] if body else "none")
    selected = [i for i, (_, look) in enumerate(body) if SELECTED in look]
    if len(selected) != 1:
        return 0, "%s: %d rows are selected" % (path, len(selected))
    if wanted is not None and not {i + selected[0] for i in at} & first_not_before(lines, wanted):
        return 0, "%s: '%s' is selected for %d" % (path, body[selected[0]][0], wanted)
    if len(body) < min(len(rows) - 3, len(lines)):
        return 0, "%s: %d rows are left empty" % (path, len(rows) - 3 - len(body))
    return len(body), None


def main(text, folder, columns, *times):
    with open(text, encoding="utf-8") as f:
        lines = f.read().split("\n")[:-1]
    shown = [cut(line, int(columns) - GUTTER).rstrip() for line in lines]
    compared, wrong = 0, []
    for i, time in enumerate(times):
        n, why = check(lines, shown, "%s/%d.txt" % (folder, i), None if time == "-" else int(time.replace(".", "")))
        compared += n
        wrong += [why] if why else []
    print("\n".join(["%d rows" % compared] + wrong[:10]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
