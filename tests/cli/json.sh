#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report --json: each line is JSON and UTF-8, and says of each record what a decoder of its own reads in the file;
# hostile names and bytes, damaged files, any number of threads.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
FLIPS=1 CUTS=6 FEW=1500
[ "${FTR_LONG:-}" != 1 ] || { FLIPS=4 CUTS=30 FEW=6000; }

# parses NAME FILE: for others than Python
parses() {
	if command -v jq > /dev/null; then
		check "$1: jq" jq -e 'type == "object" and (.cpu | type) == "number"' "$2"
	else
		skip "$1: jq" "no jq"
	fi
}

# as_decoder NAME FILE...: also with numbers as strings
as_decoder() {
	local name=$1
	shift
	"$FTR" report --json "$@" > json 2> err
	check "$name: as the decoder" python3 "$ORACLE/rawfields.py" --beside json "$@"
	parses "$name" json
	"$FTR" report --json --json-safe "$@" > safe 2> err
	check "$name: numbers beyond 2^53 are strings" python3 "$ORACLE/rawfields.py" --beside safe --safe "$@"
}

# alike NAME ARG...: with one thread and with several
alike() {
	local name=$1 j
	shift
	for j in 1 2 4; do
		"$FTR" report -j$j --json "$@" > j$j 2> err
	done
	check "$name: -j2" cmp j1 j2
	check "$name: -j4" cmp j1 j4
}

fixtures() {
	local f name
	for f in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		[ -e "$f" ] || { skip "fixtures" "none in '$FTR_FIXTURES_DIR'"; return; }
		name=$(basename "$f" .dat.xz)
		xz -dc "$f" > "$name.dat"
		as_decoder "$name" "$name.dat"
		"$FTR" report --json --text "$name.dat" | python3 -c '
import json, sys
for line in sys.stdin:
    print(json.loads(line)["text"])' > got
		"$FTR" report --fields text "$name.dat" > want
		same_files "$name: the text is that of the report" want got
		alike "$name" --text "$name.dat"
		rm "$name.dat"
	done
}

synthetic() {
	python3 "$ORACLE/mkdat.py" a.dat --records 6000 --cpus 3 --instances one,two --lost 0.2
	python3 "$ORACLE/mkdat.py" b.dat --records 6000 --cpus 3 --compress zlib --seed 5
	python3 "$ORACLE/mkdat.py" few-a.dat --records $FEW --cpus 3 --instances one,two --lost 0.2
	python3 "$ORACLE/mkdat.py" few-b.dat --records $FEW --cpus 3 --compress zlib --seed 5
	python3 "$ORACLE/mkdat.py" big.dat --records 500 --endian be --long 4
	as_decoder "instances" few-a.dat
	same "names of instances" '"" "one" "two" ' \
		"$(sed 's/.*"buffer":\("[a-z]*"\).*/\1/' json | sort -u | tr '\n' ' ')"
	as_decoder "several files" few-a.dat few-b.dat
	as_decoder "big-endian, 32 bits" big.dat
	same "one file without instances has no names" "" "$(grep -o '"\(file\|buffer\)":' json | head -n 1)"
	alike "several files, calls" --text a.dat b.dat
	alike "a range, filtered" --text --since +50ms --until -50ms --event sched_switch,ftrace: a.dat
	same "the text of each call is its own" "$("$FTR" report --json b.dat | wc -l)" \
		"$("$FTR" report --json --text b.dat | wc -l)"
}

# An exit whose entry lies in another slice gets its name when slices are joined: as a string of JSON.
symbols() {
	sed 's/vfs_read/v"\\fread/g; s/schedule/sche"le\\/g' a.dat > symbols.dat
	alike "quotes in symbols" --text symbols.dat
	check "quotes in symbols: JSON" python3 "$ORACLE/rawfields.py" --beside j4 symbols.dat
	has "they are there" "$(< j4)" '/\* v\\"\\\\fread \*/"'
}

odd() {
	local how
	for how in "" -endian=be -long=4 -meta=lost=1; do
		python3 "$ORACLE/mkodd.py" $how odd.dat
		as_decoder "fields of every kind $how" odd.dat
	done
	"$FTR" report --json --text odd.dat > json 2> err
	parses "hostile names and bytes" json
	same "nothing that a terminal acts on" "" "$(python3 -c '
import re
acts = "[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
print("".join(re.findall(acts, open("json", newline="\n").read())))')"
	has "bytes that are no UTF-8" "$(< json)" '"fixed":"\\u00ff\\u00fe\\u0080"'
	has "UTF-8 as it is" "$(< json)" '"far":"grün € 😀"'
	has "names are escaped" "$(< json)" '"system":"sy\\"s\\\\tem\\n\\u001b","event":"ev\\"il\\\\".*"a\\"b\\\\c":0'
	has "no room for fields" "$(< json)" '"u64":null,'
	has "no format" "$(< json)" '"event":null,"type":2999,"bytes":"b70b000047000000deadbeef"'
	python3 "$ORACLE/mkodd.py" -short odd.dat
	has "no room for the pid" "$("$FTR" report --json odd.dat 2> err)" \
		'"pid":null,"comm":null,"event":null,"type":null,"bytes":"d2070000"'
}

# The time of day by the pair of clocks in the file, whatever is added to ts.
wall() {
	local arg
	python3 "$ORACLE/mkodd.py" -meta="wall_begin=1000000000000 1700000000123456789 5" wall.dat
	for arg in "" --date --align-ts --ts-offset=77; do
		has "time of day $arg" "$("$FTR" report --json $arg wall.dat 2> err | head -n 1)" \
			'"time":"2023-11-14T22:13:20.123456889Z",'
	done
	same "none for bare numbers" "" "$("$FTR" report --json --raw-ts wall.dat 2> err | grep '"time"')"
	same "none without the clocks" "" "$("$FTR" report --json odd.dat 2> err | grep '"time"')"
	has "--date moves ts" "$("$FTR" report --json --json-safe --date wall.dat 2> err | head -n 1)" \
		'^\{"ts":"1700000000123456889",'
}

losses() {
	same "losses with a number, and without" \
		"$(python3 "$ORACLE/rawdecode.py" a.dat 2> err | awk '$1 == "total" && /lost/ { print $3 }')" \
		"$("$FTR" report --json a.dat | python3 -c '
import json, sys
lost = [json.loads(line)["lost"] for line in sys.stdin if "\"lost\":" in line]
print(sum(n or 0 for n in lost), lost.count(None), sep="\n")')"
}

ends() {
	local j
	for j in 1 4; do
		"$FTR" report -j$j --json a.dat 2> err | head -n 3 > out
		same "-j$j into head: status, lines, remarks" "0 3 0" "${PIPESTATUS[0]} $(wc -l < out) $(wc -c < err)"
		"$FTR" report -j$j --json a.dat > /dev/full 2> err
		same "-j$j to a full disk: status" 3 $?
		has "-j$j to a full disk: it is said" "$(< err)" "cannot write"
	done
}

usage() {
	ftr_refuses "--text alone" 2 '--text works with --json only' report --text a.dat
	ftr_refuses "--json-safe alone" 2 '--json-safe works with --json only' report --json-safe a.dat
	for arg in --raw --fields=pid --latency -t --ts-diff --format=text --cpus; do
		ftr_refuses "--json $arg" 2 '--json prints records' report --json "$arg" a.dat
	done
	same "filters" "$("$FTR" report --event sched_switch a.dat | grep -c sched_switch)" \
		"$("$FTR" report --json --event sched_switch a.dat | grep -c '"event":"sched_switch"')"
}

damaged() {
	local f=$1 out
	if out=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts $CUTS --flips $FLIPS --lines \
			--as-report 'report --json,report --json --json-safe --text' theirs "$f" 2>&1); then
		pass "damage of $f: lines are JSON, the status is the report's"
	else
		fail "damage of $f" "$out"
	fi
	tail -n 1 <<< "$out"
}

fixtures
synthetic
symbols
odd
wall
losses
ends
usage
python3 "$ORACLE/mkdat.py" small.dat --records 60 --cpus 2 --instances one
python3 "$ORACLE/mkdat.py" packed.dat --records 60 --cpus 2 --compress zstd
damaged small.dat
damaged packed.dat
finish
