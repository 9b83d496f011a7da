#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# ftr sched timehist beside perf sched timehist, which records the same switches: the same rows, and run and wait within
# 0.3 ms. The guest has one CPU, whose clock counts instructions: else a CPU that waits for its turn between both moves
# a switch by milliseconds.
. "$(dirname "$0")/../lib.sh"

inside() {
	cat <<-'EOS'
	cd /tmp || exit 1
	cat > load.sh <<-'EOL'
	for i in $(seq 1 25); do (echo $i | cat > /dev/null) & (seq 1 3000 > /dev/null) & sleep 0.01; done
	wait
	for i in 1 2 3 4; do sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done' & done
	wait
	EOL
	"$FTR" record -q -e sched -b 8192 -o "$OUT/a.dat" -- \
		perf sched record -m 4096 -o perf.data -- sh load.sh || exit 1
	perf sched timehist -i perf.data > "$OUT/perf.txt"
	EOS
}

one_kernel() {
	inside > "$OUTDIR/run.sh"
	guest --own --smp 1 --qemu '-icount shift=3,sleep=off' --timeout 500 -- sh "$OUTDIR/run.sh" > "$OUTDIR/out"
	same "$V: both have recorded" 0 $?
	same "$V: nothing is lost" 0 "$("$FTR" info "$OUTDIR/a.dat" | sed -n 's/^  lost: *//p')"
	"$FTR" sched timehist "$OUTDIR/a.dat" > "$OUTDIR/ours.txt"
	check "$V: the rows of perf sched timehist" "$FTR_TOP/tests/tools/timehist-check.py" "$OUTDIR/perf.txt" \
		"$OUTDIR/ours.txt"
	echo "# $V: $("$FTR_TOP/tests/tools/timehist-check.py" "$OUTDIR/perf.txt" "$OUTDIR/ours.txt" | tail -n 1)"
}

if [ -z "$(command -v perf)" ]; then
	skip 'rows of perf sched timehist' 'no perf: linux-perf has it'
	finish
fi
for_a_kernel one_kernel
finish
