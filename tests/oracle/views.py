#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What views on spans and states have to print of trace files, by Documentation/design/spans.md alone:
a check of their commands.

Usage: tests/oracle/views.py VIEW FILE...

Views:
    latency     of each kind, and of wakeup: the rows of the histogram in microseconds, count, sum, minimum,
                maximum, marks
Reads the files by rawdecode.py and spans.py, never what the program under test prints.
"""
import sys

import spans

MARK_NAMES = spans.MARKS


# --- latency -----------------------------------------------------------------------------------

def row_of(ns):
    """The number of the row: 0 for 0 and 1 us, i from 2^i on."""
    return max((ns // 1000).bit_length() - 1, 0)


def latency_lines(kind, values, marks):
    """@marks: of all, also of those without a value."""
    rows = {}
    for ns in values:
        rows[row_of(ns)] = rows.get(row_of(ns), 0) + 1
    for row, count in sorted(rows.items()):
        yield "%s row %d %d" % (kind, row, count)
    if values:
        yield "%s count=%d sum=%d min=%d max=%d" % (kind, len(values), sum(values), min(values), max(values))
    for mark in MARK_NAMES:
        count = sum(mark in m for m in marks)
        if count:
            yield "%s mark %s: %d" % (kind, mark, count)


def latency(models, all_spans):
    kinds = {}
    for _, span in all_spans:
        kinds.setdefault(span.kind, []).append(span)
    for kind, some in sorted(kinds.items()):
        values = [s.dur for s in some if s.dur is not None and spans.LOSS not in s.marks]
        yield from latency_lines(kind, values, [s.marks for s in some])
    waits = [w for model in models if model.tasks.has_switch for w in model.tasks.waits
             if not w.task.name.startswith("0/")]
    values = [max(w.end - w.begin, 0) for w in waits if not w.marks]
    yield from latency_lines("wakeup", values, [w.marks for w in waits])


# A view takes the models of the files and all spans [(file, Span)], and yields lines.
VIEWS = {
    "latency": latency,
}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in VIEWS:
        raise SystemExit(__doc__)
    for line in VIEWS[sys.argv[1]](*spans.read_files(sys.argv[2:], [])):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
