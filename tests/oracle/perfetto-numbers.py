#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ask Perfetto's trace processor for each event of perfetto-events.txt whether its numbers are right.

Usage: tests/oracle/perfetto-numbers.py

Writes one event of each kind, with a value of its own in each field, and compares names and arguments with what comes
back. Prints what differs. Exit codes: 0 all are right, 1 some are not, 77 no trace processor (one line why).
"""
import sys

import perfetto
import protowalk

ROWS = ("select ts, e.name, a.key, coalesce(a.string_value, a.int_value) from ftrace_event e "
        "left join args a on a.arg_set_id = e.arg_set_id order by ts")
NUMBERS = "u32", "u64", "i32", "i64"


def written(number, fields):
    """Fields of an event, and what is to be read of them."""
    out, wanted = [], {}
    for at, (name, kind) in sorted(fields.items()):
        value = at + 1 if kind in NUMBERS else f"text {number} {at}"
        out.append(perfetto.field(at, value))
        wanted[name] = str(value)
    return out, wanted


def main():
    try:
        path = perfetto.library()
    except perfetto.Unusable as error:
        print(f"perfetto-numbers.py: {error}")
        return perfetto.UNUSABLE
    if perfetto.check(path):
        return perfetto.UNUSABLE
    wanted, events = {}, []
    for number, (name, fields) in sorted(protowalk.known_events().items()):
        values, args = written(number, fields)
        wanted[number] = name, args
        events.append(perfetto.field(
            2, [perfetto.field(1, number), perfetto.field(2, 7), perfetto.field(number, values)]))
    processor = perfetto.Processor(path)
    processor.parse(perfetto.trace([perfetto.field(10, 1), perfetto.field(1, [perfetto.field(1, 0), *events])]))
    found = {}
    for ts, name, key, value in ([cell.decode() for cell in row] for row in processor.query(ROWS)[1:]):
        found.setdefault(int(ts), (name, {}))[1][key] = value
    wrong = 0
    for number, (name, args) in wanted.items():
        got = found.get(number, (None, {}))
        differ = {key: (value, got[1].get(key)) for key, value in args.items() if got[1].get(key) != value}
        if got[0] != name or differ:
            wrong += 1
            print(f"{name} {number}: {got[0]}, {differ}")
    print(f"{len(wanted)} events, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
