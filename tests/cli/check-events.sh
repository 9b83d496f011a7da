#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr check-events: counts and reasons, of a bundle, a file, and what is neither.
. "$(dirname "$0")/../lib.sh"

# format NAME ID PRINT_FMT: one part of a bundle
format() {
	printf '@@FILE ./made/%s/format\nname: %s\nID: %s\nformat:\n' "$1" "$1" "$2"
	printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
	printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
	printf '\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: %s\n' "$3"
}

bundle=$TMP/bundle
{
	format whole 300 '"a=%d", REC->a'
	format foreign 301 '"a=%s", only_the_kernel_knows(REC->a)'
	format flags 302 '"%s", __print_flags(REC->a, "|", { 1, "A" })'
	format beyond 70000 '"a=%d", REC->a'
} > "$bundle"
got=$("$FTR" check-events --formats "$bundle")
same "a format that can't be parsed is status 3" 3 $?
has "the sum" "$got" '^.*/bundle: 4 events, 2 rendered whole \(50\.00 %\)$'
has "a function of the kernel is named" "$got" "^  made:foreign +.*only_the_kernel_knows"
has "an ID that is none is named" "$got" "^  made:beyond +.*ID"
same "the same from standard input" "$(tail -n +2 <<< "$got")" \
	"$("$FTR" check-events --formats - < "$bundle" | tail -n +2)"

json=$("$FTR" check-events --json --formats "$bundle" | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["events"], d["compiled"], [e["event"] for e in d["degraded"]], [e["event"] for e in d["unparsed"]])')
same "as JSON" "4 2 ['made:foreign'] ['made:beyond']" "$json"

# BTRFS_ORDERED_NOCOW is 1 up to 6.12 and 8 in 7.2: their BTF has it.
format enum 310 '"%s", __print_flags(REC->a, "|", { (1 << BTRFS_ORDERED_NOCOW), "NOCOW" }, { IOPRIO_CLASS_RT, "RT" })' \
	> "$TMP/enum"
has "a constant that differs between kernels is not known" "$("$FTR" check-events --formats "$TMP/enum")" \
	"made:enum +a table names the constant 'BTRFS_ORDERED_NOCOW', which only the kernel knows"
has "but is when the kernel is" "$("$FTR" check-events --formats "$TMP/enum" --kernel 6.12)" \
	' 1 events, 1 rendered whole'
"$FTR" check-events --formats "$TMP/enum" --kernel six 2> "$TMP/err"
same "a kernel that is none: status" 2 $?

python3 "$ORACLE/mkdat.py" "$TMP/a.dat" --records 5
# A bundle of a 32-bit kernel: an argument of %p is a long.
cat > "$TMP/small" <<'EOF'
@@FILE x/small/format
name: small
ID: 9
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:long v;	offset:4;	size:4;	signed:1;

print fmt: "%s", sizeof(long) == 4 ? "small" : unknown_here()
EOF
has "fields tell the size of a long" "$("$FTR" check-events --formats "$TMP/small")" '1 rendered whole'

# whole NAME KERNEL COUNT: how many of a bundle are whole. What is left reads the kernel's memory (dev_name(), mem_map),
# needs the size of struct page, or the time at which the kernel prints (jiffies).
whole() {
	local file=$FTR_FORMATS_DIR/$1.fmt.xz
	if [ ! -e "$file" ]; then
		skip "$1" "no such file in '$FTR_FORMATS_DIR'"
		return
	fi
	same "$1" "$3" "$(xz -dc "$file" | "$FTR" check-events --formats - --kernel "$2" |
		sed -nE '1s/.*: (.*) whole.*/\1/p')"
}
whole android_hammerhead_MRA59G_3.4.0 3.4 '444 events, 434 rendered'
whole android_seed_N2F62_3.10.49 3.10 '737 events, 723 rendered'
whole android_flounder_lte_LRX16F_3.10.40 3.10 '818 events, 787 rendered'

got=$("$FTR" check-events "$TMP/a.dat")
same "a trace file: status" 0 $?
has "a trace file: its events" "$got" "a\.dat: 9 events, 9 rendered whole"

: > "$TMP/empty"
for f in "$TMP/empty" /dev/null "$TMP/a.dat"; do
	"$FTR" check-events --formats "$f" > "$TMP/out" 2> "$TMP/err"
	same "no formats in ${f##*/}: status" 1 $?
	has "no formats in ${f##*/}: words" "$(cat "$TMP/err")" "'$f' has no event formats"
done
"$FTR" check-events --formats "$TMP/none" 2> "$TMP/err"
same "a file that is not there: status" 1 $?
"$FTR" check-events one two 2> "$TMP/err"
same "two files: status" 2 $?
"$FTR" check-events --engine=perf 2> "$TMP/err"
same "an unknown engine: status" 2 $?
FTR_TRACEFS=$TMP "$FTR" check-events 2> "$TMP/err"
same "no tracefs: status" 1 $?
finish
