#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report --format=kernel of raw buffers is the kernel's own text of them, byte for byte but for the classes of
# kernel-text-classes.txt. FTR_LONG=1 takes all recordings of kernel-text-record.sh, else a few of them by chance.
. "$(dirname "$0")/../lib.sh"
HERE=$FTR_TOP/tests/guest
CLASSES=$HERE/lib/kernel-text-classes.txt
EVENTS=$HERE/lib/kernel-text-events.txt
COMPARE=$FTR_TOP/tests/tools/kernel-text.py
SEEN=0

# The names of all recordings, by kind; of each kind the everyday run takes one or two.
ALL=$(sed -n 's/^case_\([a-z_0-9]*\)() *{.*/\1/p' "$HERE/inside/kernel-text-record.sh")
of_kind() {
	grep -E "^($1)" <<< "$ALL"
}

recordings() {
	[ "${FTR_LONG:-}" != 1 ] || return 0
	# not those that take long
	{
		echo events
		sample 1 $(of_kind 'graph')
		sample 1 $(of_kind 'options|clock|overrun')
		sample 1 $(of_kind 'function|stacktrace|printk|few|probes|markers')
	} | grep -vxE '(graph|function)(_args)?_all|function|function_args_modules'
}

# taken NAME: as many records as the kernel says are in its buffers
taken() {
	local stats
	stats=$(awk '/^==>/ { in_stats = /stats/ } in_stats && $1 == "entries:" { n += $2 } END { print n }' \
		"$OUTDIR/$1.state")
	[ "$stats" = "$("$ORACLE/rawdecode.py" "$OUTDIR/$1.dat" | total records)" ] || echo "$1"
}

one_kernel() {
	local names wrong=
	"$HERE/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	# shellcheck disable=SC2046
	guest --append no_hash_pointers --timeout 1500 -- bash "$HERE/inside/kernel-text-record.sh" \
		"$FTR_BUILD/tests/guest/load/take" "$FTR_BUILD/tests/guest/load/agree_load" "$OUTDIR/ftrmod.ko" \
		$(recordings) > "$OUTDIR/log"
	if [ ! -e "$OUTDIR/done" ]; then
		fail "$V: recordings" "$(tail -n 20 "$OUTDIR/err" "$OUTDIR/log")"
		return
	fi
	names=$(cd "$OUTDIR" && ls -- *.dat | sed 's/\.dat$//')
	for name in $names; do
		wrong+=$(taken "$name")
	done
	same "$V: the records are those of the text ($(wc -w <<< "$names") recordings)" '' "$wrong"
	# shellcheck disable=SC2046
	check "$V: the text is the kernel's: $(echo $names)" \
		python3 "$COMPARE" -c "$CLASSES" -f "$TMP/found.$K" -n 4 $(sed "s|^|$OUTDIR/|" <<< "$names")
	check "$V: the listed events differ nowhere" python3 "$COMPARE" -l "$EVENTS" "$K" "$TMP/found.$K"
	cat "$TMP/found.$K" >> "$TMP/found"
	SEEN=$((SEEN + 1))
}

for_a_kernel one_kernel
if [ "${FTR_LONG:-}" = 1 ] && [ "$SEEN" -ge 3 ]; then
	for c in $(sed -n 's/^\([a-z][a-z-]*\)\t.*/\1/p' "$CLASSES"); do
		check "class $c has not vanished" grep -qx "class $c" "$TMP/found"
	done
fi
finish
