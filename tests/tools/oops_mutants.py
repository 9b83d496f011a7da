#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What ftr oops show names of logs that are damaged: oops_mutants.py TRUTH FORMS N SEED

TRUTH has a line for each log, its path beginning at TRUTH's folder: LOG|head|function|task|CPU|in an interrupt, the
head a regular expression. Each log with FORMS ("all", or a number by the seed) of the prefixes that lines may have
gives the truth. Of each of N logs made of it, cut, swapped, thinned, nothing is said that is not so: where the log does
not tell, null, "told": false and the words for it. Prints "ok - ..." and "not ok - ...". In $KEEP are those that fail.
"""
import json
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ftr_batch                        # noqa: E402
import oops_forms                       # noqa: E402

STAMP = re.compile(rb"\[ *[0-9]+\.[0-9]+\] ")
FRAME = re.compile(rb"([A-Za-z0-9_.]+)\+0x[0-9a-f]+/0x[0-9a-f]+")
OTHERS = [b"systemd[1]: Started a thing.", b"usb 1-1: new high-speed USB device number 2 using xhci_hcd",
          b"e1000: eth0 NIC Link is Up 1000 Mbps Full Duplex", b"audit: type=1400 pid=1234 comm=\"other\""]


class Truth:
    def __init__(self, folder, row):
        path, self.head, function, self.task, cpu, irq = row.rstrip("\n").split("|")
        self.name = os.path.basename(path)
        self.function = None if function == "None" else function
        self.cpu, self.irq = None if cpu == "None" else int(cpu), irq == "True"
        with open(os.path.join(folder, path), "rb") as stream:
            self.log = stream.read()
        begin = re.search(rb"(?m)^\[ *[0-9.]+\] " + self.head.encode() + rb"\r?$", self.log)
        if not begin:
            raise SystemExit("%s: no line is its head" % self.name)
        # the kernel's own lines, up to the next text; where that is a panic without a stack before it, its stack
        texts = re.split(rb"\] (?:Kernel panic|---\[ end trace)", self.log[begin.start():])
        self.stack = {name.decode() for name in next(filter(None, map(FRAME.findall, texts)), ())}

    def wrong(self, shown, text):
        """What is said that is not so."""
        bad, oops, task = [], shown["oops"], shown["task"]
        if oops:
            head = oops["head"].encode()
            if head not in self.log:
                bad.append("head: %s" % head)
            place = oops["place"] and oops["place"].split("+")[0]
            if oops["place_told"] and place != self.function:
                bad.append("place: %s" % place)
            if place and not oops["place_told"] and place not in self.stack:
                bad.append("on top of its stack: %s" % place)
            if oops["interrupt"] and not self.irq:
                bad.append("in an interrupt")
        if task and task["told"] and task["task"] not in (self.task, "<...>-" + self.task.split("-")[-1]):
            bad.append("task: %s" % task["task"])
        if task and not task["told"] and "of the last record" not in text:
            bad.append("task of the last record: it is not said")
        if shown["cpu_told"] and shown["cpu"] != self.cpu:
            bad.append("CPU: %s" % shown["cpu"])
        if "where the task ran last" in text and shown["cpu"] != self.cpu:
            bad.append("CPU where the task ran last: %s" % shown["cpu"])
        return bad

    def lacks(self, shown):
        """What is not said, or not so."""
        oops, bad = shown["oops"] or {}, []
        for what, want, got in (("head", True, bool(re.fullmatch(self.head, oops.get("head") or ""))),
                                ("function", self.function, (oops.get("place") or "").split("+")[0] or None),
                                ("task", self.task, (shown["task"] or {}).get("task")),
                                ("CPU", self.cpu, shown["cpu"]), ("in an interrupt", self.irq, oops.get("interrupt"))):
            if want != got:
                bad.append("%s: %s, not %s" % (what, got, want))
        return bad


def in_text(rng, lines):
    """The number of a line, more often one of the oops than a record of the dump."""
    others = [i for i, line in enumerate(lines) if not oops_forms.CONTEXT.search(line)]
    return rng.choice(others) if others and rng.random() < 0.8 else rng.randrange(len(lines))


def cut_head(rng, log):
    lines = log.split(b"\n")
    at = sum(len(line) + 1 for line in lines[:in_text(rng, lines)])
    return log[at + rng.randrange(40):]


def cut_tail(rng, log):
    lines = log.split(b"\n")
    at = sum(len(line) + 1 for line in lines[:in_text(rng, lines)])
    return log[:at + rng.randrange(100)]


def cut_lines(rng, log):
    lines = log.split(b"\n")
    for _ in range(rng.randrange(1, 12)):
        at = in_text(rng, lines)
        lines[at] = lines[at][:rng.randrange(len(lines[at]) + 1)]
    return b"\n".join(lines)


def cut_columns(rng, log):
    width = rng.randrange(50, 130)
    return b"\n".join(line[:width] for line in log.split(b"\n"))


def swap(rng, log):
    lines = log.split(b"\n")
    for _ in range(rng.randrange(1, 30)):
        a = in_text(rng, lines)
        b = min(len(lines) - 1, a + rng.choice((1, 1, 1, 2, 3, 8)))
        lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def thin(rng, log):
    every = rng.choice((2, 3, 4, 5, 7, 10, 20))
    first = rng.randrange(every)
    return b"\n".join(line for i, line in enumerate(log.split(b"\n")) if i % every != first)


def drop(rng, log):
    lines = log.split(b"\n")
    for _ in range(rng.randrange(1, 20)):
        at = in_text(rng, lines)
        if len(lines) > 1:
            del lines[at:at + rng.choice((1, 1, 1, 2, 5, 20))]
        lines = lines or [b""]
    return b"\n".join(lines)


def mix(rng, log):
    """Lines of others between, with a stamp or without, of firmware glued to the next."""
    lines = log.split(b"\n")
    for _ in range(rng.randrange(1, 20)):
        at, text = in_text(rng, lines), rng.choice(OTHERS)
        stamp = STAMP.match(lines[at])
        if rng.random() < 0.3:
            lines[at] = text[:11] + b" " + lines[at]
        else:
            lines.insert(at, (stamp[0] if stamp else b"") + text)
    return b"\n".join(lines)


def prefixed(form, log):
    out = []
    for line in log.split(b"\n"):
        stamp = STAMP.match(line)
        if not stamp:
            out.append(line)
            continue
        time = stamp[0][1:-2]
        us = re.sub(rb"[ .]", b"", time).lstrip(b"0")
        out.append(form.encode().replace(b"STAMP", time).replace(b"US", us) + line[stamp.end():])
    return b"\n".join(out)


def prefix(rng, log):
    return prefixed(rng.choice(FORMS), log)


FORMS = [form + ("" if form.endswith(";") else " ") for form in oops_forms.FORMS]
WAYS = (cut_head, cut_tail, cut_lines, cut_columns, swap, thin, drop, mix)


class Mutants:
    def __init__(self, batch):
        self.batch, self.bad, self.told = batch, 0, [0, 0]

    def show(self, log):
        """What is said of the last dump in the log, as JSON and as text; None without a dump."""
        for name in os.listdir("."):
            if name.startswith("m.dat"):
                os.unlink(name)
        with open("m.log", "wb") as stream:
            stream.write(log)
        done = self.batch.run("oops", "parse", "-q", "m.log", "-o", "m.dat")
        if done.status == 1 and "has no trace" in done.err:
            return None
        if done.status not in (0, 3):
            raise ValueError("parse: status %d: %s" % (done.status, done.err))
        shown = self.batch.run("oops", "show", "-q", "--json", "m.dat")
        text = self.batch.run("oops", "show", "-q", "--last", "1", "m.dat")
        if shown.status or text.status:
            raise ValueError("show: status %d, %d: %s" % (shown.status, text.status, shown.err))
        return json.loads(shown.out), text.out.decode("ascii").split("\n\n")[0]

    def say(self, name, bad):
        print(("not ok - " if bad else "ok - ") + name)
        for text in bad[:10]:
            print("# " + str(text).replace("\n", "\n# "))
        self.bad |= bool(bad)

    def forms(self, truth, number, seed):
        bad, forms = [], FORMS
        if number != "all":
            forms = random.Random("%s %s" % (truth.name, seed)).sample(FORMS, int(number))
        for form in forms:
            try:
                shown = self.show(prefixed(form, truth.log))
                lacks = truth.lacks(shown[0]) if shown else ["no dump"]
            except ValueError as error:
                lacks = [error]
            bad += ["'%s': %s" % (form, text) for text in lacks]
        self.say("%s, %d prefixes: each gives the truth" % (truth.name, len(forms)), bad)

    def mutants(self, truth, number, seed):
        bad = []
        for i in range(number):
            rng = random.Random("%s %s %d" % (truth.name, seed, i))
            ways = rng.sample(WAYS, rng.choice((1, 1, 2, 3)))
            if rng.random() < 0.3:
                ways.append(prefix)
            log = truth.log
            for way in ways:
                log = way(rng, log)
            try:
                shown = self.show(log)
                wrong = truth.wrong(*shown) if shown else []
                self.told[0] += 1
                self.told[1] += bool(shown and not truth.lacks(shown[0]))
            except ValueError as error:
                wrong = [error]
            bad += ["mutant %d, %s: %s" % (i, " ".join(way.__name__ for way in ways), text) for text in wrong]
            if wrong and os.environ.get("KEEP"):
                with open("%s/%s-%d.log" % (os.environ["KEEP"], truth.name, i), "wb") as stream:
                    stream.write(log)
        self.say("%s, seed %s: %d damaged logs: nothing is said that is not so" % (truth.name, seed, number), bad)


def main():
    path, forms, number, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    with open(path, encoding="utf-8") as stream:
        truths = [Truth(os.path.dirname(path), row) for row in stream if not row.startswith("#")]
    with ftr_batch.Batch() as batch:
        mutants = Mutants(batch)
        for truth in truths:
            mutants.forms(truth, forms, seed)
            mutants.mutants(truth, number, seed)
    print("# %d of %d damaged logs tell the whole truth" % (mutants.told[1], mutants.told[0]))
    return mutants.bad


if __name__ == "__main__":
    sys.exit(main())
