#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# Time and memory grow no faster than what a file has many of; and what is beyond the limits is said, the rest is read.
. "$(dirname "$0")/../lib.sh"

# bomb KIND N PATTERN: a file of a few bytes that become N of a kind is read in bounded memory, status 3
bomb() {
	python3 "$ORACLE/growth.py" --write "$1" "$2" "$TMP/b.dat" || return
	"$FTR" report "$TMP/b.dat" > "$TMP/out" 2> "$TMP/err"
	same "$2 $1 are too many: status, and the record is still printed" "3 1" "$? $(grep -c . "$TMP/out")"
	has "$2 $1: it is said" "$(cat "$TMP/err")" "$3"
	rm -f "$TMP/b.dat"
}

# until_first_line FILE: instructions before the first write
until_first_line() {
	valgrind --tool=callgrind --dump-before=io_write_all --callgrind-out-file="$TMP/calls" \
		"$FTR" report -j1 "$1" > /dev/null 2>&1
	sed -n 's/^\(totals\|summary\): *//p' "$TMP/calls.1" | head -n 1
	rm -f "$TMP/calls"*
}

bomb packed_formats 200000 "too many event formats at offset 0x[0-9a-f]*, more than 98304; 101699 times"
bomb packed_options 2000000 "too many options at offset 0x[0-9a-f]*, more than 1048576; 95[0-9]* times"
bomb packed_printk 200000 "too many trace_printk formats at offset 0x[0-9a-f]*, 68928 more than 131072"
bomb packed_symbols 4194404 "too many symbols at offset 0x[0-9a-f]*, 100 more than 4194304"
bomb packed_comms 4000000 "section is too large at offset 0x[0-9a-f]*, section 'saved_cmdlines'"
# as many names as a section may have: 10 MB become 30, and stay so
python3 "$ORACLE/growth.py" --write packed_comms 3400000 "$TMP/b.dat"
"$FTR_BUILD/tests/tools/cpu_of" "$TMP/cpu" "$FTR" info "$TMP/b.dat" > "$TMP/out" 2> "$TMP/err"
same "3400000 names of tasks: all are there" "0 3400000" "$? $(sed -n 's/^task names: *//p' "$TMP/out")"
read -r _ _ user system _ _ kib < "$TMP/cpu"
[ "${FTR_IS_SAN:-}" = 1 ] ||
	check "3400000 names of tasks: at most 1 s, 64 MiB: $user s, $system s, $((kib >> 10)) MiB" \
		awk -v s="$user" -v k="$system" -v kib="$kib" 'BEGIN { exit s + k > 1 || kib > 64 * 1024 }'
rm -f "$TMP/b.dat"
bomb many_instances 1100 "too many instances at offset 0x[0-9a-f]*, more than 1024; 77 times"

# 64 CPUs with chunks of 16 MiB are 1 GiB, 20 are less than the limit
for n in 20 64; do
	python3 "$ORACLE/growth.py" --write packed_chunks $n "$TMP/b.dat"
	python3 - "$FTR" report -j8 "$TMP/b.dat" <<- 'EOF' > "$TMP/out" 2> "$TMP/err"
		import resource, subprocess, sys
		lines = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE).stdout.count(b'\n')
		print(lines, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	EOF
	read -r lines kib < "$TMP/out"
	if [ $n = 20 ]; then
		same "20 CPUs with chunks of 16 MiB: all their records" $((20 * 256)) "$lines"
	else
		has "64 CPUs with chunks of 16 MiB: it is said" "$(cat "$TMP/err")" \
			"compressed chunk damaged .*its header"
	fi
	[ "${FTR_IS_SAN:-}" = 1 ] ||
		check "$n CPUs with chunks of 16 MiB: at most 600 MiB: $((kib >> 10))" test "$kib" -le $((600 << 10))
done
rm -f "$TMP/b.dat"

if [ "${FTR_IS_SAN:-}" = 1 ]; then
	skip "growth of time and memory" "what a sanitizer adds is not the program's"
elif ! command -v valgrind > /dev/null; then
	skip "growth of time and memory" "no valgrind"
else
	# valgrind takes seconds of each kind. GROWTH_KINDS names those that are wanted.
	kinds=${GROWTH_KINDS:-$(sample 18 $(python3 "$ORACLE/growth.py" --list))}
	views=${GROWTH_KINDS:-$(sample 8 $(python3 "$ORACLE/growth.py" --list-views))}
	echo "# seed $FTR_SEED: $(wc -w <<< "$kinds") kinds, $(wc -w <<< "$views") views"
	python3 "$ORACLE/growth.py" "$TMP" $kinds $views

	# The first line needs two symbols of 200,000, however they are recorded.
	python3 "$ORACLE/growth.py" --write sorted_symbols 200000 "$TMP/in.dat"
	"$FTR_BUILD/tests/tools/replicate" "$TMP/in.dat" "$TMP/plain.dat" > /dev/null
	"$FTR_BUILD/tests/tools/replicate" -z "$TMP/in.dat" "$TMP/packed.dat" > /dev/null
	same "compressed symbols are less than half" 1 \
		$(($(stat -c %s "$TMP/packed.dat") < $(stat -c %s "$TMP/plain.dat") / 2))
	same "the same text from both" "$("$FTR" report "$TMP/plain.dat" | cksum)" \
		"$("$FTR" report "$TMP/packed.dat" | cksum)"
	plain=$(until_first_line "$TMP/plain.dat") packed=$(until_first_line "$TMP/packed.dat")
	echo "# instructions: $plain, with compressed metadata $packed"
	same "the first line takes less than a million instructions more where symbols are compressed" 1 \
		$((plain > 0 && packed < plain + 1000000))
fi
finish
