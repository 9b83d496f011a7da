#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the table of ftr report --csv against ftr report --json --text of the same records.

Usage: csv-check.py TABLE.csv LINES.json [--raw]

The columns are those of TABLE: known ones, and fields that are numbers or strings. Fields that are absent are empty
cells. Strings are compared where nothing in them is escaped. A string that a spreadsheet would take for a formula has
a ' before it, but not with --raw. Each line ends with CR LF; prints what differs, and one line of counts.
"""
import csv
import json
import re
import sys

PLAIN = re.compile("[ -~\u0100-\ufffd]*")


def shown_time(ts):
    us = (ts + 500) // 1000
    return "%d.%06d" % (us // 10 ** 6, us % 10 ** 6)


def guarded(value):
    """As OWASP's "CSV injection" has it."""
    formula = value[:1] in set("=+-@\t\r") and not re.fullmatch(r"[-+]?\d+(\.\d*)?", value)
    return "'" + value if formula and "--raw" not in sys.argv else value


def unlike(name, cell, one):
    """Whether @cell is wrong; None where it can't be told."""
    if name in ("cpu", "pid"):
        return cell != str(-1 if one[name] is None else one[name])
    if name == "time":
        return cell != shown_time(one["ts"])
    if name == "event" and one["event"] is None:
        return not cell.startswith("[type ")
    if name in ("file", "buffer", "comm", "flags", "system", "event", "text"):
        value = one.get(name, "") if name != "text" else one.get("text", one.get("bytes"))
        return cell.rstrip("\n") != guarded(value).rstrip("\n") if PLAIN.fullmatch(value.replace("\n", "")) else None
    value = one.get("fields", {}).get(name)
    if isinstance(value, int):
        return int(cell, 0) != value
    if isinstance(value, str):
        return cell != guarded(value) if PLAIN.fullmatch(value) else None
    return None if value or name in one.get("fields", {}) else cell != ""


def main():
    raw = open(sys.argv[1], "rb").read()
    raw.decode()
    rows = csv.reader(open(sys.argv[1], encoding="utf-8", newline=""), strict=True)
    names = next(rows)
    lines = [one for one in map(json.loads, open(sys.argv[2], encoding="utf-8", newline="\n")) if "lost" not in one]
    bad, number, known = [], 0, 0
    for number, row in enumerate(rows, 1):
        if len(row) != len(names) or number > len(lines):
            bad.append("row %d: %s" % (number, row))
            continue
        for name, cell in zip(names, row):
            differs = unlike(name, cell, lines[number - 1])
            known += differs is not None
            if differs:
                bad.append("row %d, %s: %r of %s" % (number, name, cell, lines[number - 1]))
    if number != len(lines):
        bad.append("%d rows, %d records" % (number, len(lines)))
    # what ends a line is not in quotes
    ends = re.sub(rb'"(?:[^"]|"")*"', b"", raw)
    if ends.count(b"\r\n") != number + 1 or ends.count(b"\n") != number + 1 or ends.count(b"\r") != number + 1:
        bad.append("lines do not end with CR LF")
    print("\n".join(bad[:20] + ["# %d rows, %d cells known, %d differ" % (number, known, len(bad))]))
    return bool(bad) or not known


if __name__ == "__main__":
    sys.exit(main())
