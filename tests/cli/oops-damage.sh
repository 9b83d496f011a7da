#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops show of what consoles had of real crashes: the truth with each prefix, and nothing else than the truth of the
# same logs cut, swapped, thinned. Some of the logs by the seed, all under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
CONSOLES=$FTR_TOP/tests/cases/oops/consoles

damage() {
	local log
	cp "$CONSOLES"/*.log .
	for log in $(sample 6 $(grep -v '^#' "$CONSOLES/truth.txt" | cut -d'|' -f1)); do
		grep "^$log|" "$CONSOLES/truth.txt"
	done > truth.txt
	same "there are logs" 1 "$(($(wc -l < truth.txt) > 5))"
	if [ "${FTR_LONG:-}" = 1 ]; then set -- all 200; else set -- 2 8; fi
	"$FTR_TOP/tests/tools/oops_mutants.py" truth.txt "$@" "$FTR_SEED" || FAILED=1
}

damage
finish
