#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds zoomed timelines of ftr browse against the states that tests/oracle/spans.py has of the whole file,
cut to the range.

lanes-check.py [--later NS] FILE SCREENS COLUMNS NAME:STEPS:WHERE...

SCREENS/NAME.txt is the screen of FILE after STEPS of the key +, of COLUMNS columns of time, with a selected time at its
begin or its end (WHERE: begin, end).  The range is that of ftr-browse(1), a lane for each CPU, one for each task that
was there at some time of it, by how long they ran in it.  --later: times on the screen are so much later than
those in the file. Prints how many rows were compared, and what differs; exit status 1 if any does.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import spans                                    # noqa: E402
import views_timeline as views                  # noqa: E402
from views_flame import saved_names             # noqa: E402

GLYPHS = {"running": "\u2588", "busy": "\u2588", "runnable": "\u2591", "preempted": "\u2592", "new": "*", "S": "\u00b7",
          "idle": "\u00b7", "unknown": "?", None: " "}
LABEL, ROWS = 24, 26


def zoomed(first, last, width, steps, where):
    """Columns of the largest power of two of which so many are at most half of all time, halved by each further +."""
    column = 1
    while 2 * column * width <= (last - first) // 2:
        column *= 2
    column >>= steps - 1
    length = column * width
    begin = first
    if where == "end":
        begin += -(-(last - first - length) // column) * column
    return begin, begin + length


def duration(ns):
    """Four digits, as ftr timeline has them."""
    rest, unit = float(ns), 0
    while rest >= 999.95 and unit < 3:
        rest, unit = rest / 1000, unit + 1
    digits = 0 if not unit or rest >= 999.95 else 3 if rest < 9.9995 else 2 if rest < 99.995 else 1
    return "%.*f %s" % (digits, rest, ("ns", "us", "ms", "s")[unit])


def clipped(stretches, columns):
    sums, end = {}, columns.begin + columns.range
    for begin, until, what in stretches:
        begin, until = max(begin, columns.begin), min(until, end)
        if begin < until and what is not None:
            sums[what] = sums.get(what, 0) + until - begin
    return sums


def lost_in(columns, some):
    return columns.losses([(max(a, columns.begin), min(b, columns.begin + columns.range)) for a, b in some
                           if b >= columns.begin and a <= columns.begin + columns.range])


def cells(states, losses):
    return "".join("!" if i in losses else GLYPHS.get(state, state and state[0]) for i, state in enumerate(states))


def labelled(text):
    if len(text) <= LABEL:
        return text
    tail = text[text.rindex("-"):]
    return text[:LABEL - len(tail) - 1] + "~" + tail


def rows(model, columns):
    """(label, cells, sums) of each lane, in their order."""
    saved, called = saved_names(model.trace), {task: comm for task, _, comm in model.tasks.names}
    cpus, tasks = [], []
    for cpu in sorted(model.tasks.cpus):
        stretches = views.cpu_stretches(model, cpu)
        states = columns.most(stretches, lambda what, some: (views.CPU_ORDER.index(what),))
        sums = clipped(stretches, columns)
        tops = clipped(model.tops.stretches(cpu, model.end_ts), columns)
        losses = lost_in(columns, [(a, b) for _, c, a, b, _ in views.gaps if c == cpu])
        cpus.append(("CPU %d" % cpu, cells(states, losses), [sums.get(what, 0) for what in views.CPU_ORDER],
                     sum(tops.values())))
    irqs = any(row[3] for row in cpus)
    cpus = [(label, lane, sums + [tops] if irqs else sums) for label, lane, sums, tops in cpus]
    for task in model.tasks.all:
        stretches = [(a, b, None if state == "dead" else state) for a, b, state in views.segments.get(task, [])]
        sums = clipped(stretches, columns)
        losses = lost_in(columns, [(a, b) for _, _, a, b, t in views.gaps if t is task])
        if task.name.startswith("0/") or not sums and not losses:
            continue
        states = columns.most(stretches, lambda what, some: views.rank(what))
        text = "%s-%s" % (called.get(task, saved.get(int(task.name.split(".")[0]), "<...>")), task.name)
        waits = sum(sums.get(what, 0) for what in ("runnable", "preempted", "new"))
        runs = sums.get("running", 0)
        sleeps = sum(sums.values()) - waits - runs - sums.get("unknown", 0)
        tasks.append((labelled(text), cells(states, losses), [runs, waits, sleeps]))
    return cpus, sorted(tasks, key=lambda row: -row[2][0])


def lines(model, columns):
    cpus, tasks = rows(model, columns)
    width = max(len(row[0]) for row in cpus + tasks + [("# Task",)])
    for some in cpus, tasks:
        yield "# " + ("CPU" if some is cpus else "Task")
        for label, lane, sums in some:
            yield ("%-*s %s" % (width, label, lane) + "".join("%9s" % duration(ns) for ns in sums)).rstrip()


def shown(path):
    """The rows of the pane; of heads only what they are of."""
    with open(path, encoding="utf-8") as f:
        rows = [line[2:] for line in f.read().split("\n\n")[0].split("\n")[2:] if line.startswith("  ")]
    return rows[:1] + [" ".join(row.split()[:2]) if row.startswith(("# CPU", "# Task")) else row.rstrip()
                       for row in rows[1:]]


def states_by_number():
    """A print fmt without letters has the number for a state's text."""
    by_letters = spans.Model.state_of

    def state_of(model, rec):
        return by_letters(model, rec) if "__print_flags" in rec.format.text else str(rec.number("prev_state", True))
    spans.Model.state_of = state_of


def seconds(ns, fine):
    return "%d.%09d" % divmod(ns, 10 ** 9) if fine else "%d.%06d" % divmod((ns + 500) // 1000, 10 ** 6)


def main():
    later = int(sys.argv[2]) if sys.argv[1] == "--later" else 0
    path, screens, width, *names = sys.argv[3:] if sys.argv[1] == "--later" else sys.argv[1:]
    states_by_number()
    views.watch()
    model = spans.read_files([path], [])[0][0]
    first, last, compared, wrong = model.tasks.first_ts, model.end_ts, 0, 0
    for name, steps, where in (word.split(":") for word in names):
        begin, end = zoomed(first, last, int(width), int(steps), where)
        fine = (end - begin) // int(width) < 10000
        head = "# %s to %s, %s columns of " % (seconds(begin + later, fine), seconds(end + later, fine), width)
        want, got = list(lines(model, views.Columns(begin, end, int(width)))), shown("%s/%s.txt" % (screens, name))
        if not got.pop(0).startswith(head):
            print("# %s: its first row is not: %s" % (name, head))
            wrong += 1
        for a, b in zip(want, got):
            compared += 1
            if a != b:
                print("# %s: wanted: %s\n# %s: got:    %s" % (name, a, name, b))
                wrong += 1
                break
        if len(got) not in (len(want) + 1, ROWS):               # the legend is behind them
            print("# %s: %d rows, not %d" % (name, len(got), len(want) + 1))
            wrong += 1
    print("%d rows" % compared)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
