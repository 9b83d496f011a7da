#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that change tracing, ended at random moments by SIGINT, SIGTERM and SIGKILL: tracefs is as before, or the
# change stands in full and ftr reset puts it back. From a fresh and from a dirty tracefs.
# How many moments a kernel: a sample, or one for each command and signal, which is a hundred.
FTR_MOMENTS=${FTR_MOMENTS:-8}
[ "${FTR_LONG:-}" != 1 ] || FTR_MOMENTS=105
export FTR_MOMENTS
. "$(dirname "$0")/lib/inside.sh" $((600 + FTR_MOMENTS * 30))

RANDOM=$((FTR_SEED % 32768))

EV=sched:sched_process_exec
SQL='SELECT a.common_pid AS pid, (b.TIMESTAMP_USECS - a.TIMESTAMP_USECS) AS lat
	FROM sys_enter_clock_nanosleep AS a JOIN sys_exit_clock_nanosleep AS b ON a.common_pid = b.common_pid'

# Each the words of a command as a shell takes them. What stands before " ;; " is run to its end first.
COMMANDS=(
	"start -p function -l vfs_* -n vfs_read -O sym-offset -C mono -b 900 -M 1 -e irq -e sched:sched_switch \
		-f 'prev_pid>0' -R stacktrace -B net -e timer -b 300"
	"start --force -p function_graph -l vfs_* -g ksys_read --max-graph-depth 3 -e sched -T"
	"start -K -e $EV -R traceoff:1 -P 1 -c"
	"set -e irq -O noannotate -l vfs_open -M 2 -B net -e sched:sched_switch -C boot"
	"start --force -p function -l vfs_open ;; set -p nop -l vfs_read -e irq"
	"start --force -e $EV --buffer-percent 20 --cpu-buffer-size 1=3M --time-filter 5ms --traceoff-on-warning on \
		-B net --buffer-percent 10 --cpu-buffer-size 0=2M"
	"set --nograph-funcs vfs_read --dump-on-oops 1 --buffer-percent 80 --cpu-buffer-size 0=300"
	"stop"
	"restart -a -t"
	"start --force -e $EV ;; clear"
	"options --set sym-offset nooverwrite stacktrace"
	"set-pid --children 1 2 3"
	"set-pid --event --notrace --add 77"
	"stack --start -l vfs_*"
	"stack --start ;; stack --stop"
	"probe add do_sys_openat2"
	"probe add do_sys_openat2 ;; probe del --all"
	"synth add 'tried u64 lat; pid_t pid'"
	"synth add --force tried --from syscalls:sys_enter_clock_nanosleep --to syscalls:sys_exit_clock_nanosleep \
		--on common_pid --latency"
	"sqlhist --force -n tried -x -e '$SQL' ;; synth del tried"
	"sqlhist --force -n tried -x -e '$SQL'"
	"sqlhist -e '$SQL' -- sleep 0.3"
	"trigger add $EV stacktrace:5"
	"trigger add --func vfs_open stacktrace:3"
	"trigger add $EV stacktrace:5 ;; trigger remove $EV stacktrace"
	"snapshot --on $EV"
	"snapshot --on $EV ;; snapshot --off"
	"snapshot take"
	"snapshot take ;; snapshot free"
	"hist $EV common_pid -d 1"
	"stream -e $EV -- sleep 0.3"
	"stream -p function -l vfs_open -O sym-offset -b 300 --duration 0.5"
	"start --force -e $EV ;; extract -o e.dat"
	"snapshot take ;; extract -s -o e.dat"
	"record -q -p function -l vfs_open -e irq -o r.dat -- sleep 0.3"
)
NR=${#COMMANDS[@]}

# as_before NAME BEFORE
as_before() {
	state_dump after
	check "$K: $1: tracefs is as before" state_equal "$2" after
	same "$K: $1: no journal is left" '' "$(ls /run/ftr | grep journal)"
}

back() {
	local status
	"$FTR" reset "$@" > reset.out 2> reset.err
	status=$?
	[ $status = 0 ] || fail "$K: $NAME: ftr reset $*" "status $status" "$(cat reset.err)"
}

# prepare LINE FROM: runs what comes before the last command, whose words are left in ARGS and in NAME.
prepare() {
	local line=$1
	while [[ $line == *' ;; '* ]]; do
		split_words "${line%% ;; *}"
		line=${line#* ;; }
		"$FTR" "${ARGS[@]}" > out 2> err || fail "$K: $2, before ${line%% *}: ftr ${ARGS[*]}" "$(cat err)"
	done
	split_words "$line"
	NAME="$2, ${ARGS[*]:0:2}"
	STOOD=$("$FTR" reset -n)
}

# normally N FROM: from the state in the file FROM
normally() {
	local status begin
	prepare "${COMMANDS[$1]}" "$2"
	NAME="$NAME, a normal end"
	begin=$(date +%s%N)
	"$FTR" "${ARGS[@]}" > out 2> err
	status=$?
	TOOK[$1]=$((($(date +%s%N) - begin) / 1000000))
	if [ $status != 0 ] && grep -q 'in use' err; then
		pass "$K: $NAME: refused, as the top level is in use"
	else
		same "$K: $NAME: status" 0 $status
		[ $status = 0 ] || sed 's/^/# /' err
		feature "$(uname -r)" "state after: ftr ${ARGS[0]}" works
	fi
	back
	as_before "$NAME" "$2"
}

# stop_after MS SIGNAL PID
stop_after() {
	sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
	kill -"$2" "$3" 2> kill.err
	wait "$3" 2> wait.err
}

# ended N FROM SIGNAL MS
ended() {
	local sig=$3 status
	prepare "${COMMANDS[$1]}" "$2"
	NAME="$NAME, SIG$sig after $4 ms"
	# a shell's background jobs ignore SIGINT
	env --default-signal=INT "$FTR" "${ARGS[@]}" > out 2> err &
	stop_after "$4" "$sig" $!
	status=$?
	case $sig:$status in
	KILL:*)
		back --recover
		# what a killed extract had taken, where the file system has no nameless files
		rm -f e.dat.cpu*
		;;
	INT:130 | TERM:143)
		# nothing of it stands
		same "$K: $NAME: what stood before stands" "$STOOD" "$("$FTR" reset -n)"
		[ -z "$STOOD" ] || back
		;;
	*:0) back ;;
	*)
		# the top level may be in use: nothing was done
		grep -q 'in use' err || fail "$K: $NAME: status $status" "$(cat err)"
		back
		;;
	esac
	as_before "$NAME" "$2"
}

# reset_ended FROM SIGNAL MS: while it puts back what stands
reset_ended() {
	NAME="$1, reset, SIG$2 after $3 ms"
	split_words "${COMMANDS[0]}"
	"$FTR" "${ARGS[@]}" --force > out 2> err || fail "$K: $NAME: start" "$(cat err)"
	env --default-signal=INT "$FTR" reset > out 2> err &
	stop_after "$3" "$2" $!
	back --recover
	as_before "$NAME" "$1"
}

# Several at once wait for each other: what was there before the first of them is what comes back.
at_once() {
	local i pids=
	NAME="$1, several at once"
	for i in 1 2 3 1; do
		"$FTR" set -q -M $i -b $((i * 300)) -e $EV 2> err.$i &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || fail "$K: $NAME: status $?" "$(cat err.*)"
	done
	back
	as_before "$NAME" "$1"
}

# moments FROM WORD...: each "N:SIGNAL:STATE", N being "reset" for that; those whose state is FROM, after random times.
moments() {
	local from=$1 one n sig where took
	shift
	for one in "$@"; do
		IFS=: read -r n sig where <<< "$one"
		[ "$where" = "$from" ] || continue
		if [ "$n" = reset ]; then
			reset_ended "$from" "$sig" $((RANDOM % 3000))
		else
			[ -n "${TOOK[$n]}" ] || normally "$n" "$from"
			took=${TOOK[$n]}
			ended "$n" "$from" "$sig" $((RANDOM * (took + 50) / 32768))
		fi
		MOMENTS=$((MOMENTS + 1))
	done
}

# Each command by each signal, from one of the two states; and the same for what puts back.
all_moments() {
	local n sig from
	for n in $(seq 0 $((NR - 1))) reset reset; do
		for sig in INT TERM KILL; do
			from=fresh
			[ $((RANDOM % 2)) = 0 ] || from=dirty
			echo "$n:$sig:$from"
		done
	done
}

TOOK=()
MOMENTS=0
all_moments > moments
# shellcheck disable=SC2046
MINE=$(echo $(sample "$FTR_MOMENTS" $(cat moments)))
state_dump fresh
for i in $(sample "${FTR_NORMAL:-8}" $(seq 0 $((NR - 1)))); do normally "$i" fresh; done
# shellcheck disable=SC2086
moments fresh $MINE
at_once fresh
make_dirty
state_dump dirty
for i in $(sample 2 $(seq 0 $((NR - 1)))); do normally "$i" dirty; done
at_once dirty
# shellcheck disable=SC2086
moments dirty $MINE
echo "# milliseconds: ${TOOK[*]}"
pass "$K: $MOMENTS random moments"
undirty
pass "$K: the end is reached"
finish
