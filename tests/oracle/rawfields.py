#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The typed fields of all records, from a file's bytes alone (rawdecode.py),
beside what ftr report --json says of them.

Usage: rawfields.py FILE...             prints an object a record, CPU by CPU
       rawfields.py --beside JSON [--safe] FILE...
                                        compares the lines of JSON with them: all values, their order on each CPU,
                                        and losses

Prints what differs, and one line of counts; exit status 1 if any, or if a line is no JSON or no UTF-8.
"""
import codecs
import json
import os
import re
import struct
import sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rawdecode                        # noqa: E402

SIZES = {"char": 1, "u8": 1, "s8": 1, "__u8": 1, "__s8": 1, "uint8_t": 1, "bool": 1, "short": 2, "u16": 2,
         "s16": 2, "__u16": 2, "uint16_t": 2, "__be16": 2, "int": 4, "unsigned": 4, "u32": 4, "s32": 4, "__u32": 4,
         "__s32": 4, "__be32": 4, "uint32_t": 4, "long long": 8, "u64": 8, "s64": 8, "__u64": 8, "__s64": 8,
         "__be64": 8, "uint64_t": 8}
LINE = re.compile(r"field[^:\n]*:([^;\n]*);\s*offset:(\d+);\s*size:(\d+);(?:\s*signed:(\d+);)?")
SAFE = 1 << 53

# A byte that is no UTF-8 is the character of its number.
codecs.register_error("byte", lambda e: ("".join(map(chr, e.object[e.start:e.end])), e.end))


class Field:
    def __init__(self, declaration, offset, size, signed):
        self.offset, self.size, self.signed = int(offset), int(size), signed == "1"
        array = re.match(r"(.*?)\s*\[(.*)\]$", declaration.strip())
        body = array[1] if array else declaration.strip()
        self.type, self.name = re.match(r"(.*?)([^\s*]*)$", body).groups()
        self.type = self.type.strip()
        self.loc = re.match(r"__(data|rel)_loc", self.type)
        self.array = bool(array) or bool(self.loc) or not self.size
        element = re.sub(r"^__(data|rel)_loc\s*|\s*\[\]$", "", self.type)
        self.string = self.array and element in ("char", "const char")
        self.element = self.number_size(element, array[2] if array else "")

    def number_size(self, element, count):
        if not self.array:
            return self.size if self.size in (1, 2, 4, 8) else 0
        if "struct " in element or "union " in element:
            return 0
        size = SIZES.get(re.sub(r"^unsigned ", "", element), 0)
        if not size and count.isdigit() and int(count) and self.size % int(count) == 0:
            size = self.size // int(count)
        if not size and element.endswith("long"):
            size = "long"
        return size if size in (1, 2, 4, 8, "long") else 0

    def plain(self, order):
        """A function of the record that is value() of a number that always lies in one place; None for another."""
        if self.array or self.loc or self.string or self.element not in (1, 2, 4, 8):
            return None
        code = {1: "b", 2: "h", 4: "i", 8: "q"}[self.element]
        read = struct.Struct(("<" if order == "little" else ">") + (code if self.signed else code.upper())).unpack_from
        start, end = self.offset, self.offset + self.size
        return lambda data: read(data, start)[0] if end <= len(data) else None

    def getter(self, order, long_size, fmt):
        return self.plain(order) or (lambda data: self.value(data, order, long_size, fmt))

    def bytes_of(self, data, order, fmt):
        start, end = self.offset, self.offset + self.size
        if not self.size or (fmt.name == "kernel_stack" and self.name == "caller"):
            return data[start:] if start <= len(data) else None
        if end > len(data):
            return None
        if self.loc:
            where = int.from_bytes(data[start:start + 4], order)
            start, length = where & 0xffff, where >> 16
            start += end if self.loc[1] == "rel" else 0
            end = start + length
        return data[start:end] if end <= len(data) else None

    def value(self, data, order, long_size, fmt):
        raw = self.bytes_of(data, order, fmt)
        size = long_size if self.element == "long" else self.element
        if raw is None:
            return None
        if self.string:
            return raw.split(b"\0")[0].decode(errors="byte")
        if not size:
            return raw.hex()
        numbers = [int.from_bytes(raw[i:i + size], order, signed=self.signed)
                   for i in range(0, len(raw) - size + 1, size)]
        return numbers if self.array else numbers[0]


def fields_of(fmt):
    """(name in the object, field); a second field of one name has a number."""
    out, taken = [], set()
    for match in LINE.finditer(fmt.text.split("print fmt:")[0]):
        field = Field(*match.groups())
        name, number = field.name, 1
        while name in taken:
            number += 1
            name = "%s_%d" % (field.name, number)
        taken.add(name)
        if not name.startswith("common_"):
            out.append((name, field))
    return out


def safe(value):
    if isinstance(value, list):
        return [safe(v) for v in value]
    return str(value) if isinstance(value, int) and abs(value) > SAFE else value


def objects(path, as_strings):
    """(buffer, cpu) -> objects of its records."""
    trace = rawdecode.load(path, keep_data=True)
    long_size = trace.long_size
    places = {number: [(name, field.getter(trace.order, long_size, fmt)) for name, field in fields_of(fmt)]
              for number, fmt in trace.formats.items()}
    out = {}
    for buf in trace.buffers:
        for cpu in buf.cpus:
            rows = out.setdefault((buf.name, cpu.cpu), [])
            for ts, number, pid, _, data in cpu.rows:
                one = {"ts": ts, "pid": pid}
                fmt = trace.formats.get(number)
                if fmt:
                    one.update(system=fmt.system, event=fmt.name, fields={
                        name: get(data) for name, get in places[number]})
                else:
                    one.update(event=None, type=number, bytes=data.hex())
                if as_strings:
                    one["ts"] = safe(one["ts"])
                    if fmt:
                        one["fields"] = {k: safe(v) for k, v in one["fields"].items()}
                rows.append(one)
    return out, {(b.name, c.cpu): (c.lost, c.lost_unknown) for b in trace.buffers for c in b.cpus}


def no_twice(pairs):
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a name comes twice: %s" % pairs)
    return out


def read_lines(path):
    """(file, buffer, cpu) -> objects, and (lost, how often unknown)."""
    rows, lost = {}, {}
    for line in open(path, encoding="utf-8", newline="\n"):
        one = json.loads(line, object_pairs_hook=no_twice)
        key = one.get("file"), one.get("buffer", ""), one["cpu"]
        if "lost" in one:
            known, unknown = lost.get(key, (0, 0))
            lost[key] = (known + int(one["lost"] or 0), unknown + (one["lost"] is None))
        else:
            rows.setdefault(key, []).append(one)
    return rows, lost


def beside(said, as_strings, files):
    rows, lost = read_lines(said)
    bad, records = [], 0
    for path in files:
        name = path if len(files) > 1 else None
        wanted, losses = objects(path, as_strings)
        for (buf, cpu), want in wanted.items():
            got = rows.pop((name, buf, cpu), [])
            records += len(want)
            if len(got) != len(want):
                bad.append("%s %s CPU %d: %d records, %d wanted" % (path, buf, cpu, len(got), len(want)))
            bad += ["%s\n  and not %s" % ({k: g.get(k) for k in w}, w)
                    for w, g in zip(want, got) if not w.items() <= g.items()]
            if lost.pop((name, buf, cpu), (0, 0)) != losses[buf, cpu]:
                bad.append("%s %s CPU %d: not the losses %s" % (path, buf, cpu, losses[buf, cpu]))
    bad += ["objects of %s, which nobody has" % (key,) for key in list(rows) + list(lost)]
    print("\n".join(bad[:20] + ["# %d records, %d differ" % (records, len(bad))]))
    return bool(bad) or not records


def main():
    words = sys.argv[1:]
    if words and words[0] == "--beside":
        as_strings = "--safe" in words
        files = [w for w in words[2:] if w != "--safe"]
        return beside(words[1], as_strings, files)
    for path in words:
        for (buf, cpu), rows in objects(path, False)[0].items():
            for one in rows:
                print(json.dumps(dict(one, buffer=buf, cpu=cpu)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
