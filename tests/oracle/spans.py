#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Spans and states of trace files, by Documentation/design/spans.md alone, as a check of the model.

Usage: tests/oracle/spans.py [--sums] [--names] [--pair NAME=BEGIN,END[,KEY]]... FILE...

Prints the dump that the page describes. --sums: a line for each (kind, name, task) instead of its spans. --names: what
tasks are called, by time.
Shares no code with the program under test but for rawdecode.py, which is a decoder of its own.
"""
import argparse
import bisect
import collections
import heapq
import re
import sys

import rawdecode

MARKS = "no begin", "no end", "ended by exit", "open at the end", "loss inside", "requeued"
NO_BEGIN, NO_END, EXIT, OPEN, LOSS, REQUEUED = MARKS
SOFTIRQS = "HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU".split()
MAX_DEPTH = 512
HARDIRQ, SOFTIRQ, NMI = 0x08, 0x10, 0x40        # common_flags
CPU_EVENTS = "irq_handler_entry irq_handler_exit softirq_entry softirq_exit cpu_idle cpu_frequency".split()
TASK_STATES = ("sched_switch sched_waking sched_wakeup sched_wakeup_new sched_migrate_task "
               "sched_process_fork sched_process_exec task_rename").split()


# --- records ---------------------------------------------------------------------------------

class Short(Exception):
    """A record that ends before a field."""


class Record:
    """One record; field() decodes by the format's text."""

    def __init__(self, trace, row, file, buffer, cpu):
        self.ts, self.type, self.pid, self.lost, self.data = row
        self.order = trace.order
        self.format = trace.formats.get(self.type)
        self.file, self.buffer, self.cpu = file, buffer, cpu
        self.flags = self.data[2]

    def place(self, name):
        if name not in self.format.fields:
            raise Short(name)
        offset, size = self.format.fields[name]
        if offset + size > len(self.data):
            raise Short(name)
        return offset, size

    def has(self, name):
        return name in self.format.fields

    def number(self, name, signed=False):
        offset, size = self.place(name)
        return int.from_bytes(self.data[offset:offset + size], self.order, signed=signed)

    def string(self, name):
        offset, size = self.place(name)
        if re.search(r"__data_loc[^;\n]*\b%s;" % name, self.format.text):
            where = int.from_bytes(self.data[offset:offset + size], self.order)
            offset, size = where & 0xffff, where >> 16
            if offset + size > len(self.data):
                raise Short(name)
        return self.data[offset:offset + size].split(b"\0")[0].decode(errors="replace")


class Symbols:
    """kallsyms: the symbol that holds an address is the last one that is not above it,
    of several at one address the first."""

    def __init__(self, text, bits):
        found = {}
        self.names = set()
        for line in text.decode(errors="replace").split("\n"):
            word = line.split()
            if len(word) >= 3:
                found.setdefault(int(word[0], 16), word[2])
        self.starts = sorted(found)
        self.text = [found[a] for a in self.starts]
        self.kernel = 1 << (bits - 1)

    def holder(self, address):
        """(start, name), or (address, None)."""
        at = bisect.bisect_right(self.starts, address) - 1
        if address < self.kernel or at < 0 or self.starts[at] < self.kernel:
            return address, None
        return self.starts[at], self.text[at]

    def name(self, address):
        return self.holder(address)[1] or "0x%x" % address

    def exact(self, address):
        start, name = self.holder(address)
        return name if name and start == address else "0x%x" % address


def system_calls():
    """{number: name} of this machine's own headers."""
    try:
        with open("/usr/include/x86_64-linux-gnu/asm/unistd_64.h") as stream:
            return {int(n): name for name, n
                    in re.findall(r"^#define __NR_(\w+) (\d+)$", stream.read(), re.M)}
    except OSError:
        return {}


def switch_states(text):
    """From the print fmt of sched_switch: (mask, [(bit, letter)], bit of '+')."""
    flags = re.search(r"__print_flags\s*\(\s*REC->prev_state\s*(?:&\s*([^\"]*?))?,\s*\"\|\",(.*?)\)\s*:",
                      text, re.S)
    if not flags:
        return -1, [(1, "S"), (2, "D"), (4, "T"), (8, "t"), (16, "X"), (32, "Z"), (64, "P"), (128, "I")], 0
    pairs = [(int(n, 0), s) for n, s in re.findall(r"\{\s*(0x[0-9a-f]+|\d+)\s*,\s*\"(\w+)\"\s*\}", flags.group(2))]
    plus = re.search(r"REC->prev_state\s*&\s*([0-9a-fx()|+\-<\s]+?)\?\s*\"\+\"", text)
    return c_value(flags.group(1)) if flags.group(1) else -1, pairs, c_value(plus.group(1)) if plus else 0


def c_value(text):
    if not re.fullmatch(r"[0-9a-fxA-F()|+\-<\s]+", text):
        return -1
    return eval(text, {"__builtins__": {}})     # numbers and operators that C and Python share


# --- tasks and their states ------------------------------------------------------------------

WAITING = "new", "runnable", "preempted"
Wait = collections.namedtuple("Wait", "task begin end cpu marks")       # for a CPU

class Task:
    def __init__(self, name, since, blind, gaps):
        self.name = name
        self.gaps = gaps            # the file's (buffer, CPU)s whose records are lost now
        self.blind = blind          # see Filters
        self.state = "unknown"
        self.since = since
        self.cpu = None
        self.times = {}             # state: [ns, count]
        self.off = 0                # ns in known states in which it did not run, up to since
        self.delays = []
        self.missed = None          # when a record of it was found missing, the last time
        self.woken_by = None
        self.wait_since = None      # since when it waits for a CPU
        self.rows = []              # (begin, end, state, CPU where it ran, whether sched_switch began it)
        self.switched = False       # the same of the state at hand

    def waits(self, ts):
        if not self.blind:
            self.wait_since = ts

    @staticmethod
    def is_off(state):
        return state not in ("unknown", "running", "dead")

    def off_at(self, ts):
        return self.off + (ts - self.since if self.is_off(self.state) else 0)

    def enter(self, state, ts, cpu=None, anew=False):
        """@anew: it left the state meanwhile, though nothing told when; of sched_switch."""
        before, self.cpu = self.cpu, cpu
        hidden = self.gaps and self.is_off(state) and not self.name.startswith("0/")
        if hidden:                  # it may run where records are lost
            self.missed = ts
        if hidden or state != "dead" and ("on" if state == "running" else "off") in self.blind:
            state, anew = "unknown", False
        if state == self.state and not anew:
            return
        self.rows.append((self.since, ts, self.state, before, self.switched))
        self.switched = anew
        self.pass_time(ts)
        self.times.setdefault(state, [0, 0])[1] += 1
        self.off = self.off_at(ts)
        self.state, self.since = state, ts

    def pass_time(self, ts):
        if ts > self.since:
            self.times.setdefault(self.state, [0, 0])[0] += ts - self.since


class Filters:
    """Which tasks and CPUs a buffer has no events of: control files when it was recorded, as ftr notes them."""

    def __init__(self, trace, buffer):
        name = trace.buffers[buffer].name if buffer is not None else ""
        lines = dict(line.split("=", 1) for line in trace.own_lines.decode(errors="replace").split("\n") if "=" in line)
        value = {key: lines.get(key + ("." + name if name else ""))
                 for key in ("set_event_pid", "set_event_notrace_pid", "event-fork", "tracing_cpumask")}
        listed, hidden = value["set_event_pid"], value["set_event_notrace_pid"]
        self.listed = None if listed is None else {int(pid) for pid in listed.split()}
        self.hidden = {int(pid) for pid in (hidden or "").split()}
        self.forks = value["event-fork"] is not None
        self.few_cpus = value["tracing_cpumask"] is not None

    def blind(self, pid, parent=None):
        """What is not known of a task: "off" what it does off its CPU, "on" when it runs, "cpu" what runs after it."""
        listed = self.listed is None or pid in self.listed
        hidden = pid in self.hidden
        if parent is not None and self.forks:
            listed, hidden = "cpu" not in parent.blind, "on" in parent.blind and "cpu" not in parent.blind
        if not listed:
            return {"off", "on", "cpu"}
        if hidden:
            return {"off", "on"}
        return {"off"} if self.few_cpus and pid else set()


class Tasks:
    """Of one file: which task a pid is, and what each of them and each CPU did."""

    def __init__(self, first_ts, has_switch, filters):
        self.first_ts = first_ts
        self.filters = filters
        self.has_switch = has_switch
        self.now = {}               # pid or (0, cpu): Task
        self.all = []
        self.times_named = {}       # pid: how many tasks it was
        self.switched = set()       # CPUs that had a sched_switch
        self.lost = set()           # those of which nothing is known up to the next one
        self.on_cpu = {}            # cpu: Task or None
        self.cpus = {}              # cpu: [(ts, "busy" ...)]
        self.no_wakeup = 0
        self.waits = []             # Wait, in the order of their ends
        self.here = None            # CPU of the record at hand
        self.gaps = set()           # (buffer, CPU)s whose records are lost now
        self.hit = {}               # (buffer, CPU): the task that ran there when its last gap began, or None
        self.gap_end = -1           # of the last gap that has ended
        self.proved = {}            # cpu: time of the last record of the task that runs there
        self.names = []

    def make(self, key, name, since, parent=None):
        pid = key if isinstance(key, int) else 0
        task = Task(name, since, self.filters.blind(pid, parent), self.gaps)
        self.now[key] = task
        self.all.append(task)
        return task

    def get(self, pid, cpu):
        """Of a pid that a record names; @cpu is where pid 0 runs."""
        key = pid or (0, cpu)
        if key in self.now:
            return self.now[key]
        self.times_named[key] = 1
        return self.make(key, str(pid) if pid else "0/%d" % cpu, self.first_ts)

    def fork(self, pid, ts, parent):
        """The new one; whose pid this was has ended."""
        old = self.now.get(pid)
        n = self.times_named.get(pid, 0)
        self.times_named[pid] = n + 1
        if old:
            self.leave_cpu(old)
        if old and old.state != "dead":
            old.enter("dead", ts)
        new = self.make(pid, "%d.%d" % (pid, n) if n else str(pid), ts, parent)
        new.enter("new", ts)
        new.waits(ts)
        return new

    # -- CPUs

    def cpu_does(self, cpu, what, ts):
        points = self.cpus.setdefault(cpu, [(self.first_ts, "unknown")])
        if points[-1][1] != what:
            points.append((ts, what))

    def leave_cpu(self, task):
        """It is elsewhere than was thought: what the CPU does is unknown from its last record there on."""
        for cpu, there in self.on_cpu.items():
            if there is task:
                self.on_cpu[cpu] = None
                self.cpu_does(cpu, "unknown", self.proved[cpu])

    def miss(self, task, ts, anew=False):
        """A record of it is missing, by which it came to run or left: what it did is unknown since the last known."""
        if task.state in ("unknown", "dead"):
            return
        task.missed = ts
        if task.wait_since is not None:
            self.waits.append(self.wait(task, ts, self.here, NO_END)._replace(cpu=task.cpu))
            task.wait_since = None
        if task.state == "running":
            there = [cpu for cpu, one in self.on_cpu.items() if one is task]
            task.enter("unknown", max([task.since] + [self.proved[cpu] for cpu in there]))
            self.leave_cpu(task)
        elif anew:                  # it is known up to now
            task.enter("unknown", ts)
        else:
            task.state = "unknown"

    def runs(self, task, cpu, ts, anew=False):
        there = self.on_cpu.get(cpu)
        if there is task:
            return
        if there:
            self.miss(there, ts)
        if task.state == "running" and not (anew and task.name.startswith("0/")):
            self.miss(task, ts)
        self.leave_cpu(task)
        self.on_cpu[cpu] = task
        self.proved[cpu] = ts
        self.cpu_does(cpu, "unknown" if "cpu" in task.blind else "idle" if task.name.startswith("0/") else "busy", ts)
        if task.state == "dead":
            return
        if task.wait_since is not None:
            self.waits.append(self.wait(task, ts, cpu))
            if not self.waits[-1].marks:
                task.delays.append(ts - task.wait_since)
            task.wait_since = None
        elif task.state not in ("unknown", "running"):
            self.no_wakeup += 1
            self.waits.append(Wait(task, None, ts, cpu, {NO_BEGIN}))
        task.enter("running", ts, cpu, anew)

    def wait(self, task, ts, cpu, *marks):
        lost = self.gaps or self.gap_end > task.wait_since
        return Wait(task, task.wait_since, ts, cpu, {*marks, LOSS} if lost else {*marks})

    def record(self, rec):
        """Any record: who runs on a CPU whose first sched_switch is yet to come."""
        task = self.get(rec.pid, rec.cpu)
        self.here = rec.cpu
        self.cpus.setdefault(rec.cpu, [(self.first_ts, "unknown")])
        if self.on_cpu.get(rec.cpu) is task:
            self.proved[rec.cpu] = rec.ts
        if self.has_switch and rec.cpu not in self.switched | self.lost:
            if self.on_cpu.get(rec.cpu) is not task and task.state != "running":
                self.miss(task, rec.ts)
            self.runs(task, rec.cpu, rec.ts)
        return task

    def gap_begins(self, place, since, cpu=None):
        """Records of (buffer, CPU) behind @since are lost; @cpu: it had some before."""
        if place in self.gaps:
            return
        self.gaps.add(place)
        if cpu is not None:
            there = self.on_cpu.get(cpu)
            self.hit[place] = there if there and there.state == "running" else None
            self.gap(cpu, since)
        for task in self.all:
            if task.is_off(task.state) and not task.name.startswith("0/"):
                task.missed = max(since, task.since)
                task.enter("unknown", task.missed)

    def gap_ends(self, place, cpu, since, ts):
        self.gap_begins(place, since, cpu)
        self.gap(cpu, since)
        self.gaps.discard(place)
        self.gap_end = ts

    def gap(self, cpu, since):
        """What came on the CPU behind @since was lost."""
        self.lost.add(cpu)
        task = self.on_cpu.get(cpu)
        if task and task.state != "dead":
            start = max(since, task.since)
            task.enter("unknown", start)
        self.on_cpu[cpu] = None
        points = self.cpus.setdefault(cpu, [(self.first_ts, "unknown")])
        if points[-1][1] == "unknown":          # it was so already, from then
            return
        while points and points[-1][0] > since:
            points.pop()
        self.cpu_does(cpu, "unknown", since) if points else points.append((since, "unknown"))

    # -- events

    def switch(self, cpu, ts, prev, next_, letters):
        self.switched.add(cpu)
        self.lost.discard(cpu)
        there = self.on_cpu.get(cpu)
        if there and there is not prev:
            self.miss(there, ts)
        if there is not prev or prev.state != "running":
            self.miss(prev, ts)
        self.on_cpu[cpu] = None
        ended = bool({"X", "Z", "x"} & set(letters.split("|"))) and not prev.name.startswith("0/")
        if prev.state == "dead":
            ended = False
        else:
            prev.wait_since = None
            prev.enter("dead" if ended else "preempted" if letters in ("R", "R+") else letters, ts, anew=True)
            if letters in ("R", "R+") and not prev.name.startswith("0/"):
                prev.waits(ts)
        self.runs(next_, cpu, ts, anew=True)

    def wake(self, task, ts, by):
        # A wakeup finds a task asleep that switched out behind its waking, or whose waking is not in the file.
        if task.state == "runnable" and (task.woken_by != "sched_waking" or by == "sched_waking"):
            self.miss(task, ts)         # the kernel wakes only what sleeps
        elif task.state == "unknown" and self.gaps and task.missed is not None and task.wait_since is None:
            task.waits(ts)              # no longer than from there on
            task.woken_by = by
            return
        elif task.state in ("unknown", "running", "runnable", "preempted", "dead"):
            return
        task.enter("runnable", ts)
        task.waits(ts)
        task.woken_by = by

    def take_over(self, old, task, cpu, ts):
        """The thread @old has become @task, which had ended. It ran until now."""
        if self.on_cpu.get(cpu) is old:
            self.on_cpu[cpu] = None
        self.leave_cpu(old)
        old.enter("dead", ts)
        old.wait_since = task.wait_since = None
        if self.has_switch:
            task.enter("running", ts, cpu)
            if cpu not in self.lost:
                self.on_cpu[cpu] = task
                self.proved[cpu] = ts
                self.cpu_does(cpu, "busy", ts)

    def finish(self, ts):
        for task in self.all:
            task.pass_time(ts)
            task.rows.append((task.since, ts, task.state, task.cpu, task.switched))
            if task.state in WAITING and task.wait_since is not None:
                self.waits.append(self.wait(task, ts, None, OPEN))


# --- what CPUs do on top of that --------------------------------------------------------------

class Tops:
    """Of one file: points of time at which something of a CPU changes; sums are made of them at the end."""

    def __init__(self, trace):
        self.of_tasks = "-rt" in trace.uname        # softirqs are then
        self.nr_cpus = sum(len(buf.cpus) for buf in trace.buffers)
        self.buffer = None
        self.points = {}            # cpu: [(ts, "irq" or ("softirq", task) or "gap", +1 or -1)]
        self.runs = {}              # cpu: [(ts, task)]
        self.levels = {}            # (cpu, what): [(ts, value or None, is a record)]

    def take(self, rec, task):
        name = rec.format.name
        if self.buffer is None:
            self.buffer = rec.buffer
        if self.buffer != rec.buffer:
            return
        if name in ("cpu_idle", "cpu_frequency"):
            cpu, state = rec.number("cpu_id"), rec.number("state")
            if cpu == rec.cpu or cpu < self.nr_cpus:
                left = name == "cpu_idle" and state == 0xffffffff
                what = "idle-state" if name == "cpu_idle" else "frequency"
                self.levels.setdefault((cpu, what), []).append((rec.ts, None if left else state))
            return
        what = "irq" if name.startswith("irq") else ("softirq", task if self.of_tasks else None)
        self.points.setdefault(rec.cpu, []).append((rec.ts, what, 1 if name.endswith("entry") else -1))

    def gap(self, rec, since):
        if self.buffer not in (None, rec.buffer):
            return
        self.points.setdefault(rec.cpu, []).append((since, "gap", 0))
        for (cpu, _), points in self.levels.items():
            if cpu == rec.cpu:
                points.append((since, None))

    def switch(self, cpu, ts, task):
        if self.of_tasks:
            self.points.setdefault(cpu, []).append((ts, "task", task))

    def stretches(self, cpu, end):
        """(begin, end, "irq" or "softirq") of what ran on top."""
        depth, there, last = {}, None, 0
        for ts, what, change in self.points.get(cpu, []) + [(end, "end", 0)]:
            top = "irq" if depth.get("irq") else "softirq" if depth.get(("softirq", there)) else None
            if top and ts > last:
                yield last, ts, top
            last = ts
            if what == "gap":
                depth = {}
            elif what == "task":
                there = change
            elif what != "end":
                depth[what] = max(depth.get(what, 0) + change, 0)

    def lines(self, end):
        for cpu in sorted(self.points):
            sums = {"irq": 0, "softirq": 0}
            for begin, until, top in self.stretches(cpu, end):
                sums[top] += until - begin
            for what in sums:
                if sums[what]:
                    yield "cpu %d %s time=%d" % (cpu, what, sums[what])
        for (cpu, what), points in sorted(self.levels.items()):
            times = {}
            for (ts, value), (until, _) in zip(points, points[1:] + [(end, None)]):
                if value is not None:
                    row = times.setdefault(value, [0, 0])
                    row[0] += max(until - ts, 0)
                    row[1] += 1
            for value in sorted(times):
                yield "cpu %d %s %d time=%d count=%d" % (cpu, what, value, *times[value])


# --- spans -----------------------------------------------------------------------------------

class Span:
    def __init__(self, kind, name, key, task, rec, depth=0):
        self.kind, self.name, self.key, self.task = kind, name, key, task
        self.begin, self.begin_cpu = rec.ts, rec.cpu        # of what has no begin: the end's
        self.end = self.end_cpu = self.dur = self.self_ = self.off = None
        self.irq = self.children = 0
        self.late = []              # (begin, duration) of interrupts at its own depth
        self.depth, self.parent, self.parent_name = depth, None, "-"
        self.interrupted = None
        self.off_begin = None
        self.match = None           # what an end must have to be this one's
        self.context = 0
        self.retval = None          # of calls and system calls
        self.marks = set()

    def line(self):
        def text(value):
            return "-" if value is None else str(value)
        return ("span %s %s task=%s cpu=%s>%s begin=%s end=%s dur=%s self=%s irq=%d off=%s parent=%s "
                "depth=%d%s marks=%s"
                % (self.kind, self.name, self.task.name, text(self.begin_cpu), text(self.end_cpu), text(self.begin),
                   text(self.end), text(self.dur), text(self.self_), self.irq, text(self.off), self.parent_name,
                   self.depth, "" if self.retval is None else " retval=%d" % self.retval,
                   ",".join(m for m in MARKS if m in self.marks) or "-"))


class Kind:
    """What kinds share. open: every span that is open, in the order of the begins."""

    by_task = True

    def __init__(self, model, name):
        self.model, self.name = model, name
        self.open = []
        self.buffer = None          # the first that has a record of the kind

    def before(self, rec):
        """Of any record of the file, before all else."""

    def events(self, fmt):
        """Which part this event has: 'begin', 'end', another word, or None."""
        raise NotImplementedError

    def part_in(self, rec, part):
        """The part that this record is; None if it is none of the kind."""
        return part

    def is_lost(self, span, cpu):
        """Whether records were lost in it; it ends on @cpu."""
        return any(self.model.last_gap.get((self.buffer, c), -1) > span.begin for c in {span.begin_cpu, cpu} - {None})

    def stack(self, key):
        return [s for s in self.open if s.key == key]

    def begin(self, rec, name, key, task, match=None, nests=True, depth=None):
        below = self.stack(key)
        span = Span(self.name, name, key, task, rec, len(below) if depth is None else depth)
        span.match = match
        if nests and below:
            span.parent = below[-1]
            span.parent_name = below[-1].name
        if self.by_task:
            span.off_begin = task.off_at(rec.ts)
        self.open.append(span)
        return span

    def finish(self, span, ts, cpu, *marks, dur=None):
        """@dur: where it is not the time from begin to end."""
        model = self.model
        self.open.remove(span)
        span.end, span.end_cpu = ts, cpu
        span.marks.update(marks)
        if not span.marks & {NO_END, EXIT, OPEN}:
            span.dur = ts - span.begin if dur is None else (dur if dur >= 0 else None)
        if self.is_lost(span, cpu):
            span.marks.add(LOSS)
        self.settle(span)
        if span.off_begin is not None and model.tasks.switched:    # that came before it ended
            span.off = 0 if span.task.name.startswith("0/") else span.task.off_at(ts) - span.off_begin
            if span.task.blind or span.task.missed is not None and span.task.missed >= span.begin:
                span.off = None
        model.spans.append(span)

    def settle(self, span):
        """Its self, and what it adds to those below."""
        if span.late:
            self.place_late(span)
        if span.dur is not None:
            rest = span.dur - span.children - span.irq
            self.model.below_zero += rest < 0
            span.self_ = max(rest, 0)
        if span.parent in self.open:
            if span.dur is not None:
                span.parent.children += span.dur
            if LOSS in span.marks:
                span.parent.marks.add(LOSS)
        if span.interrupted in self.open and span.dur is not None:
            if span.depth > span.interrupted.depth:
                span.interrupted.irq += span.dur
            else:
                span.interrupted.late.append((span.begin, span.dur))

    def place_late(self, span):
        """Interrupts of the exit of @span: the first that began after what the kernel measured is the caller's, with
        all others."""
        time = sum(dur for _, dur in span.late)
        if span.dur is None or span.late[0][0] < span.begin + span.dur:
            span.irq += time
        elif span.parent or span.interrupted:
            (span.parent or span.interrupted).irq += time

    def no_begin(self, rec, name, key, task, depth=None, retval=None):
        span = Span(self.name, name, key, task, rec, len(self.stack(key)) if depth is None else depth)
        span.marks.add(NO_BEGIN)
        span.end, span.end_cpu, span.retval = rec.ts, rec.cpu, retval
        self.model.spans.append(span)
        return span

    def nested_end(self, rec, key, match, name, task):
        """The youngest of the key that fits; younger ones have no end."""
        stack = self.stack(key)
        fits = [s for s in stack if s.match == match]
        if not fits:
            span = self.no_begin(rec, name, key, task)
            if stack:
                span.parent_name = stack[-1].name
            return
        for span in reversed(stack[stack.index(fits[-1]) + 1:]):
            self.finish(span, rec.ts, rec.cpu, NO_END)
        self.finish(fits[-1], rec.ts, rec.cpu)

    def task_ends(self, task, ts, cpu):
        if self.by_task:
            for span in [s for s in reversed(self.open) if s.task is task]:
                self.finish(span, ts, cpu, EXIT)

    def task_moves(self, old, new, ts):
        if not self.by_task:
            return
        for span in self.open:
            if span.task is old:
                span.task = new
                span.key = self.moved_key(span.key, new)
                if span.off_begin is None:
                    continue
                span.off_begin = new.off_at(ts) - (old.off_at(ts) - span.off_begin)

    @staticmethod
    def moved_key(key, task):
        return (task,) + key[1:] if isinstance(key, tuple) else task


class Calls(Kind):
    depths_agree = False            # an exit was the innermost call's, by its depth, too
    lone = None                     # (begin, last exit before, exit) of a file without entries, in the order to begin
    exits_read = 0

    def before(self, rec):
        if self.lone:
            self.begin_lone(lambda begin, after: begin < rec.ts)

    def begin_lone(self, is_due):
        while self.lone and is_due(*self.lone[0][:2]):
            begin, _, rec = self.lone.pop(0)
            task = self.model.tasks.get(rec.pid, rec.cpu)
            now, rec.ts = rec.ts, begin
            self.entry(rec, task, rec.number("func"), rec.number("depth"))
            rec.ts = now
            if begin < self.first_exit:
                self.open[-1].off_begin = None

    def exits_alone(self):
        """Where each call began, if the buffer has no entries."""
        own = [r for r in self.model.records if r.buffer == self.buffer and r.format and self.events(r.format)]
        own = [r for r in own if r.format.name != "funcgraph_exit" or self.is_sound(r)]
        if any(r.format.name != "funcgraph_exit" for r in own):
            return []
        self.first_exit = own[0].ts
        outer, found = {}, []       # by task: those that are inside of none up to now
        for nr, rec in enumerate(own):
            took = rec.number("rettime") - rec.number("calltime")
            if took < 0:
                continue
            began, depth, context = rec.ts - took, rec.number("depth"), self.context_of(rec)
            row = outer.setdefault((rec.pid, None if rec.pid else rec.cpu), [])
            inside = []
            while row and (row[-1][1] > depth or row[-1][1] == depth and row[-1][4] > context) and \
                    began < row[-1][0] + (row[-1][2] - row[-1][0]) // 2:
                inside.append(row.pop()[0])
            begin = min([began] + inside)
            after = row[-1][3] if row else -1
            if row:
                begin = max(begin, row[-1][2])
            row.append((begin, depth, rec.ts, nr, context))
            found.append((begin, after, -nr, rec))
        found.sort(key=lambda f: f[:3])
        return [(begin, after, rec) for begin, after, _, rec in found]

    @staticmethod
    def is_sound(rec):
        try:
            rec.number("func"), rec.number("calltime"), rec.number("rettime")
            return rec.number("depth") <= MAX_DEPTH
        except Short:
            return False

    def events(self, fmt):
        if fmt.system != "ftrace":
            return None
        return {"funcgraph_entry": "begin", "fgraph_retaddr_entry": "begin", "funcgraph_exit": "end"}.get(fmt.name)

    @staticmethod
    def context_of(rec):
        return 3 if rec.flags & NMI else 2 if rec.flags & HARDIRQ else 1 if rec.flags & SOFTIRQ else 0

    def take(self, part, rec, task):
        func, depth = rec.number("func"), rec.number("depth")
        if depth > MAX_DEPTH:
            return
        if part == "begin":
            self.entry(rec, task, func, depth)
        else:
            self.exit(rec, task, func, depth)

    def cut(self, rec, task, depth):
        """Ends what is open at @depth and deeper; what is left below. A call at @depth that runs in a lower context
        than @rec is at its exit, with the kernel's depth already that of the caller."""
        for span in reversed(self.stack(task)):
            if span.depth < depth or (span.depth == depth and span.context < self.context_of(rec)):
                break
            self.finish(span, rec.ts, rec.cpu, NO_END)
        left = self.stack(task)
        return left[-1] if left else None

    @staticmethod
    def join(span, below):
        """Makes it the child of the call below, or an interrupt of it."""
        if below and span.context > below.context:
            span.parent, span.parent_name, span.interrupted = None, "-", below
        elif below:
            span.parent, span.parent_name = below, below.name

    def entry(self, rec, task, func, depth):
        below = self.cut(rec, task, depth)
        span = self.begin(rec, self.model.symbols.name(func), task, task, func, False, depth)
        span.context = self.context_of(rec)
        self.join(span, below)

    def exit(self, rec, task, func, depth):
        if self.lone is None:
            self.lone = self.exits_alone()
        nr, self.exits_read = self.exits_read, self.exits_read + 1
        self.begin_lone(lambda begin, after: (begin, after) < (rec.ts, nr))
        dur = -1
        if rec.has("calltime") and rec.has("rettime"):
            dur = rec.number("rettime") - rec.number("calltime")
        retval = rec.number("retval", True) if rec.has("retval") else None
        stack = self.stack(task)
        fits = [s for s in stack if s.match == func and s.depth == depth]
        self.depths_agree |= fits[-1:] == stack[-1:] != []
        if not fits and not self.depths_agree:
            fits = [s for s in stack if s.match == func]
        if fits:
            for span in reversed(stack[stack.index(fits[-1]) + 1:]):
                self.finish(span, rec.ts, rec.cpu, NO_END)
            fits[-1].retval = retval
            self.finish(fits[-1], rec.ts, rec.cpu, dur=dur)
            return
        below = self.cut(rec, task, depth)
        span = self.no_begin(rec, self.model.symbols.name(func), task, task, depth, retval)
        span.context = self.context_of(rec)
        self.join(span, below)
        if dur >= 0:
            span.dur, span.begin = dur, rec.ts - dur
            if self.model.last_gap.get((self.buffer, rec.cpu), -1) > span.begin:
                span.marks.add(LOSS)
        self.settle(span)
        span.self_ = None


class Syscalls(Kind):
    def __init__(self, model, name):
        super().__init__(model, name)
        self.last = {}              # task: (part, system, number) of its last record of this kind
        self.calls = system_calls()

    def events(self, fmt):
        if fmt.system not in ("raw_syscalls", "syscalls"):
            return None
        return "begin" if fmt.name.startswith("sys_enter") else "end" if fmt.name.startswith("sys_exit") else None

    def call_name(self, rec, nr):
        if self.model.machine == "x86_64" and nr in self.calls:
            return self.calls[nr]
        if rec.format.system == "syscalls":
            return re.sub("^sys_(enter|exit)_", "", rec.format.name)
        return str(nr)

    def take(self, part, rec, task):
        nr = rec.number("id" if rec.format.system == "raw_syscalls" else "__syscall_nr", True)
        last, self.last[task] = self.last.get(task), (part, rec.format.system, nr)
        name = self.call_name(rec, nr)
        stack = self.stack(task)
        if last and last[0] == part and last[1] != rec.format.system and last[2] == nr:
            self.last[task] = None
            return
        if part == "begin":
            if stack:
                self.finish(stack[0], rec.ts, rec.cpu, NO_END)
            if name not in ("exit", "exit_group"):
                self.begin(rec, name, task, task, nr, False)
            return
        # rt_sigreturn takes the number of the call with the registers that it restores.
        if stack and nr in (stack[0].match, -1):
            stack[0].retval = rec.number("ret", True)
            self.finish(stack[0], rec.ts, rec.cpu)
            return
        if stack:
            self.finish(stack[0], rec.ts, rec.cpu, NO_END)
        self.no_begin(rec, name, task, task)


class Irqs(Kind):
    by_task = False

    def events(self, fmt):
        if fmt.system != "irq":
            return None
        return {"irq_handler_entry": "begin", "irq_handler_exit": "end"}.get(fmt.name)

    def take(self, part, rec, task):
        irq = rec.number("irq", True)
        if part == "begin":
            self.begin(rec, rec.string("name"), rec.cpu, task, irq)
        else:
            self.nested_end(rec, rec.cpu, irq, "irq %d" % irq, task)


class Softirqs(Kind):
    def __init__(self, model, name):
        super().__init__(model, name)
        self.by_task = "-rt" in model.trace.uname

    def events(self, fmt):
        if fmt.system != "irq":
            return None
        return {"softirq_entry": "begin", "softirq_exit": "end"}.get(fmt.name)

    def take(self, part, rec, task):
        vec = rec.number("vec")
        name = SOFTIRQS[vec] if vec < len(SOFTIRQS) else str(vec)
        key = task if self.by_task else rec.cpu
        if part == "begin":
            self.begin(rec, name, key, task, vec)
        else:
            self.nested_end(rec, key, vec, name, task)


class Work(Kind):
    def events(self, fmt):
        if fmt.system != "workqueue":
            return None
        return {"workqueue_execute_start": "begin", "workqueue_execute_end": "end"}.get(fmt.name)

    def take(self, part, rec, task):
        work = rec.number("work")
        name = self.model.symbols.name(rec.number("function")) if rec.has("function") else "0x%x" % work
        if part == "begin":
            self.begin(rec, name, task, task, work)
        else:
            self.nested_end(rec, task, work, name, task)


class Locks(Kind):
    def events(self, fmt):
        if fmt.system != "lock":
            return None
        return {"contention_begin": "begin", "contention_end": "end"}.get(fmt.name)

    def take(self, part, rec, task):
        lock = rec.number("lock_addr")
        key = task, lock
        name = self.model.symbols.exact(lock)
        if part == "begin":
            if not self.stack(key):
                self.begin(rec, name, key, task, lock)
        else:
            self.nested_end(rec, key, lock, name, task)


class Block(Kind):
    by_task = False

    def events(self, fmt):
        if fmt.system != "block":
            return None
        return {"block_rq_issue": "begin", "block_rq_complete": "end", "block_rq_requeue": "requeue"}.get(fmt.name)

    def take(self, part, rec, task):
        n = rec.number("nr_sector")
        dev = rec.number("dev")
        key = (dev, rec.number("sector")) if n else dev
        name = rec.string("rwbs")
        queue = self.stack(key)
        back = [s for s in queue if s.back]
        if part == "begin" and back:
            back[0].back = False
        elif part == "begin":
            span = self.begin(rec, name, key, task, None, False)
            span.left, span.back = n, False
        elif part == "requeue":
            for span in [s for s in queue if not s.back][:1]:
                span.back = True
                span.marks.add(REQUEUED)
        elif not queue:
            self.no_begin(rec, name, key, task)
        elif n and n < queue[0].left:
            queue[0].left -= n
            queue[0].depth = len(self.stack((dev, key[1] + n)))
            queue[0].key = dev, key[1] + n
        else:
            self.finish(queue[0], rec.ts, rec.cpu)


class Probes(Kind):
    def events(self, fmt):
        if fmt.system == "ftrace" or not re.search(r"^print fmt: \"\(%lx", fmt.text, re.M):
            return None
        if "__probe_ret_ip" in fmt.fields:
            return "end"
        return "begin" if "__probe_ip" in fmt.fields or "__probe_func" in fmt.fields else None

    def take(self, part, rec, task):
        start, name = self.model.symbols.holder(rec.number("__probe_ip" if rec.has("__probe_ip") else "__probe_func"))
        name = name or "0x%x" % start
        if part == "begin":
            self.begin(rec, name, (task, start), task, start)
        else:
            self.nested_end(rec, (task, start), start, name, task)


# --- marks

Mark = collections.namedtuple("Mark", "letter tgid name track number")
PLAIN = re.compile(r"([BEI])(?:\|(\d{1,10})(?:\|(.*))?)?\Z", re.S)
COOKIE = re.compile(r"([SFCGH])\|(\d{1,10})\|(.*)\Z", re.S)
INSTANT = re.compile(r"(N)\|(\d{1,10})\|([^|]*)\|(.*)\Z", re.S)
WHOLE = re.compile(r"[+-]?[0-9]+\Z")
REAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?\Z")


def number_of(letter, text):
    if WHOLE.match(text) and -1 << 63 <= int(text) < 1 << 63:
        return int(text)
    if letter == "C" and len(text) <= 48 and REAL.match(text) and abs(float(text)) != float("inf"):
        return float(text)
    return None


def mark_of_text(text):
    text = text.rstrip("\r\n")
    if text in ("E", "E|"):
        return Mark("E", 0, "", None, None)
    found = PLAIN.match(text) or COOKIE.match(text) or INSTANT.match(text)
    if not found or found.group(2) is None or int(found.group(2)) >= 1 << 31:
        return None
    letter, tgid, rest = found.group(1), int(found.group(2)), found.group(3)
    if letter == "I" and rest is None:
        return None
    if letter in "BEI":
        return Mark(letter, tgid, rest or "", None, None)
    if letter == "N":
        return Mark(letter, tgid, found.group(4), rest, None)
    fields = rest.split("|")
    track = fields.pop(0) if letter in "GH" else None
    at = next((i for i in reversed(range(len(fields))) if number_of(letter, fields[i]) is not None), None)
    if at is None or (at == 0 and letter != "H"):
        return None
    name = track if letter == "H" else "|".join(fields[:at])
    return Mark(letter, tgid, name, track, number_of(letter, fields[at]))


class Marks:
    """Reads the marks of a file's records."""

    def __init__(self, trace):
        lines = re.findall(r'^(0x[0-9a-f]+) : "(.*)"$', trace.printk.decode(errors="replace"), re.M)
        self.printk = {int(address, 16): text.replace("\\n", "\n") for address, text in lines}

    @staticmethod
    def carries(fmt):
        if fmt.system == "ftrace":
            return fmt.name in ("print", "bprint", "bputs")
        return fmt.name == "tracing_mark_write" or DRIVER_FMT.search(fmt.text) is not None

    def read(self, rec):
        try:
            return self.of_driver(rec) if rec.format.system != "ftrace" else self.of_text(rec)
        except Short:
            return None

    def of_text(self, rec):
        if rec.format.name == "print":
            return mark_of_text(rec.data[rec.place("buf")[0]:].split(b"\0")[0].decode(errors="replace"))
        text = self.printk.get(rec.number("fmt" if rec.has("fmt") else "str"), "")
        return mark_of_text(text) if "%" not in text else None

    @staticmethod
    def of_driver(rec):
        """Of print fmts as drivers have them: fields, texts, a letter by a condition."""
        fmt, args = PRINT_FMT.search(rec.format.text).groups()
        values = [argument(rec, one) for one in re.split(r",\s*(?![^(]*\))", args)]
        parts = re.split(r"(%(?:l*[du]|c|s))", fmt)
        for at in range(1, len(parts), 2):
            value = values.pop(0)
            parts[at] = chr(value & 0xff) if parts[at] == "%c" else str(value)
        text = "".join(parts)
        if DRIVER_FMT.search(rec.format.text) and fmt.count("|") >= 3 and text[0] in "BEI":
            text = text[:text.rindex("|")]
        return mark_of_text(text)


DRIVER_FMT = re.compile(r'^print fmt: "(?:%c|%s|[BECSFGHIN])\|%[du]\|[^"]*"', re.M)
PRINT_FMT = re.compile(r'^print fmt: "([^"]*)"\s*,\s*(.*)$', re.M)


def argument(rec, text):
    """The value of an argument of a print fmt."""
    choice = re.fullmatch(r'REC->(\w+) \? "(\w+)" : "(\w+)"', text)
    if choice:
        return choice[2] if rec.number(choice[1]) else choice[3]
    string = re.fullmatch(r"__get_str\((\w+)\)", text)
    name = string[1] if string else re.fullmatch(r"REC->(\w+)", text)[1]
    if string or re.search(r"field:\s*char %s\[" % name, rec.format.text):
        return rec.string(name)
    return rec.number(name, re.search(r"\b%s;[^\n]*signed:1" % name, rec.format.text) is not None)


class MarkKind(Kind):
    """Spans of marks, which a loss on any CPU of the buffer affects."""

    letters = ""

    def events(self, fmt):
        return "mark" if Marks.carries(fmt) else None

    def part_in(self, rec, part):
        mark = self.model.marks.read(rec)
        return mark if mark and mark.letter in self.letters else None

    def is_lost(self, span, cpu):
        return self.model.gap_until.get(self.buffer, -1) > span.begin

    def no_begin(self, rec, name, key, task, depth=None, retval=None):
        span = super().no_begin(rec, name, key, task, depth, retval)
        if self.is_lost(span, None):
            span.marks.add(LOSS)
        return span


class Markers(MarkKind):
    letters = "BE"

    def take(self, mark, rec, task):
        name = mark.name or "<...>"
        if mark.letter == "B":
            self.begin(rec, name, task, task)
        elif self.stack(task):
            self.finish(self.stack(task)[-1], rec.ts, rec.cpu)
        else:
            self.no_begin(rec, name, task, task)


class Async(MarkKind):
    letters = "SFGH"
    by_task = False

    def take(self, mark, rec, task):
        key = mark.tgid, mark.letter in "GH", mark.name if mark.track is None else mark.track, mark.number
        name = mark.name or "<...>"
        begun = self.stack(key)
        if mark.letter in "SG":
            if begun:
                self.finish(begun[0], rec.ts, rec.cpu, NO_END)
            self.begin(rec, name, key, task, None, False)
        elif begun:
            self.finish(begun[0], rec.ts, rec.cpu)
        else:
            self.no_begin(rec, name, key, task)


class Moments(MarkKind):
    """Counters and instants, which are lines among those of the spans."""

    letters = "CIN"

    def take(self, mark, rec, task):
        line = "%s %s task=%s cpu=%d at=%d tgid=%d" % ("counter" if mark.letter == "C" else "instant", mark.name,
                                                       task.name, rec.cpu, rec.ts, mark.tgid)
        if mark.track is not None:
            line += " track=" + mark.track
        if mark.letter == "C":
            line += " value=%s" % (mark.number if isinstance(mark.number, int) else "%.17g" % mark.number)
        self.model.moments.append(line)


class Pair(Kind):
    """A row of --pair."""

    def __init__(self, model, text):
        name, events = text.split("=", 1)
        super().__init__(model, name)
        begin, end, *key = events.split(",")
        self.ends = {"begin": begin, "end": end}
        fields = key[0].split("=") if key else []
        self.fields = {"begin": fields[0], "end": fields[-1]} if fields else None
        self.by_task = not fields

    def events(self, fmt):
        for part, event in self.ends.items():
            if event == "%s:%s" % (fmt.system, fmt.name):
                return part
        return None

    def take(self, part, rec, task):
        key = rec.number(self.fields[part]) if self.fields else task
        stack = self.stack(key)
        if part == "end" and stack:
            self.finish(stack[0], rec.ts, rec.cpu)
        elif part == "end":
            self.no_begin(rec, self.name, key, task)
        else:
            if stack:
                self.finish(stack[0], rec.ts, rec.cpu, NO_END)
            self.begin(rec, self.name, key, task, None, False)


KINDS = (("function_graph", Calls), ("syscall", Syscalls), ("irq", Irqs), ("softirq", Softirqs), ("work", Work),
         ("lock", Locks), ("block", Block), ("probe", Probes), ("marker", Markers), ("async", Async))


# --- one file --------------------------------------------------------------------------------

class Model:
    def __init__(self, trace, records, pairs):
        self.trace = trace
        self.symbols = Symbols(trace.kallsyms, trace.long_size * 8)
        self.machine = (trace.uname.split() or [""])[-1]
        self.spans = []
        self.records = records
        self.below_zero = 0
        self.taken = 0
        self.last_gap = {}          # (buffer, cpu): time
        self.last_ts = {}           # (buffer, cpu): of its last record
        self.last_task = {}         # (buffer, cpu): whose that was
        self.kinds = [kind(self, name) for name, kind in KINDS + (("moment", Moments),)]
        self.kinds += [Pair(self, p) for p in pairs]
        self.marks = Marks(trace)
        self.moments = []
        self.gap_until = {}         # buffer: the end of the latest gap that has begun
        self.gaps_to_come = self.find_gaps(records)
        self.parts = {}             # type id: [(kind, part)]
        events = {trace.formats[r.type].name for r in records if r.type in trace.formats}
        self.end_ts = records[-1].ts if records else 0
        lost = {}
        for rec in reversed(records):
            rec.loses = lost.get((rec.buffer, rec.cpu), False)
            lost[rec.buffer, rec.cpu] = bool(rec.lost)
        self.lost_first = [place for place in lost if lost[place]]
        self.recorded = [{cpu.cpu for cpu in buf.cpus if cpu.pages} for buf in trace.buffers]
        states = next((r.buffer for r in records if self.is_state(r)), None)
        self.tasks = Tasks(records[0].ts if records else 0, "sched_switch" in events, Filters(trace, states))
        self.tops = Tops(trace)
        self.state_buffer = None
        self.letters = {}

    @staticmethod
    def find_gaps(records):
        """[(how many records come before it begins, buffer, its end)], the last one first."""
        gaps, last = [], {}
        for number, rec in enumerate(records):
            if rec.lost:
                gaps.append((last.get((rec.buffer, rec.cpu), -1) + 1, rec.buffer, rec.ts))
            last[rec.buffer, rec.cpu] = number
        return sorted(gaps, reverse=True)

    def begin_gaps(self):
        while self.gaps_to_come and self.gaps_to_come[-1][0] <= self.taken:
            _, buffer, until = self.gaps_to_come.pop()
            self.gap_until[buffer] = max(self.gap_until.get(buffer, -1), until)
        self.taken += 1

    def parts_of(self, rec):
        if rec.type not in self.parts:
            found = []
            if rec.format:
                found = [(kind, kind.events(rec.format)) for kind in self.kinds]
            self.parts[rec.type] = [(kind, part) for kind, part in found if part]
        return self.parts[rec.type]

    def is_state(self, rec):
        return rec.format and rec.format.name in TASK_STATES and rec.format.system in ("sched", "task")

    def take(self, rec):
        for place in self.lost_first:
            if place != (rec.buffer, rec.cpu):
                self.tasks.gap_begins(place, rec.ts)
        self.lost_first = []
        self.take_record(rec)
        if rec.loses and self.state_buffer in (None, rec.buffer):
            self.tasks.gap_begins((rec.buffer, rec.cpu), rec.ts, rec.cpu)

    def take_record(self, rec):
        self.begin_gaps()
        for kind in self.kinds:
            kind.before(rec)
        if self.is_state(rec) and self.state_buffer is None:
            self.state_buffer = rec.buffer
        place = rec.buffer, rec.cpu
        if rec.lost:
            self.last_gap[place] = rec.ts
            since = self.last_ts.get(place, rec.ts)
            self.tops.gap(rec, since)
            if self.state_buffer in (None, rec.buffer) or place in self.tasks.gaps:
                self.tasks.gap_ends(place, rec.cpu, since, rec.ts)
        self.last_ts[place] = rec.ts
        task = self.tasks.get(rec.pid, rec.cpu)
        before, self.last_task[place] = self.last_task.get(place, task), task
        if before is not task and before.state == "dead":
            self.end_task(before, rec)
        if before is not task and self.state_buffer in (None, rec.buffer):
            self.check_leader(task, rec)
        self.tasks.record(rec)
        for kind, part in self.parts_of(rec):
            part = kind.part_in(rec, part)
            if part is None:
                continue
            if kind.buffer is None:
                kind.buffer = rec.buffer
            if kind.buffer == rec.buffer:
                try:
                    kind.take(part, rec, task)
                except Short:
                    pass
        if rec.format and rec.format.name in CPU_EVENTS and rec.format.system in ("irq", "power"):
            try:
                self.tops.take(rec, task)
            except Short:
                pass
        if self.is_state(rec) and rec.buffer == self.state_buffer:
            try:
                getattr(self, rec.format.name)(rec)
            except Short:
                pass

    def call(self, task, rec, comm):
        last = [n for n in self.tasks.names if n[0] is task][-1:]
        if not last or last[0][2] != comm:
            self.tasks.names.append((task, rec.ts, comm))

    # -- the events of states

    def sched_switch(self, rec):
        prev = self.tasks.get(rec.number("prev_pid", True), rec.cpu)
        next_ = self.tasks.get(rec.number("next_pid", True), rec.cpu)
        self.check_leader(prev, rec)
        self.tasks.switch(rec.cpu, rec.ts, prev, next_, self.state_of(rec))
        self.tops.switch(rec.cpu, rec.ts, next_)
        self.call(prev, rec, rec.string("prev_comm"))
        self.call(next_, rec, rec.string("next_comm"))

    def end_task(self, task, rec):
        for kind in self.kinds:
            kind.task_ends(task, rec.ts, rec.cpu)

    def state_of(self, rec):
        if rec.type not in self.letters:
            self.letters[rec.type] = switch_states(rec.format.text)
        mask, pairs, plus = self.letters[rec.type]
        state = rec.number("prev_state", True)
        left, words = state & mask & ((1 << 64) - 1), []
        for bits, letter in pairs:
            if bits and left & bits == bits:
                words.append(letter)
                left &= ~bits
        words += ["0x%x" % left] if left else []
        return ("|".join(words) or "R") + ("+" if state & plus else "")

    def wake(self, rec):
        pid = rec.number("pid", True)
        if pid:
            self.tasks.wake(self.tasks.get(pid, None), rec.ts, rec.format.name)

    sched_waking = wake

    def wakeup(self, rec):
        self.wake(rec)
        if rec.has("target_cpu"):
            self.goes(rec, "target_cpu", "runnable")

    sched_wakeup = sched_wakeup_new = wakeup

    def sched_migrate_task(self, rec):
        if rec.number("pid", True):
            self.goes(rec, "dest_cpu", "runnable", "preempted")

    def goes(self, rec, field, *states):
        """A task that waits goes to a CPU: what it does on one without records is unknown."""
        pid, cpu = rec.number("pid", True), rec.number(field, True)
        if pid:
            task = self.tasks.get(pid, None)
            if task.state in states and cpu not in self.recorded[rec.buffer]:
                self.tasks.miss(task, rec.ts, anew=True)

    def sched_process_fork(self, rec):
        pid = rec.number("child_pid", True)
        if not pid:
            return
        old = self.tasks.now.get(pid)
        if old:
            self.end_task(old, rec)
        new = self.tasks.fork(pid, rec.ts, self.tasks.get(rec.pid, rec.cpu))
        self.call(new, rec, rec.string("child_comm") if rec.has("child_comm") else "")

    def sched_process_exec(self, rec):
        pid, old_pid = rec.number("pid", True), rec.number("old_pid", True)
        task = self.tasks.get(pid, rec.cpu)
        if pid != old_pid:
            self.take_over(self.tasks.get(old_pid, rec.cpu), task, rec)
        self.call(task, rec, rec.string("filename").split("/")[-1][:15])

    def take_over(self, old, task, rec):
        if old.state == "dead" and task.state == "running":
            return                      # noticed before
        self.end_task(task, rec)
        for kind in self.kinds:
            kind.task_moves(old, task, rec.ts)
        self.tasks.take_over(old, task, rec.cpu, rec.ts)

    def check_leader(self, task, rec):
        """A thread that execs gets the pid of its leader, which has ended, before that is recorded."""
        there = self.tasks.on_cpu.get(rec.cpu)
        if task.state == "dead" and there and there is not task and not there.name.startswith("0/") and \
                there.state == "running" and rec.cpu not in self.tasks.lost:
            self.take_over(there, task, rec)

    def task_rename(self, rec):
        self.call(self.tasks.get(rec.number("pid", True), rec.cpu), rec, rec.string("newcomm"))

    # -- what is printed

    def finish(self):
        for kind in self.kinds:
            for span in reversed(list(kind.open)):
                ended = kind.by_task and span.task.state == "dead"
                kind.finish(span, self.end_ts, span.begin_cpu, EXIT if ended else OPEN)
        self.tasks.finish(self.end_ts)

    def state_lines(self):
        for task in sorted(self.tasks.all, key=lambda t: natural(t.name)):
            if task.name.startswith("0/"):
                continue
            for state in sorted(task.times, key=state_order):
                if state != "dead":
                    yield "state %s %s time=%d count=%d" % (task.name, state, *task.times[state])
            if task.delays:
                yield "delay %s count=%d sum=%d max=%d" % (task.name, len(task.delays), sum(task.delays),
                                                           max(task.delays))
        for cpu, points in sorted(self.tasks.cpus.items()):
            sums = {"busy": 0, "idle": 0, "unknown": 0}
            for (ts, what), (until, _) in zip(points, points[1:] + [(self.end_ts, "")]):
                sums[what] += until - ts
            yield "cpu %d busy=%d idle=%d unknown=%d" % (cpu, sums["busy"], sums["idle"], sums["unknown"])
        yield from self.tops.lines(self.end_ts)

    def sum_lines(self):
        groups = {}
        for span in self.spans:
            groups.setdefault((span.kind, span.name, span.task.name), []).append(span)
        for (kind, name, task), spans in sorted(groups.items()):
            known = [s for s in spans if s.dur is not None and LOSS not in s.marks]
            durs = [s.dur for s in known]
            offs = [s.off for s in known if s.off is not None]
            yield ("sum %s %s task=%s count=%d sum=%d self=%d irq=%d off=%s min=%s max=%s"
                   % (kind, name, task, len(spans), sum(durs), sum(s.self_ or 0 for s in known),
                      sum(s.irq for s in known), sum(offs) if offs else "-", min(durs) if durs else "-",
                      max(durs) if durs else "-"))


def natural(name):
    return [int(n) for n in re.findall(r"\d+", name)]


def state_order(state):
    order = ["unknown", "new", "running", "runnable", "preempted"]
    return (order.index(state), "") if state in order else (len(order), state)


# --- command line ----------------------------------------------------------------------------

def stream(trace, file):
    """Records of all CPUs of a file's buffers, each CPU's in its own order."""
    for b, buf in enumerate(trace.buffers):
        for cpu in buf.cpus:
            yield [Record(trace, row, file, b, cpu.cpu) for row in cpu.rows]


def merged(streams):
    return list(heapq.merge(*streams, key=lambda r: (r.ts, r.file, r.buffer, r.cpu)))


def read_files(paths, pairs):
    """The models of the files, and all spans: [(file, Span)] in the order of their ends."""
    models, streams, spans = [], [], []
    for file, path in enumerate(paths):
        trace = rawdecode.load(path, keep_data=True)
        own = merged(stream(trace, file))
        models.append(Model(trace, own, pairs))
        streams.append(own)
    for rec in merged(streams):
        model = models[rec.file]
        before = len(model.spans)
        model.take(rec)
        spans += [(rec.file, span) for span in model.spans[before:]]
    for file, model in enumerate(models):
        before = len(model.spans)
        model.finish()
        spans += [(file, span) for span in model.spans[before:]]
    return models, spans


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sums", action="store_true", help="a line for each (kind, name, task)")
    parser.add_argument("--names", action="store_true", help="also what tasks are called, by time")
    parser.add_argument("--pair", action="append", default=[], metavar="NAME=BEGIN,END[,KEY]")
    parser.add_argument("file", nargs="+")
    args = parser.parse_args()
    models, spans = read_files(args.file, args.pair)
    print_all(args, models, spans)
    return 0


def print_all(args, models, spans):
    def out(file, line):
        lines.append(("file%d: " % file if len(models) > 1 else "") + line + "\n")
    lines = []
    if not args.sums:
        for file, span in spans:
            out(file, span.line())
        for file, model in enumerate(models):
            for line in model.moments:
                out(file, line)
    for file, model in enumerate(models):
        for line in model.sum_lines() if args.sums else ():
            out(file, line)
        for task, ts, comm in model.tasks.names if args.names else ():
            out(file, "name %s %d %s" % (task.name, ts, comm))
        for line in model.state_lines() if model.tasks.has_switch else ():
            out(file, line)
    sys.stdout.write("".join(lines))


if __name__ == "__main__":
    sys.exit(main())
