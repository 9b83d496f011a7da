#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# ftr oops collect: what a crash left in a buffer that outlives a boot, and in one that something stopped, has every
# record that the kernel shows of it, the symbols of its boot and the text of the oops.
. "$(dirname "$0")/../lib.sh"

ARGS='panic=1 reserve_mem=4M:4096:ftr-trace trace_instance=ftr-oops^traceoff@ftr-trace'
ARGS+=' reserve_mem=1M:4096:ftr-log ramoops.mem_name=ftr-log ramoops.record_size=131072'

crash_and_collect() {
	cat <<-'EOS'
	T=/sys/kernel/tracing/instances
	D=$OUT/oops
	modprobe ramoops
	if [ "$GUEST_BOOT" = 1 ]; then
		mkdir -p -m 700 "$D"
		"$FTR" oops collect --dir "$D" > "$OUT/out.none" 2> "$OUT/err.none"
		echo $? > "$OUT/status.none"
		FTR_OOPS_DIR=$D "$FTR" oops arm -e sched -e timer
		cat /proc/sys/kernel/random/boot_id > "$OUT/id"
		"$FTR" oops status > "$OUT/look"
		ls -R /usr/share/doc > /dev/null 2>&1
		echo the last words > $T/ftr-oops/trace_marker
		echo 1 > /proc/sys/kernel/sysrq
		sync
		echo c > /proc/sysrq-trigger
		sleep 60
	fi
	mountpoint -q /sys/fs/pstore || mount -t pstore pstore /sys/fs/pstore
	I=$T/ftr-oops
	[ ! -d $T/ftr-backup ] || I=$T/ftr-backup
	mkdir -p /small
	mount -t tmpfs -o size=2M tmpfs /small
	"$FTR" oops collect --dir /small > "$OUT/out.full" 2> "$OUT/err.full"
	echo $? > "$OUT/status.full"
	cat $I/trace > "$OUT/trace.txt"
	"$FTR" record -B ftr-oops -e sched_switch -o /tmp/r.dat -- true > /dev/null 2> "$OUT/err.record"
	echo $? > "$OUT/status.record"
	"$FTR" start -B ftr-oops -e sched_switch > /dev/null 2> "$OUT/err.start"
	echo $? > "$OUT/status.start"
	# 7.2 has a copy of it
	[ $I = $T/ftr-oops ] ||
		"$FTR" record -K -B ftr-oops -e sched_switch -o /tmp/k.dat -- true > /dev/null 2> "$OUT/err.discard"
	[ $I = $T/ftr-oops ] || cat $T/ftr-oops/last_boot_info > "$OUT/told"
	"$FTR" oops collect --dir "$D" > "$OUT/taken.out" 2> "$OUT/taken.err"
	echo $? > "$OUT/taken.status"
	ls -l "$D" > "$OUT/ls"
	"$FTR" oops collect --dir "$D" > "$OUT/out.again" 2> "$OUT/err.again"
	echo $? > "$OUT/status.again"
	echo 1 > $T/ftr-oops/tracing_on
	echo of this boot > $T/ftr-oops/trace_marker
	echo 0 > $T/ftr-oops/tracing_on
	"$FTR" start --force -B ftr-oops -e sched_switch > /dev/null 2> "$OUT/err.force"
	echo $? > "$OUT/status.force"
	exit 0
	EOS
}

# What a line of the kernel's format says of each record: task, CPU, time, event.
heads() {
	sed -En 's/^ *.*-([0-9]+) +\[([0-9]+)\] [^ ]+ +([0-9]+\.[0-9]+): ([a-z_]+):.*/\1 \2 \3 \4/p' "$1"
}

as_the_kernel_has_it() {
	"$FTR" report --format=kernel "$1" > "$OUTDIR/report.txt" 2> "$OUTDIR/report.err"
	heads "$OUTDIR/report.txt" > "$OUTDIR/ours"
	heads "$OUTDIR/trace.txt" > "$OUTDIR/theirs"
	check "$V: there are some" test "$(wc -l < "$OUTDIR/theirs")" -gt 100
	same_files "$V: task, CPU, time, event of each record" "$OUTDIR/theirs" "$OUTDIR/ours"
	has "$V: the last words" "$(tail -n 3000 "$OUTDIR/report.txt")" 'the last words'
}

# 7.2 alone tells of which boot the records are.
left_words() {
	local perhaps='perhaps '
	[[ $V != 7.* ]] || perhaps=
	echo "the buffer of instance 'ftr-oops' holds records, ${perhaps}of the boot before this one"
}

refused_before() {
	same "$V: $1 before collect: status" "$2" "$(cat "$OUTDIR/status.$1")"
	same "$V: $1 before collect: words" \
		"ftr: $(left_words)|hint: 'ftr oops collect' saves them; --force discards them" \
		"$(paste -sd '|' "$OUTDIR/err.$1")"
}

# 6.12 can't tell that the records are of this boot; 7.2 has been warned of when it was so.
discarded() {
	local discarded=$OUTDIR/err.force
	same "$V: discarded by --force: status" 0 "$(cat "$OUTDIR/status.force")"
	if [[ $V == 7.* ]]; then
		same "$V: --force, of this boot: no warning" '' "$(grep 'warning' "$OUTDIR/err.force")"
		same "$V: discarded by the kernel, which tells so" '# Current' "$(cat "$OUTDIR/told")"
		discarded=$OUTDIR/err.discard
	fi
	has "$V: discarded: a warning" "$(cat "$discarded")" \
		"^ftr: warning: $(left_words): .* discard.*'ftr oops collect' would have saved them$"
}

after_a_boot() {
	local file info
	crash_and_collect > "$OUTDIR/run.sh"
	guest --timeout 400 --reboot --append "nokaslr $ARGS${1:+ $1}" -- sh "$OUTDIR/run.sh"
	same "$V: the guest" 0 $?
	same "$V: nothing yet: status" 1 "$(cat "$OUTDIR/status.none")"
	has "$V: nothing yet: words" "$(cat "$OUTDIR/err.none")" '^ftr: no buffer has the trace of a crash$'
	same "$V: no room: status" 3 "$(cat "$OUTDIR/status.full")"
	has "$V: no room: words" "$(cat "$OUTDIR/err.full")" 'nothing was taken'
	refused_before record 125
	refused_before start 1
	same "$V: status" 0 "$(cat "$OUTDIR/taken.status")"
	file=$OUTDIR/oops/$(basename "$(cat "$OUTDIR/taken.out")")
	as_the_kernel_has_it "$file"
	has "$V: of which boot" "$(cat "$OUTDIR/taken.err")" '^ftr: collected .* of the previous boot$'
	has "$V: with the front of that boot" "$(cat "$OUTDIR/taken.err")" "formats and symbols: '.*\.front'"
	has "$V: what pstore keeps of the log" "$(cat "$OUTDIR/look")" \
		"^  pstore +yes: ramoops, the last 128 KiB of the kernel's log$"
	has "$V: the oops: where from" "$(cat "$OUTDIR/taken.err")" 'the text of the oops: /sys/fs/pstore'
	has "$V: the oops" "$("$FTR" info "$file")" 'oops: +(sysrq: Trigger a crash|Kernel panic - not syncing: sysrq)'
	info=$("$FTR" info "$file")
	has "$V: info: the kernel" "$info" "^kernel: +Linux .* ${V//+/\\+} "
	has "$V: info: CPUs" "$info" '^CPUs: +2$'
	same "$V: info: the main buffer is the file's" 'top level' "$(sed -n 's/^buffer: *//p' <<< "$info")"
	has "$V: info: whose it was" "$info" 'oops_instance=ftr-oops$'
	has "$V: info: the boot" "$info" "boot_id=$(cat "$OUTDIR/id")$"
	has "$V: info: when it began" "$info" "^recorded: +$(date -u +%Y)-.*UTC$"
	has "$V: info: modules" "$info" '^modules: +[1-9]'
	has "$V: info: all is there" "$info" '^missing: +nothing$'
	same "$V: nothing lies beside" '.armed .dat .front' \
		"$(sed 's/.*\././; s/^/./; s/^\.\././' <<< "$(ls "$OUTDIR/oops")" | sort | xargs)"
	same "$V: for root alone" '-rw-------' "$(grep -o '^-.* .*\.dat$' "$OUTDIR/ls" | cut -c 1-10)"
	same "$V: the buffer is free" 1 "$(cat "$OUTDIR/status.again")"
	has "$V: the buffer is free: the words name the file" "$(cat "$OUTDIR/err.again")" \
		"^ftr: no buffer .*: the last one that was collected is in '$(cat "$OUTDIR/taken.out")'$"
	discarded
}

in_this_boot() {
	cat <<-'EOS'
	T=/sys/kernel/tracing/instances
	D=$OUT/now
	mkdir -p "$D" $T/ftr-oops
	"$FTR" record -q -e sched -o "$D/$(cat /proc/sys/kernel/random/boot_id).front" -- true
	echo 1 > $T/ftr-oops/events/sched/enable
	"$FTR" oops collect --dir "$D" > "$OUT/out.on" 2> "$OUT/err.on"
	echo $? > "$OUT/status.on"
	echo the last words > $T/ftr-oops/trace_marker
	echo 0 > $T/ftr-oops/tracing_on
	echo 'BUG: a made one' > /dev/kmsg
	cat $T/ftr-oops/trace > "$OUT/trace.txt"
	"$FTR" oops collect --dir "$D" > "$OUT/taken.out" 2> "$OUT/taken.err"
	echo $? > "$OUT/taken.status"
	exit 0
	EOS
}

stopped_in_this_boot() {
	local file
	in_this_boot > "$OUTDIR/run.sh"
	guest --own --timeout 300 -- sh "$OUTDIR/run.sh"
	same "$V: this boot: the guest" 0 $?
	same "$V: while it records: status" 1 "$(cat "$OUTDIR/status.on")"
	has "$V: while it records: words" "$(cat "$OUTDIR/err.on")" 'this boot is armed and nothing stopped it'
	same "$V: this boot: status" 0 "$(cat "$OUTDIR/taken.status")"
	file=$OUTDIR/now/$(basename "$(cat "$OUTDIR/taken.out")")
	as_the_kernel_has_it "$file"
	has "$V: this boot: the oops" "$("$FTR" info "$file")" 'oops: +BUG: a made one'
}

# An oops in a task: the machine lives on.
oops_run() {
	cat <<-'EOS'
	T=/sys/kernel/tracing
	D=$OUT/printed
	mkdir -m 700 "$D"
	FTR_OOPS_DIR=$D "$FTR" oops arm --dump=all -e module -e signal -e sched:sched_process_exit \
		-B other -e sched:sched_process_fork
	[ -d $T/instances/ftr-oops ] && T=$T/instances/ftr-oops
	echo 'just before the oops' > $T/trace_marker
	insmod -f "$OUT/ftrmod.ko" crash=null
	dmesg > "$OUT/dmesg"
	"$FTR" oops collect --dir "$D" > "$OUT/taken.out" 2> "$OUT/taken.err"
	echo $? > "$OUT/taken.status"
	echo 'after the oops' > /dev/kmsg
	"$FTR" oops collect --dir "$D" > "$OUT/out.again" 2> "$OUT/err.again"
	echo $? > "$OUT/status.again"
	mkdir "$OUT/elsewhere"
	mv "$D"/*.dat "$OUT/elsewhere"
	echo on > /proc/sys/kernel/printk_devkmsg
	for n in $(seq 5000); do echo "much to say, so that the log has not the dump any more"; done > /dev/kmsg
	"$FTR" oops collect --dir "$D" > "$OUT/out.gone" 2> "$OUT/err.gone"
	echo $? > "$OUT/status.gone"
	# a dump that is longer than the log
	FTR_OOPS_DIR=$D "$FTR" oops disarm > "$OUT/err.disarm" 2>&1
	FTR_OOPS_DIR=$D "$FTR" oops arm --dump=all --again -b 256 -e sched:sched_process_exit \
		-B other -e sched:sched_process_fork
	for n in $(seq 4000); do echo "word $n"; done > $T/trace_marker
	sed 's/ftrmod/ftrmo2/g' "$OUT/ftrmod.ko" > /tmp/ftrmo2.ko
	insmod -f /tmp/ftrmo2.ko crash=null
	dmesg > "$OUT/dmesg.long"
	"$FTR" oops collect --dir "$D" > "$OUT/out.long" 2> "$OUT/err.long"
	echo $? > "$OUT/status.long"
	echo 0 > /sys/kernel/tracing/instances/other/tracing_on
	"$FTR" oops collect -B other --dir "$D" > "$OUT/out.other" 2> "$OUT/err.other"
	echo $? > "$OUT/status.other"
	exit 0
	EOS
}

# Lines of the dump in the log, between its two rows of dashes.
dump_lines() {
	awk '/Dumping ftrace/ { on = 1 }
		on && /---------------------------------$/ { n++; next }
		n == 1 { lines++ }
		END { print lines + 0 }' "$1"
}

oops_in_this_boot() {
	local file info
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	oops_run > "$OUTDIR/run.sh"
	guest --own --timeout 300 -- sh "$OUTDIR/run.sh"
	same "$V: an oops: status" 0 "$(cat "$OUTDIR/taken.status")"
	has "$V: an oops: said" "$(cat "$OUTDIR/taken.err")" "taken out of the kernel's log"
	file=$OUTDIR/elsewhere/$(basename "$(cat "$OUTDIR/taken.out")")
	info=$("$FTR" info "$file")
	has "$V: an oops: the marker just before it" "$("$FTR" report "$file")" 'just before the oops'
	same "$V: an oops: each line of the dump is a record" "$(dump_lines "$OUTDIR/dmesg")" \
		"$(sed -n 's/^  events: *//p' <<< "$info")"
	check "$V: an oops: there are some" test "$(dump_lines "$OUTDIR/dmesg")" -gt 0
	has "$V: an oops: its text" "$info" '^oops: +BUG: kernel NULL pointer dereference'
	same "$V: an oops: for its owner alone" 600 "$(stat -c %a "$file")"
	same "$V: an oops: again: status" 1 "$(cat "$OUTDIR/status.again")"
	has "$V: an oops: again: words" "$(cat "$OUTDIR/err.again")" \
		"what an oops printed of it is in '/out/printed/.*\.dat' already"
	same "$V: an oops: without the log: status" 1 "$(cat "$OUTDIR/status.gone")"
	has "$V: an oops: without the log: words" "$(cat "$OUTDIR/err.gone")" "and the kernel's log has no dump of it"
	same "$V: a dump longer than the log: status" 0 "$(cat "$OUTDIR/status.long")"
	same "$V: a dump longer than the log: its head is lost" 0 "$(grep -c 'Dumping ftrace' "$OUTDIR/dmesg.long")"
	has "$V: a dump longer than the log: said" "$(cat "$OUTDIR/out.long" "$OUTDIR/err.long")" \
		"the kernel's log has lost those before it"
	file=$OUTDIR/printed/$(basename "$(cat "$OUTDIR/out.long")")
	same "$V: a dump longer than the log: each word that is left" \
		"$(grep -o ': word [0-9]*$' "$OUTDIR/dmesg.long")" \
		"$("$FTR" report "$file" | grep -o ' word [0-9]*$' | sed 's/^/:/')"
	check "$V: a dump longer than the log: there are some" test "$(grep -c ': word [0-9]*$' "$OUTDIR/dmesg.long")" \
		-gt 100
	same "$V: another buffer of the front: status" 0 "$(cat "$OUTDIR/status.other")"
	file=$OUTDIR/printed/$(basename "$(cat "$OUTDIR/out.other")")
	same "$V: another buffer of the front: its name" other "$("$FTR" info "$file" | sed -n 's/^buffer: *//p')"
	has "$V: another buffer of the front: its records" "$("$FTR" report "$file")" 'sched_process_fork'
}

# Ended at any moment: the kernel still has all, or a text that is whole.
killed_in_this_boot() {
	cat <<-'EOS'
	I=/sys/kernel/tracing/instances/ftr-oops
	mkdir -p $I /tmp/d
	"$FTR" record -q -e sched -o "/tmp/d/$(cat /proc/sys/kernel/random/boot_id).front" -- true
	heads() { grep -v '^#' "$1" | sort; }
	for ms in $MOMENTS; do
		rm -f /tmp/d/*.txt /tmp/d/*.dat /tmp/d/*.cpu*
		echo > $I/trace
		echo 1 > $I/tracing_on
		for n in $(seq 20000); do echo "word $n"; done > $I/trace_marker
		echo 0 > $I/tracing_on
		heads $I/trace > /tmp/had
		"$FTR" oops collect --dir /tmp/d > /dev/null 2>&1 &
		sleep $(awk "BEGIN { print $ms / 1000 }")
		kill -KILL $! 2> /dev/null
		wait $! 2> /dev/null
		heads $I/trace > /tmp/has
		what=lost
		for f in /tmp/d/*.txt; do
			[ -e "$f" ] && heads "$f" | cmp -s /tmp/had - && what=text
		done
		cmp -s /tmp/had /tmp/has && what=kernel
		for f in /tmp/d/*.dat; do
			[ -e "$f" ] && [ "$("$FTR" report "$f" 2> /dev/null | grep -c word)" = 20000 ] && what=file
		done
		echo "$ms ms: $what"
	done > "$OUT/killed"
	exit 0
	EOS
}

ended_at_any_moment() {
	local moments
	# Moments up to one where it has ended: it takes 200 to 800 ms there.
	moments=$(shuf -i 20-900 -n "$([ "${FTR_LONG:-}" = 1 ] && echo 20 || echo 5)" \
		--random-source=<(yes "$FTR_SEED") | xargs)
	killed_in_this_boot | sed "s/\$MOMENTS/$moments/" > "$OUTDIR/run.sh"
	guest --own --timeout 500 -- bash "$OUTDIR/run.sh"
	same "$V: ended: the guest" 0 $?
	sed 's/^/# /' "$OUTDIR/killed"
	same "$V: ended at any moment: nothing is lost" "$(wc -w <<< "$moments") 0" \
		"$(grep -c ' ms: ' "$OUTDIR/killed") $(grep -c lost "$OUTDIR/killed")"
}

# The kernel and its modules lie elsewhere in the next boot.
crash_in_functions() {
	cat <<-'EOS'
	I=/sys/kernel/tracing/instances/ftr-oops
	D=$OUT/oops.$TRY
	if [ "$GUEST_BOOT" = 1 ]; then
		mkdir -p "$D"
		grep -w _text /proc/kallsyms > "$D/text1"
		[ "$FRONT" = no ] ||
			"$FTR" record -q -e sched -o "$D/$(cat /proc/sys/kernel/random/boot_id).front" -- true
		echo 'vfs_open vfs_mkdir' > $I/set_ftrace_filter
		echo 'ovl_mkdir ovl_dir_open ovl_getattr' >> $I/set_ftrace_filter
		echo function > $I/current_tracer
		echo 1 > $I/tracing_on
		mkdir /var/tmp/made; ls -l /usr /var > /dev/null
		echo the last words > $I/trace_marker
		cat $I/trace > "$D/before.txt"
		echo 1 > /proc/sys/kernel/sysrq
		sync
		echo c > /proc/sysrq-trigger
		sleep 60
	fi
	grep -w _text /proc/kallsyms > "$D/text2"
	grep -c . $I/last_boot_info > "$D/info"
	grep -v '^#' $I/trace > "$D/last.txt"
	wc -l < "$D/last.txt" > "$D/kept"
	cat $I/last_boot_info > "$D/told"
	"$FTR" oops collect --dir "$D" > "$D/taken.out" 2> "$D/taken.err"
	echo $? > "$D/taken.status"
	exit 0
	EOS
}

# Names of tasks are lost with the boot, but for those that records have.
without_comms() {
	sed -En '/^#/d; s/^ *.*-([0-9]+ +\[[0-9]+\].*)/\1/p' "$1" | sort
}

# named_as_before TRY: each line that the first boot's kernel printed is there again, its names among it
named_as_before() {
	local d=$OUTDIR/oops.$1 file
	if cmp -s "$d/text1" "$d/text2"; then
		fail "$V: KASLR, $1: the kernel lies elsewhere" "$(cat "$d/text1")"
	else
		pass "$V: KASLR, $1: the kernel lies elsewhere"
	fi
	if [ "$(cat "$d/kept")" = 0 ]; then
		same "$V: KASLR, $1: the kernel discarded the buffer" 1 "$(cat "$d/taken.status")"
		return
	fi
	same "$V: KASLR, $1: status" 0 "$(cat "$d/taken.status")"
	file=$d/$(basename "$(cat "$d/taken.out")")
	without_comms "$d/before.txt" > "$d/first"
	"$FTR" report --format=kernel "$file" 2> /dev/null > "$d/report.txt"
	without_comms "$d/report.txt" > "$d/second"
	check "$V: KASLR, $1: functions of a module are among them" grep -q 'ovl_.* <-.*' "$d/first"
	same "$V: KASLR, $1: each line with the names of its boot" '' "$(comm -23 "$d/first" "$d/second" | head -n 5)"
}

functions_of_its_boot() {
	local try
	for try in $(seq "$([ "${FTR_LONG:-}" = 1 ] && echo 5 || echo 1)"); do
		crash_in_functions | sed "s/\$TRY/$try/" > "$OUTDIR/run.sh"
		guest --timeout 400 --reboot --kaslr --append "$ARGS" -- sh "$OUTDIR/run.sh"
		same "$V: KASLR, $try: the guest" 0 $?
		named_as_before "$try"
	done
}

# code_of FILE: the lines of functions of the kernel alone, on 7.2 of the module overlay as well
code_of() {
	grep ' <-' "$1" | if [[ $V == 7.* ]]; then cat; else grep -Ev 'ovl_|: 0x|<-0x'; fi
}

# Without a front the running kernel's symbols are moved: functions have the names that the first boot's kernel printed,
# and those of modules that nothing tells of have none.
placed_as_before() {
	local d=$OUTDIR/oops.$1 name="$V: no front, $1" file
	[ "$1" = nokaslr ] || check "$name: the kernel lies elsewhere" test "$(cat "$d/text1")" != "$(cat "$d/text2")"
	if [ "$(cat "$d/kept")" = 0 ]; then
		same "$name: the kernel discarded the buffer" 1 "$(cat "$d/taken.status")"
		return
	fi
	same "$name: status" 0 "$(cat "$d/taken.status")"
	file=$d/$(basename "$(cat "$d/taken.out")")
	"$FTR" report --format=kernel "$file" 2> /dev/null > "$d/report.txt"
	without_comms "$d/before.txt" | code_of /dev/stdin > "$d/first"
	without_comms "$d/last.txt" | code_of /dev/stdin > "$d/kernels"
	without_comms "$d/report.txt" | code_of /dev/stdin > "$d/second"
	check "$name: there are some" test "$(wc -l < "$d/first")" -gt 10
	same "$name: names of the first boot" '' "$(comm -23 "$d/first" "$d/second" | head -n 5)"
	same "$name: names that the kernel prints of it" '' "$(comm -23 "$d/kernels" "$d/second" | head -n 5)"
	case $V in
	7.*)	check "$name: the module is told of" grep -qw overlay "$d/told"
		check "$name: so are functions of it" grep -q 'ovl_.* <-.*' "$d/second" ;;
	*)	has "$name: modules are named" "$(cat "$d/taken.err")" 'are shown as numbers: .*overlay'
		same "$name: functions of a module stay numbers" '' "$(grep ovl_ "$d/report.txt" | head -n 5)"
		check "$name: as many as there were" test "$(grep -c ': 0x.* <-' "$d/report.txt")" \
			-ge "$(grep -c ': ovl_.* <-' "$d/before.txt")" ;;
	esac
}

without_a_front() {
	local how
	for how in $(sample 1 kaslr nokaslr); do
		crash_in_functions | sed "s/\$TRY/$how/; s/\$FRONT/no/" > "$OUTDIR/run.sh"
		if [ "$how" = kaslr ]; then
			guest --timeout 400 --reboot --kaslr --append "$ARGS" -- sh "$OUTDIR/run.sh"
		else
			guest --timeout 400 --reboot --append "$ARGS" -- sh "$OUTDIR/run.sh"
		fi
		same "$V: no front, $how: the guest" 0 $?
		placed_as_before "$how"
	done
}

# Reset by QEMU while it collects, what was written and not synced is lost as well. In odd boots the verdict on the one
# before, and another crash; in even ones collect, held before the system call of $STEPS that is its turn,
# and the reset.
reset_run() {
	cat <<-'EOS'
	I=/sys/kernel/tracing/instances/ftr-oops
	[ -d /sys/kernel/tracing/instances/ftr-backup ] && B=/sys/kernel/tracing/instances/ftr-backup || B=$I
	D=/var/lib/reset-oops
	STEPS=($STEPS)
	# names of tasks go with the boot
	heads() { grep -o 'word [0-9]*$' "$1" | sort; }
	# is_held PID: strace has stopped it, and for a while
	is_held() {
		local i status
		for i in $(seq 20); do
			status=$(< "/proc/$1/status") || return 1
			[[ $status == *$'State:\tt'* ]] || return 1
			sleep 0.05
		done
	}
	if [ $((GUEST_BOOT % 2)) = 0 ]; then
		cat $B/trace > "$OUT/had.txt"
		sync
		step=${STEPS[GUEST_BOOT / 2 - 1]}
		strace -o /tmp/steps -e trace=${step%%=*} -e inject=${step%%=*}:delay_enter=600000000:when=${step##*=} \
			"$FTR" oops collect --dir $D > /dev/null 2>&1 &
		until PID=$(pgrep -ox ftr); do sleep 0.1; done
		until is_held $PID || [ ! -e /proc/$PID ]; do sleep 0.1; done
		ls $D | xargs > "$OUT/$GUEST_BOOT.there"
		tail -n 1 /tmp/steps > "$OUT/$GUEST_BOOT.step"
		echo > "$OUT/$GUEST_BOOT.go"
		sleep 60
		exit 1
	fi
	if [ "$GUEST_BOOT" != 1 ]; then
		heads "$OUT/had.txt" > /tmp/had
		what="lost $(wc -l < /tmp/had) $(ls $D | xargs)"
		heads $B/trace > /tmp/has
		for f in $D/*.txt; do
			[ -e "$f" ] && heads "$f" | cmp -s /tmp/had - && what=text
		done
		for f in $D/*.dat; do
			[ -e "$f" ] && "$FTR" report "$f" 2> /dev/null > /tmp/report &&
				heads /tmp/report | cmp -s /tmp/had - && what=file
		done
		cmp -s /tmp/had /tmp/has && what=kernel
		[ -s /tmp/had ] || what='lost all'
		echo "$what" >> "$OUT/verdicts"
		sync
		[ "$(wc -l < "$OUT/verdicts")" -lt ${#STEPS[@]} ] || exit 0
	fi
	rm -rf $D
	mkdir -m 700 $D
	"$FTR" record -q -e sched -o "$D/$(cat /proc/sys/kernel/random/boot_id).front" -- true
	echo > $I/trace
	echo 1 > $I/tracing_on
	for n in $(seq 10000); do echo "word $n"; done > $I/trace_marker
	echo 1 > /proc/sys/kernel/sysrq
	sync
	echo c > /proc/sysrq-trigger
	sleep 60
	EOS
}

# reset_when_held N: N times, in even boots, tells QEMU to; a command is taken when the prompt comes again
reset_when_held() {
	python3 - "$OUTDIR" "$1" <<-'EOF'
	import os, socket, sys, time
	out, times = sys.argv[1], int(sys.argv[2])
	def wait_for(name):
	    while not os.path.exists('%s/%s' % (out, name)):
	        time.sleep(0.05)
	def wait_for_prompt():
	    said = b''
	    while not said.endswith(b'(qemu) '):
	        said += monitor.recv(4096) or sys.exit('QEMU has ended')
	wait_for('2.go')
	monitor = socket.socket(socket.AF_UNIX)
	monitor.connect(out + '/monitor')
	wait_for_prompt()
	for boot in range(2, 2 * times + 2, 2):
	    wait_for('%d.go' % boot)
	    monitor.sendall(b'system_reset\n')
	    wait_for_prompt()
	EOF
}

# told_resets STEP...: of each reset the step that it came before, what lay in the folder,
# and where all records were then
told_resets() {
	local n=0 step
	for step; do
		n=$((n + 1))
		echo "# before step $step: $(cat "$OUTDIR/$((2 * n)).step"), $(cat "$OUTDIR/$((2 * n)).there"):" \
			"$(sed -n ${n}p "$OUTDIR/verdicts")"
	done
}

reset_while_collecting() {
	local steps n teller
	# The last is behind its end. 7.2 collects a copy that is made anew in each boot.
	steps=$(sample 1 fsync=1 rename=1 fsync=2 fsync=3 fsync=4 fsync=5 renameat=1 fsync=6 fsync=7 fsync=8 \
		unlink=1 unlink=2 unlink=3 fsync=99 | xargs)
	n=$(wc -w <<< "$steps")
	reset_run | sed "s/\$STEPS/$steps/" > "$OUTDIR/run.sh"
	reset_when_held "$n" &
	teller=$!
	guest --timeout $((300 + 240 * n)) --reboot --upper "$OUTDIR/upper" --append "nokaslr $ARGS${1:+ $1}" \
		--qemu "-chardev socket,id=monitor,path=$OUTDIR/monitor,server=on,wait=off -mon chardev=monitor" \
		-- bash "$OUTDIR/run.sh"
	same "$V: reset: the guest" 0 $?
	kill $teller 2> /dev/null
	wait $teller 2> /dev/null
	rm -f "$OUTDIR/upper"
	told_resets $steps
	same "$V: reset while it collects, before step $steps: nothing is lost" "$n 0" \
		"$(wc -l < "$OUTDIR/verdicts") $(grep -c lost "$OUTDIR/verdicts")"
	[ "${FTR_LONG:-}" != 1 ] ||
		same "$V: resets: records were in the kernel, in the text, in the file" \
			"file kernel$([[ $V == 7.* ]] || echo ' text')" "$(sort -u "$OUTDIR/verdicts" | xargs)"
}

in_one_boot() {
	ended_at_any_moment
	stopped_in_this_boot
	oops_in_this_boot
	feature "$V" 'oops collect: what an oops printed or stopped in this boot' works
	[[ $V != 6.1.* ]] ||
		feature "$V" 'oops collect: a buffer that outlived a crash' 'this kernel has no such buffer'
}

over_boots() {
	functions_of_its_boot
	without_a_front
	reset_while_collecting "$([[ $V != 7.* ]] || echo trace_instance=ftr-backup=ftr-oops)"
	after_a_boot "$([[ $V != 7.* ]] || echo trace_instance=ftr-backup=ftr-oops)"
	feature "$V" 'oops collect: a buffer that outlived a crash' works
}

for part in $(sample 1 in_one_boot over_boots); do
	case $part in
	in_one_boot) for_a_kernel in_one_boot ;;
	over_boots) for_a_kernel over_boots boot-map ;;
	esac
done
finish
