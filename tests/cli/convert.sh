#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# ftr convert: a file in another version or compression prints the same in ftr report and in trace-cmd. And for convert,
# split and merge: what a killed run, a full disk and a damaged source leave.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/recordings.sh"
cd "$TMP" || exit 1
HAVE_TC=$(command -v trace-cmd)
MKDAT="python3 $ORACLE/mkdat.py"

# converts SOURCE NAME "FORMAT" ARGS...: the new file is new.dat; FORMAT is in its line "format" of ftr info
converts() {
	local from=$1 name=$2 format=$3
	shift 3
	run_ftr convert -q "$@" "$from" new.dat
	same "$name: status" "0 " "$ST $ERR"
	has "$name: format" "$("$FTR" info new.dat | grep -a ^format)" "$format"
	same_files "$name: the report" <("$FTR" report "$from" 2>&1) <("$FTR" report new.dat 2>&1)
	same "$name: damage" "" "$("$FTR" info new.dat 2>&1 > /dev/null)"
}

# like_trace_cmd SOURCE NAME: trace-cmd prints of new.dat what it prints of the source
like_trace_cmd() {
	[ -n "$HAVE_TC" ] || { skip "$2: trace-cmd's report" "no trace-cmd"; return; }
	same_files "$2: trace-cmd's report" <(trace_cmd_records "$1") <(trace_cmd_records new.dat)
}

fixtures() {
	local path name version
	[ -d "$FTR_FIXTURES_DIR" ] || { skip "fixtures" "no directory $FTR_FIXTURES_DIR"; return; }
	for path in $(sample 3 $(recordings)); do
		name=$(recording_name "$path")
		unpack "$path" "$name"
		converts "$name" "$name to 7" "version 7"
		# trace-cmd takes the longs of a file of version 7 for those of this machine
		[ "${name%32le}" != "$name" ] || like_trace_cmd "$name" "$name to 7"
		cp new.dat seven.dat
		converts seven.dat "$name and back" "version 6" --file-version 6
		like_trace_cmd "$name" "$name and back"
		converts "$name" "$name to zstd" "version 7.*compression zstd" --compression zstd
		[ "${name%32le}" != "$name" ] || like_trace_cmd "$name" "$name to zstd"
		run_ftr convert -q --drop formats,symbols,btf "$name" small.dat
		same "$name: without formats of no records, the records" "0 $("$FTR" report --raw "$name" | cksum)" \
			"$ST $("$FTR" report --raw small.dat | cksum)"
		has "$name: they are not there" "$("$FTR" info small.dat)" '^symbols: +0 bytes'
		has "$name: and that is noted" "$("$FTR" info small.dat)" \
			'dropped=formats of events without records, symbols, BTF'
		rm "$name"
	done
}

fixtures

# --- made files

while IFS='|' read -r name format args how; do
	$MKDAT made.dat --records 200 $args
	converts made.dat "$name" "$format" $how
done << EOS
instances, zstd to none|version 7.*none|--instances one,two --compress zstd|--compression none
instances, to zlib|version 7.*zlib|--instances one,two|--compression zlib:1
instances, to 6|version 6|--instances one,two --clock mono|--file-version 6
6 with an instance, to 7|version 7|--version 6 --instances one|--compression any
two sizes of sub-buffers|version 7.*zstd|--instances one --instance-page-size 16384|--compression zstd
longs of 4 bytes|4-byte long|--long 4 --tsc 100000,15|--compression zstd:1
offsets of times|version 7|--ts-offset 12345 --date 77777|
EOS
$MKDAT made.dat --records 50 --instances one --instance-page-size 8192
ftr_refuses "two sizes, to 6" 1 "all sub-buffers have one size" convert --file-version 6 made.dat x.dat
$MKDAT big.dat --records 50 --endian be
ftr_refuses "the other byte order" 1 "byte order of another machine" convert big.dat x.dat
ftr_refuses "6 compressed" 2 "version 6 are not compressed" convert --file-version 6 --compression zstd made.dat x.dat
ftr_refuses "no name" 2 "the new file has no name" convert
ftr_refuses "a part that is none" 2 "'x' can't be dropped" convert --drop formats,x made.dat x.dat
ftr_refuses "the source" 2 "is the source" convert made.dat made.dat
ln made.dat hard.dat
ftr_refuses "the source by another name" 2 "is the source" convert made.dat -o hard.dat
same "nothing was written" "" "$(ls x.dat* 2> /dev/null)"
$MKDAT made.dat --records 50 --meta tracer=nop
run_ftr convert --file-version 6 made.dat new.dat
has "what version 6 lacks is said" "$ERR" "no place for: notes of the recording"
echo old > new.dat
"$FTR" convert -q made.dat new.dat 2> /dev/null
same "an older file is kept" old "$(cat new.dat.old)"

# --- damage: said, counted, and the rest is in the new file

$MKDAT made.dat --records 2000 --cpus 1 --lost 0
# a commit beyond the sub-buffer, in the fourth of them
python3 - made.dat << 'EOF'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
at = len(b) // 4096 * 4096 - 8 * 4096
b[at + 8:at + 12] = b"\xff\xff\x0f\x00"
open("bad.dat", "wb").write(b)
EOF
"$FTR" report --raw bad.dat > want 2> want.err
run_ftr convert bad.dat new.dat
same "damage: status" 3 "$ST"
has "damage: said" "$ERR" "$(sed -n "s/.*'bad.dat': \([a-z -]*\).*/\1/p" want.err | head -n 1)"
same_files "damage: the rest is there" want <("$FTR" report --raw new.dat 2> /dev/null)
run_ftr split -q -r -e 500 -o part bad.dat
same "damage: status of split" 3 "$ST"
same_files "damage: parts" <(sort want) <(for f in part.*; do "$FTR" report --raw "$f" 2> /dev/null; done | sort)
head -c $(($(stat -c %s made.dat) / 2)) made.dat > half.dat
run_ftr convert half.dat new.dat
same "a file that was cut: status" 3 "$ST"
# a loss after the last record of a CPU is in no sub-buffer
same_files "a file that was cut: its records" <("$FTR" report --raw half.dat 2> /dev/null | grep -v DROPPED) \
	<("$FTR" report --raw new.dat 2> /dev/null | grep -v DROPPED)

# --- killed: the sources and nothing else is left

mkdir run
$MKDAT run/made.dat --records 2000 --cpus 2
$MKDAT run/more.dat --records 2000 --cpus 2 --seed 2
sum=$(cat run/*.dat | cksum)
killed() {
	local at=$1 f
	shift
	# the shell's remark that it was killed is not of interest
	{
		strace -qq -o /dev/null -e trace="${at%%:*}" -e inject="${at%%:*}:signal=SIGKILL:when=${at#*:}" \
			"$FTR" "$@"
		ST=$?
	} > /dev/null 2>&1
	same "killed at $at: $1: status" 137 "$ST"
	same "killed at $at: $1: no half file" "" "$(ls -A run | grep -v -x -e made.dat -e more.dat -e 'part\.[0-9]*')"
	same "killed at $at: $1: the sources" "$sum" "$(cat run/*.dat | cksum)"
	for f in run/part.*; do
		[ ! -e "$f" ] || same "killed at $at: $f is whole" 0 "$("$FTR" info "$f" > /dev/null 2>&1; echo $?)"
	done
	rm -f run/part.*
}
if strace -qq -o /dev/null -e inject=linkat:signal=SIGKILL:when=1 true 2> /dev/null; then
	killed pwrite64:4 convert --compression zstd:19 run/made.dat run/new.dat
	killed linkat:1 convert run/made.dat run/new.dat
	killed linkat:3 split -r -e 400 run/made.dat -o run/part
	killed pwrite64:30 split -r -e 400 run/made.dat -o run/part
	# with times that are moved all data goes through the second file, without that it is copied
	killed pwrite64:4 merge run/made.dat -i run/more.dat --ts-offset 5 -o run/new.dat
	killed copy_file_range:1 merge run/made.dat run/more.dat -o run/new.dat
	killed linkat:1 merge run/made.dat run/more.dat -o run/new.dat
else
	skip "killed runs" "no strace that can inject signals"
fi

# --- a full disk, and a limit of the size of files

# no_room NAME REASON CALL
no_room() {
	same "$1: $3: status" 3 "$ST"
	has "$1: $3: said" "$ERR" "^ftr: cannot write 'disk/[a-z.1]*': $2"
	has "$1: $3: with a hint" "$ERR" "^ *hint: there is no new file; -o FILE writes it to another disk"
	same "$1: $3: nothing is left" "" "$(ls -A disk)"
	same "$1: $3: the sources" "$sum" "$(cat run/*.dat | cksum)"
}

CALLS=("convert run/made.dat disk/new.dat" "convert --compression zstd run/made.dat disk/new.dat"
	"convert --file-version 6 run/made.dat disk/new.dat" "split run/made.dat -o disk/part"
	"merge run/made.dat run/more.dat -o disk/new.dat"
	"merge run/made.dat -i run/more.dat --ts-offset 5 -o disk/new.dat")
mkdir disk
if mount -t tmpfs -o size=64k none disk 2> /dev/null; then
	trap 'umount "$TMP/disk"; rm -rf "$TMP"' EXIT
	for call in "${CALLS[@]}"; do
		run_ftr $call
		no_room "full disk" "No space left on device" "$call"
	done
	umount disk
	trap 'rm -rf "$TMP"' EXIT
else
	skip "a full disk" "no tmpfs can be mounted"
fi
for call in "${CALLS[@]}"; do
	capture bash -c 'ulimit -f 40; exec timeout 60 "$@"' limited "$FTR" $call
	no_room "limit of 40 KiB" "File too large" "$call"
done

finish
