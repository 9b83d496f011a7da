#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr diff: what it refuses and says, and files that are damaged.
# What it prints of good ones is in tests/cases/spans/diff-*.txt.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

case_file calls <<- 'END'
	0 1000 100 . funcgraph_entry func=vfs_read depth=0
	0 2000 100 . funcgraph_exit func=vfs_read depth=0 calltime=0 rettime=1000
	0 3000 100 . funcgraph_entry func=0xffffffff8100d000 depth=0
	0 4000 100 . funcgraph_exit func=0xffffffff8100d000 depth=0 calltime=0 rettime=500
	0 5000 100 . funcgraph_entry func=vfs_open depth=0
END
case_file counted <<- 'END'
	FILE clock=counter
	0 1000 100 . funcgraph_entry func=vfs_read depth=0
	0 1010 100 . funcgraph_exit func=vfs_read depth=0 calltime=0 rettime=10
END
case_file locks <<- 'END'
	0 1000 100 . contention_begin lock_addr=0x10
	0 2000 100 . contention_end lock_addr=0x10
END

refused() {
	local w='ftr: '
	same "one file" "2 ${w}two files are compared, not 1" "$(complains diff calls0.dat)"
	same "what to do" "hint: ftr diff BEFORE.dat AFTER.dat" "$(sed -n 2p err)"
	same "no file" "2 ${w}two files are compared, not 0" "$(complains diff)"
	same "three files" "2 ${w}two files are compared, not 3" "$(complains diff calls0.dat calls0.dat calls0.dat)"
	same "a file that is not there" 1 "$(complains diff calls0.dat none.dat | cut -d' ' -f1)"
	has "its name" "$(< err)" "'none.dat'"
	same "no column" "2 ${w}unknown column 'p0'" "$(complains diff --of p0 calls0.dat calls0.dat)"
	same "no order" "2 ${w}--sort does not take 'max'" "$(complains diff --sort max calls0.dat calls0.dat)"
	same "only one file has such records" "1 ${w}no records of function_graph in 'locks0.dat'" \
		"$(complains diff calls0.dat locks0.dat)"
	same "nothing is printed" "" "$(< out)"
	same "no sched_switch" "1 ${w}no sched_switch in 'calls0.dat'" \
		"$(complains diff --on-cpu calls0.dat calls0.dat)"
	same "times of two units" "1 ${w}'calls0.dat' and 'counted0.dat' count time in different units" \
		"$(complains diff calls0.dat counted0.dat)"
	same "of one that is no nanosecond" "0 #      Total A      Total B" \
		"$(complains diff counted0.dat counted0.dat)$(sed -n 3p out | cut -c 1-27)"
	"$FTR" diff calls0.dat calls0.dat 2> err > /dev/full
	same "a full disk" "3 ${w}cannot write to standard output: No space left on device" "$? $(head -n 1 err)"
	"$FTR" diff calls0.dat calls0.dat 2> err | head -n 1 > /dev/null
	same "a reader that stops" "0 " "${PIPESTATUS[0]} $(cat err)"
}

# A file beside itself differs in nothing.
itself() {
	same "a file and itself" "0 0 0" \
		"$("$FTR" diff --csv calls0.dat calls0.dat | awk -F, 'NR > 1 { print $6 }' | xargs)"
	same "from standard input" "3" "$("$FTR" diff --json - calls0.dat < calls0.dat |
		python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')"
	cp calls0.dat $'bell\a.dat'
	"$FTR" diff $'bell\a.dat' calls0.dat > out
	same "a name that a terminal would act on" '# A: bell\x07.dat' "$(head -n 1 out)"
}

# No row has been there, and no memory for one.
nothing_left() {
	local how
	for how in '' --csv; do
		"$FTR" diff $how -F 'funcgraph_entry: depth > 7' calls0.dat calls0.dat > out 2> err
		same "a filter that leaves nothing${how:+, $how}: the heads alone" "0 ${how:+1}" \
			"$? ${how:+$(wc -l < out)}"
		same "a filter that leaves nothing${how:+, $how}: it is said of each file" 2 \
			"$(grep -c "^ftr: no span matches -F; 'calls0.dat' has 3 spans from" err)"
	done
	same "as JSON" "[]" "$("$FTR" diff --json -F 'funcgraph_entry: depth > 7' calls0.dat calls0.dat 2> err)"
}

# Cut anywhere, or changed, it ends as report does.
damaged() {
	local out name="damage of one file: diff ends as report does"
	if out=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts 10 --flips 3 \
			--as-report "diff $PWD/calls0.dat" theirs calls0.dat 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
	tail -n 1 <<< "$out"
}

refused
itself
nothing_left
damaged
finish
