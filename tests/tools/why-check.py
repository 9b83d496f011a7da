#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the accounts of ftr why, of all tasks of a file.

Usage: why-check.py FILE...

The rows of each task have to add up to its time, and the rows inside of a row to that row, to the nanosecond. The times
that the task ran, waited, slept and was not known have to be those of the states of tests/oracle/spans.py, a decoder of
its own. Uses the program $FTR, or ftr of $FTR_BUILD. Prints what differs.
"""
import collections
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FTR = os.environ.get("FTR") or os.path.join(os.environ.get("FTR_BUILD", TOP + "/build"), "ftr")
GROUP = {"ran": "ran", "interrupted": "ran", "preempted": "waited", "waited": "waited",
         "waited and moved to another CPU": "waited", "waited for a CPU": "waited",
         "forked and not yet started": "waited", "asleep": "slept",
         "blocked": "slept", "stopped": "slept", "not known": "unknown"}
STATES = {"running": "ran", "new": "waited", "runnable": "waited", "preempted": "waited", "unknown": "unknown"}


def sums(rows, whole, where, bad):
    total = sum(row["time"] for row in rows)
    if rows and total != whole:
        bad.append("%s: the rows add up to %d, not to %d" % (where, total, whole))
    for row in rows:
        if row["longest"] > row["time"] or row["count"] < 1 or row["time"] < 1:
            bad.append("%s: %s" % (where, row))
        sums(row["rows"], row["time"], "%s, %s until %s" % (where, row["what"], row["cause"]), bad)


def accounts(path, *options):
    run = subprocess.run([FTR, "why", "*", "-q", "--json", *options, path], capture_output=True, text=True, check=False)
    if run.returncode and "no task" in run.stderr:
        return []
    if run.returncode not in (0, 3):
        raise SystemExit("%s: status %d\n%s" % (path, run.returncode, run.stderr))
    return json.loads(run.stdout)


def states(path):
    """{name of a task: {group: time}}, by the oracle."""
    out = subprocess.run([sys.executable, TOP + "/tests/oracle/spans.py", path], capture_output=True, text=True,
                         check=True).stdout
    found = collections.defaultdict(collections.Counter)
    for m in re.finditer(r"^state (\d+(?:\.\d+)?) (\S+) time=(\d+)", out, re.M):
        if m[2] != "dead":
            found[m[1]][STATES.get(m[2], "slept")] += int(m[3])
    return {task: {group: n for group, n in times.items() if n} for task, times in found.items()}


def check(path):
    bad = []
    wanted = states(path)
    first = None
    for options in ((), ("--depth", "0"), ("--tree",)):
        found = accounts(path, *options)
        top = [[(row["what"], row["in"], row["cause"], row["time"]) for row in a["rows"]] for a in found]
        first = first or top
        if top != first:
            bad.append("the rows of tasks differ with %s" % " ".join(options))
        for account in found:
            sums(account["rows"], account["time"], account["task"], bad)
    for account in found:
        task = re.search(r"\d+(?:\.\d+)?$", account["task"])[0]
        times = collections.Counter()
        for row in account["rows"]:
            times[GROUP[row["what"]]] += row["time"]
        if dict(times) != wanted.pop(task, {}):
            bad.append("%s: %s" % (account["task"], dict(times)))
    bad += ["%s has no account: %s" % (task, times) for task, times in wanted.items() if times]
    for line in bad[:20]:
        print("# %s: %s" % (path, line))
    return not bad


if __name__ == "__main__":
    sys.exit(not all([check(path) for path in sys.argv[1:]]))
