# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of ftr browse beside the commands that have the same words. Sourced behind lib.sh.

COMPARED=0

# same_rows NAME [ARGUMENT...]: of same-rows.py, whose result lines these are; its rows count as compared
same_rows() {
	local name=$1 said
	shift
	said=$("$FTR_TOP/tests/tui/same-rows.py" --seed "$FTR_SEED" --name "$name" "$@" 2>&1) || FAILED=1
	printf '%s\n' "$said"
	grep -q '^ok\|^not ok' <<< "$said" || fail "$name: rows are compared" "$said"
	COMPARED=$((COMPARED + $(awk '/^# .* rows$/ { n += $(NF - 1) } END { print n + 0 }' <<< "$said")))
}

# rows_were_compared N: that many at least
rows_were_compared() {
	[ $COMPARED -ge "$1" ] && pass "$COMPARED rows were compared" || fail "$1 rows were compared" "$COMPARED"
}
