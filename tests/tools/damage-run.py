#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damages copies of a real trace.dat and holds what ftr says of each against the undamaged file.

damage-run.py [--cuts N] [--flips N] [--kind KIND] [--seed S] [--info-every N] [--as-report COMMANDS [--lines|--forms]]
              [--json-of COMMANDS] ours|theirs FILE

ours: a file with checksums, in which every changed byte must be found.  theirs: one without; what
its bytes do not tell is in UNSEEN, and only where a decoder of its own finds nothing odd either.
--as-report 'graph,sched states': nothing of this is looked at, but that $FTR's commands end as its report does.
--lines: and what these print is JSON, an object a line.
--forms: and what 'export --to FORM' of them prints is well-formed.
--json-of 'info --json': they print JSON, an object a line, and need not end as report does.

$FTR and $FTR_SAN/ftr are run.  Prints what was wrong, and one line of counts; exit status 1 if any.
"""
import argparse
import collections
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import damage                           # noqa: E402
import rawdecode                        # noqa: E402
import wellformed                       # noqa: E402

PLAIN = os.environ.get("FTR", "build/ftr")
SAN = os.path.join(os.environ.get("FTR_SAN", "build-san"), "ftr")
SUM_RANGE = 256 << 10           # bytes that one checksum covers, at most
CPU_SECONDS = {PLAIN: 12 if os.environ.get("FTR_IS_SAN") == "1" else 3, SAN: 12}
OFFSET = re.compile(r"offset 0x([0-9a-f]+)")
LINE = re.compile(r"^(.*)-(-?\d+) +\[(\d{3,})\] \S{5} +(\d+(?:\.\d+)?): ")
GRACE = 30                      # wall seconds per CPU second, as other tests run beside this one

# Kinds of bytes (rawdecode.py's regions) in files without checksums whose change can leave a file that is as sound
# as before.
UNSEEN = {
    "chunk_data": "trace-cmd's zstd frames have no checksum",
    "page_timestamp": "the records of a sub-buffer are shifted, yet stay between their neighbours",
    "page_commit": "the sub-buffer ends at another record, or has lost records before it",
    "lost_count": "any number of records may have been lost",
    "event_header": "a record has another time, or more padding",
    "option_id": "an id that nobody knows may be a newer writer's",
    "option_payload": "texts and numbers of any value",
    "section_description": "an offset of a name for people",
    "comp_version": "a text for people",
    "clock": "a text",
    "buffer_name": "a text",
    "buffer_clock": "a text",
    "system_name": "a text",
    "text": "texts",
    "page_data": "the fields of a record",
    "long_size": "the other size: the writer's long need not be the kernel's, which header_page has",
    "gap": "bytes between the parts",
}

Result = collections.namedtuple("Result", "status out err seconds")


def run(program, *argv):
    """Runs @program with a limit of CPU time; its output goes through files, as wait4() takes no pipes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen((program,) + argv, stdout=out, stderr=err)
        ends = os.pidfd_open(child.pid)
        if not select.select([ends], [], [], CPU_SECONDS[program] * GRACE)[0]:
            child.kill()
        os.close(ends)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Result(child.returncode, out.read().decode("utf-8", "surrogateescape"),
                      err.read().decode("utf-8", "replace"), usage.ru_utime + usage.ru_stime)


def records(output):
    return collections.Counter(line for line in output.split("\n") if LINE.match(line))


def keys(lines):
    """What of a record does not depend on metadata: pid, CPU, time."""
    out = collections.Counter()
    for line, count in lines.items():
        out[LINE.match(line).groups()[1:]] += count
    return out


def without_cpu(lines):
    out = collections.Counter()
    for key, count in keys(lines).items():
        out[key[0], key[2]] += count
    return out


class Judge:
    def __init__(self, path, checksums, info_every):
        self.path, self.checksums, self.info_every = path, checksums, info_every
        whole = run(PLAIN, "report", "--raw", "-t", path)
        if whole.status or whole.err:
            raise SystemExit("the undamaged file: status %d, %s" % (whole.status, whole.err[:500]))
        self.lines = records(whole.out)
        self.keys = keys(self.lines)
        self.wrong, self.unseen, self.copies, self.said = [], collections.Counter(), 0, 0
        self.slowest = 0
        notes = rawdecode.load(path)
        self.notes = {text for _, text in notes.notes}

    def complain(self, entry, text):
        what = "%s: %s at %d" % (entry["file"], entry["kind"], entry["offset"])
        if "old" in entry:
            what += " (%s of %s, 0x%02x to 0x%02x)" % (entry["region"], entry["where"],
                                                       entry["old"], entry["new"])
        else:
            what += " (%s)" % entry["where"]
        self.wrong.append("%s: %s" % (what, text))

    def healthy(self, entry, program, done):
        """No crash, no finding of a sanitizer, no long silence."""
        self.slowest = max(self.slowest, done.seconds / CPU_SECONDS[program])
        if done.status not in (0, 1, 3) or "Sanitizer" in done.err or "runtime error" in done.err:
            self.complain(entry, "%s: status %d: %s" % (program, done.status, done.err[:900]))
        elif done.seconds > CPU_SECONDS[program]:
            self.complain(entry, "%s took %.1f s of CPU time" % (program, done.seconds))

    def copy(self, entry, path):
        self.copies += 1
        done = run(PLAIN, "report", "--raw", "-t", path)
        self.healthy(entry, PLAIN, done)
        with_san = run(SAN, "report", "--raw", "-t", path)
        self.healthy(entry, SAN, with_san)
        if done[:3] != with_san[:3]:
            self.complain(entry, "both builds do not say the same: %r and %r"
                          % (done.err[:200], with_san.err[:200]))
        if self.copies % self.info_every == 0:
            info = run(SAN, "info", path)
            self.healthy(entry, SAN, info)
            if self.checksums and not info.status:
                self.complain(entry, "'ftr info' has nothing to say")
        self.detected(entry, path, done)
        self.intact(entry, done)

    def all_json(self, entry, command, done):
        for line in done.out.split("\n")[:-1]:
            try:
                line.encode()
                json.loads(line)
            except ValueError as error:
                self.complain(entry, "'%s': %s: %r" % (" ".join(command), error, line[:300]))

    # -- is it said?

    def detected(self, entry, path, done):
        if done.status in (1, 3) and path not in done.err:
            self.complain(entry, "the file is not named: %r" % done.err[:200])
        elif done.status in (1, 3) and self.placed(entry, done):
            self.said += 1
        elif done.status in (1, 3):
            self.complain(entry, "the place is not told: %r" % done.err[:300])
        elif self.checksums or entry["kind"] == "truncate":
            self.complain(entry, "not found")
        else:
            self.may_be_unseen(entry, path)

    def placed(self, entry, done):
        """The first ten bytes tell that it is a trace file at all; a cut is told by what is missing at the end."""
        if entry["kind"] == "truncate":
            return "offset 0x" in done.err or done.status == 1 or entry["offset"] < 64
        if not self.checksums:
            return "offset 0x" in done.err or "section '" in done.err or entry["offset"] < 12
        if entry["offset"] < 12 and done.status == 1:
            return True
        return any(0 <= entry["offset"] - int(found, 16) <= SUM_RANGE
                   for found in OFFSET.findall(done.err))

    def may_be_unseen(self, entry, path):
        if entry["region"] not in UNSEEN or \
                (entry["region"] == "long_size" and entry["new"] not in (4, 8)):
            self.complain(entry, "not found")
            return
        other = rawdecode.load(path)
        odd = [text for _, text in other.problems] + \
            [text for _, text in other.notes
             if text not in self.notes and "the unknown type" not in text]
        if odd and entry["region"] in ("page_timestamp", "page_commit", "lost_count", "event_header"):
            self.complain(entry, "not found, though %s" % odd[0])
        self.unseen[entry["region"]] += 1

    # -- is everything else as before?

    def intact(self, entry, done):
        want = entry["records_intact"]
        got = records(done.out)
        if want is None:
            self.nothing_hidden(entry, got, done)
            return
        inside = entry["kind"] == "truncate" or entry["region"] in ("page_data", "gap") or \
            entry["kind"] in ("pagehdr", "event") or "chunk" in entry["region"]
        # a compressed section of metadata is no sub-buffer
        if inside and (entry["kind"] == "truncate" or not entry["where"].startswith("buffer ")):
            inside = entry.get("region") in ("gap",)
        if "table of CPUs is lost" in done.err:
            # the order of the data is all that tells CPUs apart then
            same = sum((without_cpu(got) & without_cpu(self.lines)).values())
        else:
            same = sum((got & self.lines if inside else keys(got) & self.keys).values())
        if same < want:
            self.complain(entry, "%d records are as before, %d should be%s"
                          % (same, want, ": " + done.err[:300] if done.err else ""))
        if inside:
            self.foreign(entry, got - self.lines)

    def nothing_hidden(self, entry, got, done):
        """No byte between the data is such that all records can't be found without it."""
        want = without_cpu(self.lines)
        lost = sum((want - without_cpu(got)).values())
        if lost and not (entry.get("region") == "version" and done.status == 1):
            self.complain(entry, "%d of %d records are gone: %s"
                          % (lost, sum(want.values()), done.err[:400]))

    def foreign(self, entry, new):
        """Records that were not there before may only be of the CPU whose data changed."""
        found = re.match(r"buffer '.*' cpu (\d+)", entry["where"])
        cpu = int(found[1]) if found else -1
        bad = [line for line in new if int(LINE.match(line)[3]) != cpu]
        if bad:
            self.complain(entry, "%d records of other CPUs are altered: %s" % (len(bad), bad[0]))


class Alike(Judge):
    """Of commands that read the records for something else than their text."""

    def __init__(self, path, commands, lines, forms):
        super().__init__(path, False, 0)
        self.objects, self.forms = lines, forms
        self.commands = [c.split() for c in commands.split(",")]
        for command in self.commands:
            done = run(PLAIN, *command, path)
            faults = [line for line in done.err.splitlines() if not line.endswith(" did there is unknown")]
            if done.status or faults or not done.out:
                raise SystemExit("%s of the undamaged file: status %d, %s" % (command, done.status, done.err[:500]))

    def copy(self, entry, path):
        self.copies += 1
        report = run(PLAIN, "report", path)
        self.healthy(entry, PLAIN, report)
        self.said += report.status in (1, 3)
        for command in self.commands:
            done = run(PLAIN, *command, path)
            self.healthy(entry, PLAIN, done)
            if self.objects:
                self.all_json(entry, command, done)
            if self.forms and (done.out or not done.status):
                self.well_formed(entry, command, done)
            if done.status != report.status and not self.has_none(report, done):
                self.complain(entry, "'%s' ends with %d, report with %d: %r and %r" %
                              (" ".join(command), done.status, report.status, done.err[:300], report.err[:300]))

    def well_formed(self, entry, command, done):
        form = command[command.index("--to") + 1]
        with tempfile.NamedTemporaryFile() as out:
            out.write(done.out.encode("utf-8", "surrogateescape"))
            out.flush()
            try:
                wellformed.read(form, out.name)
            except ValueError as error:
                self.complain(entry, "'%s': %s" % (" ".join(command), str(error)[:300]))

    @staticmethod
    def has_none(report, done):
        """What the command is about can't be found any more: it says so. Report goes on with the others."""
        says_so = re.search("^ftr: (no |there is nothing to draw)", done.err, re.M)
        return report.status in (0, 3) and done.status == 1 and says_so


class Objects(Judge):
    """Of commands that say of a file what it is."""

    def __init__(self, path, commands):
        super().__init__(path, False, 0)
        self.commands = [c.split() for c in commands.split(",")]

    def copy(self, entry, path):
        self.copies += 1
        for command in self.commands:
            done = run(PLAIN, *command, path)
            self.healthy(entry, PLAIN, done)
            self.said += done.status in (1, 3)
            self.all_json(entry, command, done)


def flips(trace, judge, args, folder):
    kinds = [args.kind] if args.kind else damage.KINDS
    for kind in kinds:
        options = argparse.Namespace(kind=kind, n=args.flips, seed=args.seed, outdir=folder)
        for entry in damage.flip(trace, options):
            path = os.path.join(folder, entry["file"])
            judge.copy(entry, path)
            os.unlink(path)


def cuts(trace, judge, args, folder):
    options = argparse.Namespace(n=args.cuts, seed=args.seed, outdir=folder)
    for entry in damage.truncate(trace, options):
        path = os.path.join(folder, entry["file"])
        judge.copy(entry, path)
        os.unlink(path)


def main():
    parser = argparse.ArgumentParser(description="damage a trace.dat and see what ftr says")
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--flips", type=int, default=3)
    parser.add_argument("--info-every", type=int, default=4, metavar="N",
                        help="run 'ftr info' on each Nth copy")
    parser.add_argument("--kind", choices=damage.KINDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--as-report", metavar="COMMANDS", help="by comma: they end as 'ftr report' does")
    parser.add_argument("--lines", action="store_true", help="what they print is JSON, an object a line")
    parser.add_argument("--forms", action="store_true", help="what 'export --to FORM' prints is well-formed")
    parser.add_argument("--json-of", metavar="COMMANDS",
                        help="by comma: whatever they read, they print JSON or nothing")
    parser.add_argument("whose", choices=("ours", "theirs"))
    parser.add_argument("file")
    args = parser.parse_args()
    trace = rawdecode.load(args.file, keep_regions=True)
    if trace.problems:
        print("damaged already: %s" % trace.problems[0][1])
        return 1
    judge = Objects(args.file, args.json_of) if args.json_of else \
        Alike(args.file, args.as_report, args.lines, args.forms) if args.as_report else \
        Judge(args.file, args.whose == "ours", args.info_every)
    folder = tempfile.mkdtemp(dir=os.path.dirname(os.path.abspath(args.file)))
    try:
        if args.cuts:
            cuts(trace, judge, args, folder)
        if args.flips:
            flips(trace, judge, args, folder)
    finally:
        shutil.rmtree(folder)
    print("\n".join(judge.wrong), end="\n" if judge.wrong else "")
    print("# %d copies, %d found, not to be seen: %s; slowest: %d%% of its limit" %
          (judge.copies, judge.said, json.dumps(judge.unseen), judge.slowest * 100))
    return 1 if judge.wrong or not judge.copies else 0


if __name__ == "__main__":
    sys.exit(main())
