#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# ftr record --compression and --file-version: nothing more is lost than without, trace-cmd reads it,
# kills and full disks do no harm.
. "$(dirname "$0")/../lib.sh"

N=20000 # markers of a CPU, as in compress.sh

# numbers WHO < report: of the markers
numbers() {
	sed -nE "s/.*: mark $1 ([0-9]+) x+.*/\\1/p"
}

# both < report: the sum of each CPU's numbers
both() {
	tee "$TMP/text" | numbers a | cksum
	numbers b < "$TMP/text" | cksum
}

# whole NAME FILE EVENTS: every marker, by our reader and by others
whole() {
	local want
	want=$(seq $N | cksum; seq $N | cksum)
	same "$V: $1: all markers" "$want" "$("$FTR" report "$2" 2> "$TMP/err" | both)"
	same "$V: $1: nothing is said against the file" '' "$(cat "$TMP/err")"
	check "$V: $1: each checksum" "$FTR_BUILD/tests/tools/datwalk" "$2"
	same "$V: $1: libtracecmd finds all records" "$3" "$("$FTR_BUILD/tests/oracle/tcmd_count" "$2" | total records)"
	same "$V: $1: trace-cmd prints all markers" "$want" "$(trace-cmd report -i "$2" 2> "$TMP/err" | both)"
	same "$V: $1: trace-cmd says nothing" '' "$(cat "$TMP/err")"
}

# names NAME FILE: our reader and trace-cmd find the same functions in the compressed symbols
names() {
	local ours
	ours=$("$FTR" report "$2" 2> "$TMP/err" | grep -oE 'function: +vfs_read[a-z_]* ' | sort | uniq -c)
	same "$V: $1: nothing is said" '' "$(cat "$TMP/err")"
	[ -n "$ours" ] && pass "$V: $1: functions have names" || fail "$V: $1: functions have names"
	same "$V: $1: trace-cmd finds the same" "$(tr -d ' ' <<< "$ours")" \
		"$(trace-cmd report -i "$2" 2> /dev/null | grep -oE 'function: +vfs_read[a-z_]*' | sort |
			uniq -c | tr -d ' ')"
}

# breaks WHO CPU < report: where the markers do not go on by one though no loss is named there. A recorder that gets no
# CPU for long enough loses what the kernel overwrites, and says so.
breaks() {
	awk -v who="$1" -v cpu="$2" '
		$0 ~ "CPU:" cpu " .*EVENTS DROPPED" { named = 1 }
		match($0, ": mark " who " [0-9]+ x+") {
			split(substr($0, RSTART + 2), word, " ")
			if (word[3] <= last || (word[3] != last + 1 && !named)) print last, word[3]
			last = word[3]; named = 0
		}'
}

# cut_short NAME FILE STATUS LEAST: the markers of each CPU are those from 1 on, as far as they go, and many
cut_short() {
	local who last cpu=0 want=0
	"$FTR" report "$2" > "$TMP/ours" 2> "$TMP/err"
	same "$V: $1: status of ftr report" "$3" $?
	for who in a b; do
		last=$(numbers $who < "$TMP/ours" | wc -l)
		want=$((want + last))
		same "$V: $1: $last markers of '$who', none is missing unnamed" '' "$(breaks $who $cpu < "$TMP/ours")"
		cpu=$((cpu + 1))
	done
	[ $want -gt "$4" ] && pass "$V: $1: $want markers" || fail "$V: $1: markers" "$want" "$(cat "$TMP/err")"
}

one_kernel() {
	local name
	guest_checks 900 compress.sh
	for name in joined copied; do
		whole $name "$OUTDIR/$name.dat" "$(cat "$OUTDIR/$name.events")"
	done
	for name in default-mnt default-tmp; do
		whole $name "$OUTDIR/$name.dat" "$(cat "$OUTDIR/$name.events")"
		names $name "$OUTDIR/$name-functions.dat"
	done
	for name in v6-mnt v6-tmp; do
		whole $name "$OUTDIR/$name.dat" "$(cat "$OUTDIR/$name.events")"
		has "$V: $name: its version" "$("$FTR" info "$OUTDIR/$name.dat")" 'version 6'
		has "$V: $name: the instance's events" "$("$FTR" report "$OUTDIR/$name.dat")" 'sched_wakeup'
	done
	cut_short killed "$OUTDIR/killed.dat" 3 10000
	has "$V: killed: it is not finished" "$(cat "$TMP/err")" 'the recording was not finished'
	cp "$TMP/ours" "$TMP/before"
	check "$V: killed: recovered" "$FTR" recover "$OUTDIR/killed.dat"
	"$FTR" report "$OUTDIR/killed.dat" > "$TMP/after"
	same "$V: killed: recovered, as many markers" "$(grep -c 'mark [ab]' "$TMP/before")" \
		"$(grep -c 'mark [ab]' "$TMP/after")"
	cut_short 'full disk' "$OUTDIR/full.dat" 0 10000
}

for_a_kernel one_kernel
finish
