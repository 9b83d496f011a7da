#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# utils/run-tests, in made repositories: which scripts run with which build, what is run again, and what is a failure.
. "$(dirname "$0")/../lib.sh"

mkdir -p "$TMP/tree/utils" "$TMP/tree/tests/cli"
cp "$FTR_TOP/utils/run-tests" "$TMP/tree/utils/"
cd "$TMP/tree" || exit 1
git init -q

# script NAME < its text
script() {
	cat > "tests/cli/$1.sh"
}

commit() {
	git add . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$1"
}

# tests OPTION...: what a run prints, without what this run has told its tests
tests() {
	(unset FTR_SEED FTR_TOP FTR_BUILD FTR_SAN FTR FTR_IS_SAN FTR_LONG
	env $SET utils/run-tests --out "$TMP/out" "$@" 2>&1)
}

last() {
	tests "$@" | tail -n 1
}

# Tests of hours can be had in parts: the second test passes once a file is there.
resume() {
	local out
	SET=FTR_LONG=1
	script 1 <<< "echo . >> '$TMP/runs'; echo 'ok - a'"
	script 2 <<< "echo \$FTR_SEED >> '$TMP/seeds'; [ ! -e '$TMP/mended' ] || echo 'ok - b'"
	commit one
	same "the first part" "2 passed, 2 failed, 0 skipped" "$(last cli)"
	touch "$TMP/mended"
	same "--resume counts what passed before" "4 passed, 0 failed, 0 skipped" "$(last --resume cli)"
	same "--resume does not run it again" 2 "$(grep -c . "$TMP/runs")"
	same "--resume keeps the seed" 1 "$(sort -u "$TMP/seeds" | grep -c .)"
	echo >> tests/cli/2.sh
	commit two
	same "--resume of another content" "4 passed, 0 failed, 0 skipped" "$(last --resume cli)"
	same "--resume of another content runs all" 4 "$(grep -c . "$TMP/runs")"
	touch more
	out=$(tests --resume cli)
	same "--resume refuses what is not committed" 1 $?
	has "--resume says why" "$out" "needs a repository in which all is committed"
	SET=
}

# The words of a head: which builds.
builds() {
	local n
	rm tests/cli/*.sh
	script plain <<< $'# builds: plain\necho "ok - ${FTR_IS_SAN:-no}"'
	script both <<< $'# builds: both\necho "ok - ${FTR_IS_SAN:-no}"'
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
		script "n$n" <<< 'echo "ok - ${FTR_IS_SAN:-no}"'
	done
	commit builds
	SET=FTR_SEED=1
	tests --list cli > "$TMP/list"
	same "a script for the plain build alone" cli/plain "$(grep 'plain$' "$TMP/list")"
	same "a script for both" 'cli-san/both cli/both' "$(echo $(grep 'both$' "$TMP/list"))"
	same "all others run with the sanitized build" 24 "$(grep -c '^cli-san/n' "$TMP/list")"
	n=$(grep -c '^cli/n' "$TMP/list")
	check "some of them run with the plain build, too: $n" test "$n" -gt 0 -a "$n" -lt 12
	same "the same seed takes the same ones" "$(< "$TMP/list")" "$(tests --list cli)"
	SET=FTR_SEED=2
	check "another seed takes others" test "$(tests --list cli)" != "$(< "$TMP/list")"
	SET=FTR_LONG=1
	same "the long run takes all" 51 "$(tests --list cli | wc -l)"
	SET=
	same "the plain build is told apart" "3 passed, 0 failed, 0 skipped" "$(last -k plain,both cli)"
}

failures() {
	rm tests/cli/*.sh
	script status <<< $'# builds: plain\necho "ok - a"\nexit 7'
	script silent <<< $'# builds: plain\ntrue'
	script steady <<< $'# builds: plain\necho "not ok - c"; exit 1'
	script once <<< "# builds: plain
if mkdir '$TMP/was'; then echo 'not ok - d'; exit 1; fi 2> /dev/null
echo 'ok - d'"
	commit failures
	tests cli > "$TMP/said"
	same "each failure counts once" "1 passed, 4 failed, 0 skipped" "$(tail -n 1 "$TMP/said")"
	has "a status" "$(< "$TMP/said")" '^failed: cli/status: ended with status 7'
	has "no result" "$(< "$TMP/said")" '^failed: cli/silent: printed no result'
	same "a test that passes when it is run again, alone, is not steady" cli/once \
		"$(sed -n 's/^failed: \(.*\): not steady: .*/\1/p' "$TMP/said")"
	check "both logs are kept" test -s "$TMP/out/cli-once.log" -a -s "$TMP/out/cli-once.again.log"
}

budget() {
	rm tests/cli/*.sh
	script busy <<< $'# builds: plain\ni=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; echo "ok - a"'
	# the one that it leaves running is of the run, too
	script orphan <<< "# builds: plain
(i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done; touch '$TMP/ran') < /dev/null > /dev/null 2>&1 &
sleep 0.01; echo 'ok - a'"
	commit budget
	same "below the budget" "1 passed, 0 failed, 0 skipped" "$(last --budget 3000 -k busy cli)"
	tests --budget 0.01 -k busy cli > "$TMP/said"
	same "above the budget: status" 1 $?
	same "above the budget" "1 passed, 1 failed, 0 skipped" "$(tail -n 1 "$TMP/said")"
	has "above the budget: words" "$(< "$TMP/said")" '^failed: budget: [0-9]+ % of the budget; 125 % are allowed'
	has "time by area" "$(< "$TMP/said")" '^# cli +1 +[0-9]+ +[0-9]+$'
}

touched() {
	rm tests/cli/*.sh
	for n in show list other; do
		script $n <<< $'# builds: plain\necho "ok - a"'
	done
	mkdir -p src/tracefs src/cmd
	touch src/tracefs/a.c src/cmd/list.c
	printf '%s\n' '# prefix, labels' 'src/ cli/other' 'src/cmd cli/list' 'src/tracefs/ cli/show cli/list' \
		> tests/touched.txt
	commit touched
	same "nothing is touched" '' "$(tests --list --touched HEAD cli)"
	echo >> src/tracefs/a.c
	same "a room" 'cli/list cli/show' "$(echo $(tests --list --touched HEAD cli))"
	git checkout -q src
	touch src/new.c
	same "a file that is new: the longest prefix" cli/other "$(tests --list --touched HEAD cli)"
	rm src/new.c
	echo >> tests/cli/show.sh
	same "a script is its own test" cli/show "$(tests --list --touched HEAD cli)"
	commit changed
	same "since a commit" cli/show "$(tests --list --touched HEAD^ cli)"
}

# Guest scripts that take turns: one of three, and those that something new touches.
turns() {
	local n
	mkdir -p tests/guest/lib
	for n in 1 2 3 4 5 6 7 8 9; do
		printf '%s\n' '#!/bin/sh' '# turns: 3' > tests/guest/rare$n.sh
	done
	echo '#!/bin/sh' > tests/guest/always.sh
	printf '%s\n' 'src/ guest/rare1' 'src/tracefs/ guest/rare2 guest/rare3' > tests/touched.txt
	commit turns
	SET=FTR_SEED=1
	tests --list --since HEAD guest > "$TMP/list"
	n=$(grep -c '^guest/rare' "$TMP/list")
	check "some of nine have their turn: $n" test "$n" -gt 0 -a "$n" -lt 9
	same "the one that takes none is there" 1 "$(grep -c '^guest/always$' "$TMP/list")"
	same "the others are named" $((9 - n)) "$(grep -c '^# guest/rare[1-9] waits for its turn$' "$TMP/list")"
	for n in 1 2 3 4 5 6 7 8 9; do
		SET=FTR_SEED=$n tests --list --since HEAD guest | grep '^guest/rare'
	done | sort -u > "$TMP/all"
	same "each has its turn" 9 "$(grep -c . "$TMP/all")"
	SET=FTR_SEED=1
	same "by its name one waits for nothing" guest/rare1 "$(tests --list --since HEAD -k rare1 guest)"
	echo >> src/tracefs/a.c
	commit new
	same "what something new touches" 'guest/rare2 guest/rare3' \
		"$(echo $(tests --list --since HEAD^ guest | grep 'rare[23]$'))"
	has "the budget where some run before their turn" "$(tests --budget --since HEAD^ guest)" \
		'^# budget: .* of 3600 s$'
	has "the budget where none does" "$(tests --budget --since HEAD guest)" '^# budget: .* of 3000 s$'
	same "all scripts where no commit is old" 10 "$(tests --list guest | grep -c '^guest/')"
	echo >> tests/guest/lib/x.sh
	same "all scripts where what guests share is new" 10 "$(tests --list --since HEAD guest | grep -c '^guest/')"
	rm tests/guest/lib/x.sh
	SET=FTR_LONG=1
	same "all scripts of the long run" 10 "$(tests --list --since HEAD guest | grep -c '^guest/')"
	SET=
}

resume
builds
failures
budget
touched
turns
finish
