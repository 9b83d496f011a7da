# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by browse.sh, which reads the file: browse.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
K=$1
cd "$OUT" || exit 1

# Two tasks beside each other for a second: calls inside calls, waiting, switches, interrupts.
work() {
	local end=$((${EPOCHREALTIME/./} + 1000000))
	while [ ${EPOCHREALTIME/./} -lt $end ]; do
		ls -R /usr/share/doc/base-files | cat > /dev/null
		head -c 100000 /dev/zero > /tmp/written
		sleep 0.01
	done
}
export -f work

recording() {
	"$FTR" record --no-filter -b 16M -o browse.dat -p function_graph -l 'vfs_*' -l 'ksys_*' -l schedule \
		-l handle_irq_event \
		-e sched -e irq -e syscalls:*openat -e syscalls:*_read -e syscalls:*_write -- bash -c work 2> browse.err
	same "$K: recorded" 0 $?
}

run_parts recording
