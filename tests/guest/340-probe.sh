#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr probe on each kernel: every kind shows the values that a program passed; list, del, carrying definitions over;
# what is refused; and tracefs as it was.
. "$(dirname "$0")/../lib.sh"

probes() {
	guest_checks 900 probe-checks.sh
}

for_a_kernel probes
finish
