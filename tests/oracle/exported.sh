# SPDX-License-Identifier: GPL-2.0-or-later
# Exports for Perfetto, looked at by its own trace processor. Sourced behind lib.sh.

# Why the trace processor is not there, or empty.
NO_PERFETTO=$("$ORACLE/perfetto.py" --check 2> /dev/null) && NO_PERFETTO=
[ -z "$NO_PERFETTO" ] || skip "what Perfetto's trace processor says" "$NO_PERFETTO"

# exported FILE [OPTION...]: FILE.pftrace is what ftr export makes of it; result lines of $NAME. A file that is noted as
# damaged is exported as far as it is sound. $WITNESS: options of perfetto-check.py.
exported() {
	local file=$1
	shift
	timeout 300 "$FTR" export -q --to perfetto "$@" -o "$file.pftrace" "$file" 2> "$TMP/export.err"
	if [ $? != 0 ] && ! grep -q '^ftr: damaged: ' "$TMP/export.err"; then
		fail "$NAME: ftr export" "$(cat "$TMP/export.err")"
		return
	fi
	"$ORACLE/perfetto-check.py" --name "$NAME" ${WITNESS-} ${NO_PERFETTO:+--walk-only} "$file" \
		"$file.pftrace" 2> "$TMP/check.err" || FAILED=1
	! grep -q Traceback "$TMP/check.err" || fail "$NAME: the witness" "$(cat "$TMP/check.err")"
}

# same_sql FILE: ftr sql has the rows of Perfetto, which reads FILE.pftrace. $COUNTS: the numbers of reasons are added.
same_sql() {
	[ -z "$NO_PERFETTO" ] || return
	"$ORACLE/perfetto-sql.py" --name "$NAME" ${COUNTS:+--counts "$COUNTS"} "$1" "$1.pftrace" > "$TMP/sql.lines" \
		2> "$TMP/sql.err" || FAILED=1
	grep -v '^# [A-Za-z ]*: [0-9]* rows: ' "$TMP/sql.lines"
	! grep -q Traceback "$TMP/sql.err" || fail "$NAME: the comparison" "$(cat "$TMP/sql.err")"
}
