#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr timeline: what it refuses, terminals of all widths, pictures of hostile names, damaged files. What its lanes show
# is in tests/cases/spans/timeline-*.txt.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
export LC_ALL=C.UTF-8
unset COLUMNS
CUTS=10 FLIPS=3
[ "${FTR_LONG:-}" != 1 ] || { CUTS=60; FLIPS=15; }
echo "# seed $FTR_SEED"

# Two tasks on two CPUs, woken by each other 200 times; records are lost at times.
turns() {
	awk 'BEGIN {
		for (i = 0; i < 200; i++)
			for (c = 0; c < 2; c++) {
				t = 1000000 + i * 10000 + c * 300
				at = sprintf("%d %%d %d . ", c, 100 + c)
				printf at "sched_switch prev_pid=0 prev_state=R next_pid=%d next_comm=HOSTILE%d\n",
					t, 100 + c, c
				if (i % 50 == 49)
					print "lost", c, i
				printf at "sched_waking pid=%d comm=x\n", t + 1000, 101 - c
				printf at "sched_switch prev_comm=HOSTILE%d prev_state=%s next_pid=0 " \
					"next_comm=swapper\n", t + 3000, c, i % 3 ? "S" : "R"
			}
	}'
}

turns | case_file turns
case_file calls <<- 'END'
	0 1000 100 . funcgraph_entry func=vfs_read depth=0
	0 2000 100 . funcgraph_exit func=vfs_read depth=0 calltime=0 rettime=1000
END
case_file one <<- 'END'
	0 1000 100 . sched_switch prev_state=S next_pid=0
END

refused() {
	local w='ftr: '
	same "no sched_switch" "1 ${w}no sched_switch in 'calls0.dat'" "$(complains timeline calls0.dat)"
	has "how to record it" "$(< err)" "^hint: 'ftr record -e sched"
	same "nothing in the range" "1 ${w}no records to be shown in 'turns0.dat'" \
		"$(complains timeline --since 5 turns0.dat)"
	same "no width" "2 ${w}--width does not take '0'" "$(complains timeline --width 0 turns0.dat)"
	same "too wide" "2 ${w}--width does not take '100001'" "$(complains timeline --width 100001 turns0.dat)"
	same "no order" "2 ${w}--sort does not take 'x'" "$(complains timeline --sort x turns0.dat)"
	same "no event" "$(complains report --event nothing turns0.dat)" \
		"$(complains timeline --event nothing turns0.dat)"
	same "no instance" "1 ${w}no instance 'x' in 'turns0.dat'" "$(complains timeline -B x turns0.dat)"
	same "no file" 1 "$(complains timeline none.dat | cut -d' ' -f1)"
	same "a picture and JSON" "2 ${w}--json does not draw a picture" \
		"$(complains timeline --json -o x.svg turns0.dat)"
	same "a folder that is not there" 1 "$(complains timeline -o none/x.svg turns0.dat | cut -d' ' -f1)"
	"$FTR" timeline -q turns0.dat 2> err > /dev/full
	same "a full disk" "3 ${w}cannot write to standard output: No space left on device" "$? $(head -n 1 err)"
	"$FTR" timeline -q --json turns0.dat 2> err | head -n 1 > /dev/null
	same "a reader that stops" "0 " "${PIPESTATUS[0]} $(cat err)"
}

# widest: characters of the longest line but the first and the last one
widest() {
	"$FTR" timeline -q turns0.dat | sed '1d;$d' | wc -L
}

widths() {
	local n
	for n in 1 2 7 8 10 20 40 59; do
		same "a terminal of $n columns: status" 0 "$(COLUMNS=$n "$FTR" timeline -q turns0.dat > out; echo $?)"
	done
	for n in 20 40 59 60 80 99 100 200 1000; do
		[ "$(COLUMNS=$n widest)" -le "$n" ] && pass "nothing is wider than a terminal of $n columns" ||
			fail "nothing is wider than a terminal of $n columns" "$(COLUMNS=$n "$FTR" timeline turns0.dat)"
	done
	same "without a terminal" "$(COLUMNS=80 widest)" "$(widest)"
	same "no sums on a narrow one" "" "$(COLUMNS=59 "$FTR" timeline turns0.dat | grep -w busy)"
	same "--ascii is ASCII" "" "$("$FTR" timeline --ascii turns0.dat | LC_ALL=C grep -v '^[ -~]*$')"
	same "so is another locale" "" "$(LC_ALL=C "$FTR" timeline turns0.dat | LC_ALL=C grep -v '^[ -~]*$')"
	same "a column for each nanosecond at most" "1993300" \
		"$("$FTR" timeline --width 1 --json turns0.dat | jq '.to - .from')"
	same "no time at all" '0 1 [null] [null]' "$("$FTR" timeline --json one0.dat |
		jq -c '.to - .from, .width, .cpus[0].columns, .tasks[0].columns' | tr '\n' ' ' | sed 's/ $//')"
	same "--width is that of the lanes" 500 \
		"$("$FTR" timeline --width 500 --json turns0.dat | jq '.cpus[0].columns | length')"
	same "losses on CPUs and tasks" "[2,2]" "$("$FTR" timeline --width 1000 --json turns0.dat |
		jq -c '[.cpus, .tasks | map(select(.losses != [])) | length]')"
}

pictures() {
	"$FTR" timeline --event 'sched_*' -o p.svg turns0.dat > out 2> err
	same "a picture: status, what is said" \
		"0 ftr: switches are missing in 2 places: what tasks and CPUs did there is unknown" "$? $(cat out err)"
	check "it is XML" xmllint --noout p.svg
	same "it has both CPUs" "CPU 0 CPU 1" "$(grep -o '>CPU [0-9]<' p.svg | tr -d '<>' | xargs)"
	has "losses" "$(< p.svg)" 'class="loss"><title>.*: records were lost<'
	same "a ! at each, on both lanes" "16" "$(grep -c 'class="lost">!<' p.svg)"
	"$FTR" timeline -o - one0.dat > one.svg
	check "of a moment, on standard output" xmllint --noout one.svg
	"$FTR" timeline -o two.svg turns0.dat one0.dat
	check "of two files" xmllint --noout two.svg
	has "lanes tell their files" "$(< two.svg)" '>1:CPU 0<'
}

# Names of any bytes: what XML and terminals take is left of them.
hostile() {
	local name
	python3 - turns0.dat <<- 'END'
	import sys
	data = open(sys.argv[1], "rb").read()
	for old, new in ((b"HOSTILE0", b"</title>\"'&\x1b[2J"), (b"HOSTILE1", b"\xff\xc2\x9b]]>\n\xed\xa0\x80")):
	    old = old.ljust(16, b"\0")
	    assert old in data
	    data = data.replace(old, new.ljust(16, b"\0")[:16])
	open("hostile.dat", "wb").write(data)
	END
	"$FTR" timeline -o hostile.svg hostile.dat
	check "hostile names: XML" xmllint --noout hostile.svg
	has "as text" "$(< hostile.svg)" '&lt;/title&gt;&quot;&#39;&amp;.x1b\[2J'
	same "nothing that a terminal acts on" "" \
		"$(LC_ALL=C "$FTR" timeline hostile.dat | LC_ALL=C grep -v '^[ -~]*$')"
	check "JSON" jq -e '.tasks | length == 2' <("$FTR" timeline --json hostile.dat)
	name=$'bell\a\xff.dat'
	cp one0.dat "$name"
	"$FTR" timeline -o name.svg "$name" one0.dat
	check "a file's name" xmllint --noout name.svg
}

# damaged WORDS: ends as report does
damaged() {
	local out name="damage: $1 ends as report does"
	if out=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts $CUTS --flips $FLIPS \
			--as-report "$1" theirs turns0.dat 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
	tail -n 1 <<< "$out"
}

# lanes_as_oracle WIDTH FILE...: columns, losses, sums and events are those of a second reader of the files
lanes_as_oracle() {
	local width=$1
	shift
	python3 "$ORACLE/views_timeline.py" --width "$width" --event 'sched_wak*' "$@" | sort > want
	"$FTR" timeline --json --width "$width" --event 'sched_wak*' "$@" |
		python3 "$ORACLE/views_timeline.py" --theirs | sort > got
	[ -s want ] || fail "the oracle's lanes"
	same_files "$*, $width columns: as the oracle's" want got
}

beside() {
	local seed
	for seed in 1 2 3; do
		python3 "$ORACLE/mkspans.py" $seed 1500 | case_file "random$seed"
		lanes_as_oracle 60 "random${seed}0.dat"
		lanes_as_oracle 1000 "random${seed}0.dat"
	done
	lanes_as_oracle 97 random10.dat random20.dat
	lanes_as_oracle 1 random30.dat
}

refused
widths
pictures
hostile
beside
damaged "timeline,timeline --json,timeline -o -"
finish
