#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the model makes of records: the cases of tests/cases/spans, whose results were worked out by hand.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

DUMP=$FTR_BUILD/tests/tools/span_dump
CASES=$FTR_TOP/tests/cases/spans

case_of() {
	python3 "$FTR_TOP/tests/tools/span_cases.py" "$@"
}

all() {
	local file
	for file in "$CASES"/*.txt; do
		check "$(basename "$file" .txt)" case_of "$DUMP" "$file"
	done
}

# The oracle, with which made and recorded files are compared, is held to the same cases. It has no -B, and does not
# follow a softirq of PREEMPT_RT whose task leaves without a switch.
oracle() {
	local name path
	printf '#!/bin/sh\nexec "%s" "%s/spans.py" "$@"\n' "$(command -v python3)" "$ORACLE" > oracle
	chmod +x oracle
	for path in "$CASES"/*.txt; do
		name=$(basename "$path" .txt)
		[[ $name != buffer-chosen && $name != softirq-rt-left ]] || continue
		grep -q '^=>' "$path" || continue
		grep -v '^[$|]' "$path" > case.txt
		check "$name: the oracle" case_of ./oracle case.txt
	done
}

# Each copy of the model, made at some record, goes on as the model did.
copies() {
	local name
	for name in "$@"; do
		check "$name: the same from 100 copies on" case_of --restore 100 "$DUMP" "$CASES/$name.txt"
	done
}

# A case that is wrong is found to be so.
wrong() {
	sed 's/dur=90/dur=91/' "$CASES/call-nests.txt" > wrong.txt
	has "another duration is told" "$(case_of "$DUMP" wrong.txt)" "^wanted: .* dur=91"
	grep -v '=> .* ksys_read' "$CASES/call-nests.txt" > wrong.txt
	has "a span too many is told" "$(case_of "$DUMP" wrong.txt)" "^got: .* ksys_read"
	case_of "$DUMP" wrong.txt > out
	same "its status" 1 $?
	sed 's/^|  *0.090 /| 0.091 /; s/^$? 1/$? 2/; /^$! hint/d' "$CASES/call-nests.txt" > wrong.txt
	case_of "$DUMP" wrong.txt > out
	same "its status for another output" 1 $?
	has "output that differs is told" "$(< out)" '^wanted: \| 0\.091 '
	has "and what came" "$(< out)" '^got: +\|  +0\.090 '
	has "a line on stderr that nobody wanted is told" "$(< out)" '^got: +\$! hint: '
	has "another status is told" "$(< out)" '^wanted: \$\? 2, got: 1$'
}

all
oracle
copies call-entry-ends-deeper call-interrupted call-open-at-end syscall-both-sources block-parts lock-twice \
	pair-key state-gap task-pid-again state-exec-in-thread marker-nests marker-async marker-loss
wrong
finish
