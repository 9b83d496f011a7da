#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prefixes that loggers, consoles, mails and CI systems put before the lines of a kernel's log, made by a grammar.

log_prefixes.py SEED N LOG: of a log in the plain form "[   12.345678] text", writes N forms LOG.0 ... and prints what
each is made of. A prefix is a chain of layers, outer ones first, each of which has values that change from line to line
(times, counters, tasks, levels) and others that do not (hosts, tags). The layers know nothing of what ftr parses.
"""
import json
import random
import re
import sys

WORDS = "alpha lava kernel qemu-1 node7 board rack2.lab ttyS0 console worker vm_3 HOST pod-x9f2 tgt".split()
TASKS = ["bash", "swapper/0", "kworker/0:1", "rcu_sched", "init", "Binder:412_3", "cyclictest"]
LEVELS = "emerg alert crit err warn notice info debug".split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


class Line:
    def __init__(self, number, ns, text):
        self.number, self.ns, self.text = number, ns, text


def clock(line, start):
    """Seconds of the day at the line."""
    return start + line.ns // 10 ** 9


def hms(seconds):
    return "%02d:%02d:%02d" % (seconds // 3600 % 24, seconds // 60 % 60, seconds % 60)


# --- layers: each takes a random generator and returns a function of (line, text) that wraps the text

def quote(rng):
    mark = rng.choice(["> ", ">> ", "> > ", "| ", ": ", ">"])
    return lambda line, text: mark + text


def indent(rng):
    blanks = rng.choice(["  ", "    ", "\t", "        ", "\t\t"])
    return lambda line, text: blanks + text


def line_number(rng):
    form, first = rng.choice(["%d:", "%6d  ", "%6d\t", "L%d: ", "%04d| "]), rng.choice([1, 95, 990])
    return lambda line, text: form % (first + line.number) + text


def iso_time(rng):
    start, mark, zone = rng.randrange(80000), rng.choice("T "), rng.choice(["Z", "+00:00", "+0530", "", "-08:00"])
    digits, point = rng.choice([0, 3, 6, 7, 9]), rng.choice(".,")
    ends = rng.choice([" ", ": ", " - ", "\t"])

    def wrap(line, text):
        part = point + ("%09d" % (line.ns % 10 ** 9))[:digits] if digits else ""
        return "2026-11-27%s%s%s%s%s" % (mark, hms(clock(line, start)), part, zone, ends) + text
    return wrap


def bracket_time(rng):
    start, form = rng.randrange(80000), rng.choice(["[%s] ", "(%s) ", "[%s]: ", "<%s> "])
    return lambda line, text: form % hms(clock(line, start)) + text


def ctime(rng):
    start, day = rng.randrange(80000), rng.randrange(1, 29)
    head = "[%s %s %2d " % (rng.choice(DAYS), rng.choice(MONTHS), day)
    return lambda line, text: head + hms(clock(line, start)) + " 2026] " + text


def syslog(rng):
    start, day = rng.randrange(80000), rng.randrange(1, 29)
    head, host = "%s %2d " % (rng.choice(MONTHS), day), rng.choice(WORDS)
    digits, tag = rng.choice([0, 0, 3, 6]), rng.choice(["kernel: ", "klogd[77]: ", "kernel:", "kern.warn kernel: "])

    def wrap(line, text):
        part = "." + ("%09d" % (line.ns % 10 ** 9))[:digits] if digits else ""
        return head + hms(clock(line, start)) + part + " " + host + " " + tag + text
    return wrap


def level(rng):
    kind = rng.randrange(3)
    levels = [rng.choice(LEVELS) for _ in range(50)]

    def wrap(line, text):
        word = levels[line.number % 50]
        if kind == 0:
            return "<%d>" % LEVELS.index(word) + text
        if kind == 1:
            return "%-6s:%-6s: " % ("kern", word) + text
        return "%s " % word.upper()[0] + text
    return wrap


def tag(rng):
    word, form = rng.choice(WORDS), rng.choice(["%s | ", "[%s] ", "%s: ", "(%s) ", "%s> ", "%s  | ", "#%s# "])
    return lambda line, text: form % word + text


def counter(rng):
    form, first, step = rng.choice(["%d ", "#%d ", "%08d ", "[%d] "]), rng.choice([7, 98, 99990]), rng.randrange(1, 9)
    return lambda line, text: form % (first + step * line.number) + text


def stamp(rng):
    """printk's own."""
    return lambda line, text: "[%5d.%06d] " % (line.ns // 10 ** 9, line.ns // 1000 % 10 ** 6) + text


def stamp_and_caller(rng):
    ids = [rng.choice(["T%d" % rng.randrange(1, 3000), "C%d" % rng.randrange(8)]) for _ in range(50)]
    return lambda line, text: "[%5d.%06d][%6s] " % (line.ns // 10 ** 9, line.ns // 1000 % 10 ** 6,
                                                    ids[line.number % 50]) + text


def cpu_and_task(rng):
    tasks = [(rng.randrange(8), rng.randrange(1, 32000), rng.choice(TASKS)) for _ in range(50)]
    form = rng.choice(["(%d)[%d:%s]", " (%d)[%d:%s]", "-(%d)[%d:%s] "])
    return lambda line, text: form % tasks[line.number % 50] + text


def seconds_of_day(rng):
    start, digits = rng.randrange(1000), rng.choice([1, 2, 3])
    return lambda line, text: "%.*f: " % (digits, start + line.ns / 1e9) + text


# --- around whole lines

def colour(rng):
    code, other = rng.randrange(31, 37), rng.randrange(31, 37)
    return lambda line, text: "\033[%dm\033[0;%d;1m%s\033[0m" % (code, other, text)


def quoted(rng):
    name = rng.choice(["log", "msg", "line"])
    return lambda line, text: '%s="%s"' % (name, text)


def carriage(rng):
    return lambda line, text: text + "\r"


def json_line(rng):
    monotonic, source = rng.random() < 0.5, rng.choice(["kernel", "host"])

    def wrap(line, text):
        record = {"_TRANSPORT": "kernel", "MESSAGE": text, "PRIORITY": str(line.number % 8),
                  "SYSLOG_IDENTIFIER": source}
        if monotonic:
            record = {"__MONOTONIC_TIMESTAMP": str(line.ns // 1000), **record}
        return json.dumps(record)
    return wrap


OUTER = [quote, indent, line_number, tag, counter, iso_time, bracket_time, seconds_of_day]
MIDDLE = [syslog, iso_time, ctime, level, tag, bracket_time]
INNER = [stamp, stamp, stamp, stamp_and_caller, None, cpu_and_task]
AROUND = [None, None, None, colour, carriage, quoted]


def make_form(rng):
    """(names, functions), the innermost first. A form of JSON holds no more than what is in a message."""
    if rng.random() < 0.12:
        chosen = [json_line] + ([quote] if rng.random() < 0.3 else [])
    else:
        inner = rng.choice(INNER)
        chosen = [cpu_and_task, stamp] if inner is cpu_and_task else [inner]
        chosen += rng.sample(MIDDLE, rng.choice([0, 1, 1])) + rng.sample(OUTER, rng.choice([0, 0, 1, 1, 2]))
        chosen += [rng.choice(AROUND)]
    chosen = [layer for layer in chosen if layer]
    return [layer.__name__ for layer in chosen], [layer(rng) for layer in chosen]


def read_log(path):
    out = []
    with open(path, encoding="utf-8") as stream:
        for number, row in enumerate(stream):
            found = re.fullmatch(r"\[ *(\d+)\.(\d{6})\] (.*)\n?", row)
            out.append(Line(number, int(found[1]) * 10 ** 9 + int(found[2]) * 1000, found[3]))
    return out


def main():
    seed, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    lines = read_log(path)
    for i in range(count):
        names, layers = make_form(rng)
        with open("%s.%d" % (path, i), "w", encoding="utf-8", newline="") as stream:
            for line in lines:
                text = line.text
                for layer in layers:
                    text = layer(line, text)
                stream.write(text + "\n")
        with open("%s.%d" % (path, i), encoding="utf-8") as stream:
            stamped = any(name.startswith("stamp") for name in names) or "MONOTONIC" in stream.read()
        print(i, "stamped" if stamped else "bare", *(names or ["nothing"]))


if __name__ == "__main__":
    main()
