#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the accounts of ftr why with waits whose causes are known.

Usage: why_load.py [--exact] FTR FILE WAITS: a recording with the clock mono, and the lines of why_load.

For each wait, the account of its thread from its begin to its end has to add up to that time, and has to have a row
with the cause. Where the length is known, that row has at least LEAST of it in three of the five waits: the rest is
the way into the kernel and out of it, and the host may stop there. With --exact, the time that a thread was runnable,
and the time that it waited for a disk, are those of the kernel's own accounts within 1 %, where one of the two is 100
ms and more; else they are printed.
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
    "disk": ("blocked", "pread64", r"a request to disk \d+,\d+ ended", 25),
    "fault": ("blocked", "a page fault", r"a request to disk \d+,\d+ ended", 25),
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


# The kernel's accounts: words, the rows that are the same by their "what" and a pattern of their cause.
ACCOUNTS = [
    ("was runnable", ("preempted", "waited", "waited for a CPU", "waited and moved to another CPU"), ""),
    ("waited for a disk", ("blocked",), "a request to disk"),
]


def check_kernel(ftr, path, line, is_exact):
    """The kernel's own accounts of a thread. Returns what differs."""
    _, kind, tid, begin, end, _, *theirs = line.split()
    run = subprocess.run([ftr, "why", "--json", "--depth", "0", "--since", seconds(int(begin)), "--until",
                          seconds(int(end)), tid, path], capture_output=True, text=True, check=True)
    rows = json.loads(run.stdout)[0]["rows"]
    bad = []
    for (words, whats, cause), kernel in zip(ACCOUNTS, map(int, theirs)):
        ours = sum(row["time"] for row in rows if row["what"] in whats and re.match(cause, row["cause"] or ""))
        if ours or kernel:
            print("# %s %s for %.3f ms, as the kernel says %.3f ms" % (kind, words, ours / 1e6, kernel / 1e6))
        if is_exact and max(ours, kernel) >= 100e6 and abs(ours - kernel) > 0.01 * kernel:
            bad.append("%s: %s for %d ns" % (line, words, ours))
    return bad


def main():
    ftr, path, waits = sys.argv[-3:]
    lines = [line for line in open(waits).read().splitlines() if not line.startswith("kernel")]
    stats = [line for line in open(waits).read().splitlines() if line.startswith("kernel")]
    met = collections.Counter()
    bad = [found for found in (check(ftr, path, line, met) for line in lines) if found]
    for line in stats:
        bad += check_kernel(ftr, path, line, "--exact" in sys.argv)
    bad += ["%s: %d of 5 waits had their length" % (kind, met[kind]) for kind in KNOWN
            if met[kind] < 3 and kind != "work"]
    for line in bad:
        print("# " + line)
    print("# %d waits, %d differ" % (len(lines), len(bad)))
    return bool(bad) or not lines


if __name__ == "__main__":
    sys.exit(main())
