#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# utils/guest: what a guest offers, and that status, output, arguments and files come through unchanged.

. "$(dirname "$0")/../lib.sh"
guest=$FTR_TOP/utils/guest
# below the host's /tmp, which a guest sees as an empty one
dir=$(mktemp -d "${TMPDIR:-/tmp}/ftr-guest-run.XXXXXX") || exit 1
trap 'rm -rf "$dir" "$TMP"' EXIT

# is NAME GOT EXPECTED
is()
{
	same "$1" "$3" "$2"
}

# Where the kernel lies: without KASLR where it was linked for.
print_text="sed -n '/ _text\$/{s/ .*//p;q}' /proc/kallsyms"

skip_kernel()
{
	echo "skip - guest $1: $2 # no kernel: $(tail -n 1 "$dir/fetch.log" 2>/dev/null)"
}

# What COMMAND finds; written to $OUT/facts by one boot, judged below on the host.
cat >"$dir/facts.sh" <<'FACTS'
cd_seen=$(pwd)
{
	echo "cwd=$cd_seen"
	echo "release=$(uname -r)"
	echo "kernel=$GUEST_KERNEL"
	echo "hostname=$(uname -n)"
	echo "uid=$(id -u)"
	echo "cpus=$(nproc)"
	echo "tmp=$(ls -A /tmp | grep -c -v '^ftr-guest-run')"
	echo "graph=$(grep -cw function_graph /sys/kernel/tracing/available_tracers)"
	echo "debugfs=$(test -d /sys/kernel/debug/tracing && echo yes)"
	echo "lo=$(cat /sys/class/net/lo/flags)"
	echo "sbin=$(command -v modprobe >/dev/null && echo yes)"
	echo "path=$(echo "$PATH" | tr : '\n' | grep -cx -e /usr/sbin -e /sbin)"
	modprobe nfsd && modprobe nfs && modprobe nfsv4
	echo "modprobe=$?"
	echo "nfs=$(grep -c -e '^nfs ' -e '^nfsd ' -e '^nfsv4 ' /proc/modules)"
	echo "pts=$(test -c /dev/pts/ptmx && echo yes)"
	echo "shm=$(: >/dev/shm/x && echo yes)"
	echo "text=$(sh -c "$FTR_PRINT_TEXT")"
} >"$OUT/facts"
: >/usr/ftr-guest-run-was-here
printf '<%s>\n' "$@"
echo 'to stderr' >&2
exit 3
FACTS
# The arguments' expectation is written out, not computed.
cat >"$dir/args.want" <<'WANT'
<two words>
<it's>
<say "x">
<$HOME `id` \n>
<first
second>
<>
< * ? >
WANT

fact()
{
	sed -n "s/^$1=//p" "$dir/$series/facts"
}

check_facts()
{
	for want in "cwd=$dir" "release=$version" "kernel=$version" hostname=guest uid=0 cpus=3 tmp=0 graph=1 \
		debugfs=yes lo=0x9 sbin=yes path=2 modprobe=0 nfs=3 pts=yes shm=yes text=ffffffff81000000; do
		is "guest $series: ${want%%=*}" "$(fact "${want%%=*}")" "${want#*=}"
	done
}

run()
{
	"$guest" run --kernel "$series" --out "$dir/$series" "$@"
}

test_facts()
{
	(cd "$dir" && FTR_PRINT_TEXT=$print_text run --smp 3 --timeout 120 -- sh "$dir/facts.sh" 'two words' \
		"it's" 'say "x"' '$HOME `id` \n' 'first
second' '' ' * ? ') >"$dir/stdout" 2>"$dir/stderr"
	is "guest $series: status 3 comes through" $? 3
	check_facts
	if cmp -s "$dir/stdout" "$dir/args.want"; then
		pass "guest $series: arguments and stdout unchanged"
	else
		fail "guest $series: arguments and stdout unchanged" "$(diff "$dir/args.want" "$dir/stdout")"
	fi
	is "guest $series: stderr apart, kernel named" "$(cat "$dir/stderr")" \
		"guest: kernel $series is $version
to stderr"
	is "guest $series: console kept" "$(test -s "$dir/$series/console" && echo yes)" yes
	is "guest $series: host files untouched" "$(ls /usr/ftr-guest-run-was-here 2>/dev/null)" ''
}

test_one_kernel()
{
	series=$1
	if ! version=$("$guest" have "$series"); then
		"$guest" fetch "$series" >/dev/null 2>"$dir/fetch.log"
		version=$("$guest" have "$series") || { skip_kernel "$series" 'status, output, facts'; return; }
	fi
	have=$series
	test_facts
}

# The kernel's address in another boot with --kaslr: one of 504, so two boots in a row can have the same.
another_text()
{
	for _ in 1 2 3; do
		other=$(run --timeout 200 --kaslr -- sh -c "$print_text" 2>/dev/null)
		[ "$other" = "$1" ] || break
	done
	echo "$other"
}

# The first guest makes the image and crashes: what it has synced is there in the second.
test_upper()
{
	image=$dir/upper,$series
	: >"$TMP/removed"
	run --timeout 200 --upper "$image" --kaslr -- sh -c "$print_text"'
		echo kept >"$1/kept"; rm "$1/removed"; sync
		echo c >/proc/sysrq-trigger' - "$TMP" >"$dir/text" 2>/dev/null
	is "guest $series: --upper: a crash is 125" $? 125
	is "guest $series: --upper: host files untouched" "$(ls "$TMP")" removed
	run --timeout 200 --upper "$image" --kaslr -- sh -c "$print_text"'
		ls "$1"; cat "$1/kept"' - "$TMP" >"$dir/stdout" 2>/dev/null
	is "guest $series: --upper: the next guest sees the changes" \
		"$(sed 1d "$dir/stdout")" "$(printf '%s\n' kept kept)"
	is "guest $series: --upper: host files still untouched" "$(ls "$TMP")" removed
	run --timeout 200 --upper "$dir/none/image" -- true 2>"$dir/stderr"
	is "guest $series: --upper: no folder for the image is 125, and says so" \
		"$? $(grep -c "^guest: cannot make the image '$dir/none/image'\$" "$dir/stderr")" '125 1'
}

# In the two guests of test_upper, and in more where they happen to agree.
test_kaslr()
{
	text=$(cat "$dir/text")
	other=$(head -n 1 "$dir/stdout")
	[ "$other" != "$text" ] || other=$(another_text "$text")
	has "guest $series: --kaslr: an address" "$text $other" '^ffffffff[89ab][0-9a-f]{7} ffffffff[89ab][0-9a-f]{7}$'
	is "guest $series: --kaslr: another one in another boot" "$([ "$text" != "$other" ] && echo yes)" yes
}

# The command is no first process there, and what it is told is as without --systemd.
test_systemd()
{
	[ -x /lib/systemd/systemd ] || { echo "skip - guest $series: --systemd # no /lib/systemd/systemd"; return; }
	run --timeout 400 --systemd -- sh -c 'cat /proc/1/comm; systemctl is-active basic.target
		[ $GUEST_BOOT = 1 ] && : >"$OUT/systemd" && exit 5' >"$dir/stdout" 2>/dev/null
	is "guest $series: --systemd: the status comes through" $? 5
	is "guest $series: --systemd: first process, what it reached" "$(cat "$dir/stdout")" \
		"$(printf '%s\n' systemd active)"
	is "guest $series: --systemd: \$OUT" "$(ls "$dir/$series/systemd")" "$dir/$series/systemd"
}

test_upper_and_kaslr()
{
	series=$1
	version=$("$guest" have "$series") ||
		{ skip_kernel "$series" '--upper, --kaslr, --systemd'; return; }
	test_upper
	test_kaslr
	test_systemd
}

# Once, on the last kernel that is there: what does not depend on the kernel.
test_ends()
{
	series=$have
	version=$("$guest" have "$series")
	run --timeout 120 -- true >"$dir/stdout" 2>"$dir/stderr"
	is 'guest run: status 0' $? 0
	run --timeout 120 -- ftr-no-such-command 2>/dev/null
	is 'guest run: command not found is 127' $? 127
	run --timeout 120 -- sh -c 'kill -TERM $$' 2>/dev/null
	is 'guest run: killed by signal 15 is 143' $? 143
	run --timeout 12 -- sleep 1000 2>"$dir/stderr"
	is 'guest run: time-out is 124' $? 124
	run --timeout 120 -- sh -c 'echo c >/proc/sysrq-trigger' 2>"$dir/stderr"
	is 'guest run: a panic is 125' $? 125
	is 'guest run: the panic is shown' "$(grep -c 'console: .*sysrq_handle_crash' "$dir/stderr" |
		sed 's/[1-9].*/yes/')" yes
	run --timeout 240 --reboot -- sh -c '[ $GUEST_BOOT = 2 ] && exit 9
		echo before; echo c >/proc/sysrq-trigger; sleep 60' >"$dir/stdout" 2>/dev/null
	is 'guest run: --reboot runs the command in the second boot' "$? $(cat "$dir/stdout")" '9 before'
}

# Interrupted: nothing of it may go on or stay behind. With a thread for each CPU, as bench has it.
test_interrupt()
{
	mkdir -p "$dir/tmp"
	TMPDIR=$dir/tmp "$guest" run --kernel "$have" --parallel --timeout 60 -- sleep 1000 2>/dev/null &
	pid=$!
	for _ in $(seq 300); do
		qemu=$(pgrep -f "thread=multi .*path=$dir/tmp/" | wc -l)
		[ "$qemu" = 0 ] || break
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid
	is 'guest run: SIGTERM gives 143' $? 143
	is 'guest run: QEMU ran, and is gone' "$((qemu > 0)) $(pgrep -f "path=$dir/tmp/" | wc -l)" '1 0'
	is 'guest run: no temporary files left' "$(ls -A "$dir/tmp")" ''
}

test_without_guest()
{
	FTR_GUEST_CACHE=$dir/empty "$guest" have 6.12 >/dev/null
	is 'guest have: not cached is 1' $? 1
	FTR_GUEST_CACHE=$dir/empty "$guest" run --kernel 6.12 -- true 2>"$dir/stderr"
	is 'guest run: not cached is 125' $? 125
	is 'guest run: not cached gives the hint' "$(tail -n 1 "$dir/stderr")" 'hint: utils/guest fetch 6.12'
	"$guest" fetch six 2>/dev/null
	is 'guest fetch: no series is 2' $? 2
	"$guest" -h | grep -q '^usage: utils/guest'
	is 'guest -h' $? 0
}

have=
test_without_guest
for kernel in ${FTR_KERNELS:-6.1 6.12 7.2}; do
	test_one_kernel "$kernel"
done
if [ -n "$have" ]; then
	test_ends
	test_interrupt
	for kernel in $(sample 1 ${FTR_KERNELS:-6.1 6.12 7.2}); do
		test_upper_and_kaslr "$kernel"
	done
else
	skip_kernel any 'statuses, time-out, panic, reboot, interrupt, --upper, --kaslr, --systemd'
fi
finish
