#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare trace events in JSON with the spans and states that spans.py found in the same file.

Usage: tests/oracle/chrome-check.py EVENTS.json DUMP

Each span of the dump is one event with its kind, name, track, begin, end and marks; the time of each task in each
state, and of each CPU, is the same, and so are counters and instants; events of one track lie inside each other or
apart. Prints what differs.
Exit codes: 0 equal, 1 not.
"""
import collections
import decimal
import json
import re
import sys

SPAN = re.compile(r"span (?P<kind>\S+) (?P<name>.*) task=(?P<task>\S+) cpu=(?P<cpu>-?\d+)>(?P<cpu_end>-?\d+) "
                  r"begin=(?P<begin>\d+) end=(?P<end>\d+) dur=.* marks=(?P<marks>.*)$")

PIDS_MAX = 4 << 20      # idle tasks are behind it, by CPU


def read_events(path):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f, parse_float=decimal.Decimal)
    if set(trace) != {"displayTimeUnit", "traceEvents"}:
        sys.exit("other members: %s" % sorted(trace))
    return trace["traceEvents"]


def ns(us):
    whole = us * 1000
    if whole != int(whole):
        sys.exit("a part of a nanosecond: %s" % us)
    return int(whole)


def names_of(events, what):
    return {(e["pid"], e["tid"] if what == "thread_name" else 0): e["args"]["name"]
            for e in events if e["ph"] == "M" and e["name"] == what}


def track_of(kind, pid, cpu=None):
    return ("cpu", cpu) if kind in ("irq", "softirq") else ("task", pid)


def intervals(events):
    """(begin event, end event) of each pair of ends; those of a track by name, the last that is open first."""
    begun = collections.defaultdict(list)
    for e in events:
        key = (e["pid"], e["tid"], e["name"], e.get("id"))
        if e["ph"] in "Bb":
            begun[key].append(e)
        elif e["ph"] in "Ee":
            yield begun[key].pop(), e
    left = sum(map(len, begun.values()))
    if left:
        sys.exit("%d have no end" % left)


def spans_of(events, groups):
    """(kind, name, begin, end, marks) and, but for calls and interrupts, the task; counted."""
    found = collections.Counter()
    for first, last in intervals(events):
        if groups[first["pid"], 0] in ("states of tasks", "CPUs"):
            continue
        kind, _, marks = last["cat"].partition(",")
        if first["cat"] != kind:
            sys.exit("ends differ: %s %s" % (first, last))
        track = ("cpu", first["tid"]) if kind in ("irq", "softirq") else track_of(kind, first["tid"])
        found[kind, first["name"], track, ns(first["ts"]), ns(last["ts"]), marks or "-"] += 1
    return found


def spans_of_dump(lines):
    wanted = collections.Counter()
    for line in lines:
        m = SPAN.match(line)
        if not m:
            continue
        pid, _, cpu = m["task"].partition("/")
        pid = PIDS_MAX + int(cpu) if cpu else int(pid.split(".")[0])
        wanted[m["kind"], m["name"], track_of(m["kind"], pid, int(m["cpu"])), int(m["begin"]), int(m["end"]),
               m["marks"]] += 1
    return wanted


def times_of(events, groups, group):
    times = collections.Counter()
    for first, last in intervals(events):
        if groups[first["pid"], 0] == group:
            what = first["name"] if group == "states of tasks" else "busy"
            times[first["tid"], what] += ns(last["ts"]) - ns(first["ts"])
    return times


def times_of_dump(lines):
    states, cpus = collections.Counter(), collections.Counter()
    for line in lines:
        m = re.match(r"state (\d+)(?:\.\d+)? (.+) time=(\d+) count", line)
        if m and m[2] not in ("unknown", "dead") and int(m[3]):
            states[int(m[1]), m[2]] += int(m[3])
        m = re.match(r"cpu (\d+) busy=(\d+)", line)
        if m and int(m[2]):
            cpus[int(m[1]), "busy"] += int(m[2])
    return states, cpus


MOMENT = re.compile(r"(counter|instant) (.*) task=(\d+)(?:/(\d+)|\.\d+)? cpu=\d+ at=(\d+) tgid=(\d+)(?: track=(.*?))?"
                    r"(?: value=(\S+))?$")


def moments_of(events, groups):
    """Counters (name, time, process, value) and instants (name, time, task)."""
    found = collections.Counter()
    for e in events:
        if e["ph"] == "C":
            found["counter", e["name"], ns(e["ts"]), int(e["id"]), float(e["args"]["value"])] += 1
        elif e["ph"] == "i":
            found["instant", e["name"], ns(e["ts"]), e["tid"], groups[e["pid"], 0]] += 1
    return found


def moments_of_dump(lines):
    wanted = collections.Counter()
    for what, name, pid, cpu, at, tgid, track, value in (m.groups() for m in map(MOMENT.match, lines) if m):
        if what == "counter":
            wanted[what, name, int(at), int(tgid), float(value)] += 1
        else:
            tid = int(pid) or PIDS_MAX + int(cpu)
            wanted[what, name if track is None else track + ": " + name, int(at), tid, "instants"] += 1
    return wanted


def crossings(events):
    """Events of a track that begin inside another and end behind it, but for those whose begin was worked out."""
    tracks = collections.defaultdict(list)
    for first, last in intervals(events):
        if first["ph"] == "B" and "no begin" not in last["cat"]:
            tracks[first["pid"], first["tid"]].append(
                (ns(first["ts"]), ns(first["ts"]) - ns(last["ts"]), first["name"]))
    for track, spans in tracks.items():
        open_ends = []
        for begin, minus, name in sorted(spans):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends and begin - minus > open_ends[-1]:
                yield "track %s: %s at %d" % (track, name, begin)
            open_ends.append(begin - minus)


def differences(what, wanted, found):
    for key in sorted(set(wanted) | set(found), key=str):
        if wanted[key] != found[key]:
            yield "%s %s: %s in the dump, %s in the events" % (what, key, wanted[key], found[key])


def main(path, dump):
    events = read_events(path)
    groups = names_of(events, "process_name")
    tracks = names_of(events, "thread_name")
    with open(dump, encoding="utf-8") as f:
        lines = f.read().splitlines()
    states, cpus = times_of_dump(lines)
    wrong = [*differences("span", spans_of_dump(lines), spans_of(events, groups)),
             *differences("moment", moments_of_dump(lines), moments_of(events, groups)),
             *differences("state", states, times_of(events, groups, "states of tasks")),
             *differences("CPU", cpus, times_of(events, groups, "CPUs")), *crossings(events),
             *("no name: %s" % (t,) for t in {(e["pid"], e["tid"]) for e in events if e["ph"] != "M"} - set(tracks))]
    print("\n".join(wrong[:20]))
    print("%d events, %d differences" % (len(events), len(wrong)))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
