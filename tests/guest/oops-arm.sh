#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops arm, disarm, status: armed in an instance or at the top level, an oops in a task, and put back; armed in
# memory that a reboot keeps, a panic, and what the next boot finds.
. "$(dirname "$0")/../lib.sh"

instance() {
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	guest_checks 600 oops-arm.sh --own
	dumped
}

# The dump takes the records out of the buffer, and turns it off.
dumped_run() {
	cat <<-'EOS'
	T=/sys/kernel/tracing
	"$FTR" oops arm --dump=all -e module -e signal -e sched:sched_process_exit
	[ -d $T/instances/ftr-oops ] && T=$T/instances/ftr-oops
	echo 'just before the oops' > $T/trace_marker
	insmod -f "$OUT/ftrmod.ko" crash=null
	dmesg > "$OUT/dmesg"
	cat $T/tracing_on > "$OUT/dumped"
	cat $T/per_cpu/cpu*/stats | awk '$1 == "entries:" { n += $2 } END { print n }' >> "$OUT/dumped"
	"$FTR" oops disarm
	cat /proc/sys/kernel/ftrace_dump_on_oops /sys/kernel/tracing/events/enable >> "$OUT/dumped"
	EOS
}

dumped() {
	dumped_run > "$OUTDIR/dumped.sh"
	guest --own --timeout 200 -- sh "$OUTDIR/dumped.sh" > "$OUTDIR/out"
	has "$V: dump: of what is armed" "$(cat "$OUTDIR/dmesg")" \
		"Dumping ftrace $([ "$K" = 6.1 ] && echo buffer || echo instance ftr-oops buffer):"
	has "$V: dump: has the marker" "$(cat "$OUTDIR/dmesg")" 'just before the oops'
	same "$V: dump: off and empty, disarmed" "0 0 0 0" "$(echo $(cat "$OUTDIR/dumped"))"
}

boot_run() {
	cat <<-'EOS'
	T=/sys/kernel/tracing/instances/boot_map
	export FTR_OOPS_DIR=$OUT/oops
	if [ "$GUEST_BOOT" = 1 ]; then
		rm -rf "$FTR_OOPS_DIR"
		"$FTR" oops arm 2> "$OUT/err.arm"
		echo $? > "$OUT/status.arm"
		cat $T/tracing_on /proc/sys/kernel/ftrace_dump_on_oops > "$OUT/set"
		cat /proc/sys/kernel/random/boot_id > "$OUT/id"
		"$FTR" oops status > "$OUT/look"
		"$FTR" check crash >> "$OUT/look"
		"$FTR" oops disarm
		"$FTR" oops arm --dump=cpu 2> "$OUT/err.cpu"
		cat /proc/sys/kernel/ftrace_dump_on_oops > "$OUT/set.cpu"
		"$FTR" oops disarm
		"$FTR" oops arm
		echo 'just before the end' > $T/trace_marker
		sync
		echo c > /proc/sysrq-trigger
		sleep 60
	fi
	"$FTR" oops arm 2> "$OUT/err.held"
	echo $? > "$OUT/status.held"
	"$FTR" extract -B boot_map -o "$OUT/boot.dat" 2> "$OUT/err.extract"
	cp "$FTR_OOPS_DIR/$(cat "$OUT/id").front" "$OUT/front"
	"$FTR" oops arm -b 2M 2> "$OUT/err.size"
	echo $? > "$OUT/status.size"
	EOS
}

boot_instance() {
	boot_run > "$OUTDIR/run.sh"
	guest --timeout 400 \
		--reboot --append 'panic=1 nokaslr reserve_mem=12M:4096:trace trace_instance=boot_map^traceoff@trace' \
		-- sh "$OUTDIR/run.sh"
	same "$V: boot instance: the guest" 0 $?
	same "$V: boot instance: status" 0 "$(cat "$OUTDIR/status.arm")"
	has "$V: boot instance: said" "$(cat "$OUTDIR/err.arm")" "^ftr: armed instance 'boot_map': [0-9]+ events$"
	same "$V: boot instance: it records, and nothing is dumped" "1 0" "$(echo $(cat "$OUTDIR/set"))"
	same "$V: boot instance: --dump=cpu" boot_map=orig_cpu "$(cat "$OUTDIR/set.cpu")"
	has "$V: boot instance: status of it" "$(cat "$OUTDIR/look")" "^  persistent buffer  yes: instance 'boot_map', "
	has "$V: boot instance: check" "$(tr -s ' \n' ' ' < "$OUTDIR/look")" \
		'an instance is in memory that a reboot keeps'
	has "$V: boot instance: the next boot has the marker" "$("$FTR" report "$OUTDIR/boot.dat")" \
		'just before the end'
	same "$V: boot instance: records of the boot before: refused" 1 "$(cat "$OUTDIR/status.held")"
	has "$V: boot instance: records of the boot before: said" "$(cat "$OUTDIR/err.held")" \
		"holds records, perhaps of the boot before"
	same "$V: boot instance: a size: refused" 2 "$(cat "$OUTDIR/status.size")"
	has "$V: boot instance: the front is of the boot before" "$("$FTR" info "$OUTDIR/front" 2> /dev/null)" \
		"boot_id=$(cat "$OUTDIR/id")"
}

for_a_kernel instance
for_a_kernel boot_instance boot-map
finish
