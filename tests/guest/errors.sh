#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside a guest, started by 355-errors.sh: errors.sh KERNEL-SERIES

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/state-lib.sh"

K=$1
FTR_JOURNAL_DIR=$TMP/journal
export FTR_JOURNAL_DIR
mkdir -m 700 "$FTR_JOURNAL_DIR"
cd "$TMP" || exit 1

# refuses NAME WORDS BEHIND ARGS...: fails, says WORDS, and its caret stands over what starts with BEHIND.
refuses() {
	local name=$1 words=$2 behind=$3 caret at
	shift 3
	if "$FTR" "$@" > stdout 2> err; then
		fail "$K: $name: refused" "$(cat stdout)"
		return
	fi
	has "$K: $name: the kernel's words" "$(cat err)" "$words"
	caret=$(grep -n '^ *^$' err | head -n 1)
	at=${caret#*:}
	at=${at%^}
	caret=$(sed -n "$((${caret%%:*} - 1))p" err)
	caret=${caret:${#at}}
	same "$K: $name: the caret" "$behind" "${caret:0:${#behind}}"
}

"$FTR" record -o warm.dat -e sched:sched_process_exec -- true > /dev/null 2>&1	# buffers have their size
state_dump first.state
python3 "$FTR_TOP/tests/guest/error-check.py" "$K" "$FTR_TOP/tests/guest/error-cases.txt" \
	"$FTR_BUILD/tests/guest/error_drive" > tap 2> err
cat tap
same "$K: all families were tried" 10 "$(grep -c 'errors of' tap)"
[ -s err ] && fail "$K: error-check.py" "$(cat err)"

# The same through the commands.
E=sched:sched_process_exit
refuses 'record -f' 'Field not found' 'nofield == 5' record -o x.dat -e $E -f 'prio < 5 && nofield == 5' -- true
refuses 'record -f with tabs' 'Invalid value' 'word' record -o x.dat -e $E -f $'prio\t==\tword' -- true
refuses 'record -R' "Couldn't find field" 'nofield' record -o x.dat -e $E -R 'hist:keys=pid:vals=nofield' -- true
refuses 'synth add' 'Invalid type' 'wrong b' synth add $'ev\tu64 a; wrong b'
refuses 'synth add, long' 'Invalid type' 'wrong b' synth add \
	"ev $(for i in $(seq 30); do printf 'u64 field_%d; ' "$i"; done)wrong b; u32 z"
state_dump now.state
check "$K: nothing of it stays" state_equal first.state now.state
pass "$K: the end is reached"
finish
