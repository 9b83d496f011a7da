#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# A machine crashes, and what led to it comes out of memory that the reboot keeps, and out of the log of the console:
# every command works, and Documentation/howto/oops.md is what they print on 6.12. FTR_WRITE=1 writes that file.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/guest/lib/page-lib.sh"

# With "quiet" the console is shown sysrq's own line only if it is written out while sysrq has raised the level for it,
# which a console that is busy is late for.
BY_SYSRQ='(sysrq: Trigger a crash|Kernel panic - not syncing: sysrq triggered crash)'

# What led to it is another thing each time: of ftr oops show head line and place are left.
# How much the buffer holds is, too.
masked() {
	page_masked "$1" | awk '
		/^```/ { on = 0 }
		!on || /^(oops|place):/
		/^\$ ftr oops show/ { on = 1 }' |
		sed -E "/the kernel's log has/d; s/\<[KM]iB\>/B/g; s/^oops: $BY_SYSRQ\$/oops: by sysrq/"
}

# shown PAGE HEAD
shown() {
	has "$V: $1: what happened" "$(cat "$OUTDIR/$1.md")" "^oops: +$2\$"
	has "$V: $1: in which task" "$(cat "$OUTDIR/$1.md")" '^task: +bash-[0-9]+'
	same "$V: $1: the last records of its CPU" 8 \
		"$(awk '/^CPU [0-9]+, at the end bash-/ { on = 1; next } !/\[[0-9]+\]/ { on = 0 } on' "$OUTDIR/$1.md" |
			wc -l)"
}

one_kernel() {
	local line
	line=$("$FTR" oops cmdline -1 --kernel "$V" --cpus 2 --memory 2G)
	page_session oops-buffer --timeout 400 --reboot --upper "$TMP/upper" --append "nokaslr $line"
	page_session oops-console --timeout 400 --reboot
	shown oops-buffer 'sysrq: Trigger a crash'
	shown oops-console "$BY_SYSRQ"
	cat "$OUTDIR/oops-buffer.md" "$OUTDIR/oops-console.md" > "$OUTDIR/oops.md"
	page_compare howto/oops.md "$OUTDIR/oops.md" masked
}

for_a_kernel one_kernel page
finish
