#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# ftr why: the cases of tests/cases/why, whose figures were worked out by hand; and of random files, recorded ones and
# the same with little memory: the rows add up, and are the states of a second decoder. Wakers and their times are
# those of Perfetto's critical paths.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

DUMP=$FTR_BUILD/tests/tools/span_dump
FILES=3 RECORDS=1000
[ "${FTR_LONG:-}" != 1 ] || { FILES=1000; RECORDS=1500; }

for file in "$FTR_TOP"/tests/cases/why/*.txt; do
	check "$(basename "$file" .txt)" python3 "$FTR_TOP/tests/tools/span_cases.py" "$DUMP" "$file"
done

echo "# seed $FTR_SEED"
for i in $(seq $FILES); do
	seed=$((FTR_SEED % 1000000 * 1000 + i))
	python3 "$ORACLE/mkspans.py" $seed $RECORDS > records.txt
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep f "$DUMP" records.txt > keep.txt
	check "seed $seed: the rows add up, and are the states of the oracle" \
		python3 "$FTR_TOP/tests/tools/why-check.py" f0.dat
done

# Perfetto divides the sleeps among the same tasks. Its reasons to differ are lines of the output.
. "$ORACLE/exported.sh"
if [ -z "$NO_PERFETTO" ]; then
	FILES=1 RECORDS=1000 CASES=6
	[ "${FTR_IS_SAN:-}" != 1 ] || RECORDS=300 CASES=2
	[ "${FTR_LONG:-}" != 1 ] || FILES=100 CASES=1000
	for i in $(seq $FILES); do
		seed=$((FTR_SEED % 1000000 * 1000 + i))
		python3 "$ORACLE/mkwakings.py" $seed $RECORDS > wakings.txt
		python3 "$FTR_TOP/tests/tools/span_cases.py" --keep w "$DUMP" wakings.txt > keep.txt
		"$ORACLE/perfetto-why.py" --name "wakings of seed $seed" w0.dat || FAILED=1
	done
	for file in $(sample $CASES $(cd "$FTR_TOP/tests/cases/why" && grep -L 'clock=counter' *.txt)); do
		python3 "$FTR_TOP/tests/tools/span_cases.py" --keep "case-${file%.txt}-" "$DUMP" \
			"$FTR_TOP/tests/cases/why/$file" > keep.txt
	done
	"$ORACLE/perfetto-why.py" case-*.dat || FAILED=1
	if [ "${FTR_LONG:-}" = 1 ] && [ -e "$FTR_FIXTURES_DIR/README.md" ]; then
		for file in "$FTR_FIXTURES_DIR"/*.dat.xz; do
			xz -dc "$file" > a.dat
			"$ORACLE/perfetto-why.py" --name "$(basename "$file" .dat.xz)" a.dat || FAILED=1
		done
	fi
	# What is wrong in an account is found: another waker, and other times of the waker.
	python3 "$ORACLE/mkwakings.py" 1 300 > wakings.txt
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep w "$DUMP" wakings.txt > keep.txt
	for wrong in 's/"cause": "t101-101"/"cause": "t102-102"/' 's/"what": "waited"/"what": "ran"/'; do
		printf '#!/bin/sh\n"%s" "$@" | sed '\''%s'\''\n' "$FTR" "$wrong" > wrong-ftr
		chmod +x wrong-ftr
		FTR=$PWD/wrong-ftr "$ORACLE/perfetto-why.py" w0.dat > out
		same "Perfetto finds an account that is wrong by $wrong" 1 $?
	done
fi

# A row that nobody wanted is found.
sed '/ran in read/d' "$FTR_TOP/tests/cases/why/ran.txt" > wrong.txt
has "a row too many is found" "$(python3 "$FTR_TOP/tests/tools/span_cases.py" "$DUMP" wrong.txt)" '^got: .* ran in read'

ftr_refuses 'no task' 2 "^ftr: no task is given" why
ftr_refuses 'a file in place of a task' 2 "^ftr: 'f0.dat' is a file, not a task" why f0.dat
has 'its hint' "$ERR" "^hint: 'ftr why TASK f0.dat'"
ftr_refuses '--worst without --in' 2 '^ftr: --worst needs --in' why --worst 3 100 f0.dat
ftr_refuses '--in and --between' 2 'do not go together' why --in read --between a,b 100 f0.dat
ftr_refuses '--between without a comma' 2 "^ftr: 'begin' of --between has no comma" why --between begin 100 f0.dat
ftr_refuses '--json and --folded' 2 'do not go together' why --json --folded 100 f0.dat
ftr_refuses 'no such call' 1 "^ftr: no 'nosuch' has begin and end in the files" why --in nosuch f0.dat
ftr_refuses 'no such purpose' 2 "^ftr: there is no purpose 'nosuch'" record --for nosuch true
"$FTR" list for --json > purposes
same 'its hint names all' "$(python3 -c 'import json
print(*sorted(item["purpose"] for item in json.load(open("purposes"))["items"]))')" \
	"$(sed -n 's/^hint: it is one of \(.*\); .*/\1/p' <<< "$ERR" | tr -d ' ' | tr ',' '\n' | sort | xargs)"
"$FTR" why --folded '*' f0.dat > folded
"$FTR" why --json '*' f0.dat > accounts
same 'the folded lines of all tasks add up to their times' "$(awk '{ n += $NF } END { print n }' folded)" \
	"$(python3 -c 'import json; print(sum(a["time"] for a in json.load(open("accounts"))))')"
# Two accounts side by side: 100 is preempted for 0.5 ms by 200 in the one file, for 0.4 by 300 in the other.
printf '%s\n' '0 1000000 0 . sched_switch prev_pid=0 prev_state=R next_pid=100' \
	'0 2000000 100 . sched_switch prev_state=R next_pid=200' \
	'0 2500000 200 . sched_switch prev_state=S next_pid=100' \
	'0 3000000 100 . sched_switch prev_state=S next_pid=0' > a.txt
sed 's/pid=200/pid=300/; s/^0 2500000 200/0 2400000 300/' a.txt > b.txt
python3 "$FTR_TOP/tests/tools/span_cases.py" --keep a "$DUMP" a.txt > /dev/null
python3 "$FTR_TOP/tests/tools/span_cases.py" --keep b "$DUMP" b.txt > /dev/null
same 'diff --why: the rows of both' "preempted by t200,500000,,-500000,
preempted by t300,,400000,400000,
ran,1500000,1600000,100000,1.066667" \
	"$("$FTR" diff --why --pid 100 --csv a0.dat b0.dat | tail -n +2 | cut -d, -f1,4-7 | sort)"
ftr_refuses 'diff --why --of p99' 2 '^ftr: --why compares total or count' diff --why --of p99 a0.dat b0.dat
# The account of each of the longest spans adds up to it: reads of 0.1 ms and of 0.6 ms, of which 0.3 are a sleep.
python3 "$FTR_TOP/tests/tools/span_cases.py" --keep in "$DUMP" "$FTR_TOP/tests/cases/why/in.txt" > /dev/null
"$FTR" latency syscall --why --json in0.dat > worst
same 'latency --why: the rows of each add up' '600000 600000 asleep 100000 100000 ran' "$(python3 -c 'import json
for s in json.load(open("worst"))["worst"]:
    print(s["duration"], sum(row["time"] for row in s["why"]), s["why"][0]["what"])' | xargs)"
has 'latency --slower --why: below the span' "$("$FTR" latency syscall --slower 200us --why in0.dat)" \
	'^ +0.300 +50.0 +1 +0.300  asleep in read until t200-200'
grep -v sched_switch "$FTR_TOP/tests/cases/why/in.txt" | grep -v '^[$|]' > no.txt
python3 "$FTR_TOP/tests/tools/span_cases.py" --keep no "$DUMP" no.txt > /dev/null
ftr_refuses 'latency --why without switches' 1 sched_switch latency syscall --why no0.dat
# Each of many tasks waits for all others: rows for 256 of them, and one for the rest; they add up all the same.
python3 "$ORACLE/growth.py" --write waiting_tasks 600 many.dat
"$FTR" why --json '*' many.dat > many.json
same '600 tasks wait for each other: the most rows, the sums, a row of others' '262 True 1' "$(python3 -c '
import json
tasks = json.load(open("many.json"))
most = max(tasks, key=lambda task: len(task["rows"]))
print(len(most["rows"]), all(sum(row["time"] for row in task["rows"]) == task["time"] for task in tasks),
      sum(row["cause"] == "other tasks" for row in most["rows"]))')"
check 'a picture' "$FTR" why -o why.svg '*' f0.dat
has 'it is one' "$(head -c 200 why.svg)" '<svg'
finish
