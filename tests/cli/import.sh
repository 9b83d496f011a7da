#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Texts where a trace file is wanted, and ftr import: packed, in a page, with several dumps, damaged. The expected
# records are the lines of the texts, which are written here or are the kernel's.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
LOGS=$FTR_TOP/tests/cases/oops

# The text of a trace, as the kernel prints it.
AWAY='prev_comm=sleep prev_pid=41 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120'
BACK='prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sleep next_pid=41 next_prio=120'
cat > trace.txt <<END
# tracer: nop
#
# entries-in-buffer/entries-written: 4/4   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
           sleep-41      [001] d..2.    10.000100: sched_switch: $AWAY
          <idle>-0       [001] dNh3.    10.003100: sched_waking: comm=sleep pid=41 prio=120 target_cpu=001
          <idle>-0       [001] dNh4.    10.003110: sched_wakeup: comm=sleep pid=41 prio=120 target_cpu=001
          <idle>-0       [001] d..2.    10.003160: sched_switch: $BACK
END
grep -v '^#' trace.txt > records

# reads NAME FILE: the kernel's text of FILE is the records above
reads() {
	"$FTR" report --format=kernel "$2" 2> err | grep -v '^#' > got
	same_files "$1" records got
}

reads 'a text where a trace file is wanted' trace.txt
same 'it is said what it was taken for' 1 "$(grep -c "^ftr: 'trace.txt' is the kernel's file trace: 4 records" err)"
same 'in one line' 1 "$(wc -l < err)"
"$FTR" report -q trace.txt > out 2> err
same '-q says nothing' '0 0 4' "$? $(wc -l < err) $(wc -l < out)"
cp records headless
reads 'a text without a head' headless
reads 'standard input' - < trace.txt
"$FTR" report --format=kernel - < trace.txt 2> /dev/null | grep -v '^#' > got
same_files 'standard input: a file' records got
cat trace.txt | "$FTR" report --format=kernel - 2> /dev/null | grep -v '^#' > got
same_files 'standard input: a pipe' records got

packed() {
	local tool
	for tool in gzip xz zstd; do
		if ! command -v $tool > /dev/null; then
			skip "a text packed by $tool" "no $tool"
			continue
		fi
		$tool -c < trace.txt > packed
		reads "a text packed by $tool, whatever its name" packed
		{ $tool -c < trace.txt | cat; } > packed
		reads "packed by $tool in a pipe" packed
		head -n 14 trace.txt | $tool -c > packed
		tail -n +15 trace.txt | $tool -c >> packed
		reads "packed by $tool in two parts" packed
		"$FTR" import trace.txt -o kept.dat 2> /dev/null
		$tool -c < kept.dat > packed
		reads "a trace file packed by $tool" packed
		same "it is no text: nothing is said" 0 "$(wc -l < err)"
		# noise between the lines keeps the packed size from being a few bytes
		{ cat trace.txt; seq 200000 | sed 's/^/# /'; } | $tool -c > packed
		head -c $(($(stat -c %s packed) / 2)) packed > cut
		reads "packed by $tool and cut: what is there" cut
		"$FTR" report cut > /dev/null 2> err
		same "packed by $tool and cut: status" 3 $?
		has "packed by $tool and cut: it is said" "$(cat err)" "'cut': compressed data damaged or cut"
		head -c 200000000 /dev/zero | $tool -c > bomb
		(
			[ "${FTR_IS_SAN:-}" = 1 ] || ulimit -v 3000000
			"$FTR" report bomb
		) > out 2> err
		same "a bomb of $tool" 1 $?
		has "a bomb of $tool: refused by name" "$(cat err)" "'bomb' (unpacks to more than|has no trace)"
	done
}

# The pages of systrace: the catapult's element, and the string of older ones.
pages() {
	{
		printf '<!DOCTYPE html>\n<html>\n<head><script>var x = "<b>";</script></head>\n'
		printf '<script class="trace-data" type="application/text">\n'
		cat trace.txt
		printf '</script>\n<script class="trace-data" type="application/json">{"a": 1}</script></html>\n'
	} > page.html
	reads 'a page of systrace' page.html
	has 'a page: it is said' "$(cat err)" "^ftr: 'page.html' is a page with the kernel's file trace: 4 records"
	{
		printf '<!DOCTYPE HTML>\n<html><script>\n  var linuxPerfData = "\\\n'
		sed 's/[\\"]/\\&/g; s/$/\\n\\/' trace.txt
		printf '\n";\n</script></html>\n'
	} > old.html
	reads 'a page of old systrace' old.html
	printf '<!DOCTYPE html>\n<html><body>no trace</body></html>\n' > empty.html
	ftr_refuses 'a page without one' 1 "^ftr: 'empty.html' has no trace" report empty.html
}

# Each command that reads trace files, and the line that it must print about this text.
reading_commands() {
	local name words want
	while IFS='|' read -r name words want; do
		# shellcheck disable=SC2086
		"$FTR" $words trace.txt > out 2> err
		same "ftr $name takes a text: status" 0 $?
		has "ftr $name takes a text" "$(tr -s ' ' < out)" "$want"
	done <<-'END'
		info|info|^ events: 4$
		report|report|sched_wakeup: comm=sleep
		sched latency|sched latency|sleep
		sched states|sched states|sleep
		latency|latency wakeup|sleep
		why|why 41|asleep until
		timeline|timeline|sleep
		export|export --to json|"event":"sched_wakeup"
	END
}

dumps() {
	"$FTR" import "$LOGS/events.log" -o one.dat 2> /dev/null
	cat "$LOGS/events.log" "$LOGS/function.log" > two.log
	"$FTR" report two.log > out 2> err
	has "two dumps: both are read" "$(cat err)" \
		"^ftr: 'two.log' is a log with dumps of ftrace: 2 traces, [0-9]+ records"
	has 'two dumps: the first' "$(cat out)" 'two.log:.*sched_'
	has 'two dumps: the second has a name' "$(cat out)" 'two.log#2:.* <-'
	same 'two dumps: as many records as in both' \
		"$(($("$FTR" report "$LOGS/events.log" 2> /dev/null | wc -l) +
			$("$FTR" report "$LOGS/function.log" 2> /dev/null | wc -l)))" "$(wc -l < out)"
	"$FTR" check-events two.log > out 2> err
	has 'a command that takes one trace takes the last, and says so' "$(cat err)" '2 traces, the last one is read'
}

damaged() {
	sed 's/^\( *<idle>.*sched_wakeup\).*/garbage in the middle/' trace.txt > bad.txt
	"$FTR" report bad.txt > out 2> err
	same 'a line that is nothing: status, the others are there' '3 3' "$? $(wc -l < out)"
	has 'it is counted, and the first is named' "$(cat err)" \
		"^ftr: damaged: 'bad.txt': line not understood, the first is line 15"
	"$FTR" import trace.txt -o whole.dat 2> /dev/null
	head -c 3000 whole.dat > bad.dat
	"$FTR" report bad.dat > out 2> err
	same 'a damaged trace file is no text' '3 0' "$? $(grep -c ' is the \| is a ' err)"
	{ printf 'X\x08Dtracinx'; tail -c +11 whole.dat; } > bad.dat
	"$FTR" report bad.dat > out 2> err
	has 'also with another magic' "$(cat err)" "'bad.dat' is not a trace file"
	: > none
	ftr_refuses 'an empty file' 1 "^ftr: 'none' is empty" report none
	ftr_refuses 'import of a trace file' 1 "^ftr: 'whole.dat' is no text" import whole.dat -o x.dat
	ftr_refuses 'import without -o' 2 '^ftr: no output file was given' import trace.txt
	ftr_refuses 'import of nothing' 2 '^ftr: import takes one text' import -o x.dat
}

kept() {
	"$FTR" import trace.txt -o kept.dat 2> err
	same 'import: status' 0 $?
	has 'import: what it wrote' "$(cat err)" "^ftr: 'kept.dat': 4 records"
	reads 'import: the records' kept.dat
	same 'import: trace-cmd reads them' 4 "$(trace-cmd report kept.dat 2> /dev/null | grep -c ': sched_')"
}

# What Documentation/text.md shows is what is printed.
examples() {
	local line command=
	sed 's/^/2024-05-01T10:00:00.1234567Z /' "$LOGS/events.log" > job.log
	: > want
	: > got
	while IFS= read -r line; do
		case $line in
		'    $ ftr '*)
			command=${line#*ftr }
			FTR_TRACEFS=$TMP/none bash -c "\"$FTR\" $command" 2>&1 | sed 's/^/    /' >> got
			;;
		'    '*) [ -z "$command" ] || echo "$line" >> want ;;
		*) command= ;;
		esac
	done < "$FTR_TOP/Documentation/text.md"
	check 'the page has examples' test "$(grep -c . want)" -gt 15
	same_files 'the examples of the page' want got
}

examples
packed
pages
reading_commands
dumps
damaged
kept
finish
