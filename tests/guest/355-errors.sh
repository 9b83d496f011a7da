#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel refuses is shown in its words, with the caret where it belongs: the cases of error-cases.txt.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 errors.sh
}

for_a_kernel one_kernel
finish
