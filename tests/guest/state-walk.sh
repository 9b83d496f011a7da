#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each verb followed by ftr reset leaves all that can be read in tracefs as it was: alone, and beside ten set-ups of
# another user. A sample of both; FTR_LONG=1 takes all of them, each set-up in a guest of its own, and alone a kernel
# with real-time tracers. FTR_SETUPS and FTR_VERBS (how many) choose otherwise.
. "$(dirname "$0")/../lib.sh"

ALL="alone kprobe hist instance graph idle probes trace_cmd pids data later"
export FTR_SETUPS

setups() {
	case $K in
	*-rt) echo alone ;;
	*) sample 2 ${CHOSEN:-$ALL} ;;
	esac
}

one_kernel() {
	local setups
	setups=$(echo $(setups))
	echo "# $V: seed $FTR_SEED: $setups"
	if [ "${FTR_LONG:-}" = 1 ]; then
		for FTR_SETUPS in $setups; do guest_checks 3600 state-walk.sh --own; done
	else
		FTR_SETUPS=${CHOSEN:-$setups}
		guest_checks 1800 state-walk.sh --own
	fi
}

CHOSEN=$FTR_SETUPS
[ "${FTR_LONG:-}" != 1 ] || FTR_KERNELS="$FTR_KERNELS 6.12-rt"
for_a_kernel one_kernel
finish
