# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by compress.sh, which reads the files: compress.sh KERNEL-SERIES
. "$(dirname "$0")/../lib/trigger-lib.sh"
. "$FTR_TOP/tests/guest/lib/record-lib.sh"
MARKS=$FTR_BUILD/tests/guest/load/marks
N=20000

# load N: so many markers on each CPU
load() {
	echo "'$MARKS' 0 1 $1 a 1000 & '$MARKS' 1 1 $1 b 1000; wait"
}

# What the kernel counted on all CPUs as overwritten or dropped, by the file.
kernel_lost() {
	"$FTR" info --quick "$1" | grep -E '^ *(overrun|commit overrun|dropped events):' |
		awk '{ n += $NF } END { print n + 0 }'
}

# record NAME HOW FILE
record() {
	try_ftr "$1" 0 record --compression "$2" -o "$3" -b 1M -e sched:sched_switch -- sh -c "$(load $N)"
	sed -nE 's/.*: 2 CPUs, ([0-9,]+) events, .*/\1/p' err | tr -d , > "$OUT/$1.events"
	said "$1: nothing was lost" ' 0 lost'
	same "$K: $1: no overrun" 0 "$(kernel_lost "$3")"
	cp "$3" "$OUT/$1.dat"
}

# smaller NAME: less than a third of "none"
smaller() {
	local plain packed
	plain=$(stat -c %s "$OUT/none.dat")
	packed=$(stat -c %s "$OUT/$1.dat")
	[ $((packed * 3)) -lt "$plain" ] && pass "$K: $1: $packed bytes instead of $plain" ||
		fail "$K: $1: bytes" "$packed of $plain"
	has "$K: $1: ftr info tells" "$("$FTR" info --quick "$OUT/$1.dat")" 'compression zstd'
}

kinds() {
	loop_disk /mnt 400M
	record none none /mnt/none.dat
	record joined zstd /mnt/joined.dat
	smaller joined
	record copied zstd:1 /tmp/copied.dat
	smaller copied
	same "$K: no other file is left" '/mnt/joined.dat /mnt/none.dat /tmp/copied.dat' \
		"$(echo /mnt/*.dat* /tmp/*.dat*)"
	feature "$K" 'ftr record --compression' works
}

# smaller_than_none NAME FILE: a recording of some hundred events
smaller_than_none() {
	local plain packed
	plain=$(stat -c %s /mnt/plain.dat)
	packed=$(stat -c %s "$2")
	[ $((packed * 4)) -lt "$plain" ] && pass "$K: $1: $packed bytes instead of $plain" ||
		fail "$K: $1: $packed bytes of $plain"
}

# packed FILE: the numbers of its sections, from HEADER_INFO on, whose flag says that they are compressed; an unfinished
# file's as well. By the bytes of trace.dat(5): no reader of ours.
packed() {
	python3 - "$1" <<- 'EOF'
		import struct, sys
		f = open(sys.argv[1], 'rb')
		at = f.read(64).index(b'\0', 23) + 9
		out = []
		while f.seek(at) == at and len(head := f.read(16)) == 16 and head != bytes(16):
		    number, flags, _, size = struct.unpack('<HHIQ', head)
		    out += [str(number)] if flags & 1 else []
		    at += 16 + size
		print(*sorted(out))
	EOF
}

# refused NAME FILE: trace-cmd does not look for what an unfinished file does not have yet
refused() {
	timeout 60 trace-cmd report -i "$2" > tc 2>&1
	same "$K: $1: trace-cmd refuses it at once" 1 $(($? != 0 && $? != 124))
	has "$K: $1: by its header" "$(cat tc)" 'error reading header'
}

# Without --compression metadata is compressed, joined and copied, but not while it is recorded.
metadata() {
	local dir name
	try_ftr 'none' 0 record --compression none -o /mnt/plain.dat -e sched:sched_switch -- sleep 0.3
	same "$K: none: nothing is compressed" '' "$(packed /mnt/plain.dat)"
	for dir in /mnt /tmp; do
		name=default-${dir#/}
		try_ftr "$name" 0 record -o $dir/d.dat -b 1M -e sched:sched_switch -- sh -c "$(load $N)"
		sed -nE 's/.*: 2 CPUs, ([0-9,]+) events, .*/\1/p' err | tr -d , > "$OUT/$name.events"
		cp $dir/d.dat "$OUT/$name.dat"
		try_ftr "$name: functions" 0 record -o $dir/few.dat -p function -l 'vfs_read*' -- cat err
		smaller_than_none "$name" $dir/few.dat
		same "$K: $name: what is compressed" '16 17 18 19 20 21' "$(packed $dir/few.dat)"
		cp $dir/few.dat "$OUT/$name-functions.dat"
		rm -f $dir/d.dat* $dir/few.dat*
	done
	"$FTR" record -q -o /mnt/open.dat -e sched:sched_process_exec -- sleep 300 2> err &
	# the symbols are there: how many there are depends on the kernel (6.1: 4 MB in all, 7.2: 9)
	wait_until 120 has_blocks /mnt/open.dat.part-$! $(($(stat -c %s /mnt/plain.dat) * 9 / 10 / 512))
	same "$K: nothing is compressed while it is recorded" '' "$(packed /mnt/open.dat.part-$!)"
	refused 'while it is recorded' /mnt/open.dat.part-$!
	kill -INT $!
	wait $!
	pkill -x sleep
	smaller_than_none 'interrupted' /mnt/open.dat
	rm -f /mnt/open.dat /mnt/plain.dat
}

# Version 6, joined and copied, with an instance that has markers of nobody.
versions() {
	local dir
	for dir in /mnt /tmp; do
		try_ftr "version 6 in $dir" 0 record --file-version 6 -o $dir/v6.dat -b 1M -e sched:sched_switch \
			-B other -e sched:sched_wakeup -- \
			sh -c "$(load $N)"
		sed -nE 's/.*: 2 CPUs, ([0-9,]+) events, .*/\1/p' err | tr -d , > "$OUT/v6-${dir#/}.events"
		cp $dir/v6.dat "$OUT/v6-${dir#/}.dat"
		rm $dir/v6.dat
	done
	feature "$K" 'ftr record --file-version 6' works
}

# has_blocks FILE NUMBER
has_blocks() {
	[ "$(stat -c %b "$1" 2> /dev/null || echo 0)" -gt "$2" ]
}

# The guardian completes it; what was compressed so far does not count.
kill_it() {
	local file=/mnt/k.dat pid
	setsid "$FTR" record -q --compression zstd -b 1M -o $file -e sched:sched_switch -- \
		sh -c "$(load 900000)" 2> err &
	pid=$!
	wait_until 120 has_blocks $file.part-$pid $(((16 + 5) * 2048))
	kill -KILL $pid
	wait $pid 2> /dev/null
	pkill -x marks
	wait_until 60 no_guardian
	refused 'killed' $file
	[ "$(stat -c %s $file)" -le $(($(stat -c %b $file) * 512 + (1 << 20))) ] && pass "$K: killed: no holes" ||
		fail "$K: killed: no holes" "$(stat $file)"
	has "$K: killed: its guardian tells the size" "$(cat err)" \
		"killed: the recorded data is in '$file', [0-9.]+ MiB"
	cp $file "$OUT/killed.dat"
	rm -f $file*
	# the markers went on until they were killed
	echo 0 > "$T/trace"
}

# A disk too small for the raw data and what is compressed: what was written is there, raw.
full() {
	loop_disk /small 28M
	try_ftr 'full disk' 3 record --compression zstd -b 1M -o /small/f.dat -e sched:sched_switch \
		-- sh -c "$(load 200000)"
	said 'full disk: it is said' 'No space left'
	sed 's/^/# /' err
	cp /small/f.dat "$OUT/full.dat"
	umount /small
}

modprobe loop && modprobe ext4
run_parts metadata kinds versions kill_it full
