#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain san
# ftr scrub: of 1,000 secrets in all places of a trace file none is left, --check finds each before and none after, and
# what identifies nobody is as before.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
SECRETS="python3 $ORACLE/scrub_secrets.py"
MKDAT="python3 $ORACLE/mkdat.py"

# same_report NAME A B CLASSES...: the records of B are those of A but for what identifies; CLASSES were kept
same_report() {
	local name=$1 a=$2 b=$3
	shift 3
	"$FTR" report --json "$a" > a.json 2> /dev/null
	"$FTR" report --json "$b" > b.json 2> /dev/null
	same "$name: what identifies nobody is as before" "0 differ" "$($SECRETS same a.json b.json "$@" 2>&1)"
}

# --- secrets in all places, with each compression

SEED=${FTR_SEED:-1}
for packing in none zlib zstd; do
	has "$packing: secrets are made" "$($SECRETS make raw.dat list --seed "$SEED" --compress $packing)" \
		'^1[0-9]{3} secrets in 5[0-9] places$'
	# with checksums, which the secrets' file has not
	"$FTR" convert -q raw.dat made.dat 2> /dev/null
	same "$packing: they are found in the file" "$(wc -l < list) found" "$($SECRETS find made.dat list | tail -n 1)"
	run_ftr scrub --check made.dat
	same "$packing: --check before: status" 1 "$ST"
	has "$packing: --check before: said" "$ERR" "^ftr: made.dat: [0-9]+ places with values that identify$"
	has "$packing: --check finds each of them" "$($SECRETS checked list <<< "$OUT")" \
		'^5[0-9] places, 0 with too few values$'
	run_ftr scrub --key=one made.dat new.dat
	same "$packing: status" 0 "$ST"
	same "$packing: none is left" "0 found" "$($SECRETS find new.dat list)"
	has "$packing: it says how many" "$ERR" '^  tasks +[0-9]+ values, [0-9]+ different$'
	has "$packing: and what it left out" "$ERR" 'left out: option HOOK, option PROCMAPS, option LAST_BOOT_INFO'
	same_report "$packing" made.dat new.dat
	run_ftr scrub --check new.dat
	same "$packing: --check after" "0 " "$ST $OUT$ERR"
	same "$packing: the file is sound" 0 "$("$FTR" info new.dat > /dev/null 2>&1; echo $?)"
	has "$packing: its compression" "$("$FTR" info new.dat | grep -a ^format)" "compression $packing"
done

# bytes after the committed ones are damage
$SECRETS make raw.dat list --seed "$SEED" --count 200 --end > /dev/null
run_ftr scrub -q raw.dat new.dat
same "secrets after the committed bytes: status" 3 "$ST"
has "secrets after the committed bytes: said" "$ERR" "damaged: 'raw.dat'"
same "secrets after the committed bytes: none is left" "0 found" "$($SECRETS find new.dat list)"

# --- one key, another key, none

$SECRETS make one.dat list --seed 3 --count 300 > /dev/null
$SECRETS make two.dat list --seed 3 --count 400 > /dev/null
for file in one two; do
	"$FTR" scrub -q --key=secret $file.dat $file.new 2> /dev/null
done
"$FTR" report one.new 2> /dev/null | head -n 100 > want
same_files "two files with one key: the same pseudonyms" want <("$FTR" report two.new 2> /dev/null | head -n 100)
printf secret > key
"$FTR" scrub -q --key=@key one.dat x.new 2> /dev/null
same_files "a key in a file" one.new x.new
"$FTR" scrub -q --key=other one.dat x.new 2> /dev/null
differ() { ! cmp -s "$1" "$2"; }
check "another key: other pseudonyms" differ one.new x.new
"$FTR" scrub -q one.dat x.new 2> /dev/null
"$FTR" scrub -q one.dat y.new 2> /dev/null
check "without a key: others each time" differ x.new y.new
"$FTR" scrub -q --key=secret one.new twice.new 2> /dev/null
run_ftr scrub --check twice.new
same "a scrubbed file can be scrubbed" "0 " "$ST $OUT"

# a name of a task is the same one in its events, in the list of names and in a path
$MKDAT made.dat --records 300
"$FTR" scrub -q --key=k made.dat new.dat 2> /dev/null
"$FTR" report --json new.dat > new.json
same "names in events are those of the list" "" "$(comm -23 \
	<(grep -o '"next_comm":"[^"]*"' new.json | cut -d'"' -f4 | sort -u) \
	<({ "$FTR" dump --cmd-lines new.dat | cut -d' ' -f2-; echo '<idle>'; } | sort -u))"

# --- --keep

"$FTR" scrub -q --keep=tasks,pids,users,paths,strings,userdata,markers,formats,addresses,host,command made.dat new.dat
same_files "--keep of all: the report" <("$FTR" report made.dat) <("$FTR" report new.dat)
"$FTR" scrub -q --keep=sched made.dat new.dat
same_files "--keep=sched: events of sched" <("$FTR" report --event 'sched*' made.dat) \
	<("$FTR" report --event 'sched*' new.dat)
same_report "--keep=sched" made.dat new.dat tasks pids
run_ftr scrub --check --keep=sched new.dat
same "--keep=sched: --check without them" "0 " "$ST $OUT"
run_ftr scrub --check new.dat
same "--keep=sched: --check" 1 "$ST"
same "--keep=sched: what is left are tasks and pids" "CLASS new.dat pids tasks" \
	"$(cut -d' ' -f1 <<< "$OUT" | LC_ALL=C sort -u | xargs)"
for class in tasks pids paths markers formats addresses host; do
	"$FTR" scrub -q --keep=$class made.dat new.dat
	has "--keep=$class keeps it" "$("$FTR" scrub -q --check new.dat)" "^$class +[1-9]"
	same "--keep=$class keeps nothing else" "" "$("$FTR" scrub --check --keep=$class new.dat)"
done
# the mappings of processes stay with the addresses, and lose their paths
"$FTR" scrub -q --keep=addresses one.dat new.dat 2> /dev/null
has "--keep=addresses: mappings" "$("$FTR" dump --options new.dat)" 'PROCMAPS +[0-9a-f]+ 2 '
grep PROCMAPS list > maps
same "--keep=addresses: their names" "0 found" "$($SECRETS find new.dat maps)"
"$FTR" scrub -q --drop=symbols made.dat new.dat
has "--drop=symbols" "$("$FTR" info new.dat)" '^symbols: +0 bytes'
ftr_refuses "--keep of no class" 2 "'x' can't be kept" scrub --keep=x made.dat new.dat
ftr_refuses "--keep of what cannot be kept" 2 "'rest' can't be kept" scrub --keep=rest made.dat new.dat
ftr_refuses "a key that is not there" 1 "cannot read the key 'none'" scrub --key=@none made.dat new.dat
: > empty
ftr_refuses "an empty key" 2 "the key 'empty' is empty" scrub --key=@empty made.dat new.dat
ftr_refuses "no name" 2 "the new file has no name" scrub
ftr_refuses "the source" 2 "is the source" scrub made.dat made.dat
ftr_refuses "--check with a new file" 2 "writes no file" scrub --check -o x.dat made.dat
$MKDAT big.dat --records 50 --endian be
ftr_refuses "the other byte order" 1 "byte order of another machine" scrub big.dat x.dat
ftr_refuses "the other byte order, --check" 1 "byte order of another machine" scrub --check big.dat
run_ftr scrub --check made.dat new.dat one.dat
same "--check of two files" "2 CLASS" "$(grep -c ^CLASS <<< "$OUT") CLASS"
"$FTR" scrub -q -i - -o piped.dat --key=k < made.dat
"$FTR" scrub -q --key=k made.dat new.dat
same_files "standard input" new.dat piped.dat
echo old > new.dat
"$FTR" scrub -q made.dat new.dat
same "an older file is kept" old "$(cat new.dat.old)"
same "the new file is for its owner alone" 600 "$(stat -c %a new.dat)"

# --- other forms of the file

while IFS='|' read -r name args; do
	$MKDAT made.dat --records 200 $args
	run_ftr scrub -q made.dat new.dat
	same "$name: status" "0 " "$ST $ERR"
	same_report "$name" made.dat new.dat
	run_ftr scrub --check new.dat
	same "$name: --check" "0 " "$ST $OUT$ERR"
	if [ -n "$(command -v trace-cmd)" ] && [[ $args != *--long* ]]; then
		same "$name: trace-cmd reads it" "$(trace-cmd report -R made.dat 2> /dev/null | grep -c ' \[0')" \
			"$(trace-cmd report -R new.dat 2> /dev/null | grep -c ' \[0')"
	fi
done << EOS
version 6 with an instance|--version 6 --instances one
two sizes of sub-buffers|--instances one,two --instance-page-size 16384
longs of 4 bytes|--long 4
losses and short sub-buffers|--lost 0.9 --short-pages 0.2 --absolute 0.3
EOS
echo "BUG: unable to handle page fault in secretprogram" > oops
$MKDAT made.dat --records 50 --oops oops
run_ftr scrub made.dat new.dat
has "the text of an oops is left out" "$ERR" "left out: text of the oops"
same "and not there" 0 "$(grep -ca secretprogram new.dat)"

# --- real files: records as they were, but for what identifies

fixtures() {
	local xz name
	[ -d "$FTR_FIXTURES_DIR" ] || { skip "fixtures" "no directory $FTR_FIXTURES_DIR"; return; }
	for xz in $(sample 3 "$FTR_FIXTURES_DIR"/*.dat.xz); do
		name=$(basename "$xz" .dat.xz)
		xz -dc "$xz" > "$name"
		run_ftr scrub -q "$name" new.dat
		same "$name: status" "0 " "$ST $ERR"
		same_report "$name" "$name" new.dat
		run_ftr scrub --check new.dat
		same "$name: --check" "0 " "$ST $OUT$ERR"
		"$FTR" scrub -q --keep=tasks,pids,users,paths,strings,userdata,markers,formats,addresses,host,command \
			"$name" new.dat
		same_files "$name: all kept" <("$FTR" report "$name" 2>&1) <("$FTR" report new.dat 2>&1)
		rm "$name"
	done
}
fixtures

# a record of random bytes for each format of a kernel: no array, structure or pointer stays
formats() {
	local xz name
	[ -d "$FTR_FORMATS_DIR" ] || { skip "formats of kernels" "no directory $FTR_FORMATS_DIR"; return; }
	for xz in "$FTR_FORMATS_DIR"/debian-*.fmt.xz $(sample 1 "$FTR_FORMATS_DIR"/android*.fmt.xz); do
		name=$(basename "$xz" .fmt.xz)
		has "formats of $name" "$($SECRETS formats "$xz" all.dat --seed "$SEED")" '^[0-9]+ formats$'
		run_ftr scrub -q all.dat new.dat
		same "formats of $name: status" "0 " "$ST $ERR"
		has "formats of $name: fields" "$($SECRETS shapes all.dat new.dat)" \
			'^[0-9]{3,} fields of [0-9]+ records, 0 as before$'
		run_ftr scrub --check new.dat
		same "formats of $name: --check" "0 " "$ST $OUT$ERR"
		"$FTR" scrub -q --keep=userdata all.dat new.dat
		has "formats of $name: the comparison sees what stays" "$($SECRETS shapes all.dat new.dat)" \
			' records, [1-9][0-9]* as before$'
	done
}
formats

# user memory in the events of 7.2, from its text
"$FTR" import -q "$FTR_TOP/tests/cases/texts/7.2.txt" -o seven.dat 2> /dev/null
if "$FTR" report seven.dat 2> /dev/null | grep -q sys_enter_write; then
	"$FTR" convert -q --compression=none seven.dat plain.dat
	check "7.2: user memory is in the file" grep -qa "hello marker" plain.dat
	"$FTR" scrub -q seven.dat new.dat 2> /dev/null
	"$FTR" convert -q --compression=none new.dat plain.dat
	same "7.2: it is not in the new one" 0 "$(grep -ca -e 'hello marker' -e trace_marker plain.dat)"
	same_report "7.2" seven.dat new.dat
else
	skip "7.2: user memory" "its text has no system calls here"
fi

# --- damage: said, counted, and nothing of what is not understood is copied

$MKDAT made.dat --records 2000 --cpus 1 --lost 0 --discards 0
python3 - made.dat << 'EOF'
import struct
import sys
b = bytearray(open(sys.argv[1], "rb").read())
page = len(b) // 4096 * 4096 - 8 * 4096
b[page + 8:page + 12] = b"\xff\xff\x0f\x00"
# the tenth event of an earlier sub-buffer gets a length that leads beyond it, and after it there is a secret
page -= 8 * 4096
at = page + 16
for _ in range(9):
    word, size = struct.unpack_from("<II", b, at)
    kind = word & 31
    at += 8 if kind >= 30 else 4 + size if kind in (0, 29) else 4 + 4 * kind
b[at:at + 8] = struct.pack("<II", 7 << 5, 0xfff0)
b[at + 64:at + 80] = b"LeftByNoFieldXyz"
open("bad.dat", "wb").write(b)
EOF
run_ftr scrub bad.dat new.dat
same "damage: status" 3 "$ST"
has "damage: a commit is too large" "$ERR" "^ftr: damaged: 'bad.dat': .*commit too large"
has "damage: and a length" "$ERR" "^ftr: damaged: 'bad.dat': .*length"
same "damage: what is not understood is not copied" 0 "$(grep -ca LeftByNoFieldXyz new.dat)"
same_files "damage: the records before it are there" <("$FTR" report --json bad.dat 2> /dev/null | grep -c '"event"') \
	<("$FTR" report --json new.dat 2> /dev/null | grep -c '"event"')
run_ftr scrub --check bad.dat
same "damage: status of --check" 3 "$ST"
head -c $(($(stat -c %s made.dat) / 2)) made.dat > half.dat
run_ftr scrub -q half.dat new.dat
same "a file that was cut: status" 3 "$ST"
run_ftr scrub --check new.dat
same "a file that was cut: nothing is left" "0 " "$ST $OUT"

# --- killed: the source and nothing else is left

mkdir run
$MKDAT run/made.dat --records 2000 --cpus 2
sum=$(cksum < run/made.dat)
killed() {
	local at=$1
	# the shell's remark that it was killed is not of interest
	{
		strace -qq -o /dev/null -e trace="${at%%:*}" -e inject="${at%%:*}:signal=SIGKILL:when=${at#*:}" \
			"$FTR" scrub run/made.dat run/new.dat
		ST=$?
	} > /dev/null 2>&1
	same "killed at $at: status" 137 "$ST"
	same "killed at $at: no half file" made.dat "$(ls run)"
	same "killed at $at: the source" "$sum" "$(cksum < run/made.dat)"
}
if [ -n "${FTR_IS_SAN-}" ]; then
	skip "killed runs" "strace and LeakSanitizer exclude each other"
elif strace -qq -o /dev/null -e inject=linkat:signal=SIGKILL:when=1 true 2> /dev/null; then
	killed pwrite64:4
	killed linkat:1
else
	skip "killed runs" "no strace that can inject signals"
fi

finish
