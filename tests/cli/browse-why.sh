#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr browse: the key Y shows the account that ftr why prints, of a span, a call, a lane, from A to B; Enter goes to the
# longest stay of a row; and what has none says so.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

DUMP=$FTR_BUILD/tests/tools/span_dump

# make_records NAME RECORDS: NAME0.dat
make_records() {
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep "$1" "$DUMP" "$2" > /dev/null
}

# press VIEW FILE KEYS: the screen after them, in "screen"; its last line has the time of the selected row
press() {
	printf '%s\n' "<wait>$3<wait><screen screen>" > keys
	"$FTR" browse --view "$1" --keys keys --size 100x40 --dump . "$2" || fail "keys $3"
	head -n 40 screen.txt > screen
}

# rows_of FILE: the rows of the account in it, of ftr why or of a screen
rows_of() {
	sed -nE '/^[AB ] +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9.]+  /{ s/^[AB ] +//; s/ +$//; p }' "$1"
}

# account_is NAME ARG...: the rows of the screen are those that ftr why ARG prints
account_is() {
	local name=$1
	shift
	"$FTR" why --depth 1 "$@" > account
	same "$name: ftr why has rows" yes "$([ -n "$(rows_of account)" ] && echo yes)"
	same "$name: the rows of ftr why $*" "$(rows_of account)" "$(rows_of screen)"
	has "$name: whose and when" "$(cat screen)" \
		"^ *$(sed -nE '1{ s/^# //; s/, [0-9]+ times? in [a-z_0-9]+//; p }' account)"
}

# Two reads of 100, of 0.1 and 0.6 ms; 200 wakes it.
make_records in "$FTR_TOP/tests/cases/why/in.txt"
press events in0.dat 'jjjY'
account_is 'a span, from its begin' --in read in0.dat
has 'the first row is selected' "$(cat screen)" '^0\.001300  '
press events in0.dat '/0.001800: sys_exit<enter><wait>Y'
account_is 'a span, from its end' --in read in0.dat
press events in0.dat 'jjjY<wait><enter>'
has 'Enter goes to the longest stay' "$(sed -n 's/^0/events &/p' screen)" '^events 0\.001300  '
press events in0.dat 'jjjY<wait><enter><wait>['
has '[ goes back to the record' "$(cat screen)" '^0\.001200  '
press events in0.dat 'S<tab>jjjY<wait>jj<wait><tab>'
has 'the other pane follows the rows' "$(cat screen)" '^0\.001200  '
press events in0.dat 'A<wait>jjjjjB<wait>kY'
account_is 'from A to B' --since 0.000900 --until 0.001599999 100 in0.dat
press events in0.dat 'jY<wait>q'
has 'q goes back to the events' "$(cat screen)" '^events'
press timeline in0.dat 'jjjjY'
account_is 'a lane' 100 in0.dat
press timeline in0.dat 'jjY'
has 'the lane of a CPU has no account' "$(cat screen)" 'this is for the lane of a task'
press events in0.dat '/next_pid=200<enter><wait>jY'
has 'a waking: the waker waits for it' "$(cat screen)" '^why'
press events in0.dat 'Y'
has 'a record of no span' "$(cat screen)" 'neither begin nor end of a span'
press why in0.dat ''
has 'nothing was asked for' "$(cat screen)" 'Y accounts for the time of a call'

# A call of the graph, and a file without switches.
cat > calls.txt <<'E2'
0 1000000 0 . sched_switch prev_pid=0 prev_state=R next_pid=100
0 1100000 100 . funcgraph_entry func=vfs_read depth=0
0 1200000 100 . sched_switch prev_state=S next_pid=0
0 1500000 0 . sched_waking pid=100
0 1600000 0 . sched_switch prev_pid=0 prev_state=R next_pid=100
0 1700000 100 . funcgraph_exit func=vfs_read depth=0 calltime=1100000 rettime=1700000
0 1900000 100 . sched_switch prev_state=S next_pid=0
E2
make_records calls calls.txt
press graph calls0.dat 'Y'
account_is 'a call' --in vfs_read calls0.dat
grep -v sched calls.txt > none.txt
make_records none none.txt
press graph none0.dat 'Y'
has 'without switches' "$(cat screen)" "no sched_switch: 'ftr record --for why' records"
finish
