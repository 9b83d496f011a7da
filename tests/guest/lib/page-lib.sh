# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of Documentation that are what commands print in a guest. Sourced after tests/lib.sh.

# page_part NAME [OPTION...]: runs tests/guest/lib/NAME.txt in kernel $K, with options of utils/guest, to its end or to
# a line that begins with @; inside/page-session.sh says what that leaves in $OUTDIR
page_part() {
	local name=$1
	shift
	guest --own "$@" -- bash "$FTR_TOP/tests/guest/inside/page-session.sh" "$name"
}

# page_elsewhere NAME: the part that is for another machine
page_elsewhere() {
	OUT=$OUTDIR bash "$FTR_TOP/tests/guest/inside/page-session.sh" "$1"
}

# page_check NAME: what its parts noted
page_check() {
	local name=$1 text=$FTR_TOP/tests/guest/lib/$1.txt statuses=$OUTDIR/$1.statuses what
	same "$V: $name: the session ran to its end" end "$(tail -n 1 "$statuses")"
	same "$V: $name: every command ended well" '' "$(grep -Ev '^(0 |left |lacks |end$)' "$statuses")"
	same "$V: $name: as many as there are" "$(grep -c '^[$~%] ' "$text")" "$(grep -c '^0 \|^left ' "$statuses")"
	while read -r what; do
		skip "$V: $name: $what" "the kernel lacks it"
	done < <(sed -n 's/^lacks //p' "$statuses")
	[ "$FAILED" = 0 ] || sed 's/^/# /' "$OUTDIR/$name".{md,7} 2> /dev/null
}

# page_session NAME [OPTION...]: of one part
page_session() {
	page_part "$@"
	page_check "$1"
}

# What varies from run to run: the boot's id, numbers, addresses, and how far a column is padded.
page_masked() {
	sed -E 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/N/g; s/[0-9]+([.,][0-9]+)+/N/g; s/0x[0-9a-f]+/N/g
		s/[0-9a-f]{16}/N/g; s/[0-9]+/N/g; s/[[:blank:]]+/ /g; s/^ //' "$1"
}

# The same of a page in roff, without the output of commands that says of itself that it varies. A kworker has letters
# in its number; short calls are marked by how long they took; any call may have been preempted, one that waits has a
# reason; a switch may be due at any moment, which the second of the flags of a line says.
page_masked_roff() {
	sed -E '/^\.\\" varies$/,/^\.\\" end$/d; s/\\-/-/g; s/kworker\/[0-9a-zA-Z:]+/kworker/g
		s/(\[[0-9]+\] .)[NnpBbLl]([^ ]{3} )/\1.\2/
		s/ [-+!#*@$] ([0-9.]+ us)/ \1/; /call_sync/!s| /\* off CPU [^*]*\*/||' "$1" | page_masked /dev/stdin
}

# page_compare DOCUMENT MADE [MASK]: it is what was made, of which MASK (page_masked) leaves what does not vary;
# FTR_WRITE=1 writes it
page_compare() {
	local doc=$FTR_TOP/Documentation/$1 mask=${3:-page_masked}
	[ "${FTR_WRITE:-}" != 1 ] || cp "$2" "$doc"
	$mask "$doc" > "$OUTDIR/want"
	$mask "$2" > "$OUTDIR/got"
	same_files "$V: Documentation/$1 is what it prints" "$OUTDIR/want" "$OUTDIR/got"
}
