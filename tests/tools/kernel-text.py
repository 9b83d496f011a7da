#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds 'ftr report --format=kernel' against the kernel's own text of the same moment.

kernel-text.py [-c CLASSES] [-f FOUND] [-n LINES] [-e] [-s] CASE...
kernel-text.py -l EVENTS KERNEL FOUND

For each CASE there are CASE.dat, CASE.trace and CASE.state (options). The lines in front of the first event are left
out of both; the rest has to be the same bytes, but for the classes of the file CLASSES. Prints a line for each CASE
and, of each difference outside, up to LINES lines (10) of a diff; -e only counts them by event and shows one of each,
-s prints those within the classes as well. Adds to FOUND a line "class NAME",
"equal EVENT" or "differs EVENT" for each that occurred.

Exit status 1 if more than one line in 10,000 of all CASEs together differs outside the classes.

-l holds FOUND against the list EVENTS: lines of an event's name and the KERNELs on which its text has been seen equal.
Exit status 1 if one of them differs; names that are equal and not listed are printed.

$FTR names the program.
"""
import collections
import getopt
import os
import re
import subprocess
import sys
import tempfile

FTR = os.environ.get("FTR", "build/ftr")
ONE_IN = 10000

# "   comm-1 [000] d..1.  12.345: " up to the event's text, in any of the kernel's columns;
# or a comment of function_graph
HEAD = re.compile(rb"^.*? [0-9.+!#*@$%() us]+: (?=\S)|^.*?\|  */\* ")
EVENT = re.compile(rb"^(?:(\w+):|(sys_\w+)\(|(sys_\w+) -> )")

# Events that kernel-text-record.sh makes.
PROBES = re.compile(r"[kruefpt]\d|woken|opened|blocked")

# What latency-format counts from the moment the buffer was last reset: "  12us+: ", verbose "] 0.012ms (", " 12: " of a
# clock that is not in ns.
RELATIVE = re.compile(rb"(?<=\]) +(\d+)\.(\d{3})(?=ms \()| +(\d+)(?=us[ +!#*@$]: )| +(\d+)(?=: )")

Class = collections.namedtuple("Class", "name where theirs ours reason")


def substitution(text):
    if text == "-":
        return None
    found = re.fullmatch(r"s/((?:[^/\\]|\\.)*)/((?:[^/\\]|\\.)*)/", text)
    if not found:
        sys.exit("kernel-text.py: not a substitution: %s" % text)
    return re.compile(found[1].encode()), found[2].encode()


def classes_of(path):
    out = []
    for line in open(path, encoding="utf-8") if path else ():
        if line.startswith("#") or not line.strip():
            continue
        name, where, theirs, ours, reason = line.rstrip("\n").split("\t")
        out.append(Class(name, re.compile(where.encode()), substitution(theirs), substitution(ours), reason))
    return out


def body(data):
    """Without the heading: its lines begin with '#', but those of five '#' are part of the body."""
    lines = data.split(b"\n")
    for i, line in enumerate(lines):
        if not line.startswith(b"#") or line.startswith(b"#####"):
            return lines[i:]
    return []


def relative_of(line):
    """(match, number) of what counts from the reset of the buffer."""
    found = RELATIVE.search(line)
    return found, int(b"".join(g for g in found.groups() if g)) if found else 0


def shifted(theirs, ours):
    """Our lines with their times of latency-format, as far as they are one shift (and rounding) away from ours."""
    shift, out = None, []
    for their, our in zip(theirs, ours):
        (a, t), (b, o) = relative_of(their), relative_of(our)
        if a and b:
            shift = t - o if shift is None else shift
            if abs(t - o - shift) <= 1:
                our = our[:b.start()] + a[0] + our[b.end():]
        out.append(our)
    return out + ours[len(theirs):]


def ours_of(path):
    done = subprocess.run([FTR, "report", "--format=kernel", path], capture_output=True, timeout=600, check=False)
    return done.stdout, done.returncode, done.stderr.decode("utf-8", "replace").strip()


def hunks(theirs, ours):
    """(their lines, our lines) of each place where they differ, by diff(1)."""
    with tempfile.NamedTemporaryFile() as a, tempfile.NamedTemporaryFile() as b:
        for f, lines in ((a, theirs), (b, ours)):
            f.write(b"\n".join(lines) + b"\n")
            f.flush()
        out = subprocess.run(["diff", "-a", "--speed-large-files", a.name, b.name],
                             capture_output=True, check=False).stdout
    for line in out.split(b"\n"):
        found = re.match(rb"(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$", line)
        if not found:
            continue
        one, many, kind, two, more = found.groups()
        i, j = int(one) - (kind != b"a"), int(two) - (kind != b"d")
        yield (i, theirs[i:int(many or one)], ours[j:int(more or two)])


def same_but(classes, theirs, ours):
    """The classes after whose substitutions both are equal, or None."""
    used = []
    for c in classes:
        if not c.where.search(theirs) or (c.theirs and not c.theirs[0].search(theirs)):
            continue
        was = theirs, ours
        theirs = c.theirs[0].sub(c.theirs[1], theirs) if c.theirs else theirs
        ours = c.ours[0].sub(c.ours[1], ours) if c.ours else ours
        if was != (theirs, ours):
            used.append(c.name)
        if theirs == ours:
            return used
    return None


def event_of(line, names):
    """The event that this line begins, None where it goes on with another's."""
    head = HEAD.match(line)
    found = head and EVENT.match(line[head.end():])
    if not found:
        return None
    name = found[1] or (b"sys_enter" + found[2][3:] if found[2] else b"sys_exit" + found[3][3:])
    return name.decode() if name in names else None


class Case:
    def __init__(self, path, classes):
        self.theirs = body(open(path + ".trace", "rb").read())
        text, self.status, self.stderr = ours_of(path + ".dat")
        self.ours = body(text)
        if re.search(rb"^latency-format$", open(path + ".state", "rb").read(), re.M):
            self.ours = shifted(self.theirs, self.ours)
        self.names = set(re.findall(rb"name: (\w+)\nID: ", open(path + ".dat", "rb").read(), re.M))
        self.classes = collections.Counter()
        self.outside, self.within = [], []		# (line number, their lines, our lines)
        self.bad = set()
        for at, theirs, ours in hunks(self.theirs, self.ours) if self.theirs != self.ours else ():
            self.hunk(at, theirs, ours, classes)

    def hunk(self, at, theirs, ours, classes):
        if len(theirs) != len(ours):
            self.outside.append((at, theirs, ours))
            self.bad.update(range(at, at + max(1, len(theirs))))
            return
        for i, pair in enumerate(zip(theirs, ours)):
            if pair[0] == pair[1]:
                continue
            used = same_but(classes, *pair)
            if used is None:
                self.outside.append((at + i, [pair[0]], [pair[1]]))
                self.bad.add(at + i)
            else:
                self.within.append((at + i, [pair[0]], [pair[1]]))
                self.classes.update(used)

    def differences(self):
        return sum(max(len(t), len(o)) for _, t, o in self.outside)

    def one_of_each(self):
        """(how many, name, place) by event"""
        at = {i: (at, t, o) for at, t, o in self.outside for i in range(at, at + max(1, len(t)))}
        seen, count, now = {}, collections.Counter(), None
        for i, line in enumerate(self.theirs):
            now = event_of(line, self.names) or now
            if i in at:
                seen.setdefault(now, at[i])
                count[now] += 1
        return [(n, name, seen[name]) for name, n in count.most_common()]

    def events(self):
        """equal and different ones"""
        equal, differs, now = set(), set(), None
        for i, line in enumerate(self.theirs):
            now = event_of(line, self.names) or now
            if now:
                (differs if i in self.bad else equal).add(now)
        return equal - differs, differs


def show(places, limit):
    for at, theirs, ours in places:
        for sign, lines in (("-", theirs), ("+", ours)):
            for line in lines:
                if limit == 0:
                    return
                limit -= 1
                print("# %6d %s%s" % (at + 1, sign, line.decode("utf-8", "backslashreplace")))


def against_list(path, kernel, found):
    listed = {f[0] for f in map(str.split, open(path, encoding="utf-8")) if kernel in f[1:] and f[0] != "#"}
    seen = collections.defaultdict(set)
    for line in open(found, encoding="utf-8"):
        what, name = line.split()
        seen[what].add(name)
    wrong = sorted(listed & seen["differs"])
    # probes and synthetic events of the test itself aside
    new = sorted(n for n in seen["equal"] - seen["differs"] - listed if not PROBES.fullmatch(n))
    for name in wrong:
        print("# %s: listed as equal on %s, and differs" % (name, kernel))
    for name in new:
        print("# %s: equal on %s, and not listed" % (name, kernel))
    sys.exit(1 if wrong else 0)


def main():
    opts, cases = getopt.getopt(sys.argv[1:], "c:f:n:esl:")
    opts = dict(opts)
    if "-l" in opts:
        against_list(opts["-l"], *cases)
    classes = classes_of(opts.get("-c"))
    found, lines, outside, failed = set(), 0, 0, False
    for path in cases:
        case = Case(path, classes)
        lines += len(case.theirs)
        outside += case.differences()
        failed |= case.status != 0
        print("# %s: %d lines, %d differ%s%s" % (
            os.path.basename(path), len(case.theirs), case.differences(),
            "".join(", %s %d" % c for c in sorted(case.classes.items())),
            " (status %d: %s)" % (case.status, case.stderr[:200]) if case.status else ""))
        for n, name, place in case.one_of_each() if "-e" in opts else ():
            print("# %d of %s" % (n, name))
            show([place], 4)
        if "-e" not in opts:
            show(case.outside, int(opts.get("-n", 10)))
        if "-s" in opts:
            show(case.within, -1)
        found.update("class " + c for c in case.classes)
        for what, names in zip(("equal", "differs"), case.events()):
            found.update("%s %s" % (what, n) for n in names)
    if "-f" in opts:
        with open(opts["-f"], "a", encoding="utf-8") as f:
            f.writelines(sorted("%s\n" % w for w in found))
    print("# together: %d lines, %d differ" % (lines, outside))
    sys.exit(1 if failed or outside * ONE_IN > lines else 0)


if __name__ == "__main__":
    main()
