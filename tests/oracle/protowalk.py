#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Walk a Perfetto trace to its end, byte by byte, as a check of who wrote it.

Usage: tests/oracle/protowalk.py [--events] FILE

Perfetto's own reader takes what it understands and is silent about the rest: a file that ends within a packet is fine
for it. This one wants each byte to belong to a field that it knows, with the wire type and the range of that field's
type; events to have a time, a task and one payload; those that are described in the file to be as they are described
there; functions to be named; and the lists of compact wakings to be of one length, each of a task that a switch before
it on the same CPU tells. Prints what it counted:

    packets N
    packet KIND N
    cpu CPU events N bundles N lost N        bundles: those with events; lost: those that say so
    event NUMBER NAME N                      known by its number
    generic ID NAME N                        described in the file
    named NAME N                             the old form, whose name is in each event
    waking flags FLAGS N                     of wakings in the compact form
    symbols N
    events N
    clock ID N                               of the snapshots, the last value

--events prints instead a line for each event: NAME TS CPU PID MACHINE. Events that have numbers are in
perfetto-events.txt beside this.

Exit codes: 0 sound, 1 not so (FILE: offset N: why, for the first byte that is not), 2 usage.
"""
import argparse
import bisect
import os
import sys

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
GENERIC_FROM = 65536
GENERIC_FIELDS = 31             # Perfetto refuses the description of an event with a field above, and loses the event
MAX_CPUS = 1024                 # and the whole file with a CPU above
LIMITS = {"u32": (0, 1 << 32), "u64": (0, 1 << 64), "bool": (0, 2)}
SIGNED = {"i32": 31, "i64": 63, "enum": 31}
TYPES = {3: "i64", 4: "u64", 5: "i32", 8: "bool", 9: "str", 13: "u32", 14: "enum"}      # FieldDescriptorProto.Type
NAMES = {"int64": "i64", "uint64": "u64", "int32": "i32", "uint32": "u32", "string": "str", "bytes": "str"}

MESSAGES = {
    "Trace": {1: ("packet", "TracePacket")},
    "TracePacket": {
        1: ("ftrace_events", "FtraceEventBundle"), 2: ("process_tree", "ProcessTree"),
        6: ("clock_snapshot", "ClockSnapshot"), 8: ("timestamp", "u64"), 10: ("trusted_packet_sequence_id", "u32"),
        12: ("interned_data", "InternedData"), 13: ("sequence_flags", "u32"), 42: ("previous_packet_dropped", "u32"),
        45: ("system_info", "SystemInfo"), 58: ("timestamp_clock_id", "u32"), 87: ("first_packet_on_sequence", "bool"),
        89: ("trace_uuid", "TraceUuid"), 98: ("machine_id", "u32")},
    "FtraceEventBundle": {
        1: ("cpu", "u32"), 2: ("event", "FtraceEvent"), 3: ("lost_events", "bool"),
        4: ("compact_sched", "CompactSched"), 5: ("ftrace_clock", "enum"),
        6: ("ftrace_timestamp", "i64"), 7: ("boot_timestamp", "i64"), 10: ("previous_bundle_end_timestamp", "u64"),
        11: ("generic_event_descriptors", "GenericEventDescriptor")},
    "CompactSched": {5: ("intern_table", "str"), 7: ("waking_timestamp", "str"), 8: ("waking_pid", "str"),
                     9: ("waking_target_cpu", "str"), 10: ("waking_prio", "str"), 11: ("waking_comm_index", "str"),
                     12: ("waking_common_flags", "str")},
    "GenericEventDescriptor": {1: ("field_id", "i32"), 2: ("event_descriptor", "DescriptorProto")},
    "DescriptorProto": {1: ("name", "str"), 2: ("field", "FieldDescriptorProto")},
    "FieldDescriptorProto": {1: ("name", "str"), 3: ("number", "i32"), 4: ("label", "enum"), 5: ("type", "enum")},
    "GenericFtraceEvent": {1: ("event_name", "str"), 2: ("field", "GenericField")},
    "GenericField": {1: ("name", "str"), 3: ("str_value", "str"), 4: ("int_value", "i64"), 5: ("uint_value", "u64")},
    "InternedData": {26: ("kernel_symbols", "InternedString")},
    "InternedString": {1: ("iid", "u64"), 2: ("str", "str")},
    "SystemInfo": {1: ("utsname", "Utsname"), 4: ("tracing_service_version", "str"), 6: ("page_size", "u32"),
                   8: ("num_cpus", "u32")},
    "Utsname": {1: ("sysname", "str"), 2: ("version", "str"), 3: ("release", "str"), 4: ("machine", "str")},
    "TraceUuid": {1: ("msb", "i64"), 2: ("lsb", "i64")},
    "ProcessTree": {1: ("processes", "Process"), 2: ("threads", "Thread"), 3: ("collection_end_timestamp", "u64")},
    "Process": {1: ("pid", "i32"), 2: ("ppid", "i32"), 3: ("cmdline", "str"), 5: ("uid", "i32")},
    "Thread": {1: ("tid", "i32"), 2: ("name", "str"), 3: ("tgid", "i32")},
    "ClockSnapshot": {1: ("clocks", "Clock"), 2: ("primary_trace_clock", "enum")},
    "Clock": {1: ("clock_id", "u32"), 2: ("timestamp", "u64"), 3: ("is_incremental", "bool"),
              4: ("unit_multiplier_ns", "u64")},
}
# Fields that are a number of an interned name.
SYMBOLS = {"funcgraph_entry": ["func"], "funcgraph_exit": ["func"], "sched_blocked_reason": ["caller"],
           **{f"workqueue_{what}": ["function"]
              for what in ("activate_work", "execute_start", "execute_end", "queue_work")}}
# What a packet may be about: one of these.
KINDS = "ftrace_events", "process_tree", "clock_snapshot", "system_info", "trace_uuid"
# Those that may come more than once.
REPEATED = {("Trace", "packet"), ("FtraceEventBundle", "event"), ("FtraceEventBundle", "generic_event_descriptors"),
            ("CompactSched", "intern_table"), ("DescriptorProto", "field"), ("GenericFtraceEvent", "field"),
            ("InternedData", "kernel_symbols"), ("ProcessTree", "processes"), ("ProcessTree", "threads"),
            ("Process", "cmdline"), ("ClockSnapshot", "clocks"), ("sys_enter", "args")}


class Bad(Exception):
    def __init__(self, offset, text):
        super().__init__(f"offset {offset}: {text}")


def known_events():
    """{number: (name, {field's number: (name, type)})} out of perfetto-events.txt."""
    events = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "perfetto-events.txt"),
              encoding="ascii") as file:
        for line in file:
            word = line.split()
            if word and word[0] != "#":
                fields = (text.split(":") for text in word[2:])
                events[int(word[1])] = word[0], {int(n): (name, NAMES[kind]) for n, name, kind in fields}
    return events


class Walk:
    """One file."""

    def __init__(self, data):
        self.data = data
        self.events = known_events()
        self.kinds = {}
        self.cpus = {}
        self.known = {}
        self.generic = {}       # id: [count, offset of the first one]
        self.described = {}     # id: (name, {number: (name, type)})
        self.later = []         # payloads of events that were not described yet: (id, begin, end)
        self.named = {}
        self.symbols = {}       # (sequence, iid): name
        self.unnamed = []
        self.clocks = {}
        self.packets = 0
        self.rows = []
        self.switches = {}      # (machine, CPU): [(ts, next_pid)], of all sequences
        self.wakings = []       # (offset, [(ts, cpu, flags)] of one CPU, machine)
        self.flags = {}         # common_flags of compact wakings: how many

    # -- the wire

    def varint(self, at, end):
        value = shift = 0
        begin = at
        while True:
            if at >= end:
                raise Bad(begin, "a number that runs beyond its message")
            byte = self.data[at]
            value |= (byte & 0x7f) << shift
            at += 1
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                raise Bad(begin, "a number of more than ten bytes")
        if value >> 64:
            raise Bad(begin, "a number of more than 64 bits")
        return value, at

    def fields(self, at, end, message):
        """(offset, number, value or None, begin, end of its bytes) of each field."""
        while at < end:
            begin = at
            tag, at = self.varint(at, end)
            number, wire = tag >> 3, tag & 7
            if not number:
                raise Bad(begin, f"field 0 of {message}")
            if wire == VARINT:
                value, at = self.varint(at, end)
                yield begin, number, value, 0, 0
            elif wire == BYTES:
                length, at = self.varint(at, end)
                if length > end - at:
                    raise Bad(begin, f"field {number} of {message} has {length} bytes, {end - at} are left")
                yield begin, number, None, at, at + length
                at += length
            else:
                raise Bad(begin, f"wire type {wire} of field {number} of {message}")

    def value(self, offset, kind, what, number, begin, end):
        """The value of a field by its type: a number, text, or a place (begin, end) of a message."""
        if kind in LIMITS or kind in SIGNED:
            if number is None:
                raise Bad(offset, f"{what} is no number")
            if kind in SIGNED:
                if number >> 63:
                    number -= 1 << 64
                limits = -(1 << SIGNED[kind]), 1 << SIGNED[kind]
            else:
                limits = LIMITS[kind]
            if not limits[0] <= number < limits[1]:
                raise Bad(offset, f"{what} is {number}, which is no {kind}")
            return number
        if number is not None:
            raise Bad(offset, f"{what} is a number")
        if kind == "str":
            return bytes(self.data[begin:end])
        return begin, end

    def message(self, name, begin, end, schema=None):
        """(name of the field, offset, value) of each of a message's fields."""
        schema = schema if schema is not None else MESSAGES[name]
        seen = set()
        for offset, number, value, start, stop in self.fields(begin, end, name):
            if number not in schema:
                raise Bad(offset, f"field {number} of {name}, which has none such here")
            label, kind = schema[number]
            if label in seen and (name, label) not in REPEATED:
                raise Bad(offset, f"{label} of {name} a second time")
            seen.add(label)
            yield label, offset, self.value(offset, kind, f"{label} of {name}", value, start, stop)

    def plain(self, name, place):
        """A message as {field: value}, of a repeated one the last."""
        return {label: value for label, _, value in self.message(name, *place)}

    # -- the file

    def walk(self):
        for _, offset, place in self.message("Trace", 0, len(self.data)):
            self.packets += 1
            self.packet(offset, place)
        for offset, wakings, machine in self.wakings:
            self.take_wakings(offset, wakings, machine)
        for number, begin, end in self.later:
            if number not in self.described:
                raise Bad(begin, f"event {number} is described nowhere")
            self.payload(self.described[number], begin, end)

    def packet(self, offset, place):
        found = {}
        for label, at, value in self.message("TracePacket", *place):
            found[label] = at, value
        about = [kind for kind in KINDS if kind in found]
        if len(about) > 1:
            raise Bad(offset, f"a packet about {' and '.join(about)}")
        kind = about[0] if about else "nothing"
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        sequence = found.get("trusted_packet_sequence_id", (0, 0))[1]
        if found.get("sequence_flags", (0, 0))[1] & 1:
            self.symbols = {key: name for key, name in self.symbols.items() if key[0] != sequence}
        if "interned_data" in found:
            self.interned(sequence, found["interned_data"][1])
        if about:
            getattr(self, kind)(found[kind][1], sequence, found.get("machine_id", (0, 0))[1])

    def interned(self, sequence, place):
        for _, offset, inner in self.message("InternedData", *place):
            entry = self.plain("InternedString", inner)
            if not entry.get("iid"):
                raise Bad(offset, "a name without a number")
            key = sequence, entry["iid"]
            if self.symbols.setdefault(key, entry.get("str")) != entry.get("str"):
                raise Bad(offset, f"another name for {entry['iid']}")

    def clock_snapshot(self, place, *_):
        for label, _, value in self.message("ClockSnapshot", *place):
            if label == "clocks":
                clock = self.plain("Clock", value)
                self.clocks[clock.get("clock_id", 0)] = clock.get("timestamp", 0)

    def system_info(self, place, *_):
        for label, _, value in self.message("SystemInfo", *place):
            if label == "utsname":
                self.plain("Utsname", value)

    def trace_uuid(self, place, *_):
        self.plain("TraceUuid", place)

    def process_tree(self, place, *_):
        for label, _, value in self.message("ProcessTree", *place):
            if label in ("processes", "threads"):
                self.plain("Process" if label == "processes" else "Thread", value)

    # -- events

    def ftrace_events(self, place, sequence, machine):
        cpu, lost, events, compact = None, 0, [], (0, [])
        for label, offset, value in self.message("FtraceEventBundle", *place):
            if label == "cpu":
                cpu = value
            elif label == "lost_events":
                lost = value
            elif label == "event":
                events.append((offset, value))
            elif label == "compact_sched":
                compact = offset, self.compact(offset, value)
            elif label == "generic_event_descriptors":
                self.describe(offset, value)
        if cpu is None:
            raise Bad(place[0], "a bundle without a CPU")
        if cpu >= MAX_CPUS:
            raise Bad(place[0], f"CPU {cpu}, where {MAX_CPUS - 1} is the last that Perfetto takes")
        counts = self.cpus.setdefault((machine, cpu), [0, 0, 0])
        counts[0] += len(events) + len(compact[1])
        counts[1] += bool(events or compact[1])
        counts[2] += lost
        for offset, inner in events:
            self.event(offset, inner, cpu, sequence, machine)
        if compact[1]:
            self.wakings.append((compact[0], [(ts, cpu, flags) for ts, flags in compact[1]], machine))

    def packed(self, place):
        at, end = place
        while at < end:
            value, at = self.varint(at, end)
            yield value

    def compact(self, offset, place):
        """[(ts, flags)] of the wakings. Times are differences; names are numbers of the table."""
        names, lists = 0, {}
        for number, begin, end in ((n, b, e) for _, n, value, b, e in self.fields(*place, "CompactSched")
                                   if value is None):
            if number not in MESSAGES["CompactSched"]:
                raise Bad(offset, f"field {number} of CompactSched")
            if number == 5:
                names += 1
            else:
                lists[number] = list(self.packed((begin, end)))
        if set(lists) != set(range(7, 13)) or len(set(map(len, lists.values()))) != 1:
            raise Bad(offset, f"wakings with lists of {[len(v) for _, v in sorted(lists.items())]}")
        if max(lists[11]) >= names or sorted(set(lists[11])) != list(range(names)):
            raise Bad(offset, f"{names} names, of which wakings have {sorted(set(lists[11]))[-3:]}")
        ts, rows = 0, []
        for step, flags in zip(lists[7], lists[12]):
            ts += step
            rows.append((ts, flags))
        return rows

    def take_wakings(self, offset, wakings, machine):
        switches = sorted(self.switches.get((machine, wakings[0][1]), []), key=lambda s: s[0])
        times = [ts for ts, _ in switches]
        self.known[20] = self.known.get(20, 0) + len(wakings)
        for ts, cpu, flags in wakings:
            at = bisect.bisect_right(times, ts)
            if not at:
                raise Bad(offset, f"a waking at {ts}, before the CPU's first switch")
            self.flags[flags] = self.flags.get(flags, 0) + 1
            self.rows.append(("sched_waking", ts, cpu, switches[at - 1][1], machine))

    def describe(self, offset, place):
        entry = self.plain("GenericEventDescriptor", place)
        number = entry.get("field_id", 0)
        if number < GENERIC_FROM:
            raise Bad(offset, f"a description of event {number}")
        if "event_descriptor" not in entry:
            raise Bad(offset, f"event {number} without a description")
        name, fields = b"", {}
        for label, at, value in self.message("DescriptorProto", *entry["event_descriptor"]):
            if label == "name":
                name = value
                continue
            one = self.plain("FieldDescriptorProto", value)
            if not 1 <= one.get("number", 0) <= GENERIC_FIELDS or one["number"] in fields:
                raise Bad(at, f"field {one.get('number')} of event {number}")
            if one.get("type") not in TYPES or not one.get("name"):
                raise Bad(at, f"field {one['number']} of event {number}: type {one.get('type')}, name "
                              f"{one.get('name')}")
            fields[one["number"]] = one["name"].decode(errors="replace"), TYPES[one["type"]]
        if not name:
            raise Bad(offset, f"event {number} without a name")
        entry = name.decode(errors="replace"), fields
        if self.described.setdefault(number, entry) != entry:
            raise Bad(offset, f"another description of event {number}")

    def event(self, offset, place, cpu, sequence, machine):
        ts = pid = payload = None
        for at, number, value, begin, end in self.fields(*place, "FtraceEvent"):
            if number == 1 and ts is None:
                ts = self.value(at, "u64", "timestamp of FtraceEvent", value, begin, end)
            elif number == 2 and pid is None:
                pid = self.value(at, "u32", "pid of FtraceEvent", value, begin, end)
            elif number > 2 and value is None and payload is None:
                payload = number, begin, end
            else:
                raise Bad(at, f"field {number} of FtraceEvent")
        if ts is None or pid is None or payload is None:
            raise Bad(offset, "an event without a time, a task or a payload")
        if ts >> 63:
            raise Bad(offset, f"the time {ts}")
        name = self.count(offset, *payload, sequence)
        if name == "sched_switch":
            self.switches.setdefault((machine, cpu), []).append(
                (ts, self.payload(self.events[payload[0]], *payload[1:]).get("next_pid", 0)))
        self.rows.append((name, ts, cpu, pid, machine))

    def count(self, offset, number, begin, end, sequence):
        """One event's payload; its name, or its number while that is not described."""
        if number >= GENERIC_FROM:
            self.generic[number] = self.generic.get(number, 0) + 1
            if number in self.described:
                self.payload(self.described[number], begin, end)
            else:
                self.later.append((number, begin, end))
            return number
        if number == 327:
            name = self.plain_named(offset, (begin, end))
            self.named[name] = self.named.get(name, 0) + 1
            return name
        if number not in self.events:
            raise Bad(offset, f"event {number}, which perfetto-events.txt does not have")
        name = self.events[number][0]
        self.known[number] = self.known.get(number, 0) + 1
        values = self.payload(self.events[number], begin, end)
        for label in SYMBOLS.get(name, ()):
            if label in values and (sequence, values[label]) not in self.symbols:
                raise Bad(offset, f"a function {values[label]} without a name")
        return name

    def plain_named(self, offset, place):
        name = None
        for label, _, value in self.message("GenericFtraceEvent", *place):
            if label == "event_name":
                name = value.decode(errors="replace")
            else:
                self.plain("GenericField", value)
        if not name:
            raise Bad(offset, "an event without a name")
        return name

    def payload(self, event, begin, end):
        name, fields = event
        return {label: value for label, _, value in self.message(name, begin, end, fields)}

    # -- what was found

    def name_of(self, number):
        return self.described[number][0] if isinstance(number, int) else number

    def lines(self):
        yield f"packets {self.packets}"
        for kind, count in sorted(self.kinds.items()):
            yield f"packet {kind} {count}"
        for (machine, cpu), (events, bundles, lost) in sorted(self.cpus.items()):
            yield f"cpu {f'{machine}:' if machine else ''}{cpu} events {events} bundles {bundles} lost {lost}"
        for number, count in sorted(self.known.items()):
            yield f"event {number} {self.events[number][0]} {count}"
        for number, count in sorted(self.generic.items()):
            yield f"generic {number} {self.described[number][0]} {count}"
        for name, count in sorted(self.named.items()):
            yield f"named {name} {count}"
        for flags, count in sorted(self.flags.items()):
            yield f"waking flags {flags:#x} {count}"
        yield f"symbols {len(self.symbols)}"
        yield f"events {len(self.rows)}"
        for clock, value in sorted(self.clocks.items()):
            yield f"clock {clock} {value}"

    def counts(self):
        """{name: how many events}"""
        found = {}
        for row in self.rows:
            name = self.name_of(row[0])
            found[name] = found.get(name, 0) + 1
        return found


def load(path):
    with open(path, "rb") as file:
        walk = Walk(file.read())
    walk.walk()
    return walk


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--events", action="store_true", help="a line for each event: NAME TS CPU PID MACHINE")
    parser.add_argument("file")
    args = parser.parse_args()
    try:
        walk = load(args.file)
    except (Bad, OSError) as error:
        print(f"{args.file}: {error}", file=sys.stderr)
        return 1
    if args.events:
        lines = (f"{walk.name_of(row[0])} {' '.join(map(str, row[1:]))}" for row in walk.rows)
    else:
        lines = walk.lines()
    sys.stdout.write("".join(line + "\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
