#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What ftr profile and ftr sched states print of a trace file,
beside sums of the spans and states of tests/oracle/spans.py.

Usage: sums-check.py FILE       $FTR is run; prints what differs, exit status 1 if anything does
"""
import collections
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import spans                            # noqa: E402

FTR = os.environ.get("FTR", "build/ftr")
SUMS = ["count", "total", "self", "irq", "off", "min", "max"]
PERCENTS = [50, 90, 99, 99.9]


def ftr(*words):
    run = subprocess.run([FTR, *words], capture_output=True, text=True, timeout=120)
    return json.loads(run.stdout) if run.stdout else None


def is_inside(span):
    """In another of the same name, which counts its time already; also where it interrupted that."""
    at = span.parent or span.interrupted
    while at and not (at.name == span.name and counts(at)):
        at = at.parent or at.interrupted
    return at is not None


def counts(span):
    return span.dur is not None and spans.LOSS not in span.marks


class Row:
    """Of one kind and name."""

    def __init__(self, those):
        known = [s for s in those if counts(s)]
        outer = [s for s in known if not is_inside(s)]
        self.durations = sorted(s.dur for s in known)
        self.sums = {"count": len(those), "total": sum(s.dur for s in outer), "self": sum(s.self_ or 0 for s in known),
                     "irq": sum(s.irq for s in known), "off": sum(s.off or 0 for s in outer),
                     "min": min(self.durations, default=0), "max": max(self.durations, default=0)}

    def percentile(self, percent):
        """The value that so many are not above: nearest rank."""
        rank = -(-len(self.durations) * percent * 10 // 1000)
        return self.durations[max(int(rank), 1) - 1] if self.durations else 0

    def differences(self, got):
        for key in SUMS:
            if got[key] != self.sums[key]:
                yield "%s is %d, wanted %d" % (key, got[key], self.sums[key])
        for percent in PERCENTS:
            value, wanted = got["p%g" % percent], self.percentile(percent)
            # a bucket is one of 128 in a power of two, and of such a one its top is told
            if not wanted <= value <= min(wanted + wanted // 128, self.sums["max"]):
                yield "p%g is %d, wanted %d or up to 1/128 more" % (percent, value, wanted)


def check_profile(path, model):
    by_kind = collections.defaultdict(lambda: collections.defaultdict(list))
    for span in model.spans:
        by_kind[span.kind][span.name].append(span)
    fields = ",".join(SUMS + ["p%g" % p for p in PERCENTS])
    for kind, names in by_kind.items():
        rows = ftr("profile", "--kind", kind, "--json", "--fields", fields, path) or []
        got = {row["function"]: row for row in rows}
        if len(got) != len(rows):
            # functions that are called alike: which of them a span is of, the oracle does not tell
            names = {name: v for name, v in names.items() if [r["function"] for r in rows].count(name) == 1}
        for name, those in sorted(names.items()):
            if name not in got:
                yield "%s %s: no row" % (kind, name)
                continue
            for text in Row(those).differences(got[name]):
                yield "%s %s: %s" % (kind, name, text)
        for name in set(got) - set(by_kind[kind]):
            yield "%s %s: a row of no span" % (kind, name)


def dump_lines(states):
    """As the dump has them; without tasks' ordinals, which JSON has in the name."""
    for task in states["tasks"]:
        name = task["task"].rsplit("-", 1)[1]
        for state, times in task["states"].items():
            yield "state %s %s time=%d count=%d" % (name, state, times["time"], times["count"])
        if task["delays"]:
            yield "delay %s count=%d max=%d" % (name, task["delays"], task["delay_max"])
    for cpu in states["cpus"]:
        yield "cpu %(cpu)d busy=%(busy)d idle=%(idle)d unknown=%(unknown)d" % cpu
        for what in ("irq", "softirq"):
            if cpu[what]:
                yield "cpu %d %s time=%d" % (cpu["cpu"], what, cpu[what])
        for key, what in (("idle_states", "idle-state"), ("frequencies", "frequency")):
            for value, times in cpu[key].items():
                yield "cpu %d %s %s time=%d count=%d" % (cpu["cpu"], what, value, times["time"], times["count"])


def known_later(model):
    """{name: name} of tasks whose pid a call was known by that began before their fork: ftr sched reads no calls, so
    the task before them is not there."""
    names = {task.name for task in model.tasks.all}
    new = {}
    for task in model.tasks.all:
        if "." not in task.name and task.name + ".1" in names and set(task.times) <= {"unknown", "dead"}:
            new[task.name] = None
            for n in range(1, len(names)):
                new["%s.%d" % (task.name, n)] = "%s.%d" % (task.name, n - 1) if n > 1 else task.name
    return new


def check_states(path, model):
    if not model.tasks.has_switch:
        return
    new = known_later(model) if "funcgraph_entry" not in {r.format.name for r in model.records if r.format} else {}
    for task in model.tasks.all:
        task.name = new.get(task.name, task.name)
    model.tasks.all = [task for task in model.tasks.all if task.name and "on" not in task.blind]
    wanted = {" ".join(w for w in line.split() if not (line.startswith("delay") and w.startswith("sum=")))
              for line in model.state_lines()}
    got = set(dump_lines(ftr("sched", "states", "--json", path)))
    yield from ("wanted: " + line for line in sorted(wanted - got))
    yield from ("got:    " + line for line in sorted(got - wanted))


def main():
    path = sys.argv[1]
    models, _ = spans.read_files([path], [])
    wrong = [*check_profile(path, models[0]), *check_states(path, models[0])]
    print("".join(line + "\n" for line in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
