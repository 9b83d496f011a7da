# SPDX-License-Identifier: GPL-2.0-or-later
# The text of a driver's events while it works with QEMU's devices is the kernel's own.
# Sourced by usb-text.sh and others.
. "$FTR_TOP/tests/lib.sh"
HERE=$FTR_TOP/tests/guest
# Of a disk that remembers nothing.
NULL_DISK="driver=null-co,size=16777216,read-zeroes=on"

# missing_words WORDS FILE: those of WORDS, parted by '|', that do not occur in it
missing_words() {
	local word
	tr '|' '\n' <<< "$1" | while IFS= read -r word; do
		grep -q -- "$word" "$2" || echo "$word"
	done
}

# device_text CASE DEVICES WORDS FUNCTION: CASE of kernel-text-record.sh with QEMU's DEVICES. WORDS must occur, or
# little is proved; no function whose name begins with FUNCTION may be unknown.
device_text() {
	local name=$1 words=$3 function=$4 seen=$TMP/found.$K
	guest --append no_hash_pointers --timeout 900 --qemu "$2" -- bash "$HERE/inside/kernel-text-record.sh" \
		"$FTR_BUILD/tests/guest/load/take" "$FTR_BUILD/tests/guest/load/agree_load" - "$name" > "$OUTDIR/log"
	if [ ! -s "$OUTDIR/$name.dat" ]; then
		fail "$V: a recording" "$(tail -n 20 "$OUTDIR/err" "$OUTDIR/log" "$OUTDIR"/*.err)"
		return
	fi
	missing_words "$words" "$OUTDIR/$name.trace" > "$OUTDIR/lacking"
	same "$V: all that should occur is in it" '' "$(< "$OUTDIR/lacking")"
	[ ! -s "$OUTDIR/lacking" ] || sed 's/^/# /' "$OUTDIR/$name.err" "$OUTDIR/$name.take"
	check "$V: the text is the kernel's" python3 "$FTR_TOP/tests/tools/kernel-text.py" \
		-c "$HERE/lib/kernel-text-classes.txt" -f "$seen" -n 4 "$OUTDIR/$name"
	check "$V: the listed events differ nowhere" \
		python3 "$FTR_TOP/tests/tools/kernel-text.py" -l "$HERE/lib/kernel-text-events.txt" "$K" "$seen"
	same "$V: no function is unknown" '' "$("$FTR" check-events "$OUTDIR/$name.dat" | grep -o "$function[^ ]*(")"
}
