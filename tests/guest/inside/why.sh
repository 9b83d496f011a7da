# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by why.sh, which reads the files: why.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
K=$1
LOAD=$FTR_BUILD/tests/guest/load/why_load
cd "$OUT" || exit 1
# A disk whose requests take 10 ms: an emulated one is done before its reader sleeps.
modprobe null_blk irqmode=2 completion_nsec=10000000 gb=1

# Waits whose causes are known. ftr's own threads are in the recording: an interrupt that hits a hidden one is not.
known() {
	"$FTR" record --for why --no-filter -C mono -b 16M -o known.dat -- "$LOAD" /dev/nullb0 > known.txt 2> known.err
	same "$K: recorded" 0 $?
	has "$K: nothing is lost" "$(< known.err)" ' 0 lost'
	modprobe -r null_blk
	same "$K: the load came to its end" 50 "$(grep -vc ^schedstat known.txt)"
}

run_parts known
