#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr dump: the places of sections and options as a walk over the bytes finds them, contents as trace-cmd dump prints
# them, what is damaged.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
MKDAT="python3 $ORACLE/mkdat.py"

# Prints the sections and options of a file by its bytes: version 7 by the headers of sections, version 6 by the sizes
# before each part.
cat > walk.py << 'E'
import struct
import sys

data = open(sys.argv[1], "rb").read()
seven = data[10:11] == b"7"
end = ">" if data[12] else "<"
names = {0: "OPTIONS", 3: "BUFFER", 15: "STRINGS", 16: "header_page", 17: "ftrace formats", 18: "event formats",
         19: "kallsyms", 20: "printk_formats", 21: "saved_cmdlines", 0xf700: "FTR_META", 0xf701: "FTR_SUMS",
         0xf702: "FTR_PROTOS", 0xf707: "FTR_LATENCY", 0xf708: "FTR_OOPS", 0xf706: "FTR_PAD"}


def number(form, at):
    return struct.unpack_from(end + form, data, at)[0]


def section(at, upto, name, unpacked="-"):
    print("section", at, upto - at, unpacked, name)


def options(at):
    """Prints the options at @at; returns the end of them."""
    while number("H", at):
        size = number("I", at + 2)
        print("option", at + 6, size)
        at += 6 + size
    return at


def walk_7():
    at = data.index(b"\0", 18) + 1
    at = data.index(b"\0", at) + 1 + 8
    section(0, at, "initial header")
    while at < len(data):
        kind, flags, size = number("H", at), number("H", at + 2), number("Q", at + 8)
        packed = "in chunks" if kind == 3 else number("I", at + 20) if flags & 1 else "-"
        section(at, at + 16 + size, names[kind], packed if flags & 1 else "-")
        if kind == 0:
            options(at + 16)
        at += 16 + size


def walk_6():
    section(0, 18, "initial header")
    at = 18
    for name in b"header_page\0", b"header_event\0":
        at += len(name)
        at += 8 + number("Q", at)
    section(18, at, "header_page")
    begin, at, n = at, at + 4, number("I", at)
    for _ in range(n):
        at += 8 + number("Q", at)
    section(begin, at, "ftrace formats")
    begin, at, systems = at, at + 4, number("I", at)
    for _ in range(systems):
        at = data.index(b"\0", at) + 1
        at, n = at + 4, number("I", at)
        for _ in range(n):
            at += 8 + number("Q", at)
    section(begin, at, "event formats")
    for name, form, size in ("kallsyms", "I", 4), ("printk_formats", "I", 4), ("saved_cmdlines", "Q", 8):
        begin, at = at, at + size + number(form, at)
        section(begin, at, name)
    begin, at = at, options(at + 4 + 10) + 2
    section(begin, at, "OPTIONS")
    section(at, len(data), "BUFFER")


walk_7() if seven else walk_6()
E

# places FILE NAME
places() {
	"$FTR" dump --sections "$1" 2> err |
		sed -nE 's/^ *([0-9]+) +([0-9]+) +([0-9]+|-|in chunks)  /section \1 \2 \3 /p' > got
	"$FTR" dump --options "$1" 2>> err | sed -nE 's/^ {0,11}([0-9]+) +([0-9]+)  [A-Z].*/option \1 \2/p' >> got
	same "$2: nothing is damaged" '' "$(cat err)"
	same_files "$2: sections and options are where the bytes have them" <(python3 walk.py "$1" | sort) <(sort got)
}

# contents FILE NAME: as trace-cmd prints them, between its own lines
contents() {
	local part
	command -v trace-cmd > /dev/null || { skip "$2: contents" 'no trace-cmd'; return; }
	for part in head-page head-event ftrace-events events kallsyms printk cmd-lines; do
		same_files "$2: --$part" \
			<(trace-cmd dump "--$part" -i "$1" 2> /dev/null |
				grep -av '^	\+\[\|^ Tracing\|^[a-z_0-9]* \[\|^$') \
			<("$FTR" dump "--$part" "$1" | grep -av '^system: \|^$')
	done
}

made() {
	local how
	for how in '--version 6 --cpus 3' '--version 6 --instances one --long 4' '--version 7 --instances one,two' \
		'--compress zstd' '--compress zlib --cpus 2 --date 7' '--endian be --tsc 100000,15' \
		'--version 6 --endian be'; do
		# shellcheck disable=SC2086
		$MKDAT $how --records 30 made.dat > /dev/null
		places made.dat "$how"
	done
}

fixtures() {
	local titles f=$FTR_FIXTURES_DIR/trappy-trace-32le.dat.xz
	[ -e "$f" ] || { skip 'fixtures' "no directory $FTR_FIXTURES_DIR"; return; }
	xz -dc "$f" > f.dat
	places f.dat 'version 6'
	contents f.dat 'version 6'
	"$FTR" convert -q --compression zstd f.dat f7.dat
	places f7.dat 'version 7'
	contents f7.dat 'version 7'
	has 'the number of CPUs' "$("$FTR" dump --options f7.dat)" 'CPUCOUNT +8$'
	titles='Summary|Sections|Options|Data|Systems|Formats|Symbols|Clocks|Head of (sub-buffers|events)'
	titles="$titles|Formats of ftrace|Texts of trace_printk\\(\\)|Names of tasks|Lines of ftr"
	same 'all parts, with titles' 14 "$("$FTR" dump --all f7.dat | grep -cE "^($titles)\$")"
}

values() {
	$MKDAT --records 30 --cpus 2 --instances one --tsc 100000,15 made.dat > /dev/null
	"$FTR" dump --options made.dat > out
	has 'the scale of the TSC' "$(cat out)" 'TSC2NSEC +multiplier 100000, shift 15, offset '
	has 'a text' "$(cat out)" 'VERSION +3.1.6 synthetic$'
	has 'an instance' "$(cat out)" \
		"BUFFER +at [0-9]+, instance 'one', clock local, sub-buffers of 4096 bytes, 2 CPUs"
	same 'the data of each CPU' '0 1 0one 1one' "$("$FTR" dump --flyrecord made.dat |
		awk 'NR > 1 { print $4 ($5 == "-" ? "" : $5) }' | xargs)"
	has 'the summary' "$("$FTR" dump --summary made.dat | xargs)" \
		'version: 7 byte order: little endian bytes of a long: 8'
}

damage() {
	$MKDAT --records 30 made.dat > /dev/null
	run_ftr dump -v made.dat
	same 'a sound file' '0 made.dat: the metadata is sound' "$ST $OUT"
	head -c $(($(stat -c %s made.dat) - 100)) made.dat > cut.dat
	run_ftr dump -v cut.dat
	same 'a file that was cut: status, and no word that it is sound' '3 ' "$ST $OUT"
	run_ftr dump cut.dat
	has 'a file that was cut: what is there' "$OUT" 'event formats'
	ftr_refuses 'no trace file' 1 "'walk.py'" dump walk.py
	ftr_refuses 'two files' 2 "unexpected word 'cut.dat'" dump made.dat cut.dat
	ftr_refuses 'no such file' 1 "cannot open 'trace.dat'" dump
}

# shorter KIND: made.dat, whose option BUFFER is one of KIND with 9 bytes that have no NUL; its other bytes are one of
# a kind that nobody knows
shorter() {
	python3 - "$1" <<- 'EOF'
	import struct, sys
	data = bytearray(open("made.dat", "rb").read())
	at = data.index(b"\0local\0")
	while struct.unpack_from("<H", data, at - 14)[0] != 3:
	    at = data.index(b"\0local\0", at + 1)
	size = struct.unpack_from("<I", data, at - 12)[0]
	struct.pack_into("<HI9s", data, at - 14, int(sys.argv[1]), 9, b"x" * 9)
	struct.pack_into("<HI", data, at + 1, 0x7777, size - 9 - 6)
	open("short.dat", "wb").write(data)
	EOF
}

# options that end before their texts do
short_options() {
	local kind
	$MKDAT --records 30 made.dat > /dev/null
	for kind in 3:BUFFER 8:CPUCOUNT 9:VERSION 11:TRACEID 12:TIME_SHIFT 13:GUEST 14:TSC2NSEC 18:EVENT_FORMATS; do
		shorter "${kind%:*}"
		run_ftr dump --options short.dat
		has "a short option ${kind#*:}: its bytes" "$OUT" "${kind#*:}.*(78 78 78|xxxxxxxxx)"
		same "a short option ${kind#*:}: status" 3 "$ST"
	done
}

made
fixtures
values
damage
short_options
finish
