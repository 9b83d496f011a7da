#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Presses random keys in ftr browse and looks at what it has on its screens.

random-keys.py [--seed N] [--keys N] [--option OPTION] [--shrink] [--print] FILE...

The keys are those of src/browse/browser_keys.c, others, and what is typed behind them; between them the screen changes
its size, is waited for and dumped.  $FTR is run.  It has to end with 0, or as 'ftr report' of the files does, and so
for certain when the script went to its end; a sanitizer says nothing; each screen is as wide and high as it was to be
and has nothing in it that a terminal acts on.  Prints what was wrong, and one line of counts; exit status 1 if any.

--option: of both ftr browse and ftr report, as --option=--cpu=1.  --shrink: leaves out of a script that failed what it
fails without.  --print: the script alone.
"""
import argparse
import ctypes
import locale
import os
import random
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FTR = os.environ.get("FTR", os.path.join(TOP, "build", "ftr"))
SECONDS = 300
ATTRIBUTES = ".hsdmflSebwzt"
# What a terminal acts on: control characters, and those that change the direction of text.
ACTS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

TIMES = ("+1ms", "-1s", "12.5", "1000.000016", "1000.01", "1000.2", "+0", "-0", "+17us", "-3ms", "+1h",
         "99999999999999999999", "18446744073.709551615", "0", "", " ", "x", "+", "-", "1.2.3", "1e9", "+1ms+1ms",
         "1000.", "-99999999s", "Ünsinn")
FILTERS = ("sched_switch", "sched_switch: next_prio < 100", "sched_switch: next_pid == 512 || prev_pid == 512",
           "function", "sched_*", "demo_path: ret < 0", "demo_path: path ~ '*dir*'", "sched_waking: comm == 'ls'",
           "funcgraph_entry, function", "print, bprint", "sched_switch: prev_state == 99", "nothing_there",
           "sched_switch: (", "sched_switch: next_pid ==", "sched_switch: nix == 1", ": a", "(", ")", "'",
           "sched_switch: next_comm == 'ü漢字'", "*", "!!", "sched: COMM == 'ls'",
           "*: CPU == 1", "*: common_pid == 512", "sched_switch: " + "(" * 40,
           "sched_switch: next_prio " + "+ 1 " * 9 + "> 3", "a" * 300, "")
SEARCHES = ("ls", "LS", "Vfs_read", "vfs_read", "next_pid=512", "there is no such text", " ", "x" * 60, "=>",
            "events lost", "LOST", "a", "e", "ü", "漢字", "e\u0301", "\U0001f600", "\u0301", ".", "[", "\\", "%s%n",
            "-4001", "dir/dir", "")
QUERIES = ("SELECT * FROM ftrace_event", "SELECT ts, text FROM ftrace_event ORDER BY ts DESC", "SELECT * FROM thread",
           "SELECT ts, dur, comm FROM sched_slice", "SELECT hist(dur), top(comm) FROM sched_slice", "SELECT 1 WHERE 0",
           "SELECT nothing", "SELECT (", "'", "SELECT x'00ff', NULL, char(10, 27, 9), 'ü漢字'", "; ;", "SELECT 5 AS ts",
           "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, x AS ts FROM c",
           "CREATE TEMP TABLE t AS SELECT ts FROM lost", "SELECT * FROM t; SELECT ts FROM t", "DROP TABLE t", "")
OTHERS = ("<ctrl-a>", "<ctrl-l>", "<ctrl-u>", "<ctrl-z>", "<backtab>", "<backspace>",
          "<delete>", "<resize>", "<suspend>", "<gone>", "<lt>", "x", "Z", "0", "9", "~", "ü", "漢", "\u0301", "\u200b",
          "\U0001f600", "@", "\\")
SIZES = ((80, 24), (80, 24), (120, 40), (132, 43), (300, 80), (40, 8), (40, 9), (41, 8), (39, 8), (40, 7), (1, 1),
         (2, 300), (300, 2), (1, 80), (1000, 3))
EDITS = ("<left>", "<right>", "<home>", "<end>", "<backspace>", "<delete>", "<up>", "<down>", "<tab>",
         "<f1>", "<ctrl-a>")


def known_keys():
    """(key as a script has it, function) of the table in keys.c."""
    text = open(os.path.join(TOP, "src/browse/browser_keys.c"), encoding="utf-8").read()
    table = text[text.index("bindings[] = {"):]
    table = table[:table.index("\n};")]
    out = []
    for keys, function in re.findall(r"\{ \{ (.*?) \}, (\w+),", table):
        for name, char in re.findall(r"TUI_(\w+)|'(\\?.)'", keys):
            out.append(("<%s>" % name.lower() if name else typed(char[-1]), function))
    if len(out) < 40:
        raise SystemExit("keys.c: its table has %d keys" % len(out))
    return out


def typed(text):
    return "".join({"<": "<lt>", " ": "<space>"}.get(c, c) for c in text)


class Script:
    """Steps, each a text of its own; ->size is that of the screen at their end."""

    def __init__(self, seed, count):
        self.rng = random.Random(seed)
        self.steps = []
        self.keys = known_keys()
        # one key in five is any of the table, the others mostly move
        self.moving = [key for key, function in self.keys if function.startswith("move")]
        self.quits = self.rng.random() < 0.15
        for _ in range(count):
            self.step()

    def step(self):
        rng, dice = self.rng, self.rng.random()
        if dice < 0.30:
            self.steps.append(rng.choice(self.moving) * rng.choice((1, 1, 1, 2, 5)))
        elif dice < 0.82:
            self.press(*rng.choice(self.keys))
        elif dice < 0.87:
            self.steps.append("<ctrl-c>" if self.quits and rng.random() < 0.1 else rng.choice(OTHERS))
        elif dice < 0.91:
            w, h = rng.choice(SIZES) if rng.random() < 0.7 else (rng.randint(1, 300), rng.randint(1, 80))
            self.steps.append("<size %dx%d>" % (w, h))
        elif dice < 0.94:
            self.steps.append("<wait>")
        else:
            self.steps.append("<screen N>")

    def press(self, key, function):
        """A key and what belongs behind it. Only some scripts leave before their end."""
        rng = self.rng
        if function == "quit" and not (self.quits and rng.random() < 0.1):
            self.steps.append("<esc>1HH" + key)
        elif function == "ask_mark":
            self.steps.append(key + rng.choice("aaabzAABBZ1 ü") if rng.random() < 0.9 else key + "<esc>")
        elif function.startswith("ask"):
            self.prompt(key, {"ask_time": TIMES, "ask_filter": FILTERS, "ask_search": SEARCHES,
                              "ask_query": QUERIES}.get(function))
        else:
            self.steps.append(key)

    def prompt(self, key, texts):
        rng = self.rng
        text = rng.choice(texts if texts and rng.random() < 0.9 else TIMES + FILTERS + SEARCHES)
        if texts is FILTERS and rng.random() < 0.8:
            key += "<home>" + "<delete>" * 90
        edits = "".join(rng.choice(EDITS) for _ in range(rng.randint(1, 6))) if rng.random() < 0.25 else ""
        end = "<enter>" if rng.random() < 0.85 else rng.choice(("<esc>", "<screen N><enter>", "<size 40x8><enter>", ""))
        self.steps.append(key + typed(text) + edits + end)
        if rng.random() < 0.2:          # while what was begun goes on
            self.steps.append(rng.choice(("<esc>", "n", "N", "u", "F<enter>", "1", "<end>", "<screen N>")))


# The same filter once more: all is read, unless a script left before.
END = ["<esc><size 80x24>", "F<enter>", "<wait>", "<screen N>", "4<screen N>"]


def script_text(steps):
    """The script, and the size of each screen by its name."""
    sizes, size, lines = {}, (80, 24), []
    for step in steps:
        for found in re.findall(r"<size (\d+)x(\d+)>|(<screen N>)", step):
            if found[2]:
                name = "s%05d" % len(sizes)
                sizes[name] = size
                step = step.replace("<screen N>", "<screen %s>" % name, 1)
            else:
                size = (int(found[0]), int(found[1]))
        lines.append(step)
    return "\n".join(lines) + "\n", sizes


def width(text, libc=ctypes.CDLL(None)):
    return sum(1 if " " <= c <= "~" else libc.wcwidth(ctypes.c_uint(ord(c))) for c in text)


def screen_faults(data, w, h):
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        return ["no UTF-8: %s" % error]
    if len(lines) != 2 * h + 2 or lines[h] or lines[-1]:
        return ["%d lines for %d rows" % (len(lines), h)]
    faults = []
    for y, line in enumerate(lines[:h]):
        acts = ACTS.search(line)
        if acts:
            faults.append("row %d has U+%04X: %r" % (y, ord(acts[0]), line))
        elif width(line) > w:
            faults.append("row %d takes %d of %d columns: %r" % (y, width(line), w, line))
    for y, line in enumerate(lines[h + 1:-1]):
        if len(line) > w or line.strip(ATTRIBUTES):
            faults.append("attributes of row %d, %d columns: %r" % (y, w, line))
    return faults


def run(argv, **more):
    try:
        return subprocess.run(argv, timeout=SECONDS, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, -14, b"", b"it did not end in %d s" % SECONDS)


class Judge:
    def __init__(self, options, files, own):
        self.options, self.files, self.own = options, files, own
        report = run([FTR, "report", "-q"] + options + files, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.status, self.said = report.returncode, report.stderr
        self.screens, self.whole = 0, False

    def faults(self, steps):
        """What is wrong with a run of @steps."""
        text, sizes = script_text(steps)
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "keys")
            with open(script, "w", encoding="utf-8") as f:
                f.write(text)
            dumps = os.path.join(folder, "dumps")
            os.mkdir(dumps)
            done = run([FTR, "browse", "--keys", script, "--dump", dumps] + self.own + self.options + self.files,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            shown = sorted(os.listdir(dumps))
            self.screens, self.whole = len(shown), len(shown) == len(sizes)
            out = self.ending(done)
            for name in shown:
                with open(os.path.join(dumps, name), "rb") as f:
                    data = f.read()
                out += ["%s: %s" % (name, fault) for fault in screen_faults(data, *sizes[name[:-4]])]
        return out

    def ending(self, done):
        err = done.stderr.decode("utf-8", "replace")
        out = []
        if done.returncode not in ((self.status,) if self.whole else (0, self.status)):
            out.append("status %d, report ends with %d: %s\nreport said: %s" %
                       (done.returncode, self.status, err[:6000],
                                                                           self.said.decode("utf-8", "replace")[:600]))
        elif "Sanitizer" in err or "runtime error" in err:
            out.append(err[:6000])
        if done.stdout:
            out.append("it wrote to standard output: %r" % done.stdout[:200])
        return out


def shrink(judge, steps):
    """Fewer steps that fail as well."""
    part = len(steps) // 2
    while part:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + part:]
            if judge.faults(fewer):
                steps = fewer
            else:
                at += part
        part //= 2
    return steps


def main():
    parser = argparse.ArgumentParser(description="random keys for ftr browse")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keys", type=int, default=300)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("file", nargs="+")
    args = parser.parse_args()
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    script = Script(args.seed, args.keys)
    steps = script.steps + END
    if args.print:
        print(script_text(steps)[0], end="")
        return 0
    own = [o for o in ("--ascii", "-t", "-R", "--view=log", "--view=events", "--at=-1ms",
                       "--fields=time,cpu,comm,pid,event,text", "-Fsched_*")
           if script.rng.random() < 0.15]
    if "--view=log" not in own and script.rng.random() < 0.3:
        own.append("--view=graph")
    judge = Judge(args.option, args.file, own)
    if judge.status not in (0, 3):
        print("'ftr report' ends with %d: %s" % (judge.status, judge.said.decode("utf-8", "replace")[:2000]))
        return 1
    faults = judge.faults(steps)
    screens, whole = judge.screens, judge.whole
    if faults:
        print("random-keys.py --seed %d --keys %d: browse %s" %
              (args.seed, args.keys, " ".join(own + args.option + args.file)))
        print("\n".join(faults[:20]))
        if args.shrink:
            print("--- fails as well:\n" + script_text(shrink(judge, steps))[0])
    print("# seed %d: %d steps%s, %d screens; report ends with %d"
          % (args.seed, len(steps), "" if whole else ", left before the last", screens, judge.status))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
