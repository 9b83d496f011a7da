# SPDX-License-Identifier: GPL-2.0-or-later
# What the checks of triggers and snapshots share. Sourced, in the guest.

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
EXEC=sched:sched_process_exec
EXEC_DIR=$T/events/sched/sched_process_exec
FILTER='filename ~ "*ftrprobe"'
cp /bin/true "$TMP/ftrprobe"

# probe N: so many events that FILTER lets through
probe() {
	local i
	for ((i = 0; i < $1; i++)); do
		"$TMP/ftrprobe"
	done
}

# On a tmpfs: an overlay calls vfs_mkdir of what is below, too.
D=/tmp/ftr-test-dir

# dirs N: so many calls of vfs_mkdir and vfs_rmdir
dirs() {
	local i
	for ((i = 0; i < $1; i++)); do
		mkdir $D
		rmdir $D
	done
}

# The triggers of an event, as the kernel lists them; its help left out.
kernel_triggers() {
	grep -v '^#' "$T/${2:+instances/$2/}events/$1/trigger"
}

commands() {
	grep -v '^#' "$T/${1:+instances/$1/}set_ftrace_filter"
}

empty() {
	echo > "$T/trace"
}

stacks() {
	grep -c '<stack trace>' "$T/${1:+instances/$1/}trace"
}
