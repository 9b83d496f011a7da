#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr recover: unfinished files and raw data of CPUs become files with the same records, for other readers too.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
export ORACLE_DIR=$ORACLE
SPOOL="python3 $ORACLE/mkspool.py"
# no tracefs, and no other boot's
export FTR_TRACEFS=$TMP/none

# sound NAME FILE: checksums and everything else
sound() {
	run_ftr info "$2"
	same "$1: status of ftr info" 0 "$ST"
	has "$1: checksums" "$OUT" '^checksums: +[0-9]+ ranges, all correct'
}

for how in "" "--sealed 0" "--sealed 3" "--sealed 6"; do
	what="a file ${how:-open}"
	rm -f ./*.dat*
	$SPOOL a.dat --like b.dat --instances foo --symbols $how --text uname='Linux here 6.12.0-test x86_64' \
		--text tracer=nop --text boot_id=another
	chmod 640 a.dat
	run_ftr recover a.dat
	same "$what: status" 0 "$ST"
	has "$what: words" "$ERR" "was recorded in another boot: its missing parts can.t be read from this kernel$"
	has "$what: summary" "$ERR" 'a.dat: 3 CPUs, 2,400 events, .* lost; without .*statistics'
	same "$what: the same records" "$(records b.dat)" "$(records a.dat)"
	same "$what: nothing else is left" "a.dat b.dat" "$(echo *.dat*)"
	same "$what: who may read it" 640 "$(stat -c %a a.dat)"
	sound "$what" a.dat
	has "$what: noted" "$OUT" 'recovered=without .*statistics'
	has "$what: session" "$OUT" 'tracer=nop'
	has "$what: symbols" "$OUT" '^symbols: +[1-9]'
done
if command -v trace-cmd > /dev/null; then
	trace-cmd report b.dat 2> /dev/null | grep -vE 'bprint|version|cpus=' > wanted
	trace-cmd report a.dat 2> /dev/null | grep -vE 'bprint|version|cpus=' > got
	check "trace-cmd reads it: $(wc -l < got) lines" test "$(wc -l < got)" -gt 2000
	# names of tasks: what events tell is less than what was recorded
	same_files "trace-cmd: the same lines" <(sed -E 's/^ *[^[]*-([0-9]+) /\1 /' wanted) \
		<(sed -E 's/^ *[^[]*-([0-9]+) /\1 /' got)
else
	skip "trace-cmd reads it" "no trace-cmd"
fi
run_ftr recover a.dat
same "a finished file: status" 1 "$ST"
has "a finished file: words" "$ERR" "'a.dat' is complete: nothing to recover"

# --- compression of metadata, by default as ftr record has it

# compressed HOW WANTED [OPTION]
compressed() {
	local how=$1 wanted=$2
	shift 2
	$SPOOL a.dat --like b.dat --symbols --text boot_id=another
	run_ftr recover -q a.dat "$@"
	same "compressed by $how: status" 0 "$ST"
	sound "compressed by $how" a.dat
	has "compressed by $how: ftr info" "$OUT" ", compression $wanted\$"
	has "compressed by $how: symbols" "$OUT" '^symbols: +[1-9]'
	same "compressed by $how: the same records" "$(records b.dat)" "$(records a.dat)"
}

compressed default zstd
compressed any zstd --compression=any
compressed none none --compression=none
compressed zlib zlib --compression=zlib:1
$SPOOL a.dat --symbols
run_ftr recover a.dat --compression=lz4
same "compressed by lz4: status" 2 "$ST"
has "compressed by lz4: words" "$ERR" "--compression takes none, zstd, zlib, .* not 'lz4'"

# --- names of tasks, and --from

$SPOOL a.dat --like b.dat
run_ftr recover a.dat -o out.dat --from b.dat
same "--from: status" 0 "$ST"
"$FTR" report b.dat > wanted 2> /dev/null
"$FTR" report out.dat > got 2> /dev/null
same_files "--from: the same text" wanted got
run_ftr info a.dat
same "-o: the other file stays" 3 "$ST"
echo old > out.dat
run_ftr recover a.dat -o out.dat
same "-o: an older file becomes FILE.old" old "$(cat out.dat.old)"

# --- damage

$SPOOL a.dat --like b.dat --records 2000 --lost 0 --hole :1:3:2
run_ftr recover a.dat
same "a hole: status" 3 "$ST"
has "a hole: named" "$ERR" "damaged: 'a.dat': sub-buffers were never written at offset"
has "a hole: the old file is kept" "$ERR" "'a.dat.old' is the file before recovery"
same "a hole: the rest of the records" "$(records b.dat | sed -n 's/leaf_pairs.*//p')" \
	"$(records a.dat | sed -n 's/leaf_pairs.*//p')"
same "a hole: events were lost" 1 "$("$FTR" report a.dat 2> /dev/null | grep -c 'EVENTS DROPPED')"
sound "a hole" a.dat
# an end that is not a whole sub-buffer
$SPOOL a.dat --cpus 1 --like b.dat --sealed 1
truncate -s -100 a.dat
run_ftr recover a.dat
same "a cut sub-buffer: status" 3 "$ST"
sound "a cut sub-buffer" a.dat
# a format with a NUL: what comes behind is not ours to read
$SPOOL a.dat --like b.dat
at=$(python3 - a.dat <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read(1 << 20))
at = data.index(b"name: sched_switch\n")
data[at + 40] = 0
with open(sys.argv[1], "r+b") as f:
    f.write(data)
print("0x%x" % at)
END
)
run_ftr recover a.dat
same "a format with a NUL: status" 3 "$ST"
has "a format with a NUL: named" "$ERR" "damaged: 'a.dat': format holds a NUL at offset $at, system 'sched'"
same "a format with a NUL: the same records" "$(records b.dat)" "$(records a.dat)"
sound "a format with a NUL: it is left out" a.dat
run_ftr report a.dat.old
has "a format with a NUL: report names it" "$ERR" "damaged: 'a.dat.old': format holds a NUL at offset $at"
# no room
if mkdir -p small && mount -t tmpfs -o size=900k tmpfs small 2> /dev/null; then
	$SPOOL small/a.dat --instances foo --records 1500
	before=$(md5sum < <(dd if=small/a.dat bs=1M count=32 status=none))
	run_ftr recover small/a.dat
	check "no room: status $ST" test "$ST" = 3 -o "$ST" = 1
	same "no room: the file stays" "$before small/a.dat" \
		"$(md5sum < <(dd if=small/a.dat bs=1M count=32 status=none)) $(echo small/*)"
	run_ftr recover small/a.dat -o out.dat
	same "no room: -o writes elsewhere" 0 "$ST"
	run_ftr report small/a.dat
	lines=$(wc -l <<< "$OUT")
	dd if=/dev/zero of=small/fill bs=4k status=none 2> /dev/null
	run_ftr report small/a.dat
	same "no room at all: the file is read, holes need none" "3 $lines" "$ST $(wc -l <<< "$OUT")"
	umount small
else
	skip "no room" "no tmpfs can be mounted"
fi

# --- being recorded, or of another machine

$SPOOL a.dat
exec 9>> a.dat
run_ftr recover a.dat
same "still being recorded: status" 1 "$ST"
has "still being recorded: words" "$ERR" "'a.dat' is still being recorded"
exec 9>&-
$SPOOL a.dat --endian be
run_ftr recover a.dat
same "another byte order: status" 1 "$ST"
has "another byte order: words" "$ERR" "'a.dat' was recorded on another kind of machine"

# --- raw data of CPUs

rm -f ./*.dat*
python3 "$ORACLE/mkdat.py" like.dat --instances foo
python3 - like.dat <<'END'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["ORACLE_DIR"])
import rawdecode
trace = rawdecode.load(sys.argv[1])
data = open(sys.argv[1], "rb").read()
for buf in trace.buffers:
    for cpu in buf.cpus:
        name = "t.dat%s.cpu%d" % ("." + buf.name if buf.name else "", cpu.cpu)
        with open(name, "wb") as f:
            f.write(data[cpu.offset:cpu.offset + cpu.size])
END
same "raw data: made" 6 "$(ls t.dat*.cpu* | wc -l)"
run_ftr recover t.dat --from like.dat
same "raw data: status" 0 "$ST"
same "raw data: the same records" "$(records like.dat)" "$(records t.dat)"
sound "raw data" t.dat
"$FTR" report like.dat > wanted 2> /dev/null
"$FTR" report t.dat > got 2> /dev/null
same_files "raw data: the same text" wanted got
same "raw data: it stays" 6 "$(ls t.dat*.cpu* | wc -l)"
run_ftr recover t.dat.cpu2 t.dat.cpu0 -o two.dat --from like.dat -q
same "raw data: two CPUs: status and words" "0 " "$ST $ERR"
same "raw data: two CPUs" "$(records like.dat | grep "^buffer ''" | sed -n '1p;3p')" "$(records two.dat | grep ^buffer)"
printf 'x' >> t.dat.cpu0
run_ftr recover t.dat.cpu0 -o one.dat --from like.dat
has "raw data: a part of a sub-buffer" "$ERR" \
	"'t.dat.cpu0' ends in the middle of a sub-buffer: its last 1 bytes are left out"
run_ftr recover t.dat.cpu0 other.dat.cpu1 --from like.dat
same "raw data of two recordings: status" 2 "$ST"
run_ftr recover t.dat.cpu0
same "raw data without a kernel: status" 1 "$ST"
has "raw data without a kernel: hint" "$ERR" '^hint: .*--from=FILE'
run_ftr recover t.dat.cpu0 like.dat
same "both kinds: status" 2 "$ST"
run_ftr recover nothing.dat
same "no such file: status" 1 "$ST"
has "no such file: words" "$ERR" "cannot open 'nothing.dat'"
finish
