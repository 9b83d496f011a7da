#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare a reader's list of records with the sidecar that mkdat.py wrote.

expect.py EXPECT.json raw FILE      FILE as rawdecode.py sees it: records in order, losses, pairs
expect.py EXPECT.json list LISTING  lines "INSTANCE CPU TS_ns EVENTNAME PID COMM" as of tcmd_count
Exit codes: 0 equal, 1 different (the first differences on stdout), 2 usage.
"""
import json
import sys

sys.dont_write_bytecode = True
import rawdecode                        # noqa: E402


def first_differences(expect, got):
    out = []
    if len(expect) != len(got):
        out.append("%d records expected, %d found" % (len(expect), len(got)))
    pairs = [pair for pair in zip(expect, got) if pair[0] != pair[1]]
    out += ["expected %s, found %s" % pair for pair in pairs[:3]]
    return out


def compare_raw(expect, path):
    trace = rawdecode.load(path, keep_rows=True)
    got = [(buf.name, cpu.cpu, ts, pid, trace.name_of(type_id))
           for buf in trace.buffers for cpu in buf.cpus for ts, type_id, pid, _ in cpu.rows]
    out = first_differences([(r["buffer"], r["cpu"], r["ts"], r["pid"], r["event"])
                             for r in expect["records"]], got)
    out += ["problem at %s: %s" % problem for problem in trace.problems[:3]]
    totals = trace.totals()
    for key in ("records", "leaf_pairs", "lost", "lost_unknown", "pages"):
        if totals[key] != expect["totals"][key]:
            out.append("%s: %d expected, %d found" % (key, expect["totals"][key], totals[key]))
    return out


def compare_list(expect, path):
    shift = expect["ts_offset_ns"]
    want = sorted((r["buffer"] or "-", r["cpu"], (r["ts"] + shift) % (1 << 64), r["event"],
                   r["pid"], r["comm"]) for r in expect["records"])
    with open(path, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split(" ", 5) for line in stream]
    got = sorted((row[0], int(row[1]), int(row[2]), row[3], int(row[4]), row[5]) for row in rows)
    return first_differences(want, got)


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in ("raw", "list"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as stream:
        expect = json.load(stream)
    compare = compare_raw if sys.argv[2] == "raw" else compare_list
    differences = compare(expect, sys.argv[3])
    print("\n".join(differences), end="\n" if differences else "")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
