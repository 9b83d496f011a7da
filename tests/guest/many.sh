#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# Much at once: many CPUs, many recordings, more events than a buffer holds. Numbered events tell what is there, the
# kernel's counters what is not.
. "$(dirname "$0")/../lib.sh"

LONG=${FTR_LONG:-}
CPUS=$([ "$LONG" = 1 ] && echo 64 || echo 16)
FTR_AT_ONCE=$([ "$LONG" = 1 ] && echo 24 || echo 4)
FTR_MANY_PARTS=$(echo $(sample 2 lost at_once cpus))
export FTR_AT_ONCE FTR_MANY_PARTS

# calls FILE: "PID FIRST LAST COUNT GAPS" of the numbered calls of each task, by trace-cmd
calls() {
	trace-cmd report -i "$1" 2> /dev/null |
		sed -nE 's/^ *.*-([0-9]+) +\[.*sys_enter_getpgid: +pid: 0x([0-9a-f]+).*/\1 \2/p' | python3 -c '
import collections, sys
tasks = collections.defaultdict(list)
for line in sys.stdin:
    pid, number = line.split()
    tasks[pid].append(int(number, 16))
for pid, v in tasks.items():
    print(pid, v[0], v[-1], len(v), sum(b != a + 1 for a, b in zip(v, v[1:])))'
}

at_once() {
	local i n
	for i in $(seq "$FTR_AT_ONCE"); do
		n=$((1000 + 100 * i))
		same "$V: $FTR_AT_ONCE at once: recording $i has its own $n calls" "1 $n $n 0" \
			"$(calls "$OUTDIR/m$i.dat" | cut -d' ' -f2-)"
		same "$V: $FTR_AT_ONCE at once: recording $i lost nothing" "$n 0" \
			"$(python3 "$ORACLE/rawdecode.py" "$OUTDIR/m$i.dat" > "$TMP/raw"
				total records < "$TMP/raw") $(total lost < "$TMP/raw")"
	done
}

# kernel_lost FILE: by the kernel's counters, which never go back
kernel_lost() {
	awk '/^(overrun|commit overrun|dropped events): / { n += $NF } END { print n }' "$1"
}

# What is in the file and what the kernel says was lost is all that there was.
overran() {
	local name=$1 total=$2 lost there
	lost=$(($(kernel_lost "$OUTDIR/$name.stats") - $(kernel_lost "$OUTDIR/$name.before")))
	there=$(calls "$OUTDIR/$name.dat" | cut -d' ' -f4)
	check "$V: $name: events were lost: $lost" test "$lost" -gt 0
	same "$V: $name: there and lost" "$total" $((there + lost))
	has "$V: $name: the summary" "$(tr -d , < "$OUTDIR/$name.err")" " $there events .* $lost lost"
	# what found no room leaves no mark
	[ "$name" = overrun ] || return
	same "$V: $name: lost in the sub-buffers" "$lost" \
		"$(python3 "$ORACLE/rawdecode.py" "$OUTDIR/$name.dat" | total lost)"
	has "$V: $name: ftr info" "$("$FTR" info "$OUTDIR/$name.dat")" "^  CPU 1: .* lost $lost,"
}

cpus() {
	guest --smp "$CPUS" --mem 3072 --timeout 900 \
		-- bash -c "cd /tmp; '$FTR' record -e sched:sched_process_hang -o c.dat -- \
		bash -c 'for c in \$(seq 0 $((CPUS - 1))); do
			taskset -c \$c $FTR_BUILD/tests/guest/load/many_load mark w\$c 300 0 &
		done; wait' > /dev/null; echo \$?; cp c.dat \$OUT" > "$OUTDIR/status"
	same "$V: $CPUS CPUs: status" 0 "$(cat "$OUTDIR/status")"
	same_files "$V: $CPUS CPUs: each one's 300 markers, in order, as of that CPU" \
		<(for c in $(seq 0 $((CPUS - 1))); do echo "$c w$c 300 0"; done) \
		<(trace-cmd report -i "$OUTDIR/c.dat" 2> /dev/null |
			sed -nE 's/.*\[0*([0-9]+)\].*print: .* (w[0-9]+) ([0-9]+)$/\1 \2 \3/p' | awk '
			{ k = $1 " " $2; if ($3 != last[k] + 1) gaps[k]++; last[k] = $3 }
			END { for (k in last) print k, last[k], gaps[k] + 0 }' | sort -n)
	same "$V: $CPUS CPUs: nothing is lost" 0 "$(python3 "$ORACLE/rawdecode.py" "$OUTDIR/c.dat" | total lost)"
	has "$V: $CPUS CPUs: the summary" "$(tr -d , < "$OUTDIR/err")" \
		"^c.dat: $CPUS CPUs $((CPUS * 300)) events .* 0 lost"
}

lost() {
	overran overrun 60000
	overran dropped 60000
}

one_kernel() {
	local part
	echo "# $K: parts:" $FTR_MANY_PARTS
	guest_checks 1200 many.sh --mem 3072
	for part in $FTR_MANY_PARTS; do
		$part
	done
}

for_a_kernel one_kernel
finish
