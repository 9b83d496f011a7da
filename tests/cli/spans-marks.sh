#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Marks of programs (B, E, S, F, C ... in trace_marker) in the commands that show spans, and marks that are meant to do
# harm: too many that are open, long names, names of any bytes.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

DUMP=$FTR_BUILD/tests/tools/span_dump

# A worker of process 70, and what it marks.
work() {
	case_file w <<-'EOF'
	0 1000 0 . sched_switch prev_state=R next_pid=71 next_comm=worker
	0 2000 71 . print buf=B|70|frame%0a
	0 3000 71 . print buf=C|70|queue|4%0a
	0 4000 71 . print buf=B|70|draw%0a
	0 5000 71 . sched_switch prev_comm=worker prev_state=S next_pid=0
	0 6000 0 . sched_waking pid=71 comm=worker
	0 7000 0 . sched_switch prev_state=R next_pid=71 next_comm=worker
	0 8000 71 . print buf=E|70%0a
	0 8500 71 . print buf=a%20text%0a
	0 9000 71 . print buf=S|70|load|9%0a
	0 10000 71 . print buf=E|70%0a
	0 11000 71 . print buf=C|70|queue|2.5%0a
	0 12000 71 . print buf=I|70|sync%0a
	0 13000 71 . sched_switch prev_comm=worker prev_state=S next_pid=0
	0 14000 0 . sched_switch prev_state=R next_pid=72 next_comm=io
	0 15000 72 . print buf=F|70|load|9%0a
	0 16000 72 . print buf=E|70%0a
	EOF
}

shown() {
	work
	same "profile: total, off the CPU" "<...> 0.000 0.000;draw 4.000 2.000;frame 8.000 2.000;" \
		"$("$FTR" profile -q --kind marker --fields total,off w0.dat |
			awk '!/^#/ { print $3, $1, $2 }' | LC_ALL=C sort | tr '\n' ';')"
	same "profile: a begin that is missing" "# in no sum: 1 no begin" \
		"$("$FTR" profile --kind marker w0.dat | grep 'in no sum')"
	same "profile: async" "6.000 1 load" \
		"$("$FTR" profile -q --kind async --fields total,count w0.dat | awk '!/^#/ { print $1, $2, $3 }')"
	has "graph: nests, with the texts between" "$("$FTR" graph -q --kind marker w0.dat | tr '\n' ' ')" \
		'frame\(\) \{.* draw\(\).*/\* .*a text \*/.*\} /\* frame \*/'
	same "flame: by the names" "worker;frame 4000 worker;frame;draw 4000 " \
		"$("$FTR" flame -q --folded --kind marker w0.dat | tr '\n' ' ')"
	same "latency: by name" "async 6000" "$("$FTR" latency async --json w0.dat |
		python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["of"], a["groups"][0]["max"])')"
	same "why --in: a mark" "# worker-71, 1 time in draw: 0.004 ms from 0.000004 to 0.000008" \
		"$("$FTR" why --in draw w0.dat | head -n 1)"
	printf '<wait>%sM<wait>2<wait><screen S>' jjjjjjjjj > keys
	"$FTR" browse --view events --keys keys --dump . w0.dat
	has "browse: M goes from S to F, of another thread" "$(cat S.txt)" 'buf  *= F\|70\|load\|9 '
	printf '<wait>%sM<wait>2<wait><screen E>' jjjjjjjjjj > keys
	"$FTR" browse --view events --keys keys --dump . w0.dat
	has "browse: M goes from E to B" "$(cat E.txt)" 'buf  *= B\|70\|frame '
	same "no marks" "1 ${w}no records of marker in 'n0.dat'" "$(case_file n <<< '0 1000 71 . print buf=text'
		complains graph --kind marker n0.dat)"
	same "no marks: how they are recorded" "hint: 'ftr record COMMAND' records them" "$(sed -n 2p err)"
}

# A recording of a driver's events beside the marks of a program.
recorded() {
	local file=$FTR_BUGS_DIR/marks.dat
	if [ ! -e "$file" ]; then
		skip "marks of drivers" "no directory $FTR_BUGS_DIR"
		return
	fi
	same "marks of drivers: print, tracing_mark_write, another event" "fence 1.500;frame 2.000;kick_off 1.000;" \
		"$("$FTR" profile -q --kind marker --fields total "$file" | awk '!/^#/ { print $2, $1 }' | sort |
			tr '\n' ';')"
	"$FTR" export -q --to chrome "$file" -o recorded.json
	same "marks of drivers: a counter" "C fps 100 60;" "$(counters recorded.json)"
	same "marks in a text of the kernel" "1000.000 1 DrawFrame" \
		"$("$FTR" profile -q --kind marker --fields total,count "$FTR_BUGS_DIR/k-atrace.txt" 2> /dev/null |
			awk '!/^#/ { print $1, $2, $3 }')"
}

# counters FILE: [name, id, value] of each
counters() {
	python3 -c 'import json, sys
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e["ph"] in "Ci":
        print(e["ph"], e["name"], e.get("id", e["tid"]), e.get("args", {}).get("value", ""), end=";")' "$1"
}

chrome() {
	"$FTR" export -q --to chrome w0.dat -o w.json
	same "chrome: counters and instants" "C queue 70 4;C queue 70 2.5;i sync 71 ;" "$(counters w.json)"
	"$FTR" export -q --to chrome --kind async w0.dat -o w.json
	same "chrome: of another kind there are none" "" "$(counters w.json)"
	"$FTR" export -q --to chrome --pid 72 w0.dat -o w.json
	same "chrome: --pid" "" "$(counters w.json)"
	"$FTR" export -q --to chrome --since 0.000005 w0.dat -o w.json
	same "chrome: --since" "C queue 70 2.5;i sync 71 ;" "$(counters w.json)"
}

# The first 1024 are spans. The ends of all others end nothing, so the durations of these are right.
too_many() {
	local n=100000 kib
	python3 "$ORACLE/growth.py" --write open_marks $n many.dat
	"$FTR_BUILD/tests/tools/cpu_of" cpu "$FTR" profile --kind marker --fields count,total many.dat > out 2> err
	same "$n open marks: status" 0 $?
	same "$n open marks: it is said" \
		"${w}warning: $((n - 1024)) spans are missing: too many were open at once" "$(cat err)"
	same "$n open marks: the outermost have their durations" \
		"$((2 * n - 1)).000 m0 $((2 * n - 2047)).000 m1023" \
		"$(awk '!/^#/ { print $2, $3 }' out | sort -k 2 | grep -E ' m(0|1023)$' | xargs)"
	same "$n open marks: so many are spans" 1024 "$(grep -vc '^#' out)"
	read -r _ _ _ _ _ _ kib < cpu
	[ "${FTR_IS_SAN:-}" = 1 ] ||
		check "$n open marks: at most 64 MiB: $((kib >> 10))" test "$kib" -le $((64 << 10))
	python3 "$ORACLE/growth.py" --write open_cookies 20000 many.dat
	same "20000 open cookies: all are spans" "20000 20000.000" \
		"$("$FTR" profile -q --kind async --fields count,avg many.dat | awk '!/^#/ { print $1, $2 }')"
}

# Bytes that no name has, and fields without an end.
hostile() {
	local long
	long=$(printf '|%.0s' $(seq 2000))
	case_file h <<-EOF
	0 1000 71 . print buf=B|70|%ff%1b[31m"\\<x>&%0a
	0 2000 71 . print buf=B|70|$long
	0 3000 71 . print buf=S|70$long
	0 3100 71 . print buf=C|70$long
	0 3200 71 . print buf=G$long|5
	0 3300 71 . print buf=C|4294967296|queue|1
	0 3400 71 . print buf=B|-1|name
	0 3500 71 . print buf=
	0 3600 71 . print buf=|
	0 3700 71 . print buf=E|70|name|and|more
	0 3800 71 . print buf=E|70
	0 3900 71 . print buf=C|70|%00|5
	0 4000 71 . print buf=C|70|%22%22|-9223372036854775808
	EOF
	"$FTR" export -q --to chrome h0.dat -o h.json
	same "hostile marks: status" 0 $?
	check "hostile marks: JSON of UTF-8" python3 - h.json <<-'EOF'
	import json, sys
	text = open(sys.argv[1], "rb").read().decode("utf-8")
	events = json.loads(text)["traceEvents"]
	names = [e["name"] for e in events if e["ph"] == "B" and e["cat"] == "marker"]
	values = [e["args"]["value"] for e in events if e["ph"] == "C"]
	sys.exit(len(names) != 2 or "\x1b" in text or not names[0].endswith('[31m"\\<x>&') or values != [-1 << 63])
	EOF
	python3 "$ORACLE/spans.py" h0.dat | grep -v '^span marker' | sort > wanted
	"$DUMP" h0.dat | grep -v '^span marker' | sort > got
	same_files "hostile marks: what is one" wanted got
	"$FTR" graph -q --kind marker h0.dat > out
	same "hostile marks: no bytes that a terminal acts on" 0 "$(tr -cd '\033' < out | wc -c)"
}

w='ftr: '
shown
recorded
chrome
too_many
hostile
finish
