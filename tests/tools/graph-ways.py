#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the keys c, e, f, b, M, / and n of the browser's graph with where the text of ftr graph says that they go.

Usage: tests/tools/graph-ways.py [--seed N] [--steps N] FILE

From Home on random keys are pressed. After each the selected line has to be the one that is found in the text by its
indents and numbers alone. $FTR is run. Exit status 1 where one differs.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

FTR = os.environ.get("FTR", "build/ftr")
LINE = re.compile(r"^ *(?P<cpus>[0-9>-]*) +(?P<duration>[0-9.]+|-)?(?: us)? +(?P<self>[0-9.]+|-)?(?: us)? *\| "
                  r"(?P<text>.*)$")


class Row:
    """A line of ftr graph: how deep it is, whether it opens, closes or stands, and of what."""

    def __init__(self, line):
        self.line = line
        self.kind, self.depth, self.name, self.duration = "head", -1, None, None
        m = LINE.match(line)
        if not m or line.startswith("#"):
            return
        text = m["text"]
        self.depth = (len(text) - len(text.lstrip())) // 2
        text = text.strip()
        close = re.match(r"\} /\* (\S+)", text)
        call = re.match(r"([^ (]+)\(\)(;| \{)", text)
        if close:
            self.kind, self.name = "closes", close[1]
        elif call:
            self.kind, self.name = ("opens" if call[2] == " {" else "stands"), call[1]
            self.duration = None if m["duration"] in (None, "-") else float(m["duration"])
        else:
            self.kind = "event"


def end_of(rows, i):
    """The last row inside of the call that row @i opens, and whether that is the one that closes it."""
    for k in range(i + 1, len(rows)):
        if rows[k].kind == "head" or rows[k].depth < rows[i].depth or \
           (rows[k].depth == rows[i].depth and rows[k].kind != "closes"):
            return k - 1, False
        if rows[k].depth == rows[i].depth:
            return k, rows[k].name == rows[i].name
    return len(rows) - 1, False


def opening(rows, i):
    """The row that opens what row @i closes; its own else, which is so of an exit whose entry is lost."""
    if rows[i].kind != "closes":
        return i
    for k in range(i - 1, -1, -1):
        if rows[k].kind == "head":
            return i
        if rows[k].depth <= rows[i].depth:
            same = rows[k].depth == rows[i].depth and rows[k].kind == "opens" and rows[k].name == rows[i].name
            return k if same else i
    return i


def caller(rows, i):
    at = opening(rows, i)
    for k in range(at - 1, -1, -1):
        if rows[k].kind == "head":
            return i
        if rows[k].kind == "opens" and rows[k].depth < rows[at].depth:
            return k
    return i


def longest(rows, i):
    at = opening(rows, i)
    if rows[at].kind != "opens":
        return i
    end, _ = end_of(rows, at)
    inside = [k for k in range(at + 1, end + 1)
              if rows[k].kind in ("opens", "stands") and rows[k].depth == rows[at].depth + 1 and
              rows[k].duration is not None]
    return max(inside, key=lambda k: (rows[k].duration, -k)) if inside else i


def other_end(rows, i):
    if rows[i].kind == "closes":
        return opening(rows, i)
    if rows[i].kind != "opens":
        return i
    end, closes = end_of(rows, i)
    return end if closes else i


def same_call(rows, i, step):
    k = i + step
    while 0 <= k < len(rows):
        if rows[k].kind in ("opens", "stands") and rows[k].name == rows[i].name:
            return k
        k += step
    return i


def text_from(rows, i, text, step):
    for n in range(1, len(rows) + 1):
        k = (i + step * n) % len(rows)
        if text in rows[k].line:
            return k
    return i


def selected(path):
    """The text of the row that is selected: rows, a blank line, as many rows of letters for looks."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")[:-1]
    height = (len(lines) - 1) // 2
    found = [i for i, look in enumerate(lines[height + 1:]) if "s" in look]
    return lines[found[0]][2:].rstrip() if len(found) == 1 else None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, default=150)
    p.add_argument("file")
    o = p.parse_args()
    rng = random.Random(o.seed)
    lines = subprocess.run([FTR, "graph", "-q", o.file], stdout=subprocess.PIPE,
                           check=True).stdout.decode().split("\n")[:-1]
    while lines and lines[-1].startswith("# in no sum"):
        lines.pop()
    rows = [Row(line.rstrip()) for line in lines]
    names = sorted({row.name for row in rows if row.name})
    at, keys, wanted = 0, "<wait><home>", []
    for n in range(o.steps):
        key = rng.choice(["j", "jj", "jjjjj", "k", "<pgdn>", "c", "e", "e", "e", "f", "b", "M", "/", "?", "n",
                          "<end>", "<home>"])
        if key[0] in "jk":
            at = min(max(at + (len(key) if key[0] == "j" else -1), 0), len(rows) - 1)
        elif key in ("<end>", "<home>"):
            at = len(rows) - 1 if key == "<end>" else 0
        elif key == "<pgdn>":
            at = min(at + 46, len(rows) - 1)
        elif key in "fb":
            at = same_call(rows, at, 1 if key == "f" else -1) if rows[at].name else at
        elif key in "/?":
            text = rng.choice(names)
            at = text_from(rows, at, text, 1 if key == "/" else -1)
            searched = (text, 1 if key == "/" else -1)
            key += text + "<enter>"
        elif key == "n":
            if not any(k in keys for k in "/?"):
                continue
            at = text_from(rows, at, *searched)
        elif rows[at].kind != "head":
            at = {"c": caller, "e": longest, "M": other_end}[key](rows, at)
        keys += "%s<wait><screen %d>\n" % (key, n)
        wanted.append((n, key, at))
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/keys", "w", encoding="utf-8") as f:
            f.write(keys)
        subprocess.run([FTR, "browse", "--view", "graph", "--keys", folder + "/keys", "--size", "150x50", "--dump",
                        folder, o.file],
                       check=True)
        bad = 0
        for n, key, at in wanted:
            got = selected("%s/%d.txt" % (folder, n))
            if got != rows[at].line[:148].rstrip():
                print("step %d, %s: wanted line %d: %s\n  got: %s" % (n, key, at + 1, rows[at].line, got))
                bad += 1
                break
        print("# %d steps in %d lines" % (len(wanted), len(rows)))
    return bad > 0


sys.exit(main())
