# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by 305-state-control.sh: commands that end by themselves, ended otherwise.

. "$FTR_TOP/tests/lib.sh"
. "$FTR_TOP/tests/guest/state-lib.sh"
K=$1
cd "$TMP" || exit 1
RANDOM=$((FTR_SEED % 32768))

# Each a command line below ftr, in the order of the table; what this ftr does not have is left out.
COMMANDS=(
	"start -p function -l vfs_* -n vfs_read -O sym-offset -C mono -b 900 -M 1 -e irq -e sched:sched_switch -f prev_pid>0 -R stacktrace -B net -e timer -b 300"
	"start --force -p function_graph -l vfs_* -g ksys_read --max-graph-depth 3 -e sched -T"
	"start -K -e sched:sched_process_exec -R traceoff:1 -P 1 -c"
	"set -e irq -O noannotate -l vfs_open -M 2 -B net -e sched:sched_switch -C boot"
	"stop"
	"restart -a -t"
	"options sym-offset nooverwrite stacktrace"
	"set-pid --children 1 2 3"
	"set-pid --event --notrace --add 77"
	"stack --start -l vfs_*"
	"probe add do_sys_openat2"
	"synth add tried u64 lat; pid_t pid"
	"trigger add sched:sched_process_exec stacktrace:5"
	"trigger add --func vfs_open stacktrace:3"
	"snapshot --on sched:sched_process_exec"
	"hist sched:sched_process_exec common_pid -d 1"
)

known() {
	"$FTR" help | grep -q "^  $1 "
}

USED=()
for line in "${COMMANDS[@]}"; do
	if known "${line%% *}"; then
		USED+=("$line")
	else
		skip "$K: ftr ${line%% *}" "there is no such command yet"
	fi
done

# words LINE: into ARGS; only "synth add" has a definition of several words
words() {
	set -f
	case $1 in
	'synth add '*) ARGS=(synth add "${1#synth add }") ;;
	# shellcheck disable=SC2206
	*) ARGS=($1) ;;
	esac
	set +f
}

# as_before NAME BEFORE
as_before() {
	state_dump after
	check "$K: $1: tracefs is as before" state_equal "$2" after
	same "$K: $1: no journal is left" '' "$(ls /run/ftr | grep 'journal$')"
}

back() {
	local status
	"$FTR" reset "$@" > reset.out 2> reset.err
	status=$?
	[ $status = 0 ] || fail "$K: $NAME: ftr reset $*" "status $status" "$(cat reset.err)"
}

# normally LINE FROM BEFORE
normally() {
	local status begin
	words "$1"
	NAME="$2, ${ARGS[*]:0:2}, a normal end"
	begin=$(date +%s%N)
	"$FTR" "${ARGS[@]}" > out 2> err
	status=$?
	TOOK_MS=$((($(date +%s%N) - begin) / 1000000))
	if [ $status != 0 ] && grep -q 'in use' err; then
		pass "$K: $NAME: refused, as the top level is in use"
	else
		same "$K: $NAME: status" 0 $status
		[ $status = 0 ] || sed 's/^/# /' err
	fi
	back
	as_before "$NAME" "$3"
	feature "$(uname -r)" "state after: ftr ${1%% *}" works
}

# ended LINE FROM BEFORE SIGNAL MS
ended() {
	local sig=$4 status pid
	words "$1"
	NAME="$2, ${ARGS[*]:0:2}, SIG$sig after $5 ms"
	# a shell's background jobs ignore SIGINT
	env --default-signal=INT "$FTR" "${ARGS[@]}" > out 2> err &
	pid=$!
	sleep "$(printf '%d.%03d' $(($5 / 1000)) $(($5 % 1000)))"
	kill -"$sig" $pid 2> kill.err
	wait $pid 2> wait.err
	status=$?
	case $sig:$status in
	KILL:*) back --recover ;;
	INT:130 | TERM:143)
		# nothing of it stands
		same "$K: $NAME: nothing stands" '' "$("$FTR" reset -n)" ;;
	*:0) back ;;
	*)
		# the top level may be in use: nothing was done
		grep -q 'in use' err || fail "$K: $NAME: status $status" "$(cat err)"
		back ;;
	esac
	as_before "$NAME" "$3"
}

# Killed while it puts back what stands.
reset_ended() {
	local pid
	NAME="$1, reset, SIGKILL after $3 ms"
	words "${USED[0]}"
	"$FTR" "${ARGS[@]}" --force > out 2> err || fail "$K: $NAME: start" "$(cat err)"
	"$FTR" reset > out 2> err &
	pid=$!
	sleep "$(printf '%d.%03d' $(($3 / 1000)) $(($3 % 1000)))"
	kill -KILL $pid 2> kill.err
	wait $pid 2> wait.err
	back --recover
	as_before "$NAME" "$2"
}

# Several at once wait for each other: what was there before the first of them is what comes back.
at_once() {
	local i pids=
	NAME="$1, several at once"
	for i in 1 2 3 1; do
		"$FTR" set -q -M $i -b $((i * 300)) -e sched:sched_process_exec 2> err.$i &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || fail "$K: $NAME: status $?" "$(cat err.*)"
	done
	back
	as_before "$NAME" "$2"
}

# moments N FROM BEFORE
moments() {
	local i line sig took
	for i in $(seq "$1"); do
		n=$((RANDOM % ${#USED[@]}))
		line=${USED[$n]}
		took=${TOOK[$n]}
		sig=$(set -- INT TERM KILL KILL; eval "echo \$$((RANDOM % 4 + 1))")
		if [ $((RANDOM % 8)) = 0 ]; then
			reset_ended "$2" "$3" $((RANDOM % 3000))
		else
			ended "$line" "$2" "$3" "$sig" $((RANDOM * (took + 50) / 32768))
		fi
	done
}

TOOK=()
state_dump fresh
i=0
for line in "${USED[@]}"; do
	normally "$line" fresh fresh
	TOOK[i++]=$TOOK_MS
done
echo "# milliseconds: ${TOOK[*]}"
moments $((FTR_MOMENTS / 2)) fresh fresh
at_once fresh fresh
make_dirty
state_dump dirty
[ "${FTR_LONG:-}" != 1 ] || for line in "${USED[@]}"; do normally "$line" dirty dirty; done
at_once dirty dirty
moments $((FTR_MOMENTS - FTR_MOMENTS / 2)) dirty dirty
pass "$K: the end is reached"
finish
