# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by state-walk.sh: each verb of ftr followed by ftr reset, alone and beside what another user has
# set up; all that can be read in tracefs, and the kernel's settings for it, is compared.

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
. "$FTR_TOP/tests/guest/lib/walk-lib.sh"

EV=sched:sched_process_exec
SQL='SELECT a.common_pid AS pid, (b.TIMESTAMP_USECS - a.TIMESTAMP_USECS) AS lat FROM sys_enter_clock_nanosleep AS a '
SQL+='JOIN sys_exit_clock_nanosleep AS b ON a.common_pid = b.common_pid'

# Each a word and the words of a command, as a shell takes them; several are joined by " ;; ". The word:
# keep	what is in the buffers stays as well
# empty	it empties, fills or swaps buffers or takes histograms away, which is what it is for: contents are not compared
# fill	what it sets up records among the records of hers that lie there, or swaps these
# A command with "-" before it may fail: whether it does depends on what is there.
VERBS=(
	"keep stat -a ;; list events ;; list functions ;; -list functions --address ;; -check ;; check-events ;; help \
		record"
	"keep show ;; show current_tracer events/sched/sched_switch/format ;; snapshot ;; reset -n ;; reset --recover"
	"keep report kept.dat ;; info kept.dat ;; -recover kept.dat ;; @listen"
	"keep -graph kept.dat ;; -profile kept.dat ;; -sched states kept.dat ;; -diff kept.dat kept.dat ;; -flame \
		--folded kept.dat ;; -export --to json kept.dat ;; -browse --keys /dev/null kept.dat"
	"keep -latency wakeup kept.dat ;; -why 1 kept.dat ;; -timeline kept.dat ;; -oops parse kept.dat -o \
		x.dat ;; -oops show kept.dat ;; oops cmdline ;; -oops collect --dir oops"
	"keep -import kept.dat -o x.dat ;; -sql SELECT"
	"keep -split kept.dat -o x.dat ;; -convert kept.dat y.dat ;; -merge kept.dat y.dat -o \
		x.dat ;; -dump kept.dat ;; -scrub kept.dat z.dat"
	"keep record -q -p function -l vfs_open -e irq -O sym-offset -b 300 -C mono -o r.dat -- true"
	"keep record -q -e $EV -R stacktrace -B net -e timer -M 1 --cmdlines-size 4000 -o r.dat -- true"
	"keep start -p function -l vfs_* -n vfs_read -O sym-offset -C mono -b 900 -M 1 -e irq -e sched:sched_switch \
		-f 'prev_pid>0' -R stacktrace -B net -e timer -b 300"
	"keep start -p function_graph -l vfs_* -g ksys_read --max-graph-depth 3 -e sched -T --dump-on-oops 1"
	"keep -oops arm --panic-timeout 7 --panic-on-oops ;; oops status"
	"keep oops arm --dump=no -e irq ;; oops disarm"
	"keep start -B mine -p function -l vfs_open -e irq"
	"fill set -e irq -O noannotate -l vfs_open -M 2 -B net -e sched:sched_switch -C boot"
	"keep set --nograph-funcs vfs_read --traceoff-on-warning on --buffer-percent 80 --cpu-buffer-size 0=300"
	"keep stop"
	"keep stop ;; restart"
	"keep stop -a -t ;; restart -a"
	"keep stream -e $EV -- true"
	"keep stream -p function -l vfs_open -O sym-offset -b 300 -- true"
	"fill snapshot --on $EV"
	"fill snapshot --on vfs_mkdir ;; snapshot --off"
	"fill trigger add $EV stacktrace:5"
	"fill trigger add --func vfs_open stacktrace:3"
	"fill trigger add $EV stacktrace:5 ;; trigger list ;; trigger remove $EV stacktrace"
	"keep hist $EV common_pid -- true"
	"keep probe add do_sys_openat2"
	"keep probe add do_sys_openat2 ;; probe list ;; probe del kprobes/do_sys_openat2"
	"keep synth add 'tried u64 lat; pid_t pid' ;; synth list"
	"keep -synth add tried --from syscalls:sys_enter_clock_nanosleep --to syscalls:sys_exit_clock_nanosleep \
		--on common_pid --latency"
	"keep -sqlhist -n tried -x -e '$SQL' ;; -synth del tried"
	"empty synth add --force tried --from syscalls:sys_enter_clock_nanosleep \
		--to syscalls:sys_exit_clock_nanosleep --on common_pid --latency ;; sqlhist \
		--force -n more -x -e '$SQL'"
	"keep sqlhist -e '$SQL' -- true"
	"keep options --set sym-offset stacktrace"
	"keep set-pid --children 1 3"
	"keep set-pid --event --notrace --add 77"
	"keep stack --start -l vfs_*"
	"keep stack --start ;; stack --stop"
	"empty record -q --force -p function_graph -l vfs_* -e sched -C mono -b 500 -o r.dat -- true"
	"empty start --force -p function -l vfs_* -n vfs_read -O sym-offset -C mono -b 900 -M 1 -e irq -B net -e timer"
	"empty start --force -e $EV -R traceoff:1 ;; set -v -e $EV"
	"empty start -K -e $EV -P 1 -c"
	"empty stream --force -p function_graph -l vfs_open -e irq -- true"
	"empty mark a word"
	"empty snapshot take ;; snapshot free"
	"empty snapshot take ;; snapshot clear"
	"empty extract -o e.dat"
	"empty -trigger remove --all"
	"empty clear"
)
NR=${#VERBS[@]}

# walk FILE
walk() {
	"$FTR_BUILD/tests/guest/load/statewalk" "$FTR_TOP/tests/guest/lib/state.table" "$TRACEFS" unmatched > "$1" ||
		fail "$K: the walk ends well"
}

# The table has no row that is about nothing: a row's SINCE says where there has to be a file.
table_is_alive() {
	local series since pattern left=
	series=$(uname -r | cut -d. -f1,2)
	while read -r since pattern; do
		case $since in
		rt) [[ $K == *-rt ]] || continue ;;
		*) [ "$(printf '%s\n' "$since" "$series" | sort -V | head -n 1)" = "$since" ] || continue ;;
		esac
		left="$left $pattern"
	done < unmatched
	same "$K: each row of the table is about a file" '' "$left"
}

# Each verb that ftr help -a names has a row.
verbs_are_all() {
	"$FTR" help -a | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | sort > verbs
	printf '%s\n' "${VERBS[@]}" | sed 's/^[a-z]* //; s/ ;; /\n/g' | sed 's/^[@-]//; s/[ \t].*//' | sort -u > tried
	same_files "$K: each verb is tried" verbs tried
}

# Beside the walk: contents left out, where a verb is for changing them. error_log is what was refused.
without_contents() {
	local of='(per_cpu/cpu[0-9]*/)?(trace|snapshot|stats)'
	grep -Ev "^(instances/[^/]*/)?($of|error_log|events/[^/]*/[^/]*/hist): " "$1"
}

# A definition gets a number that no other has at that moment, or had.
IDS_OF_HERS='/^(instances\/[^/]*\/)?events\/hers\/[^/]*\/(id|format): /s/: (name: .*ID: )?[0-9]+/: \1N/'

# As after boot: without contents, and without the top level's clock where the TSC is not the machine's (an emulated one
# may lose it under load), as the kernel may have taken global at boot then, and ftr leaves either.
as_booted() {
	without_contents boot > boot.part
	without_contents fresh > fresh.part
	grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource ||
		sed -i '/^trace_clock: /d' boot.part fresh.part
	state_equal boot.part fresh.part
}

listen_end() {
	local pid
	"$FTR" listen 127.0.0.1:0 > listen.out 2> listen.err &
	pid=$!
	wait_for 127.0.0.1 listen.err
	kill -TERM $pid
	wait $pid
}

# run LINE: one after the other; 0 or the status of the first that failed, its words in ./err
run() {
	local line="$1 ;; " status may_fail
	while [ -n "$line" ]; do
		may_fail=
		[ "${line:0:1}" != - ] || may_fail=1
		split_words "${line%% ;; *}"
		line=${line#* ;; }
		ARGS[0]=${ARGS[0]#-}
		if [ "${ARGS[0]}" = @listen ]; then
			listen_end
		else
			"$FTR" "${ARGS[@]}" > out 2> err
		fi
		status=$?
		[ $status = 0 ] || [ $may_fail ] || return $status
	done
}

# tried NAME SETUP STATUS: what failed, failed because of what she has there
tried() {
	if [ "$3" = 0 ]; then
		pass "$K: $1"
	elif [ "$2" != alone ] && grep -Eq "in use|has the trigger '.*' already|tracing_on is 0" err; then
		pass "$K: $1: refused, as hers is in the way"
	else
		fail "$K: $1: status $3" "ftr ${ARGS[*]}" "$(cat err)"
	fi
}

# compare NAME CONTENTS SETUP: ./before with ./after
compare() {
	local what=all part=cat
	case $2:$3 in
	empty:* | fill:data)
		what='all but contents'
		part=without_contents
		;;
	esac
	$part before > before.part
	$part after > after.part
	[ "$3" != later ] || sed -E -i "$IDS_OF_HERS" before.part after.part
	check "$1: $what is as before" state_equal before.part after.part
}

# verb N SETUP: from the state in ./before, which is what is there in the end
verb() {
	local contents=${VERBS[$1]%% *} line=${VERBS[$1]#* } name status
	name="$2: ftr $(tr -s ' \t\n' ' ' <<< "$line" | cut -c 1-60)"
	run "$line"
	tried "$name" "$2" $?
	[ "$2" != later ] || setup_later
	"$FTR" reset > reset.out 2> reset.err
	status=$?
	[ $status = 0 ] || fail "$K: $name: reset: status $status" "$(cat reset.err)"
	walk after
	compare "$K: $name" "$contents" "$2"
	same "$K: $name: nothing stands, no journal is left" '' \
		"$("$FTR" reset -n | grep -v '^nothing'; ls /run/ftr | grep journal)"
	if [ "$2" = later ]; then
		undo_later
	else
		mv after before
	fi
}

# beside SETUP: its own sample of the verbs; "later" comes after each of them
beside() {
	local i start=$SECONDS FTR_SEED=$((FTR_SEED + $(cksum <<< "$1" | cut -c 1-4)))
	[ "$1" = alone ] || setup_$1
	walk before
	[ "$1" != later ] || undo_later
	# shellcheck disable=SC2046
	for i in $(sample "${FTR_VERBS:-5}" $(seq 0 $((NR - 1)))); do verb "$i" "$1"; done
	"$FTR" reset --all --dynamic-events --sysctl > reset.out 2> reset.err ||
		fail "$K: $1: reset --all: status $?" "$(cat reset.err)"
	walk fresh
	check "$K: $1: after reset --all it is as after boot" as_booted
	echo "# $K: $1 took $((SECONDS - start)) s"
}

"$FTR" record -q -e $EV -o kept.dat -- true
verbs_are_all
walk boot
table_is_alive
same "$K: there is nothing that cannot be read" '' "$(grep ': !' boot)"
for setup in $FTR_SETUPS; do beside "$setup"; done
kill $HER_PID
"$FTR" reset > /dev/null 2>&1		# the journal of the last verb
pass "$K: the end is reached"
finish
