#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr latency: the commands that it prints, its picture, what it refuses, damaged files.
# What it counts is in tests/cases/spans.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
CUTS=6 FLIPS=2
[ "${FTR_LONG:-}" != 1 ] || { CUTS=60; FLIPS=15; }

# Two tasks take turns and call read(): 200 times, of all lengths.
load() {
	awk 'BEGIN {
		t = 1000000
		for (i = 0; i < 200; i++) {
			p = 100 + i % 2
			o = 201 - p
			n = 100 * 2 ^ (i % 12)
			printf "0 %d %d . sys_enter id=0\n", t, p
			printf "0 %d %d . sched_waking pid=%d\n", t + 10, p, o
			printf "0 %d %d . sys_exit id=0\n", t + 20 + n, p
			printf "0 %d %d . sched_switch prev_state=%s next_pid=%d\n", t + 30 + n, p, i % 3 ? "S" : "R", o
			t += 50 + n
		}
	}' | case_file load
	case_file none <<< '0 1000 100 . demo_start tag=1'
}

# as_json ARG...
as_json() {
	"$FTR" latency --json "$@" 2> err
}

# Each report that is named shows the records at both ends and nothing outside.
reports() {
	cp load0.dat $'it\'s $HOME.dat'
	cp load0.dat $'tab\there\xff.dat'
	cp load0.dat -- -x.dat
	cp load0.dat -- '-a b.dat'
	for args in "syscall load0.dat" "wakeup load0.dat" "syscall --date load0.dat" \
		"syscall --align-ts load0.dat none0.dat" "syscall --ts-offset 5000000000 load0.dat" \
		"syscall --raw-ts load0.dat" "syscall -i none0.dat -i load0.dat --ts-offset 7"; do
		# shellcheck disable=SC2086
		as_json $args > got.json
		same "each report shows its span: $args" "10 of 10" "$(shown)"
	done
	for file in $'it\'s $HOME.dat' $'tab\there\xff.dat' -x.dat '-a b.dat'; do
		as_json syscall -- "$file" > got.json
		same "each report shows its span: $(printf %q "$file")" "10 of 10" "$(shown)"
	done
}

# Of got.json: how many of the reports have records from begin to end alone, some at both ends.
shown() {
	python3 - <<- 'END'
	import json, os, re, subprocess
	worst = json.load(open("got.json"))["worst"]
	good = 0
	for span in worst:
	    line = span["report"].replace("ftr report", "'%s' report -t" % os.environ["FTR"], 1)
	    run = subprocess.run(["bash", "-c", line], capture_output=True, encoding="utf-8", errors="replace")
	    rows = re.findall(r"^.* (\d+)\.?(\d*): +(?:sys|sched)_", run.stdout, re.M)
	    times = [int(a + b) for a, b in rows]
	    good += run.returncode == 0 and len(times) >= 2 and (times[0], times[-1]) == (span["begin"], span["end"])
	print(good, "of", len(worst))
	END
}

# The cells of the picture add up to what the histogram counts, row by row; and stand where they belong.
picture() {
	local args
	for args in "syscall" "wakeup" "syscall --pid 101 --unit ns" "syscall --since +1ms"; do
		# shellcheck disable=SC2086
		as_json $args --heatmap map.svg load0.dat > got.json
		check "a picture: $args" xmllint --noout map.svg
		same "its cells are the histogram's: $args" "equal" "$(cells)"
	done
	same "-: the picture alone" "$(md5sum < map.svg)" \
		"$("$FTR" latency syscall --since +1ms --heatmap - load0.dat | md5sum)"
	mkdir map.d
	same "it can't be written" 1 "$(complains latency syscall --heatmap map.d load0.dat | cut -d' ' -f1)"
	has "its name" "$(head -n 1 err)" "'map.d'"
	has "a picture of nothing is an error" "$(complains latency syscall --pid 9 --heatmap none.svg load0.dat)" \
		"^1 ftr: no span matches --pid 9; 'load0.dat' has "
	check "a picture of nothing: there is none" test ! -e none.svg
}

# 150 us in 150 columns of 6: what ends 500 ns behind the begin is in the first one, at 12000 in the 13th, at the end in
# the last. Rows are 16 high: 0 and 1 us at the bottom, 2 and 3 above, then 4 to 7.
# Two in one field are the hottest, one is the coldest.
places() {
	case_file map <<- 'END'
	0 1000000 100 . sys_enter id=0
	0 1000500 100 . sys_exit id=0
	0 1010000 100 . sys_enter id=0
	1 1010100 101 . sys_enter id=0
	0 1012000 100 . sys_exit id=0
	1 1012999 101 . sys_exit id=0
	0 1144000 100 . sys_enter id=0
	0 1149999 100 . sys_exit id=0
	END
	cat > want <<- 'END'
	x="1054" y="64" h0 1 of 4 to 7 usecs, +0.000149 s to +0.000150 s
	x="232" y="80" h9 2 of 2 to 3 usecs, +0.000012 s to +0.000013 s
	x="160" y="96" h0 1 of 0 to 1 usecs, +0.000000 s to +0.000001 s
	END
	"$FTR" latency syscall --heatmap - map0.dat |
		sed -nE 's/.*<rect (x="[0-9.]+" y="[0-9.]+") .* class="(h.)"><title>(.*)<.title>.*/\1 \2 \3/p' |
		sort -k 2,2V > got
	same_files "where its cells are" want got
}

cells() {
	python3 - <<- 'END'
	import collections, json, re
	wanted = {(r["from"], r["to"]): r["count"]
	          for g in json.load(open("got.json"))["groups"] for r in g["rows"] if r["count"]}
	got, heights = collections.Counter(), collections.defaultdict(set)
	svg = open("map.svg").read()
	for y, n, low, high in re.findall(r'<rect x="[\d.]+" y="([\d.]+)" [^>]*><title>(\d+) of (\d+) to (\d+) ', svg):
	    got[int(low), int(high)] += int(n)
	    heights[int(low)].add(float(y))
	ys = [heights[low] for low in sorted(heights)]
	rising = all(len(y) == 1 for y in ys) and all(max(b) < min(a) for a, b in zip(ys, ys[1:]))
	print("equal" if got == wanted and rising else (wanted, got, ys))
	END
}

# Names with all that XML, a terminal and JSON do not take as it is.
hostile() {
	local name=$'<a>&"\'\x1b[31m\xff\x01;'
	case_file names <<- 'END'
	0 1000 0 . sched_switch prev_pid=0 prev_state=R next_pid=100 next_comm=NASTY1234567890
	0 2000 100 . sys_enter id=0
	0 9000 100 . sys_exit id=0
	0 9500 100 . sched_switch prev_comm=NASTY1234567890 prev_state=S next_pid=0
	END
	NASTY=$name python3 - <<- 'END'
	import os
	data = open("names0.dat", "rb").read()
	open(os.fsencode(os.environ["NASTY"]) + b".dat", "wb").write(
	    data.replace(b"NASTY1234567890", os.fsencode(os.environ["NASTY"]).ljust(15, b"\0")))
	END
	"$FTR" latency syscall --by task --heatmap map.svg "$name.dat" > got
	check "hostile names: the picture" xmllint --noout map.svg
	same "hostile names: nothing that a terminal acts on" "" \
		"$(LC_ALL=C grep -aP '[\x00-\x09\x0b-\x1f\x7f-\xff]' got)"
	has "hostile names: as text" "$(< got)" 'task = <a>&"'\''\\x1b\[31m\\xff\\x01;-100'
	check "hostile names: JSON" python3 -m json.tool <(as_json syscall --by task "$name.dat")
}

refused() {
	local w='ftr: '
	same "of nothing" "2 ${w}no kind of latency was given" "$(complains latency)"
	has "what there is" "$(cat err)" 'of wakeup, function_graph, syscall, .*SYSTEM:EVENT SYSTEM:EVENT'
	same "no kind" "2 ${w}unknown kind 'load0.dat'" "$(complains latency load0.dat)"
	same "one event" "2 ${w}'a:b' begins a span, but no event that ends it was given" "$(complains latency a:b)"
	same "an event and a file" "2 ${w}'a:b' begins a span, but no event that ends it was given" \
		"$(complains latency a:b load0.dat)"
	same "events that are none" "1 ${w}no event 'a:b' for --pair" "$(complains latency a:b c:d load0.dat)"
	complains latency demo:demo_strt demo:demo_done none0.dat > /dev/null
	has "the event that was meant" "$(cat err)" "did you mean 'demo:demo_start'?"
	complains latency sycall load0.dat > /dev/null
	has "the kind that was meant" "$(cat err)" "did you mean 'syscall'?"
	same "a key that is no field" "1 ${w}event 'demo:demo_start' has no field 'x'" \
		"$(complains latency demo:demo_start demo:demo_done --key x none0.dat)"
	same "a key for a kind" "2 ${w}--key is for two events: 'irq' has its own key" \
		"$(complains latency irq --key x load0.dat)"
	same "a unit" "2 ${w}--unit does not take 's'" "$(complains latency irq --unit s load0.dat)"
	same "a time" "2 ${w}--slower takes a time, not 'x'" "$(complains latency irq --slower x load0.dat)"
	same "two outputs to one place" "2 ${w}--slower and a picture can't both go to standard output" \
		"$(complains latency irq --slower 1 --heatmap - load0.dat)"
	same "records for a wait" "2 ${w}wakeup has no selection by events, filters or interrupts" \
		"$(complains latency wakeup -I load0.dat)"
	same "no sched_switch" "1 ${w}no sched_switch in 'none0.dat'" "$(complains latency wakeup none0.dat)"
	same "no such records" "1 ${w}no records of irq in 'none0.dat'" "$(complains latency irq none0.dat)"
	same "the hint has no other option" "hint: 'ftr record -e irq' records them" "$(sed -n 2p err)"
	same "no such events" "1 ${w}no records of these events in 'load0.dat'" \
		"$(complains latency demo:demo_start demo:demo_done load0.dat)"
	same "no such field" "1 ${w}no record that begins such a span has a field 'x'" \
		"$(complains latency syscall --by x load0.dat)"
	"$FTR" latency syscall load0.dat 2> err > /dev/full
	same "a full disk" 3 $?
	"$FTR" latency syscall --slower 0 load0.dat 2> err | head -n 1 > /dev/null
	same "a reader that stops" "0 " "${PIPESTATUS[0]} $(cat err)"
	same "80 columns" "" "$("$FTR" latency -h | awk 'length > 80')"
}

# Cut anywhere, and with bytes changed: 0 or 3 as report, or 1 for a file without what is asked for.
damaged() {
	local kind name out
	for kind in 'latency wakeup' 'latency syscall --by task --heatmap x.svg'; do
		name="damaged: $kind ends as report does"
		if out=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts $CUTS --flips $FLIPS \
				--as-report "$kind" theirs load0.dat 2>&1); then
			pass "$name"
		else
			fail "$name" "$out"
		fi
		tail -n 1 <<< "$out"
	done
}

load
reports
if [ -n "$(command -v xmllint)" ]; then
	picture
	places
	hostile
else
	skip "pictures" 'no xmllint'
fi
refused
damaged
finish
