#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the output of 'ftr report' against what others say of the same file.

report-check.py columns FILE              task, pid, CPU, time, event of each record: trace-cmd's;
                                          task, pid, CPU, flags, time with -l too
report-check.py text FILE CLASSES COUNTS  the text of each record: trace-cmd's; differences by class
report-check.py agree FILE EVENTS CLASSES FOUND
                                          as columns (in nanoseconds, in trace-cmd's order) and text;
                                          the listed EVENTS must not differ. Adds a line for each
                                          class and event that occurs to the file FOUND
report-check.py graph FILE CLASSES FOUND  the same for a function_graph recording
report-check.py kernel FILE TRACE CLASSES the text of each record of the classes where ftr is said to
                                          be right: the kernel's own, in TRACE
report-check.py found FOUND EVENTS CLASSES
                                          all classes, and all events that they list, have occurred
report-check.py kernel-graph FILE TRACE   the same for all of function_graph
report-check.py ends FILE [OPTION...]     with these options of report, ends of calls have their function's name
                                          where its entry is not the one above on that CPU, and only there
report-check.py expect FILE EXPECT.json   each record and loss: the sidecar of tests/oracle/mkdat.py
report-check.py damage FILE DIR           the copies that tests/oracle/damage.py made of FILE in DIR

$FTR names the program. Prints what differs; exit status 1 then.
"""
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys

FTR = os.environ.get("FTR", "build/ftr")
# Whose texts are held against trace-cmd's: those of our own engine are the kernel's, down to its pointers.
ENGINE = ["--engine=" + os.environ["FTR_ENGINE"]] if "FTR_ENGINE" in os.environ else []
# Greedy, as comms may hold blanks and dashes; no event text in these files looks like the columns.
LINE = re.compile(r"^(.*)-(-?\d+) +\[(\d{3,})\] (?:([^\s:]{5}) )? *(\d+(?:\.\d+)?): "
                  r"(\[type \d+\]|[^ ]+):( .*|)$")
# Only up to the event: -l does not change the text, and trace-cmd has the flags only with it.
LATENCY = re.compile(r"^(.{8}-\d+ +(\d+).{5} +\d+\.\d+): [^ ]+:")
LOST = re.compile(r"^(.*)CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]$")
MUST_SAY = ("length", "offset", "id", "count", "chunk", "header", "truncate")

Row = collections.namedtuple("Row", "label comm pid cpu ts event text")


def printed_records(output):
    return any(LINE.match(line) or LATENCY.match(line)
               for line in output.decode("utf-8", "surrogateescape").splitlines())


def run(*argv, timeout=300):
    for _ in range(5):
        done = subprocess.run(argv, capture_output=True, timeout=timeout, check=False)
        # some three in a thousand runs: trace-cmd 3.1.6 prints none of a sound file's records
        if argv[0] != "trace-cmd" or (done.returncode == 0 and printed_records(done.stdout)):
            break
        print("# trace-cmd: status %d, %d bytes, %r; once more"
              % (done.returncode, len(done.stdout), done.stdout[:100]))
    return (done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
            done.stderr.decode("utf-8", "replace"))


def split_label(text, labels):
    """The instance in front of a task, and the task. Labels are right-aligned in one width."""
    width = max(map(len, labels), default=0)
    if not width:
        return "", text.strip()
    label = text[:width].strip()
    return label, text[width + 2:].strip()


def rows(output, labels=("",)):
    """Records, each with its further lines; and the losses with the number of records before them."""
    out, lost, seen = [], [], collections.Counter()
    for line in output.split("\n"):
        found = LINE.match(line)
        if found:
            label, comm = split_label(found[1], labels)
            out.append(Row(label, comm, int(found[2]), int(found[3]), found[5], found[6], found[7]))
            seen[label, out[-1].cpu] += 1
            continue
        gone = LOST.match(line)
        if gone:
            label = split_label(gone[1] + "  ", labels)[0] if len(labels) > 1 else ""
            cpu = int(gone[2])
            lost.append((label, cpu, seen[label, cpu], int(gone[3]) if gone[3] else None))
        elif out and not line.startswith("cpus="):
            out[-1] = out[-1]._replace(text=out[-1].text + "\n" + line)
    return out, lost


def differences(want, got, limit=5):
    out = []
    if len(want) != len(got):
        out.append("%d wanted, %d found" % (len(want), len(got)))
    out += ["wanted %s\nfound  %s" % pair for pair in zip(want, got) if pair[0] != pair[1]]
    return out[:limit] + (["... %d in all" % len(out)] if len(out) > limit else [])


def in_time_order(got):
    stamps = [float(row.ts) for row in got]
    return [] if stamps == sorted(stamps) else ["the lines are not in the order of time"]


def by_cpu(got):
    """Each CPU's records in their order; how CPUs with equal times interleave is left open."""
    return sorted(got, key=lambda row: row.cpu)


def columns(path):
    ours, theirs = run(FTR, "report", "--raw", path), run("trace-cmd", "report", "-N", "-R", path)
    got, want = rows(ours[1])[0], rows(theirs[1])[0]
    out = ["ftr: status %d %s" % (ours[0], ours[2])] if ours[0] else []
    out += in_time_order(got)
    strip = lambda seq: [row[1:6] for row in by_cpu(seq)]
    return out + differences(strip(want), strip(got)) + latency(path)


def latency(path):
    """The columns of the latency format, in which trace-cmd 3.1.6 has the flags."""
    ours, theirs = run(FTR, "report", "-R", "-l", path), run("trace-cmd", "report", "-N", "-l", path)
    cut = lambda output: sorted((found[2], found[1]) for found in
                                (LATENCY.match(line) for line in output.split("\n")) if found)
    out = differences(cut(theirs[1]), cut(ours[1]))
    return out if cut(ours[1]) else out + ["no line in latency format"]


# --- text -------------------------------------------------------------------------------------------

def read_classes(path):
    """Lines NAME<tab>EVENT-GLOB<tab>OURS<tab>THEIRS<tab>REASON: substitutions that make both equal."""
    out = []
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            if line.strip() and not line.startswith("#"):
                out.append(line.rstrip("\n").split("\t"))
    return out


def normal(text, pattern):
    """@pattern is 's/RE/TEXT/', several of these joined by ';;', or '-'."""
    for rule in pattern.split(";;") if pattern != "-" else []:
        _, old, new, _ = rule.split("/")
        text = re.sub(old, new, text)
    return text.strip()


def class_of(classes, ours, theirs):
    for name, event, our_rule, their_rule, _ in classes:
        if fnmatch.fnmatch(ours.event, event) and \
                normal(ours.text, our_rule) == normal(theirs.text, their_rule):
            return name
    return None


def text(path, classes, counts):
    classes = read_classes(classes)
    ours, theirs = run(FTR, "report", path), run("trace-cmd", "report", "-N", path)
    got, want = by_cpu(rows(ours[1])[0]), by_cpu(rows(theirs[1])[0])
    found, out = collections.Counter(), differences([r[1:6] for r in want], [r[1:6] for r in got])
    for mine, other in zip(got, want):
        if mine.text.strip() == other.text.strip():
            continue
        name = class_of(classes, mine, other)
        found[name] += 1
        if not name and found[None] < 4:
            out.append("%s\n  ftr:       %r\n  trace-cmd: %r" % (mine.event, mine.text, other.text))
    if found[None]:
        out.append("%d differences in no class" % found[None])
    wanted = dict(item.split("=") for item in counts.split(",") if "=" in item)
    for name in sorted(set(wanted) | (set(found) - {None})):
        if int(wanted.get(name, 0)) != found[name]:
            out.append("class %s: %s wanted, %d found" % (name, wanted.get(name, 0), found[name]))
    return out


# --- agreement on recordings of ours ------------------------------------------------------------------

AgreeClass = collections.namedtuple("AgreeClass", "name events ours theirs right reason")


def agree_classes(path):
    """An event with a '?' behind it does not occur in every recording."""
    return [AgreeClass(fields[0], {event.rstrip("?"): event.endswith("?")
                                   for event in fields[1].split(",")}, *fields[2:])
            for fields in read_classes(path)]


def event_list(path):
    with open(path, encoding="utf-8") as stream:
        return {line.strip() for line in stream if line.strip() and not line.startswith("#")}


def find_class(classes, event, ours, theirs):
    for one in classes:
        if event in one.events and normal(ours, one.ours) == normal(theirs, one.theirs):
            return one.name
    return None


def judge(classes, triples, equal_events=frozenset()):
    """Of (event, our text, trace-cmd's): what differs wrongly; counts by (class, event)."""
    out, found = [], collections.Counter()
    for event, ours, theirs in triples:
        if ours.strip() == theirs.strip():
            found["equal", event] += 1
            continue
        name = find_class(classes, event, ours, theirs)
        found[name or "no class", event] += 1
        if not name or event in equal_events:
            out.append("%s (%s)\n  ftr:       %r\n  trace-cmd: %r" % (event, name, ours, theirs))
    return out[:6] + (["... %d in all" % len(out)] if len(out) > 6 else []), found


def add_found(path, found):
    with open(path, "a", encoding="utf-8") as stream:
        for (name, event), count in sorted(found.items()):
            stream.write("%s\t%s\t%d\n" % (name, event, count))


def both(path, *options):
    """The rows of both programs, without complaints."""
    engine = [] if "-R" in options else ENGINE
    ours = run(FTR, "report", "-t", *engine, *options, path)
    theirs = run("trace-cmd", "report", "-t", *options, path)
    out = ["%s: status %d, %s" % (name, one[0], one[2][:300])
           for name, one in (("ftr", ours), ("trace-cmd", theirs)) if one[0] or one[2]]
    return rows(ours[1])[0], rows(theirs[1])[0], out


def same_columns(got, want):
    """In the very order of the lines; records of the same time stand in the order of CPUs."""
    out = differences([row[1:6] for row in want], [row[1:6] for row in got])
    if [(float(row.ts), row.cpu) for row in got] != sorted((float(r.ts), r.cpu) for r in got):
        out.append("the order is not that of time and CPU")
    return out


def agree(path, events, classes, found_path):
    got, want, out = both(path, "-R", "-N")
    out += same_columns(got, want)
    got, want, more = both(path, "-N")
    out += more + same_columns(got, want)
    if out:
        return out
    pairs = ((mine.event, mine.text, other.text) for mine, other in zip(got, want))
    out, found = judge(agree_classes(classes), pairs, event_list(events))
    add_found(found_path, found)
    seen = {event for name, event in found if name == "equal"} & event_list(events)
    return out if len(seen) > 100 else out + ["only %d of the listed events" % len(seen)]


GRAPH = re.compile(r"^ *(?:([+!#*@$]) )? *(?:([\d.]+) us +)?\|  ( *)(.*?)(;?) *$")


def duration_us(record):
    times = re.search(r"calltime=(\d+) rettime=(\d+)", record.text)
    if not times:
        return ""
    ns = int(times[2]) - int(times[1])
    return ("%d.%03d" % (ns // 1000, ns % 1000))[:7]


def graph_lines(lines):
    """The parts of the lines, by what they share with their record; an exit also has a duration."""
    out = collections.defaultdict(collections.deque)
    for row in lines:
        parts = GRAPH.match(row.text.rstrip()).groups("")
        out[(*row[2:6], parts[1][:7] if row.event == "funcgraph_exit" else "")].append(parts)
    return out


def unjoin(records, lines):
    """(text, joined) of each record: leaf calls taken apart, blanks of the duration squeezed.

    The exit of a leaf has no line of its own: its text is that of a leaf of the same task, function
    and duration, to as many digits as both print.
    """
    by_place, waiting = graph_lines(lines), collections.defaultdict(collections.deque)
    out = [None] * len(records)
    # entries first: trace-cmd can take an exit of before for that of a leaf
    for i in sorted(range(len(records)), key=lambda i: records[i].event == "funcgraph_exit"):
        record = records[i]
        call = record.pid, re.search(r"func=(\w+)", record.text)[1]
        own = by_place[(*record[2:6], duration_us(record))]
        if not own:
            leaves = waiting[(*call, duration_us(record))]
            out[i] = (leaves.popleft() if leaves else "no line", True)
            continue
        mark, duration, indent, name, leaf = own.popleft()
        time = "%s %s us " % (mark or " ", duration) if duration else ""
        if leaf:
            waiting[(*call, duration[:7])].append("%s| %s}" % (time, indent))
            time, name = "", name + " {"
        out[i] = ("%s| %s%s" % (time, indent, name), bool(leaf))
    more = [what for queues in (waiting, by_place) for queue in queues.values() for what in queue]
    return out, ["no record for %s" % (what,) for what in more[:3]]


def wrong_depths(records, texts):
    """Lines that are not indented by the depth that their record has."""
    out = []
    for record, (text, _) in zip(records, texts):
        depth = re.search(r"depth=(\w+)", record.text)
        found = re.search(r"\| ( *)[\w}]", text)
        if not depth or not found or len(found[1]) != 2 * int(depth[1], 0):
            out.append("depth of %s: %r" % (record.text, text))
    return out[:3]


def same_leaf(record, mine, other):
    """The texts of both, without blanks where only one took this exit for that of a leaf.

    trace-cmd then has it behind the call above or below of the same function, as of vfs_open() of an
    overlay in that of the file; ours is held against the record by wrong_depths().
    """
    if record.event != "funcgraph_exit":
        return mine[0], other[0]
    # trace-cmd never names an end; where ours do, kernel_graph() knows
    ours = re.sub(r" /\* [\w.]+ \*/$", "", mine[0])
    if mine[1] == other[1]:
        return ours, other[0]
    return re.sub(r"\|  *", "| ", ours), re.sub(r"\|  *", "| ", other[0])


def graph(path, classes, found_path):
    records, want, out = both(path, "-R", "-N")
    out += same_columns(records, want)
    # trace-cmd joins with the next record of all CPUs, loses its place then, and has lines out of order
    got, want, more = both(path)
    (mine, lost), (other, also) = unjoin(records, got), unjoin(records, want)
    out += more + lost + also + in_time_order(got) + wrong_depths(records, mine)
    classes = agree_classes(classes)
    more, found = judge(classes, [(r.event, *same_leaf(r, a, b))
                                  for r, a, b in zip(records, mine, other)])
    joined, counts = judge(classes, [(r.event, "joined %d" % a[1], "joined %d" % b[1])
                                     for r, a, b in zip(records, mine, other)])
    found.update({what: count for what, count in counts.items() if what[0] != "equal"})
    add_found(found_path, found)
    return out + more + joined


# What the kernel's text has in other words: hashed pointers, the sizes of functions.
KERNEL_LINE = re.compile(r"^.*-(\d+) +\[(\d+)\] \S{5} +(\d+\.\d+): (.*)$")
KERNEL_WORDS = [(r"\(nil\)|\b(0x)?[0-9a-f]{16}\b", "POINTER"),
                (r"(\+0x[0-9a-f]+)/0x[0-9a-f]+", r"\1")]
OUR_WORDS = [(r"\(nil\)|\b0x[0-9a-f]{6,16}\b|(?<= ptr=)0x[0-9a-f]+", "POINTER")]
BARE = ("function", "print", "kernel_stack", "user_stack")


def in_words(text, words):
    for old, new in words:
        text = re.sub(old, new, text)
    return text.strip()


def kernel_rows(path):
    """(cpu, time, text) of each record in the kernel's text, in the order of the CPUs."""
    out = []
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        for line in stream.read().split("\n"):
            found = KERNEL_LINE.match(line)
            if found:
                out.append((int(found[2]), found[3], found[4]))
            elif out and not line.startswith("#"):
                out[-1] = (*out[-1][:2], out[-1][2] + "\n" + line)
    return sorted(out, key=lambda row: row[0])


def kernel(path, trace, classes):
    got, want = by_cpu(rows(run(FTR, "report", *ENGINE, path)[1])[0]), kernel_rows(trace)
    if len(got) != len(want) or not got:
        return ["%d records, %d in the kernel's text" % (len(got), len(want))]
    right = {event for one in agree_classes(classes) for event in one.right.split(",")}
    out, equal = [], collections.Counter()
    for mine, (cpu, stamp, other) in zip(got, want):
        text = mine.text.strip() if mine.event in BARE else "%s: %s" % (mine.event, mine.text.strip())
        text, other = in_words(text, OUR_WORDS), in_words(other, KERNEL_WORDS)
        if mine.cpu != cpu or abs(float(mine.ts) - float(stamp)) > 2e-6:
            return ["%s stands where the kernel has %s" % (mine, other)]
        if text == other:
            equal[mine.event] += 1
        elif mine.event in right:
            out.append("%s\n  ftr:    %r\n  kernel: %r" % (mine.event, text, other))
    if len(equal) < 80:
        out.append("only %d types of events in the kernel's words" % len(equal))
    return out[:6]


def squeezed(text):
    """trace-cmd's column of durations is a blank narrower than the kernel's."""
    return re.sub(r" us +\|", " us |", text.strip())


def kernel_graph(path, trace):
    """The calls of each CPU in their order; what else stands in the kernel's text is left out.

    The name at an end whose entry was lost, or begun before, or another task's, is part of it.
    """
    wanted, got = collections.defaultdict(list), collections.defaultdict(list)
    with open(trace, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        for line in stream.read().split("\n"):
            found = re.match(r"^ *(\d+)\) (.*\|  *[\w}].*)$", line)
            if found:
                wanted[int(found[1])].append(squeezed(found[2]))
    for row in rows(run(FTR, "report", path)[1])[0]:
        if row.event.startswith("funcgraph_"):
            got[row.cpu].append(squeezed(row.text))
    out = [] if any(wanted.values()) else ["no line in the kernel's text"]
    for cpu in sorted(set(wanted) | set(got)):
        out += differences(wanted[cpu], got[cpu])
    return out


def ends(path, *options):
    """What print_graph_return() does: a function for each depth of a CPU, which its entry puts there."""
    labels = sorted({""} | {name for option in options if option.startswith("-labels=")
                            for name in option[8:].split(",")})
    options = [option for option in options if not option.startswith("-labels=")]
    records = collections.defaultdict(collections.deque)
    for row in rows(run(FTR, "report", "-q", "-R", "-t", path)[1], labels)[0]:
        if row.event.startswith("funcgraph_"):
            func, depth = (int(word, 0) for word in re.findall(r"\b(?:func|depth)=(\w+)", row.text))
            records[row.label, row.cpu].append((row[:6], depth, func))
    names = {int(line.split()[0], 16): line.split()[1] for line in
             run(FTR, "report", "-q", "--functions", path)[1].splitlines()}
    calls, out, named, bare = collections.defaultdict(dict), [], 0, 0
    for row in rows(run(FTR, "report", "-q", "-t", *options, path)[1], labels)[0]:
        if not row.event.startswith("funcgraph_"):
            continue
        left, stack, text = records[row.label, row.cpu], calls[row.label, row.cpu], row.text.rstrip("\n")
        depth = len(re.search(r"\|  ( *)", text)[1]) // 2
        while left[0][:2] != (row[:6], depth):
            left.popleft()
        func = left.popleft()[2]
        if row.event == "funcgraph_entry":
            stack[depth] = func if text.endswith("{") else 0
            if not stack[depth]:
                left.popleft()
            continue
        is_open = stack.get(depth) == func
        stack[depth] = 0
        named, bare = named + (not is_open), bare + is_open
        tail = "}" if is_open else "} /* %s */" % names[func]
        if not text.endswith(" " + tail):
            out.append("%s at %s: %r, not %s" % (row.comm, row.ts, text, tail))
    print("# %d ends with a name, %d without" % (named, bare))
    if not named:
        out.append("no end has a name")
    return out[:5]


def all_found(path, events, classes):
    with open(path, encoding="utf-8") as stream:
        seen = collections.defaultdict(set)
        for line in stream:
            name, event, _ = line.split("\t")
            seen[name].add(event)
    out = ["class %s has vanished" % one.name for one in agree_classes(classes)
           if one.name not in seen]
    out += ["class %s no more has %s" % (one.name, event) for one in agree_classes(classes)
            for event, rare in one.events.items() if not rare and event not in seen[one.name]]
    return out + ["event %s did not occur" % event
                  for event in sorted(event_list(events) - seen["equal"])]


# --- synthetic files --------------------------------------------------------------------------------

def sidecar(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def left_part(row, shift, plain):
    """Columns of a record in --raw -t by their definition; the flags are not in the sidecar."""
    ts = (row["ts"] + shift) % (1 << 64)
    stamp = "%12d" % ts if plain else "%5d.%09d" % (ts // 10 ** 9, ts % 10 ** 9)
    return ("%16s-%-5d [%03d] " % (row["comm"], row["pid"], row["cpu"]),
            " %s: %-22s" % (stamp, row["event"] + ": "))


def expected_losses(expect):
    return sorted(((cpu["buffer"], cpu["cpu"], index, count) for cpu in expect["cpus"]
                   for index, count in cpu["lost_before_record"]), key=str)


def check_layout(output, expect, plain, labels):
    """Every line must begin with one of the left parts that the sidecar makes."""
    shift, width = expect["ts_offset_ns"], max(map(len, labels))
    left = collections.Counter()
    for row in expect["records"]:
        label = ("%*s%s" % (width, row["buffer"], ": " if row["buffer"] else "  ")) if width else ""
        first, last = left_part(row, shift, plain)
        left[(label + first, last)] += 1
    for line in output.split("\n"):
        at = line.find("] ") + 2
        # behind the bracket: five flags, then time and event
        for size in range(len(line) + 1 if at > 1 else 0):
            if left.get((line[:at], line[at + 5:at + 5 + size]), 0):
                left[(line[:at], line[at + 5:at + 5 + size])] -= 1
                break
    return ["no line for %r" % (key,) for key, count in left.items() if count > 0][:3]


def expect(path, json_path):
    wanted = sidecar(json_path)
    labels = sorted({row["buffer"] for row in wanted["records"]} | {""})
    plain = wanted["options"]["clock"] in ("counter", "uptime", "x86-tsc")
    status, output, err = run(FTR, "report", "--raw", "-t", path)
    out = ["status %d, stderr %s" % (status, err)] if status or err else []
    got, lost = rows(output, labels)
    shift = wanted["ts_offset_ns"]
    stamp = lambda ts: str(ts) if plain else "%d.%09d" % (ts // 10 ** 9, ts % 10 ** 9)
    want = [(r["buffer"], r["comm"], r["pid"], r["cpu"], stamp((r["ts"] + shift) % (1 << 64)),
             r["event"]) for r in wanted["records"]]
    key = lambda row: (row[0], row[3])
    out += in_time_order(got)
    out += differences(sorted(want, key=key), sorted((row[:6] for row in got), key=key))
    out += differences(expected_losses(wanted), sorted(lost, key=str))
    return out + check_layout(output, wanted, plain, labels)


# --- damage -----------------------------------------------------------------------------------------

def record_keys(output):
    """What tells records apart and does not change when a name in the file does."""
    out = collections.Counter()
    for line in output.split("\n"):
        found = LINE.match(line)
        if found:
            out[int(found[2]), int(found[3]), found[5]] += 1
    return out


def as_debian_writes(entry, path):
    """The size of a compressed CPU without the 4 bytes of its chunk count, as trace-cmd 3.1.6 has it."""
    if entry.get("region") != "cpu_size":
        return False
    with open(path, "rb") as stream:
        data = stream.read()
    now = data[entry["start"]:entry["start"] + 8]
    was = bytearray(now)
    was[entry["offset"] - entry["start"]] = entry["old"]
    return re.search(b"zlib\0|zstd\0", data[:64]) is not None and \
        any(int.from_bytes(was, order) - int.from_bytes(now, order) == 4 for order in ("little", "big"))


def as_another_writer(entry):
    """The size of long is the writer's: trace-cmd of 32 bits on a kernel of 64 has 4, and the header page has the
    kernel's."""
    return entry.get("region") == "long_size" and {entry["old"], entry["new"]} == {4, 8}


def must_say(entry, path):
    """An option that became an unknown one can't be told from one of a newer writer."""
    return entry["kind"] in MUST_SAY and entry.get("region") != "option_id" and \
        not as_debian_writes(entry, path) and not as_another_writer(entry)


def says_where(status, err, path):
    """An error names the file; damage also the place in it, or the section that is not there."""
    if path not in err:
        return False
    return status == 1 or re.search("offset 0x|ends in its first bytes|section '", err) is not None


def check_copy(entry, path, original):
    status, output, err = run(FTR, "report", "--raw", "-t", path, timeout=60)
    what = "%s: %s at %d (%s)" % (os.path.basename(path), entry["kind"], entry["offset"],
                                  entry.get("region") or entry.get("where"))
    out = []
    if status not in (0, 1, 3) or "Sanitizer" in err or "runtime error" in err:
        out.append("%s: status %d\n%s" % (what, status, err[:600]))
    if must_say(entry, path) and not (status in (1, 3) and says_where(status, err, path)):
        out.append("%s: not said where: status %d, %r" % (what, status, err[:200]))
    if status in (1, 3) and path not in err:
        out.append("%s: the file is not named: %r" % (what, err[:200]))
    same = sum((record_keys(output) & original).values())
    if entry["records_intact"] is not None and same < entry["records_intact"]:
        out.append("%s: %d records as before, %d should be" % (what, same, entry["records_intact"]))
    return out


def damage(path, folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as stream:
        manifest = json.load(stream)["copies"]
    original = record_keys(run(FTR, "report", "--raw", "-t", path)[1])
    out = []
    for entry in manifest:
        out += check_copy(entry, os.path.join(folder, entry["file"]), original)
    return out if manifest else ["the manifest is empty"]


def main():
    commands = {"columns": (columns, 1), "text": (text, 3), "expect": (expect, 2),
                "damage": (damage, 2), "agree": (agree, 4), "graph": (graph, 3),
                "kernel": (kernel, 3), "kernel-graph": (kernel_graph, 2), "ends": (ends, None), "found": (all_found, 3)}
    name, args = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if name not in commands or commands[name][1] not in (None, len(args)) or not args:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = commands[name][0](*args)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
