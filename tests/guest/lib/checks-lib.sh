# SPDX-License-Identifier: GPL-2.0-or-later
# What checks in a guest share. Sourced, in the guest. They run in $TMP, K is the kernel's series.

[ -z "${CHECKS_ARE_SHARED:-}" ] || return 0
CHECKS_ARE_SHARED=1

. "$FTR_TOP/tests/lib.sh"
. "$FTR_TOP/tests/guest/lib/state-lib.sh"
K=$FTR_SERIES
T=$TRACEFS
cd "$TMP" || exit 1

note() {
	echo "# $(cut -d' ' -f1 /proc/uptime) s: $*"
}

# try NAME STATUS COMMAND...: stdout in ./stdout, stderr in ./err
try() {
	local name=$1 want=$2 status
	shift 2
	"$@" > stdout 2> err
	status=$?
	if [ $status = "$want" ]; then
		pass "$K: $name: status $want"
	else
		fail "$K: $name: status $want" "got: $status" "$(cat err)"
	fi
}

# try_ftr NAME STATUS ARGS...
try_ftr() {
	try "$1" "$2" "$FTR" "${@:3}"
}

# ran NAME STATUS ARGS...: ftr, of which only another status is told; stdout in ./out, stderr in ./err
ran() {
	local name=$1 want=$2 status
	shift 2
	"$FTR" "$@" > out 2> err
	status=$?
	[ "$status" = "$want" ] && return 0
	fail "$K: $name: status $want" "got: $status" "$(cat err)"
	return 1
}

# said NAME PATTERN
said() {
	has "$K: $1" "$(cat err)" "$2"
}

# entries [FOLDER]: records in all CPUs, by the kernel
entries() {
	awk '$1 == "entries:" { n += $2 } END { print n }' "$T"/${1:+$1/}per_cpu/cpu*/stats
}

# split_words LINE: into ARGS
split_words() {
	set -f
	eval "ARGS=($1)"
	set +f
}

# loop_disk FOLDER SIZE: an ext4 file system, on which the parts of a recording are joined in place; /tmp is a tmpfs,
# where they are copied
loop_disk() {
	local image=/tmp/${1#/}.img
	modprobe loop
	modprobe ext4
	mkdir -p "$1"
	truncate -s "$2" "$image"
	mkfs.ext4 -q -F "$image"
	mount -o loop "$image" "$1" || fail "$K: no disk"
}
