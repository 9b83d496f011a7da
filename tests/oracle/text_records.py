#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the records that ftr read from a text with the text, or with those of the file that the text shows.

text_records.py files JSON JSON DIGITS: what `ftr report --json` prints of both: as many records, and of each the CPU,
pid, event and time, to that many digits of a second.

text_records.py text TEXT JSON: the kernel's file trace, read with regular expressions: CPU, pid, event, flags and time
of each record; of function_graph the kind, depth, event and duration of each line, on each CPU.

text_records.py perf JSON REPORT: prints the records as perf script has them; REPORT is what `ftr report` prints.

Prints "COUNT records are the same", or the first differences and ends with status 1."""
import json
import re
import sys

TASK = r"^ *(?P<comm>\S.*?)-(?P<pid>\d+) +"
PLAIN = re.compile(TASK + r"(?:\(.{5,8}\) +)?\[(?P<cpu>\d+)\] +(?:(?P<flags>[^\s\d]\S{3,6}) +)?"
                   r"(?P<time>\d+(?:\.\d{6})?): (?P<text>.*)$")
LATENCY = re.compile(TASK + r"(?P<cpu>\d+)(?P<flags>[^\s\d]\S{3,6}) +(?P<time>\d+)(?P<us>us.)?: (?P<text>.*)$")
VERBOSE = re.compile(r"^ *(?P<comm>\S.*?) +(?P<pid>\d+) +(?P<cpu>\d+) (?P<bits>\d+) (?P<count>[0-9a-f]{8}) [0-9a-f]{8} "
                     r"\[(?P<hex>[0-9a-f]{8,})\] \d+\.\d+ms \(\+\d+\.\d+ms\): (?P<text>.*)$")
GRAPH = re.compile(r"^(?: *(?P<time>\d+\.\d+) \|)?(?: *(?P<rel>\d+) us \|)?(?: *(?P<cpu>\d+)\))?"
                   r"(?: +(?P<comm>\S.{0,6}?)-(?P<pid>\d+) +\|)?(?: +(?P<flags>[^\s\d]\S{3,4}) \|)?"
                   r"(?P<rest>.*)$")
CALL = re.compile(r"^ *[$@*#!+]? *(?:(?P<us>\d+)(?:\.(?P<part>\d+))? us)? *\|(?P<call>.*)$")
# Events that have no name in the text, by the tracer.
NAMELESS = (("timerlat", re.compile(r"^#\d+ +context .*timer_latency")), ("hwlat", re.compile(r"^#.*inner/outer")),
            ("osnoise", re.compile(r"^[ \d.]+$")), ("wakeup", re.compile(r"^ *\d+: *\d+:\S +\+ \[")),
            ("context_switch", re.compile(r"^ *\d+: *\d+:\S +==> \[")),
            ("unknown_type", re.compile(r"UNKNOWN TYPE \d+$")))
# A text has the words of trace_printk(), and not its format, and the function that writes marks: records of print.
MARKS = {"bprint": "print", "bputs": "print", "tracing_mark_write": "print"}


def event_of(text):
    name = name_of(text)
    return MARKS.get(name, name)


def name_of(text):
    for name, pattern in NAMELESS:
        if pattern.match(text) and len(text) > 1:
            return name
    for pattern, event in ((r"<stack trace>$", "kernel_stack"), (r"<user stack trace>$", "user_stack"),
                           (r"sys_(\w+)\(.*\)$", r"sys_enter_\1"), (r"sys_(\w+) -> ", r"sys_exit_\1"),
                           (r"(\w+)(?:\+0x\S+ <\w+>)?:( |$)", r"\1"), (r"\S+.* <-\S", "function"),
                           (r"\w+$", "function")):
        m = re.match(pattern, text)
        if m:
            return m.expand(event)
    return None


def flags_of(m):
    flags = m.groupdict().get("flags")
    if not flags:
        return None
    return flags[0] + flags[1].replace("n", "N") + flags[2:] + "." * (5 - len(flags))


class Text:
    """The records of a text: (CPU, pid, event, flags, time, nanoseconds of its unit); the lines of a graph by CPU."""

    def __init__(self, path):
        self.records, self.graph, self.unknown = [], {}, 0
        self.relative = False
        self.made = False
        self.lines = open(path, errors="surrogateescape").read().split("\n")
        header = "\n".join(line for line in self.lines if line.startswith("#"))
        self.no_cpu = "FUNCTION CALLS" in header and "CPU" not in header.replace("CPU#", "").split("\n")[-2]
        self.no_duration = "FUNCTION CALLS" in header and "DURATION" not in header
        self.is_graph = "FUNCTION CALLS" in header
        for line in self.lines:
            if line and (not line.startswith("#") or re.match(r"# +\d.* us +\|", line)):
                self.read(line)

    def read(self, line):
        m = PLAIN.match(line) or LATENCY.match(line)
        if m and event_of(m["text"]):
            us = m.groupdict().get("us")
            self.relative |= m.re is LATENCY
            time = int(m["time"].replace(".", ""))
            self.add(int(m["cpu"]), int(m["pid"]), event_of(m["text"]), flags_of(m), time,
                     1 if "." not in m["time"] and not us else 1000)
            return
        m = VERBOSE.match(line)
        if m and event_of(m["text"]):
            self.add(int(m["cpu"]), int(m["pid"]), event_of(m["text"]), None, int(m["hex"], 16), 1000)
        elif self.is_graph:
            self.read_graph(line)

    def add(self, cpu, pid, event, flags, time, unit):
        self.records.append((cpu, pid, event, flags, time, unit))
        self.graph.setdefault(cpu, []).append(("event", event))

    def read_graph(self, line):
        m = GRAPH.match(line)
        if not m or (m["cpu"] is None and not self.no_cpu) or re.search(r"-\d+ +=> +\S.*-\d+ *$", line):
            return
        cpu = int(m["cpu"] or 0)
        if self.no_duration:
            call, duration = m["rest"][1:] if not self.no_cpu else m["rest"], 0
            margin = 0
        else:
            c = CALL.match(m["rest"])
            if not c:
                return
            part = (c["part"] or "").ljust(3, "0")
            call, duration, margin = c["call"], int(c["us"] or 0) * 1000 + int(part or 0), 2
        self.made |= m["time"] is None
        out = self.graph.setdefault(cpu, [])
        depth = max(len(call) - len(call.lstrip()) - margin, 0) // 2
        call = call.strip()
        if call.startswith("/* "):
            text = re.sub(r" \*/$", "", call[3:])
            out.append(("event", event_of(text) if ":" in text or "==>" in text or text.startswith("sys_") else
                        "print"))
        elif call.startswith("}"):
            out.append(("exit", depth, duration))
        elif re.search(r"\) \{( /\*.*\*/)?$", call):
            out.append(("entry", depth))
        elif re.search(r"\);( /\*.*\*/)?$", call):
            out.extend((("entry", depth), ("exit", depth, duration)))


def load(path):
    return [json.loads(line) for line in open(path, errors="surrogateescape")]


def graph_line(r):
    if r["event"] == "funcgraph_entry":
        return ("entry", r["fields"]["depth"])
    if r["event"] == "funcgraph_exit":
        return ("exit", r["fields"]["depth"], r["fields"]["rettime"] - r["fields"]["calltime"])
    return ("event", r["event"])


def differ(wanted, got, what):
    """Prints the first differences of two lists. Returns their number."""
    bad = 0
    for i in range(max(len(wanted), len(got))):
        a = wanted[i] if i < len(wanted) else None
        b = got[i] if i < len(got) else None
        if a != b:
            bad += 1
            if bad <= 3:
                print("# %s %d: %s, but %s" % (what, i + 1, a, b))
    return bad


def compare_text(path, records):
    text = Text(path)
    if text.is_graph:
        bad = 0
        got = {}
        for r in records:
            got.setdefault(r["cpu"], []).append(graph_line(r))
        for cpu in sorted(set(text.graph) | set(got)):
            bad += differ(text.graph.get(cpu, []), got.get(cpu, []), "CPU %d, line" % cpu)
        return bad, sum(len(v) for v in text.graph.values())
    first, first_ns = (text.records[0][4], records[0]["ts"]) if text.relative and text.records and records else (0, 0)
    wanted = [(cpu, pid, event, flags, time - first) for cpu, pid, event, flags, time, _ in text.records]
    got = []
    for i, r in enumerate(records):
        unit = text.records[i][5] if i < len(text.records) else 1
        flags = r["flags"] if i < len(wanted) and wanted[i][3] else None
        got.append((r["cpu"], r["pid"], r["event"], flags, (r["ts"] - first_ns) // unit))
    return differ(wanted, got, "record"), len(wanted)


def compare_files(a, b, digits):
    unit = 10 ** (9 - digits)

    def key(r):
        return (r["cpu"], r["pid"], MARKS.get(r["event"], r["event"]))

    def rounded(r):
        return (r["ts"] + (unit // 2 if digits < 9 else 0)) // unit

    bad = differ([key(r) for r in a], [key(r) for r in b], "record")
    # a time that was rounded, and records of one microsecond one nanosecond after each other
    most = unit if digits < 9 else 0
    far = [i + 1 for i, (x, y) in enumerate(zip(a, b)) if abs(rounded(x) * unit - y["ts"]) > most]
    for i in far[:3]:
        print("# record %d: %d, but %d" % (i, a[i - 1]["ts"], b[i - 1]["ts"]))
    return bad + len(far), len(a)


def print_perf(records, report):
    texts = [m[1] for m in (re.match(r"^.{16}-\d+ +\[\d+\] +(?:\S+ +)?\d+\.\d+: \S+: *(.*)$", line.rstrip("\n"))
                            for line in open(report, errors="surrogateescape")) if m]
    for r, text in zip(records, texts):
        comm = "swapper" if r["pid"] == 0 else r["comm"]
        print("%16s %5d/%-5d [%03d] %5d.%09d: %10d %20s:%s: %s" % (
            comm, r["pid"], r["pid"], r["cpu"], r["ts"] // 10 ** 9, r["ts"] % 10 ** 9, 1, r["system"], r["event"],
            text))


def main():
    if sys.argv[1] == "perf":
        sys.stdout.reconfigure(errors="surrogateescape")
        print_perf(load(sys.argv[2]), sys.argv[3])
        return 0
    if sys.argv[1] == "files":
        bad, n = compare_files(load(sys.argv[2]), load(sys.argv[3]), int(sys.argv[4]))
    else:
        bad, n = compare_text(sys.argv[2], load(sys.argv[3]))
    print("%d records are the same" % n if not bad else "# %d differences in %d records" % (bad, n))
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main())
