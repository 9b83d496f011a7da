# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by 430-kill.sh: ftr record is killed by SIGKILL while it sets up, runs, stops and joins; its guardian
# as well every other time, and ftr reset --recover does what it would have done.

. "$FTR_TOP/tests/lib.sh"
. "$FTR_TOP/tests/guest/record-lib.sh"
. "$FTR_TOP/tests/guest/state-lib.sh"
K=$1
RANDOM=$((FTR_SEED % 32768))
LOAD=$FTR_BUILD/tests/guest/marker_load

# A disk, on which the parts of the file are joined in place; every third time a tmpfs, where they are copied.
modprobe loop
modprobe ext4
truncate -s 400M /tmp/disk.img
mkfs.ext4 -q -F /tmp/disk.img
mount -o loop /tmp/disk.img /mnt || fail "$K: no disk"
mkdir /tmp/n
cp "$LOAD" /tmp/load
mkdir -p /mnt/d /tmp/d

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

# guardian_goes: within two seconds. Where the machine has no time for us that is longer: then within as many looks as two
# seconds have, or 20 starts of a program.
guardian_goes() {
	local t=${EPOCHREALTIME/./} looks=0
	until no_guardian || [ $looks = 600 ]; do
		sleep 0.1
		looks=$((looks + 1))
	done
	t=$(((${EPOCHREALTIME/./} - t) / 1000))
	[ $t -le $SLOWEST ] || SLOWEST=$t
	[ $t -gt 2000 ] || return 0
	echo "# $K: the guardian was there for $t ms, $looks looks; the start of a program takes $(start_ms) ms" >> /tmp/in-flight
	[ $looks -le 14 ] || [ $t -le $((20 * $(start_ms))) ]
}

# What must be seen of it all. $1: who was killed, $2: folder, $3...: numbers known before the kill. Without a guardian
# what the pipe of a CPU held in that moment is lost: one gap. With --nosplice there is no pipe, otherwise seldom one.
check_file() {
	local whom=$1 file cpu last missing gaps known
	file=$(file_of "$2")
	case $HOW in *--rotate*) file=$(files_of "$2") ;; esac
	shift 2
	cpu=0
	for known; do
		if [ -z "$file" ]; then
			[ "$known" = 0 ] || { echo "no file, $known markers"; return 1; }
			continue
		fi
		read -r last missing gaps <<< "$(markers "$file" $cpu)"
		if [ "$whom" = both ] && [ "${HOW#--nosplice}" = "$HOW" ] && [ "$gaps" = 1 ]; then
			echo "# CPU $cpu: $missing markers were in its pipe" >> /tmp/in-flight
			missing=0
		fi
		if [ "$missing" != 0 ] || [ "$last" -lt "$known" ]; then
			echo "$file: CPU $cpu has markers up to $last, $missing missing; $known were written"
			for file in $file; do "$FTR" info "$file" 2>&1; done | grep -E "lost|state|damage|not"
			return 1
		fi
		cpu=$((cpu + 1))
	done
}

# one PHASE FOLDER WHOM: "ftr", or "both" for the guardian as well
one() {
	local phase=$1 dir=$2 whom=$3 count=0 ftr known0=0 known1=0 name why= alive
	rm -f "$dir"/t.dat* /tmp/n/*
	[ "$phase" != stopping ] || count=$((300 + RANDOM % 600))
	# shellcheck disable=SC2086
	setsid "$FTR" record -q $HOW -e sched:sched_switch -e irq -o "$dir/t.dat" -- /tmp/load /tmp/n $count 300 2> /tmp/said &
	ftr=$!
	case $phase in
	setup)
		sleep "$(ms 1 1500)"
		;;
	running)
		wait_until 60 wrote 0 0 || why="the load does not run; "
		sleep "$(ms 1 1500)"
		;;
	stopping)
		wait_until 60 wrote 0 0
		wait_until 120 load_ended || why="the load does not end; "
		sleep "$(ms 1 900)"
		;;
	esac
	known0=$(number 0)
	known1=$(number 1)
	if [ "$whom" = both ]; then
		kill -KILL $ftr $(pgrep -x ftr-guardian) 2> /dev/null
		sleep 0.2
		"$FTR" reset --recover > /tmp/recover 2>&1 || why="$why$(cat /tmp/recover); "
	else
		kill -KILL $ftr 2> /dev/null
	fi
	guardian_goes || why="${why}the guardian is there after two seconds; "
	state_dump /tmp/after
	state_equal /tmp/before /tmp/after > /tmp/diff || why="${why}tracefs differs: $(cat /tmp/diff); "
	alive=$(pgrep -x load | wc -l)
	[ "$phase" != running ] || [ "$alive" -gt 1 ] || why="${why}the command did not go on; "
	pkill -KILL -x load
	wait $ftr 2> /dev/null
	why=$why$(check_file "$whom" "$dir" "${known0:-0}" "${known1:-0}")
	echo 0 > "$TRACEFS/trace"
	[ -z "$why" ] || { echo "$phase in $dir, $whom${HOW:+, $HOW}: $why $(cat /tmp/said)"; return 1; }
	TOTAL=$((TOTAL + ${known0:-0} + ${known1:-0}))
}

TOTAL=0
SLOWEST=0
PHASES=(running setup stopping)
state_dump /tmp/before
for ((i = 0; i < FTR_MOMENTS; i++)); do
	phase=${PHASES[i % 3]}
	dir=/mnt/d
	[ $((i / 3 % 3)) != 1 ] || dir=/tmp/d
	whom=ftr
	[ $((i % 2)) = 0 ] || whom=both
	HOW=
	[ $((i / 2 % 2)) = 0 ] || HOW=--nosplice
	[ $((i / 4 % 3)) != 2 ] || HOW="$HOW --rotate 1000 --max-size 256K"
	if one $phase $dir $whom > /tmp/why 2>&1; then
		GOOD=$((GOOD + 1))
	else
		fail "$K: killed, moment $i" "$(cat /tmp/why)"
	fi
done
cat /tmp/in-flight 2> /dev/null
echo "# $K: the guardian was gone after $SLOWEST ms at the latest; the start of a program takes $(start_ms) ms"
same "$K: the file, tracefs and the command after each of $FTR_MOMENTS kills" "$FTR_MOMENTS" "$GOOD"
[ "$TOTAL" -gt $((FTR_MOMENTS * 100)) ] && pass "$K: $TOTAL markers" || fail "$K: markers" "$TOTAL"
echo "ok - $K: the end is reached"
