#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the accounts of ftr why with waits whose causes are known.

Usage: why_load.py [--exact] FTR FILE WAITS: a recording with the clock mono, and the lines of why_load.

For each wait, the account of its thread from its begin to its end has to add up to that time, and has to have a row
with the cause. Where the length is known, that row has at least LEAST of it in three of the five waits: the rest is
the way into the kernel and out of it, and the host may stop there. With --exact, the time that a thread was runnable
is that of the kernel's own account within 1 %, where that is 100 ms and more; else it is printed.
"""
import collections
import json
import re
import subprocess
import sys

SLEPT = ("asleep", "blocked", "stopped")
LEAST = 0.75
# kind: (what, in, cause, length in ms or 0); HELPER is the helper's thread id
KNOWN = {
    "pipe": ("asleep", "read", "h-pipe-HELPER", 20),
    "futex": ("asleep", "futex", "h-futex-HELPER woke futex 0x.*", 20),
    "sleep": ("asleep", "clock_nanosleep", "timer hrtimer_wakeup", 20),
    "signal": ("asleep", "rt_sigtimedwait", "signal 10 from h-signal-HELPER", 20),
    "net": ("asleep", "recvfrom", "softirq NET_RX|network receive", 20),
    "disk": ("blocked", "pread64", r"a request to disk \d+,\d+ ended", 10),
    "fault": ("blocked", "a page fault", r"a request to disk \d+,\d+ ended", 10),
    "lock": ("blocked", "pwrite64", "h-lock-HELPER released lock .*", 0),
    "mutex": ("blocked", "write", "h-mutex-HELPER released lock .*", 20),
    "completion": ("blocked", "write", r"work ftrmod_work( \[ftrmod\])?, queued by h-completion-HELPER", 20),
    "work": ("blocked", "write", "work .*", 0),
    "hog": ("preempted", None, "h-hog-HELPER", 30),
}


def seconds(ns):
    return "%d.%09d" % divmod(ns, 10 ** 9)


def check(ftr, path, line, met):
    kind, tid, helper, begin, end = line.split()
    begin, end = int(begin), int(end)
    run = subprocess.run([ftr, "why", "--json", "--since", seconds(begin), "--until", seconds(end), tid, path],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        return "%s: status %d: %s" % (line, run.returncode, run.stderr)
    rows = json.loads(run.stdout)[0]["rows"]
    total = sum(row["time"] for row in rows)
    what, where, cause, length = KNOWN[kind]
    found = [row for row in rows if row["what"] == what and row["in"] == where and
             re.fullmatch(cause.replace("HELPER", helper), row["cause"] or "")]
    words = "; ".join("%s in %s by %s %.3f ms" % (row["what"], row["in"], row["cause"], row["time"] / 1e6)
                      for row in rows[:4])
    if total not in (end - begin, end - begin + 1):
        return "%s: the rows add up to %d, not to %d" % (line, total, end - begin)
    # the host may stop the task on its way to sleep until it is over; on one CPU a work is done before that anyway
    if not found and not any(row["what"] in SLEPT for row in rows):
        return None
    if not found:
        return "%s: no such cause: %s" % (line, words)
    if found[0]["time"] < LEAST * length * 1e6:
        print("# %s: of %.3f ms: %s" % (line, (end - begin) / 1e6, words))
    else:
        met[kind] += 1
    return None


WAITED = ("preempted", "waited", "waited for a CPU", "waited and moved to another CPU")


def check_kernel(ftr, path, line, is_exact):
    """The kernel's own account of how long a thread was runnable."""
    _, kind, tid, begin, end, _, waited = line.split()
    run = subprocess.run([ftr, "why", "--json", "--depth", "0", "--since", seconds(int(begin)), "--until",
                          seconds(int(end)), tid, path], capture_output=True, text=True, check=True)
    ours = sum(row["time"] for row in json.loads(run.stdout)[0]["rows"] if row["what"] in WAITED)
    print("# %s was runnable for %.3f ms, as the kernel says %.3f ms" % (kind, ours / 1e6, int(waited) / 1e6))
    if is_exact and int(waited) >= 100e6 and abs(ours - int(waited)) > 0.01 * int(waited):
        return "%s: runnable for %d ns" % (line, ours)
    return None


def main():
    ftr, path, waits = sys.argv[-3:]
    lines = [line for line in open(waits).read().splitlines() if not line.startswith("schedstat")]
    stats = [line for line in open(waits).read().splitlines() if line.startswith("schedstat")]
    met = collections.Counter()
    bad = [found for found in (check(ftr, path, line, met) for line in lines) if found]
    bad += [found for found in (check_kernel(ftr, path, line, "--exact" in sys.argv)
                             for line in stats) if found]
    bad += ["%s: %d of 5 waits had their length" % (kind, met[kind]) for kind in KNOWN
            if met[kind] < 3 and kind != "work"]
    for line in bad:
        print("# " + line)
    print("# %d waits, %d differ" % (len(lines), len(bad)))
    return bool(bad) or not lines


if __name__ == "__main__":
    sys.exit(main())
