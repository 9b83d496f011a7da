# SPDX-License-Identifier: GPL-2.0-or-later
# Run in each of the guests by fleet-merge.sh: fleet-merge.sh KERNEL-SERIES. Guest $FTR_GUEST leaves in $OUT what it
# recorded and measured; /shared is the directory that all of them have.
. "$FTR_TOP/tests/lib.sh"
K=$1
ME=$FTR_GUEST
cd "$TMP" || exit 1
mkdir /shared
mount -t 9p -o trans=virtio,version=9p2000.L,cache=none fleet /shared
cp "$FTR_BUILD/tests/guest/load/fleet_load" /tmp/load

# load VERB ARG...
load() {
	/tmp/load "$1" /shared "$ME" "${@:2}"
}

# met NAME: all guests are here
met() {
	load meet "$FTR_GUESTS" "$1"
}

# clocks NAME [MS]: compares them, prints nanoseconds and the round trip; with MS sets them apart
clocks() {
	met "$1"
	load clock "$FTR_GUESTS" 200 "$1.clock" ${2:+${2}000000}
}

# A marker that came when nothing recorded stays in the top level's buffer. Then a recording takes an instance instead,
# and does not get the next ones.
forget_markers() {
	echo 0 > /sys/kernel/tracing/trace
}

# begin_at TRY LEAD: all guests begin at one instant, $AT, LEAD seconds from now. Fails if one was not ready then.
begin_at() {
	met "at$1"
	[ "$ME" != 0 ] || echo "$(($(date +%s) + $2))" > "/shared/at$1.time"
	met "at$1.known"
	AT=$(cat "/shared/at$1.time")
	forget_markers
	load at "${AT}000000000" "$FTR" record --at "@$AT" -C tai -e sched --duration 500ms -o at.dat 2> err > peer
	ST=$?
	grep -q 'tracing begins in' err && touch "/shared/at$1.ready.$ME"
	met "at$1.done"
	[ "$(find /shared -name "at$1.ready.*" | wc -l)" = "$FTR_GUESTS" ]
}

# Nanoseconds since the instant. A guest may have to wait for a CPU of the host, which is not ftr's delay: beside it a
# task that goes before all others measures for how long. With -C tai the kernel's records have the time of day.
record_at() {
	local lead noted late off on stolen after first
	clocks together 0 > together
	for lead in 3 6 12 24 48; do
		begin_at "$lead" "$lead" && break
	done
	same "$K: --at: status" "0 ftr: tracing begins in " "$ST $(grep -o '^ftr: tracing begins in ' err)"
	read -r off on stolen after < peer
	read -r noted late < <("$FTR" info --json at.dat | jq -r '.session.at')
	late=${late#+}
	first=$(python3 "$ORACLE/rawdecode.py" at.dat | sed -n 's/.* first_ts \([0-9]*\) .*/\1/p')
	first=$((first - AT * 1000000000))
	same "$K: --at: the file has the instant" "${AT}000000000" "$noted"
	check "$K: --at: no record is before the instant: the first one is $first ns after it" test "$first" -ge 0
	check "$K: --at: tracing was off at $off ns and on at $on ns, when a marker was written" \
		test "$off" -le "$first" -a "$first" -le "$on"
	check "$K: --at: the file says $late ns, which is in that time, but for $after ns when the guest did not run" \
		test "$late" -ge "$off" -a $((late - on)) -le $((5000000 + after))
	check "$K: --at: tracing was on within 10 ms, but for $stolen ns when the guest did not run" \
		test $((on - stolen)) -le 10000000
}

record_markers() {
	local shifts
	read -ra shifts <<< "$FTR_SHIFTS"
	clocks apart "${shifts[ME]}" > apart
	clocks before > "$OUT/before"
	forget_markers
	met recording
	"$FTR" record -q -C mono -e sched -o hand.dat -- /tmp/load hand /shared "$ME" "$FTR_GUESTS" "$FTR_HANDED" 2> err
	same "$K: markers: status" '0 ' "$? $(cat err)"
	clocks after > "$OUT/after"
	cp hand.dat "$OUT"
}

run_parts record_at record_markers
