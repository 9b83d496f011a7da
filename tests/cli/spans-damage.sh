#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Damaged files: the commands on spans and states end as report does, whatever of the file is cut or changed. By seed;
# five times as many copies under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
CUTS=10 FLIPS=3
[ "${FTR_LONG:-}" != 1 ] || { CUTS=60; FLIPS=15; }
COMMANDS='graph,profile,sched states'
echo "# seed $FTR_SEED"

# Two CPUs, on each a task that calls, is interrupted, sleeps, and is woken by the other's; records are lost at times.
load() {
	awk 'BEGIN {
		for (i = 0; i < 150; i++)
			for (c = 0; c < 2; c++) {
				t = 1000000 + i * 100000 + c * 300
				p = 100 + c
				if (i % 40 == 39)
					print "lost", c, i
				at = sprintf("%d %%d %d . ", c, p)
				printf at "sched_switch prev_pid=0 prev_state=R next_pid=%d next_comm=task%d\n", t, p, c
				printf at "sys_enter id=0\n", t + 1000
				printf at "funcgraph_entry func=ksys_read depth=0\n", t + 2000
				printf at "funcgraph_entry func=vfs_read depth=1\n", t + 3000
				printf at "funcgraph_exit func=vfs_read depth=1 calltime=%d rettime=%d\n",
					t + 9000, t, t + 6000
				printf at "sched_waking pid=%d comm=task%d\n", t + 10000, 101 - c, 1 - c
				printf at "funcgraph_exit func=ksys_read depth=0 calltime=%d rettime=%d\n",
					t + 20000, t, t + 18000
				printf at "sys_exit id=0 ret=%d\n", t + 21000, i
				printf at "sched_switch prev_comm=task%d prev_state=%s next_pid=0 next_comm=swapper\n",
					t + 30000, c, i % 3 ? "S" : "R"
			}
	}' > load.txt
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep load "$FTR_BUILD/tests/tools/span_dump" load.txt > /dev/null
}

# damaged NAME FILE
damaged() {
	local out name="$1: $COMMANDS end as report does"
	if out=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts $CUTS --flips $FLIPS \
			--as-report "$COMMANDS" theirs "$2" 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
	tail -n 1 <<< "$out"
}

load
damaged "cut at $CUTS places, $FLIPS bytes of each kind changed" load0.dat
finish
