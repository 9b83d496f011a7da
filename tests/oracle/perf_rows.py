#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the rows of ftr sched timehist with those of perf sched timehist, recorded at the same time.

perf_rows.py [--idle] OURS THEIRS: on each CPU the same rows in the same order, and times that are alike; --idle: of -I.
perf_rows.py --sums OURS THEIRS: of -s, how often each task came to run, and its migrations.

ftr leaves out what its own threads do among themselves; their rows are left out on both sides. perf began earlier and
ended later. Each of the two takes its time in a probe of its own, and an emulator may stop between them."""
import collections
import re
import sys

ROW = re.compile(r"^ *(\d+\.\d+) +\[(\d+)\] +(.*)$")
TIMES = re.compile(r"^(.*?)  +(-|\d+\.\d+) +(-|\d+\.\d+) +(-|\d+\.\d+)(?: +(?:-|\d+\.\d+))?(?: +next: (.*?))? *$")
OTHER = re.compile(r"^(.*?)  +(awakened|migrated): (.*?)(?: cpu (\d+) => (\d+))? *$")
NEAR = 0.3  # milliseconds


def who(text):
    """12 of "bash[12/10]". Names may differ: perf has others for some threads, and two for an idle task."""
    number = re.search(r"\[(-?\d+)(?:/-?\d+)?\]$", text.strip())
    return int(number[1]) if number else 0


def parse(path):
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
        if not any(name.startswith("ftr") for name in names):
            cpus[cpu].append((key, at, numbers))
    return cpus


def align(ours, theirs):
    """Pairs of rows in their order; rows that one side lacks have None. Rows of one key are in one order on both."""
    import difflib
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


def compare(ours, theirs, idle):
    equal = near = known = 0
    wrong = []
    for cpu in sorted(ours):
        pairs = align(ours[cpu], theirs.get(cpu, []))
        # perf began earlier and ended later
        while pairs and pairs[0][0] is None:
            pairs.pop(0)
        while pairs and pairs[-1][0] is None:
            pairs.pop()
        for one, two in join_exited(pairs):
            if one is None or two is None:
                wrong.append("CPU %d: only %s has %s" % (cpu, "perf" if one is None else "ftr", one or two))
                continue
            equal += 1
            for mine, other in zip(one[2] or (), two[2] or ()):
                # with -I perf's times of tasks are 0
                if mine != "-" and not (idle and one[0][1]):
                    known += 1
                    near += abs(float(mine) - float(other)) <= NEAR
    print("# %d rows of both, %d of one alone; %d of %d times within %.1f ms" % (equal, len(wrong), near, known, NEAR))
    for line in wrong[:20]:
        print("# " + line)
    return equal > 100 and len(wrong) <= equal // 200 and near >= 0.95 * known


def sums(path, with_parent):
    rows = {}
    for line in open(path, errors="replace"):
        m = re.match(r" *(\S.*\[\d+(?:/\d+)?\]) +" + (r"-?\d+ +" if with_parent else "") +
                     r"(\d+) +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +(\d+) *$", line)
        if m and not m[1].startswith("ftr"):
            rows[who(m[1])] = (int(m[2]), float(m[3]), int(m[4]))
    return rows


def compare_sums(ours, theirs):
    """perf records longer, so it may have more; it forgets a thread that exits, which may be switched twice then."""
    more = [name for name in ours if name not in theirs or ours[name][0] > theirs[name][0] + 2]
    same = [name for name in ours if name in theirs and ours[name][0] == theirs[name][0] and
            ours[name][2] == theirs[name][2]]
    print("# %d tasks, %d came to run as often as perf says; more often than it says: %s" %
          (len(ours), len(same), " ".join(map(str, more))))
    return len(ours) > 5 and not more and len(same) >= 5


def main():
    if sys.argv[1] == "--sums":
        return not compare_sums(sums(sys.argv[2], False), sums(sys.argv[3], True))
    idle = sys.argv[1] == "--idle"
    return not compare(parse(sys.argv[1 + idle]), parse(sys.argv[2 + idle]), idle)


if __name__ == "__main__":
    sys.exit(main())
