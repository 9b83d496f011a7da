#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sql: the columns stack, buffer, file and host of records, and the functions of stacks. Which stack belongs to
# which record was decided by hand: the one that follows it on its CPU and buffer, of the same task.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

# make_dat FILE: the records on standard input as a trace file
make_dat() {
	cat > records.txt
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep made "$FTR_BUILD/tests/tools/span_dump" records.txt \
		> keep.txt
	mv made0.dat "$1"
}

make_dat trace.dat <<'END'
0 1100 100 . demo_start tag=1 len=10
0 1110 100 . kernel_stack caller=vfs_read+8,ksys_read+16
1 1115 200 . demo_start tag=2 len=1000
0 1120 100 . demo_start tag=3 len=32
1 1125 200 . kernel_stack caller=vfs_write+8,ksys_read+16
0 1130 100 . kernel_stack caller=vfs_read+8,ksys_read+16
# Shorter: another stack, though it begins alike.
0 1140 100 . demo_start tag=4 len=7
0 1150 100 . kernel_stack caller=ksys_read+16,-1,-1
# Of no record: one stack after another, of another task, after a loss.
0 1160 100 . kernel_stack caller=kfree
0 1170 100 . demo_start tag=5 len=5000
0 1180 300 . kernel_stack caller=0x7fffffff,schedule
0 1190 100 . demo_start tag=6 len=6000
lost 0 3
0 1200 100 . kernel_stack caller=0x1234,schedule
# A stack without addresses.
0 1250 100 . demo_start tag=7 len=100
0 1260 100 . kernel_stack
# That of user space alone, after which one of the kernel is of no record; and below one of the kernel.
0 1270 100 . demo_start tag=8 len=200
0 1280 100 . user_stack tgid=100 caller=0x400000
0 1290 100 . kernel_stack caller=kfree
0 1300 100 . demo_start tag=9 len=200
0 1310 100 . kernel_stack caller=vfs_read+8,ksys_read+16
0 1320 100 . user_stack tgid=100 caller=0x400000,0x500000
BUFFER other
0 1300 100 . demo_start tag=10 len=400
0 1310 100 . kernel_stack caller=kfree
END

columns() {
	sql_rows 'the stack of each record' 'SELECT tag, stack(stack) FROM demo_start ORDER BY tag' <<-'END'
		1,ksys_read;vfs_read
		2,ksys_read;vfs_write
		3,ksys_read;vfs_read
		4,ksys_read
		5,
		6,
		7,
		8,0x400000
		9,0x500000;0x400000;ksys_read;vfs_read
		10,kfree
	END
	sql_rows 'equal stacks have one number' 'SELECT group_concat(tag) FROM (SELECT tag, stack FROM demo_start
		WHERE stack ORDER BY tag) GROUP BY stack HAVING count(*) > 1' <<< '"1,3"'
	sql_rows 'a record that is a stack has its own' "SELECT ts, stack(stack) FROM ftrace_event
		WHERE name LIKE '%stack' AND ts BETWEEN 1160 AND 1300" <<-'END'
		1160,kfree
		1180,schedule;[FTRACE TRAMPOLINE]
		1200,schedule;0x1234
		1260,
		1280,0x400000
		1290,kfree
	END
	sql_rows 'records in reverse order have the same' 'SELECT count(*) FROM (SELECT ts, stack FROM ftrace_event
		ORDER BY ts DESC) a JOIN (SELECT ts, stack, max(stack) FROM ftrace_event GROUP BY ts) b USING (ts)
		WHERE a.stack <> b.stack AND ts < 1300' <<< 0
	sql_rows 'buffers, files and hosts' 'SELECT DISTINCT buffer, file, host FROM ftrace_event' <<-'END'
		,trace.dat,synthetic
		other,trace.dat,synthetic
	END
	sql_rows 'they are hidden' 'SELECT * FROM demo_start LIMIT 1' <<< '1100,0,0,100,<...>,1,10'
}

functions() {
	sql_rows 'stack_json(): the innermost first' "SELECT j.key, j.value ->> 'name', j.value ->> 'offset',
		length(j.value ->> 'address') FROM demo_start d, json_each(stack_json(stack)) j WHERE tag = 9" <<-'END'
		0,vfs_read,8,18
		1,ksys_read,16,18
		2,,,8
		3,,,8
	END
	sql_rows 'no stack' "SELECT stack(NULL), stack(0), stack(-1), stack(1000), stack('x'), stack_json(NULL),
		stack_json(99)" <<< ,,,,,,
	sql_rows 'the functions do not need the column' 'SELECT stack(1)' <<< 'ksys_read;vfs_read'
}

# An event that prints an array as its stack, as synthetic events do: addresses up to a 0.
own_field() {
	python3 "$ORACLE/mkodd.py" odd.dat
	LC_ALL=C sed 's/__get_str(far), __get_rel_str(near)/__get_stacktrace(longs), REC->fixed/' odd.dat > field.dat
	same 'the stack in a field' ',0x1,0x2;0x2,0x3;0x3;0x3,,0x5' "$("$FTR" sql --csv --no-header -i field.dat \
		'SELECT stack(stack) FROM bytes LIMIT 6' 2> err | paste -sd,)"
}

# One pass more, and only if the column is named.
passes() {
	python3 "$ORACLE/mkdat.py" long.dat --records 2000 --cpus 2
	printf '%s\n' .stats 'SELECT count(tid) FROM ftrace_event;' .stats \
		'SELECT count(stack) FROM ftrace_event;' .stats 'SELECT count(stack) FROM ftrace_event;' .stats |
		"$FTR" sql -i long.dat --no-header | sed -n 's/ records.*//p' > got
	same 'records that are read' '0 4000 8000 4000' "$(xargs < got)"
}

columns
functions
own_field
passes
finish
