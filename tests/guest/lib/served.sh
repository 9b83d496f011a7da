# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the state of a served guest, a line for each thing, but for what the table names: served.sh TABLE. Run in the
# guest, after its boot and after each command.

TABLE=$1
bb=/.guest/busybox
T=/sys/kernel/tracing

# Without its TSC, which a busy guest may lose after its boot, the kernel's own choice of a clock is global, not local.
tracing() {
	"$FTR_BUILD/tests/guest/load/statedump" "${TABLE%/*}/state.list" "$T" |
		$bb sed -E '/trace_clock:/s/\[(local|global)\]/\1/; s/^/tracing /'
	$bb sed 's/^/kprobe /' /sys/kernel/debug/kprobes/list
}

program() {
	$bb tr '\0' ' ' < "/proc/$1/cmdline" | $bb cut -c 1-100
}

# Processes but those of the kernel and of serving.
processes() {
	local stat rest
	for stat in /proc/[0-9]*/stat; do
		read -r rest < "$stat" || continue
		set -- ${rest##*) }
		[ "$2" = 2 ] || [ "$2" = 0 ] || [ "$4" = "$MINE" ] || echo "process $(program "${rest%% *}")"
	done 2> /dev/null | $bb sort
}

# The changed files, and those of /run, with sizes.
changed_files() {
	$bb find /.guest/upper ! -type d -exec $bb stat -c 'file %n %s %Y' {} +
	$bb find /run -xdev -mindepth 1 ! -type d -exec $bb stat -c 'file %n %s' {} +
	$bb find /run -xdev -mindepth 1 -type d -exec $bb stat -c 'folder %n' {} +
}

kernel_sysctls() {
	local file
	for file in /proc/sys/kernel/*; do
		[ ! -r "$file" ] || [ -d "$file" ] || echo "sysctl $file $(< "$file")"
	done 2> /dev/null
}

# What scripts load for a disk of their own goes with it, once the last process's mounts have gone: other scripts await
# these modules.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	disk=$($bb sed -nE 's/^(ext4|loop|crc32c_[a-z]*) .*/\1/p' /proc/modules)
	# shellcheck disable=SC2086
	[ -n "$disk" ] && ! modprobe -qra $disk || break
	$bb sleep 0.3
done
read -r rest < /proc/self/stat
set -- ${rest##*) }
MINE=$4
{
	$bb sed 's/ .*//; s/^/module /' /proc/modules | $bb sort
	processes
	$bb sed 's/^/mount /' /proc/mounts
	changed_files
	kernel_sysctls
	tracing
} > /.guest/state.all
$bb sed -n 's/^\([^#[:space:]][^	]*\)	.*/\1/p' "$TABLE" > /.guest/state.but
$bb grep -vEf /.guest/state.but /.guest/state.all
