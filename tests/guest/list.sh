#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr list in guests: each list against the kernel's own files as awk reads them, and the state of tracefs unchanged.

. "$(dirname "$0")/../lib.sh"

lists() {
	guest_checks 900 list.sh
	check "$V: prototypes are those of another decoder" python3 "$ORACLE/btfdecl.py" "$OUTDIR/btf" \
		"$OUTDIR/proto.json"
	echo "# $V: prototypes: $(python3 "$ORACLE/btfdecl.py" "$OUTDIR/btf" "$OUTDIR/proto.json" |
		tail -n 3 | tr '\n' ' ')"
}

for_a_kernel lists
finish
