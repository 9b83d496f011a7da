#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare rows of ftr browse with the lines of the commands that have the same words.

Usage: tests/tools/same-rows.py [--seed N] [--name NAME] [--views LIST] [--times N] [--size WxH] FILE... [-- OPTION...]

Of each view, at N random times, a screen is made by going there. Its rows, without the two columns for marks, have to
be lines of the command that follow each other, cut at the width:

events    ftr report; selected is the first row that is not before the time, or the last one
graph     ftr graph, whose blocks are not in the order of their times: the screens are not all of one place
timeline  ftr timeline, of all of the file, with the column of the time marked

OPTIONs are those of both. $FTR is run. Prints result lines, and '# NAME: N rows' of each view;
exit status 1 where one failed.
"""
import argparse
import bisect
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

FTR = os.environ.get("FTR", "build/ftr")
LONG = os.environ.get("FTR_LONG") == "1"
GUTTER = 2
SELECTED, MARKED = "s", "m"
# What a file is looked at with, where --views says nothing.
VIEWS = "events,graph,timeline"
NO_SWITCH = ["no sched_switch: 'ftr record -e sched' records when tasks run"]


def width(c):
    return 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1


def cut(line, columns):
    if line.isascii():
        return line[:columns].rstrip()
    at = 0
    for i, c in enumerate(line):
        at += width(c)
        if at > columns:
            return line[:i].rstrip()
    return line.rstrip()


class Failure(Exception):
    pass


def text_of(*argv, columns=None, may_fail=None):
    """The lines that a command of ftr prints. A damaged file is told of by its status, 3, and by its words."""
    env = dict(os.environ, COLUMNS=str(columns)) if columns else None
    done = subprocess.run([FTR] + list(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, check=False)
    err = done.stderr.decode("utf-8", "replace")
    if may_fail and done.returncode and re.search(may_fail, err):
        return None
    if done.returncode != (3 if "ftr: damaged" in err else 0):
        raise Failure("ftr %s: status %d: %s" % (" ".join(argv), done.returncode, err[:2000]))
    return done.stdout.decode("utf-8").split("\n")[:-1]


# --- screens

class Screen:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")[:-1]
        # rows, of which the last one is never blank, a blank line, as many rows of letters
        height = (len(lines) - 1) // 2
        rows, self.looks = lines[:height], lines[height + 1:]
        self.room = len(rows) - 3                       # without the upper two lines and the last one
        self.body = [row[GUTTER:].rstrip() for row in rows[2:-1]]
        while self.body and not self.body[-1]:
            self.body.pop()
        self.looks = self.looks[2:-1]

    def selected(self):
        found = [i for i, look in enumerate(self.looks[:len(self.body)]) if SELECTED in look]
        if len(found) != 1:
            raise Failure("%d rows are selected" % len(found))
        return found[0]

    def marked(self):
        """In which columns of the text something is marked."""
        return {i - GUTTER for look in self.looks for i, c in enumerate(look) if c == MARKED}


class Lines:
    """Lines of a command as they are shown; at(): where those of a screen are, which may be several places."""

    def __init__(self, lines, columns):
        self.shown = [cut(line, columns) for line in lines]
        self.places = {}
        for i, line in enumerate(self.shown):
            self.places.setdefault(line, []).append(i)

    def rows_from(self, i, rows):
        """How many rows a screen has that begins with line @i and shows @rows, and the blank lines behind them."""
        end = i + rows
        while end < len(self.shown) and not self.shown[end]:
            end += 1
        return end - i

    def at(self, screen):
        body = screen.body
        found = [i for i in self.places.get(body[0] if body else "", []) if self.shown[i:i + len(body)] == body]
        if not found:
            raise Failure("its rows are not lines that follow each other: %s" % "\n".join(body[:3] or ["none"]))
        if max(self.rows_from(i, len(body)) for i in found) < min(screen.room, len(self.shown)):
            raise Failure("%d rows are left empty" % (screen.room - len(body)))
        return found


class Looked:
    """What is looked at: files, options, the size of the screen, the times to go to."""

    def __init__(self, options):
        self.files, self.more, self.name = options.files, options.more, options.name
        self.size, self.columns = options.size, int(options.size.split("x")[0]) - GUTTER
        self.times = [ts for _, ts in lines_with_times(text_of("report", "-q", "-t", *self.more, *self.files), 9)
                      if ts is not None]
        if not self.times:
            raise Failure("no line of ftr report has a time")
        self.nr_times = options.times

    def bounds(self):
        """Of all records: a call's end that ftr report shows with its begin is one, too."""
        lines = text_of("export", "-q", "--to", "json", *self.more, *self.files)
        return [int(re.match(r'{"ts":(\d+),', line)[1]) for line in (lines[0], lines[-1])]

    def random_times(self, rng):
        """Of records, a little before or behind."""
        return [max(rng.choice(self.times) + rng.choice((0, 0, 0, 1000, -1000, 50000)), 0)
                for _ in range(self.nr_times)]

    def screens(self, view, keys, *at):
        """A screen of each text of keys."""
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "keys")
            with open(script, "w", encoding="utf-8") as f:
                f.write("<wait>" + "".join("%s<wait><screen %d>\n" % (key, i) for i, key in enumerate(keys)))
            text_of("browse", "--keys", script, "--size", self.size, "--dump", folder, "--view", view, *at, *self.more,
                    *self.files)
            return [Screen("%s/%d.txt" % (folder, i)) for i in range(len(keys))]


def seconds(ns, digits=9):
    return "%d.%0*d" % (ns // 10**9, digits, ns % 10**9 // 10**(9 - digits))


def lines_with_times(lines, digits):
    found = re.compile(r"\] (?:\S+ )? *(\d+)\.(\d{%d}): " % digits)
    for line in lines:
        m = found.search(line)
        yield line, int(m[1] + m[2]) if m else None


# --- views: what each screen is of is [(text that names it, screen)]; they return how many rows were equal

def compare(screens, judge):
    rows, wrong = 0, []
    for what, screen in screens:
        try:
            judge(what, screen)
            rows += len(screen.body)
        except Failure as failure:
            wrong.append("at %s: %s" % (what, failure))
    return rows, wrong


def may_be_selected(times, wanted):
    """The numbers of lines that may be selected: of one time as it is shown there may be several."""
    i = bisect.bisect_left(times, (wanted, -1))
    if i == len(times):
        return None
    return {line for ts, line in times[i:bisect.bisect_right(times, (times[i][0], sys.maxsize))]}


def same_events(looked, rng):
    text = text_of("report", "-q", *looked.more, *looked.files)
    lines = Lines(text, looked.columns)
    times = [ts for _, ts in lines_with_times(text, 6)]
    for i in reversed(range(len(times) - 1)):           # a loss is told at the time of what follows
        if times[i] is None:
            times[i] = times[i + 1]
    # as they stand in the file: times out of order are no error
    order = sorted((ts, i) for i, ts in enumerate(times) if ts is not None)
    wanted = [ts // 1000 for ts in looked.random_times(rng)]
    screens = looked.screens("events", ["g%s<enter>" % seconds(ts * 1000, 6) for ts in wanted])

    def judge(what, screen):
        at, selected = lines.at(screen), screen.selected()
        may = may_be_selected(order, what) or {len(text) - 1}
        if not {i + selected for i in at} & may:
            raise Failure("'%s' is selected" % screen.body[selected])
    return compare(zip(wanted, screens), judge)


def same_graph(looked, rng):
    text = text_of("graph", "-q", *looked.more, *looked.files, may_fail="no records of function_graph")
    lines = Lines(text or [], looked.columns)
    wanted = looked.random_times(rng)
    # whose calls there are is by the record at that time: another one's may last as long as the file
    screens = looked.screens("graph", ["1g%s<enter><wait>3" % seconds(ts) for ts in wanted])
    places = set()

    def judge(_, screen):
        if text is None:
            if not any("function_graph" in row for row in screen.body):
                raise Failure("it does not say that there are no calls: %s" % screen.body)
            return
        at = lines.at(screen)
        screen.selected()
        places.add(at[0])
    rows, wrong = compare(zip(map(seconds, wanted), screens), judge)
    if len(lines.shown) > 100 * looked.nr_times and len(places) < looked.nr_times / 4:
        wrong.append("%d times are at %d places" % (looked.nr_times, len(places)))
    return rows, wrong


def check_marked(screen, since, until, ts):
    """The column of the time, as the head of the lanes tells where they begin and how many they are."""
    head = next((line for line in screen.body if line.startswith("# CPU")), None)
    columns = next((int(m[1]) for m in (re.match(r"# .*, (\d+) columns? of", line) for line in screen.body) if m), None)
    if head is None or columns is None or not since <= ts <= until:
        return
    column = max(i for i in range(columns) if since + (until - since) * i // columns <= ts)
    # before the lanes names are marked, of what is selected
    marked = {c for c in screen.marked() if c >= head.index("|")}
    if marked != {head.index("|") + column}:
        raise Failure("marked are columns %s, not %d" % (sorted(marked), head.index("|") + column))


def pinned_rows(body, text):
    """Of the first two rows those that the line behind them in the text does not follow, and what is above them."""
    for n in (2, 1):
        if len(body) > n and body[n - 1:n + 1] not in [text.shown[i:i + 2] for i in text.places.get(body[n - 1], [])]:
            return body[:n]
    return []


def same_timeline(looked, rng):
    """All of it, at the start, as g is of rows that have times; lanes-check.py has what is zoomed."""
    # each is a run of ftr of its own
    at = [looked.times[min(bisect.bisect_left(looked.times, ts), len(looked.times) - 1)]
          for ts in looked.random_times(rng)[:None if LONG else -(-looked.nr_times // 3)]]
    bounds, wanted, screens = looked.bounds(), [looked.times[0], looked.times[-1]] + at, []
    lines = text_of("timeline", "-q", *looked.more, *looked.files, columns=looked.columns,
                    may_fail="no sched_switch in|no records to be shown")
    text = Lines(NO_SWITCH if lines is None else lines, looked.columns)
    for ts in wanted:
        scroll = rng.choice(("", "", "<pgdn>", "<end>", "<pgdn><up>"))
        screens += looked.screens("timeline", [scroll], "--at", seconds(ts))

    def judge(ts, screen):
        # the axis and the lane of a CPU stay above lanes that are scrolled, in the order of the lines
        pinned = pinned_rows(screen.body, text)
        cpus = sum(line.startswith("CPU ") for line in pinned)
        if cpus > 1 or len(pinned) - cpus > 1 or not all(line in text.places for line in pinned):
            raise Failure("these stay above the others: %s" % "\n".join(pinned))
        screen.body, screen.room = screen.body[len(pinned):], screen.room - len(pinned)
        if screen.body and screen.body[0].startswith("# Task"):
            # one lane more would need the axis of the CPUs above it, and there is no room for both
            screen.room -= 1
        text.at(screen)
        check_marked(screen, *bounds, ts)
    return compare(zip(wanted, screens), judge)


def main():
    parser = argparse.ArgumentParser(description="rows of ftr browse beside the lines of other commands")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--name", default="rows")
    parser.add_argument("--views", default=VIEWS)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--size", default="110x30")
    parser.add_argument("files", nargs="+")
    argv = sys.argv[1:]
    at = argv.index("--") if "--" in argv else len(argv)
    options = parser.parse_args(argv[:at])
    options.more = argv[at + 1:]
    failed = False
    for view in options.views.split(","):
        name = "%s: rows of %s are lines of the command" % (options.name, view)
        rng = random.Random("%s %s %s" % (options.seed, options.name, view))
        try:
            rows, wrong = globals()["same_" + view](Looked(options), rng)
        except Failure as failure:
            rows, wrong = 0, [str(failure)]
        wrong = wrong or ([] if rows else ["no row was compared"])
        failed |= bool(wrong)
        print("%s - %s" % ("not ok" if wrong else "ok", name))
        for line in "\n".join(wrong[:10]).split("\n") if wrong else []:
            print("# " + line)
        print("# %s: %s: seed %s: %d rows" % (options.name, view, options.seed, rows))
    return failed


if __name__ == "__main__":
    sys.exit(main())
