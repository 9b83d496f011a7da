#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing that a terminal obeys comes out of a file: C0, C1 (as UTF-8 and as bytes), what turns the writing.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"

# Names and texts of the file become such that are as long.
hostile() {
	python3 - "$1" "$2" <<- 'E'
		import sys
		data = open(sys.argv[1], "rb").read()
		for old, new in ((b"mount.nfs", b"\xc2\x9b2J\xe2\x80\xaex\x85"), (b"marker", b"\x9b31m\xe2\x80"),
		         (b"second", b"\xc2\x85\xe2\x81\xa6s"), (b" vfs_read\n", b" v\xc2\x9b[\xff\x1bad\n"),
		         (b"dir/dir", b"d\xd8\x9c\xc2\x9fr/"),
		         (b"Linux synthetic", b"Linux \xc2\x9b2Jt\xe2\x80\x8fc")):
		    assert len(old) == len(new) and old in data, old
		    data = data.replace(old, new)
		open(sys.argv[2], "wb").write(data)
	E
}

# Python's tables of Unicode say what acts.
obeyed() {
	python3 - "$1" <<- 'E'
		import sys, unicodedata
		bidi = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
		data = open(sys.argv[1], "rb").read()
		try:
		    text = data.decode("utf-8")
		except UnicodeDecodeError as e:
		    sys.exit("no UTF-8 at %d: %r" % (e.start, data[max(0, e.start - 20):e.start + 20]))
		for i, c in enumerate(text):
		    if (unicodedata.category(c) == "Cc" and c not in "\n\t") or \
		       unicodedata.bidirectional(c) in bidi or \
		       c in "\u061c\u200e\u200f":
		        sys.exit("U+%04X at %d: %r" % (ord(c), i, text[max(0, i - 20):i + 20]))
	E
}

# run COMMAND...: what it says, on both streams, is kept for harmless().
run() {
	"$FTR" "$@" > "$TMP/out" 2>&1
	check "it says something: $(printf '%s ' "${@//$TMP\//}" | LC_ALL=C tr -cd ' -~')" test -s "$TMP/out"
	cat "$TMP/out" >> "$TMP/all"
}

harmless() {
	check "$1" obeyed "$TMP/all"
	rm -f "$TMP/all"
}

reading() {
	local f=$1 o
	for o in "" -R -l -t -w --stacks --boundary --date --cpus --first-event --stat --uname --version -E \
		--events -f -P --fields=comm,task,event,text --ts-diff --engine=traceevent; do
		run report $o "$f"
	done
	for o in "" --json -v; do run info $o "$f"; done
	run check-events "$f"
	run check-events --json "$f"
	run report "$f" "$f"
}

python3 "$ORACLE/mkdat.py" "$TMP/v7.dat" --records 400 --cpus 2 --instances second
hostile "$TMP/v7.dat" "$TMP/evil.dat"
reading "$TMP/evil.dat"
harmless "what is in a file"
"$FTR" report "$TMP/evil.dat" > "$TMP/out" 2> /dev/null
has "names are shown" "$(cat "$TMP/out")" '\\xc2\\x9b2J\\xe2\\x80\\xaex\\x85-1234'
has "texts are shown" "$(cat "$TMP/out")" '\\x9b31m\\xe2\\x80'
has "instances are shown" "$(cat "$TMP/out")" '^\\xc2\\x85\\xe2\\x81\\xa6s: '

# file names, in titles and messages
evil=$TMP/$'a\xc2\x9b2J\xe2\x80\xae\x9b\x1b[1m.dat'
cp "$TMP/evil.dat" "$evil"
run report "$evil" "$TMP/v7.dat"
run info "$evil"
run info --json "$evil"
truncate -s -5000 "$evil"
run report "$evil"
run report "$evil.not"
run info "$evil.not"
run recover "$evil"
run report -F "$(printf 'sched_switch: a\xc2\x9b == \x9b')" "$TMP/v7.dat"
run report --plugin "$evil" "$TMP/v7.dat"
run $'no\xc2\x9bcommand'
run report $'--no\xc2\x9boption'
harmless "file names and other words of the user, in titles and messages"

# painted PLAIN: what the rules make of plain lines: [c ]task, [y ][m ][r ]duration, [r ]loss
painted() {
	python3 - "$1" <<- 'E'
		import re, sys
		c = dict(c="\033[36m", y="\033[33m", m="\033[35m", r="\033[31;1m")
		def paint(colour, text):
		    return c[colour] + text + "\033[0m"
		def long(m):
		    us = float(m[2])
		    colour = "r" if us > 1000 else "m" if us > 100 else "y"
		    return paint(colour, m[0]) + m[3] if us > 10 else m[0] + m[3]
		for line in open(sys.argv[1]):
		    line = line.rstrip("\n")
		    if re.match(r".*CPU:\d+ \[.*EVENTS DROPPED\]$", line):
		        print(paint("r", line))
		        continue
		    head, _, text = line.partition(": funcgraph_")
		    head = re.sub(r"^( *)(.*?-\d+)(?=  *\[\d+\] )", lambda m: m[1] + paint("c", m[2]), head) if _ else \
		        re.sub(r"^( *)(.*?-\d+)(?=  *\[\d+\] )", lambda m: m[1] + paint("c", m[2]), line)
		    text = re.sub(r"([+!#*@$]) +([0-9.]+) us(?= )()", long, text, count=1)
		    print(head + _ + text)
	E
}

colours() {
	local j
	python3 "$ORACLE/mkdat.py" "$TMP/calls.dat" --records 6000 --cpus 2 --lost 9
	"$FTR" report "$TMP/calls.dat" > "$TMP/plain" 2> /dev/null
	for p in '\+ +[0-9]{2}\.[0-9]+ us' '! +[0-9]{3}\.[0-9]+ us' '# +[0-9]{4}\.[0-9]+ us' DROPPED; do
		check "there are lines with $p" grep -qE "$p" "$TMP/plain"
	done
	painted "$TMP/plain" > "$TMP/want"
	for j in 1 3; do
		"$FTR" --color=always report -j$j "$TMP/calls.dat" > "$TMP/out" 2> /dev/null
		same_files "--color=always: tasks, durations, losses, -j$j" "$TMP/want" "$TMP/out"
	done
	for o in -l -R -t --ts-diff --boundary --fields=task,time,text; do
		"$FTR" report $o "$TMP/calls.dat" > "$TMP/plain" 2> /dev/null
		"$FTR" --color=always report $o "$TMP/calls.dat" > "$TMP/out" 2> /dev/null
		check "$o: it is painted" grep -q $'\033' "$TMP/out"
		sed -i 's/\x1b\[[0-9;]*m//g' "$TMP/out"
		same_files "$o: nothing but colour is added" "$TMP/plain" "$TMP/out"
	done
	"$FTR" --color=always report --format=kernel "$TMP/calls.dat" > "$TMP/out" 2> /dev/null
	check "the kernel's text has no colours" test -s "$TMP/out" -a "$(grep -c $'\033' "$TMP/out")" = 0
	if ! command -v script > /dev/null; then skip "colours of a terminal" "no script(1)"; return; fi
	TERM=xterm FTR_PAGER=cat script -qec "$FTR report -q $TMP/calls.dat" /dev/null < /dev/null 2>&1 |
		tr -d '\r' > "$TMP/out"
	same_files "on a terminal" "$TMP/want" "$TMP/out"
	TERM=xterm FTR_PAGER="cat -" script -qec "$FTR report -q $TMP/calls.dat" /dev/null < /dev/null 2>&1 |
		tr -d '\r' > "$TMP/out"
	same_files "through the pager" "$TMP/want" "$TMP/out"
	TERM=xterm NO_COLOR=1 FTR_PAGER=cat script -qec "$FTR report -q $TMP/calls.dat" /dev/null < /dev/null 2>&1 |
		tr -d '\r' > "$TMP/out"
	check "NO_COLOR" test -s "$TMP/out" -a "$(grep -c $'\033' "$TMP/out")" = 0
}
colours

# The kernel's own text stays as it is, but for a terminal.
"$FTR" report --format=kernel "$TMP/evil.dat" > "$TMP/out" 2> /dev/null
check "--format=kernel: bytes as they are" grep -aq $'\xc2\x9b2J\xe2\x80\xaex' "$TMP/out"
if command -v script > /dev/null; then
	script -qec "'$FTR' --no-pager report -q --format=kernel '$TMP/evil.dat'" /dev/null < /dev/null |
		tr -d '\r' > "$TMP/out"
	check "--format=kernel: not to a terminal" obeyed "$TMP/out"
	check "--format=kernel: escaped there" grep -q 'xc2.x9b2J' "$TMP/out"
else
	skip "--format=kernel: not to a terminal" "no script(1)"
fi
finish
