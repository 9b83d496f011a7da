#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --to perfetto of what real kernels record: Perfetto's trace processor finds the events, fields, slices of
# CPUs, calls of functions, markers and losses that a decoder of our own finds in the file, and has the rows of ftr sql.
. "$(dirname "$0")/../lib.sh"
. "$ORACLE/exported.sh"

one_kernel() {
	local what
	guest_checks 900 export-perfetto.sh
	for what in events graph functions probes markers marked-calls losses instances twice; do
		NAME="$V: $what"
		case $what in events|instances) WITNESS=--whole;; *) WITNESS=;; esac
		exported "$OUTDIR/$what.dat"
		same_sql "$OUTDIR/$what.dat"
	done
}

for_a_kernel one_kernel
finish
