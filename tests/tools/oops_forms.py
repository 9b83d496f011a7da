#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftr oops parse of logs that are cut, or have other prefixes: oops_forms.py LOGS FORMATS PART...

cuts: cut at 100 places of two logs, all records before are there. heads: as the kernel's log has pushed out the
beginning at 50 places of two. prefixes: each way a line may begin, with CRLF and folded, gives what the plain log
gives. What is expected is read off the logs here. Prints "ok - ..." and "not ok - ...".
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ftr_batch                        # noqa: E402

CONTEXT = re.compile(rb"-([0-9]+ +[0-9]+[^ ]+ +[0-9]+us)[^0-9]: ")
RECORD = re.compile(rb"-([0-9]+ +\[[0-9]+\] [^ ]+ +[0-9]+\.[0-9]+): ")
STAMP = re.compile(rb"^\[ *[0-9]+\.[0-9]+\] ")
DASHES = b"---------------------------------"
FORMS = """[STAMP]
[STAMP][   T12]
[STAMP][    C1]
<0>[STAMP]
Nov 24 15:04:05 host kernel: [STAMP]
2026-11-24T15:04:05.123456+00:00 host kernel: [STAMP]
[STAMP] host kernel:
6,416,US,-;
6.12.0-amd64,6,416,US,-,caller=T12;
[15:04:05] [STAMP]
2026-11-24 15:04:05.123 [STAMP]
[2026-11-24 15:04:05] [STAMP]""".split("\n")


def event_of(text):
    """The event of a line of the log, by the words behind its context."""
    if text.startswith(b"<stack trace>"):
        return b"kernel_stack"
    call = re.match(rb"sys_([a-z0-9_]+)(\(| -> )", text)
    if call:
        return (b"sys_enter_" if call[2] == b"(" else b"sys_exit_") + call[1]
    return b"function" if b" <-" in text else text.split(b":")[0]


def log_records(log):
    """CPU, pid, flags, microseconds behind the first, event of each record in a log of the latency format."""
    out, first = [], None
    for line in log.split(b"\n"):
        line = re.sub(rb"^\[[^]]*\] ", b"", line)
        found = CONTEXT.search(line)
        if not found:
            continue
        pid, cpu, us = found[1].split()
        us = int(us[:-2])
        first = us if first is None else first
        out.append((int(cpu[:-5]), int(pid), cpu[-5:].replace(b"n", b"N"), us - first, event_of(line[found.end():])))
    return out


def file_records(text):
    """The same of what ftr report prints."""
    out, first = [], None
    for line in text.split(b"\n"):
        found = RECORD.search(line)
        if not found:
            continue
        pid, cpu, flags, stamp = found[1].split()
        us = int(stamp.replace(b".", b""))
        first = us if first is None else first
        out.append((int(cpu[1:-1]), int(pid), flags, us - first, line[found.end():].split(b":")[0]))
    return out


class Oops:
    def __init__(self, batch, logs, formats):
        self.batch, self.logs, self.formats, self.bad = batch, logs, formats, 0

    def log(self, name):
        with open(os.path.join(self.logs, name + ".log"), "rb") as stream:
            return stream.read()

    def parse(self, log):
        for name in os.listdir("."):
            if name.startswith("a.dat"):
                os.unlink(name)
        with open("form.log", "wb") as stream:
            stream.write(log)
        return self.batch.run("oops", "parse", "form.log", "-o", "a.dat", "--formats", self.formats)

    def say(self, name, details):
        print(("not ok - " if details else "ok - ") + name)
        for text in details[:20]:
            print("# " + str(text).replace("\n", "\n# "))
        self.bad |= bool(details)

    def wrong(self, what, log, want, words=""):
        """What is not as it should be of a log that has these records."""
        done = self.parse(log)
        if done.status or words not in done.err:
            return ["%s: status %d: %s" % (what, done.status, done.err)]
        got = file_records(self.batch.run("report", "a.dat").out)
        if got != want:
            return ["%s: %d records, %d in the log; the first that differs: %s" % (
                what, len(got), len(want), next((pair for pair in zip(got, want) if pair[0] != pair[1]), ""))]
        return []

    def cuts(self):
        """A record is there when its line is, whole."""
        bad, tried = [], 0
        for name in ("events", "stacks"):
            log = self.log(name)
            for i in range(1, 101):
                cut = log[:len(log) * i // 101]
                if re.search(rb"Dumping ftrace buffer:.", cut, re.S):
                    tried += 1
                    bad += self.wrong("%s, cut %d" % (name, i), cut, log_records(cut[:cut.rfind(b"\n") + 1]))
        bad += [] if tried > 150 else ["only %d have a dump" % tried]
        self.say("200 cuts: all records before them", bad)

    def heads(self):
        """What is left behind a lost beginning is a dump, up to where none is."""
        bad, tried = [], 0
        for name in ("events", "stacks"):
            log = self.log(name)
            first = log.rfind(b"\n", 0, log.index(DASHES)) + 1
            for i in range(1, 51):
                cut = log[first + 60 + (len(log) - first - 60) * i // 51 - 1:]
                want = log_records(cut)
                if len(want) > 2:
                    tried += 1
                    bad += self.wrong("%s, head %d" % (name, i), cut, want, ", the dump has no beginning")
        bad += [] if tried > 75 else ["only %d have records" % tried]
        self.say("the beginning is lost, at 100 places: all records that are left", bad)

    def prefixes(self):
        for name in ("events", "stacks", "graph"):
            log = self.log(name)
            self.parse(log)
            want = self.batch.run("report", "a.dat").out
            for form in FORMS:
                self.prefix(name, form + ("" if form.endswith(";") else " "), log, want)

    def prefix(self, name, form, log, want):
        lines = []
        for line in log.split(b"\n")[:-1]:
            stamp = STAMP.match(line)
            time = stamp[0][1:-2]
            us = re.sub(rb"[ .]", b"", time).lstrip(b"0")
            lines.append(form.encode().replace(b"STAMP", time).replace(b"US", us) + line[stamp.end():])
        folded = [line[i:i + 80] for line in lines for i in range(0, max(len(line), 1), 80)]
        done = self.parse(b"".join(line + b"\n" for line in lines))
        self.say("%s, '%s': status" % (name, form), [] if done.status == 0 else [done.status, done.err])
        self.same(want, "%s, '%s': the same records" % (name, form))
        for what, text in (("CRLF", [line + b"\r" for line in lines]), ("folded", folded)):
            self.parse(b"".join(line + b"\n" for line in text))
            self.same(want, "%s, '%s', %s: the same records" % (name, form, what))

    def same(self, want, name):
        got = self.batch.run("report", "a.dat").out
        self.say(name, [] if got == want != b"" else ["wanted:", want[:600], "got:", got[:600]])


def main():
    with ftr_batch.Batch() as batch:
        oops = Oops(batch, *sys.argv[1:3])
        for part in sys.argv[3:]:
            getattr(oops, part)()
        return oops.bad


if __name__ == "__main__":
    sys.exit(main())
