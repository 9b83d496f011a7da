#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# CPUs that come and go while ftr records, and buffers that overrun: numbered markers tell what is there, the kernel's
# counters what is not. Four CPUs, the last of which is offline at first.
. "$(dirname "$0")/../lib.sh"

# with_gaps FILE: the markers "TAG N" of a file by trace-cmd's report, checked to be 1 to N: "TAG N", or "TAG GAP ...".
with_gaps() {
	trace-cmd report -i "$1" 2> /dev/null | sed -nE 's/.*print: .* (w[0-9]+) ([0-9]+)$/\1 \2/p' | awk '
		{ if ($2 != last[$1] + 1) gap[$1] = gap[$1] " GAP before " $2; last[$1] = $2 }
		END { for (t in last) print t, last[t] gap[t] }' | sort
}

# cpus_of FILE TAG: the CPUs that wrote them
cpus_of() {
	trace-cmd report -i "$1" 2> /dev/null | grep -E "print: .* $2 [0-9]+$" | sed -E 's/.*\[0*([0-9]+)\].*/\1/' |
		sort -un | xargs
}

hotplug_file() {
	local f=$OUTDIR/$1.dat
	same_files "$V: $2: every marker is there" "$OUTDIR/$1.wrote" <(with_gaps "$f")
	same "$V: $2: nothing is lost" 0 "$(python3 "$ORACLE/rawdecode.py" "$f" | total lost)"
	has "$V: $2: CPUs of the last writer" " $(cpus_of "$f" "$3") " "$4"
}

hotplug() {
	guest_checks 600 hotplug.sh --smp 4 --append maxcpus=3
	[ -e "$OUTDIR/comes.dat" ] || return
	hotplug_file comes 'CPU 1 goes and comes' w1 ' 1 '
	hotplug_file late 'CPU 3 comes' w3 ' 3 '
}

for_a_kernel hotplug
finish
