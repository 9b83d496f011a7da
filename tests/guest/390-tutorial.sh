#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A new user's session on each kernel: every command works, and Documentation/tutorial.md is what it prints on 6.12.
# FTR_WRITE=1 writes that file.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/guest/lib/page-lib.sh"

one_kernel() {
	page_session tutorial --timeout 600
	# which functions and tasks the guest is busy with differs once in a while
	[ "$K" != 6.12 ] || [ "${FTR_LONG:-}${FTR_WRITE:-}" = '' ] || page_compare tutorial.md "$OUTDIR/tutorial.md"
}

for_a_kernel one_kernel
finish
