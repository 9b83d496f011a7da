#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ftr report and ftr info make of the text of a tracer that keeps the longest latency.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

make() {
	python3 "$ORACLE/mklatency.py" "$@"
}

# The kernel's own, of 6.12-rt, but for the escape sequence.
{
	echo '# tracer: wakeup_rt'
	echo '#'
	echo '# wakeup_rt latency trace v1.1.5 on 6.12.117+deb12-rt-amd64'
	echo '# latency: 51 us, #2/2, CPU#1 | (M:PREEMPT_RT VP:0, KP:0, SP:0 HP:0 #P:2)'
	printf '   <...>-\ttask    1d..3.   51us : __schedule <-schedule\n'
} > plain.txt
printf '# evil \033[31m\233 \xe2\x80\xae\n' > evil.txt
printf '# evil \\x1b[31m\\x9b \\xe2\\x80\\xae\n' > shown.txt
printf '# second' > second.txt

whole() {
	local endian compress
	for endian in le be; do
		for compress in none zlib zstd; do
			make -endian=$endian -compress=$compress a.dat =plain.txt
			"$FTR" report a.dat > got 2> err
			same "$endian, $compress: status, and nothing is said" "0 " "$? $(cat err)"
			same_files "$endian, $compress: the text as it is" plain.txt got
		done
	done
	make a.dat =plain.txt
	"$FTR" report --format=kernel a.dat > got
	same_files "--format=kernel: the text as it is" plain.txt got
	make -data a.dat =plain.txt
	"$FTR" report a.dat > got
	head -n "$(wc -l < plain.txt)" got > head
	same_files "with records: the text comes first" plain.txt head
	same "and then the record" 1 "$(tail -n +6 got | grep -c 'function: .*vfs_')"
}

chosen() {
	make -data a.dat =plain.txt
	local option
	for option in "--event function" "--cpu 0" "-R" "--fields comm,cpu"; do
		# shellcheck disable=SC2086
		"$FTR" report $option a.dat > got
		same "$option is about records: no text" "0 1" "$(grep -c '^#' got) $(grep -c . got)"
	done
}

several() {
	make a.dat =plain.txt foo=second.txt
	make b.dat =second.txt
	{ echo "# a.dat:"; cat plain.txt; printf "# a.dat, instance 'foo':\n# second\n# b.dat:\n# second\n"; } > want
	"$FTR" report a.dat b.dat > got
	same_files "several texts: whose each is" want got
}

hostile() {
	make a.dat =evil.txt
	"$FTR" report a.dat > got
	same_files "what a terminal would act on is escaped" shown.txt got
	make "a.dat" "$(printf 'f\033o')=second.txt" =second.txt
	has "also in the name of an instance" "$("$FTR" report a.dat)" "instance 'f.x1bo'"

	make -data -cut=5 a.dat =plain.txt
	"$FTR" report a.dat > got 2> err
	same "a text that is cut: status" 3 $?
	has "it is said" "$(cat err)" "metadata does not fit its place at offset 0x[0-9a-f]*, 'FTR_LATENCY'"
	same "what there is of it is shown" "$(head -c -5 plain.txt)" "$(head -n 5 got)"
	same "and so are the records" 1 "$(grep -c 'function: .*vfs_' got)"
	make -data -n=4000000000 a.dat =plain.txt
	"$FTR" report a.dat > got 2> err
	same "more texts claimed than there are: status, lines" "3 6" "$? $(grep -c . got)"
	make -data -more=100 a.dat =plain.txt
	"$FTR" report a.dat > got 2> err
	same "bytes behind the last: status, lines" "3 6" "$? $(grep -c . got)"
	make -cut=60000 a.dat =plain.txt
	"$FTR" report a.dat > got 2> err
	same "an empty section: status, lines" "3 0" "$? $(grep -c . got)"
	# shellcheck disable=SC2046
	make -compress=zstd a.dat $(seq -f '%g=second.txt' 2000)
	"$FTR" report a.dat > got 2> err
	same "of 2,000 texts 1,024 are read" "3 1024" "$? $(grep -c second got)"
	make a.dat "$(printf '%0300d' 1)=second.txt"
	"$FTR" report a.dat > got 2> err
	same "the name of an instance is too long: status, lines" "3 0" "$? $(grep -c . got)"
	head -c 67200000 /dev/zero | tr '\0' 'x' > big.txt
	make -compress=zstd a.dat =big.txt
	"$FTR" report a.dat > got 2> err
	has "a text beyond 64 MiB: status $?" "$(cat err)" "too large.*FTR_LATENCY"
	rm -f big.txt
}

told() {
	make -meta=max_latency=51 -meta=max_latency.foo=7 a.dat =plain.txt foo=second.txt
	"$FTR" info a.dat > got 2> /dev/null
	same "ftr info: the latency and the size of each text" \
		"max latency:    51 us, text of $(wc -c < plain.txt) bytes/\
                7 us, text of 8 bytes, instance foo" \
		"$(grep -A 1 '^max latency:' got | paste -sd /)"
	make a.dat =plain.txt
	has "ftr info: a file that does not say it" "$("$FTR" info a.dat)" \
		"^max latency: +not told, text of $(wc -c < plain.txt) bytes\$"
}

# A recording of such a tracer that was killed: the kernel alone had the text.
unfinished() {
	local key
	for key in latency_tracer latency_tracer.foo; do
		python3 "$ORACLE/mkspool.py" a.dat --like b.dat --text $key=wakeup_rt --instances foo
		"$FTR" report a.dat > /dev/null 2> err
		has "$key: an unfinished file says what it lacks" "$(cat err)" \
			"missing: .*statistics, the longest latency\$"
		"$FTR" recover -o r.dat a.dat > /dev/null 2> err
		has "$key: and so does ftr recover" "$(cat err)" "the longest latency \(only the kernel had it\)"
		has "$key: and the file that it makes" "$("$FTR" info --quick r.dat)" \
			"recovered=without .*the longest latency"
	done
}

foreign() {
	command -v trace-cmd > /dev/null || { skip "trace-cmd reads it" "no trace-cmd"; return; }
	make -data a.dat =plain.txt
	trace-cmd report a.dat > got 2> err
	same "trace-cmd reads it, and says nothing" "0 1 " "$? $(grep -c 'function: .*vfs_' got) $(cat err)"
}

whole
chosen
several
hostile
told
unfinished
foreign
finish
