#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# The units of ftr oops install, by this machine's systemd in a guest: armed at boot, and what a crash left is collected
# at the next; after three boots that crashed it is not armed, and says why; a boot that ends in order does not count.
# One boot, all under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"

WANTS='systemd.wants=ftr-oops-collect.service systemd.wants=ftr-oops-arm.service'

# The units are installed in the image before systemd's first boot; the links are for another target than the guest's.
prepare() {
	echo '"$FTR" oops install > "$OUT/installed" 2>&1; echo $? > "$OUT/installed.status"
		rm -rf /var/lib/ftr; sync' > "$OUTDIR/prepare.sh"
	guest --timeout 300 --upper "$IMAGE" -- sh "$OUTDIR/prepare.sh"
	same "$V: install: the guest" 0 $?
	same "$V: install: status" 0 "$(cat "$OUTDIR/installed.status")"
}

# Of each boot N: what became of the units, and whether it records. "active", "failed" are what systemd has.
each_boot() {
	cat <<-'EOS'
	N=$GUEST_BOOT
	I=/sys/kernel/tracing/instances/ftr-oops
	state() { systemctl show -p ActiveState --value "$1"; }
	settled() { case $(state ftr-oops-arm) in active|failed) ;; *) false;; esac }
	for _ in $(seq 200); do settled && break; sleep 1; done
	for u in collect arm; do
		systemctl show -p ActiveState -p Result -p ConditionResult -p NRestarts -p ExecMainStatus \
			ftr-oops-$u > "$OUT/$u.$N"
		journalctl -b -o cat -u ftr-oops-$u --no-pager > "$OUT/$u.journal.$N"
	done
	[ -d $I ] || I=/sys/kernel/tracing
	echo $(cat $I/tracing_on $I/events/sched/sched_switch/enable) > "$OUT/on.$N"
	ls /var/lib/ftr/oops > "$OUT/ls.$N" 2>&1
	EOS
}

# Three crashes, each with words of its own; then a boot that is not armed.
crashes() {
	each_boot
	cat <<-'EOS'
	if [ $N -le 3 ]; then
		echo "the last words of $N" > $I/trace_marker
		echo "<0>BUG: the words of boot $N" > /dev/kmsg
		sync
		echo c > /proc/sysrq-trigger
		sleep 60
	fi
	systemctl status --no-pager -l ftr-oops-arm > "$OUT/status.$N" 2>&1
	mkdir -p "$OUT/taken"
	cp /var/lib/ftr/oops/*.dat "$OUT/taken"
	ls -l /sys/fs/pstore /var/lib/systemd/pstore > "$OUT/pstore" 2>&1
	systemctl stop ftr-oops-arm
	systemctl show -p ActiveState --value ftr-oops-arm > "$OUT/stopped"
	exit 0
	EOS
}

# unit NAME BOOT KEY
unit() {
	sed -n "s/^$3=//p" "$OUTDIR/$1.$2"
}

was_armed() {
	local n=$1
	same "$V: boot $n: collect is no failed unit" "inactive success 0" \
		"$(unit collect $n ActiveState) $(unit collect $n Result) $(unit collect $n ExecMainStatus)"
	same "$V: boot $n: armed" "active success" "$(unit arm $n ActiveState) $(unit arm $n Result)"
	same "$V: boot $n: it records" "1 1" "$(cat "$OUTDIR/on.$n")"
}

collected() {
	local n file
	for n in 1 2 3; do
		file=$(ls "$OUTDIR"/taken/*.dat | sed -n "${n}p")
		has "$V: crash $n: its last words" "$("$FTR" report "$file" 2> /dev/null | grep 'the last words')" \
			"the last words of $n\$"
		check "$V: crash $n: more than these" test "$("$FTR" report "$file" 2> /dev/null | wc -l)" -gt 100
		has "$V: crash $n: the oops" "$("$FTR" info "$file" 2> /dev/null)" 'oops: +BUG: the words of boot'
		same "$V: crash $n: of that boot's log" "$n" \
			"$("$FTR" oops show --text "$file" 2> /dev/null | sed -n 's/.*the words of boot //p' | xargs)"
	done
	same "$V: a file for each crash" 3 "$(ls "$OUTDIR"/taken/*.dat | wc -l)"
}

three_crashes() {
	local n
	rm -rf "$OUTDIR/taken"
	crashes > "$OUTDIR/run.sh"
	guest --timeout 1500 --reboot --systemd --upper "$IMAGE" \
		--append "$WANTS $KEPT" -- sh "$OUTDIR/run.sh"
	same "$V: crashes: the guest" 0 $?
	for n in 1 2 3; do
		was_armed $n
	done
	same "$V: boot 1: nothing to collect" 'ftr: no buffer has the trace of a crash' \
		"$(grep '^ftr: ' "$OUTDIR/collect.journal.1")"
	collected
	same "$V: boot 4: not armed, and not again" "failed exit-code 1 0" \
		"$(unit arm 4 ActiveState) $(unit arm 4 Result) $(unit arm 4 ExecMainStatus) $(unit arm 4 NRestarts)"
	has "$V: boot 4: why, in the journal" "$(cat "$OUTDIR/arm.journal.4")" \
		'not armed: the last 3 armed boots lasted under ten minutes'
	has "$V: boot 4: why, in systemctl status" "$(cat "$OUTDIR/status.4")" \
		'not armed: the last 3 armed boots lasted under ten minutes'
	same "$V: boot 4: it does not record" "0 0" "$(cat "$OUTDIR/on.4")"
	same "$V: boot 4: nothing was disarmed" '' "$(grep -E 'put back|nothing is armed' "$OUTDIR/arm.journal.4")"
}

# A boot that is left in order is none of the three, and leaves nothing to collect;
# what was stopped in a boot is taken at its end.
in_order() {
	each_boot
	cat <<-'EOS'
	[ $N -gt 1 ] || { systemctl --no-block reboot; sleep 300; }
	cat /var/lib/ftr/oops/*.armed > "$OUT/armed"
	echo 'just before it stopped' > $I/trace_marker
	echo 0 > $I/tracing_on
	rm -f /var/lib/ftr/oops/*.dat
	systemctl stop ftr-oops-arm
	systemctl show -p ActiveState --value ftr-oops-arm > "$OUT/stopped"
	cp /var/lib/ftr/oops/*.dat "$OUT/stopped.dat"
	exit 0
	EOS
}

reboot_in_order() {
	echo 'rm -f /var/lib/ftr/oops/*.armed; sync' > "$OUTDIR/forget.sh"
	guest --timeout 300 --upper "$IMAGE" -- sh "$OUTDIR/forget.sh"
	in_order > "$OUTDIR/run.sh"
	guest --timeout 900 --reboot --systemd --upper "$IMAGE" --append "$WANTS $KEPT" -- sh "$OUTDIR/run.sh"
	same "$V: in order: the guest" 0 $?
	was_armed 1
	was_armed 2
	same "$V: in order: the first boot is on record so" "1" "$(grep -c '^ended=1' "$OUTDIR/armed")"
	same "$V: in order: it left nothing to collect" 'ftr: no buffer has the trace of a crash' \
		"$(sed -n "s/^\(ftr: [^:]*\).*/\1/p" "$OUTDIR/collect.journal.2")"
	same "$V: stopped: the unit" inactive "$(cat "$OUTDIR/stopped")"
	has "$V: stopped: it was collected" "$("$FTR" report "$OUTDIR/stopped.dat" 2> /dev/null)" \
		'just before it stopped$'
}

turned_off() {
	{ each_boot | sed '/seq 200/s/200/20/'; echo exit 0; } > "$OUTDIR/run.sh"
	guest --timeout 600 --systemd --upper "$IMAGE" --append "$WANTS ftr.oops=off" -- sh "$OUTDIR/run.sh"
	same "$V: off: the guest" 0 $?
	same "$V: off: neither is started" "no no" "$(unit collect 1 ConditionResult) $(unit arm 1 ConditionResult)"
}

armed_at_boot() {
	{ each_boot; echo exit 0; } > "$OUTDIR/run.sh"
	guest --timeout 600 --systemd --upper "$IMAGE" --append "$WANTS" -- sh "$OUTDIR/run.sh"
	same "$V: the guest" 0 $?
	was_armed 1
}

one_kernel() {
	IMAGE=$OUTDIR/image
	KEPT="nokaslr $("$FTR" oops cmdline -1 --kernel "$V" --cpus 2 --memory 2G | sed 's/panic=10/panic=1/')"
	prepare
	feature "$V" 'oops install: armed and collected at boot' works
	if [ "${FTR_LONG:-}" != 1 ]; then
		armed_at_boot
		return
	fi
	three_crashes
	reboot_in_order
	turned_off
}

if [ ! -x /lib/systemd/systemd ]; then
	skip "oops systemd" "no /lib/systemd/systemd"
	exit 0
fi
for_a_kernel one_kernel boot-map
finish
