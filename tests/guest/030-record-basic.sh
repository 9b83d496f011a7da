#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record on each kernel: what lands in the file, statuses, words, and tracefs as it was. One boot a kernel.

. "$(dirname "$0")/../lib.sh"

record_basic() {
	FTR_RECORD_PARTS=$(echo grown \
		$(sample 6 graph_of_ls statuses misspelt tasks events settings ends two_at_once dirty \
		instances module_filters module_events modules closing arguments))
	export FTR_RECORD_PARTS
	echo "# $K: seed $FTR_SEED, parts:" $FTR_RECORD_PARTS
	guest_checks 800 record-basic.sh
}

for_a_kernel record_basic
finish
