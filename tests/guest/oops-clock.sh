#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# ftr oops collect where the clock is wrong: when it was armed, when it crashed, in the next boot. Trace and text of the
# oops are there each time, and the files of others, too.
. "$(dirname "$0")/../lib.sh"

ARGS='panic=1 nokaslr reserve_mem=4M:4096:ftr-trace trace_instance=ftr-oops^traceoff@ftr-trace'
ARGS+=' reserve_mem=1M:4096:ftr-log ramoops.mem_name=ftr-log ramoops.record_size=131072'

# The clock when it is armed, when it crashes, and in the next boot.
CLOCKS='behind|1970-01-02 03:04|1970-01-02 03:05|1970-01-02 03:04
ahead|2090-01-02 03:04|2090-01-02 03:05|2090-01-02 03:06
then-behind|2026-11-01 12:00|2026-11-01 12:01|1970-01-02 03:04
then-right|1970-01-02 03:04|1970-01-02 03:05|2026-11-01 12:00
set-back|2090-01-02 03:04|2026-11-01 12:00|2026-11-01 12:01
set-forth|1970-01-02 03:04|2026-11-01 12:00|1970-01-02 03:04'

# In odd boots it crashes, in even ones what is there is collected.
crash_and_collect() {
	cat <<-'EOS'
	D=/var/lib/ftr/oops
	modprobe ramoops
	IFS='|' read -r name armed crashed next <<< "$(sed -n "$(((GUEST_BOOT + 1) / 2))p" "$OUT/clocks")"
	if [ $((GUEST_BOOT % 2)) = 1 ]; then
		date -s "$armed"
		"$FTR" oops arm --again -e sched:sched_process_exec 2> "$OUT/$name.err" || exit 1
		date -s "$crashed"
		[ -e $D/1970-notes.dat ] || echo mine > $D/1970-notes.dat
		[ -e $D/20250101-000000.dat ] || echo mine > $D/20250101-000000.dat
		echo "the last words of $name" > /sys/kernel/tracing/instances/ftr-oops/trace_marker
		echo 1 > /proc/sys/kernel/sysrq
		sync
		echo c > /proc/sysrq-trigger
		sleep 60
		exit 1
	fi
	mountpoint -q /sys/fs/pstore || mount -t pstore pstore /sys/fs/pstore
	date -s "$next"
	ls $D > /tmp/before
	"$FTR" oops collect > "$OUT/$name.out" 2> "$OUT/$name.err"
	echo $? > "$OUT/$name.status"
	"$FTR" report "$(cat "$OUT/$name.out")" 2>&1 | grep -c "the last words of $name" > "$OUT/$name.words"
	"$FTR" info "$(cat "$OUT/$name.out")" 2>&1 | grep '^oops:' > "$OUT/$name.oops"
	ls $D | sed "/^$(basename "$(cat "$OUT/$name.out")")\$/d" | comm -3 - /tmp/before > "$OUT/$name.gone"
	# as systemd-pstore does
	rm -f /sys/fs/pstore/dmesg-*
	sync
	[ "$GUEST_BOOT" -lt $((2 * $(wc -l < "$OUT/clocks"))) ] || exit 0
	busybox reboot -f
	sleep 60
	EOS
}

one_kernel() {
	local name
	crash_and_collect > "$OUTDIR/run.sh"
	for name in $(sample 1 $(cut -d'|' -f1 <<< "$CLOCKS")); do
		grep "^$name|" <<< "$CLOCKS"
	done > "$OUTDIR/clocks"
	guest --timeout $((100 + 120 * $(wc -l < "$OUTDIR/clocks"))) --reboot --upper "$OUTDIR/upper" --append "$ARGS" \
		-- bash "$OUTDIR/run.sh" > "$OUTDIR/said" 2>&1
	same "$V: the guest" 0 $?
	sed 's/^/# /' "$OUTDIR/said"
	for name in $(cut -d'|' -f1 "$OUTDIR/clocks"); do
		same "$V: $name: status" 0 "$(cat "$OUTDIR/$name.status")"
		same "$V: $name: the trace" 1 "$(cat "$OUTDIR/$name.words")"
		has "$V: $name: the text of the oops" "$(cat "$OUTDIR/$name.oops" "$OUTDIR/$name.err")" \
			'^oops: +.*(sysrq|Kernel panic|NULL pointer)'
		same "$V: $name: nothing was removed" '' "$(cat "$OUTDIR/$name.gone")"
	done
	rm -f "$OUTDIR/upper"
}

for_a_kernel one_kernel boot-map
finish
