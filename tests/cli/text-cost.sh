#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# A line of a text costs at most 2,500 instructions, whatever is in it: events with fields, or calls without times. Each
# argument of a call costs 300 more.
. "$(dirname "$0")/../lib.sh"
LIMIT=2500 FEW=10000 MANY=50000

# instructions TEXT: of its import
instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$TMP/calls" \
		"$FTR" import -q "$1" -o "$TMP/out.dat" > /dev/null 2>&1
	sed -n 's/^\(totals\|summary\): *//p' "$TMP/calls" | head -n 1
	rm -f "$TMP/calls" "$TMP/out.dat"
}

# cost WHAT TEXT [LIMIT]: the lines after the first $FEW, which have made all formats and symbols known
cost() {
	local few many each limit=${3:-$LIMIT}
	same "$1: the text has $MANY lines" $MANY "$(head -n $MANY "$2" | wc -l)"
	head -n $FEW "$2" > "$TMP/few"
	head -n $MANY "$2" > "$TMP/many"
	few=$(instructions "$TMP/few") many=$(instructions "$TMP/many")
	each=$(((many - few) / (MANY - FEW)))
	check "$1: $each instructions a line, at most $limit" test $each -gt 0 -a $each -le $limit
}

if [ "$(uname -m)" != x86_64 ]; then
	skip "the cost of a line" "other machines have other instructions"
	finish
elif ! command -v valgrind > /dev/null; then
	skip "the cost of a line" "no valgrind"
	finish
fi

python3 "$ORACLE/growth.py" --write text_graph $MANY "$TMP/graph.txt"
cost "calls without times" "$TMP/graph.txt"
sed -E 's/([a-z_0-9]+)\(\)/\1(file=0xffff888004be2c00, count=0x1000, flags=3)/' "$TMP/graph.txt" > "$TMP/args.txt"
cost "calls with three arguments" "$TMP/args.txt" $((LIMIT + 3 * 300))
file=$TMP/in.dat
if ! xz -dc "$FTR_FIXTURES_DIR/lisa-sched-load-64le.dat.xz" > "$file" 2> /dev/null; then
	skip "the cost of an event" "no fixtures in $FTR_FIXTURES_DIR"
	finish
fi
"$FTR_BUILD/tests/tools/replicate" -n $MANY "$file" "$TMP/long.dat" > /dev/null
"$FTR" report -q --format=kernel "$TMP/long.dat" > "$TMP/events.txt"
cost "events of the scheduler" "$TMP/events.txt"
finish
