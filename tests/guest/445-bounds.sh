#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bounded recordings: the file keeps the last data of each CPU (-m), has no more than so much (--max-size), numbered
# files follow each other (--rotate), also if ftr record is killed; what the recorder itself costs when nothing comes,
# and whether it records itself.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	FTR_BOUNDS_PARTS=$(echo $(sample 5 keep_disk keep_tmpfs max_size rotation rotation_killed own_writing idle))
	export FTR_BOUNDS_PARTS
	echo "# $K: parts:" $FTR_BOUNDS_PARTS
	guest_checks 900 bounds-checks.sh
}

for_a_kernel one_kernel
finish
