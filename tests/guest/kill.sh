#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record, killed at random moments in each way of choosing where to record and how: the file has every marker that
# was written before, all control files are as they were, nothing is left in /run/ftr and no process of ours,
# the command goes on.
#
# The ways (options_of() has their options), which take turns in an order of the seed:
#   top           the top level                           beside      -B NAME -e ..., settings of the top level too
#   busy          an instance, as the top level is in use several     two instances
#   busy-tracer   the same with function_graph            all         two instances, and settings of the top level
#   force         taking the top level over               mine        an instance that was there, with settings in it
#   instance      -B NAME alone, markers from the top     triggers    -e with triggers
#   command       -F -c                                   pids        -P
#   user          --user                                  nosplice    --nosplice
#   rotate        --rotate, also with an instance         kept        -m
#   flight        --flight                                stop        --stop-on, --stop-on-func
#   sync          --sync                                  function    with filters
#   graph         function_graph with -l, -g, a depth     module      --module
#   global        -D, --cmdlines-size, -O of the top      buffers     -b, --subbuf-size, -C, -M
#   date          --date                                  stdout      -o -
#   listener      -N                                      packed      --compression
#   version6      --file-version 6
# -k and -K are none of them: they leave what they set.
#
# FTR_LONG=1: 100 kills on each kernel. Else some ways on one kernel.
FTR_MOMENTS=${FTR_MOMENTS:-8}
[ "${FTR_LONG:-}" != 1 ] || FTR_MOMENTS=100
export FTR_MOMENTS
. "$(dirname "$0")/lib/inside.sh" $((600 + FTR_MOMENTS * 60))
. "$FTR_TOP/tests/guest/lib/record-lib.sh"

RANDOM=$((FTR_SEED % 32768))
LOAD=$FTR_BUILD/tests/guest/load/marker_load

# A disk, on which the parts of the file are joined in place; every third time a tmpfs, where they are copied.
loop_disk /mnt 400M
mkdir /tmp/n
cp "$LOAD" /tmp/load
mkdir -p /mnt/d /tmp/d /tmp/got
# for --user
chmod 777 /tmp/n
chmod o+x "$TRACEFS"
chmod o+w "$TRACEFS/trace_marker"
sleep 100000 &
SLEEPER=$!

# ---- the ways

WAYS="top beside busy several busy-tracer all force mine instance triggers command pids user nosplice rotate kept
flight stop sync function graph module global buffers date stdout listener packed version6"

# What never comes.
NEVER=sched:sched_process_hang

# options_of WAY: one word a line
options_of() {
	local subbuf
	case $1 in
	top) set -- -e sched:sched_switch -e irq ;;
	beside) set -- -e irq -B foo -e sched ;;
	busy) set -- -e sched:sched_switch -e irq ;;
	several) set -- -B foo -e sched:sched_switch -B bar -e irq ;;
	busy-tracer) set -- -p function -l 'vfs_w*' -e irq ;;
	all) set -- -p function -l vfs_write -e timer -B foo -e sched -B bar -e irq -b 2M ;;
	force) set -- -p blk -e irq --force ;;
	mine) set -- -B mine -e sched -e irq -O sym-offset ;;
	instance) set -- -B foo -e sched ;;
	triggers)
		set -- -e sched:sched_process_fork -R stacktrace -R 'enable_event:timer:timer_init if child_pid == 1' \
			-e sched:sched_switch -R 'hist:keys=prev_pid' -R 'traceoff if prev_pid == 4194000'
		;;
	command) set -- -F -c -e sched -e irq ;;
	pids) set -- -P $SLEEPER -c -e sched -B foo -e irq ;;
	user) set -- --user nobody -e sched -e irq ;;
	nosplice) set -- --nosplice -e sched -e irq -B foo -e timer ;;
	rotate) set -- --rotate 1000 --max-size 256K -e sched -e irq -B foo -e timer ;;
	kept) set -- -m 64K -e sched -e irq ;;
	flight) set -- --flight 4M -e sched -B foo -e irq ;;
	stop) set -- --stop-on $NEVER --stop-on-func vfs_rmdir -e sched -e irq ;;
	sync) set -- --sync 200ms -e sched -e irq ;;
	function) set -- -p function -l 'vfs_*' -n vfs_read -T ;;
	graph) set -- -p function_graph -l 'vfs_*' -l 'ksys_*' -g ksys_write --max-graph-depth 3 ;;
	module) set -- -p function -l 'ext4_*' --module ext4 -e sched ;;
	global) set -- -e sched -D --cmdlines-size 5000 -O noirq-info -O notrace_printk ;;
	buffers)
		[ ! -e "$TRACEFS/buffer_subbuf_size_kb" ] || subbuf=1
		set -- -b 3M ${subbuf:+--subbuf-size 16K} -C mono -M 3 -e sched -B foo -b 500K -e irq
		;;
	date) set -- --date -e sched -e irq ;;
	stdout) set -- -e sched -e irq ;;
	listener) set -- -N /tmp/sock -e sched -e irq ;;
	packed) set -- --compression zstd -e sched -e irq ;;
	version6) set -- --file-version 6 -e sched -e irq ;;
	esac
	printf '%s\n' "$@"
}

# The state that a way begins with: "" is none, "busy" has the top level in use, by an event that never comes; "mine"
# has an instance with settings.
begin_of() {
	case $1 in
	busy | busy-tracer | force) echo busy ;;
	mine) echo mine ;;
	esac
}

prepare() {
	case $1 in
	busy)
		state_put events/sched/sched_switch/filter 'prev_pid == 4194000'
		state_put events/sched/sched_switch/enable 1
		;;
	mine)
		mkdir "$TRACEFS/instances/mine"
		state_put instances/mine/tracing_on 0
		state_put instances/mine/buffer_size_kb 300
		state_put instances/mine/events/irq/enable 1
		state_put instances/mine/events/sched/sched_switch/filter 'prev_pid == 4194000'
		;;
	esac
}

clean_up() {
	case $1 in
	busy)
		state_put events/sched/sched_switch/enable 0
		state_put events/sched/sched_switch/filter 0
		;;
	mine)
		rmdir "$TRACEFS/instances/mine"
		;;
	esac
}

# ---- one moment


# ms LEAST MOST: a random number of seconds with thousandths.
ms() {
	local n=$(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1)))
	printf '%d.%03d' $((n / 1000)) $((n % 1000))
}

# The start of a program in ms, the best of three: what the machine is capable of now.
start_ms() {
	local best=100000 t
	for _ in 1 2 3; do
		t=${EPOCHREALTIME/./}
		"$FTR" --version > /dev/null
		t=$(((${EPOCHREALTIME/./} - t) / 1000))
		[ $t -ge $best ] || best=$t
	done
	echo $best
}

# guardian_goes: within two seconds. Where the machine has no time for us that is longer: then within as many looks as
# two seconds have, or 20 starts of a program.
guardian_goes() {
	local t=${EPOCHREALTIME/./} looks=0
	until no_guardian || [ $looks = 600 ]; do
		sleep 0.1
		looks=$((looks + 1))
	done
	t=$(((${EPOCHREALTIME/./} - t) / 1000))
	[ $t -le $SLOWEST ] || SLOWEST=$t
	[ $t -gt 2000 ] || return 0
	echo "# $K: the guardian was there for $t ms, $looks looks; the start of a program takes $(start_ms) ms" \
		>> /tmp/in-flight
	[ $looks -le 14 ] || [ $t -le $((20 * $(start_ms))) ]
}

# What must be seen of it all. $1: who was killed, $2: folder, $3...: numbers known before the kill. Without a guardian
# what the pipe of a CPU held in that moment is lost: one gap. With --nosplice there is no pipe, otherwise seldom one.
# What went to standard output ends anywhere; -m and --flight give the beginning up.
check_file() {
	local whom=$1 file cpu=0 last missing gaps first known
	file=$(file_of "$2")
	[ "$WAY" != rotate ] || file=$(files_of "$2")
	# one that the listener has whole is no longer kept here
	[ "$WAY" != listener ] || [ -n "$file" ] || file=$(ls /tmp/got/*.dat 2> /dev/null)
	shift 2
	if [ -z "$file" ]; then
		[ "$*" = '0 0' ] || { echo "no file, $* markers"; return 1; }
		return
	fi
	while read -r last missing gaps first; do
		known=$1
		shift
		case $WAY in
		kept | flight)
			missing=$((missing - (first > 0 ? first - 1 : 0)))
			gaps=$((gaps - (first > 1)))
			;;
		stdout) known=0 ;;
		esac
		if [ "$whom" = both ] && [ "$WAY" != nosplice ] && [ "$gaps" = 1 ]; then
			echo "# $WAY: CPU $cpu: $missing markers were in its pipe" >> /tmp/in-flight
			missing=0
		fi
		if [ "$missing" != 0 ] || [ "$last" -lt "$known" ]; then
			echo "$file: CPU $cpu has markers up to $last, $missing missing; $known were written"
			for file in $file; do "$FTR" info "$file" 2>&1; done | grep -E "lost|state|damage|not"
			return 1
		fi
		cpu=$((cpu + 1))
	done < <(markers "$file" 0 1)
	[ $cpu = 2 ] || echo "$file: of $cpu CPUs"
}

# recovered: ftr reset --recover, which says what it did
recovered() {
	local left
	left=$(find /run/ftr -name '*.journal' -size +0 | wc -l)
	"$FTR" reset --recover > /tmp/recover 2>&1 || { cat /tmp/recover; return 1; }
	[ "$left" = 0 ] || ! grep 'nothing to put back' /tmp/recover
}

# nothing_left: no process of ours, no journal
nothing_left() {
	[ "$WAY" != listener ] || { kill $LISTENER; wait $LISTENER; } 2> /dev/null
	if pgrep -x ftr || pgrep ftr-; then
		ps ax | grep 'ftr'
		return 1
	fi
	[ -z "$(ls -A /run/ftr)" ] || { ls /run/ftr; return 1; }
}

# start_recording COUNT: $RECORDER; the load writes so many markers
start_recording() {
	local options
	mapfile -t options < <(options_of "$WAY")
	set -- /tmp/load /tmp/n "$1" 300
	case $WAY in
	stdout)
		setsid "$FTR" record -q "${options[@]}" -o - -- "$@" 2> /tmp/said > >(cat > "$DIR/t.dat") &
		;;
	listener)
		"$FTR" listen -d /tmp/got /tmp/sock 2> /tmp/listened &
		LISTENER=$!
		wait_for '^ftr: listening' /tmp/listened
		setsid "$FTR" record -q "${options[@]}" -o "$DIR/t.dat" -- "$@" 2> /tmp/said &
		;;
	*)
		setsid "$FTR" record -q "${options[@]}" -o "$DIR/t.dat" -- "$@" 2> /tmp/said &
		;;
	esac
	RECORDER=$!
}

# wait_for_phase PHASE: the moment of the kill
wait_for_phase() {
	case $1 in
	setup)
		sleep "$(ms 1 1500)"
		;;
	running)
		wait_until 60 wrote 0 0 || echo "the load does not run: $(cat /tmp/said); "
		sleep "$(ms 1 1500)"
		;;
	stopping)
		wait_until 60 wrote 0 0 || echo "the load does not run: $(cat /tmp/said); "
		wait_until 120 load_ended || echo "the load does not end; "
		sleep "$(ms 1 900)"
		;;
	esac
}

# one PHASE WHOM: "ftr", or "both" for the guardian as well
one() {
	local phase=$1 whom=$2 count=0 known0 known1 why begin
	begin=$(begin_of "$WAY")
	rm -rf "$DIR"/t.dat* /tmp/n/* /tmp/got/*
	prepare "$begin"
	[ "$phase" != stopping ] || count=$((300 + RANDOM % 600))
	start_recording $count
	why=$(wait_for_phase "$phase")
	known0=$(number 0)
	known1=$(number 1)
	if [ "$whom" = both ]; then
		kill -KILL $RECORDER $(pgrep -x ftr-guardian) 2> /dev/null
		sleep 0.2
		recovered > /tmp/diff || why="$why$(cat /tmp/diff); "
	else
		kill -KILL $RECORDER 2> /dev/null
	fi
	guardian_goes || why="${why}the guardian is there after two seconds; "
	state_dump /tmp/after
	state_equal "/tmp/before-$begin" /tmp/after > /tmp/diff || why="${why}tracefs differs: $(cat /tmp/diff); "
	[ "$phase" != running ] || ! load_ended || why="${why}the command did not go on; "
	pkill -KILL -x load
	wait $RECORDER 2> /dev/null
	nothing_left > /tmp/diff || why="${why}left: $(cat /tmp/diff); "
	why=$why$(check_file "$whom" "$DIR" "${known0:-0}" "${known1:-0}")
	clean_up "$begin"
	echo 0 > "$TRACEFS/trace"
	[ -z "$why" ] || { echo "$WAY, $phase in $DIR, $whom: $why $(cat /tmp/said)"; return 1; }
	TOTAL=$((TOTAL + ${known0:-0} + ${known1:-0}))
}

TOTAL=0
SLOWEST=0
PHASES=(running setup stopping)
# the first instance ends the top level's wait for growing on 6.1
echo 1408 > "$TRACEFS/buffer_size_kb"
for begin in "" busy mine; do
	prepare "$begin"
	state_dump "/tmp/before-$begin"
	clean_up "$begin"
done
mapfile -t ORDER < <(printf '%s\n' $WAYS | awk -v seed="$((FTR_SEED % 2147483647))" '
	BEGIN { srand(seed) }
	{ printf "%.9f %s\n", rand(), $0 }' | sort | cut -d ' ' -f 2)
for ((i = 0; i < FTR_MOMENTS; i++)); do
	round=$((i / ${#ORDER[@]}))
	at=$((i % ${#ORDER[@]}))
	WAY=${ORDER[at]}
	DIR=/mnt/d
	[ $((i % 3)) != 1 ] || DIR=/tmp/d
	whom=ftr
	[ $(((at + round) % 2)) = 0 ] || whom=both
	phase=${PHASES[(at + at / 3 + round) % 3]}
	start=$SECONDS
	if one $phase $whom > /tmp/why 2>&1; then
		GOOD=$((GOOD + 1))
		echo "# $K: moment $i: $WAY, $phase, $whom: fine, $((SECONDS - start)) s"
	else
		fail "$K: killed, moment $i" "$(cat /tmp/why)"
	fi
done
cat /tmp/in-flight 2> /dev/null
echo "# $K: the ways: ${ORDER[*]}"
echo "# $K: the guardian was gone after $SLOWEST ms at the latest; the start of a program takes $(start_ms) ms"
same "$K: the file, all control files, what is left and the command after each of $FTR_MOMENTS kills" \
	"$FTR_MOMENTS" "$GOOD"
kill $SLEEPER
wait $SLEEPER 2> /dev/null
[ "$TOTAL" -gt $((FTR_MOMENTS * 50)) ] && pass "$K: $TOTAL markers" || fail "$K: markers" "$TOTAL"
echo "ok - $K: the end is reached"
