# SPDX-License-Identifier: GPL-2.0-or-later
# Exports for Perfetto, looked at by its own trace processor. Sourced behind lib.sh.

# Why the trace processor is not there, or empty.
NO_PERFETTO=$("$ORACLE/perfetto.py" --check 2> /dev/null) && NO_PERFETTO=
[ -z "$NO_PERFETTO" ] || skip "what Perfetto's trace processor says" "$NO_PERFETTO"

# exported FILE [OPTION...]: FILE.pftrace is what ftr export makes of it; result lines of $NAME
exported() {
	local file=$1
	shift
	if ! timeout 300 "$FTR" export -q --to perfetto "$@" -o "$file.pftrace" "$file" 2> export.err; then
		fail "$NAME: ftr export" "$(cat export.err)"
		return
	fi
	"$ORACLE/perfetto-check.py" --name "$NAME" ${NO_PERFETTO:+--walk-only} "$file" "$file.pftrace" 2> check.err || FAILED=1
	[ ! -s check.err ] || ! grep -q Traceback check.err || fail "$NAME: the witness" "$(cat check.err)"
}
