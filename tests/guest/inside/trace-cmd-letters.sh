# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by trace-cmd-letters.sh: each row of $OUT/rows with trace-cmd and with ftr, from the same state. What
# the control files are then, or while the command of a recording runs, is in $OUT/NUMBER.trace-cmd and NUMBER.ftr.
. "$FTR_TOP/tests/guest/lib/checks-lib.sh"

DUMP=$FTR_BUILD/tests/guest/load/statedump
LEADS=$TMP/lead.sh

# Filters and triggers of a few systems; set_event tells what is enabled in all.
{
	grep -v '^events/\*/\*/' "$FTR_TOP/tests/guest/lib/state.list"
	printf 'events/%s/*/{enable,filter,trigger}\n' ftrace irq raw_syscalls sched exceptions
} > list

# What is recorded: tells the state, its own pid and its child's. trace-cmd is ended then, without its way to a file.
cat > "$LEADS" <<-EOS
	#!/.guest/bash
	$DUMP $TMP/list $T > $TMP/during.new &
	child=\$!
	wait
	echo "pids: \$\$ COMMAND \$child CHILD" >> $TMP/during.new
	mv $TMP/during.new $TMP/during
	[ ! -e $TMP/hold ] || exec sleep 1000
EOS
chmod 755 "$LEADS"

# marks [INSTANCE]: three on CPU 0 and two on CPU 1
marks() {
	local cpu
	for cpu in 1 2 1 2 1; do
		taskset $cpu sh -c 'echo mark' > "$T/${1:+instances/$1/}trace_marker"
	done
}

# stacks_seen: the stack tracer on, with a deepest stack
stacks_seen() {
	"$FTR" stack --start > /dev/null
	wait_until 60 grep -q '[1-9]' "$T/stack_max_size"
}

# buffers: how many marks the buffer and the snapshot have, of each CPU
buffers() {
	local file
	for file in "$T"/{,instances/*/}{,per_cpu/*/}{trace,snapshot}; do
		[ ! -e "$file" ] || echo "content ${file#"$T"/}: $(grep -c tracing_mark_write "$file")" \
			"$(grep -o 'Snapshot is [a-z]*' "$file")"
	done
}

# after FILE
after() {
	"$DUMP" list "$T" > "$1"
	grep -s '^pids: ' during >> "$1"
	[ "$COMMAND" != snapshot ] || buffers >> "$1"
}

recording_of_trace_cmd() {
	local pid
	# it reads all symbols, which takes most of its time
	mount --bind /dev/null /proc/kallsyms
	touch hold
	setsid trace-cmd "$@" > "$OUT/$N.trace-cmd.out" 2>&1 < /dev/null &
	pid=$!
	wait_until 60 succeeded_or_gone $pid test -e during
	rm hold
	if [ -e during ]; then
		kill -KILL -- -$pid
		wait $pid 2> /dev/null
		wait_until 60 group_is_gone $pid
		STATUS=0
	else
		wait $pid
		STATUS=$?
	fi
	umount /proc/kallsyms
}

group_is_gone() {
	! kill -0 -- -"$1" 2> /dev/null
}

# is_recording: the state is asked for while it runs
is_recording() {
	[ "$HOW" != after ] && case $COMMAND in record | stream | profile) true ;; *) false ;; esac
}

# run_one NAME WORD...: trace-cmd or ftr
run_one() {
	local name=$1
	shift
	rm -f during
	eval "$BEFORE"
	if [ "$name" = trace-cmd ] && is_recording; then
		recording_of_trace_cmd "$@"
	else
		timeout 100 "${PROGRAM[@]}" "$@" > "$OUT/$N.$name.out" 2>&1 < /dev/null
		STATUS=$?
	fi
	if is_recording; then
		mv during "$OUT/$N.$name" 2> during.err
	else
		after "$OUT/$N.$name"
	fi
	echo "$name $STATUS" >> "$OUT/$N.status"
}

# The kernel chooses the clock at boot, local or global, which ftr reset --all can only guess.
clock() {
	[[ $(< "$T/trace_clock") = *"[$1]"* ]] || echo "$1" > "$T/trace_clock"
}

# fresh NAME [all]: as before all rows
fresh() {
	local dir
	"$FTR" reset ${2:+--all} > "$OUT/$N.reset" 2>&1
	[ -z "$BEFORE" ] || "$FTR" reset --all > /dev/null 2>&1
	[ -z "$BEFORE${2:-}" ] || clock local
	for dir in "$T"/instances/*/; do [ ! -d "$dir" ] || rmdir "$dir"; done
	"$DUMP" list "$T" > now
	cmp -s base now && return
	diff base now > "$OUT/$N.left.$1"
	"$FTR" reset --all --dynamic-events > /dev/null 2>&1
	clock local
}

# split LINE: into WORDS, with what COMMAND stands for
split() {
	local i
	eval "WORDS=($1)"
	for i in "${!WORDS[@]}"; do
		[ "${WORDS[i]}" != COMMAND ] || WORDS[i]=$LEADS
	done
}

row() {
	BEFORE=${HOW#before: }
	[ "$BEFORE" != "$HOW" ] || BEFORE=
	split "$THEIRS"
	PROGRAM=(trace-cmd)
	run_one trace-cmd "${WORDS[@]}"
	if [ $STATUS != 0 ] && [[ $HOW = refuses:* ]]; then
		fresh trace-cmd all	# it made the instance before it was refused
		return
	fi
	echo 1 > /proc/sys/kernel/ftrace_enabled
	echo 0 > /proc/sys/kernel/stack_tracer_enabled
	fresh trace-cmd all
	split "$OURS"
	PROGRAM=("$FTR")
	run_one ftr "${WORDS[@]}"
	echo 0 > /proc/sys/kernel/stack_tracer_enabled
	fresh ftr
}

rows() {
	cd "$TMP" || return
	while IFS=$'\t' read -r N COMMAND THEIRS OURS HOW; do
		row
	done < "$OUT/rows"
}

unchanged() {
	state_dump after
	check "$K: tracefs is as before" state_equal before after
}

modprobe loop
EXPEDITED=$(cat /sys/kernel/rcu_expedited)
echo 1 > /sys/kernel/rcu_expedited
"$FTR" reset --all > /dev/null 2>&1
state_dump before
CLOCK=$(sed 's/.*\[//; s/\].*//' "$T/trace_clock")
clock local
"$DUMP" list "$T" > base
rows
clock "$CLOCK"
unchanged
echo "$EXPEDITED" > /sys/kernel/rcu_expedited
rmmod loop
run_parts
