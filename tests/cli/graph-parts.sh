#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# ftr graph of one call that makes more than a million others: it comes in parts, and no more than one is in memory.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
CALLS=1300000
LIMIT_KIB=$((256 << 10))	# of data; all calls at once would take 280 MiB

# A call of ksys_read() around CALLS of vfs_read(), each as long as the others: all pages but the outer two read alike.
make_file() {
	PYTHONPATH=$FTR_TOP/tests/tools python3 - "$1" $CALLS <<- 'END'
	import sys
	import span_cases
	span_cases.prepare()
	path, calls = sys.argv[1], int(sys.argv[2])
	file, each = span_cases.File([]), 40
	pages = file.pages(0)

	def record(ts, event, func, depth, *more):
	    file.record(0, ts, 100, ".", event, ["func=" + func, "depth=%d" % depth, *more])

	record(1000, "funcgraph_entry", "ksys_read", 0)
	pages.close()
	for i in range(each):
	    record(2000 + 20 * i, "funcgraph_entry", "vfs_read", 1)
	    record(2010 + 20 * i, "funcgraph_exit", "vfs_read", 1, "calltime=0", "rettime=10")
	pages.close()
	first, model = pages.pages
	assert calls % each == 0
	pages.pages = [first] + [pages.m.u64(2000 + 20 * each * n) + model[8:] for n in range(calls // each)]
	record(2000 + 20 * calls, "funcgraph_exit", "ksys_read", 0, "calltime=0", "rettime=%d" % (20 * calls + 1000))
	file.write(path)
	END
}

parts() {
	local status
	# a sanitizer's own memory is no measure
	(
		[ "$FTR_IS_SAN" = 1 ] || ulimit -d $LIMIT_KIB
		exec "$FTR" graph "$1" 2> err
	) > graph
	status=$?
	same "a call around $CALLS: status, nothing is said" "0 " "$status $(< err)"
	same "it comes in two parts, the second one marked" \
		"# <...>-100  0.000001000,# <...>-100  0.000NNNNNN  part 2" \
		"$(grep '^# .*-100 ' graph | sed '2s/0\.[0-9]*/0.000NNNNNN/' | paste -sd,)"
	same "all calls are there" $CALLS "$(grep -c ' | *vfs_read();$' graph)"
	same "the outer one begins once, in the first part" 1 \
		"$(grep -n ' | ksys_read() {' graph | sed -n 's/^3:.*/1/p')"
	same "its end is in the last one, with its duration" "    0 26001.00 us 13001.0 us | } /* ksys_read */" \
		"$(tail -n 1 graph)"
}

make_file big.dat
parts big.dat
finish
