#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers in texts whose kernel's formats are not known: "name=10" is 16 where kernels print it as %x, and stays a text
# where some do and others do not. Each value of the formats of several kernels is a text here.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
mkdir tracefs
export FTR_TRACEFS=$TMP/tracefs

cat > bases.py << 'P'
"""Writes a line of a trace for each "name=%x" and "name=%d" of print fmts, and the values that are right."""
import collections
import json
import re
import sys

HEAD = re.compile(r'name: (\w+)\nID: \d+\n.*?print fmt: ((?:\s*"(?:\\.|[^"\\])*")+)', re.S)
VALUE = re.compile(r'(?<![^ ,("])([A-Za-z_]\w*)=%([-#0-9]*)[hlLqzjt]*([xXdiu])(?![-:/.]%)')
bases = collections.defaultdict(set)
for path in sys.argv[1:]:
    for event, fmt in HEAD.findall(open(path, errors='replace').read()):
        for name, flags, letter in VALUE.findall(fmt):
            if '#' not in flags and not name.startswith('common_'):
                bases[event, name].add('x' if letter in 'xX' else 'd')
events = collections.defaultdict(dict)
for (event, name), found in bases.items():
    events[event][name] = ['10'] + [{'x': 16, 'd': 10}[b] for b in found if len(found) == 1]
with open('lines', 'w') as lines, open('right', 'w') as right:
    for n, (event, values) in enumerate(sorted(events.items())):
        text = ' '.join('%s=10' % v for v in values)
        lines.write('  app-%d  [000] d..2.  1.%06d: %s: %s\n' % (n + 1, n, event, text))
        right.write('%s\n' % json.dumps([event, values]))
P
cat > check.py << 'P'
"""Prints the values that are wrong, and counts the others."""
import collections
import json

seen = collections.Counter()
for got, (event, values) in zip(map(json.loads, open('got')), map(json.loads, open('right'))):
    for name, allowed in values.items():
        # a known event's field may have another name
        value = got['fields'].get(name, '10' if 'text' in got['fields'] else None)
        if got['event'] != event or value not in [*allowed, None]:
            print(event, name, value, allowed)
        seen[value] += 1
print('hexadecimal:', seen[16] >= 300, 'decimal:', seen[10] > 4000, 'few others:', seen['10'] + seen[None] < 20)
P

shopt -s nullglob
for f in "$FTR_FORMATS_DIR"/*.fmt.xz; do
	xz -dc "$f" > "$(basename "$f" .xz)"
done
set -- *.fmt
if [ $# = 0 ]; then
	skip 'bases of numbers' "no formats in $FTR_FORMATS_DIR"
	finish
fi
python3 bases.py "$@"
# ftr makes formats of 500 events at most
split -l 450 lines part.
status=
for f in part.*; do
	"$FTR" import -q "$f" -o b.dat > out 2> err
	status+=$?
	"$FTR" report -q --json b.dat >> got 2> err
done
same 'a line for each value: status' '' "${status//0/}"
same 'all are records' "$(wc -l < right)" "$(wc -l < got)"
same 'no value is wrong' 'hexadecimal: True decimal: True few others: True' "$(python3 check.py)"
finish
