#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside a guest, started by tests/bench/files: the three recordings that are measured.
cd "$OUT" || exit 1

# Processes that come and go and many small files, about what a build does.
load() {
	ls -lR /usr/share/doc/[a-f]* | sort | head -n 3000 | wc -l
	find /usr/share/doc/[a-c]* -type f | head -n 300 | xargs cat | gzip -1 | wc -c
	for _ in $(seq 30); do sh -c 'cat /proc/self/maps | wc -l'; done
}
export -f load

# With all functions traced a process or two are a million records, and a guest is slow.
small_load() {
	ls /usr/share/doc | tail -n 1
	cat /proc/self/maps | wc -l
}
export -f small_load

# record NAME LOAD OPTION...
record() {
	local name=$1 load=$2
	shift 2
	[ ! -e "$name.dat" ] || return
	"$FTR" record "$@" -b 64M -o "$name.tmp" -- bash -c "$load" > "$name.out" 2> "$name.err" &&
		mv "$name.tmp" "$name.dat"
}

record mix load -e sched -e syscalls -e irq -e kmem
record function small_load -p function
record function_graph small_load -p function_graph
