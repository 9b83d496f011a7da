#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A function_graph recording of a real load: ftr, trace-cmd, libtracecmd and a decoder of its own count the same.
. "$(dirname "$0")/../lib.sh"

DIR=/usr/share/doc

one_kernel() {
	local f=$OUTDIR/a.dat want pairs dflt
	# shellcheck disable=SC2016
	guest --timeout 900 -- sh -c '"$0" record -p function_graph -l "vfs_*" -o "$OUT/a.dat" -- ls -lR "$1"' \
		"$FTR" "$DIR" > "$OUTDIR/ls.txt"
	same "$V: record ends with the command's status" 0 $?
	[ -s "$f" ] || { fail "$V: there is a file" "$(cat "$OUTDIR/err")"; return; }
	has "$V: the summary says that nothing was lost" "$(cat "$OUTDIR/err")" ' 0 lost'

	"$ORACLE/rawdecode.py" "$f" > "$OUTDIR/raw.txt"
	want=$(total records < "$OUTDIR/raw.txt")
	pairs=$(total leaf_pairs < "$OUTDIR/raw.txt")
	check "$V: thousands of records ($want, $pairs leaf pairs)" test "$want" -gt 1000
	same "$V: ftr report --raw has a line a record" "$want" "$("$FTR" report --raw "$f" | wc -l)"
	same "$V: trace-cmd report -R counts the same" "$want" \
		"$(trace-cmd report -R "$f" 2> "$OUTDIR/tc.err" | grep -c ': funcgraph_e')"
	same "$V: trace-cmd has nothing to complain of" "" "$(cat "$OUTDIR/tc.err")"
	same "$V: libtracecmd counts the same" "$want" "$("$FTR_BUILD/tests/oracle/tcmd_count" "$f" | total records)"
	dflt=$("$FTR" report "$f" 2> "$OUTDIR/report.err" | tee "$OUTDIR/report.txt" | wc -l)
	same "$V: the default report has a line a record, leaf pairs joined" $((want - pairs)) "$dflt"
	same "$V: the report has nothing to complain of" "" "$(cat "$OUTDIR/report.err")"
	same "$V: every comm is known" 0 "$(grep -c '<\.\.\.>' "$OUTDIR/report.txt")"
}

for_a_kernel one_kernel
finish
