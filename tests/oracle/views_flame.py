#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Folded stacks of a trace file, by Documentation/design/spans.md alone, as a check of ftr flame --folded.

Usage: tests/oracle/views_flame.py [--kind KIND[,KIND] | --stacks | --weight FIELD | --off-cpu] [--reverse] FILE

Prints lines "a;b;c NUMBER". Shares no code with the program under test but for rawdecode.py,
which is a decoder of its own.
"""
import argparse
import sys

import rawdecode
import spans

TRAMPOLINE = 0x7fffffff
NOT_OFF = "unknown", "new", "running", "runnable", "dead"
OWN = ("__traceiter_", "trace_event_raw_event_", "trace_event_buffer_", "perf_trace_", "__bpf_trace_", "bpf_trace_run")
CONTEXTS = {1: "<softirq>", 2: "<hardirq>", 3: "<nmi>"}


def saved_names(trace):
    """{pid: name} of the file."""
    names = {}
    for line in trace.cmdlines.decode(errors="replace").split("\n"):
        pid, _, name = line.partition(" ")
        if pid.isdigit():
            names[int(pid)] = name
    return names


class Period:
    """A task is off the CPU: for how long in which state, and the stack with which it went."""

    def __init__(self, who, state):
        self.who, self.state = who, state
        self.times = {}
        self.stack = []


class Model(spans.Model):
    def __init__(self, trace, records, options):
        super().__init__(trace, records, [])
        self.options = options
        self.saved = saved_names(trace)
        self.called = {}            # task: name
        self.before = {}            # (buffer, cpu): (record, its period), of which a stack may come
        self.stack_buffer = None
        self.period_of = {}         # task: its period
        self.periods, self.begun = [], None
        self.lines = {}
        self.word = self.weigh if options.weight else self.count

    def name_of(self, task, pid):
        return "<idle>" if not pid else self.called.get(task) or self.saved.get(pid, "<...>")

    def pid_of(self, task):
        return 0 if task.name.startswith("0/") else int(task.name.split(".")[0])

    def add(self, way, number):
        way = tuple(frame.replace(";", ":") for frame in way)
        if self.options.reverse:
            way = way[::-1]
        self.lines[way] = self.lines.get(way, 0) + number

    def call(self, task, rec, comm):
        super().call(task, rec, comm)
        self.called[task] = comm

    def take(self, rec):
        self.begun = None
        task = self.tasks.get(rec.pid, rec.cpu)
        super().take(rec)
        self.name_begun()
        self.take_stack(rec, self.tasks.get(rec.pid, rec.cpu) or task)

    # -- self times

    def name_begun(self):
        """Spans that are open for the first time are of who runs now."""
        for kind in self.kinds:
            for span in reversed(kind.open):
                if hasattr(span, "who"):
                    break
                context = getattr(span, "context", 0)
                span.who = CONTEXTS.get(context) or self.name_of(span.task, self.pid_of(span.task))

    def fold_selves(self):
        for span in self.spans:
            if span.kind in self.options.kind and span.dur is not None and span.self_ is not None and \
               spans.LOSS not in span.marks:
                way, at = [], span
                while at:
                    way.append(at.name)
                    outermost, at = at, at.parent
                self.add([outermost.who] + way[::-1], span.self_)

    # -- stacks

    def frames(self, rec):
        size = self.trace.long_size
        offset = rec.format.fields["caller"][0]
        frames = []
        for at in range(offset, len(rec.data) - size + 1, size):
            address = int.from_bytes(rec.data[at:at + size], rec.order)
            if address == (1 << 8 * size) - 1:
                break
            frames.append("[FTRACE TRAMPOLINE]" if address == TRAMPOLINE else self.symbols.name(address))
        while frames and frames[0].startswith(OWN):
            frames.pop(0)
        return frames[::-1]

    def take_stack(self, rec, task):
        place = rec.buffer, rec.cpu
        owner = None if rec.lost else self.before.get(place)
        is_stack = rec.format and rec.format.system == "ftrace" and rec.format.name in ("kernel_stack", "user_stack")
        self.before[place] = None if is_stack else (rec, self.begun)
        if not is_stack or rec.format.name != "kernel_stack":
            return
        if self.stack_buffer is None:
            self.stack_buffer = rec.buffer
        if rec.buffer != self.stack_buffer:
            return
        owner = owner if owner and owner[0].pid == rec.pid else None
        if owner and owner[1]:
            owner[1].stack = self.frames(rec)
        number = self.word(owner)
        if (self.options.stacks or self.options.weight) and number is not None:
            self.add([self.name_of(task, rec.pid)] + self.frames(rec), number)

    @staticmethod
    def count(owner):
        return 1

    def weigh(self, owner):
        field = self.options.weight
        if not owner or not owner[0].format or not owner[0].has(field):
            return None
        number = owner[0].number(field, True)
        return number if number >= 0 else None

    # -- off the CPU

    def sched_switch(self, rec):
        super().sched_switch(rec)
        task = self.tasks.get(rec.number("prev_pid", True), rec.cpu)
        self.period_of.pop(task, None)
        if self.pid_of(task) and task.state not in NOT_OFF[:4] + ("dead",):
            self.begun = Period(rec.string("prev_comm"), task.state)
            self.period_of[task] = self.begun
            self.periods.append(self.begun)

    def passed(self, task, ns):
        """In the state that it still has."""
        period = self.period_of.get(task)
        if period and task.state in (period.state, "runnable"):
            period.times[task.state] = period.times.get(task.state, 0) + ns
        else:
            self.period_of.pop(task, None)

    def fold_periods(self):
        for period in self.periods:
            for state, ns in period.times.items():
                self.add([period.who, "[%s]" % state] + period.stack, ns)


def watch_tasks(model):
    """Tells @model of all time that passes in a state."""
    pass_time = spans.Task.pass_time

    def told(task, ts):
        if ts > task.since:
            model.passed(task, ts - task.since)
        pass_time(task, ts)
    spans.Task.pass_time = told


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kind", default="function_graph", type=lambda text: text.split(","))
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--weight", metavar="FIELD")
    parser.add_argument("--off-cpu", action="store_true")
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("file")
    options = parser.parse_args()
    trace = rawdecode.load(options.file, keep_data=True)
    records = spans.merged(spans.stream(trace, 0))
    model = Model(trace, records, options)
    watch_tasks(model)
    for rec in records:
        model.take(rec)
    model.finish()
    if options.off_cpu:
        model.fold_periods()
    elif not options.stacks and not options.weight:
        model.fold_selves()
    for way, number in sorted((tuple(frame.encode() for frame in way), number)
                              for way, number in model.lines.items() if number):
        sys.stdout.write("%s %d\n" % (b";".join(way).decode(), number))


if __name__ == "__main__":
    sys.exit(main())
