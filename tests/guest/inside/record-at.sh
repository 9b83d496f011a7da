# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by record-at.sh: record-at.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
K=$1
cd "$TMP" || exit 1

# Times in nanoseconds since 1970.
on_time() {
	local at begun noted late first
	at=$(($(date +%s) + 5))
	begun=$("$FTR" record --at "@$at" --date -e sched -o at.dat -- date +%s%N 2> err)
	same "$K: status" 0 $?
	has "$K: the wait is said" "$(cat err)" '^ftr: tracing begins in [0-9.]+ s; Ctrl-C ends the wait'
	at=$((at * 1000000000))
	check "$K: the command runs after the time, within two seconds" \
		test $((begun - at)) -ge 0 -a $((begun - at)) -lt 2000000000
	read -r noted late < <("$FTR" info --json at.dat | jq -r '.session.at')
	same "$K: the file has the time" $at "$noted"
	late=${late#+}
	check "$K: and how far off it was: $late ns, before the command" \
		test "$late" -ge 0 -a "$late" -le $((begun - at))
	first=$("$FTR" report --date --fields time --nanoseconds at.dat 2> /dev/null | head -n 1 | tr -dc '0-9')
	check "$K: no record is earlier" test "$first" -ge $at
}

late() {
	"$FTR" record --at +1ms -e sched -o late.dat -- true 2> err
	same "$K: a time that is over when all is set up: status" 0 $?
	has "$K: it is said" "$(cat err)" '^ftr: warning: tracing began [0-9.]+ s after the time of --at'
}

# A signal before tracing begins: nothing runs, nothing stays.
ended() {
	"$FTR" record --at +600s -e sched -o none.dat -- touch ran 2> err &
	local pid=$!
	wait_until 60 grep -q 'tracing begins in' err
	kill -TERM $pid
	wait $pid
	same "$K: a signal during the wait: status, no file, no command" '143 no no' \
		"$? $(test -e none.dat || echo no) $(test -e ran || echo no)"
	same "$K: tracefs is as it was" 'nothing differs from a fresh kernel' "$("$FTR" stat)"
}

on_time
late
ended
pass "$K: the end is reached"
finish
