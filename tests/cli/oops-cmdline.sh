#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops cmdline: which arguments for which kernel, how large, and what is refused. Whether a kernel does what
# they ask for is tests/guest/oops-cmdline.sh.
. "$(dirname "$0")/../lib.sh"

line() {
	run_ftr oops cmdline -1 "$@"
	echo "$ST $OUT"
}

TRACE='trace_instance=ftr-oops^traceoff@ftr-trace'
LOG='reserve_mem=1M:4096:ftr-log ramoops.mem_name=ftr-log ramoops.record_size=131072'

# 2 CPUs of 1040 KiB are 2.03 MiB: 3, and one more. 64 of 10256: 641 and one.
same "6.12" "0 reserve_mem=4M:4096:ftr-trace $TRACE $LOG panic=10" "$(line --kernel 6.12.117 --cpus 2 --memory 2G)"
same "7.2 has a copy" "0 reserve_mem=4M:4096:ftr-trace $TRACE trace_instance=ftr-backup=ftr-oops $LOG panic=10" \
	"$(line --kernel 7.2.12+deb13-amd64 --cpus 2 --memory 2G)"
same "many CPUs" "0 reserve_mem=642M:4096:ftr-trace $TRACE $LOG panic=10" \
	"$(line --kernel 6.16 --cpus 64 --memory 256G -b 10M)"
# A dump of 256 KiB for each CPU and the log as it is, 128 KiB: the next power of two.
same "6.1" "0 log_buf_len=1024K panic=10" "$(line --kernel 6.1.0-1-amd64 --cpus 2 --memory 1G)"
same "6.1, 64 CPUs" "0 log_buf_len=32768K panic=10" "$(line --kernel 6.1.0 --cpus 64 --memory 1G)"
same "6.11 has no reserve_mem" "0 log_buf_len=512K panic=10" "$(line --kernel 6.11.9 --cpus 1 --memory 1G)"

run_ftr oops cmdline --kernel 7.2.1 --cpus 8 --memory 32G
same "a head, and a reason for each" "# for 7.2.1, 8 CPUs, 32768 MiB of memory" "$(head -n 1 <<< "$OUT")"
same "the same arguments" "$(line --kernel 7.2.1 --cpus 8 --memory 32G)" "0 $(grep '^[^ #]' <<< "$OUT" | xargs)"
same "a reason behind each" 6 "$(grep -A 1 '^[^ #]' <<< "$OUT" | grep -c '^    [A-Z]')"
same "not of this boot" '' "$(grep 'This boot' <<< "$OUT")"

ftr_refuses "too much" 1 'more than an eighth of the memory' oops cmdline --kernel 6.12 --cpus 64 --memory 1G -b 10M
has "what to do" "$ERR" '^hint: -b sets the KiB of each CPU, 10240 now'
ftr_refuses "no release" 2 "takes a release as 6.12.1, not 'new'" oops cmdline --kernel new
ftr_refuses "no CPUs" 2 "takes a number up to [0-9]*, not '0'" oops cmdline --cpus 0
ftr_refuses "no memory" 2 "takes a size as 16G, not 'much'" oops cmdline --memory much
ftr_refuses "next to no buffer" 2 "16 at least, not '4'" oops cmdline -b 4
ftr_refuses "a word" 2 "unexpected word 'all'" oops cmdline all
finish
