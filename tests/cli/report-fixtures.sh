#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that others recorded, and trace-cmd's conversions of them: as many records as an independent decoder counts;
# columns and text as trace-cmd's.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
CHECK=$FTR_TOP/tests/tools/report-check.py
CLASSES=$FTR_TOP/tests/cases/report-classes.txt

if [ ! -d "$FTR_FIXTURES_DIR" ]; then
	skip "fixtures" "no folder $FTR_FIXTURES_DIR"
	finish
fi
HAVE_TC=$(command -v trace-cmd)

# counts FILE NAME RECORDS
counts() {
	local raw
	raw=$("$FTR" report --raw "$1" 2> "$TMP/err" | wc -l)
	same "$2: nothing to complain of" "" "$(cat "$TMP/err")"
	same "$2: a line a record" "$3" "$raw"
	same "$2: the decoder counts the same" "$3" \
		"$(python3 "$ORACLE/rawdecode.py" "$1" 2> /dev/null | total records)"
	same "$2: ftr info counts the same" "$3" \
		"$("$FTR" info "$1" | awk '/^  events:/ { n += $2 } END { print n }')"
}

# like_trace_cmd FILE NAME CLASS=N[,CLASS=N]
like_trace_cmd() {
	[ -n "$HAVE_TC" ] || { skip "$2: columns and text" "no trace-cmd"; return; }
	check "$2: task, pid, CPU, flags, time, event are trace-cmd's" python3 "$CHECK" columns "$1"
	check "$2: text is trace-cmd's, but for ${3:-nothing}" python3 "$CHECK" text "$1" "$CLASSES" "$3"
}

# converted FILE NAME RECORDS: v7 files of the same records print the same
converted() {
	local how out
	"$FTR" report "$1" > "$TMP/want"
	for how in none zlib zstd; do
		out=$TMP/$2.$how.dat
		if ! "${HAVE_TC:-false}" convert -i "$1" --file-version 7 --compression $how -o "$out" \
			> "$TMP/convert" 2>&1 || [ ! -s "$out" ]; then
			skip "$2 as v7 $how" "trace-cmd: $(tail -n 1 "$TMP/convert")"
			continue
		fi
		counts "$out" "$2 as v7 $how" "$3"
		"$FTR" report "$out" > "$TMP/got"
		same_files "$2 as v7 $how: the same report" "$TMP/want" "$TMP/got"
		# not the text: trace-cmd takes the longs of a converted 32-bit file for 64-bit ones
		[ $how = none ] || check "$2 as v7 $how: columns are trace-cmd's" \
			python3 "$CHECK" columns "$out"
		rm -f "$out"
	done
}

# fixture NAME RECORDS CLASS=N: the records stand in the fixtures' README
fixture() {
	local xz=$FTR_FIXTURES_DIR/$1.dat.xz f=$TMP/$1.dat
	[ -f "$xz" ] || { skip "$1" "not in $FTR_FIXTURES_DIR"; return; }
	xz -dc "$xz" > "$f"
	counts "$f" "$1" "$2"
	like_trace_cmd "$f" "$1" "$3"
	converted "$f" "$1" "$2"
	rm -f "$f"
}

fixture lisa-sched-load-64le 3724 ""
fixture trappy-raw-64le 757 control-bytes=2
fixture trappy-trace-32le 525 ""
fixture trappy-52k-32le 51797 control-bytes=4
fixture trappy-u32-array-32le 1411 unparsed-array=585
fixture trappy-extends-32le 2432 ""
finish
