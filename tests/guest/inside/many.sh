# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by many.sh: many.sh KERNEL-SERIES
. "$FTR_TOP/tests/guest/lib/trigger-lib.sh"

LOAD=$FTR_BUILD/tests/guest/load/many_load
CALL=syscalls:sys_enter_getpgid

# overrun NAME ARGS...: the recorder's thread of CPU 1 can't run beside this load
overrun() {
	local name=$1
	shift
	note "$name"
	"$FTR" record -F -c -e $CALL -b 64K "$@" -o "$name.dat" -- sh -c "
		cat $T/per_cpu/cpu1/stats > $name.before
		chrt -f 60 taskset -c 1 '$LOAD' calls 60000
		sleep 1
		cat $T/per_cpu/cpu1/stats > $name.stats" 2> "$name.err"
	same "$K: $name: status" 0 $?
	has "$K: $name: advice" "$(cat "$name.err")" '(larger buffer|-b [0-9]+M)'
	cp "$name.dat" "$name.before" "$name.stats" "$name.err" "$OUT"
}

all_ready() {
	[ "$(ls ready.* 2> /dev/null | wc -l)" -ge "$1" ]
}

at_once() {
	local i n=$FTR_AT_ONCE pids=
	note "$n at once"
	state_dump before
	for i in $(seq "$n"); do
		"$FTR" record -F -e $CALL -o m$i.dat -- sh -c "
			touch ready.$i
			while [ ! -e go ]; do sleep 0.3; done
			exec '$LOAD' calls $((1000 + 100 * i))" 2> m$i.err &
		pids="$pids $!"
	done
	wait_until 300 all_ready "$n"
	note "all record"
	same "$K: $n at once: all record, each but one in its own instance" "$n $((n - 1))" \
		"$(ls ready.* | wc -l) $(ls $T/instances | grep -c '^ftr-')"
	touch go
	i=0
	for pid in $pids; do
		i=$((i + 1))
		wait "$pid" || fail "$K: $n at once: recording $i: status" "$?" "$(cat m$i.err)"
	done
	note "all have ended"
	state_dump after
	check "$K: $n at once: tracefs is as before" state_equal before after
	cp m*.dat "$OUT"
}

empty
lost() {
	overrun overrun
	overrun dropped -O nooverwrite
}

# In a guest of its own.
cpus() {
	:
}

for part in ${FTR_MANY_PARTS:-lost at_once}; do
	$part
done
pass "$K: the end is reached"
finish
