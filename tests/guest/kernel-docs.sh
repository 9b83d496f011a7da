#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# The commands of Documentation/made/kernel-docs.md do what the document says, in the kernel whose pages it goes
# through. The real-time flavour of that kernel takes the rows that need what the other was built without.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 1800 kernel-docs.sh
}

case " $FTR_KERNELS " in
*" 6.12 "*) FTR_KERNELS='6.12 6.12-rt' for_kernels one_kernel ;;
*) skip 'the examples of the kernel'\''s documentation' "they are 6.12's, not of $FTR_KERNELS" ;;
esac
finish
