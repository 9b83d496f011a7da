#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Event plugins on the command line: ftr list --plugins, ftr report --plugin, -N, -O.
. "$(dirname "$0")/../lib.sh"
TEP=/usr/lib/x86_64-linux-gnu/traceevent/plugins

# The build tree may be anybody's, root takes plugins of root only: copies, as make install would make them.
put() {
	install -D -m 755 "$1" "$2" || fail "copied $1"
}

setup() {
	local f
	mkdir -p "$TMP/plugins" "$TMP/mine"
	put "$FTR" "$TMP/ftr"
	for f in "$FTR_BUILD"/plugins/*.so; do put "$f" "$TMP/plugins/${f##*/}"; done
	for f in "$FTR_BUILD"/plugins/examples/*.so "$FTR_BUILD"/tests/plugins/*.so; do
		put "$f" "$TMP/mine/${f##*/}"
	done
	python3 "$ORACLE/mkdat.py" "$TMP/a.dat" --expect "$TMP/a.json" --records 600 --lost 0 \
		--instances one || fail "written: a.dat"
	FTR=$TMP/ftr
}

listing() {
	"$FTR" list --plugins > "$TMP/list" 2> "$TMP/err"
	same "list: status, and nothing on stderr" "0 0" "$? $(wc -c < "$TMP/err")"
	same "list: what came with ftr, beside the program" \
		"block drivers dwc3 function futex jbd2 kgsl kvm libata mac80211 mlx5 nvme pixel scsi usb xen xhci" \
		"$(sed -nE 's/^([a-z0-9_]+) - .*/\1/p' "$TMP/list" | xargs)"
	same "list: files" "$(ls "$FTR_BUILD"/plugins/*.so | wc -l)" \
		"$(grep -c "^  file     $TMP/plugins/" "$TMP/list")"
	check "list: options with their values" grep -Eq '^  option   function:indent=no ' "$TMP/list"
	check "list: events" grep -qx '  event    ftrace:function' "$TMP/list"
	check "list: functions" grep -qx '  function scsi_trace_parse_cdb()' "$TMP/list"
	check "list: a value that was set" \
		grep -q 'function:indent=yes' <("$FTR" list --plugins -O function:indent)
	same "list: -N leaves out what came with ftr" sched_short \
		"$("$FTR" list --plugins -N --plugin "$TMP/mine/sched_short.so" | sed -n 's/ - .*//p')"
	"$FTR" list > "$TMP/out" 2> "$TMP/err"
	same "list: of nothing is wrong usage" "2 0" "$? $(wc -c < "$TMP/out")"
	cp "$TMP/mine/bad-abi.so" "$TMP/plugins/zzz.so"
	"$FTR" list --plugins > "$TMP/list" 2> "$TMP/err"
	same "list: one that can't be loaded is no failure" 0 $?
	check "list: and said" grep -q '^  because  it has plugin ABI' "$TMP/list"
	check "list: and warned of" grep -q "warning: cannot load plugin '.*zzz.so'" "$TMP/err"
	"$FTR" report "$TMP/a.dat" 2> "$TMP/err" | wc -l > "$TMP/lines"
	same "report: goes on without it" "$("$FTR" report -N "$TMP/a.dat" | wc -l)" "$(cat "$TMP/lines")"
	rm "$TMP/plugins/zzz.so"
}

refused() {
	local what=$1
	shift
	"$FTR" report "$@" "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
	same "refused: $what" "1 0" "$? $(wc -c < "$TMP/out")"
}

# wrong WHAT WORDS OPTION...
wrong() {
	local what=$1 words=$2
	shift 2
	"$FTR" report "$@" "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
	same "wrong usage: $what" "2 0" "$? $(wc -c < "$TMP/out")"
	has "and said" "$(cat "$TMP/err")" "$words"
}

refusals() {
	refused "another ABI" --plugin "$TMP/mine/bad-abi.so"
	has "with a hint" "$(cat "$TMP/err")" "^hint: compile it anew"
	refused "no plugin" --plugin "$TMP/mine/bad-nothing.so"
	refused "a folder with a wrong one" --plugin "$TMP/mine"
	refused "an empty folder" --plugin "$TMP/a.dat.d"
	refused "two of one event" --plugin "$TMP/mine/probe.so" --plugin "$TMP/mine/same-event.so"
	cp "$TMP/mine/sched_short.so" "$TMP/mine/open.so"
	chmod 777 "$TMP/mine/open.so"
	refused "a file that anybody may write" --plugin "$TMP/mine/open.so"
	has "with the way to mend it" "$(cat "$TMP/err")" "^hint: chmod o-w"
	mkdir "$TMP/all"
	cp -r "$FTR" "$FTR_BUILD/plugins" "$TMP/all"
	chmod 777 "$TMP/all/plugins"
	"$TMP/all/ftr" report -j1 "$TMP/a.dat" > /dev/null 2> "$TMP/err"
	same "a folder of all that anybody may write: one warning" 1 "$(grep -c 'plugin' "$TMP/err")"
	has "of $(ls "$TMP/all/plugins" | wc -l) plugins" "$(cat "$TMP/err")" \
		"cannot load $(ls "$TMP/all/plugins"/*.so | wc -l) plugins, such as .*can be written by anybody"
	if [ -e "$TEP/plugin_kvm.so" ]; then
		refused "libtraceevent's, without its engine" --engine=ftr --plugin "$TEP/plugin_kvm.so"
		has "and says how" "$(cat "$TMP/err")" "^hint: .*--engine=traceevent"
	else
		skip "libtraceevent's plugins, without its engine" "none is installed"
	fi
	wrong "an option that is not there" "did you mean 'function:indent'" -O function:indnt
	wrong "an option of no plugin" "no plugin 'nothing' is loaded" -O nothing:x=1
	wrong "an option with a wrong value" "takes yes or no, not 'perhaps'" -O function:indent=perhaps
	wrong "an option of what -N left out" "no plugin 'function' is loaded" -N -O function:indent
}

# libtraceevent's defects 12 and 21 (Documentation/testing.md): many options, short names in the folder.
names() {
	local d=$TMP/names
	mkdir -p "$d"
	cp "$TMP/mine/probe.so" "$d/"
	touch "$d/a" "$d/so" "$d/.so" "$d/.x.so" "$d/o" "$d/probe.so~"
	"$FTR" list --plugins -N --plugin "$d" > "$TMP/list" 2> "$TMP/err"
	same "short and odd names in a folder are passed over" "0 0 1" \
		"$? $(wc -c < "$TMP/err") $(grep -c '^  file' "$TMP/list")"
	same "four options are listed" 4 "$(grep -c '^  option   probe:' "$TMP/list")"
}

# Neither a home directory nor an environment variable brings code.
elsewhere() {
	mkdir -p "$TMP/home/.local/lib/ftr/plugins" "$TMP/home/.local/lib/traceevent/plugins"
	cp "$TMP/mine/sched_short.so" "$TMP/home/.local/lib/ftr/plugins/"
	cp "$TMP/mine/sched_short.so" "$TMP/home/.local/lib/traceevent/plugins/"
	same "no plugin comes from home or environment" "$(ls "$FTR_BUILD"/plugins/*.so | wc -l)" \
		"$(cd "$TMP/mine" && HOME=$TMP/home FTR_PLUGIN_DIR=$TMP/mine FTR_PLUGINS=$TMP/mine \
			TRACEEVENT_PLUGIN_DIR=$TMP/mine "$FTR" list --plugins | grep -c '^  file')"
}

rendering() {
	local n
	"$FTR" report -N "$TMP/a.dat" > "$TMP/plain"
	"$FTR" report "$TMP/a.dat" > "$TMP/default"
	same_files "what comes with ftr leaves the kernel's text alone" "$TMP/plain" "$TMP/default"
	n=$(grep -c ': sched_switch: ' "$TMP/plain")
	check "there are switches and functions" test "$n" -gt 20 -a "$(grep -c ': function: ' "$TMP/plain")" -gt 20
	"$FTR" report --plugin "$TMP/mine/sched_short.so" "$TMP/a.dat" > "$TMP/short"
	local before='prev_comm=(.*) prev_pid=([0-9]+) prev_prio=([0-9]+) prev_state=([^ +]*)\+?'
	local after='next_comm=(.*) next_pid=([0-9]+) next_prio=([0-9]+)'
	sed -E "/: sched_switch: /s/$before ==> $after/\\1:\\2 [\\3] \\4 ==> \\5:\\6 [\\7]/"'
		/: sched_switch: /{s/\] 0 ==>/] R ==>/; s/\] 1 ==>/] S ==>/; s/\] 2 ==>/] D ==>/}' \
		"$TMP/plain" > "$TMP/want"
	same_files "sched_short: the same switches in short" "$TMP/want" "$TMP/short"
	same "sched_short: all of them" "$n" \
		"$(grep -cE ': sched_switch: .*:[0-9]+ \[-?[0-9]+\] [^ ]+ ==> ' "$TMP/short")"
	"$FTR" report --plugin "$TMP/mine/sched_short.so" -O sched_short:prio=no "$TMP/a.dat" > "$TMP/got"
	sed -E '/: sched_switch: /s/ \[[0-9]+\] ([^ ]+ ==> .*) \[[0-9]+\]$/ \1/' "$TMP/want" > "$TMP/want2"
	same_files "sched_short: an option" "$TMP/want2" "$TMP/got"
	"$FTR" report -O function:indent "$TMP/a.dat" > "$TMP/indented"
	tr -d ' ' < "$TMP/plain" > "$TMP/want"
	tr -d ' ' < "$TMP/indented" > "$TMP/got"
	same_files "function:indent adds blanks only" "$TMP/want" "$TMP/got"
	check "function:indent adds some" test "$(wc -c < "$TMP/indented")" -gt "$(wc -c < "$TMP/plain")"
}

delays() {
	"$FTR" report --plugin "$TMP/mine/wakeup_delay.so" "$TMP/a.dat" > "$TMP/got"
	sed -E 's/ \(waited [0-9]+ us\)$//' "$TMP/got" > "$TMP/rest"
	same_files "wakeup_delay: the kernel's text is there" "$TMP/plain" "$TMP/rest"
	# the same by awk, from the columns and the kernel's words
	"$FTR" report -N -t "$TMP/a.dat" | awk '
		{
			ts = $0; sub(/: [a-z_]+:.*/, "", ts); sub(/.* /, "", ts); gsub(/\./, "", ts)
			inst = $0 ~ /^ *one: / ? "one" : ""
		}
		/: sched_waking: / { p = $0; sub(/.* pid=/, "", p); sub(/ .*/, "", p); at[p] = ts }
		/: sched_switch: / {
			p = $0; sub(/.*next_pid=/, "", p); sub(/ .*/, "", p)
			if (p > 0 && p in at) { printf "%d\n", (ts - at[p]) / 1000 }
			delete at[p]
		}' > "$TMP/want"
	grep -oE '\(waited [0-9]+ us\)$' "$TMP/got" | tr -cd '0-9\n' > "$TMP/waits"
	same_files "wakeup_delay: waits are those between the two events" "$TMP/want" "$TMP/waits"
	check "wakeup_delay: there are some" test -s "$TMP/waits"
}

replacing() {
	local d=$TMP/replace
	mkdir -p "$d/plugins"
	cp "$FTR" "$d/ftr"
	cp "$TMP/mine/sched_short.so" "$d/plugins/"
	"$d/ftr" list --plugins --plugin "$TMP/mine/sched_short.so" > "$TMP/list" 2> "$TMP/err"
	same "one that was named replaces the one that came with ftr" "0 0 1 1" \
		"$? $(wc -c < "$TMP/err") $(grep -c '^(replaced)' "$TMP/list") $(grep -c '^sched_short' "$TMP/list")"
}

# FTR_PLUGIN_LATE(): loaded by the first event that needs it, from the folder of those that came with ftr.
late() {
	local d=$TMP/late j
	mkdir -p "$d/plugins"
	cp "$FTR" "$d/ftr"
	cp "$TMP/mine/late.so" "$d/plugins/"
	"$d/ftr" report --event function "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
	same "late: not loaded for other events" "0 0" "$? $(wc -c < "$TMP/err")"
	check "late: which there are" test -s "$TMP/out"
	sed 's/: sched_switch:  *//; t; d' "$TMP/plain" | wc -l > "$TMP/want"
	for j in 1 2 8; do
		"$d/ftr" report -j $j "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
		same "late: loaded once with -j $j" "0 late: loaded" "$? $(cat "$TMP/err")"
		same "late: for all that match" "$(cat "$TMP/want")" "$(grep -c ': sched_switch:  *late: ' "$TMP/out")"
		sed 's/\(: sched_switch:  *\)late: /\1/' "$TMP/out" > "$TMP/rest"
		same_files "late: with the kernel's text behind" "$TMP/plain" "$TMP/rest"
	done
	same "late: in a list at once" "late: loaded" "$("$d/ftr" list --plugins 2>&1 > /dev/null)"
	same "late: when it is named, too" "late: loaded" \
		"$("$d/ftr" report --event function -N --plugin "$TMP/mine/late.so" "$TMP/a.dat" 2>&1 > /dev/null)"
	cp "$TMP/mine/bad-late.so" "$d/plugins/"
	"$d/ftr" report --event function "$TMP/a.dat" > /dev/null 2> "$TMP/err"
	same "late: nothing is said of one that nobody needed" "0 0" "$? $(wc -c < "$TMP/err")"
	"$d/ftr" report "$TMP/a.dat" > "$TMP/out2" 2> "$TMP/err"
	same "late: one that can't be loaded is no failure" 0 $?
	same_files "late: nor in the way" "$TMP/out" "$TMP/out2"
	has "late: and said in the end" "$(tail -n 1 "$TMP/err")" \
		"cannot load plugin '.*bad-late.so': its FTR_PLUGIN_LATE"
	refused "events that FTR_PLUGIN_LATE lacks" --plugin "$TMP/mine/bad-late.so"
	for j in "$FTR_BUILD"/plugins/*.so; do
		readelf -n "$j" 2> /dev/null | grep -q '^  ftr ' || echo "${j##*/}"
	done > "$TMP/early"
	same "late: all that come with ftr" 0 "$(wc -l < "$TMP/early")"
}

# tasks WHAT OPTION...: ftr_out_comm() of each record's task beside the column of the line
tasks() {
	local what=$1
	shift
	"$FTR" report --plugin "$TMP/mine/task.so" --event sched_switch "$@" "$TMP/b.dat" > "$TMP/out" 2> "$TMP/err"
	sed -nE 's/^ *(.*)-[0-9]+ +\[[0-9]+\].* sched_switch: +of .*/\1/p' "$TMP/out" > "$TMP/columns"
	sed -nE 's/.*: sched_switch: +of (.*): prev_comm=.*/\1/p' "$TMP/out" > "$TMP/told"
	same_files "names of tasks: that of the column, $what" "$TMP/columns" "$TMP/told"
	check "names of tasks: there are several, $what" test "$(sort -u "$TMP/told" | wc -l)" -gt 4
}

names_of_tasks() {
	python3 "$ORACLE/mkdat.py" "$TMP/b.dat" --renamed --meta tracer=nop \
		--meta 'kernel_comms=512 sh\n4001 find\n' ||
		fail "written: b.dat"
	tasks "as saved_cmdlines has them first"
	same "names of tasks: no later one" 0 "$(grep -c later- "$TMP/told")"
	tasks "with threads" -j 2
	tasks "as the kernel had them" --format=kernel
	same "names of tasks: that of the kernel" "find sh" \
		"$(grep -xE 'find|sh|ls|bash' "$TMP/told" | sort -u | xargs)"
}

# libtraceevent's own plugins through its engine: what trace-cmd prints with them,
# but for the blank in "<stack trace >".
tep_texts() {
	grep -oE '(function|sched_switch|sched_waking|kernel_stack): .*|^ *=> .*' |
		sed 's/<stack trace >/<stack trace>/'
}

foreign() {
	local status
	if [ ! -e "$TEP/plugin_sched_switch.so" ] || ! command -v trace-cmd > /dev/null; then
		skip "plugins of libtraceevent" "no trace-cmd, or none is installed"
		return
	fi
	trace-cmd report "$TMP/a.dat" 2> /dev/null | tep_texts > "$TMP/want"
	"$FTR" report --engine=traceevent --plugin "$TEP" "$TMP/a.dat" 2> "$TMP/err" > "$TMP/out"
	status=$?
	same "libtraceevent's plugins: status, and nothing on stderr" "0 0" "$status $(wc -c < "$TMP/err")"
	tep_texts < "$TMP/out" > "$TMP/got"
	check "libtraceevent's plugins: trace-cmd prints something" test "$(wc -l < "$TMP/want")" -gt 100
	same_files "libtraceevent's plugins: as trace-cmd with them" "$TMP/want" "$TMP/got"
	trace-cmd report -O ftrace:parent -O ftrace:indent=0 "$TMP/a.dat" 2> /dev/null | tep_texts > "$TMP/want2"
	check "libtraceevent's plugins: an option changes trace-cmd's text" test ! "$(cmp "$TMP/want" "$TMP/want2")" \
		=  ""
	"$FTR" report --engine=traceevent --plugin "$TEP" -O ftrace:parent=1 -O ftrace:indent=0 "$TMP/a.dat" |
		tep_texts > "$TMP/got"
	same_files "libtraceevent's plugins: options" "$TMP/want2" "$TMP/got"
	"$FTR" report --engine=traceevent --plugin "$TEP" -j 4 "$TMP/a.dat" > "$TMP/out2"
	same_files "libtraceevent's plugins: -j changes nothing" "$TMP/out" "$TMP/out2"
}

setup
listing
refusals
names
elsewhere
rendering
delays
replacing
late
names_of_tasks
foreign
finish
