#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr latency wakeup beside runqlat of libbpf-tools, which counts in the kernel at the same time: each task that lived
# inside both recordings waited for a CPU as often by one as by the other.
. "$(dirname "$0")/../lib.sh"

# of_runqlat: "TID WAITS" of each thread in its histograms
of_runqlat() {
	awk '
		$1 == "tid" { tid = $3 }
		$2 == "->" { n[tid] += $5 }
		END { for (tid in n) print tid, n[tid] }' "$OUTDIR/runqlat.txt" | sort -n
}

of_ftr() {
	"$FTR" latency wakeup --by task --json "$OUTDIR/runqlat.dat" | python3 -c '
import json, sys
for group in json.load(sys.stdin)["groups"]:
    print(group["value"].rpartition("-")[2], group["count"])' | sort -n
}

# inside: the tasks that were forked by the load
inside() {
	python3 - "$(< "$OUTDIR/load.pid")" "$OUTDIR/runqlat.dat" <<- 'END'
	import os, sys
	sys.path.insert(0, os.environ["FTR_TOP"] + "/tests/oracle")
	import rawdecode, spans
	trace = rawdecode.load(sys.argv[2], keep_data=True)
	inside = {int(sys.argv[1])}
	for rec in spans.merged(spans.stream(trace, 0)):
	    if rec.format and rec.format.name == "sched_process_fork" and rec.number("parent_pid") in inside:
	        inside.add(rec.number("child_pid"))
	print(*sorted(inside - {int(sys.argv[1])}), sep="\n")
	END
}

one_kernel() {
	guest_checks 300 runqlat.sh
	inside > "$TMP/inside"
	of_runqlat | awk 'NR == FNR { inside[$1]; next } $1 in inside' "$TMP/inside" - > "$TMP/wanted"
	of_ftr | awk 'NR == FNR { inside[$1]; next } $1 in inside' "$TMP/inside" - > "$TMP/got"
	same "$V: tasks that runqlat knows" "$(wc -l < "$TMP/inside")" "$(wc -l < "$TMP/wanted")"
	waits=$(awk '{ n += $2 } END { print n + 0 }' "$TMP/wanted")
	[ "$waits" -ge 100 ] && pass "$V: $waits waits of $(wc -l < "$TMP/inside") tasks" ||
		fail "$V: $waits waits"
	same_files "$V: each task waited as often as runqlat says" "$TMP/wanted" "$TMP/got"
}

if [ -z "$(command -v runqlat)" ]; then
	skip 'wakeup beside runqlat' 'no runqlat: libbpf-tools has it'
	finish
fi
for_a_kernel one_kernel runqlat
finish
