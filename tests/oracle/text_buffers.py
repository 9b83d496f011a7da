#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares a trace.dat with what ftr made of the kernel's text of the same buffer, both from their bytes alone.

Usage: text_buffers.py [-k KERNEL] [-c CLASSES] [-f FOUND] [-n COUNT] NAME...

NAME.dat has the buffers, NAME.text.dat is the file that `ftr import` wrote of NAME.trace. Compared are, CPU by CPU:
the number of records, each one's event, task, name of the task, time to the text's precision, loss before it, and the
fields that both files have. An address is compared by its symbol, a call by its duration, of registers those that the
text has. Without NAME.dat, lines of
NAME.trace that have a context are counted: their CPU, task and time, and losses.

CLASSES has the known differences, a line each: class, kernels ("*", "~" or a list), pattern of names of recordings,
reason, separated by tabs. What is in no class is printed, COUNT of each kind, and the status is 1. FOUND gets the rows
that were met, each after KERNEL and a tab, without the reason.
"""
import argparse
import bisect
import collections
import fnmatch
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rawdecode                        # noqa: E402
import rawfields                        # noqa: E402

KERNEL = 0xffff800000000000
Rec = collections.namedtuple("Rec", "ts pid event lost fields comm")
# Names that the text has instead.
ALIASES = {"print": "tracing_mark_write", "funcgraph_retaddr_entry": "funcgraph_entry"}
UNCOMPARED = {"calltime", "rettime", "overrun", "size", "retaddr"}
LOOKAHEAD = 60
# The contexts of lines: of the file trace; with latency-format; with verbose; of a graph.
CONTEXTS = [re.compile(r) for r in (
    r"(?P<comm>.{16})-(?P<pid>\d+) +(?:\([ \d-]+\) +)?\[(?P<cpu>\d+)\] (?:\S+ +)?(?P<s>\d+)\.(?P<us>\d{6}): ",
    r"(?P<comm>.{1,16})-(?P<pid>\d+) +(?P<cpu>\d+)[A-Za-z.#][^ ]{3,6} +(?P<us>\d+)us[ +!#*@$]: ",
    r"(?P<comm>.{16}) +(?P<pid>\d+) +(?P<cpu>\d+) \d+ [0-9a-f]{8} [0-9a-f]{8} \[[0-9a-f]+\] \d+\.\d{3}ms ",
    r" *(?:(?P<s>\d+)\.(?P<us>\d{6}) \| +|\d+ us \| +)?(?P<cpu>\d+)\) (?! *.{1,16}-\d+ +=> )(?P<rest>.*)")]
# A number, which should be one: "0x1f", "ffff888004ca3ae8", "0x1f (31)".
NUMBER = re.compile(r"\(?-?(0x)?[0-9a-f]+( \(-?\d+)?\)?$")
HEAD = re.compile(r"# (?:latency: \d+ us, #|entries-in-buffer/entries-written: )(\d+)/\d+")
LOST = re.compile(r"CPU:(\d+) \[LOST (\d+) EVENTS\]")


class Symbols:
    def __init__(self, text):
        lines = (line.split() for line in text.decode(errors="replace").split("\n"))
        rows = sorted((int(w[0], 16), w[2]) for w in lines if len(w) >= 3)
        self.starts, self.names, self.first = [r[0] for r in rows], [r[1] for r in rows], {}
        for start, name in rows:
            self.first.setdefault(name, start)

    def all_of(self, addr):
        """Names of the symbol at @addr, or below it: several may stand at one place."""
        at = bisect.bisect_right(self.starts, addr)
        if not at:
            return set()
        start, low = self.starts[at - 1], at - 1
        while low and self.starts[low - 1] == start:
            low -= 1
        return set(self.names[low:at])


class File:
    def __init__(self, path):
        self.trace = rawdecode.load(path, keep_data=True)
        self.symbols = Symbols(self.trace.kallsyms)
        self.comms = {0: "<idle>"}
        for line in self.trace.cmdlines.decode(errors="replace").split("\n"):
            pid, _, name = line.partition(" ")
            if pid.isdigit() and int(pid):
                self.comms[int(pid)] = name
        self.meta = dict(line.split("=", 1) for line in
                         self.trace.own_lines.decode(errors="replace").split("\n") if "=" in line)
        # the names that the kernel's text has, where an exec in the buffers shows a later one; "\n" ends a line
        for line in re.findall(r"((?:\\\\|[^\\])*)\\n", self.meta.get("kernel_comms", "")):
            pid, _, name = line.replace("\\\\", "\\").partition(" ")
            self.comms[int(pid)] = name
        self.cpus = self.read_cpus()

    def read_cpus(self):
        trace, out = self.trace, {}
        places = {n: [(name, f.getter(trace.order, trace.long_size, fmt)) for name, f in rawfields.fields_of(fmt)]
                  for n, fmt in trace.formats.items()}
        for buf in trace.buffers:
            for cpu in buf.cpus:
                rows = out.setdefault(cpu.cpu, [])
                for ts, number, pid, lost, data in cpu.rows:
                    fmt = trace.formats.get(number)
                    fields = {name: get(data) for name, get in places[number]} if fmt else {}
                    if "caller" in fields and isinstance(fields.get("size"), int):
                        fields["caller"] = fields["caller"][:fields["size"]]
                    rows.append(Rec(ts, pid, fmt.name if fmt else "type %d" % number, lost, fields,
                                    self.comms.get(pid, "<...>")))
        return out


class Compare:
    def __init__(self, name):
        self.dat, self.text = File(name + ".dat"), File(name + ".text.dat")
        self.found = collections.defaultdict(list)
        self.counts = collections.Counter()
        self.without = collections.Counter()
        self.times, self.leaf = self.text.meta.get("times", ""), False
        if set(self.text.cpus) == {0} and len(self.dat.cpus) > 1:       # the text does not have the CPUs
            rows = [r for cpu in sorted(self.dat.cpus) for r in self.in_lines(self.dat.cpus[cpu])]
            self.dat.cpus = {0: [r for _, _, r in sorted(rows, key=lambda r: r[:2])]}

    @staticmethod
    def in_lines(rows):
        """Yields (time of its line, place in it, record): a call without others in it is one line."""
        before = None
        for r in rows:
            leaf = (before and (before.event, r.event) == ("funcgraph_entry", "funcgraph_exit") and
                    before.fields.get("func") == r.fields.get("func"))
            yield (before.ts, 1, r) if leaf else (r.ts, 0, r)
            before = r

    def differ(self, kind, cpu, want, got):
        self.found[kind].append("CPU %d %.6f %s: '%s', in the text '%s'" %
                                (cpu, (want.ts if want else got.ts) / 1e9 if want or got else 0,
                                 (want or got).event if want or got else "", *self.shown(kind, want, got)))

    @staticmethod
    def shown(kind, want, got):
        def short(r):
            return "%s-%d %s %s" % (r.comm, r.pid, r.event, r.fields) if r else None
        return short(want), short(got)

    # -- one of each

    def key(self, rec, file):
        func = rec.fields.get("func")
        names = file.symbols.all_of(func) if func else ()
        return ALIASES.get(rec.event, rec.event), rec.pid, min(names) if names else ""

    def pairs(self, cpu):
        """Pairs of records; one of a pair is None where the other file has none."""
        want, got = self.dat.cpus.get(cpu, []), self.text.cpus.get(cpu, [])
        if len(want) == len(got):
            return list(zip(want, got))
        a, b = [self.key(r, self.dat) for r in want], [self.key(r, self.text) for r in got]
        out, i, j = [], 0, 0
        while i < len(a) and j < len(b):
            if a[i] == b[j]:
                skip = 0, 0
            else:
                skip = next(((x, n - x) for n in range(1, LOOKAHEAD) for x in range(n, -1, -1)
                             if a[i + x:i + x + 2] == b[j + n - x:j + n - x + 2]
                             and i + x < len(a) and j + n - x < len(b)), (0, 0))
            out += [(w, None) for w in want[i:i + skip[0]]] + [(None, g) for g in got[j:j + skip[1]]]
            i, j = i + skip[0], j + skip[1]
            out.append((want[i], got[j]))
            i, j = i + 1, j + 1
        return out + [(w, None) for w in want[i:]] + [(None, g) for g in got[j:]]

    def value(self, want, got):
        if isinstance(want, list) and isinstance(got, list):
            return len(want) == len(got) and all(self.value(w, g) for w, g in zip(want, got))
        if isinstance(want, int) and isinstance(got, int):
            if want == got or (want - got) % 2**64 == 0:
                return True
            if want >= KERNEL and got >= KERNEL:
                mine, theirs = self.dat.symbols.all_of(want), self.text.symbols.all_of(got)
                # a made-up address without a symbol stands for a plain number, one named by a number for that
                return (not mine or not theirs or "0x%x" % want in theirs or
                        bool(mine & {re.sub(r"\+0x.*", "", n) for n in theirs}))
            return -2**31 <= want < 2**32 and -2**31 <= got < 2**32 and (want - got) % 2**32 == 0
        if isinstance(got, str) and not isinstance(want, str):          # "GFP_KERNEL", "127.0.0.1"
            return None
        return want == got

    def compare_fields(self, cpu, want, got):
        if want.fields.keys() - {"text"} and set(got.fields) == {"text"}:
            self.counts["without fields"] += 1
            self.without[got.event] += 1
            return
        self.counts["with fields"] += 1
        for field in want.fields.keys() & got.fields.keys() - UNCOMPARED:
            if field in ("ip", "buf") and want.event == "print":
                continue
            if isinstance(want.fields[field], int) and NUMBER.match(str(got.fields[field])) and \
                    isinstance(got.fields[field], str):
                self.found["number as text %s.%s" % (want.event, field)].append("CPU %d %.6f: %s, of the text %r" % (
                    cpu, want.ts / 1e9, want.fields[field], got.fields[field]))
                continue
            mine = want.fields[field]
            if field == "args":             # the kernel prints those of the prototype, and keeps all registers
                mine = mine[:len(got.fields[field])]
            equal = self.value(mine, got.fields[field])
            self.counts["values" if equal else "texts"] += equal is not False
            if equal is False:
                self.found["field %s.%s" % (want.event, field)].append("CPU %d %.6f: %s, of the text %s" % (
                    cpu, want.ts / 1e9, self.readable(self.dat, want.fields[field]),
                    self.readable(self.text, got.fields[field])))
        if {"calltime", "rettime"} <= want.fields.keys() & got.fields.keys():
            self.compare_duration(cpu, want, got)

    @staticmethod
    def readable(file, value):
        if isinstance(value, list):
            return "[%s]" % ", ".join(Compare.readable(file, v) for v in value[:6])
        if isinstance(value, int) and value >= KERNEL:
            return "%x (%s)" % (value, "/".join(sorted(file.symbols.all_of(value))))
        return repr(value)

    def compare_duration(self, cpu, want, got):
        w, g = (r.fields["rettime"] - r.fields["calltime"] for r in (want, got))
        if w > 2**63:                   # the call began before time was counted
            return
        # seven digits of microseconds
        if abs(w - g) > max(1, w / 10**6, 10 if w >= 10**7 else 1, 100 if w >= 10**8 else 1, 1000 if w >= 10**9 else 1):
            self.found["duration"].append("CPU %d %.6f %s: %d ns, of the text %d" % (
                cpu, want.ts / 1e9, self.readable(self.dat, want.fields["func"]), w, g))

    # -- all

    def shift(self, pairs):
        """Nanoseconds from the text's times to the buffer's: not 0 where they count from its start."""
        if self.times.startswith("of the text") and "," not in self.times:
            return 0
        differ = sorted(w.ts - g.ts for w, g in pairs if w and g)
        return differ[len(differ) // 2] if differ else 0

    def compare_time(self, cpu, want, got, shift):
        limit = 1000 if shift == 0 else 2000
        if self.leaf:                   # the text has its duration, not its end
            return
        if abs(want.ts - got.ts - shift) > limit:
            self.found["time"].append("CPU %d %s: %d ns, of the text %d (%d)" % (
                cpu, want.event, want.ts, got.ts + shift, got.ts + shift - want.ts))

    def run(self):
        if not any(self.text.cpus.values()):
            self.counts["records"] = sum(map(len, self.dat.cpus.values()))
            self.found["no records"] = ["nothing of the text was understood"]
            return self.found
        cpus = sorted(set(self.dat.cpus) | set(self.text.cpus))
        pairs = {cpu: self.pairs(cpu) for cpu in cpus}
        shift = self.shift([p for cpu in cpus for p in pairs[cpu]])
        for cpu in cpus:
            before = None
            for want, got in pairs[cpu]:
                self.leaf = before and got and (before.event, got.event) == ("funcgraph_entry", "funcgraph_exit")
                before = got
                self.counts["records"] += bool(want)
                if not got:
                    self.differ("missing " + want.event, cpu, want, got)
                elif not want:
                    self.differ("added " + got.event, cpu, want, got)
                else:
                    self.one(cpu, want, got, shift)
        return self.found

    def one(self, cpu, want, got, shift):
        if ALIASES.get(want.event, want.event) != ALIASES.get(got.event, got.event):
            self.differ("event " + want.event, cpu, want, got)
        else:
            if want.pid != got.pid:
                self.differ("pid", cpu, want, got)
            self.compare_fields(cpu, want, got)
        if want.comm != got.comm and want.pid == got.pid:
            self.differ("comm", cpu, want, got)
        if bool(want.lost) != bool(got.lost) and want is not self.dat.cpus[cpu][0]:
            self.found["lost"].append("CPU %d %.6f: %s, in the text %s" % (cpu, want.ts / 1e9, want.lost, got.lost))
        if not self.times.startswith("made up"):
            self.compare_time(cpu, want, got, shift)


class Alone:
    """A text without the buffers."""

    def __init__(self, name):
        self.found, self.without = collections.defaultdict(list), {}
        self.counts = collections.Counter()
        self.text = File(name + ".text.dat")
        self.lines = collections.defaultdict(list)      # CPU -> (pid or None, us or None)
        self.lost = collections.Counter()
        self.total = None
        for line in open(name + ".trace", errors="surrogateescape"):
            self.read_line(line.rstrip("\n"))

    def read_line(self, line):
        head = HEAD.match(line)
        if head:
            self.total = int(head[1])
        lost = LOST.match(line)
        if lost:
            self.lost[int(lost[1])] += int(lost[2])
        found = next(filter(None, (c.match(line) for c in CONTEXTS)), None)
        if not found or line.startswith("#"):
            return
        part = found.groupdict()
        us = part.get("us") and int(part["us"]) + 1000000 * int(part.get("s") or 0)
        one = int(part["pid"]) if part.get("pid") else None, us
        # the line of a call without others in it is its entry and its exit
        both = re.search(r"^[^/]*;(?: /\*.*)?$", (part.get("rest") or "").rpartition("|")[2])
        self.lines[int(part["cpu"])] += [one, (one[0], None)] if both else [one]

    def run(self):
        for cpu in sorted(set(self.lines) | set(self.text.cpus)):
            want, got = self.lines[cpu], self.text.cpus.get(cpu, [])
            self.counts["records"] += len(want)
            if len(want) != len(got):
                self.found["alone: records"].append("CPU %d: %d lines, %d records" % (cpu, len(want), len(got)))
                continue
            self.found["alone: pid"] += ["CPU %d: %d, record %s" % (cpu, w[0], g)
                                         for w, g in zip(want, got) if w[0] is not None and w[0] != g.pid]
            times = [(w[1], g.ts) for w, g in zip(want, got) if w[1] is not None]
            shift = times[0][1] - times[0][0] * 1000 if times else 0
            self.found["alone: time"] += ["CPU %d: %d us, record at %d ns" % (cpu, w, g)
                                          for w, g in times if abs(g - shift - w * 1000) > 1000]
        total = sum(map(len, self.text.cpus.values()))
        if self.total not in (None, total):
            self.found["alone: records"].append("%d of the head, %d records" % (self.total, total))
        for buf in self.text.trace.buffers:
            self.found["alone: lost"] += ["CPU %d: %d in the text, %d in the file" % (c.cpu, self.lost[c.cpu], c.lost)
                                          for c in buf.cpus if c.lost != self.lost[c.cpu]]
        return {k: v for k, v in self.found.items() if v}


def read_classes(path):
    out = []
    for line in open(path) if path else ():
        if line.strip() and not line.startswith("#"):
            out.append(line.rstrip("\n").split("\t")[:3])
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", default="")
    parser.add_argument("-c")
    parser.add_argument("-f")
    parser.add_argument("-n", type=int, default=3)
    parser.add_argument("names", nargs="+")
    args = parser.parse_args()
    classes, met, bad = read_classes(args.c), set(), False
    for path in args.names:
        name, one = os.path.basename(path), Compare(path) if os.path.exists(path + ".dat") else Alone(path)
        found = one.run()
        c = one.counts
        print("# %s: %d records, %d with fields (%d values, %d as text), %d without%s" % (
            name, c["records"], c["with fields"], c["values"], c["texts"], c["without fields"],
            ": " + ", ".join("%s %d" % x for x in one.without.most_common(4)) if one.without else ""))
        for kind, examples in sorted(found.items()):
            known = [w for w in classes if fnmatch.fnmatch(kind, w[0]) and fnmatch.fnmatch(name, w[2]) and
                     (w[1] in "*~" or args.k in w[1].split(","))]
            if known:
                met.update("\t".join([args.k] + w) for w in known)
                continue
            bad = True
            print("%s: %s: %d times" % (name, kind, len(examples)))
            for text in examples[:args.n]:
                print("    " + text[:600])
    if args.f:
        with open(args.f, "a") as out:
            out.writelines("%s\n" % c for c in sorted(met))
    return bad


sys.exit(main())
