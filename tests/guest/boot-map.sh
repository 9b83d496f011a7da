#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A buffer that is kept over a reboot: ftr extract takes it, and gives its events no time of day of this boot.
. "$(dirname "$0")/../lib.sh"

in_guest() {
	cat <<-'EOS'
	T=/sys/kernel/tracing/instances/boot_map
	if [ "$GUEST_BOOT" = 1 ]; then
		echo 1 > $T/events/sched/sched_process_exec/enable
		echo 1 > $T/tracing_on
		/bin/true; /bin/true
		echo 1 > /proc/sys/kernel/sysrq
		sync
		echo c > /proc/sysrq-trigger
		sleep 60
	fi
	"$FTR" extract -B boot_map --date -o /tmp/d.dat 2> "$OUT/err.date"
	echo $? > "$OUT/status.date"
	"$FTR" extract -B boot_map -o "$OUT/boot.dat" 2> "$OUT/err.extract"
	echo $? > "$OUT/status"
	EOS
}

one_kernel() {
	in_guest > "$OUTDIR/run.sh"
	guest --timeout 400 \
		--reboot --append 'panic=1 nokaslr reserve_mem=12M:4096:trace trace_instance=boot_map^traceoff@trace' \
		-- sh "$OUTDIR/run.sh"
	same "$V: the guest" 0 $?
	same "$V: extract: status" 0 "$(cat "$OUTDIR/status")"
	has "$V: events of the boot before" "$("$FTR" report "$OUTDIR/boot.dat")" 'sched_process_exec: .*true'
	has "$V: said" "$(cat "$OUTDIR/err.extract")" \
		"no time of day for the events of 'boot_map': they may be from an earlier boot"
	same "$V: no time of day in the file" 0 \
		"$("$FTR" info --quick "$OUTDIR/boot.dat" | grep -c '^recorded: \|wall_')"
	same "$V: --date: status" 1 "$(cat "$OUTDIR/status.date")"
	has "$V: --date: refused" "$(cat "$OUTDIR/err.date")" "may be from an earlier boot, so they get no date"
}

for_a_kernel one_kernel boot-map
finish
