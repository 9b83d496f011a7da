#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The headline: nfs and nfsd over loopback in one guest, the modules loaded before the command, and by it.
. "$(dirname "$0")/../lib.sh"

in_guest() {
	cat <<-'EOS'
	set -e
	# nfs itself stays out: the first recording is of a mount that loads it.
	modprobe nfsd
	mkdir -p /srv/x /mnt/n
	mount -t tmpfs x /srv/x
	mount -t tmpfs x /var/lib/nfs
	mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs
	: > /var/lib/nfs/etab; : > /var/lib/nfs/rmtab
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mount -t rpc_pipefs p /var/lib/nfs/rpc_pipefs
	hostname guest
	exportfs -o rw,no_root_squash,insecure,fsid=0 127.0.0.1:/srv/x
	rpc.mountd -N 2 -N 3
	rpc.nfsd -N 3 2
	lsmod > "$OUT/lsmod.before"
	mnt() {
		"$FTR" record -p function_graph -l 'nfs*' --module nfs,nfsv4 -o "$OUT/$1.dat" -- \
			mount -t nfs4 127.0.0.1:/ /mnt/n
	}
	mnt during
	grep -q ' /mnt/n nfs4 ' /proc/mounts
	umount /mnt/n
	lsmod > "$OUT/lsmod.between"
	mnt before
	grep -q ' /mnt/n nfs4 ' /proc/mounts
	umount /mnt/n
	EOS
}

look() {
	local f=$OUTDIR/$1.dat text
	[ -s "$f" ] || { fail "$V: nfs loaded $1 the command: a file" "$(tail -n 20 "$OUTDIR/err")"; return; }
	text=$("$FTR" report "$f")
	has "$V: nfs loaded $1: a call that holds others, with its name" "$text" '\|  ?nfs_[a-z_]+.*\(\) \{'
	has "$V: nfs loaded $1: nested nfs4 calls" "$text" '\| {4,}nfs4_[a-z_]+.*\(\)'
	has "$V: nfs loaded $1: with durations" "$text" \
		'funcgraph_entry: +[-+!#*@$ ]* *[0-9]+\.[0-9]+ us +\| +nfs4?_[a-z_]+.*\(\);'
	check "$V: nfs loaded $1: hundreds of calls ($(wc -l <<< "$text") lines)" test "$(wc -l <<< "$text")" -gt 100
	same "$V: nfs loaded $1: functions of nfs and nfsv4 alone, though others were loaded to the memory of their \
init sections" "" \
		"$(grep 'funcgraph_entry' <<< "$text" | grep -o '\[[a-z0-9_]*\]()' | sort -u |
			grep -v '^\[nfs\(v4\)\?\]')"
	same "$V: nfs loaded $1: every function has a name" 0 "$(grep -c '|  *\(0x\)\?[0-9a-f]\{16\}' <<< "$text")"
	same "$V: nfs loaded $1: trace-cmd reads as many records" "$("$FTR" report --raw "$f" | wc -l)" \
		"$(trace-cmd report -R "$f" 2>&1 | grep -c ': funcgraph_e')"
}

one_kernel() {
	in_guest > "$OUTDIR/run.sh"
	guest --timeout 900 --mem 3072 -- sh "$OUTDIR/run.sh"
	same "$V: the mounts succeed under ftr record" 0 $?
	same "$V: nfs is not loaded at first" 0 "$(grep -c '^nfs ' "$OUTDIR/lsmod.before")"
	same "$V: the mount loaded nfsv4" 1 "$(grep -c '^nfsv4 ' "$OUTDIR/lsmod.between")"
	look during
	look before
}

for_a_kernel one_kernel
finish
