# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by oops-keep.sh: oops-keep.sh KERNEL-SERIES
. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
FOO=/sys/kernel/tracing/instances/foo
mkdir $FOO

# collect NAME DIR ARGS...: takes what a buffer has that is off; its file is $TAKEN
collect() {
	local name=$1 dir=$2
	shift 2
	echo > $FOO/trace
	echo 1 > $FOO/tracing_on
	echo "$name" > $FOO/trace_marker
	echo 0 > $FOO/tracing_on
	ran "$name" 0 oops collect -B foo --dir "$dir" "$@"
	TAKEN=$(sed -nE "s|^([^ ]*/[0-9-]+\\.dat).*|\\1|p" out)
	has "$K: $name: the file is there" "$("$FTR" report "$TAKEN")" "print: .*$name\$"
}

# Names that begin as those of collects, and one that is such a name, of a recording and of no trace file.
foreign() {
	local n
	mkdir own
	for n in 01 02 03 04 05; do
		echo mine > own/2025-11-$n-nfs.dat
	done
	echo mine > own/20240102-030405.dat
	echo mine > own/6.12-2.dat
	echo mine > own/1-2-notes.txt.part
	"$FTR" record -q -e sched:sched_process_exit -o own/20240101-000000.dat -- true
	ls own > before
	collect foreign own --keep 1
	same "$K: files of others stay" "$(cat before)" "$(ls own | grep -v "^${TAKEN##*/}\$")"
	same "$K: nothing is said of removing" '' "$(grep removed err out)"
}

# Boards without a battery begin in 1970.
behind() {
	local now=$(date +%s) first second early
	mkdir dir
	collect first dir --keep 2
	first=$TAKEN
	collect second dir --keep 2
	second=$TAKEN
	date -s '1970-01-02 03:04:05' > stdout
	collect early dir --keep 2
	early=$TAKEN
	has "$K: its name is of 1970" "$early" '/19700102-'
	same "$K: the oldest is gone" "$second $early" "$(printf '%s\n' dir/*.dat | sort -r | xargs)"
	has "$K: that is said" "$(cat err out)" "removed '$first'"
	date -s "@$((now + 100))" > stdout
	collect later dir --keep 2
	same "$K: the file of 1970 is newer than those before it" "$TAKEN $early" \
		"$(printf '%s\n' dir/*.dat | sort -r | xargs)"
}

# Characters of a pattern in the name of the folder.
folder() {
	mkdir 'f[1]'
	collect folder-1 'f[1]' --keep 1
	collect folder-2 'f[1]' --keep 1
	same "$K: a folder with brackets" "$TAKEN" "$(printf '%s\n' 'f[1]'/*.dat)"
}

run_parts foreign behind folder
