# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a script of tests/guest one that runs in a guest whole: on the host it calls the guest with itself, and ends
# there; in the guest it goes on, with what checks share. Sourced first: inside.sh SECONDS [OPTION of utils/guest...]

run_inside() {
	guest_checks "${INSIDE[0]}" "$(realpath "$0")" "${INSIDE[@]:1}"
}

if [ -z "${GUEST_KERNEL:-}" ]; then
	. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
	INSIDE=("$@")
	for_a_kernel run_inside
	finish
fi
. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
