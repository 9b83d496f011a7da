#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes ClickHouse's RowBinaryWithNamesAndTypes by its documentation, and compares it with other outputs.

Usage: rowbinary.py json FILE
       rowbinary.py types FILE
       rowbinary.py same FILE ROWS [NAME=OTHER...]
       rowbinary.py formats FILE JSONL CSV
       rowbinary.py beside FILE EVENT TRACE

json prints an object for each row, types a line for each column. same compares the columns that both FILE and ROWS
have, an array of objects as 'ftr sql --json' prints it; NAME=OTHER compares column NAME with the other's OTHER.
formats compares the rows of three formats. beside compares the fields with the bytes of the trace file, as rawfields.py
reads them.
"""
import csv, datetime, json, os, re, struct, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rawfields                        # noqa: E402

NUMBERS = {'Int8': '<b', 'Int16': '<h', 'Int32': '<i', 'Int64': '<q', 'UInt8': '<B', 'UInt16': '<H', 'UInt32': '<I',
           'UInt64': '<Q', 'Float64': '<d', "DateTime64(9, 'UTC')": '<q'}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, n):
        if n > len(self.data) - self.at:
            raise ValueError('the data ends within a value, at %d' % self.at)
        self.at += n
        return self.data[self.at - n:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.bytes(1)[0]
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value
            shift += 7

    def string(self):
        return self.bytes(self.varint()).decode()

    def value(self, kind):
        inner = re.match(r'(Nullable|LowCardinality|Array)\((.*)\)$', kind)
        if kind in NUMBERS:
            return struct.unpack(NUMBERS[kind], self.bytes(struct.calcsize(NUMBERS[kind])))[0]
        if kind == 'String':
            return self.string()
        if inner[1] == 'Nullable':
            null = self.bytes(1)[0]
            assert null < 2, 'a mark of NULL is %d' % null
            return None if null else self.value(inner[2])
        if inner[1] == 'LowCardinality':
            return self.value(inner[2])
        return [self.value(inner[2]) for _ in range(self.varint())]


def decode(path):
    r = Reader(open(path, 'rb').read())
    n = r.varint()
    names = [r.string() for _ in range(n)]
    types = [r.string() for _ in range(n)]
    rows = []
    while r.at < len(r.data):
        rows.append({name: r.value(kind) for name, kind in zip(names, types)})
    return names, types, rows


def plain(v):
    """A value as SQLite has it: numbers are signed."""
    return v - 2 ** 64 if isinstance(v, int) and v >= 2 ** 63 else v


def compare(path, other, pairs):
    names, _, rows = decode(path)
    wanted = json.load(open(other))
    renamed = dict(p.split('=') for p in pairs)
    columns = [(n, renamed.get(n, n)) for n in names if wanted and renamed.get(n, n) in wanted[0] and
               not isinstance(rows[0][n], list) and (n in renamed or n not in renamed.values())]
    bad = 0
    if len(rows) != len(wanted):
        print('# %d rows, not %d' % (len(rows), len(wanted)))
        bad += 1
    for i, (row, want) in enumerate(zip(rows, wanted)):
        for n, o in columns:
            if plain(row[n]) != want[o] and bad < 5:
                print('# row %d, %s: %r, not %r' % (i, n, row[n], want[o]))
                bad += 1
    print('%d rows, columns %s' % (len(rows), ' '.join(n for n, _ in columns)))
    return bad


def time_ns(text):
    day, part = text.split('.')
    since = datetime.datetime.fromisoformat(day + '+00:00')
    return int(since.timestamp()) * 10 ** 9 + int(part)


def of_cell(kind, cell, quoted):
    """The value of a cell of CSV: an empty one without quotes is NULL."""
    if kind.startswith('DateTime64'):
        return time_ns(cell)
    if kind.startswith('Array'):
        return json.loads(cell)
    if not cell and not quoted and 'Nullable' in kind:
        return None
    return cell if 'String' in kind else float(cell) if 'Float' in kind else int(cell)


def read_csv(path, types):
    """The rows of a CSV in which each text is in quotes, by a machine of two states."""
    rows, row, cell, inside, quoted, text = [], [], '', False, False, open(path, newline='').read()
    at = 0
    while at < len(text):
        c = text[at]
        at += 1
        if inside:
            if c == '"' and text[at:at + 1] == '"':
                cell += c
                at += 1
            elif c == '"':
                inside = False
            else:
                cell += c
        elif c == '"':
            inside = quoted = True
        elif c in ',\n':
            row.append((cell, quoted))
            cell, quoted = '', False
            if c == '\n':
                rows.append(row)
                row = []
        else:
            cell += c
    assert [[c for c, _ in r] for r in rows] == list(csv.reader(open(path, newline=''))), 'csv of Python differs'
    names = [c for c, _ in rows[0]]
    return [{n: of_cell(k, *c) for n, k, c in zip(names, types, r)} for r in rows[1:]]


def formats(path, jsonl, table):
    _, types, rows = decode(path)
    lines = [json.loads(line) for line in open(jsonl, newline='\n')]
    for line in lines:
        if 'ts' in line and isinstance(line['ts'], str):
            line['ts'] = time_ns(line['ts'])
    bad = 0
    for name, other in (('jsonl', lines), ('csv', read_csv(table, types))):
        if other != rows:
            at = next((i for i, (a, b) in enumerate(zip(rows, other)) if a != b), min(len(rows), len(other)))
            print('# %s, row %d of %d: %s, not %s' % (name, at, len(rows), other[at:at + 1], rows[at:at + 1]))
            bad += 1
    print('%d rows' % len(rows))
    return bad


def beside(path, event, trace):
    rows, bad, n, lost = {}, 0, 0, {}
    for row in decode(path)[2]:
        rows.setdefault((row['buffer'], row['cpu']), []).append(row)
    records, losses = rawfields.objects(trace, False)
    for key, objects in records.items():
        for o in (o for o in objects if o['event'] == event):
            fields = o['fields']
            if any(v is None for k, v in fields.items() if not isinstance(rows_type(rows, k), (str, list))):
                continue
            row = rows[key].pop(0) if rows.get(key) else {}
            lost[key] = lost.get(key, 0) + (row.get('lost') or 0)
            got = {k: row.get('arg_' + k, row.get(k)) for k in fields}
            want = {k: (v if v is not None else type(got[k])()) for k, v in fields.items()}
            n += 1
            if got != want or (row.get('trace_ts'), row.get('tid')) != (o['ts'], o['pid']):
                bad += 1
                if bad < 5:
                    print('# %s %s, not %s' % (key, row, o))
        if lost.get(key, 0) > losses[key][0]:
            print('# %s: %d events are lost, not %s' % (key, lost[key], losses[key]))
            bad += 1
    left = sum(map(len, rows.values()))
    print('%d rows, %d too many' % (n, left))
    return bad or left or not n


def rows_type(rows, name):
    first = next((r[0] for r in rows.values() if r), {})
    return first.get('arg_' + name, first.get(name))


def main():
    if sys.argv[1] == 'formats':
        return 1 if formats(*sys.argv[2:5]) else 0
    if sys.argv[1] == 'beside':
        return 1 if beside(*sys.argv[2:5]) else 0
    if sys.argv[1] == 'same':
        return 1 if compare(sys.argv[2], sys.argv[3], sys.argv[4:]) else 0
    names, types, rows = decode(sys.argv[2])
    for line in ['%s %s' % x for x in zip(names, types)] if sys.argv[1] == 'types' else map(json.dumps, rows):
        print(line)
    return 0


if __name__ == '__main__':
    sys.exit(main())
