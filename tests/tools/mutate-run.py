#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs commands that read over mutated files, many a second: no signal, no report of a sanitizer, no hang.

mutate-run.py [--seed N] [--count N | --seconds N] [--only I] [--verb TEXT] [--keep DIR] [--folder DIR]
              files|logs|races|rows|own

files: all rows of reading.py on mutated recordings.  logs: oops parse of mutated logs, and commands on what comes out;
one in --grow N (100) becomes up to 8 MiB long.  races: what has threads, on larger files, every other one mutated.
rows: each row of the tables on a good file is no error of usage.  own: what a finding looks like is found.

Input I depends on the seed alone; --only I does this one, and prints its command line.  --verb TEXT: only rows that
begin so, which makes other inputs.  Inputs that fail are in --keep (the build's folder 'mutated'), with their command
lines.  The program is $FTR_BUILD/tests/tools/ftr_batch.

Of each run: the status is 0 to 3, no word of a sanitizer, nothing written but what -o names, the file as it was,
what is to be JSON is; at most CPU_SECONDS and MEMORY_MIB.  At the end a line for each verb: inputs, and statuses.
"""
import argparse
import collections
import importlib
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ftr_batch                        # noqa: E402
import mutations                        # noqa: E402
import reading                          # noqa: E402
random_keys = importlib.import_module("random-keys")

CPU_SECONDS, WALL_SECONDS, MEMORY_MIB = 20, 300, 512
OUTPUT_MIB = 256
JSON_MOST = 4 << 20
FORMATS = os.path.join(mutations.OOPS, "formats.txt")
BAD = re.compile("Sanitizer|runtime error:|WARNING: Thread")
OWN_FILES = re.compile(r"(in|other)\.dat(\.cpu[01])?|formats|keys|in\.log")
SAN_OPTIONS = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=1:quarantine_size_mb=8:max_allocation_size_mb=1024",
               "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99:print_stacktrace=1",
               "LSAN_OPTIONS": "print_suppressions=0:suppressions=%s/tests/lsan.supp" % mutations.TOP,
               "TSAN_OPTIONS": "exitcode=66:halt_on_error=1"}


class Place:
    """A folder for each run: what is written into it, and what elsewhere."""

    def __init__(self, folder):
        self.top = folder
        self.cwd, self.home, self.tmp = (os.path.join(folder, name) for name in ("run", "home", "tmp"))
        self.clean()

    def clean(self):
        for path in self.cwd, self.home, self.tmp:
            shutil.rmtree(path, ignore_errors=True)
            os.mkdir(path)

    def put(self, name, data):
        with open(os.path.join(self.cwd, name), "wb") as stream:
            stream.write(data)

    def get(self, name, most=-1):
        with open(os.path.join(self.cwd, name), "rb") as stream:
            return stream.read(most)

    def strays(self, wanted):
        """What is there that no option named."""
        found = [name for name in os.listdir(self.cwd) if not OWN_FILES.fullmatch(name) and not wanted.match(name)]
        return found + os.listdir(self.home) + os.listdir(self.tmp)


def json_fault(text):
    """A document or an object a line."""
    try:
        try:
            json.loads(text)
        except ValueError:
            for line in text.split("\n"):
                if line:
                    json.loads(line)
    except (ValueError, RecursionError) as error:
        return str(error)
    return None


class Runner:
    def __init__(self, args, folder):
        self.args, self.place, self.verbs = args, Place(folder), collections.defaultdict(collections.Counter)
        self.failed, self.inputs, self.slowest, self.largest = 0, 0, (0, ""), (0, "")
        limit = ["prlimit", "--fsize=%d" % (OUTPUT_MIB << 20), "--core=0"]
        self.batch = ftr_batch.Batch(limit, FTR_CONFIG="", HOME=self.place.home, TMPDIR=self.place.tmp, TZ="UTC",
                                     LC_ALL="C.UTF-8", **SAN_OPTIONS)

    def faults(self, words, done, wanted):
        out = []
        if done.status not in (0, 1, 2, 3):
            out.append("status %d" % done.status)
        if BAD.search(done.err):
            out.append("a sanitizer's report")
        if done.status == 1 and not done.err:
            out.append("it fails without a word")
        if done.seconds > CPU_SECONDS:
            out.append("%.1f s of CPU" % done.seconds)
        if done.kib > MEMORY_MIB << 10 and self.args.part != "races":
            out.append("%d MiB of memory" % (done.kib >> 10))
        strays = self.place.strays(wanted)
        if strays:
            out.append("it wrote %s" % ", ".join(strays))
        if "--json" in words and done.status in (0, 3) and len(done.out) < JSON_MOST:
            fault = json_fault(done.out.decode("utf-8", "replace"))
            if fault:
                out.append("no JSON: " + fault)
        return out

    def run(self, number, verb, words, wanted=re.compile("$^"), stdin="/dev/null"):
        """The status; what is wrong is said, and the input kept."""
        words = ["--no-pager", *words]
        settings = {"in": stdin, "seconds": WALL_SECONDS, "cwd": self.place.cwd}
        done = self.batch.run(*words, **settings)
        self.verbs[verb][done.status] += 1
        if len(done.out) > OUTPUT_MIB << 20:
            done = done._replace(out=b"")
        line = " ".join(words)
        self.slowest, self.largest = max(self.slowest, (done.seconds, line)), max(self.largest, (done.kib, line))
        faults = self.faults(words, done, wanted)
        if faults:
            self.say(number, words, done, faults)
        elif self.args.only is not None:
            print("# %d: ftr %s" % (done.status, words_of_shell(words)))
        return done.status

    def say(self, number, words, done, faults):
        self.failed += 1
        kept = os.path.join(self.args.keep, "%s-%d-%d" % (self.args.part, self.args.seed, number))
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(self.args.keep, exist_ok=True)
        shutil.copytree(self.place.cwd, kept)
        with open(os.path.join(kept, "command"), "w", encoding="utf-8") as stream:
            stream.write("cd %s && ftr %s\n%s\n%s" % (kept, words_of_shell(words), "\n".join(faults), done.err))
        print("input %d of %s, seed %d: %s\n  cd %s && ftr %s\n%s" % (
            number, self.args.part, self.args.seed, "; ".join(faults), kept, words_of_shell(words), done.err[:4000]),
            flush=True)

    def numbers(self):
        """Of the inputs, as many as there are to be."""
        if self.args.only is not None:
            yield self.args.only
            return
        end = time.monotonic() + self.args.seconds if self.args.seconds else None
        while self.inputs < self.args.count if end is None else time.monotonic() < end:
            self.inputs += 1
            yield self.inputs

    def summary(self):
        for verb, statuses in sorted(self.verbs.items()):
            print("# %-17s %6d runs, %s" % (verb, sum(statuses.values()), ", ".join(
                "%d with %d" % (count, status) for status, count in sorted(statuses.items()))))
        print("# %s, seed %d: %d inputs, %d runs, %d findings; at most %.2f s: %s; %d MiB: %s" % (
            self.args.part, self.args.seed, self.inputs, sum(sum(s.values()) for s in self.verbs.values()), self.failed,
            *self.slowest, self.largest[0] >> 10, self.largest[1]))


def words_of_shell(words):
    return " ".join("'%s'" % w.replace("'", "'\\''") if re.search(r"[^\w./,=:+-]", w) else w for w in words)


def keys_of(rng, count):
    steps = random_keys.Script(rng.randrange(1 << 30), count).steps
    return "\n".join(re.sub("<screen N>|<suspend>", "", s) for s in steps + random_keys.END).encode()


def named(words):
    """The words with names of files, and what the run may write."""
    out, wanted = [], "$^"
    for w in words:
        w = re.sub(r"^(--from=)?OTHER$", r"\1other.dat", re.sub(r"^IN\b", "in.dat", w))
        if w in ("OUT", "--heatmap=OUT"):
            w, wanted = w.replace("OUT", "out.dat"), r"out\.dat(\.[0-9]+)?"
        out.append({"KEYS": "keys", "FORMATS": "formats"}.get(w, w))
    if words[0] == "recover":
        wanted = r"(out|in|trace)\.dat(\.old)?"
    return out, re.compile("(%s)$" % wanted)


def one_of_files(runner, number, rng, bases, rows, changes):
    """A mutated file, its command line."""
    verb, words = reading.command_line(rng, rows)
    of_spans = verb in reading.OF_SPANS and rng.random() < 0.7
    fitting = [b for b in bases if b.name.startswith("spans")] if of_spans else bases
    base, place = rng.choice(fitting), runner.place
    data = mutations.change_file(rng, base, bases) if changes else base.data
    other = mutations.change_file(rng, rng.choice(fitting), bases) if changes and rng.random() < 0.3 else \
        rng.choice(fitting).data
    place.put("in.dat", data)
    if "OTHER" in " ".join(words):
        place.put("other.dat", other)
    if "KEYS" in words:
        place.put("keys", keys_of(rng, rng.choice((3, 10, 30))))
    if "FORMATS" in words:
        place.put("formats", mutations.change_formats(rng, runner.formats))
    for name in [w[2:] for w in words if w.startswith("IN.cpu")]:
        start, _ = rng.choice(base.pages or [(0, 0)])
        place.put("in.dat" + name, data[start:start + rng.choice((4096, 8192, 16384, 5000))])
    in_place = words[0] == "recover" and "-o" not in words
    words, wanted = named(words)
    runner.run(number, verb, words, wanted, "in.dat" if "-" in words else "/dev/null")
    if not in_place and place.get("in.dat") != data:
        runner.failed += 1
        print("input %d, seed %d: the file was changed by ftr %s" % (number, runner.args.seed, words_of_shell(words)))


def all_files(runner, args, folder):
    bases = mutations.bases_of(folder, mutations.LARGE if args.part == "races" else mutations.MADE)
    rows = [row for row in (reading.JOBS if args.part == "races" else reading.ROWS) if row[0].startswith(args.verb)]
    with open(FORMATS, "rb") as stream:
        runner.formats = stream.read()
    for number in runner.numbers():
        rng = random.Random("%s %d %d" % (args.part, args.seed, number))
        runner.place.clean()
        one_of_files(runner, number, rng, bases, rows, args.part == "files" or number % 2)


def all_logs(runner, args, _):
    logs = list(mutations.log_bases())
    with open(FORMATS, "rb") as stream:
        formats = stream.read()
    written = re.compile(r"out\.dat(\.\d+)?$")
    for number in runner.numbers():
        rng = random.Random("%s %d %d" % (args.part, args.seed, number))
        runner.place.clean()
        grows = number % args.grow == args.grow // 2
        runner.place.put("in.log", mutations.change_log(rng, mutations.one_log(rng, logs), logs, grows))
        runner.place.put("formats", mutations.change_formats(rng, formats) if rng.random() < 0.2 else formats)
        from_stdin = rng.random() < 0.05
        words = ["oops", "parse", "-" if from_stdin else "in.log", "-o", "out.dat"]
        words += ["--formats", "formats"] if rng.random() < 0.95 else []
        runner.run(number, "oops parse" + ", grown" * grows, words, written, "in.log" if from_stdin else "/dev/null")
        files = sorted(name for name in os.listdir(runner.place.cwd) if written.match(name))
        for name in rng.sample(files, min(2, len(files))):
            verb, words = reading.command_line(rng, reading.PARSED)
            runner.run(number, verb, [name if w == "IN" else w for w in words], written)


def one_row(runner, row, base, option):
    """Whether it is understood with this option."""
    text, place = row[0], runner.place
    verb, words = reading.command_line(Always(1), [(text, 1, (option,) if option else ())])
    place.clean()
    for name, data in (("in.dat", base.data), ("other.dat", base.data), ("keys", b"j<wait>"),
                       ("in.dat.cpu0", bytes(4096)), ("in.dat.cpu1", bytes(4096)), ("formats", runner.formats)):
        place.put(name, data)
    words, wanted = named(words)
    if runner.run(0, verb, words, wanted, "in.dat" if "-" in words else "/dev/null") != 2:
        return None
    return "usage: ftr %s\n%s" % (words_of_shell(words), open(runner.batch.err, encoding="utf-8").read())


def all_rows(runner, _, folder):
    """No row has words that no command takes: each option with each row, on one of the files that are sound."""
    bases = {base.name: base for base in mutations.bases_of(folder, mutations.MADE)}
    with open(FORMATS, "rb") as stream:
        runner.formats = stream.read()
    for row in reading.ROWS + reading.JOBS + reading.PARSED:
        for option in (None, *row[2]):
            runner.inputs += 1
            names = ("spool-open",) if row[0].startswith("recover") else ("spans", "v7")
            said = [one_row(runner, row, bases[name], option) for name in names]
            if all(said):
                runner.failed += 1
                print(said[0])


class Always(random.Random):
    """Takes each option that there is."""

    def choice(self, seq):
        return 1 if seq == (0, 0, 1, 1, 2, 3) else super().choice(seq)


def own_faults(runner, *_):
    """A driver that can't fail tells nothing."""
    done = ftr_batch.Done(0, b"", b"".decode(), 1000, 0.1, 0)
    never = re.compile("$^")
    cases = {"a good run": ([], done, 0), "a signal": ([], done._replace(status=139), 1),
             "a sanitizer": ([], done._replace(status=99, err="ERROR: AddressSanitizer: heap"), 2),
             "a hang": ([], done._replace(status=124, seconds=99), 2), "no word": ([], done._replace(status=1), 1),
             "memory": ([], done._replace(kib=1 << 20), 1),
             "half of an object": (["--json"], done._replace(out=b'{"a": 1}\n{"b'), 1)}
    for name, (words, one, count) in cases.items():
        found = runner.faults(words, one, never)
        if len(found) != count:
            runner.failed += 1
            print("%s: %s" % (name, found))
    runner.place.put("stray", b"")
    if runner.faults([], done, never) != ["it wrote stray"]:
        runner.failed += 1
        print("a stray file is not found")
    runner.inputs = len(cases) + 1


PARTS = {"files": all_files, "races": all_files, "logs": all_logs, "rows": all_rows, "own": own_faults}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--verb", default="")
    parser.add_argument("--grow", type=int, default=100)
    parser.add_argument("--keep", default=os.path.join(os.path.abspath(ftr_batch.build()), "mutated"))
    parser.add_argument("--folder", default=os.environ.get("FTR_TMPDIR", "/var/tmp"))
    parser.add_argument("part", choices=PARTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        runner = Runner(args, folder)
        try:
            PARTS[args.part](runner, args, folder)
        finally:
            runner.batch.close()
        runner.summary()
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
