#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the rows of perf sched timehist with those of ftr sched timehist of the same time.

Usage: timehist-check.py PERF OURS

Both record the same switches, perf by its own clock, which differs from that of the trace by a constant. Prints what
differs by more than 0.3 ms, and a line of counts. Not compared: rows of ftr's own threads, which ftr leaves out; what
perf or ftr can't know of a task, or of a CPU, before its first row, where ftr prints a -; rows of perf that are of no
task (":-1[-1]", where one exits); the delay, in which perf does not count preemptions.
"""
import bisect
import collections
import re
import statistics
import sys

NEAR_US, NEAR_MS = 300, 0.3
ROW = re.compile(r"\s*(\d+)\.(\d{6}) \[(\d+)\]\s+(.+?)"
                 r"\s+(\d+\.\d{3}|-)\s+(?:\d+\.\d{3}|-)\s+(\d+\.\d{3})")
Row = collections.namedtuple("Row", "time cpu tid name wait run")


def rows_of(path):
    found = []
    with open(path, encoding="utf-8", errors="replace") as lines:
        for m in filter(None, map(ROW.match, lines)):
            tid = re.search(r"\[(-?\d+)(?:/\d+)?\]$", m.group(4))
            found.append(Row(int(m.group(1)) * 10 ** 6 + int(m.group(2)), int(m.group(3)),
                             int(tid.group(1)) if tid else 0, m.group(4),
                             None if m.group(5) == "-" else float(m.group(5)), float(m.group(6))))
    return found


def first_rows(rows):
    first = {}
    for row in rows:
        first.setdefault(row.tid, row)
    return first


class Places:
    """Rows by task and CPU, to be found by time."""

    def __init__(self, rows):
        self.rows = collections.defaultdict(list)
        for row in rows:
            self.rows[row.tid, row.cpu].append(row)
        self.times = {key: [row.time for row in v] for key, v in self.rows.items()}

    def near(self, row):
        times = self.times.get((row.tid, row.cpu), [])
        at = bisect.bisect_left(times, row.time - NEAR_US)
        some = range(at, bisect.bisect_right(times, row.time + NEAR_US))
        return self.rows[row.tid, row.cpu][min(some, key=lambda i: abs(times[i] - row.time))] if some else None


def main():
    perf, ours = rows_of(sys.argv[1]), rows_of(sys.argv[2])
    mine = first_rows(ours)
    # tasks that were forked meanwhile have their first rows in both
    shift = int(statistics.median(mine[tid].time - row.time for tid, row in first_rows(perf).items() if tid in mine))
    perf = [row._replace(time=row.time + shift) for row in perf]
    begin, end = perf[0].time, perf[-1].time
    nobody = {(row.cpu, row.time // NEAR_US + i) for row in perf if row.tid < 0 for i in (-1, 0, 1)}
    perf = [row for row in perf if not row.name.startswith("ftr") and row.tid >= 0]
    places, bad, met, cpus = Places(ours), [], set(), set()
    for row in perf:
        other = places.near(row)
        if not other:
            bad.append("ftr has no row: %s" % (row,))
        elif row.cpu in cpus and abs(other.run - row.run) > NEAR_MS:
            bad.append("run: %s, ftr: %s" % (row, other))
        elif (row.tid, row.cpu if not row.tid else 0) in met and (
                other is not mine[row.tid] if other.wait is None else abs(other.wait - row.wait) > NEAR_MS):
            bad.append("wait: %s, ftr: %s" % (row, other))
        met.add((row.tid, row.cpu if not row.tid else 0))
        cpus.add(row.cpu)
    places = Places(perf)
    inside = [row for row in ours if begin + NEAR_US < row.time < end - NEAR_US and
              (row.cpu, row.time // NEAR_US) not in nobody]
    bad += ["perf has no row: %s" % (row,) for row in inside if not places.near(row)]
    print("\n".join(bad[:20] + ["# %d rows of perf, %d of ftr in that time, %d differ" %
                                (len(perf), len(inside), len(bad))]))
    return bool(bad) or len(perf) < 1000


if __name__ == "__main__":
    sys.exit(main())
