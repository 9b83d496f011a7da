#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a file is well-formed to its end: tests/tools/wellformed.py perfetto|json|csv|folded|chrome FILE.
Exit status 1: not."""
import csv
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import protowalk                        # noqa: E402

FOLDED = re.compile(r"[^;\n]+(;[^;\n]*)* \d+")


def read_perfetto(path):
    try:
        protowalk.load(path).lines()
    except protowalk.Bad as error:
        raise ValueError(error) from error


def read_json(path):
    for line in text_of(path).split("\n")[:-1]:
        json.loads(line)


def read_csv(path):
    text_of(path)
    with open(path, encoding="utf-8", newline="") as f:
        widths = {len(row) for row in csv.reader(f, strict=True)}
    if len(widths) > 1:
        raise ValueError("rows of %s cells" % sorted(widths))


def read_folded(path):
    for line in text_of(path).split("\n")[:-1]:
        if not FOLDED.fullmatch(line):
            raise ValueError("line %r" % line)


def read_chrome(path):
    for event in json.loads(text_of(path))["traceEvents"]:
        if not {"ph", "pid", "tid", "name"} <= set(event) or (event["ph"] != "M" and "ts" not in event):
            raise ValueError("event %r" % event)


def text_of(path):
    with open(path, "rb") as f:
        text = f.read().decode("utf-8")
    if text and not text.endswith("\n"):
        raise ValueError("no end of a line at the end")
    return text


def read(form, path):
    """ValueError: it is not well-formed."""
    try:
        globals()["read_" + form](path)
    except csv.Error as error:
        raise ValueError(error) from error


def main(form, path):
    try:
        read(form, path)
    except ValueError as error:
        sys.exit("%s: %s: %s" % (path, form, error))


if __name__ == "__main__":
    main(*sys.argv[1:])
