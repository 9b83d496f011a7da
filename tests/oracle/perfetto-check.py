#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare a Perfetto trace with the trace.dat that it was made of.

Usage: tests/oracle/perfetto-check.py [--name TEXT] [--walk-only] [--whole] DAT TRACE

The records come from rawdecode.py, a decoder of its own. They are compared with what protowalk.py finds in the bytes of
the trace, and, unless --walk-only, with the answers of Perfetto's trace processor: events with their time, CPU, task
and fields; slices of the CPUs, paired here from sched_switch; states of tasks, by
thread_states.py; functions by kallsyms; markers as slices and counters; losses; errors that it
counted. Prints result lines as tests do. Exit codes: 0 nothing failed, 1 something did.
"""
import argparse
import collections
import re
import sys

import perfetto
import protowalk
import rawdecode
import spans
import thread_states

GRAPH = "funcgraph_entry", "funcgraph_exit"
RENAMED = {"fgraph_retaddr_entry": "funcgraph_entry"}   # Perfetto has one for both
TEXTS = "bprint", "kernel_stack", "user_stack"          # whose arrays are told as one text
SHOWN = 5                       # of what differs
NULL = b"[NULL]"
WIDTHS = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "short": 2, "u32": 4, "s32": 4, "int": 4, "u64": 8, "s64": 8,
          "__u8": 1, "__u16": 2, "__u32": 4, "__u64": 8, "pid_t": 4}
SCALAR = re.compile(r"field:\s*([^;\n]*?)(\w+);\s*offset:\s*(\d+);\s*size:\s*(\d+);\s*signed:\s*(\d)")
HARDIRQ, SOFTIRQ = 0x08, 0x10        # common_flags, include/linux/trace_events.h
MARK = re.compile(rb"E(?:\|\d*)?\Z|B\|\d+(?:\|.*)?\Z|I\|\d+\|[^|]+|C\|\d+\|[^|]+\|-?\d{1,18}(?:\|.*)?\Z", re.S)
DRIVERS = "sde", "dpu", "g2d", "mali", "lwis", "samsung"      # whose tracing_mark_write has their name in front

EVENTS = ("select ts, cpu, name, (select tid from thread where utid = e.utid), arg_set_id from ftrace_event e "
          "order by id")
ARGS = "select arg_set_id, key, value_type, coalesce(string_value, int_value) from args where arg_set_id is not null"
SLICES = ("select s.ts, s.dur, s.cpu, t.tid, s.end_state, s.priority from sched_slice s join thread t using (utid) "
          "order by s.cpu, s.ts, s.id")
STATES = ("select t.tid, s.ts, s.dur, s.state, s.ucpu from thread_state s join thread t using (utid) "
          "order by t.tid, s.ts, s.id")
BLOCKERS = "SELECT DISTINCT tid FROM _critical_path_all AS c JOIN thread USING (utid) WHERE c.utid != c.root_utid"
CONTEXTS = ("select t.tid, s.ts, s.irq_context from thread_state s join thread t using (utid) "
            "where s.waker_utid is not null")
CALLS = ("select s.ts, s.dur, (select tid from thread where utid = extract_arg(t.dimension_arg_set_id, 'utid')), "
         "extract_arg(t.dimension_arg_set_id, 'cpu'), s.name from slice s join track t on t.id = s.track_id "
         "where t.type in ('thread_funcgraph', 'cpu_funcgraph')")
MARKS = ("select s.ts, s.dur, (select tid from thread where utid = extract_arg(t.dimension_arg_set_id, 'utid')), "
         "s.name from slice s join track t on t.id = s.track_id "
         "where t.type = 'thread_execution' and s.name not like 'sys\\_%' escape '\\'")
SPANS = ("select s.ts, s.dur, s.name, t.type, coalesce(extract_arg(t.dimension_arg_set_id, 'cpu'), "
         "(select tid from thread where utid = extract_arg(t.dimension_arg_set_id, 'utid'))) "
         "from slice s join track t on t.id = s.track_id "
         "where t.type in ('cpu_irq', 'cpu_softirq', 'thread_execution')")
COUNTERS = ("select c.ts, t.name, c.value from counter c join track t on t.id = c.track_id "
            "where t.type = 'atrace_counter'")
STATS = "select name, coalesce(idx, -1), severity, value from stats where value > 0 and severity != 'info'"

Event = collections.namedtuple("Event", "ts cpu name pid fields")


class Report:
    """Result lines."""

    def __init__(self, name, whole):
        self.name, self.whole = name, whole
        self.failed = False

    def line(self, good, what, *detail):
        print(f"{'ok' if good else 'not ok'} - {self.name}: {what}")
        if not good:
            self.failed = True
            for text in detail:
                print(f"# {text}")

    def same(self, what, wanted, got):
        """Two lists, shown where they part."""
        if wanted == got:
            self.line(True, what)
            return
        if isinstance(wanted, int):
            self.line(False, what, f"wanted: {wanted}", f"got:    {got}")
            return
        at = next((i for i, (a, b) in enumerate(zip(wanted, got)) if a != b), min(len(wanted), len(got)))
        self.line(False, what, f"{len(wanted)} wanted, {len(got)} there; at {at}:",
                  *(f"wanted: {x}" for x in wanted[at:at + SHOWN]), *(f"got:    {x}" for x in got[at:at + SHOWN]))

    def counts(self, what, wanted, got):
        self.same(what, sorted(wanted.items()), sorted(got.items()))


def plain(name):
    """An event's name without its system."""
    return re.split(r"[:/]", name)[-1]


# --- the records -----------------------------------------------------------------------------

class Shape:
    """The fields of an event that are compared: numbers of one to eight bytes, text, arrays of numbers."""

    def __init__(self, fmt, long_size):
        self.numbers, self.texts, self.arrays = [], [], []
        widths = {**WIDTHS, "long": long_size}
        for kind, name, _, size, signed in SCALAR.findall(re.sub(r"(\w+)\[[^]]*\];", r"[] \1;", fmt.text)):
            if name.startswith("common_"):
                continue
            many = "[]" in kind or "__data_loc" in kind or "__rel_loc" in kind
            words = re.findall(r"\w+", kind)
            if many and "char" in words:
                self.texts.append(name)
            elif many and words[-1] in widths and fmt.name not in TEXTS:
                self.arrays.append((name, widths[words[-1]]))
            elif not many and int(size) in (1, 2, 4, 8):
                self.numbers.append((name, int(size), signed == "1"))

    def values(self, rec):
        out = {}
        for name, size, signed in self.numbers:
            out[name] = rec.number(name, signed), size
        for name in self.texts:
            out[name] = text_of(rec, name), 0
        for name, width in self.arrays:
            data = bytes_of(rec, name)
            out[name] = [int.from_bytes(data[at:at + width], rec.order)
                         for at in range(0, len(data) - width + 1, width)], width
        return out


def bytes_of(rec, name):
    """Of a field that has no fixed size, or is an array."""
    offset, size = rec.place(name)
    dynamic = re.search(r"__(data|rel)_loc[^;\n]*\b%s;" % name, rec.format.text)
    if dynamic:
        where = int.from_bytes(rec.data[offset:offset + size], rec.order)
        offset, size = (where & 0xffff) + (offset + size if dynamic[1] == "rel" else 0), where >> 16
    elif not size:
        size = len(rec.data)
    return rec.data[offset:offset + size]


def text_of(rec, name):
    """Bytes of a text up to its end."""
    return bytes_of(rec, name).split(b"\0")[0]


def name_of(rec):
    if not rec.format:
        return f"[type {rec.type}]"
    if rec.format.name == "tracing_mark_write" and rec.format.system in DRIVERS:
        return rec.format.system + "_tracing_mark_write"
    return RENAMED.get(rec.format.name, rec.format.name)


class Recording:
    """What is in a trace.dat."""

    def __init__(self, path):
        self.trace = rawdecode.load(path, keep_data=True)
        self.bits = self.trace.long_size * 8
        self.records = []       # (buffer, Record), each CPU's in their order
        self.lossy = set()
        for number, buffer in enumerate(self.trace.buffers):
            for cpu in buffer.cpus:
                self.records += [spans.Record(self.trace, row, 0, number, cpu.cpu) for row in cpu.rows]
                if cpu.lost or cpu.lost_unknown:
                    self.lossy.add(cpu.cpu)
        self.shapes = {}
        self.symbols = spans.Symbols(self.trace.kallsyms, self.bits)

    def events(self):
        return [Event(rec.ts, rec.cpu, name_of(rec), rec.pid, self.fields(rec)) for rec in self.records]

    def fields(self, rec):
        if not rec.format:
            return {}
        shape = self.shapes.get(rec.type)
        if not shape:
            shape = self.shapes[rec.type] = Shape(rec.format, self.trace.long_size)
        try:
            values = shape.values(rec)
        except spans.Short:
            return {}
        if "prev_state" in values and is_translated(self.trace):
            values["prev_state"] = perfetto_bits(self.trace, rec), 8
        return values

    def named(self, *names):
        """Records of these events, by time."""
        return sorted((rec for rec in self.records if name_of(rec) in names), key=lambda r: (r.ts, r.cpu))

    def by_time(self):
        return sorted(self.records, key=lambda r: (r.ts, r.buffer, r.cpu))

    def model(self):
        """spans.py's, of these records."""
        model = spans.Model(self.trace, self.by_time(), [])
        for rec in self.by_time():
            model.take(rec)
        model.finish()
        return model

    def switches(self):
        """{buffer: its sched_switch}"""
        out = {}
        for rec in self.named("sched_switch"):
            out.setdefault(rec.buffer, []).append(rec)
        return out


# --- slices of CPUs --------------------------------------------------------------------------

def cpu_slices(switches):
    """[ts, dur, cpu, tid, state, prio] as Perfetto pairs them,
    and how often a switch was from another task than it knew."""
    slices, last, strays = [], {}, 0
    for rec in switches:
        state = end_state(rec)
        open_one = last.get(rec.cpu)
        if open_one:
            if open_one[3] == rec.number("prev_pid", True):
                open_one[1], open_one[4] = rec.ts - open_one[0], state
            else:
                strays += 1
        last[rec.cpu] = [rec.ts, -1, rec.cpu, rec.number("next_pid", True), None, rec.number("next_prio", True)]
        slices.append(last[rec.cpu])
    return sorted(slices, key=lambda s: (s[2], s[0])), strays


def runs_twice(switches):
    """Whether a task is switched in while it runs on another CPU: no kernel does that, made files do."""
    where = {}
    for rec in switches:
        before, after = rec.number("prev_pid", True), rec.number("next_pid", True)
        if where.get(before) == rec.cpu:
            del where[before]
        if after and where.setdefault(after, rec.cpu) != rec.cpu:
            return True
    return False


def end_state(rec):
    mask, letters, plus = spans.switch_states(rec.format.text)
    value = rec.number("prev_state")
    found = "".join(letter for bit, letter in letters if value & mask & bit) or "R"
    return found + ("+" if value & plus else "")


# Perfetto's own bits, which it takes for those of each kernel before 4.14, and of one that it is not told.
PERFETTO_LETTERS = "SDTtXZxKWPN"


def kernel_of(trace):
    release = re.match(r"\S+ \S+ (\d+)\.(\d+)", trace.uname)
    return (int(release[1]), int(release[2])) if release else (0, 0)


def is_translated(trace):
    return kernel_of(trace) < (4, 14)


def perfetto_bits(trace, rec):
    plus = 4096 if kernel_of(trace) >= (4, 8) else 2048
    letters = end_state(rec).replace("I", "DN")      # which it shows as I
    return sum(1 << PERFETTO_LETTERS.index(c) for c in letters if c not in "R+") + plus * ("+" in letters)


# --- functions -------------------------------------------------------------------------------

def track_of(rec):
    return f"task {rec.pid}" if rec.pid else f"cpu {rec.cpu}"


class Graph:
    """
    Calls [ts, dur, track, name] as Perfetto pairs them: an exit ends the innermost call of its name. What is open
    within that ends with it when the track goes on at a later time, which counts as one misplaced end;
    at the same time it does not yet.
    """

    def __init__(self, records, symbols):
        self.calls, self.misplaced = [], 0
        self.torn = thread_states.torn(records, lambda rec: (track_of(rec),))
        stacks = {}
        for rec in records:
            name, track = symbols.name(rec.number("func")).encode(), track_of(rec)
            stack = stacks.setdefault(track, [])
            self.settle(stack, rec.ts)
            if name_of(rec) == "funcgraph_entry":
                stack.append([rec.ts, -1, track, name])
                self.calls.append(stack[-1])
                continue
            ended = next((call for call in reversed(stack) if call[1] < 0 and call[3] == name), None)
            if ended:
                ended[1] = rec.ts - ended[0]
                if ended is stack[-1]:
                    stack.pop()

    def settle(self, stack, ts):
        """Drops what has ended before ts, and what was open within."""
        at = len(stack)
        for i in range(len(stack) - 1, -1, -1):
            begin, dur = stack[i][:2]
            if dur < 0 or begin + dur > ts:
                continue
            if i == at - 1:
                at = i
            elif begin + dur < ts:
                self.misplaced += 1
                for call in stack[i + 1:]:
                    call[1] = begin + dur - call[0]
                at = i
            del stack[at:]


# --- markers ---------------------------------------------------------------------------------

def driver_mark(rec):
    """The mark of a driver's tracing_mark_write, as a program would write it."""
    name = text_of(rec, next(n for n in ("trace_name", "name", "func_name") if rec.has(n)))
    kind = next((n for n in ("trace_type", "type") if rec.has(n)), None)
    letter = rec.number(kind) & 0xff if kind else b"EB"[rec.number("trace_begin")]
    value = rec.number("value", True) if rec.has("value") else 0
    if letter == ord("E"):
        return b"E"
    return b"%c|%d|%s" % (letter, rec.number("pid"), name) + (b"|%d" % value if letter == ord("C") else b"")


def markers(records):
    """Slices [ts, dur, tid, name] and counters (ts, name, value) of atrace's markers."""
    slices, counters, stacks = [], [], {}
    for rec in records:
        text = text_of(rec, "buf").rstrip(b"\n") if rec.has("buf") else driver_mark(rec)
        part = text.split(b"|")
        stack = stacks.setdefault(rec.pid, [])
        if not MARK.match(text):
            continue
        if text.startswith(b"B"):
            stack.append([rec.ts, -1, rec.pid, b"|".join(part[2:]) or b"[empty slice name]"])
            slices.append(stack[-1])
        elif text.startswith(b"I"):
            slices.append([rec.ts, 0, rec.pid, part[2]])
        elif text.startswith(b"E") and stack:
            begun = stack.pop()
            begun[1] = rec.ts - begun[0]
        elif text.startswith(b"C"):
            counters.append((rec.ts, part[2], float(part[3])))
    return slices, counters


# --- comparisons -----------------------------------------------------------------------------

def shift_of(wanted, got):
    """By how much all times of the trace are later than those of the file; None where they are not."""
    if not wanted or len(wanted) != len(got):
        return 0
    return min(e[0] for e in got) - min(e.ts for e in wanted)


def check_walk(report, recording, wanted, path):
    try:
        walk = protowalk.load(path)
    except protowalk.Bad as error:
        report.line(False, "protowalk: sound to its end", str(error))
        return None
    report.line(True, f"protowalk: sound to its end: {walk.packets} packets, {len(walk.rows)} events")
    got = collections.Counter()
    for name, count in walk.counts().items():
        got[plain(name)] += count
    report.counts("protowalk: as many events of each name as records", collections.Counter(e.name for e in wanted), got)
    shift = shift_of(wanted, [(row[1],) for row in walk.rows])
    report.same("protowalk: name, time, CPU and task of each event",
                sorted((e.name, e.ts + shift, e.cpu, e.pid) for e in wanted),
                sorted((plain(walk.name_of(row[0])),) + row[1:4] for row in walk.rows))
    lost = sorted(cpu for (_, cpu), counts in walk.cpus.items() if counts[2])
    report.same("protowalk: CPUs with lost events", sorted(recording.lossy), lost)
    return shift


class Answers:
    """The trace processor's."""

    def __init__(self, path, trace):
        self.processor = perfetto.Processor(path)
        with open(trace, "rb") as file:
            self.processor.parse(file.read())

    def rows(self, sql):
        return self.processor.query(sql)[1:]

    def events(self):
        args = {}
        for number, key, kind, value in self.rows(ARGS):
            args.setdefault(number, {})[key.decode()] = int(value) if kind in (b"int", b"uint", b"pointer") else value
        out = []
        for ts, cpu, name, tid, number in self.rows(EVENTS):
            out.append(Event(int(ts), int(cpu) & 0xfff, plain(name.decode()), int(tid), args.get(number, {})))
        return out


def check_events(report, recording, wanted, answers, shift):
    got = answers.events()
    wanted = [e._replace(ts=e.ts + shift) for e in wanted]
    report.counts("Perfetto: as many events of each name as records",
                  collections.Counter(e.name for e in wanted), collections.Counter(e.name for e in got))
    wanted = ordered(wanted)
    got = ordered(got)
    report.same("Perfetto: name, time, CPU and task of each event", [e[:4] for e in wanted], [e[:4] for e in got])
    if [e[:4] for e in wanted] == [e[:4] for e in got]:
        check_fields(report, recording, wanted, got)


def ordered(events):
    return sorted(events, key=lambda e: (e.cpu, e.ts, e.name, e.pid))


def check_fields(report, recording, wanted, got):
    wrong, compared, absent = [], 0, collections.Counter()
    for want, have in zip(wanted, got):
        if want.name == "funcgraph_exit":
            settle_times(want, have)
        for key, (value, size) in want.fields.items():
            if key not in have.fields:
                absent[want.name, key] += 1
                continue
            compared += 1
            if not equal_field(recording, want, key, value, size, have.fields[key]):
                wrong.append(f"{want.name} at {want.ts}: {key}: wanted {value}, got {have.fields[key]}")
    report.line(not wrong, f"Perfetto: {compared} fields have the values of the records", f"{len(wrong)} differ",
                *wrong[:SHOWN])
    for (name, key), count in sorted(absent.items()):
        print(f"# {name}: no {key} in {count} events")


def bare(name):
    """A function's name without the offset into it, and the module that it is of."""
    return re.sub(rb"(?:\+0x[0-9a-f]+.*)?(?: \[\w+\])?\Z", b"", name)


def settle_times(want, have):
    """An exit's own times are told by the clock of the records, and as if it had been recorded at once."""
    if "rettime" in want.fields and "rettime" in have.fields:
        length = want.fields["rettime"][0] - want.fields["calltime"][0]
        want.fields["rettime"] = want.ts, 8
        want.fields["calltime"] = want.ts - length, 8


def unescaped(text):
    """What was a byte that a terminal is not to see is told as \\x1b."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text.rstrip(b"\n"))


def equal_field(recording, event, key, value, size, got):
    if event.name in GRAPH and key == "func":
        return bare(got) == recording.symbols.name(value).encode()
    if isinstance(value, list) and isinstance(got, bytes):
        return got == b"{%s}" % b",".join(b"0x%x" % n for n in value)
    if isinstance(value, list):
        return got % (1 << 8 * size) == value[-1]       # of several numbers of one name its table has the last
    if not size:
        return isinstance(got, bytes) and unescaped(got) == unescaped(value)
    if isinstance(got, bytes):
        # an address is told by its symbol
        return bare(got) == (recording.symbols.holder(value)[1] or hex(value)).encode()
    return (got - value) % (1 << 8 * size) == 0


def check_sched(report, recording, answers, shift, stats):
    by_buffer = recording.switches()
    if len(by_buffer) != 1:
        stats.pop(("mismatched_sched_switch_tids", -1), None)
        if by_buffer:
            print(f"skip - {report.name}: Perfetto: slices of CPUs # {len(by_buffer)} buffers have sched_switch")
        return
    switches = next(iter(by_buffer.values()))
    wanted, strays = cpu_slices(switches)
    wanted = [[s[0] + shift] + s[1:] for s in wanted]
    got = []
    for ts, dur, cpu, tid, state, prio in answers.rows(SLICES):
        got.append([int(ts), int(dur), int(cpu) & 0xfff, int(tid),
                    None if state == NULL else state.decode(), int(prio)])
    report.same("Perfetto: sched_slice: time, length, CPU, task, priority",
                [s[:4] + s[5:] for s in wanted], [s[:4] + s[5:] for s in got])
    report.same("Perfetto: sched_slice: states in which tasks left", [s[4] for s in wanted], [s[4] for s in got])
    report.same("Perfetto: switches from another task than the one before",
                strays, stats.pop(("mismatched_sched_switch_tids", -1), 0))
    consistent = report.whole or not strays and not recording.lossy and not runs_twice(switches)
    model = recording.model()
    beside(report, "sched_slice", thread_states.Slices(model, [[s[0] - shift] + s[1:] for s in wanted]), consistent)
    check_states(report, recording, answers, shift, model, consistent)


def compact_wakings(recording):
    """{(woken task, ts): in an interrupt or not} of the wakings whose flags Perfetto can know."""
    return {(rec.number("pid", True), rec.ts): int(rec.flags & (HARDIRQ | SOFTIRQ) != 0)
            for rec in thread_states.known_wakings(recording.by_time())}


def check_contexts(report, recording, answers, shift):
    """Which wakings were in an interrupt. A state that a waking began has its time."""
    flags = compact_wakings(recording)
    told = {(int(tid), int(ts) - shift): None if context == NULL else int(context)
            for tid, ts, context in answers.rows(CONTEXTS)}
    met = sorted(set(flags) & set(told))
    if met:
        report.same("Perfetto: wakings in interrupts and by tasks", [flags[key] for key in met],
                    [told[key] for key in met])


def check_critical_path(report, recording, answers):
    """What a task waited for is never one that an interrupt hit while it woke somebody."""
    flags = compact_wakings(recording)
    wakers = {rec.pid for rec in recording.named("sched_waking", "sched_wakeup", "sched_wakeup_new")
              if (rec.number("pid", True), rec.ts) not in flags or not rec.flags & (HARDIRQ | SOFTIRQ)}
    hit = {rec.pid for rec in recording.named("sched_waking")} - wakers
    try:
        answers.rows("INCLUDE PERFETTO MODULE sched.thread_executing_span_with_slice")
        found = {int(row[0]) for row in answers.rows(BLOCKERS)}
    except perfetto.Failed:         # it lacks the module
        return
    report.line(not found & hit, f"Perfetto: none of {len(found)} tasks on critical paths was only interrupted: "
                f"{len(hit)} were", *sorted(found & hit))


def check_states(report, recording, answers, shift, model, consistent):
    records = recording.by_time()
    wanted = thread_states.expected(records, end_state)
    got = {}
    for tid, ts, dur, state, cpu in answers.rows(STATES):
        got.setdefault(int(tid), []).append(
            thread_states.Row(int(ts) - shift, int(dur), state.decode(), None if cpu == NULL else int(cpu)))
    torn = {pid for pid in thread_states.torn(records, thread_states.told) if wanted.get(pid) != got.get(pid)}
    if torn:
        print(f"# thread_state: {len(torn)} tasks have other rows, with records of one time from several CPUs")
    report.same("Perfetto: thread_state: task, time, length, state, CPU", *(
        [(pid, row) for pid, rows in sorted(table.items()) for row in rows if pid not in torn]
        for table in (wanted, got)))
    beside(report, "thread_state", thread_states.Beside(model, wanted, records), consistent)
    check_contexts(report, recording, answers, shift)
    if not recording.lossy:
        check_critical_path(report, recording, answers)


def beside(report, table, found, consistent):
    """Rows of the model's and of Perfetto's: each that is of one alone has a reason, but where records are missing."""
    text = f"Perfetto: {table}: {found.same} rows are the model's, {sum(found.reasons.values())} differ for a reason"
    if consistent:
        report.line(not found.odd, text, f"{len(found.odd)} for none", *found.odd[:SHOWN])
    else:
        report.line(True, f"{text}, {len(found.odd)} as records are missing, or a task runs on two CPUs at once")
    for why, count in sorted(found.reasons.items()):
        print(f"# {table}: {count} rows: {why}")


def check_graph(report, recording, answers, shift, stats):
    records = recording.named("funcgraph_entry", "funcgraph_exit")
    if not records:
        return
    graph = Graph(records, recording.symbols)
    got = [[int(ts), int(dur), (b"task " + tid if cpu == NULL else b"cpu " + cpu).decode(), bare(name)]
           for ts, dur, tid, cpu, name in answers.rows(CALLS)]
    report.same("Perfetto: calls of functions: time, length, task, name",
                sorted([c[0] + shift] + c[1:] for c in graph.calls if c[2] not in graph.torn),
                sorted(c for c in got if c[2] not in graph.torn))
    counted = stats.pop(("misplaced_end_event", -1), 0)
    if not graph.torn:
        report.same("Perfetto: calls that end before what they called", graph.misplaced, counted)


def check_markers(report, recording, answers, shift):
    records = recording.named("print", "tracing_mark_write", *(name + "_tracing_mark_write" for name in DRIVERS))
    slices, counters = markers(records)
    if not slices and not counters:
        return
    got = [[int(ts), int(dur), int(tid), name] for ts, dur, tid, name in answers.rows(MARKS)]
    report.same("Perfetto: slices of markers", sorted([s[0] + shift] + s[1:] for s in slices), sorted(got))
    report.same("Perfetto: counters of markers", sorted((ts + shift, name, value) for ts, name, value in counters),
                sorted((int(ts), name, float(value)) for ts, name, value in answers.rows(COUNTERS)))


# Kinds of spans: the type of Perfetto's track, whether it is a CPU's, the name of its slice.
KINDS = {"syscall": ("thread_execution", False, "sys_%s"), "work": ("thread_execution", False, "%s"),
         "irq": ("cpu_irq", True, "IRQ (%s)"), "softirq": ("cpu_softirq", True, "%s")}


def is_torn(recording, mine):
    """Ends without begins and the like, or system calls that two events tell: Perfetto pairs these otherwise. What ran
    when the recording began has an end that is the first of its track, which Perfetto drops."""
    begun = set()
    for s in sorted(mine, key=lambda s: s.begin):
        track = s.kind, s.begin_cpu if KINDS[s.kind][1] else s.task.name
        if spans.NO_END in s.marks or (s.kind != "syscall" and spans.NO_BEGIN in s.marks and track in begun):
            return True
        begun.add(track)
    return any(rec.format and rec.format.system == "syscalls" for rec in recording.records)


def check_spans(report, recording, answers, shift):
    """
    System calls, work and interrupts. Markers are slices of the same tracks, and losses are told to nobody there.
    Perfetto has slices of no length for signals and for rt_sigreturn, and open ones for calls that do not return,
    of which we have none.
    """
    # with PREEMPT_RT softirqs are those of tasks, several of a CPU at once: Perfetto has one track of each CPU
    kinds = {kind: row for kind, row in KINDS.items() if kind != "softirq" or "-rt" not in recording.trace.uname}
    mine = [s for s in recording.model().spans if s.kind in kinds]
    if not mine or recording.lossy or recording.named("print", "tracing_mark_write"):
        return
    if is_torn(recording, mine):
        report.line(not report.whole, "Perfetto: slices are not compared where begins or ends of interrupts and work "
                                      "are missing")
        return
    wanted = collections.Counter()
    for span in mine:
        track, of_cpu, name = kinds[span.kind]
        if not span.marks & {spans.NO_BEGIN}:       # which Perfetto does not show
            where = span.begin_cpu if of_cpu else int(re.split("[./]", span.task.name)[0])
            dur = -1 if span.dur is None else 0 if span.name == "rt_sigreturn" else span.dur
            wanted[span.begin + shift, dur, (name % span.name).encode(), track.encode(), where] += 1
    calls = spans.system_calls()
    for rec in recording.named("sys_enter"):
        if calls.get(rec.number("id", True)) in ("exit", "exit_group"):
            wanted[rec.ts + shift, -1, b"sys_" + calls[rec.number("id", True)].encode(), b"thread_execution",
                   rec.pid] += 1
    for rec in recording.named("signal_generate", "signal_deliver"):
        pid = rec.number("pid", True) if rec.has("pid") else rec.pid
        wanted[rec.ts + shift, 0, rec.format.name.encode(), b"thread_execution", pid] += 1
    got = collections.Counter((int(ts), int(dur), bare(name), kind, int(where))
                              for ts, dur, name, kind, where in answers.rows(SPANS)
                              if kind.decode() in {row[0] for row in kinds.values()})
    report.counts(f"Perfetto: {len(mine)} slices of system calls, work and interrupts are the model's", wanted, got)


def check_answers(report, recording, wanted, path, trace, shift):
    answers = Answers(path, trace)
    stats, losses = {}, []
    for name, index, severity, value in answers.rows(STATS):
        if name == b"ftrace_cpu_has_data_loss":
            losses.append(int(index) & 0xfff)
        else:
            stats[name.decode(), int(index)] = int(value)
    check_events(report, recording, wanted, answers, shift)
    check_sched(report, recording, answers, shift, stats)
    check_graph(report, recording, answers, shift, stats)
    check_markers(report, recording, answers, shift)
    check_spans(report, recording, answers, shift)
    report.same("Perfetto: CPUs with lost events", sorted(recording.lossy), sorted(losses))
    report.same("Perfetto: counts no errors", [], sorted(stats.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--name", default="export")
    parser.add_argument("--walk-only", action="store_true")
    parser.add_argument("--whole", action="store_true", help="no record of a switch is missing")
    parser.add_argument("dat")
    parser.add_argument("trace")
    args = parser.parse_args()
    report = Report(args.name, args.whole)
    recording = Recording(args.dat)
    for offset, text in recording.trace.problems:
        report.line(False, "rawdecode reads the file", f"offset {offset}: {text}")
    wanted = recording.events()
    shift = check_walk(report, recording, wanted, args.trace)
    if not args.walk_only:
        try:
            check_answers(report, recording, wanted, perfetto.library(), args.trace, shift or 0)
        except (perfetto.Failed, perfetto.Unusable) as error:
            report.line(False, "Perfetto reads it", str(error))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
