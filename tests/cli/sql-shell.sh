#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The shell of ftr sql: from a pipe, and in a real terminal, which tmux is.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
"$FTR" import "$FTR_TOP/tests/cases/oops/events.log" -o trace.dat 2> /dev/null

piped() {
	printf '%s\n' '.mode csv' 'SELECT 1 AS a,' "'x;y' AS b;" '' '.schema sched_waking' '.quit' 'SELECT 3;' |
		"$FTR" sql > out 2> err
	same 'from a pipe: status' '0 0' "$? $(wc -l < err)"
	same 'a query of two lines, with a semicolon in a text' 'a,b|1,x;y' "$(head -n 2 out | paste -sd'|')"
	has '.schema of one table' "$(cat out)" '^CREATE TABLE "sched_waking"'
	same 'nothing after .quit' 3 "$(wc -l < out)"
	printf '%s\n' 'SELECT 1;' 'SELECT nosuch;' '.foo' '.mode paper' 'SELECT 2;' | "$FTR" sql --csv > out 2> err
	same 'a query that fails: status 1, the others are answered' '1 1 1 2 2' "$? $(xargs < out)"
	has 'its message' "$(cat err)" '^ftr: no such column: nosuch'
	has 'an unknown command' "$(cat err)" "there is no command '.foo'"
	has 'an unknown mode: those that there are' "$(cat err)" 'table, csv, json, jsonl, markdown'
	same 'a query without a semicolon at the end' 7 "$(printf 'SELECT 7' | "$FTR" sql --csv --no-header)"
	has '.tables' "$(echo .tables | "$FTR" sql)" '^thread_state +states'
	has '.help' "$(echo .help | "$FTR" sql)" '^\.schema \[TABLE\] '
}

# --- in a terminal

TERMINAL=tmux-256color
infocmp $TERMINAL > /dev/null 2>&1 || TERMINAL=screen-256color
export TMUX_TMPDIR=$TMP LC_ALL=C.UTF-8 HOME=$TMP/home FTR_PAGER=
unset TMUX TMUX_PANE XDG_STATE_HOME LINES COLUMNS
mkdir -p home

in_tmux() {
	tmux -u -L ftr-sql -f "$TMP/tmux.conf" "$@"
}

# type TEXT: as if typed; a semicolon at the end is tmux' own unless it is escaped
type_text() {
	in_tmux send-keys -l "${1%;}$([[ $1 == *\; ]] && printf '\\;')"
}

# appears NAME PATTERN: a line of the screen has the pattern, within a minute
appears() {
	local i
	for ((i = 0; i < 600; i++)); do
		in_tmux capture-pane -p > screen
		if grep -qE "$2" screen; then
			pass "$1"
			return
		fi
		read -rt 0.1 < pause
	done
	fail "$1" "no line has: $2" "$(cat screen)"
}

in_terminal() {
	local i
	if ! command -v tmux > /dev/null; then
		skip 'the shell in a terminal' 'tmux is not installed'
		return
	fi
	printf 'set -g default-terminal %s\nset -g status off\nset -g escape-time 0\n' $TERMINAL > tmux.conf
	mkfifo pause
	exec 9<> pause
	trap 'in_tmux kill-server 2> /dev/null; rm -rf "$TMP"' EXIT
	in_tmux new-session -d -x 80 -y 24 "$FTR sql; echo status \$?; exec cat"
	appears 'it begins with a line of help' '^ftr sql: .tables'
	appears 'and asks' '^ftr> *$'
	type_text 'SELECT count(*) AS n FROM sched_wak'
	in_tmux send-keys Tab
	type_text 'ing;'
	in_tmux send-keys Enter
	appears 'Tab completes as far as names are the same' '^ftr> SELECT count\(\*\) AS n FROM sched_waking;'
	appears 'the answer' '^ *10$'
	type_text 'SELECT syscall_n'
	in_tmux send-keys Tab
	appears 'Tab completes names of functions' '^ftr> SELECT syscall_name'
	in_tmux send-keys C-u
	type_text 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 0 FROM c WHERE x < 0;'
	in_tmux send-keys Enter
	# the cursor is in an empty line while the query runs
	for ((i = 0; i < 600; i++)); do
		[ "$(in_tmux display-message -p '#{cursor_x}')" != 0 ] || break
		read -rt 0.1 < pause
	done
	in_tmux send-keys C-c
	appears 'Ctrl-C ends a query without an end' '(^|\^C)ftr: the query was ended: interrupted'
	type_text 'SELECT some'
	in_tmux send-keys C-c
	in_tmux clear-history
	in_tmux send-keys Up Up
	appears 'the query before is brought back by Up' '^ftr> SELECT count\(\*\) AS n FROM sched_waking;$'
	in_tmux send-keys C-u
	type_text '.quit'
	in_tmux send-keys Enter
	appears '.quit ends it' '^status 0'
	has 'what was asked is kept' "$(cat home/.local/state/ftr/sql_history)" 'sched_waking'
	same 'for its owner alone' 600 "$(stat -c %a home/.local/state/ftr/sql_history)"
}

piped
in_terminal
finish
