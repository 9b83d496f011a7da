#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --to chrome and folded: random records, whose spans and states the oracle finds as well;
# names of any bytes.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

DUMP=$FTR_BUILD/tests/tools/span_dump
FILES=3
[ "${FTR_LONG:-}" != 1 ] || FILES=40
echo "# seed $FTR_SEED"

one_file() {
	local seed=$1
	python3 "$ORACLE/mkspans.py" "$seed" 1500 > records.txt
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep f "$DUMP" records.txt > /dev/null
	python3 "$ORACLE/spans.py" f0.dat > dump
	"$FTR" export -q --to chrome f0.dat -o events.json
	same "seed $seed: status" 0 $?
	check "seed $seed: spans, states, CPUs" python3 "$ORACLE/chrome-check.py" events.json dump
}

# lines of folded stacks: frames by semicolons, a blank, a number
folded() {
	local how
	for how in '' '--kind syscall' '--off-cpu'; do
		"$FTR" flame -q --folded $how f0.dat > wanted
		"$FTR" export -q --to folded $how f0.dat -o got
		same_files "folded${how:+ $how}: what ftr flame prints" wanted got
		same "folded${how:+ $how}: its grammar" 0 "$(grep -Evc '^[^;]+(;[^;]*)* [0-9]+$' got)"
	done
}

choices() {
	"$FTR" export -q --to chrome --kind syscall f0.dat > some.json
	same "--kind: that alone" syscall "$(python3 - some.json <<-'EOF'
	import json, sys
	events = json.load(open(sys.argv[1]))["traceEvents"]
	print(*sorted({e["cat"].split(",")[0] for e in events if e["ph"] != "M"} - {"state", "running"}))
	EOF
	)"
	"$FTR" export -q --to chrome --pid 103 f0.dat > some.json
	same "--pid: states of that task alone" 103 "$(python3 - some.json <<-'EOF'
	import json, sys
	print(*sorted({e["tid"] for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") == "state"}))
	EOF
	)"
	"$FTR" export --to chrome --stacks f0.dat > out 2> err
	same "--stacks is of folded: status" 2 $?
	"$FTR" export --to json --kind irq f0.dat > out 2> err
	same "--kind is not of json: status" 2 $?
	"$FTR" export --to folded --text f0.dat > out 2> err
	same "--text is of json: status" 2 $?
	for to in chrome folded; do
		"$FTR" export -q --to $to f0.dat > /dev/full 2> err
		same "$to: a full disk: status" 3 $?
		"$FTR" export -q --to $to f0.dat 2> err | head -c 20 > /dev/null
		same "$to: a reader that goes away" "0 " "${PIPESTATUS[0]} $(cat err)"
	done
}

# Names of tasks with quotes, control bytes and no UTF-8.
hostile() {
	cat > hostile.txt <<-'EOF'
	0 1000000 0 . sched_switch prev_pid=0 prev_state=R next_pid=100 next_comm=AAAAAAAAAAAA
	0 1002000 100 . funcgraph_entry func=ksys_read depth=0
	0 1003000 100 . funcgraph_exit func=ksys_read depth=0 calltime=1 rettime=900
	0 1005000 100 . sched_switch prev_comm=AAAAAAAAAAAA prev_state=S next_pid=0 next_comm=swapper
	EOF
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep h "$DUMP" hostile.txt > /dev/null
	python3 - h0.dat <<-'EOF'
	import sys
	data = open(sys.argv[1], "rb").read()
	with open(sys.argv[1], "wb") as f:
	    f.write(data.replace(b"AAAAAAAAAAAA", b'"\\\x1b\xff\xc3(\n<bx>&'))
	EOF
	"$FTR" export -q --to chrome h0.dat -o h.json
	check "hostile names: JSON of UTF-8, with the name" python3 - h.json <<-'EOF'
	import json, sys
	text = open(sys.argv[1], "rb").read().decode("utf-8")
	names = {e["args"]["name"] for e in json.loads(text)["traceEvents"] if e["ph"] == "M"}
	sys.exit(not any(n.startswith('"\\') for n in names) or "\x1b" in text)
	EOF
}

for i in $(seq $FILES); do
	one_file $((FTR_SEED % 1000000 * 100 + i))
done
folded
choices
hostile
finish
