#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sql: the fields of records that a real kernel wrote are those in the record's bytes and those that trace-cmd
# report -R prints, in 200 random records of each event, but for the reasons of tests/oracle/sql_fields.py.
. "$(dirname "$0")/../lib.sh"
SYSTEMS='sched syscalls irq timer block workqueue signal kmem'
SEEN=0

one_kernel() {
	guest_checks 300 sql.sh
	[ -e "$OUTDIR/sql.dat" ] || return
	"$ORACLE/sql_fields.py" --name "$V: fields" --seed "$FTR_SEED" --systems "$SYSTEMS" --counts "$TMP/counts" \
		"$OUTDIR/sql.dat" 2> "$TMP/err" || FAILED=1
	! grep -q Traceback "$TMP/err" || fail "$V: the comparison" "$(cat "$TMP/err")"
	SEEN=$((SEEN + 1))
}

if ! command -v trace-cmd > /dev/null; then
	skip "fields in SQL are those of trace-cmd" "no trace-cmd"
	finish
fi
for_a_kernel one_kernel
if [ "$SEEN" = 3 ]; then
	"$ORACLE/sql_fields.py" --needed "$TMP/counts" || FAILED=1
fi
finish
