#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# A new user's session on each kernel: every command of Documentation/man/ftr-tutorial.7 works, and that page is what
# they print on 6.12. FTR_WRITE=1 writes it.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/guest/lib/page-lib.sh"

one_kernel() {
	local line
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	# 6.1 is given other arguments, which keep nothing. A guest of its own crashes: after a long session QEMU takes
	# minutes to boot again, as clearing pages is very slow then.
	line=$("$FTR" oops cmdline -1 --kernel "$V" --cpus 2 --memory 2G)
	page_part tutorial --timeout 900 &&
		page_part tutorial --timeout 900 --reboot --upper "$TMP/upper.$K" --append "nokaslr $line" &&
		page_elsewhere tutorial
	page_check tutorial
	[ "$K" != 6.12 ] || page_compare man/ftr-tutorial.7 "$OUTDIR/tutorial.7" page_masked_roff
}

# The page is 6.12's; the kernel of the run has its session beside it.
others() {
	[ "$K" = 6.12 ] || one_kernel
}

for_a_kernel one_kernel page
for_a_kernel others
finish
