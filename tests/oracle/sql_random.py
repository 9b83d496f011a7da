#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Queries by a grammar over the schema of trace files: sql_random.py SEED COUNT < SCHEMA, which is that of
'ftr sql --schema --json'. One query a line; some of them make no sense, and some are none at all."""
import json
import random
import sys

OPS = ('=', '<', '<=', '>', '>=', '<>', 'IS', 'IS NOT', 'LIKE', 'GLOB')
SIGNS = ('+', '-', '*', '/', '%', '||', '&', '<<', 'AND', 'OR')
AGGREGATES = ('count', 'sum', 'min', 'max', 'avg', 'total', 'group_concat')
SCALARS = ('abs', 'length', 'hex', 'typeof', 'upper', 'quote', 'unicode')


class Grammar:
    def __init__(self, rng, schema):
        self.rng, self.tables = rng, [t for t in schema['tables'] if t['columns']]
        ours = [f for f in schema['functions'] if f['min_arguments'] == 1]
        self.aggregates = AGGREGATES + tuple(f['name'] for f in ours if f['kind'] == 'aggregate')
        self.scalars = SCALARS + tuple(f['name'] for f in ours if f['kind'] == 'scalar')

    def value(self):
        return self.rng.choice((
            'NULL', '0', '-1', '1', '41', '1.5', "'a'", "''", '9223372036854775807', '-9223372036854775808',
            '1e300', "x'00ff'", str(self.rng.getrandbits(self.rng.randrange(1, 63))),
            "'%d'" % self.rng.getrandbits(40), "'%s'" % ('%' * 5)))

    def column(self, table, name):
        if self.rng.random() < 0.02:
            return 'nosuch'
        column = '"%s"' % self.rng.choice(table['columns'])['name']
        return '%s.%s' % (name, column) if name else column

    def expression(self, table, name, depth=0):
        kind = self.rng.randrange(7)
        if depth > 3 or kind < 3:
            return self.column(table, name) if self.rng.random() < 0.7 else self.value()
        one, two = (self.expression(table, name, depth + 1) for _ in range(2))
        if kind == 3:
            return '(%s %s %s)' % (one, self.rng.choice(OPS + SIGNS), two)
        if kind == 4:
            return '%s(%s)' % (self.rng.choice(self.scalars), one)
        if kind == 5:
            return 'CASE WHEN %s THEN %s ELSE %s END' % (one, two, self.value())
        return '(%s IN (%s, %s))' % (one, two, self.value())

    def source(self, depth):
        if depth < 2 and self.rng.random() < 0.15:
            inner, table = self.select(depth + 1)
            return '(%s)' % inner, table
        table = self.rng.choice(self.tables)
        if table['name'] == 'overlap':
            names = [self.rng.choice(self.tables)['name'] for _ in range(2)]
            return "overlap('%s', '%s', '%s')" % (*names, self.rng.choice(('utid', 'cpu', '', 'x'))), table
        return '"%s"' % table['name'], table

    def select(self, depth=0):
        source, table = self.source(depth)
        name = 't%d' % depth
        what = [self.expression(table, name) for _ in range(self.rng.randrange(1, 4))]
        query = 'SELECT %s FROM %s AS %s' % (', '.join(what) if depth == 0 else '*', source, name)
        if self.rng.random() < 0.15:
            other = self.rng.choice([t for t in self.tables if t['name'] != 'overlap'])
            query += ' JOIN (SELECT * FROM "%s" LIMIT 50) AS o ON %s = %s' % (
                other['name'], self.column(table, name), self.column(other, 'o'))
        if self.rng.random() < 0.6:
            query += ' WHERE ' + ' AND '.join('%s %s %s' % (
                self.column(table, name), self.rng.choice(OPS), self.value()) for _ in range(self.rng.randrange(1, 4)))
        if depth == 0 and self.rng.random() < 0.3:
            query = query.replace('SELECT ', 'SELECT %s(%s), ' % (
                self.rng.choice(self.aggregates), self.column(table, name)), 1)
            query += ' GROUP BY %s' % self.column(table, name)
        if self.rng.random() < 0.3:
            query += ' ORDER BY %s%s' % (self.column(table, name), self.rng.choice(('', ' DESC')))
        if self.rng.random() < 0.7 or depth:
            query += ' LIMIT %d' % self.rng.choice((0, 1, 5, 100))
        return query, table

    def query(self):
        text = self.select()[0]
        if self.rng.random() < 0.05:        # anything else
            at = self.rng.randrange(len(text))
            other = text[:at] + self.rng.choice(('(', ')', '--', '/', '\x01', '\xe9', ' UNION ')) + text[at + 1:]
            # a quote or comment that stays open would take the next query in
            if not (other.count("'") % 2 or other.count('"') % 2 or '/*' in other):
                return other
        return text


def main():
    rng = random.Random(int(sys.argv[1]))
    grammar = Grammar(rng, json.load(sys.stdin))
    for _ in range(int(sys.argv[2])):
        print('%s\n;' % grammar.query())
    print("SELECT 'the last';")


if __name__ == '__main__':
    main()
