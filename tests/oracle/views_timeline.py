#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Lanes of trace files, by Documentation/design/spans.md alone, as a check of ftr timeline --json.

Usage: tests/oracle/views_timeline.py --width W [--event GLOB]... FILE...
       tests/oracle/views_timeline.py --theirs < JSON

Prints a line for each lane: what it is of, and its columns, losses and sums as JSON. --theirs: the same of what the
program under test has printed. Shares no code with it but for rawdecode.py, which is a decoder of its own.
"""
import argparse
import fnmatch
import json
import sys

import spans
from views_flame import saved_names

ORDER = "running", "runnable", "preempted", "new", "", "unknown"
CPU_ORDER = "busy", "idle", "unknown"
segments, gaps, ran = {}, [], {}        # by task; [(file, cpu, from, to, task)]; by (tasks, cpu): [(ts, task)]


def rank(state):
    return (ORDER.index(state), "") if state in ORDER else (4, state)


# --- what the model passes through

class Model(spans.Model):
    def take(self, rec):
        place = rec.buffer, rec.cpu
        buffer = self.state_buffer
        if buffer is None and self.is_state(rec):
            buffer = rec.buffer
        if rec.lost and buffer in (None, rec.buffer):
            gaps.append((rec.file, rec.cpu, self.last_ts.get(place, rec.ts), rec.ts, self.tasks.hit.get(place)))
        super().take(rec)


def watch():
    pass_time, runs, take_over = spans.Task.pass_time, spans.Tasks.runs, spans.Tasks.take_over

    def told_time(task, ts):
        if ts > task.since:
            segments.setdefault(task, []).append((task.since, ts, task.state))
        pass_time(task, ts)

    def told_run(tasks, task, cpu, ts, anew=False):
        ran.setdefault((tasks, cpu), []).append((ts, task))
        runs(tasks, task, cpu, ts, anew)

    def told_exec(tasks, old, task, cpu, ts):
        ran.setdefault((tasks, cpu), []).append((ts, task))
        take_over(tasks, old, task, cpu, ts)
    spans.Tasks.take_over = told_exec
    spans.Task.pass_time, spans.Tasks.runs, spans.Model = told_time, told_run, Model


# --- columns

class Columns:
    def __init__(self, begin, end, width):
        self.begin, self.range = begin, end - begin
        self.width = max(min(width, self.range), 1)

    def start(self, column):
        return self.begin + column * self.range // self.width

    def of(self, moment):
        d = moment - self.begin
        return min(((d + 1) * self.width - 1) // self.range, self.width - 1) if self.range else 0

    def split(self, begin, end):
        """(column, nanoseconds) of a stretch of time."""
        begin, end = max(begin, self.begin), min(end, self.begin + self.range)
        while begin < end:
            column = self.of(begin)
            until = min(self.start(column + 1), end)
            yield column, until - begin
            begin = until

    def most(self, stretches, order):
        """Of each column what has most of it: [(begin, end, what)], what None is nothing."""
        sums = [{} for _ in range(self.width)]
        for begin, end, what in stretches:
            if what is not None:
                for column, ns in self.split(begin, end):
                    sums[column][what] = sums[column].get(what, 0) + ns
        return [min(some, key=lambda what: (-some[what],) + order(what, some)) if some else None for some in sums]

    def losses(self, some):
        found = {column for begin, end in some for column in range(self.of(begin), self.of(end) + 1)}
        return sorted(found)


# --- lanes

def first_met(what, some):
    return (list(some).index(what),)


def cpu_stretches(model, cpu):
    points = model.tasks.cpus[cpu]
    ends = [ts for ts, _ in points[1:]] + [model.end_ts]
    return [(ts, end, what) for (ts, what), end in zip(points, ends)]


def task_stretches(model, cpu):
    """Who ran, where it was busy."""
    runs = ran.get((model.tasks, cpu), [])
    ends = [ts for ts, _ in runs[1:]] + [model.end_ts]
    out = []
    for (ts, task), end in zip(runs, ends):
        for begin, until, what in cpu_stretches(model, cpu):
            if what == "busy" and begin < end and until > ts and not task.name.startswith("0/"):
                out.append((max(begin, ts), min(until, end), task))
    return out


def cpu_lane(model, file, cpu, columns, text):
    states = columns.most(cpu_stretches(model, cpu), lambda what, some: (CPU_ORDER.index(what),))
    tasks = columns.most(task_stretches(model, cpu), first_met)
    sums = {what: 0 for what in CPU_ORDER + ("irq", "softirq")}
    for begin, end, what in cpu_stretches(model, cpu):
        sums[what] += end - begin
    for line in model.tops.lines(model.end_ts):
        _, number, what, time, *_ = line.split()
        if number == str(cpu) and what in sums:
            sums[what] = int(time[len("time="):])
    return [states, [task and text(task) for task in tasks],
            columns.losses([(a, b) for f, c, a, b, _ in gaps if (f, c) == (file, cpu)]), sums]


def task_lane(task, columns):
    stretches = [(a, b, None if state == "dead" else state) for a, b, state in segments.get(task, [])]
    sums = {state: row[:1] if state == "unknown" else row for state, row in task.times.items() if state != "dead"}
    return [columns.most(stretches, lambda what, some: rank(what)),
            columns.losses([(a, b) for _, _, a, b, t in gaps if t is task]), dict(sorted(sums.items()))]


def event_lane(glob, records, columns):
    counts = [0] * columns.width
    for rec in records:
        name = rec.format and (rec.format.name, rec.format.system, "%s:%s" % (rec.format.system, rec.format.name))
        if name and any(fnmatch.fnmatchcase(word, glob) for word in name):
            counts[columns.of(rec.ts)] += 1
    return counts


def lanes(models, records, options):
    columns = Columns(min(m.tasks.first_ts for m in models), max(m.end_ts for m in models), options.width)
    yield "range", [columns.begin, columns.begin + columns.range, columns.width]
    for file, model in enumerate(models):
        if not model.tasks.has_switch:
            continue
        saved, called = saved_names(model.trace), {task: comm for task, _, comm in model.tasks.names}

        def text(task):
            return "%s-%s" % (called.get(task, saved.get(int(task.name.split(".")[0]), "<...>")), task.name)
        for cpu in sorted(model.tasks.cpus):
            yield "cpu %d:%d" % (file, cpu), cpu_lane(model, file, cpu, columns, text)
        for task in model.tasks.all:
            if not task.name.startswith("0/"):
                yield "task %d:%s" % (file, text(task)), task_lane(task, columns)
    for glob in options.event:
        yield "event " + glob, event_lane(glob, records, columns)


def theirs(said):
    yield "range", [said["from"], said["to"], said["width"]]
    for cpu in said["cpus"]:
        yield "cpu %d:%d" % (cpu["file"], cpu["cpu"]), [cpu["columns"], cpu["tasks"], cpu["losses"], {
            what: cpu[what] for what in CPU_ORDER + ("irq", "softirq")}]
    for task in said["tasks"]:
        sums = {state: [row["time"]] if state == "unknown" else [row["time"], row["count"]]
                for state, row in sorted(task["states"].items())}
        yield "task %d:%s" % (task["file"], task["task"]), [task["columns"], task["losses"], sums]
    for event in said["events"]:
        yield "event " + event["event"], event["columns"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--event", action="append", default=[], metavar="GLOB")
    parser.add_argument("--theirs", action="store_true")
    parser.add_argument("file", nargs="*")
    options = parser.parse_args()
    if options.theirs:
        found = theirs(json.load(sys.stdin))
    else:
        watch()
        models, _ = spans.read_files(options.file, [])
        records = [r for file, path in enumerate(options.file)
                   for r in spans.merged(spans.stream(spans.rawdecode.load(path, keep_data=True), file))
                   ] if options.event else []
        found = lanes(models, records, options)
    for what, lane in found:
        print(what, json.dumps(lane))
    return 0


if __name__ == "__main__":
    sys.exit(main())
