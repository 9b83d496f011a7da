#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr recover on a disk without room for a copy: the file is finished in its place, also after having been killed there.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
SPOOL="python3 $ORACLE/mkspool.py"
IN_PLACE=$FTR_TOP/tests/tools/in_place.py
export FTR_TRACEFS=$TMP/none

truncate -s 8M image
mkdir disk
if ! mkfs.ext4 -q -F -b 4096 -m 0 image > /dev/null 2>&1 || ! mount -o loop image disk 2> /dev/null; then
	skip "recover in place" "no ext4 file system can be mounted"
	finish
fi
trap 'umount "$TMP/disk"; rm -rf "$TMP"' EXIT

# full FILE KIB: it lies on the disk, which has so much room besides; $HELD KiB are held in its front
full() {
	rm -f disk/*.dat* disk/fill
	cp --sparse=always "$1" disk/a.dat
	[ -z "${HELD:-}" ] || fallocate -n -l "${HELD}K" disk/a.dat
	local left
	sync -f disk
	left=$(df -k --output=avail disk | tail -n 1)
	fallocate -l "$((left - $2))K" disk/fill
	sync -f disk
}

# whole NAME FILE: a finished file with all records of b.dat
whole() {
	same "$1: the same records" "$(records b.dat)" "$(records "$2")"
	run_ftr info "$2"
	same "$1: status of ftr info" 0 "$ST"
	has "$1: checksums" "$OUT" '^checksums: +[0-9]+ ranges, all correct'
}

for how in "" "--sealed 0" "--sealed 2" "--sealed 3" "--first zstd" "--first zstd --packed zstd --half" \
	"--first zstd --packed zstd --sealed 0" "--first zstd --packed zstd --sealed 0 --cut" \
	"--first zstd --packed zstd --sealed 2" "--first zstd --packed zstd --sealed 3" \
	"--first zlib --packed zlib --sealed 1" "--first zstd --sealed 2" \
	"--first zstd --packed zstd --data --sealed 0" "--first zstd --packed zstd --data --sealed 2" \
	"--first zstd --packed zstd --data --sealed 3" "--v6 120 --sealed 0" "--v6 120 --sealed 2" \
	"--v6 120 --sealed 3 --tail" "--sealed 3 --tail"; do
	what="a file ${how:-open}"
	$SPOOL a.dat --like b.dat --symbols --records 3000 --lost 0 $how --text tracer=nop --text boot_id=another
	full a.dat 256
	chmod 640 disk/a.dat
	ino=$(stat -c %i disk/a.dat)
	run_ftr recover disk/a.dat
	same "$what: status" 0 "$ST"
	has "$what: said" "$ERR" "there is no room for a copy: 'disk/a.dat' is finished in its place"
	same "$what: it is the same file, and nothing else is left" "$ino 640 a.dat" \
		"$(stat -c '%i %a' disk/a.dat) $(cd disk && echo *.dat*)"
	whole "$what" disk/a.dat
	has "$what: session" "$OUT" 'tracer=nop'
	has "$what: symbols" "$OUT" '^symbols: +[1-9]'
	has "$what: noted" "$OUT" 'recovered=without .*statistics'
	# some are built without zlib
	if [ -z "${how##*zlib*}" ] && [ -n "$how" ] && ! trace-cmd list -c 2> /dev/null | grep -q zlib; then
		skip "$what: trace-cmd" "trace-cmd can't read it"
	elif command -v trace-cmd > /dev/null; then
		same "$what: trace-cmd reads as much" "$(trace-cmd report b.dat 2> /dev/null | wc -l)" \
			"$(trace-cmd report disk/a.dat 2> /dev/null | wc -l)"
	fi
done

# --- killed there

# A front of each kind is killed at many places: tests/tools/in_place.py fills the disk, kills, reads, recovers again.
for how in "" "--first zstd --packed zstd --sealed 0" "--first zstd --packed zstd --data --sealed 0" \
	"--v6 120 --sealed 0"; do
	$SPOOL a.dat --like b.dat --symbols --records 1500 --lost 0 $how --text boot_id=another
	read -r N said < <("$IN_PLACE" kills 0)
	same "killed $how: $N stops in all; in place" True "$said"
	# the header comes last: most of the last hundred stops are behind it
	late=$((N > 200 ? N - 100 : N / 2))
	check "killed $how while it is finished in its place: recovered again" eval '"$IN_PLACE" kills \
		$(sample 6 $(seq $((late / 2)) 2 $((late - 1)))) $(sample 8 $(seq $late 2 "$N")) | tee killed; \
		[ "${PIPESTATUS[0]}" = 0 ]'
	finished=$(sed -n 's/^finished //p' killed)
	[ "${FTR_LONG:-}" = 1 ] ||
		check "killed $how: six before the end: $finished were finished" test "$finished" -le 8
done

# --- where that can't be, and a disk that is full to its last byte

# bytes FILE: a sum over what is not a hole, and where that is
bytes() {
	python3 - "$1" <<- 'END'
	import hashlib, os, sys
	fd, at, out = os.open(sys.argv[1], os.O_RDONLY), 0, hashlib.sha256()
	size = os.fstat(fd).st_size
	while at < size:
	    try:
	        at = os.lseek(fd, at, os.SEEK_DATA)
	    except OSError:
	        break
	    end = os.lseek(fd, at, os.SEEK_HOLE)
	    out.update(b"%d %d" % (at, end) + os.pread(fd, end - at, at))
	    at = end
	print(size, out.hexdigest())
	END
}

# stays NAME KIB OPTION...: what mkspool.py makes of them is not finished with so much room, and as it was
stays() {
	local what=$1 room=$2 was
	shift 2
	$SPOOL a.dat --like b.dat --symbols --records 3000 --lost 0 --text boot_id=another "$@"
	full a.dat "$room"
	was=$(bytes disk/a.dat)
	run_ftr recover disk/a.dat
	check "$what: not finished" test "$ST" != 0
	has "$what: why" "$ERR" 'No space left on device'
	has "$what: a hint" "$ERR" "hint: '-o FILE' writes it elsewhere; the old file is unchanged"
	same "$what: the file is as it was, and nothing else is left" "$was a.dat" \
		"$(bytes disk/a.dat) $(cd disk && echo *.dat*)"
	run_ftr recover -q disk/a.dat -o elsewhere.dat
	same "$what: elsewhere" "$(records b.dat | sed 's/lost_unknown [01]//')" \
		"$(records elsewhere.dat | sed 's/lost_unknown [01]//')"
	rm -f elsewhere.dat*
}

stays "no room at all" 0 --sealed 0
stays "no room at all, compressed" 0 --first zstd --packed zstd --data --sealed 2
stays "what was never written" 256 --hole :1:3:2
stays "a stream" 256 --stream 3

$SPOOL a.dat --like b.dat --symbols --records 3000 --lost 0 --text tracer=nop --text boot_id=another
HELD=512
full a.dat 0
run_ftr recover disk/a.dat
same "no room but what the file holds: status" 0 "$ST"
has "no room but what the file holds: said" "$ERR" "is finished in its place"
whole "no room but what the file holds" disk/a.dat

# --- fronts that a stranger made: one byte differs

fronts() {
	local how wrong=0
	for how in "" "--first zstd --packed zstd --data --sealed 2" "--v6 120 --sealed 1"; do
		$SPOOL a.dat --like b.dat --symbols --records 500 --lost 0 $how --text boot_id=another
		"$IN_PLACE" flips $(sample 20 $(seq 200)) || { wrong=1; echo "a file $how"; }
	done
	return $wrong
}
check "fronts with a byte that differs: no crash" fronts

finish
