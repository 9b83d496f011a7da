#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare fields in the tables of ftr sql with the record's bytes and with trace-cmd report -R.

Usage: tests/oracle/sql_fields.py [--name TEXT] [--rows N] [--seed N] [--systems LIST] [--counts FILE] DAT
       tests/oracle/sql_fields.py --needed FILE

Each event that has records is asked for by one query of all its fields; the program is $FTR. N random rows of each are
compared, field by field, with the values that rawfields.py finds in the bytes and with the words of trace-cmd. The
two must agree with the row; a word that differs needs a reason of REASONS, and --counts adds their numbers to FILE.
--needed fails for a reason that no recording of FILE needed. Each system of LIST must have records. Prints result
lines as tests do. Exit codes: 0 nothing failed, 1 something did.
"""
import argparse
import bisect
import collections
import json
import os
import random
import re
import subprocess
import sys

import rawdecode
import rawfields

SHOWN = 8
FIRST = ("ts", "cpu", "utid", "tid", "comm", "text", "stack", "buffer", "file", "host")     # names that a field loses
LINE = re.compile(rb" *(.*)-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): ([^ :]+): +(.*)", re.S)
ARRAY = re.compile(rb"ARRAY\[([0-9a-f, ]*)\]")
SYMBOL = re.compile(r"([^ +]+)(?:\+0x([0-9a-f]+))?")
ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")
BASES = {"decimal": (10, r"-?\d+"), "hex": (16, r"[0-9a-f]+"), "octal": (8, r"[0-7]+")}
Record = collections.namedtuple("Record", "ts cpu pid data words")


def unescaped(raw):
    """The bytes that --json or the text itself has as \\xNN are one in both."""
    return ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), raw)


def words_of(word):
    """The bytes of "ARRAY[0a, ff]"."""
    return bytes(int(one, 16) for one in ARRAY.fullmatch(word)[1].split(b",") if one)


class Field:
    """A field of an event, its column, and the bases of numbers in which all words so far are right."""

    def __init__(self, fmt, name, place, trace):
        self.fmt, self.name, self.place, self.trace = fmt, name, place, trace
        self.column = "arg_" + name if name in FIRST else name
        self.bases = set(BASES)
        size = trace.long_size if place.element == "long" else place.element
        self.size, self.is_last = size or 1, False

    def number(self, data):
        """The value as SQL has it, whose integers have 64 bits and a sign; None for all that is no number."""
        value = self.place.value(data, self.trace.order, self.trace.long_size, self.fmt)
        if self.place.array or not isinstance(value, int):
            return None
        return value - (1 << 64) if value >= 1 << 63 else value

    def bytes_of(self, data):
        """A text up to its end, or the elements of an array."""
        raw = self.place.bytes_of(data, self.trace.order, self.fmt)
        if raw is not None and self.place.string:
            raw = raw.split(b"\0")[0]
        return raw

    @staticmethod
    def plain(text):
        """The bytes of a text of --json, in which bytes that are no character are escaped."""
        return unescaped(text.encode(errors="surrogateescape"))

    def array_of(self, text):
        """The bytes of "{0x1,0x2}"; None for another text."""
        if not re.fullmatch(r"\{[0-9a-fx,]*\}", text):
            return None
        return b"".join(int(word, 16).to_bytes(self.size, self.trace.order)
                        for word in text[1:-1].split(",") if word)


# --- reasons ---------------------------------------------------------------------------------

def has_eight_frames(field, data, value, word):
    """Stacks of 6.1 to 7.2 have 8 frames by their format, and by their field size those that there are."""
    return (field.fmt.name == "kernel_stack" and field.name == "caller" and field.array_of(value) is not None and
            ARRAY.fullmatch(word) and words_of(word).startswith(field.array_of(value)) and
            len(words_of(word)) == field.place.size and field.place.size > len(data) - field.place.offset)


def is_newline(field, _, value, word):
    """The last field of a record ends its line."""
    return field.place.string and field.is_last and field.plain(value) == word + b"\n"


def is_empty(field, data, value, _):
    """The kernel could not read the text: the location has the length 0."""
    at = field.place.offset
    return (field.place.loc and field.place.string and value == "" and
            int.from_bytes(data[at:at + 4], field.trace.order) >> 16 == 0)


def is_text(field, _, value, word):
    """libtraceevent takes u8 for a type of characters, and a text of it to the next zero byte."""
    raw = field.array_of(value) if isinstance(value, str) else None
    return (field.place.array and not field.place.string and field.size == 1 and bool(raw) and
            not ARRAY.fullmatch(word) and word.startswith(raw.split(b"\0")[0]))


# Why a word of trace-cmd differs from the row, which has what is in the record's bytes: {text: test}.
REASONS = {
    "trace-cmd prints 8 frames of each stack, also beyond the end of the record": has_eight_frames,
    "trace-cmd ends a line once, where its last text ends with a newline, too": is_newline,
    "trace-cmd prints what follows the place of a text of no length": is_empty,
    "trace-cmd prints an array of u8 as a text that need not end with it": is_text,
}


# --- what the file has -----------------------------------------------------------------------

class Recording:
    def __init__(self, path):
        self.path, self.trace = path, rawdecode.load(path, keep_data=True)
        lines = (line.split() for line in self.trace.kallsyms.decode(errors="replace").split("\n"))
        symbols = sorted((int(words[0], 16), words[2]) for words in lines if len(words) >= 3)
        self.starts, self.names = [start for start, _ in symbols], [name for _, name in symbols]
        self.events = collections.defaultdict(list)      # of each format: records, in the order of each CPU
        self.odd = []
        self.read(self.lines())

    def lines(self):
        """{CPU: [match of LINE]} of trace-cmd. A text may have several lines."""
        done = subprocess.run(["trace-cmd", "report", "-R", "-t", "-N", self.path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        texts, out = [], collections.defaultdict(list)
        for line in done.stdout.removesuffix(b"\n").split(b"\n"):
            if LINE.match(line):
                texts.append([line])
            elif texts:
                texts[-1].append(line)
        for text in texts:
            match = LINE.fullmatch(b"\n".join(text))
            out[int(match[3])].append(match)
        return out

    def read(self, lines):
        for cpu in self.trace.buffers[0].cpus:
            theirs = lines[cpu.cpu]
            if len(theirs) != len(cpu.rows):
                self.odd.append(f"CPU {cpu.cpu}: {len(cpu.rows)} records, {len(theirs)} of trace-cmd")
            for (ts, number, pid, _, data), match in zip(cpu.rows, theirs):
                fmt = self.trace.formats[number]
                mine = ts, pid, fmt.name
                other = int(match[4]) * 10**9 + int(match[5]), int(match[2]), match[6].decode()
                if mine != other:
                    self.odd.append(f"CPU {cpu.cpu}: {mine}, in trace-cmd {other}")
                    return
                self.events[number].append(Record(ts, cpu.cpu, pid, data, match[7]))


    def is_at(self, word, address):
        """Whether the symbol that contains the address has that name, and the offset, if there is one."""
        symbol, at = SYMBOL.fullmatch(word), bisect.bisect_right(self.starts, address) - 1
        if not symbol or at < 0:
            return False
        same = range(bisect.bisect_left(self.starts, self.starts[at]), at + 1)
        return (symbol[1] in (self.names[i] for i in same) and
                (not symbol[2] or int(symbol[2], 16) == address - self.starts[at]))


def ask(path, tables):
    """The rows of each table: [(table, columns)] in, a list of lists of tuples out."""
    queries = ";\n".join("SELECT %s FROM %s" % (", ".join('"%s"' % c for c in ("ts", "cpu", "tid", *columns)), table)
                         for table, columns in tables)
    done = subprocess.run([os.environ["FTR"], "sql", "--json", "-i", path, "-f", "-"], input=queries.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    text, decoder, at, out = done.stdout.decode(errors="surrogateescape"), json.JSONDecoder(), 0, []
    for table, _ in tables:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            raise ValueError(f"ftr sql: {table}: {done.stderr.decode(errors='replace')}")
        rows, at = decoder.raw_decode(text, at)
        out.append([tuple(row.values()) for row in rows])
    return out


def known_tables(path):
    done = subprocess.run([os.environ["FTR"], "sql", "--schema", "--json", path], stdout=subprocess.PIPE, check=True)
    return {table["name"] for table in json.loads(done.stdout)["tables"] if table["event"]}


# --- comparing -------------------------------------------------------------------------------

class Comparison:
    def __init__(self, recording):
        self.recording, self.trace = recording, recording.trace
        self.values, self.events, self.counts = 0, 0, collections.Counter()
        self.systems = collections.Counter()
        self.odd = list(recording.odd)

    def run(self, most, seed):
        names = known_tables(self.recording.path)
        events = [(self.trace.formats[number], records) for number, records in self.recording.events.items()]
        fields = [[Field(fmt, name, place, self.trace) for name, place in rawfields.fields_of(fmt)]
                  for fmt, _ in events]
        tables = [fmt.name if fmt.name in names else f"{fmt.system}__{fmt.name}" for fmt, _ in events]
        answers = ask(self.recording.path, [(table, [f.column for f in own]) for table, own in zip(tables, fields)])
        for (fmt, records), own, rows in zip(events, fields, answers):
            rows.sort(key=lambda row: row[1])           # by CPU; the order of each is kept
            if [row[:3] for row in rows] != [(r.ts, r.cpu, r.pid) for r in records]:
                self.odd.append(f"{fmt.name}: {len(rows)} rows, not the times, CPUs, tasks of {len(records)} records")
                continue
            self.systems[fmt.system] += 1
            self.events += 1
            for field in own[-1:]:
                field.is_last = True
            chosen = random.Random(f"{seed} {fmt.name}").sample(range(len(rows)), min(most, len(rows)))
            pattern = re.compile(rb" ".join(re.escape(f.name.encode()) + rb"=(.*?)" for f in own), re.S)
            for i in sorted(chosen):
                self.row(own, pattern, records[i], rows[i][3:])

    def row(self, fields, pattern, record, values):
        words = pattern.fullmatch(record.words)
        if not words:
            self.odd.append(f"{fields[0].fmt.name}: trace-cmd has not these fields: {record.words!r}")
            return
        for field, value, word in zip(fields, values, words.groups()):
            self.values += 1
            if not self.of_bytes(field, record.data, value):
                number = field.number(record.data)
                self.differ(field, record, value, field.bytes_of(record.data) if number is None else number)
            elif not self.of_word(field, value, word):
                reason = next((text for text, test in REASONS.items() if test(field, record.data, value, word)), None)
                if reason:
                    self.counts[reason] += 1
                else:
                    self.differ(field, record, value, word)

    def differ(self, field, record, value, other):
        where = f"{field.fmt.name}.{field.name} on CPU {record.cpu} at {record.ts}"
        self.odd.append(f"{where}: {value!r} and not {other!r}")

    @staticmethod
    def of_bytes(field, data, value):
        """Whether the bytes of the record say the same."""
        number = field.number(data)
        if number is not None:
            return value == number
        raw = field.bytes_of(data)
        if raw is None or not isinstance(value, str):
            return raw is None and value is None
        if field.place.string:
            return field.plain(value) == unescaped(raw)
        return field.array_of(value) == raw if value.startswith("{") else value == raw.hex()

    def of_word(self, field, value, word):
        """Whether trace-cmd says the same."""
        array = ARRAY.fullmatch(word)
        if array:
            word = words_of(word)
            if field.place.string:
                word = word.split(b"\0")[0]
        if isinstance(value, int):
            return not array and self.of_number(field, value, word.decode(errors="replace").strip())
        if not isinstance(value, str):
            return False
        if field.place.string:
            return field.plain(value) == unescaped(word)
        return bool(array) and (field.array_of(value) == word or value == word.hex())

    def of_number(self, field, value, word):
        """A number without 0x is of the base that all words of its field have."""
        bits = 8 * field.place.size
        if word == "(nil)":
            return value == 0
        if re.fullmatch(r"0x[0-9a-f]+", word):
            return (int(word, 16) - value) % (1 << bits) == 0
        kinds = {kind for kind, (base, pattern) in BASES.items()
                 if re.fullmatch(pattern, word) and (int(word, base) - value) % (1 << bits) == 0}
        if kinds:
            field.bases &= kinds
            return bool(field.bases)
        return self.recording.is_at(word, value % (1 << 64))


def is_needed(path):
    """Prints a line for each reason. Returns false if one was not needed."""
    with open(path, encoding="utf-8") as file:
        met = {line.split("\t")[0] for line in file}
    for text in REASONS:
        print(f"{'ok' if text in met else 'not ok'} - a reason that is needed: {text}")
    return met >= set(REASONS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--name", default="fields")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--systems", default="")
    parser.add_argument("--counts")
    parser.add_argument("--needed", metavar="FILE")
    parser.add_argument("dat", nargs="?")
    args = parser.parse_args()
    if args.needed:
        return 0 if is_needed(args.needed) else 1
    found = Comparison(Recording(args.dat))
    found.run(args.rows, args.seed)
    missing = [system for system in args.systems.split() if not found.systems[system]]
    text = f"{args.name}: {found.values} values of {found.events} events, {sum(found.counts.values())} with a reason"
    print(f"{'not ok' if found.odd else 'ok'} - {text}")
    print("".join(f"# {line}\n" for line in [f"{len(found.odd)} differ"] * bool(found.odd) + found.odd[:SHOWN]), end="")
    print(f"{'not ok' if missing else 'ok'} - {args.name}: records of all systems {' '.join(missing)}")
    if args.counts:
        with open(args.counts, "a", encoding="utf-8") as file:
            file.writelines(f"{key}\t{n}\n" for key, n in found.counts.items())
    return 1 if found.odd or missing else 0


if __name__ == "__main__":
    sys.exit(main())
