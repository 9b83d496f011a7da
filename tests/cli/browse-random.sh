#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr browse: random keys on good and damaged files; and, with FTR_LONG=1, whether its threads race (ThreadSanitizer).
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
. "$FTR_TOP/tests/tools/golden.sh"
cd "$TMP" || exit 1

KEYS=300 GOOD=4 BAD=2
[ "${FTR_LONG:-}" != 1 ] || { KEYS=2000; GOOD=12; BAD=8; }
SEED=$((FTR_SEED % 1000000 * 100))
RANDOM_KEYS=$FTR_TOP/tests/tools/random-keys.py
echo "# seed $FTR_SEED"

# What files are like; the first ones are those of the everyday run.
KINDS=(
	'--cpus 3 --records 1500 --lost 0.3'
	'--version 7 --compress zstd --cpus 2 --records 1500 --instances a,b'
	'--version 7 --endian be --long 4 --cpus 2 --records 700 --short-pages 0.3 --discards 0.2'
	'--cpus 1 --records 1'
	'--cpus 4 --records 4000 --lost 0 --absolute 0.3'
	'--cpus 2 --records 0'
	'--version 7 --compress zlib --cpus 2 --records 1500 --instances c --instance-page-size 8192'
	'--cpus 3 --records 2000 --lost 0.5 --wakeup --renamed'
	'--cpus 2 --records 1000 --start-ts 9223372036854000000'
	'--cpus 3 --records 1000 --empty-cpu --unknown-options 3 --version 7'
	'--cpus 2 --records 2000 --clock x86-tsc --tsc 4194304,22'
	'--version 7 --cpus 2 --records 1000 --date 1700000000000000'
)

# press SEED NAME [OPTION...] FILE...
press() {
	local seed=$1 name=$2 out
	shift 2
	if out=$(python3 "$RANDOM_KEYS" --seed "$seed" --keys $KEYS "$@" 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
	tail -n 1 <<< "$out"
}

good_files() {
	local i
	for ((i = 0; i < GOOD; i++)); do
		python3 "$ORACLE/mkdat.py" --seed $((SEED + i)) ${KINDS[i % ${#KINDS[@]}]} g$i.dat
		press $((SEED + i)) "keys: ${KINDS[i % ${#KINDS[@]}]}" g$i.dat
	done
}

# Copies of a file with all kinds of damage, in an order of this seed.
copies() {
	local f=$1 kind
	mkdir -p cut
	python3 "$ORACLE/damage.py" truncate "$f" cut -n 12 --seed "$SEED" > /dev/null
	for kind in length offset id count pagehdr chunk header event text other; do
		mkdir -p "$kind"
		python3 "$ORACLE/damage.py" flip "$f" "$kind" --kind $kind -n 2 --seed "$SEED" > /dev/null 2>&1
	done
	ls cut/*.dat */flip*.dat | shuf --random-source=<(yes "$SEED")
}

# Half of those that are pressed at least are such that a report of them ends with 3, and none such that there is none.
damaged_files() {
	local copy status n=0 quiet=0
	python3 "$ORACLE/mkdat.py" --seed "$SEED" --cpus 3 --records 1000 whole.dat
	for copy in $(copies whole.dat); do
		[ $n -lt $BAD ] || break
		"$FTR" report -q "$copy" > /dev/null 2>&1
		status=$?
		[ $status = 3 ] || { [ $status = 0 ] && [ $((++quiet)) -le $((BAD / 2)) ]; } || continue
		press $((SEED + 50 + n)) "keys, damaged: $copy, which ends a report with $status" "$copy"
		n=$((n + 1))
	done
	same "damaged copies were there" $BAD $n
}

several_files() {
	press $((SEED + 80)) "keys: two files, one CPU" --option=--cpu=1 g0.dat g1.dat
}

# A script that can't fail tells nothing: what is no screen of ftr is found.
own_check() {
	cat > liar <<-'EOF'
	#!/bin/sh
	[ "$1" != report ] || exit 0
	while [ "$1" != --dump ]; do shift; done
	printf 'a\033b\n' > "$2/s00000.txt"
	EOF
	chmod +x liar
	has "a screen of other lines is found" "$(FTR=./liar python3 "$RANDOM_KEYS" --keys 20 g0.dat)" \
		'2 lines for|lines for [0-9]+ rows'
}

# --- ThreadSanitizer: searches, filters and counting that end, are stopped and left while they go on

TSAN=${FTR_TSAN:-${FTR_BUILD%-san}-tsan}/ftr

# no_race NAME FILE... < script
no_race() {
	local name=$1 status
	shift
	cat > script
	TSAN_OPTIONS=exitcode=66 timeout 600 "$TSAN" browse --keys script "$@" > out 2> err
	status=$?
	if [ $status = 0 ] && ! grep -q ThreadSanitizer err; then
		pass "no race: $name"
	else
		fail "no race: $name" "status $status" "$(cat err)"
	fi
}

# Those with kept screens, which are the same.
races_of_scripts() {
	(FTR=$TSAN TSAN_OPTIONS=exitcode=66; export FTR TSAN_OPTIONS; FAILED=0; golden_all; exit $FAILED) |
		sed -E 's/^(ok|not ok) - /&no race: keys of tests\/tui: /'
	[ "${PIPESTATUS[0]}" = 0 ] || FAILED=1
}

races() {
	if [ ! -x "$TSAN" ]; then
		skip "races of threads" "no $TSAN: 'make SAN=thread O=build-tsan build-tsan/ftr' builds it"
		return
	fi
	[ "${FTR_IS_SAN:-}" != 1 ] || return 0		# the plain run has done it
	python3 "$ORACLE/mkdat.py" --seed "$SEED" --cpus 4 --records 7000 --lost 0.1 big.dat
	python3 "$ORACLE/mkdat.py" --seed "$SEED" --version 7 --compress zstd --cpus 3 --records 4000 \
		--instances x bigz.dat
	no_race "a search that Esc stops, while all is counted" \
		big.dat <<< '/no such text<enter><esc><end>/no such text<enter>jjj<esc><wait>n<esc>'
	no_race "the log is filled while a search goes on" big.dat \
		bigz.dat <<< '/no such text<enter>6jjjjkk1<end>n<home>n<wait>6<wait>'
	no_race "a filter while counting goes on" \
		bigz.dat <<< 'Fsched_switch<enter><end>F<home><delete><enter><end>u<home>u<wait>uu'
	no_race "a filter while a search goes on" \
		big.dat <<< '/no such text<enter>Fsched_*<enter>n<enter>qu<end>?no such text<enter>u<wait>'
	no_race "Esc stops counting" bigz.dat <<< '<esc><wait>Fsched_switch<enter><esc><wait>6j'
	no_race "left while a search goes on" big.dat <<< '/no such text<enter>q'
	no_race "left while counting goes on" big.dat bigz.dat <<< 'q'
	no_race "details, steps, panes beside a search" \
		bigz.dat <<< '/no such text<enter><enter>jjqS<tab>6<tab>t<end><enter>t.<esc><wait>.;)LW<wait>q'
	no_race "the timeline zooms while its pass goes on, is given up, begins anew" \
		big.dat <<< '4+<esc>+0<esc>o<wait>+<wait>Fsched_switch<enter>4+++<wait>q'
	no_race "filters and a search beside the timeline" big.dat \
		bigz.dat <<< '4Fsched_*<enter>4<esc><esc>+<wait>1/no such<enter>4+-<wait>5<wait>q'
	no_race "left while the timeline's pass goes on" big.dat bigz.dat <<< '4+q'
	races_of_scripts
	KEYS=300
	FTR=$TSAN TSAN_OPTIONS=exitcode=66 press $((SEED + 90)) "no race: random keys" big.dat
	FTR=$TSAN TSAN_OPTIONS=exitcode=66 press $((SEED + 91)) "no race: random keys, two files" bigz.dat g0.dat
	head -c 400000 big.dat > cut.dat
	FTR=$TSAN TSAN_OPTIONS=exitcode=66 press $((SEED + 92)) "no race: random keys, damaged" cut.dat
	FTR=$TSAN TSAN_OPTIONS=exitcode=66 press $((SEED + 93)) "no race: random keys, an instance, zlib" g6.dat
	FTR=$TSAN TSAN_OPTIONS=exitcode=66 press $((SEED + 94)) "no race: random keys, big-endian, short sub-buffers" \
		g2.dat
}

good_files
damaged_files
several_files
own_check
[ "${FTR_LONG:-}" != 1 ] || races
finish
