# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by kernel-docs.sh: kernel-docs.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
. "$FTR_TOP/tests/guest/lib/state-lib.sh"
K=$1
# ftr alone: beside it there may be other programs
mkdir "$TMP/.bin" && ln -s "$FTR" "$TMP/.bin/ftr"
PATH=$TMP/.bin:$PATH
export PATH

rows() {
	cd "$TMP" || exit 1
	python3 "$FTR_TOP/tests/guest/inside/kernel-docs.py" "$K" "$FTR_TOP/Documentation/made/kernel-docs.md" $1 ||
		FAILED=1
}

# What no row may leave behind, whatever it set up.
unchanged() {
	state_dump "$TMP/after"
	check "$K: tracefs is as it was" state_equal "$TMP/before" "$TMP/after"
}

every_row() {
	rows
}

only_missing() {
	rows --needing
}

state_dump "$TMP/before"
case $K in
*-rt) run_parts only_missing unchanged ;;
*) run_parts every_row unchanged ;;
esac
