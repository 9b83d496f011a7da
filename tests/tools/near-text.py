#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two texts that may differ in their numbers a little.

Usage: near-text.py [--within N] [--relative R] [--sort] [--lacks PATTERN]... [--drop PATTERN] WANT GOT

Lines must be equal but for numbers, each of which may differ by N, or by its Rth part (0.0001). With --sort lines are
compared in their order without the numbers. A line of GOT may lack what the PATTERN of --lacks finds in that of WANT;
what the PATTERN of --drop finds in lines is not compared. Prints the first lines that differ, and one line of counts;
the status is 1 if any differ, or if there are no numbers.
"""
import argparse
import re
import sys

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


def parts(line):
    """The line without its numbers and with single blanks, as columns follow the width of numbers; its numbers."""
    return " ".join(NUMBER.sub("0", line).split()), [float(n) for n in NUMBER.findall(line)], line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--within", type=float, default=0)
    parser.add_argument("--relative", type=float, default=0)
    parser.add_argument("--sort", action="store_true")
    parser.add_argument("--lacks", action="append", default=[])
    parser.add_argument("--drop", default="$^")
    parser.add_argument("files", nargs=2)
    args = parser.parse_args()
    texts = [open(path, errors="surrogateescape").read().split("\n") for path in args.files]
    texts = [[parts(re.sub(args.drop, "", line)) for line in text] for text in texts]
    if args.sort:
        # a line stands where it would without what it may lack
        texts = [sorted(text, key=lambda line: parts(re.sub("|".join(args.lacks), "", line[2]) if args.lacks
                                                     else line[2])) for text in texts]
    bad, numbers, lacking = [], 0, 0
    if len(texts[0]) != len(texts[1]):
        bad.append("%d lines, %d wanted" % (len(texts[1]), len(texts[0])))
    for (want, mine, line), (got, theirs, other) in zip(*texts):
        for pattern in args.lacks if want != got else ():
            shorter = parts(re.sub(pattern, "", line))
            if shorter[0] == got:
                want, mine, _ = shorter
                lacking += 1
                break
        numbers += len(mine)
        if want != got or len(mine) != len(theirs) or any(
                abs(a - b) > max(args.within, args.relative * abs(a)) + 1e-9 for a, b in zip(mine, theirs)):
            bad.append("- %s\n+ %s" % (line, other))
    print("\n".join(bad[:10] + ["# %d lines, %d numbers, %d differ, %d lack a part" % (
        len(texts[0]), numbers, len(bad), lacking)]))
    return bool(bad) or not numbers


sys.exit(main())
