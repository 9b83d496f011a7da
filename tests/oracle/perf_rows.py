#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the rows of ftr sched timehist with those of perf sched timehist, recorded at the same time.

perf_rows.py [--idle] OURS THEIRS: on each CPU the same rows in the same order, and times that are alike; --idle: of -I.
perf_rows.py --sums OURS THEIRS: of -s, how often each task came to run, and its migrations.

ftr leaves out what its own threads do among themselves; their rows are left out on both sides. perf began earlier and
ended later. Each of the two takes its time in a probe of its own, and an emulator may stop between them: the time
between the two is then another than that of the other rows, and a time of a row may be off by as much as the rows that
it is taken from.

perf counts the delay from sched_waking alone. Where a task is woken while it is on its way off the CPU, that comes
before its switch, and perf has 0.000; ftr has the delay from the sched_wakeup, which comes afterwards."""
import bisect
import collections
import difflib
import re
import statistics
import sys

ROW = re.compile(r"^ *(\d+\.\d+) +\[(\d+)\] +(.*)$")
TIMES = re.compile(r"^(.*?)  +(-|\d+\.\d+) +(-|\d+\.\d+) +(-|\d+\.\d+)(?: +(?:-|\d+\.\d+))?(?: +next: (.*?))? *$")
OTHER = re.compile(r"^(.*?)  +(awakened|migrated): (.*?)(?: cpu (\d+) => (\d+))? *$")
NEAR = 0.3  # milliseconds
DELAY = 1  # the second time of a row


def who(text):
    """12 of "bash[12/10]". Names may differ: perf has others for some threads, and two for an idle task."""
    number = re.search(r"\[(-?\d+)(?:/-?\d+)?\]$", text.strip())
    return int(number[1]) if number else 0


def parse(path, with_ftr=False):
    """{cpu: [(key, seconds, times)]}; times are wait, delay, run of a row that has them."""
    cpus = collections.defaultdict(list)
    for line in open(path, errors="replace"):
        row = ROW.match(line)
        if not row:
            continue
        at, cpu, rest = float(row[1]), int(row[2]), row[3]
        other, times = OTHER.match(rest), TIMES.match(rest)
        if other:
            names, numbers = (other[1], other[3]), None
            key = (other[2], who(other[1]), who(other[3]), other[4], other[5])
        elif times:
            names, numbers = (times[1], times[5] or ""), times.groups()[1:4]
            key = ("run", who(names[0]), who(names[1]))
        else:
            raise SystemExit("%s: not understood: %s" % (path, line))
        if with_ftr or not any(name.startswith("ftr") for name in names):
            cpus[cpu].append((key, at, numbers))
    return cpus


def align(ours, theirs):
    """Pairs of rows in their order; rows that one side lacks have None. Rows of one key are in one order on both."""
    pairs = []
    matcher = difflib.SequenceMatcher(None, [r[0] for r in ours], [r[0] for r in theirs], autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            pairs += zip(ours[a:b], theirs[c:d])
        else:
            pairs += [(r, None) for r in ours[a:b]] + [(None, r) for r in theirs[c:d]]
    return pairs


def join_exited(pairs):
    """perf forgets a thread when it exits: what it does after that is of -1."""
    exited = [two for one, two in pairs if one is None and -1 in two[0][1:3]]
    for one, two in pairs:
        same = next((e for e in exited if two is None and e[0][0] == one[0][0] and
                     all(mine == other or other == -1 for mine, other in zip(one[0][1:], e[0][1:]))), None)
        if same:
            exited.remove(same)
        elif one is not None or -1 not in two[0][1:3]:
            yield one, two
    yield from ((None, two) for two in exited)


def rows_of_both(ours, theirs):
    """Pairs, and a line for each row that one side alone has."""
    pairs, wrong = [], []
    for cpu in sorted(ours):
        beside = align(ours[cpu], theirs.get(cpu, []))
        # perf began earlier and ended later
        while beside and beside[0][0] is None:
            beside.pop(0)
        while beside and beside[-1][0] is None:
            beside.pop()
        for one, two in join_exited(beside):
            if one is None or two is None:
                wrong.append("CPU %d: only %s has %s" % (cpu, "perf" if one is None else "ftr", one or two))
            else:
                pairs.append((one, two))
    return pairs, wrong


class Stops:
    """How far apart the two probes were, beyond what is usual, at the rows of each task and of each CPU's idle task."""

    def __init__(self, pairs):
        usual = statistics.median(two[1] - one[1] for one, two in pairs)
        self.of = collections.defaultdict(list)
        for one, two in sorted(pairs, key=lambda pair: pair[0][1]):
            for task in set(one[0][1:3]):
                self.of[task].append((one[1], 1000 * abs(two[1] - one[1] - usual)))

    def before(self, task, at):
        """Milliseconds by which a time of the row may be off: the last rows say when the task was woken, came, went."""
        rows = self.of[task]
        last = bisect.bisect(rows, (at, float("inf")))
        return sum(off for _, off in rows[max(0, last - 6):last])


def never_woken(theirs):
    """{(task, seconds)}: the rows of perf in which the last waking came before the task had left its CPU."""
    rows = sorted((row for cpu in theirs.values() for row in cpu), key=lambda row: row[1])
    woken, left, found = collections.defaultdict(list), {}, set()
    for key, at, times in rows:
        if key[0] == "awakened":
            woken[key[2]].append(at)
        elif key[0] == "run":
            before = bisect.bisect(woken[key[1]], at - float(times[2]) / 1000)
            if before and woken[key[1]][before - 1] < left.get(key[1], 0):
                found.add((key[1], at))
            left[key[1]] = at
    return found


def compare(ours, theirs, early, idle):
    pairs, wrong = rows_of_both(ours, theirs)
    stops, near, known, far = Stops(pairs), 0, 0, []
    for one, two in pairs:
        for i, (mine, other) in enumerate(zip(one[2] or (), two[2] or ())):
            if i == DELAY and (two[0][1], two[1]) in early:
                continue
            # with -I perf's times of tasks are 0
            if mine != "-" and not (idle and one[0][1]):
                known += 1
                if abs(float(mine) - float(other)) <= NEAR + stops.before(one[0][1], one[1]):
                    near += 1
                else:
                    far.append("far: %s %s" % (one, two))
    print("# %d rows of both, %d of one alone; %d of %d times within %.1f ms" % (
        len(pairs), len(wrong), near, known, NEAR))
    for line in wrong[:20] + far[:20]:
        print("# " + line)
    return len(pairs) > 100 and len(wrong) <= len(pairs) // 200 and near >= 0.99 * known


def sums(path, with_parent):
    rows = {}
    for line in open(path, errors="replace"):
        m = re.match(r" *(\S.*\[-?\d+(?:/\d+)?\]) +" + (r"-?\d+ +" if with_parent else "") +
                     r"(\d+) +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +(\d+) *$", line)
        if m and not m[1].startswith("ftr"):
            rows[who(m[1])] = (int(m[2]), float(m[3]), int(m[4]))
    return rows


def compare_sums(ours, theirs):
    """perf records longer, so it may have more. What a thread does after its exit is in perf's row of -1."""
    more = {name: ours[name][0] - theirs.get(name, (0,))[0] for name in ours}
    more = {name: count for name, count in more.items() if count > 0}
    exited = theirs.get(-1, (0,))[0]
    same = [name for name in ours if name in theirs and ours[name][0] == theirs[name][0] and
            ours[name][2] == theirs[name][2]]
    print("# %d tasks, %d came to run as often as perf says; of %d times it has no task; more often than it says: %s" %
          (len(ours), len(same), exited, " ".join("%d: %d" % row for row in more.items())))
    return len(ours) > 5 and sum(more.values()) <= exited and len(same) >= 5


def main():
    if sys.argv[1] == "--sums":
        return not compare_sums(sums(sys.argv[2], False), sums(sys.argv[3], True))
    idle = sys.argv[1] == "--idle"
    ours, theirs = sys.argv[1 + idle:]
    return not compare(parse(ours), parse(theirs), never_woken(parse(theirs, True)), idle)


if __name__ == "__main__":
    sys.exit(main())
