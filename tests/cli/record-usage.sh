#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record: what is refused before tracefs is looked at, each with its status and words.

. "$(dirname "$0")/../lib.sh"

# No tracefs here: whatever gets past the checks of usage fails for that reason, with 125.
export FTR_TRACEFS=$TMP/none
cd "$TMP" || exit 1

record_refuses() {
	ftr_refuses "$1" "$2" "$3" record "${@:4}"
}

record_refuses 'nothing to record' 2 'nothing to record' -- true
record_refuses 'a filter before any event' 2 "'-f' needs an event" -f 'a == 1' -e sched -- true
record_refuses 'a trigger before any event' 2 "'-R' needs an event" -R stacktrace -e sched -- true
record_refuses 'a filter after a negated event' 2 "'-f' cannot follow the disabled event 'irq'" \
	-e sched -v -e irq -f 'a == 1' -- true
record_refuses 'a filter between -v and -e' 2 "'-f' needs an event" -e sched -v -f 'a == 1' -e irq -- true
record_refuses '-v without event' 2 '-v negates the -e after it' -e sched -v -- true
record_refuses '-v before -B' 2 "-v before -B 'x'" -e sched -v -B x -e irq -- true
record_refuses '-v, -e, -B' 125 '' -e sched -v -e irq -e timer -B x -e irq -- true
record_refuses 'a trigger of a negated event' 125 '' -e sched -v -e irq -R traceoff -- true
record_refuses '-M -1' 125 '' -M -1 -e sched -- true
record_refuses 'a regular expression' 2 'a pattern is a glob, not a regular expression' -p function -l '^vfs_' -- true
record_refuses 'a regular expression, its end' 2 'a pattern is a glob' -p function -n '_read$' -- true
record_refuses 'only negated events' 2 'nothing to record' -v -e sched -- true
record_refuses 'only negated events: hint' 2 '^hint: -v disables the events of each -e after it' \
	-v -e sched -e irq -- true
record_refuses '-F without a command' 2 '-F traces only the command' -F -e sched
record_refuses '-c without -F or -P' 2 '-c follows children' -c -e sched -- true
record_refuses '--proc-map without a process' 2 '--proc-map is for the processes' --proc-map -e sched
record_refuses '--user without a command' 2 'runs the command' --user nobody -e sched
record_refuses '-l without tracer' 2 "function filter 'vfs_\*' needs a tracer" -l 'vfs_*' -e sched -- true
record_refuses '-l with tracer nop' 2 "needs a tracer" -p nop -l 'vfs_*' -- true
record_refuses '-l for an instance without tracer' 2 'needs a tracer for x' -p function -B x -l 'vfs_*' -- true
record_refuses '-g without function_graph' 2 '-g acts on the function_graph tracer' -p function -g x -- true
record_refuses '--max-graph-depth without function_graph' 2 '--max-graph-depth acts' \
	--max-graph-depth 3 -e sched -- true
record_refuses '--module without -l: all its functions' 2 "function filter '\*' needs a tracer" --module nfs \
	-e sched -- true
record_refuses '--module without -l, with a tracer' 125 "$TMP/none" -p function --module nfs -- true
record_refuses '--compression any' 125 "$TMP/none" --compression any -e sched -- true
record_refuses '--compression any is the default, also with -m' 125 "$TMP/none" --compression any -m 1M -e sched -- true
record_refuses 'modules by a glob' 125 "$TMP/none" -p function -l x --module 'n*,[a-c]?' -- true
record_refuses 'a module with a colon' 2 "--module takes names of modules, or globs, not 'n:m'" \
	-p function -l x --module 'n:m' -- true
record_refuses 'an instance twice' 2 "instance 'a' is given twice" -B a -e sched -B b -B a -- true
for name in ../x a/b . '' .hidden; do
	record_refuses "instance '$name'" 2 '-B takes the name of an instance' -B "$name" -e sched -- true
done
for size in 0 x 4X -1 '' 99999999999999999999; do
	record_refuses "-b '$size'" 2 "-b takes a size" -b "$size" -e sched -- true
done
for mask in 0 0x0 g 0,0 '' 1-3; do
	record_refuses "-M '$mask'" 2 'mask' -M "$mask" -e sched -- true
done
for list in '' x 1- 2-1 0,x 1,,2 9999 0x3; do
	record_refuses "--cpu '$list'" 2 '--cpu takes a list of CPUs' --cpu "$list" -e sched -- true
done
record_refuses "--cpu 8191" 2 'this machine has no CPU 8191' --cpu 0,8191 -e sched -- true
for pid in x 1,x '' -1 1x 99999999999; do
	record_refuses "-P '$pid'" 2 '-P takes process ids' -P "$pid" -e sched -- true
done
for time in 0 x 5x '' -1; do
	record_refuses "--duration '$time'" 2 '--duration takes a time' --duration "$time" -e sched -- true
done
for how in zst zstd:0 zstd:23 zlib:10 lz4 zstd: none:1 ''; do
	record_refuses "--compression '$how'" 2 "--compression takes none, zstd, zlib, zstd:LEVEL" \
		--compression "$how" -e sched -- true
done
record_refuses '--compression with -m' 2 '-m drops data that --compression has already compressed' -m 1M \
	--compression zstd -e sched -- true
record_refuses '--compression with -m: hint' 2 \
	'^hint: --rotate 10 --max-size 100M --compression zstd drops whole files$' \
	-m 1M --compression zstd -e sched -- true
record_refuses '--compression with -o -' 2 'sends the recorded data as it is' --compression zstd -o - -e sched -- true
record_refuses '--file-version 8' 2 '--file-version takes 6 or 7' --file-version 8 -e sched -- true
record_refuses '--file-version 6, compressed' 2 'version 6 cannot be compressed, so --compression does not work' \
	--file-version 6 --compression zstd \
	-e sched -- true
record_refuses '--file-version 6 with -o -' 2 'sends version 7 only' --file-version 6 -o - -e sched -- true
record_refuses '-r 100' 2 '-r takes a real-time priority' -r 100 -e sched -- true
record_refuses '-s x' 2 '-s takes microseconds' -s x -e sched -- true
record_refuses '--cmdlines-size 0' 2 '--cmdlines-size takes' --cmdlines-size 0 -e sched -- true
for size in 0 x 4X -1 '' 99999999999999999999; do
	record_refuses "--flight '$size'" 2 "--flight takes a size a CPU" --flight "$size" -e sched -- true
	record_refuses "--max-size '$size'" 2 "--max-size takes a size" --max-size "$size" -e sched -- true
	record_refuses "--max-rate '$size'" 2 "--max-rate takes a size a second" --max-rate "$size" -e sched -- true
done
record_refuses '--flight and -b' 2 'both give' --flight 4M -b 4M -e sched -- true
record_refuses '--flight and --max-size' 2 '--max-size bounds the written data' --flight 4M --max-size 4M \
	-e sched -- true
record_refuses '--flight without overwriting' 2 '-O nooverwrite forbids' --flight 4M -e sched -B x -O nooverwrite \
	-e irq -- true
for stop in '' ' ' 'sched if' 'sched if ' 'sched x == 1' 'sched iff x' ' if x' 'sched ifx == 1'; do
	record_refuses "--stop-on '$stop'" 2 '--stop-on takes an event and a filter' --stop-on "$stop" -e sched -- true
done
record_refuses '--stop-on: how it is written' 2 "hint: --stop-on 'sched:sched_switch if prev_pid == 5'" \
	--stop-on 'sched if' -e sched -- true
for func in '' 'a b' 'a:b' '!a'; do
	record_refuses "--stop-on-func '$func'" 2 '--stop-on-func takes a function' --stop-on-func "$func" \
		-e sched -- true
done
record_refuses '--dry-run with -F' 2 '--dry-run does not start' --dry-run -F -e sched -- true
record_refuses '--dry-run with -k' 2 '--dry-run leaves nothing' --dry-run -k -e sched -- true
record_refuses 'an unknown option' 2 "did you mean '--module'" --modulle x -e sched -- true

record_refuses 'a command that is not there' 127 "ftr-no-such" -e sched -- ftr-no-such
: > plain
record_refuses 'a command that is not executable' 126 'plain' -e sched -- ./plain
record_refuses 'a folder as output' 125 "is a directory" -e sched -o "$TMP" -- true
record_refuses 'a device as output' 125 'not a regular file' -e sched -o /dev/zero -- true
record_refuses 'a folder that is not there' 125 "cannot create 'no/x.dat'" -e sched -o no/x.dat -- true
for time in '' yesterday 12 25:00 12:00:61x +; do
	record_refuses "--at '$time'" 2 '--at takes a time' --at "$time" -e sched -- true
done
record_refuses '--at of the past' 2 '--at 2020-01-01 is over: it was [0-9.e+]+ s ago' --at 2020-01-01 -e sched -- true
record_refuses 'no tracefs, with a command' 125 'none' -e sched -- true
record_refuses 'no tracefs, without' 1 'none' -e sched --duration 1ms
record_refuses 'no tracefs, --dry-run' 1 'none' --dry-run -e sched -- true
record_refuses 'no tracefs, what would be done' 125 'none' --flight 4M --stop-on 'sched:sched_switch if prev_pid == 5' \
	--stop-on-func 'vfs_*' --max-rate 5M --strict -e sched -- true
same 'nothing is left behind' plain "$(ls)"

finish
