#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr stat and show: what is refused, and what a folder of plain files in place of tracefs shows.

. "$(dirname "$0")/../lib.sh"

export FTR_TRACEFS=$TMP/none
cd "$TMP" || exit 1

ftr_refuses 'stat: no tracefs' 1 'cannot use tracefs|not mounted' stat
ftr_refuses 'stat: a word' 2 "unexpected word 'x'" stat x
ftr_refuses 'stat: an unknown option' 2 "did you mean '--json'" stat --jsn
ftr_refuses 'show: two things at a time' 2 'only one of -p, -s' show -p -s
ftr_refuses 'show: -p and a file' 2 'only one of -p, -s' show -p trace
ftr_refuses 'show: -c x' 2 '-c takes the number of a CPU' show -c x

ftr_refuses 'extract: a word' 2 "unexpected word 'x'" extract x
ftr_refuses 'extract: no tracefs' 1 'cannot use tracefs|not mounted' extract
check 'extract: no file is left' test ! -e trace.dat

ftr_refuses 'stream: nothing to record' 2 'nothing to record' stream
ftr_refuses 'stream: -C tsc2nsec, no tracefs' 1 'cannot use tracefs|not mounted' stream -C tsc2nsec -e sched
ftr_refuses 'stream: --duration x' 2 '--duration takes a time' stream --duration x -e sched
ftr_refuses 'stream: --text alone' 2 '--text works with --json only' stream --text -e sched
ftr_refuses 'stream: --json --raw' 2 '--json prints records' stream --json --raw -e sched
ftr_refuses 'stream: --json, no tracefs' 1 'cannot use tracefs|not mounted' stream --json --json-safe --text -e sched
ftr_refuses 'stream: no tracefs' 1 'cannot use tracefs|not mounted' stream -e sched
ftr_refuses 'stream: no tracefs, with a command' 125 'cannot use tracefs|not mounted' stream -e sched -- true

# A tracefs of plain files.
T=$TMP/t
mkdir -p "$T/events/sched/sched_switch" "$T/instances/net" "$T/per_cpu/cpu1"
export FTR_TRACEFS=$T
echo nop > "$T/current_tracer"
printf 'a b\nc\n' > "$T/trace"
echo one > "$T/per_cpu/cpu1/trace"
echo 'name: sched_switch' > "$T/events/sched/sched_switch/format"
echo function > "$T/instances/net/current_tracer"
touch "$T/trace_pipe" "$T/free_buffer" "$T/per_cpu/cpu1/trace_pipe_raw"

same 'show prints trace' $'a b\nc' "$("$FTR" show)"
same 'show -c 1' one "$("$FTR" show -c 1)"
same 'show a file' nop "$("$FTR" show current_tracer)"
same 'show a file by trace-cmd option' nop "$("$FTR" show --current_tracer)"
same 'show -B' function "$("$FTR" show -B net current_tracer)"
same 'show --path' "$T/instances/net/current_tracer" "$("$FTR" show --path -B net current_tracer)"
same 'show a folder' $'format' "$("$FTR" show events/sched/sched_switch)"
same 'show several' $'==> current_tracer <==\nnop\n\n==> trace <==\na b\nc' "$("$FTR" show current_tracer trace)"
ftr_refuses 'show: an unknown file' 1 "did you mean 'current_tracer'" show curent_tracer
ftr_refuses 'show: an unknown event' 1 "did you mean 'events/sched/sched_switch/'" show events/sched/sched_swich/format
ftr_refuses 'show: an unknown instance' 1 "did you mean 'net'" show -B nett trace
ftr_refuses 'show: out of tracefs' 2 'is not a control file' show ../passwd
ftr_refuses 'show: an absolute path' 2 'is not a control file' show /etc/passwd
ftr_refuses 'show: trace_pipe by name' 1 'reading it removes the data' show trace_pipe
ftr_refuses 'show: trace_pipe_raw' 1 'reading it removes the data' show -c 1 trace_pipe_raw
ftr_refuses 'show: free_buffer, even with --consume' 1 'opening it has side effects' show --consume free_buffer

ftr_refuses 'stat: an unknown instance' 1 "did you mean 'net'" stat -B nett
has 'stat -B tells what differs' "$("$FTR" stat -B net)" '^current_tracer +function$'
if command -v jq > /dev/null; then
	same 'stat --json' '["function"]' "$("$FTR" stat --json -B net | jq -c '.buffers[0].differs.current_tracer')"
else
	check 'stat --json is JSON' python3 -c 'import json,sys; json.load(sys.stdin)' < <("$FTR" stat --json -B net)
fi
finish
