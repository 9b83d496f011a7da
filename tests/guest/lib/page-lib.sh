# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of Documentation that are what commands print in a guest. Sourced after tests/lib.sh.

# page_session NAME [OPTION...]: runs tests/guest/lib/NAME.txt in kernel $K, with options of utils/guest; $OUTDIR/NAME.md
page_session() {
	local name=$1
	shift
	guest "$@" -- bash "$FTR_TOP/tests/guest/checks/page-session.sh" "$name"
	same "$V: $name: the session ran to its end" end "$(tail -n 1 "$OUTDIR/$name.statuses")"
	same "$V: $name: every command ended well" '' "$(grep -v '^0 ' "$OUTDIR/$name.statuses" | grep -v '^end$')"
	same "$V: $name: as many as there are" "$(grep -c '^[$%] ' "$FTR_TOP/tests/guest/lib/$name.txt")" \
		"$(grep -c '^0 ' "$OUTDIR/$name.statuses")"
	[ "$FAILED" = 0 ] || sed 's/^/# /' "$OUTDIR/$name.md"
}

# What varies from run to run: the boot's id, numbers, addresses, and how far a column is padded.
page_masked() {
	sed -E 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/N/g; s/[0-9]+([.,][0-9]+)+/N/g; s/0x[0-9a-f]+/N/g; s/[0-9a-f]{16}/N/g; s/[0-9]+/N/g; s/[[:blank:]]+/ /g; s/^ //' "$1"
}

# page_compare DOCUMENT MADE [MASK]: it is what was made, of which MASK (page_masked) leaves what does not vary; FTR_WRITE=1 writes it
page_compare() {
	local doc=$FTR_TOP/Documentation/$1 mask=${3:-page_masked}
	[ "${FTR_WRITE:-}" != 1 ] || cp "$2" "$doc"
	$mask "$doc" > "$OUTDIR/want"
	$mask "$2" > "$OUTDIR/got"
	same_files "$V: Documentation/$1 is what it prints" "$OUTDIR/want" "$OUTDIR/got"
}
