#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare where the key M of the browser goes with the spans of an oracle.

Usage: tests/tools/span-ends.py [--seed N] FILE SPANS

SPANS has lines of tests/oracle/spans.py of the FILE. Of those that have both ends, and whose ends are records that are
alone at their times, some are gone to: M from the begin goes to the end, and from there to the begin. $FTR is run. Exit
status 1 where it does not.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

FTR = os.environ.get("FTR", "build/ftr")
SPANS = 60


def seconds(ns):
    return "%d.%09d" % (ns // 10**9, ns % 10**9)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("file")
    p.add_argument("spans")
    o = p.parse_args()
    text = subprocess.run([FTR, "report", "-q", "-R", "-t", o.file], stdout=subprocess.PIPE, check=True).stdout.decode()
    records = collections.Counter(int(a + b) for a, b in re.findall(r"^.{20,40}?\] \S+ +(\d+)\.(\d{9}): ", text, re.M))
    spans, ends = [], collections.Counter()
    for line in open(o.spans, encoding="utf-8"):
        m = re.match(r"span (\S+) .* begin=(\d+) end=(\d+) .*marks=(.*)$", line)
        if m:
            ends.update({int(m[2]), int(m[3])})
            spans.append((m[1], int(m[2]), int(m[3]), m[4]))
    alone = [s for s in spans if s[3] in ("-", "loss inside") and s[1] < s[2] and
             all(records[ts] == 1 and ends[ts] == 1 for ts in s[1:3])]
    random.Random(o.seed).shuffle(alone)
    kinds = {s[0] for s in alone[:SPANS]}
    keys = "<wait>" + "".join("g%s<enter>M<wait><screen end%d>M<wait><screen begin%d>\n" % (seconds(s[1]), i, i)
                              for i, s in enumerate(alone[:SPANS]))
    bad = len(alone) < 20
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/keys", "w", encoding="utf-8") as f:
            f.write(keys)
        subprocess.run([FTR, "browse", "-R", "-t", "--view", "events", "--keys", folder + "/keys", "--dump", folder,
                        "--size", "200x20", o.file], check=True)
        for i, (kind, begin, end, _) in enumerate(alone[:SPANS]):
            for which, ts in ("end", end), ("begin", begin):
                status = open("%s/%s%d.txt" % (folder, which, i), encoding="utf-8").read().split("\n")[19]
                if status.split()[:1] != [seconds(ts)]:
                    print("%s from %s to %s: M goes to: %s" % (kind, seconds(begin), seconds(end), status))
                    bad = True
    print("# %d of %d spans, of %s" % (min(len(alone), SPANS), len(spans), " ".join(sorted(kinds))))
    return bad


sys.exit(main())
