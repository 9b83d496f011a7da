#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what ftr says of tasks in a limited recording against one of all that was made beside it.

Usage: tests/tools/beside.py FTR LIMITED.dat TRUE.dat PERCENT [PID...]

Both have one clock. The states of TRUE.dat are those of tests/oracle/spans.py, cut to the time of LIMITED.dat. No time
in a state, no delay and no sum of a CPU may be above the true one; of the PIDs (without any: of all tasks that ftr
shows) it must know PERCENT of the true times. Prints a line for each that is wrong, and one of what was compared.
"""
import json
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import rawdecode                        # noqa: E402
import spans                            # noqa: E402

# ns. Two instances see one switch at two times, between which the host may stop an emulated CPU, the more so the busier
# it is: for 176 ms where six programs wanted two cores. What was wrong without the rules was half a second and more.
MOST, EACH = 300000000, 100000
NOT_KNOWN = "unknown", "dead"


class True_:
    """What the unlimited recording says of the time of the limited one."""

    def __init__(self, path, begin, end):
        self.begin, self.end = begin, end
        models, _ = spans.read_files([path], [])
        self.tasks = {task.name: task for task in models[0].tasks.all}
        self.waits = {}
        for wait in models[0].tasks.waits:
            if not wait.marks and wait.end >= begin and wait.begin <= end:
                self.waits.setdefault(wait.task.name, []).append(wait.end - wait.begin)
        self.cpus = {cpu: self.of_cpu(points, models[0].end_ts) for cpu, points in models[0].tasks.cpus.items()}

    def cut(self, begin, end):
        return max(0, min(end, self.end) - max(begin, self.begin))

    def of_cpu(self, points, end):
        sums = {}
        for (ts, what), (until, _) in zip(points, points[1:] + [(end, "")]):
            sums[what] = sums.get(what, 0) + self.cut(ts, until)
        return sums

    def to_be_known(self, name):
        """ns in known states of those that begin in that time: of the one before the limited recording has nothing."""
        return sum(self.cut(begin, end) for begin, end, state, _, _ in self.rows(name)
                   if begin >= self.begin and state not in NOT_KNOWN)

    def rows(self, name):
        return self.tasks[name].rows if name in self.tasks else ()

    def states(self, name):
        """{state: [ns, how often]}"""
        sums = {}
        for begin, end, state, _, _ in self.rows(name):
            row = sums.setdefault(state, [0, 0])
            row[0] += self.cut(begin, end)
            row[1] += end >= self.begin and begin <= self.end
        return sums


def bounds(path):
    trace = rawdecode.load(path, keep_data=True)
    times = [row[0] for buf in trace.buffers for cpu in buf.cpus for row in cpu.rows]
    return min(times), max(times)


def slack(count):
    return MOST + EACH * count


def compare_task(task, true):
    """What is wrong with it; how much of it is known, and is there to be known."""
    name = task["task"].rsplit("-", 1)[1]
    wanted, wrong, known = true.states(name), [], 0
    for state, got in task["states"].items():
        if state in NOT_KNOWN:
            continue
        ns, count = wanted.get(state, [0, 0])
        known += got["time"]
        if got["time"] > ns + slack(count):
            wrong.append("%s: %s %d us, true: %d us" % (task["task"], state, got["time"] / 1000, ns / 1000))
    delays = true.waits.get(name, [])
    if task["delays"] > len(delays) + 1:
        wrong.append("%s: %d delays, true: %d" % (task["task"], task["delays"], len(delays)))
    if task["delays"] and task["delay_max"] > max(delays, default=0) + slack(1):
        wrong.append("%s: max delay %d us, true: %d us"
                     % (task["task"], task["delay_max"] / 1000, max(delays, default=0) / 1000))
    return wrong, known, true.to_be_known(name)


def main():
    ftr, limited, path, percent = sys.argv[1:5]
    pids = sys.argv[5:]
    true = True_(path, *bounds(limited))
    said = json.loads(subprocess.run([ftr, "sched", "states", "--json", limited], stdout=subprocess.PIPE,
                                     check=True).stdout)
    wrong, all_known, all_true, n = [], 0, 0, 0
    for task in said["tasks"]:
        bad, known, there = compare_task(task, true)
        wrong += bad
        if not pids or str(task["pid"]) in pids:
            all_known, all_true, n = all_known + known, all_true + there, n + 1
    for cpu in said["cpus"]:
        for what in "busy", "idle":
            ns = true.cpus.get(cpu["cpu"], {}).get(what, 0)
            if cpu[what] > ns + slack(len(true.waits)):
                wrong.append("CPU %d: %s %d us, true: %d us" % (cpu["cpu"], what, cpu[what] / 1000, ns / 1000))
    share = 100 * all_known / all_true if all_true else 0
    if share < float(percent) or not n:
        wrong.append("%.1f %% of %d us of %d tasks is known, not %s" % (share, all_true / 1000, n, percent))
    print("# %.1f %% of %d us of %d tasks is known" % (share, all_true / 1000, n))
    print("".join(line + "\n" for line in wrong), end="")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
