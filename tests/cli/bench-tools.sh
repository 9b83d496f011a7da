#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the measurements stand on: replicate's files have the records of the original, N times, and go on in time.
. "$(dirname "$0")/../lib.sh"
REPLICATE=$FTR_BUILD/tests/tools/replicate
file=$TMP/in.dat
if ! xz -dc "$FTR_FIXTURES_DIR/lisa-sched-load-64le.dat.xz" > "$file" 2> /dev/null; then
	skip "bench tools" "no fixtures in $FTR_FIXTURES_DIR"
	finish
fi

n=$(count_records "$file")
out=$("$REPLICATE" -n $((2 * n + 1)) "$file" "$TMP/out.dat")
same "replicate says what it made" "records=$((3 * n)) copies=3 of=$n" "$out"
same "a decoder of its own finds as many" $((3 * n)) "$(count_records "$TMP/out.dat")"
"$FTR" report -q -t "$TMP/out.dat" > "$TMP/text"
same "ftr reads them without a complaint" 0 $?
same "a line each" $((3 * n)) "$(wc -l < "$TMP/text")"
# task, CPU and text of each copy; the time is the third column from the colon on
"$FTR" report -q -t "$file" > "$TMP/once"
strip='s/ +[0-9]+\.[0-9]{9}: / /'
for _ in 1 2 3; do
	sed -E "$strip" "$TMP/once"
done > "$TMP/wanted"
sed -E "$strip" "$TMP/text" > "$TMP/got"
same_files "each copy is the original but for its times" "$TMP/wanted" "$TMP/got"
check "time never goes back" sh -c \
	'sed -nE "s/.* ([0-9]+\.[0-9]{9}): .*/\1/p" "$1" | sort -c' sh "$TMP/text"

"$REPLICATE" -Z -n $((2 * n + 1)) "$file" "$TMP/zstd.dat" > "$TMP/said"
same "of a compressed one a decoder finds as many" $((3 * n)) "$(count_records "$TMP/zstd.dat")"
"$FTR" report -q -t "$TMP/zstd.dat" > "$TMP/got"
same "ftr reads it without a complaint" 0 $?
same_files "it is the same but for its size" "$TMP/text" "$TMP/got"
check "it is smaller" test "$(stat -c %s "$TMP/zstd.dat")" -lt $(($(stat -c %s "$TMP/out.dat") / 2))

"$REPLICATE" -c 32 -n $n "$file" "$TMP/cpus.dat"
"$FTR" report -q -t "$TMP/cpus.dat" > "$TMP/text"
same "ftr reads 32 CPUs without a complaint" 0 $?
same "each has records" 32 "$(sed -nE 's/.*\[([0-9]{3})\].*/\1/p' "$TMP/text" | sort -u | wc -l)"
check "they are about as many as they were to be" sh -c '[ $1 -gt $(($2 / 2)) ] && [ $1 -lt $(($2 * 2)) ]' \
	sh "$(wc -l < "$TMP/text")" $n
check "side by side: the first of all CPUs come before half of the time is over" sh -c \
	'[ $(head -n $(($2 / 2)) "$1" | sed -nE "s/.*\[([0-9]{3})\].*/\1/p" | sort -u | wc -l) = 32 ]' sh "$TMP/text" \
	"$(wc -l < "$TMP/text")"

walked=$("$FTR_BUILD/tests/tools/ringwalk" "$TMP/out.dat")
same "ringwalk walks all of them" $((3 * n)) "${walked%% *}"
if command -v trace-cmd > /dev/null && trace-cmd convert -i "$TMP/out.dat" -o "$TMP/packed.dat" --compression zstd \
	> /dev/null 2>&1; then
	check "unpack finds the formats in a compressed file" \
		sh -c '"$1" "$2" 17 18 | grep -q "^2 sections, [1-9]"' sh "$FTR_BUILD/tests/tools/unpack" \
		"$TMP/packed.dat"
else
	skip "unpack" "no trace-cmd that compresses"
fi
check "the bench lists what it measures" sh -c '"$1" -h | grep -q memory' sh "$FTR_TOP/tests/bench/run"
finish
