#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines of ftr report with their times in another form, as ftr browse shows them.

Usage: tests/tools/times-lines.py day|since|before TEXT [ZERO]

TEXT is what ftr report -t prints; of 'day' with --date as well. ZERO is the time of marker A, in nanoseconds.
"""
import re
import sys
import time


def signed(ns):
    return "%s%d.%09d" % ("-" if ns < 0 else "+", abs(ns) // 10 ** 9, abs(ns) % 10 ** 9)


def day(ns):
    us = (ns + 500) // 1000
    return "%s.%06d" % (time.strftime("%H:%M:%S", time.gmtime(us // 10 ** 6)), us % 10 ** 6)


def main(form, path, zero="0"):
    before = None
    for line in open(path, encoding="utf-8", errors="replace").read().split("\n")[:-1]:
        m = re.match(r"(.*?\] (?:\S{5} )) *(\d+)\.(\d{9})(: .*)", line)
        if m:
            ns = int(m[2] + m[3])
            text = day(ns) if form == "day" else signed(ns - int(zero)) if form == "since" else \
                "-" if before is None else signed(ns - before)
            line = m[1] + text.rjust(12 if form == "day" else 15) + m[4]
            before = ns
        print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
