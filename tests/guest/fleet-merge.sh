#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# Three guests side by side. ftr record --at begins in all of them at one instant. Then their wall clocks are set 1 to
# 500 ms apart, and they write 1,000 markers in turn: with the offsets that a user can measure ftr merge has them in
# order.
. "$(dirname "$0")/../lib.sh"
export FTR_GUESTS=3 FTR_HANDED=${FTR_HANDED:-1000}

# Milliseconds from guest 0, by the seed: one is a little ahead, one is far behind.
AHEAD=$((FTR_SEED % 100 + 1)) BEHIND=$((FTR_SEED / 100 % 300 + 100))
export FTR_SHIFTS="0 $AHEAD -$BEHIND"

# one_guest NUMBER: they share the directory $OUTDIR/shared. As NTP does, the HPET keeps all clocks at one rate, that of
# the host; for its TSC each guest has measured another one.
one_guest() {
	local share="local,id=fleet,path=$OUTDIR/shared,security_model=none"
	OUTDIR=$OUTDIR/$1
	mkdir -p "$OUTDIR"
	FTR_GUEST=$1 guest_checks 600 fleet-merge.sh --smp 1 --mem 512 --append clocksource=hpet \
		--qemu "-fsdev $share -device virtio-9p-pci,fsdev=fleet,mount_tag=fleet" > "$OUTDIR/results"
}

boot_all() {
	local n
	mkdir "$OUTDIR/shared"
	for n in $(seq 0 $((FTR_GUESTS - 1))); do
		one_guest "$n" &
	done
	wait
	for n in $(seq 0 $((FTR_GUESTS - 1))); do
		sed -E "s/^(ok|not ok|skip) - $V: /&guest $n: /" "$OUTDIR/$n/results"
		! grep -q '^not ok' "$OUTDIR/$n/results" || FAILED=1
	done
}

# measured NUMBER: nanoseconds to add to the clock of that guest: of before and after, that with the faster round trip
measured() {
	sort -n -k 2,2 "$OUTDIR/$1/before" "$OUTDIR/$1/after" | awk 'NR == 1 { print $1 }'
}

# near NAME MS NS: they are at most 5 ms apart
near() {
	local off=$(($3 - $2 * 1000000))
	check "$V: $1 is measured: $3 ns for $2 ms" test "${off#-}" -le 5000000
}

# in_order FILE: how many markers are where they belong
in_order() {
	"$FTR" report --event print --fields text "$1" 2> err | grep -ao 'hand [0-9]*' |
		awk -v n="$FTR_HANDED" '$2 == NR { good++ } END { print good + 0 " of " NR }'
}

# closest FILE: the least nanoseconds from a marker to the next one
closest() {
	python3 "$ORACLE/rawdecode.py" --records "$1" | awk '$5 == "print" { print $3 }' | sort -n |
		awk 'NR > 1 && (NR == 2 || $1 - last < least) { least = $1 - last } { last = $1 } END { print least }'
}

# order_by_buffers FILE: the same of another decoder: how often the next marker is in the next buffer, of which each
# guest has one
order_by_buffers() {
	python3 "$ORACLE/rawdecode.py" --records "$1" | awk '$5 == "print"' | sort -n -k 3,3 |
		awk '{ good += $1 == ((NR - 1) % 3 ? (NR - 1) % 3 : "-") } END { print good + 0 " of " NR }'
}

merged() {
	local n
	cd "$OUTDIR" || return
	for n in 0 1 2; do
		cp "$n/hand.dat" "$n.dat"
	done
	near "the clock that is ahead" -$AHEAD "$(measured 1)"
	near "the clock that is behind" $BEHIND "$(measured 2)"
	# their modules may be at other addresses
	"$FTR" merge --date --drop symbols -o all.dat -i 0.dat -i 1.dat --ts-offset "$(measured 1)" \
		-i 2.dat --ts-offset "$(measured 2)" 2> err
	same "$V: merge: status" 0 $?
	has "$V: merge: words" "$(cat err)" '^ftr: all.dat: 1 CPU, .* 0 lost$'
	same "$V: merge: markers in order" "$FTR_HANDED of $FTR_HANDED" "$(in_order all.dat)"
	same "$V: merge: another decoder finds them so" "$FTR_HANDED of $FTR_HANDED" "$(order_by_buffers all.dat)"
	echo "# $V: round trips took $(cut -d ' ' -f 2 [12]/before [12]/after | paste -sd ' ') ns," \
		"markers are at least $(closest all.dat) ns apart"
	"$FTR" merge -q --date --drop symbols 0.dat 1.dat 2.dat -o wrong.dat 2> err
	set -- "$(in_order wrong.dat)"
	check "$V: merge: without the offsets they are not: $1" test "$1" != "$FTR_HANDED of $FTR_HANDED"
	has "$V: merge: all of them are there" "$1" " of $FTR_HANDED\$"
}

one_kernel() {
	boot_all
	[ "$FAILED" != 0 ] || merged
}

for_a_kernel one_kernel
finish
