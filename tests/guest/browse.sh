#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of ftr browse are the lines of the commands that have the same words, at random times of what real kernels record
# and of made files.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/same-rows.sh"
cd "$TMP" || exit 1

one_kernel() {
	guest_checks 300 browse.sh
	has "$V: calls, switches, interrupts, system calls are in it" \
		"$("$FTR" report -q "$OUTDIR/browse.dat" |
			grep -oE ': (funcgraph_entry|sched_switch|irq_handler_entry|sys_enter_read): ' | sort -u |
			tr -d ' \n')" \
		'^:funcgraph_entry::irq_handler_entry::sched_switch::sys_enter_read:$'
	same_rows "$V" "$OUTDIR/browse.dat"
	same_zooms "$V" "$OUTDIR/browse.dat"
}

made_files() {
	local name what
	while read -r name what; do
		"$ORACLE/mkdat.py" --seed "$FTR_SEED" "$TMP/$name.dat" $what || { fail "$name: made"; continue; }
		same_rows "$name" "$TMP/$name.dat"
	done <<-'EOS'
	made-6 --records 3000 --lost 0.1
	made-7 --version 7 --compress zstd --records 3000 --cpus 4
	made-be --endian be --long 4 --version 7 --instances a,b --discards 0.1
	EOS
}

echo "# seed $FTR_SEED"
for_a_kernel one_kernel
made_files
rows_were_compared 2000
finish
