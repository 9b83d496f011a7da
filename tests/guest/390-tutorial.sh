#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A new user's session on each kernel: every command works, and Documentation/tutorial.md is what it prints on 6.12.
# FTR_WRITE=1 writes that file.
. "$(dirname "$0")/../lib.sh"
DOC=$FTR_TOP/Documentation/tutorial.md

# What varies from run to run: numbers, addresses, and how far a column is padded.
masked() {
	sed -E 's/0x[0-9a-f]+/N/g; s/[0-9a-f]{16}/N/g; s/[0-9]+/N/g; s/[[:blank:]]+/ /g; s/^ //' "$1"
}

one_kernel() {
	guest --timeout 600 -- bash "$FTR_TOP/tests/guest/checks/tutorial-session.sh" > "$OUTDIR/tutorial.md"
	same "$V: the session ran to its end" end "$(tail -n 1 "$OUTDIR/statuses")"
	same "$V: every command ended well" '' "$(grep -v '^0 ' "$OUTDIR/statuses" | grep -v '^end$')"
	same "$V: as many as there are" "$(grep -c '^\$ ' "$FTR_TOP/tests/guest/lib/tutorial.txt")" "$(grep -c '^0 ' "$OUTDIR/statuses")"
	[ "$FAILED" = 0 ] || sed 's/^/# /' "$OUTDIR/tutorial.md"
	[ "$K" = 6.12 ] || return
	[ "${FTR_WRITE:-}" != 1 ] || cp "$OUTDIR/tutorial.md" "$DOC"
	# which functions and tasks the guest is busy with differs once in a while
	[ "${FTR_LONG:-}" = 1 ] || return
	masked "$DOC" > "$OUTDIR/want"
	masked "$OUTDIR/tutorial.md" > "$OUTDIR/got"
	same_files "$V: Documentation/tutorial.md is what it prints" "$OUTDIR/want" "$OUTDIR/got"
}

for_a_kernel one_kernel
finish
