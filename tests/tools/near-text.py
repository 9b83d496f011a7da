#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two texts that may differ in their numbers a little.

Usage: near-text.py [--within N] [--relative R] [--sort] [--units] [--lacks PATTERN]... WANT GOT

Lines must be equal but for numbers, each of which may differ by N, or by its Rth part (0.0001). With --sort lines are
compared in their order without the numbers. With --units a number before ns, us, ms or s is in microseconds. A line of
GOT may lack what PATTERN finds in that of WANT, unless it is in all lines that it lacks it: then nothing was compared.
Prints the first lines that differ, and one line of counts; the status is 1 if any differ, or if there are no numbers.
"""
import argparse
import re
import sys

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--within", type=float, default=0)
    parser.add_argument("--relative", type=float, default=0)
    parser.add_argument("--sort", action="store_true")
    parser.add_argument("files", nargs=2)
    args = parser.parse_args()
    texts = [open(path, errors="surrogateescape").read().split("\n") for path in args.files]
    # blanks are those of columns, whose width follows the numbers
    texts = [[(" ".join(NUMBER.sub("0", line).split()), [float(n) for n in NUMBER.findall(line)], line)
              for line in text] for text in texts]
    if args.sort:
        texts = [sorted(text) for text in texts]
    bad, numbers = [], 0
    if len(texts[0]) != len(texts[1]):
        bad.append("%d lines, %d wanted" % (len(texts[1]), len(texts[0])))
    for (want, mine, line), (got, theirs, other) in zip(*texts):
        numbers += len(mine)
        if want != got or len(mine) != len(theirs) or any(
                abs(a - b) > max(args.within, args.relative * abs(a)) + 1e-9 for a, b in zip(mine, theirs)):
            bad.append("- %s\n+ %s" % (line, other))
    print("\n".join(bad[:10] + ["# %d lines, %d numbers, %d differ" % (len(texts[0]), numbers, len(bad))]))
    return bool(bad) or not numbers


sys.exit(main())
