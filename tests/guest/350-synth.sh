#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr synth and ftr sqlhist: events that fire with what two others had, histograms, onmax and onchange; nothing stays.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 700 synth-checks.sh
}

for_a_kernel one_kernel
finish
