#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# ftr browse: the key Q shows the rows that ftr sql prints of a query; Enter goes to the record of a row, as ftr report
# prints it; the other pane follows; filters do not matter; in a real terminal Esc and Ctrl-C end a query.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
. "$FTR_TOP/tests/tools/same-rows.sh"

"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat --records 2000 --lost 0 \
	--meta 'wall_begin=1000000000000 1699999999123456789 5'
if "$FTR" sql 'SELECT 1' a.dat 2>&1 > out | grep 'built without SQLite' > err; then
	skip 'queries of the browser' "$(head -n 1 err)"
	browse a.dat 'Qselect 1<enter><wait><screen x>' 80x24
	has 'without SQLite' "$(cat screens/x.txt)" 'this ftr was built without SQLite'
	finish
fi
"$ORACLE/mkdat.py" --seed "$FTR_SEED" b.dat --records 300 --lost 0
ENDLESS='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'

# rows_of NAME: those of the query on a screen of one pane that they do not fill, with the names
rows_of() {
	sed '1,2d; /^$/,$d; s/^  //; s/ *$//' "screens/$1.txt"
}

# same_as_sql NAME QUERY [OPTION...]: the rows on a large screen are those that ftr sql prints
same_as_sql() {
	local name=$1 query=$2
	shift 2
	"$FTR" sql "$@" -i a.dat "$query" 2> err | sed 's/ *$//' > want
	browse a.dat "<wait>Q${query//[$'\n\t']/ }<enter><wait><screen x>" 200x200 --view events "$@"
	rows_of x > got
	check "$name: there are rows" test "$(wc -l < want)" -gt 1
	same_files "$name" want got
}

rows() {
	same_as_sql 'events' 'SELECT * FROM sched_switch ORDER BY ts, cpu LIMIT 150'
	same_as_sql 'records' "SELECT ts, name, substr(text, 1, 99) AS text FROM ftrace_event
		WHERE text NOT LIKE '%' || char(10) || '%' ORDER BY ts DESC, cpu LIMIT 100"
	same_as_sql 'sums' 'SELECT name, count(*) AS n, avg(ts) FROM ftrace_event GROUP BY name ORDER BY n'
	same_as_sql 'real numbers and nothing' "SELECT 1.5 AS r, NULL AS n, x'00ff' AS b, 'a' AS t"
	same_as_sql 'the file' 'SELECT * FROM trace_file'
	same_as_sql 'metadata' 'SELECT * FROM info LIMIT 50'
	same_as_sql '--date' 'SELECT min(ts) AS ts, max(ts) FROM ftrace_event' --date
	same_as_sql '--ts-offset' 'SELECT ts FROM sched_switch LIMIT 5' --ts-offset 1000
	browse a.dat '<wait>Fsched_switch<enter><wait>Qselect count(*) from ftrace_event<enter><wait><screen x>' 80x24 \
		--view events --cpu 1
	same 'options and filters that select records do not affect it' \
		"$("$FTR" sql -i a.dat 'SELECT count(*) FROM ftrace_event' 2> err | xargs)" "$(rows_of x | xargs)"
}

# seconds QUERY [OPTION...]: the times of its rows as ftr report prints them
seconds() {
	local ns query=$1
	shift
	"$FTR" sql "$@" --csv --no-header -i a.dat "$query" 2> err |
		while read -r ns; do
			ns=$((ns + 500))
			printf '%d.%06d\n' $((ns / 1000000000)) $((ns % 1000000000 / 1000))
		done
}

# goes NAME OPTION...: Enter on each of some rows goes to its record
goes() {
	local name=$1 keys='<wait>Qselect ts, text from sched_switch order by text, ts<enter><wait>' i
	shift
	for i in 0 1 2 3 4; do
		keys+="<screen row$i><enter><wait><screen event$i>Q<enter>jjj"
	done
	browse a.dat "$keys" 150x24 --view events "$@"
	for i in 0 1 2 3 4; do
		sed -n '24s/ .*//p' "screens/event$i.txt"
	done > got
	seconds 'SELECT ts FROM sched_switch ORDER BY text, ts LIMIT 13' "$@" | sed -n '1~3p' > want
	same_files "$name: Enter goes to the time of the row" want got
	"$FTR" report "$@" -q a.dat > report 2> err
	while read -r time; do
		grep -c "$time: sched_switch:" report
	done < got | sort -u > counts
	check "$name: a switch is recorded there" test "$(head -n 1 counts)" -ge 1
}

times() {
	local keys
	goes plain
	goes '--date' --date
	goes '--align-ts' --align-ts
	browse a.dat '<wait>Qselect ts from sched_switch order by ts desc<enter><wait>jj<wait><tab><screen other>' 80x30
	same 'the timeline follows the row' \
		"$(seconds 'SELECT ts FROM sched_switch ORDER BY ts DESC LIMIT 1 OFFSET 2')" \
		"$(sed -n '30s/ .*//p' screens/other.txt)"
	browse a.dat '<wait>Qselect ts from sched_switch<enter><wait>q<screen q>Q<enter><esc><screen esc>' 80x24 \
		--view events
	same 'q and Esc close the view' 'events events' "$(sed -n 2p screens/q.txt) $(sed -n 2p screens/esc.txt)"
	browse a.dat '<wait>Qselect ts from sched_switch order by ts desc<enter><wait>jjV<wait>q<screen x>' 80x24 \
		--view events
	same 'the row is selected again when another view is closed' \
		"$(seconds 'SELECT ts FROM sched_switch ORDER BY ts DESC LIMIT 1 OFFSET 2')" \
		"$(sed -n '24s/ .*//p' screens/x.txt)"
	keys='<wait>SQselect ts from sched_switch<enter><wait><end>SQselect 1 as one<enter><wait>S<wait><screen x>'
	browse a.dat "$keys" 80x24 --view events
	has 'a closed pane with more rows than there are now' "$(cat screens/x.txt)" '^ [ >]  1$'
	browse a.dat '<wait>Qselect 5 as ts<enter><wait><enter><screen x>' 80x24 --view events
	has 'a time that the file does not have' "$(sed -n 24p screens/x.txt)" '^no time to go to'
	browse a.dat '<wait>Q<screen p><enter><wait><screen x>' 80x24 --view events
	has 'nothing was asked yet' "$(cat screens/x.txt)" 'Q asks a query in SQL'
}

refusals() {
	browse a.dat '<wait>Qselect cmm, ts from sched_switch<enter><wait><screen x>' 80x24 --view events
	has 'an error: its first line above the query' "$(sed -n 23p screens/x.txt)" \
		"^no such column: cmm; did you mean 'comm'\?"
	same 'the query stays' 'sql: select cmm, ts from sched_switch' "$(sed -n '24s/ *$//p' screens/x.txt)"
	browse a.dat '<wait>Qcreate table t(a)<enter><wait><screen x><esc>q<screen y>' 80x24 --view events
	has 'a query that writes' "$(sed -n 23p screens/x.txt)" 'it does more than read'
	browse a.dat '<wait>Qselect 1; select 2 from<enter><wait><screen x>' 80x24 --view events
	has 'an incomplete query' "$(sed -n 23p screens/x.txt)" 'incomplete input'
	browse a.dat "<wait>Q${ENDLESS}<enter>1jjk<screen x>" 80x24 --view events
	same 'keys of another view go on' events "$(sed -n 2p screens/x.txt)"
	has 'the query goes on' "$(sed -n 24p screens/x.txt)" 'querying$'
}

# --- a real terminal

export TMUX_TMPDIR=$TMP LC_ALL=C.UTF-8 TERMINAL=tmux-256color
unset TMUX TMUX_PANE NO_COLOR LINES COLUMNS
in_tmux() {
	tmux -u -L ftr-query -f "$TMP/tmux.conf" "$@"
}

shows() {
	in_tmux capture-pane -p | sed 's/ *$//' > screen
	grep -Eq -e "$1" screen
}

# await NAME PATTERN
await() {
	if wait_until 60 shows "$2"; then pass "$1"; else fail "$1" "$(cat screen)"; fi
}

terminal() {
	if ! command -v tmux > /dev/null; then
		skip 'queries in a terminal' 'tmux is not installed'
		return
	fi
	infocmp $TERMINAL > /dev/null 2>&1 || TERMINAL=screen-256color
	trap 'in_tmux kill-server 2> /dev/null; rm -rf "$TMP"' EXIT
	printf 'set -g default-terminal %s\nset -g status off\nset -g escape-time 0\n' $TERMINAL > tmux.conf
	in_tmux new-session -d -x 80 -y 24 "'$FTR' browse --view events b.dat; echo \$? > status; : > end"
	await 'it begins' '^[0-9.]+  [0-9,]+ records'
	in_tmux send-keys -l "Q$ENDLESS"
	await 'the query is typed' '^sql: '
	in_tmux send-keys Enter
	await 'it runs' '^[0-9.]+  querying'
	in_tmux send-keys Escape
	await 'Esc ends it' '^the query was stopped: 0 rows so far'
	in_tmux send-keys Q Up Enter
	await 'it runs once more' '^[0-9.]+  querying'
	in_tmux send-keys C-c
	await 'Ctrl-C ends it' '^the query was stopped: 0 rows so far'
	in_tmux send-keys -l 'Qselect cpu, count(*) from ftrace_event group by cpu'
	in_tmux send-keys Enter
	await 'the next one is answered' '^  cpu  count'
	in_tmux send-keys Q Up Up Enter
	await 'it runs a third time' '^[0-9.]+  querying'
	in_tmux send-keys q
	in_tmux send-keys q
	if wait_until 60 test -e end; then
		same 'the program ends while a query runs: status' 0 "$(cat status)"
	else
		fail 'the program ends while a query runs' "$(cat screen)"
	fi
}

rows
times
refusals
terminal
finish
