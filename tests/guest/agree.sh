#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report and trace-cmd report on recordings of ftr's own: the same task, pid, CPU, time and event of each record;
# the same text but for the classes of agree-classes.txt; and where those say that ftr is right, the kernel's own text.
# The texts are those of --engine=traceevent; kernel-text.sh holds those of our own engine against the kernel's.
. "$(dirname "$0")/../lib.sh"
CHECK=$FTR_TOP/tests/tools/report-check.py
EVENTS=$FTR_TOP/tests/guest/lib/agree-events.txt
CLASSES=$FTR_TOP/tests/guest/lib/agree-classes.txt
SEEN=0
export FTR_ENGINE=traceevent

one_kernel() {
	local found=$TMP/found
	guest --timeout 900 -- bash "$FTR_TOP/tests/guest/inside/agree.sh" \
		"$FTR_BUILD/tests/guest/load/agree_load" \
		> "$OUTDIR/log"
	if [ ! -e "$OUTDIR/done" ]; then
		fail "$V: recordings" "$(tail -n 20 "$OUTDIR/err" "$OUTDIR"/*.err)"
		return
	fi
	check "$V: thousands of calls ($(count_records "$OUTDIR/graph.dat") records)" \
		test "$(count_records "$OUTDIR/graph.dat")" -gt 3000
	check "$V: many events ($(count_records "$OUTDIR/many.dat") records)" \
		test "$(count_records "$OUTDIR/many.dat")" -gt 20000
	check "$V: many events: columns and text are trace-cmd's, but for the classes" \
		python3 "$CHECK" agree "$OUTDIR/many.dat" "$EVENTS" "$CLASSES" "$found"
	check "$V: function_graph: columns and text are trace-cmd's, but for the classes" \
		python3 "$CHECK" graph "$OUTDIR/graph.dat" "$CLASSES" "$found"
	check "$V: where ftr is said to be right, its text is the kernel's" \
		python3 "$CHECK" kernel "$OUTDIR/kernel-function.dat" "$OUTDIR/kernel-function.txt" "$CLASSES"
	check "$V: the calls are the kernel's" \
		python3 "$CHECK" kernel-graph "$OUTDIR/kernel-function_graph.dat" "$OUTDIR/kernel-function_graph.txt"
	SEEN=$((SEEN + 1))
}

if ! command -v trace-cmd > /dev/null; then
	skip "agreement with trace-cmd" "no trace-cmd"
	finish
fi
for_a_kernel one_kernel
if [ "$SEEN" = 3 ]; then
	check "at most ten classes" test "$(grep -c '^[^#]' "$CLASSES")" -le 10
	check "no class and no listed event has vanished" python3 "$CHECK" found "$TMP/found" "$EVENTS" "$CLASSES"
else
	skip "no class has vanished" "only $SEEN of three kernels recorded"
fi
finish
