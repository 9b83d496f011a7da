#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# ftr split: the parts of a file have the records of the file, as ftr report and trace-cmd report print them.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/recordings.sh"
cd "$TMP" || exit 1
HAVE_TC=$(command -v trace-cmd)

reports() {
	local f
	for f in "$@"; do "$FTR" report --raw "$f" 2> /dev/null; done | sort
}

# splits FILE NAME PARTS ARGS...: so many parts, together with the records of FILE; PARTS "" is any number
splits() {
	local file=$1 name=$2 parts=$3
	shift 3
	rm -f part.*
	run_ftr split -q "$@" -o part "$file"
	same "$name: status" "0 " "$ST $ERR"
	[ -z "$parts" ] || same "$name: parts" "$parts" "$(ls part.* | wc -l)"
	same_files "$name: the records" "$file.report" <(reports part.*)
	[ -z "$HAVE_TC" ] || [ ! -e "$file.trace-cmd" ] ||
		same_files "$name: trace-cmd's" "$file.trace-cmd" <(trace_cmd_records part.* | sort)
}

# has_markers FILE: is there an event for texts of trace_marker?
has_markers() {
	"$FTR" report --event ftrace:print "$1" > /dev/null 2>&1
	[ $? != 2 ]
}

# source_reports FILE: the reports that its parts must add up to
source_reports() {
	reports "$1" > "$1.report"
	[ -z "$HAVE_TC" ] || trace_cmd_records "$1" | sort > "$1.trace-cmd"
}

# --- files that others recorded

fixtures() {
	local path name how
	local -a hows=("-r -e 700" "-r -p 5" "-r -c -e 300" "--parts 3" "-r -s 1" "-r -m 300" "-r -u 500000"
		"--each cpu" "--each buffer" "--marker=*" "-r -p 2 --drop btf")
	[ -d "$FTR_FIXTURES_DIR" ] || { skip "fixtures" "no directory $FTR_FIXTURES_DIR"; return; }
	for path in $(recordings); do
		name=$(recording_name "$path")
		[ "$name" != trappy-52k-32le ] || [ "${FTR_LONG:-}" = 1 ] || continue
		unpack "$path" "$name"
		source_reports "$name"
		while IFS= read -r how; do
			if [[ $how = --marker* ]] && ! has_markers "$name"; then
				ftr_refuses "$name $how" 1 "'$name' has no texts of trace_marker" \
					split $how -o part "$name"
			else
				splits "$name" "$name $how" "" $how
			fi
		done < <(sample 1 "${hows[@]}"; echo "")
		rm "$name"*
	done
}

fixtures

# --- made files: losses with and without their number, absolute time stamps, discarded events, instances

MKDAT="python3 $ORACLE/mkdat.py"
while IFS='|' read -r name args; do
	$MKDAT made.dat $args
	source_reports made.dat
	# trace-cmd loses the time of a discarded event, and of the stamps beyond it
	rm -f made.dat.trace-cmd
	splits made.dat "$name: events" "" -r -e 211
	splits made.dat "$name: sub-buffers" "" -r -p 3
	splits made.dat "$name: one part is the file" 1
	same "$name: version, compression, size of a long" "$("$FTR" info made.dat | sed -n 's/^format: *//p')" \
		"$("$FTR" info part.1 | sed -n 's/^format: *//p')"
	has "$name: checksums" "$("$FTR" info part.1; "$FTR" info -q part.1 2>&1)" 'checksums: +(.* all correct|none)'
done << EOS
version 7|--records 300
version 7 with instances|--records 150 --instances one,two --instance-page-size 8192
zstd|--records 300 --compress zstd --long 4
version 6|--records 300 --version 6 --instances one --clock mono
stamps beyond 59 bits|--records 200 --start-ts 0x0c00000000000000 --absolute 0.3
EOS

# --- sub-buffers at a border, by hand: whole ones are the same bytes

# pages FILE: a hash of each sub-buffer of the last CPU, by the places in the file's own options
pages() {
	python3 - "$1" <<- EOF
	import hashlib, struct, sys
	b = open(sys.argv[1], "rb").read()
	at, parts = struct.unpack_from("<Q", b, b.index(b"none\0") + 6)[0], []
	while at:
	    end, at, after = at + 16 + struct.unpack_from("<Q", b, at + 8)[0], at + 16, 0
	    while at + 6 <= end:
	        kind, n = struct.unpack_from("<HI", b, at)
	        p, at = b[at + 6:at + 6 + n], at + 6 + n
	        if kind == 3:
	            parts.append(struct.unpack_from("<IIIQQ", p[8:].split(b"\0", 2)[2]))
	        elif kind == 0:
	            after = struct.unpack("<Q", p)[0]
	            break
	    at = after
	size, cpus, cpu, off, length = parts[0]
	for i in range(0, length, size):
	    print(hashlib.md5(b[off + i:off + i + size]).hexdigest())
	EOF
}

$MKDAT one.dat --cpus 1 --records 600 --lost 0
source_reports one.dat
pages one.dat > want
"$FTR" split -q one.dat -o one
pages one.1 > got
same_files "whole sub-buffers are the same bytes" want got
"$FTR" split -q -r -p 2 one.dat -o one
pages one.0002 > got
same_files "those of a part, too" <(sed -n 3,4p want) got
"$FTR" split -q -e 250 one.dat -o cut
pages cut.1 > got
same_files "all but the last at a border" <(head -n $(($(wc -l < got) - 1)) want) <(head -n -1 got)

# --- times that go back: reported by each kind of parts, counted once

# the sixth sub-buffer before the fifth: a border between parts of five is where times go back
python3 - one.dat << 'EOF'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
ts = [struct.unpack_from("<Q", b, at)[0] for at in range(0, len(b) - 4095, 4096)]
first = next(i for i in range(len(ts)) if not ts[i] >> 40)
at = (first + 4) * 4096
open("back.dat", "wb").write(b[:at] + b[at + 4096:at + 8192] + b[at:at + 4096] + b[at + 8192:])
EOF
went_back="^ftr: damaged: 'back\.dat': sub-buffer time stamps go back at offset 0x7000 \(CPU 0\), sub-buffer 5\$"
while read -r how; do
	rm -f part.*
	run_ftr split -q $how back.dat -o part
	same "times that go back, $how: status" 3 "$ST"
	has "times that go back, $how: reported" "$ERR" "$went_back"
	same_files "times that go back, $how: the records" one.dat.report <(reports part.*)
done << EOS
-r -p 5
-r -p 1
-r -c -e 40
-r -e 50
-r -m 100
--parts 3
--each cpu
EOS

# --- parts of the same time, by the nanosecond: nine moments up to the end of the range are four and five

for i in {1000..1019}; do
	echo "0 $i 100 . print buf=x"
done > moments.txt
python3 "$FTR_TOP/tests/tools/span_cases.py" --keep moments "$FTR_BUILD/tests/tools/span_dump" moments.txt > /dev/null
for row in '+7ns 4 4' '+8ns 4 5' '+9ns 5 5' '+1s 10 10'; do
	read -r until want <<< "$row"
	rm -f part.*
	"$FTR" split -q --parts 2 --until "$until" moments0.dat -o part
	same "two parts until $until" "$want" \
		"$(echo $(for part in part.*; do "$FTR" report "$part" 2> /dev/null | grep -c print:; done))"
done

# --- selections

$MKDAT made.dat --records 200 --instances one,two
"$FTR" report --raw made.dat 2> /dev/null > all
same_report() {
	local name=$1 want=$2
	shift 2
	rm -f s.*
	run_ftr split -q made.dat -o s "$@"
	same "$name: status" "0 " "$ST $ERR"
	same_files "$name" <(sort "$want") <(reports s.1)
}
# the losses at records that are left out are those of the next record
lossless() { grep -v -e LOST -e DROPPED; }
middle=$(awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { sub(":", "", $i); print $i; next } }' all |
	sed -n 400p)
for row in "--event|sched_switch" "-F|sched_waking: pid > 0" "--pid|512" "--comm|bash" "--cpu|1-2"; do
	rm -f s.*
	"$FTR" split -q made.dat -o s "${row%%|*}" "${row#*|}"
	same_files "$row" <("$FTR" report --raw made.dat "${row%%|*}" "${row#*|}" 2> /dev/null | lossless | sort) \
		<(reports s.1 | lossless)
done
for row in "--since $middle" "--until $middle" "--since +1ms --until -1ms"; do
	"$FTR" report --raw made.dat $row 2> /dev/null > want
	same_report "$row" want $row
done
"$FTR" report --raw made.dat --since "$middle" --until "${middle%.*}.999999" 2> /dev/null > want
same_report "trace-cmd's START and END" want "$middle" "${middle%.*}.999999"
for row in "$middle,3ms $middle" "+1ms,20ms +1ms" "-1ms,20ms -1ms"; do
	around=${row% *} at=${row#* } by=${row%% *} by=${by#*,}
	from=$(python3 -c 'import sys
first, last, at, by = sys.argv[1:]
at = float(first) + 1e-3 if at[0] == "+" else float(last) - 1e-3 if at[0] == "-" else float(at)
print("%.9f %.9f" % (at - float(by[:-2]) / 1e3, at + float(by[:-2]) / 1e3))' $(awk '
		{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { sub(":", "", $i); t[n++] = $i; next } }
		END { print t[0], t[n - 1] }' all) "$at" "$by")
	"$FTR" report --raw made.dat --since "${from% *}" --until "${from#* }" 2> /dev/null > want
	same_report "--around $around" want "--around=$around"
done
ftr_refuses "--around: no duration" 2 "'5x' is not a duration" split --around 1,5x made.dat
"$FTR" report --raw made.dat --cpu 1 2> /dev/null > want
same_report "trace-cmd's -C" want -C 1
rm -f s.*
"$FTR" split -q made.dat -o s -B two
same "-B: the instance alone" "two" "$("$FTR" info s.1 | sed -n 's/^instances: *top level, *//p')"
"$FTR" split -q made.dat -o s -B two -t
same "-t: it becomes the top level" "top level" "$("$FTR" info s.1 | sed -n 's/^instances: *//p')"
"$FTR" split -q made.dat -o s -B two --top -t -b old
same "-b: and the top level an instance" "top level, old" "$("$FTR" info s.1 | sed -n 's/^instances: *//p')"
"$FTR" split -q -r --each buffer made.dat -o b
same "--each buffer" "3 top level, two" "$(ls b.* | wc -l) $("$FTR" info b.0003 | sed -n 's/^instances: *//p')"
run_ftr split --each cpu made.dat -o c
has "--each cpu: said" "$ERR" '^ftr: c\.0003: 1 CPU, .* lost, CPU 2$'

# --- a part of a long file: as many bytes are read as of a short one

# bytes_read FILE ARGS...: by one part of it, range.1, without its metadata, which is the same in all
bytes_read() {
	strace -f -o calls -e trace=read,pread64,preadv,preadv2,copy_file_range,sendfile,splice \
		"$FTR" split -q "$@" -o range
	awk '!/ read\(/ && /= [0-9]+$/ { n += $NF } END { print n + 0 }' calls
}

# The steps of a search read less than 64 KiB each: one for each doubling of the file and each CPU, at both ends of the
# range.
reads_no_more() {
	local name=$1 steps=$2 short=$3 long=$4
	if [ "$long" -lt $((short + steps * 2 * 65536)) ]; then
		pass "$name: $long bytes are read, of the short one $short"
	else
		fail "$name: hardly more is read than of a short one" "$short" "$long"
	fi
}

HAVE_STRACE=
strace -o /dev/null true 2> /dev/null && HAVE_STRACE=1
$MKDAT made.dat --records 200 --absolute 0 --lost 0
"$FTR_BUILD/tests/tools/replicate" -b 1000000 made.dat short.dat > /dev/null
"$FTR_BUILD/tests/tools/replicate" -b 30000000 made.dat long.dat > /dev/null
if [ -n "$HAVE_STRACE" ]; then
	reads_no_more "a file of 30 MB and one of 1 MB" 15 "$(bytes_read --since +10s --until +20s short.dat)" \
		"$(bytes_read --since +10s --until +20s long.dat)"
else
	skip "bytes that are read" "no strace"
fi
rm -f long.dat short.dat

# 10 GiB whose sub-buffers are mostly holes: the part, memory and bytes, and the same records of 160 MiB
sparse() {
	local size=$1 file=$2
	shift 2
	python3 "$ORACLE/mksparse.py" "$file" "$size" 1000020000000 1000029500000 "$@"
}

# decoded FILE: its records as mksparse.py prints them, by trace-cmd
decoded() {
	trace_cmd_report -R -t "$1" | sed -nE \
		's/^ *[^ ]*-([0-9]+) +\[0*([0-9]+)\] +([0-9]+)\.([0-9]+): sched_waking: .*/\2 \3\4 \1/p' | sort
}

# decoder FILE: what it counts of range.1, for the part of FILE
decoder() {
	"$FTR" split -q --since 1000.02 "$1" -o range
	python3 "$ORACLE/rawdecode.py" range.1 | grep -e ^buffer -e records
}

sparse_parts() {
	sparse $((160 << 20)) short.dat > want
	if [ "$(du -m short.dat | cut -f 1)" -gt 40 ]; then
		skip "sparse" "the file system has no holes"
		return
	fi
	sparse $((10 << 30)) long.dat > want.long
	same_files "sparse: the records are at the same times" want want.long
	same "sparse: there are some" 120 "$(wc -l < want)"
	python3 - "$FTR" split -q --since 1000.02 --until 1000.0295 long.dat -o range > used <<- 'EOF'
	import resource, subprocess, sys
	status = subprocess.run(sys.argv[1:]).returncode
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	print("status %d, %s, %s" % (
	    status, "at most 64 MiB" if used.ru_maxrss < 65536 else "%d KiB" % used.ru_maxrss,
	    "less than 1 s" if used.ru_utime + used.ru_stime < 1 else "long"))
	EOF
	same "sparse: status, memory, CPU time" "status 0, at most 64 MiB, less than 1 s" "$(< used)"
	same "sparse: the decoder's records" "total records 120" \
		"$(python3 "$ORACLE/rawdecode.py" range.1 | grep '^total records')"
	[ -z "$HAVE_TC" ] || same_files "sparse: trace-cmd's" <(sort want) <(decoded range.1)
	[ -n "$HAVE_STRACE" ] || { skip "sparse: bytes that are read" "no strace"; return; }
	reads_no_more "10 GiB and 160 MiB" 24 "$(bytes_read --since 1000.02 --until 1000.0295 short.dat)" \
		"$(bytes_read --since 1000.02 --until 1000.0295 long.dat)"
	# sub-buffers without data at the end of each CPU
	sparse $((160 << 20)) short.dat 40 > want
	sparse $((10 << 30)) hole.dat 40 > /dev/null
	reads_no_more "10 GiB that end with a hole" 24 "$(bytes_read --since 1000.02 short.dat)" \
		"$(bytes_read --since 1000.02 hole.dat)"
	decoder short.dat > want
	decoder hole.dat > got
	same_files "10 GiB that end with a hole: the decoder's records" want got
}

sparse_parts
rm -f long.dat short.dat hole.dat

if [ -n "$HAVE_TC" ]; then
	trace-cmd split -r -e 100 -i made.dat -o theirs > /dev/null 2>&1
	run_ftr split -r -e 100 -i made.dat -o theirs-not
	has "names as trace-cmd's" "$(ls theirs.*)" '^theirs\.0002$'
fi

finish
