# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by power.sh, in two boots: power.sh KERNEL-SERIES write, power.sh KERNEL-SERIES
# read FILE-THAT-THE-FIRST-PRINTED
. "$FTR_TOP/tests/lib.sh"
. "$FTR_TOP/tests/guest/lib/record-lib.sh"
K=$1
SYNC=${FTR_SYNC:-2}		# seconds between two writes to the disk
SLACK=1.5			# what a write takes, and the time between two lines, at least
modprobe virtio_blk
modprobe ext4
export FTR_JOURNAL_DIR=/mnt/journals

# Where journals outlive a boot nobody has to look at what they changed. Prints "TIME MARKERS-OF-CPU-0 MARKERS-OF-CPU-1"
# now and then, at last that it may be killed.
write() {
	local now n cs last='' begin='' gap=0
	mkfs.ext4 -q -F /dev/vda
	mount /dev/vda /mnt
	mkdir /tmp/n /mnt/journals
	"$FTR" record -q --sync "$SYNC" -e sched:sched_switch -e irq -o /mnt/t.dat -- \
		"$FTR_BUILD/tests/guest/load/marker_load" /tmp/n 0 10000 &
	while :; do
		sleep 0.25
		read -r now _ < /proc/uptime
		n=$(number 1)
		if [ -n "$n" ]; then
			echo "$now $(number 0) $n"
			cs=$((10#${now/./}))
			[ $((cs - ${last:=$cs})) -le $gap ] || gap=$((cs - last))
			last=$cs
			: "${begin:=$cs}"
		fi
		sync /mnt/journals/*
		[ -z "$begin" ] || [ $((cs - begin)) -lt $((100 * (3 * SYNC + 1) + 4 * gap)) ] ||
			echo "the power may fail"
	done
}

# A line comes after a write of the journals to the same disk: where that takes long, the recording's does.
slack() {
	awk -v slack="$SLACK" '
		$1 ~ /^[0-9.]+$/ && NF == 3 { if (last && 2 * ($1 - last) > slack) slack = 2 * ($1 - last); last = $1 }
		END { print slack }' "$LINES"
}

# wanted CPU: the number of its markers an interval before the last line of $LINES
wanted() {
	awk -v cpu="$1" -v before="$SYNC" -v slack="$(slack)" '
		$1 ~ /^[0-9.]+$/ && NF == 3 { time[++n] = $1; count[n] = $(2 + cpu) }
		END {
			for (i = n; i > 1 && time[i] > time[n] - before - slack; i--)
				;
			print count[i] + 0
		}' "$LINES"
}

# holds WHAT FILE
holds() {
	local cpu last missing least
	for cpu in 0 1; do
		read -r last missing _ <<< "$(markers "$2" $cpu)"
		least=$(wanted $cpu)
		echo "# $K: $1, CPU $cpu: markers up to $last, $least wanted, when it failed $(awk -v cpu=$cpu \
			'NF == 3 { n = $(2 + cpu) } END { print n }' "$LINES")"
		if [ "$missing" = 0 ] && [ "$last" -ge "$least" ] && [ "$least" -gt 0 ]; then
			pass "$K: $1: what came on CPU $cpu up to $SYNC s before is there"
		else
			fail "$K: $1: what came on CPU $cpu up to $SYNC s before is there" "$missing are missing"
		fi
	done
}

read_back() {
	local file
	mount /dev/vda /mnt || fail "$K: the disk can be mounted" "$(dmesg | tail)"
	file=$(ls /mnt/t.dat.part-*)
	has "$K: the file has the name of what is not finished" "$file" '^/mnt/t\.dat\.part-[0-9]+$'
	holds 'as it was left' "$file"
	has "$K: the kernel's symbols are in it" "$("$FTR" info --quick "$file" 2> /dev/null)" '^symbols: +[1-9]'
	check "$K: ftr recover" "$FTR" recover -o /tmp/t.dat "$file"
	holds 'recovered' /tmp/t.dat
	has "$K: the journal of the boot before is dropped" "$("$FTR" reset --recover 2>&1)" \
		"^ftr: dropped '/mnt/journals/.*': it is from another boot"
	same "$K: it is gone" '' "$(ls /mnt/journals)"
	has "$K: trace-cmd reads what was recovered" "$(trace-cmd report -i /tmp/t.dat 2>&1 | grep -am1 'load 0')" \
		'load 0 [0-9]+'
}


case $2 in
write)
	write
	;;
read)
	LINES=$3
	echo "# $K: allowed for a write: $(slack) s"
	read_back
	pass "$K: the end is reached"
	finish
	;;
esac
