#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a recording has beside the data: address maps, build-ids, modules, BTF, the time of day; and children that are
# followed.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	FTR_WHOLE_PARTS=$(echo $(sample 2 maps user_stacks btf modules wall children others))
	export FTR_WHOLE_PARTS
	echo "# $K: seed $FTR_SEED, parts:" $FTR_WHOLE_PARTS
	guest_checks 900 whole-checks.sh
}

for_a_kernel one_kernel
finish
