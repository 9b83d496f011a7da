#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops show: what texts of oopses say, those of real kernels and some made by hand; hostile ones; JSON. What is
# shown of records is in tests/cases/spans/oops-*.txt.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
OOPSES=$FTR_TOP/tests/cases/oops

# What a reader of each text finds: FILE|head|place|CPU|task|in an interrupt. Of hung tasks the text has no CPU. A row
# goes on behind a backslash.
REAL='6.1-null|BUG: kernel NULL pointer dereference, address: 0000000000000000\
|ftrmod_null+0x7/0x10 [ftrmod]|0|insmod-136|False
6.1-bug_irq|kernel BUG at ftrmod.c:105!|ftrmod_bug+0x5/0x10 [ftrmod]|1|<idle>-0|True
6.1-sleep|INFO: task insmod:138 blocked for more than 2 seconds.|ftrmod_sleep+0x13/0x20 [ftrmod]|None|insmod-138|False
6.1-sysrq|sysrq: Trigger a crash|sysrq_handle_crash+0x16/0x20|1|sh-137|False
6.12-null|BUG: kernel NULL pointer dereference, address: 0000000000000000\
|ftrmod_null+0x7/0x10 [ftrmod]|0|insmod-179|False
6.12-bug_irq|kernel BUG at ftrmod.c:105!|ftrmod_bug+0x5/0x10 [ftrmod]|1|<idle>-0|True
6.12-sleep|INFO: task insmod:182 blocked for more than 2 seconds.|ftrmod_sleep+0x13/0x20 [ftrmod]|None|insmod-182|False
6.12-sysrq|sysrq: Trigger a crash|sysrq_handle_crash+0x1a/0x20|1|sh-181|False
7.2-null|BUG: kernel NULL pointer dereference, address: 0000000000000000\
|ftrmod_null+0x7/0x10 [ftrmod]|0|insmod-145|False
7.2-bug_irq|kernel BUG at ftrmod.c:105!|ftrmod_bug+0x5/0x10 [ftrmod]|1|<idle>-0|True
7.2-sleep|INFO: task insmod:145 blocked for more than 2 seconds.|ftrmod_sleep+0x13/0x20 [ftrmod]|None|insmod-145|False
7.2-sysrq|sysrq: Trigger a crash|sysrq_handle_crash+0x1a/0x20|1|sh-145|False'
REAL=${REAL//$'\\\n'}

# The same of texts that are written here, a line for each, '^' for its line ends.
# The forms are those of the kernel's sources.
MADE='WARNING: CPU: 2 PID: 17 at kernel/a.c:12 f+0x1/0x20 [m]^CPU: 2 PID: 17 Comm: a b Not tainted 6.1.0\
|WARNING: CPU: 2 PID: 17 at kernel/a.c:12 f+0x1/0x20 [m]|f+0x1/0x20 [m]|2|a b-17|False
WARNING: kernel/a.c:12 at f+0x1/0x20, CPU#2: a/1/17^CPU: 2 UID: 0 PID: 17 Comm: a/1 Not tainted 7.2.0\
|WARNING: kernel/a.c:12 at f+0x1/0x20, CPU#2: a/1/17|f+0x1/0x20|2|a/1-17|False
watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [my:task:4:99]\
^CPU: 3 PID: 99 Comm: my:task:4 Not tainted 6.1.0^RIP: 0010:loop+0x0/0x1\
|watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [my:task:4:99]|loop+0x0/0x1|3|my:task:4-99|False
watchdog: CPU0: Watchdog detected hard LOCKUP on cpu 5\
^CPU: 5 UID: 0 PID: 8 Comm: x Not tainted 6.12.0^RIP: 0010:g+0x0/0x1\
^Call Trace:^ <NMI>^ ? watchdog_hardlockup_check+0x1/0x2^ </NMI>^ <TASK>^ h+0x1/0x2\
|watchdog: CPU0: Watchdog detected hard LOCKUP on cpu 5|g+0x0/0x1|5|x-8|False
watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [t:7]^CPU: 1 PID: 7 Comm: t Not tainted 6.12.0^RIP: 0010:spin+0x0/0x1\
^Call Trace:^ <IRQ>^ ? watchdog_timer_fn+0x1/0x2^ </IRQ>^ <TASK>^ load+0x1/0x2^ </TASK>\
^Sending NMI from CPU 1 to CPUs 0:^NMI backtrace for cpu 0^Call Trace:^ <IRQ>^ other+0x1/0x2^ </IRQ>\
|watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [t:7]|spin+0x0/0x1|1|t-7|False
kernel BUG at ftrmod.c:111!^CPU: 1 PID: 0 Comm: swapper/1 Tainted: GF 6.1.0^RIP: 0010:ftrmod_bug+0x5/0x10 [ftrmod]\
^Call Trace:^ <IRQ>^ ? __flush_smp_call_function_queue+0x11a/0x1a0^ </IRQ>^ <TASK>^ ? native_safe_halt+0xb/0x10\
|kernel BUG at ftrmod.c:111!|ftrmod_bug+0x5/0x10 [ftrmod]|1|<idle>-0|True
rcu: INFO: rcu_preempt self-detected stall on CPU^CPU: 1 PID: 9 Comm: y Not tainted 6.1.0\
^Call Trace:^ <IRQ>^ ? sched_show_task+0x1/0x2^ rx_poll+0x1/0x2^ </IRQ>^ <TASK>^ idle+0x1/0x2\
|rcu: INFO: rcu_preempt self-detected stall on CPU|rx_poll+0x1/0x2|1|y-9|True
seq-154 a line^---[ end trace 0000000000000000 ]---^RIP: 0010:list_walk+0xa/0x10 [m]\
^note: in[s]mod[160] exited with irqs disabled\
|RIP: 0010:list_walk+0xa/0x10 [m]|list_walk+0xa/0x10 [m]|None|in[s]mod-160|False
---[ end trace 0000000000000000 ]---^note: a b[8] exited with preempt_count 1\
|note: a b[8] exited with preempt_count 1|None|None|a b-8|False
BUG: unable to handle page fault for address: 0001^---[ end trace 0 ]---^RIP: 0010:late+0x1/0x2\
^note: z[3] exited with irqs disabled\
|BUG: unable to handle page fault for address: 0001|late+0x1/0x2|None|z-3|False
mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 4: b200000000070f0f\
^mce: [Hardware Error]: RIP !INEXACT! 10:<ffffffff8101f6a2> {mwait_idle+0x1/0x2}\
^Kernel panic - not syncing: Fatal machine check\
|mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 4: b200000000070f0f|mwait_idle+0x1/0x2|3|None|False
sh invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0\
^CPU: 1 UID: 0 PID: 163 Comm: sh Not tainted 7.2.0^Call Trace:^ <TASK>^ dump_stack_lvl+0x1/0x2^ dump_header+0x1/0x2\
^Out of memory: Killed process 99 (my) hog) total-vm:1kB, anon-rss:1kB, UID:0^CPU: 1 PID: 2 Comm: later Not tainted\
|Out of memory: Killed process 99 (my) hog) total-vm:1kB, anon-rss:1kB, UID:0|None|None|my) hog-99|False
Memory cgroup out of memory: Killed process 5 (a) total-vm:1kB^WARNING: CPU: 2 PID: 17 at a.c:1 f+0x1/0x2\
|Memory cgroup out of memory: Killed process 5 (a) total-vm:1kB|None|None|a-5|False
rcu: INFO: rcu_preempt self-detected stall on CPU^CPU: 1 PID: 9 Comm: y Not tainted 6.1.0^RIP: 0010:h+0x0/0x1\
|rcu: INFO: rcu_preempt self-detected stall on CPU|h+0x0/0x1|1|y-9|False
BUG: KASAN: slab-use-after-free in kfn+0x1/0x2 [m]^CPU: 1 PID: 9 Comm: y Tainted: G B 6.1.0\
|BUG: KASAN: slab-use-after-free in kfn+0x1/0x2 [m]|kfn+0x1/0x2 [m]|1|y-9|False
Unable to handle kernel NULL pointer dereference at virtual address 0000\
^Internal error: Oops: 96000005 [#1] SMP^CPU: 1 PID: 9 Comm: y Tainted: G 6.1.0\
^pc : arm_fn+0x1/0x2^lr : other+0x1/0x2\
|Unable to handle kernel NULL pointer dereference at virtual address 0000|arm_fn+0x1/0x2|1|y-9|False
divide error: 0000 [#1] PREEMPT SMP^CPU: 1 PID: 9 Comm: y Kdump: loaded Tainted: G 6.1.0^RIP: e030:d+0x1/0x2\
|divide error: 0000 [#1] PREEMPT SMP|d+0x1/0x2|1|y-9|False
WARNING: CPU: 2 PID: 17 at a.c:1 f+0x1/0x2\
^INFO: task t:5 blocked in I/O wait for more than 120 seconds.\
^general protection fault, probably for non-canonical address 0x1\
^CPU: 0 PID: 3 Comm: z Not tainted^RIP: 0010:p+0x1/0x2\
|general protection fault, probably for non-canonical address 0x1|p+0x1/0x2|0|z-3|False
INFO: task t:5 blocked in I/O wait for more than 120 seconds.^Call Trace:^ __schedule+0x1/0x2^ wait_on_page+0x1/0x2\
|INFO: task t:5 blocked in I/O wait for more than 120 seconds.|wait_on_page+0x1/0x2|None|t-5|False
kernel BUG at a.c:1!^CPU: 1 PID: 9 Comm: y Not tainted^RIP: 0010:sirq+0x1/0x2^Call Trace:\
^ <TASK>^ ? handle_softirqs+0x1/0x2^ </TASK>^---[ end trace 0 ]---^RIP: 0010:sirq+0x1/0x2\
^Kernel panic - not syncing: Fatal exception in interrupt\
|kernel BUG at a.c:1!|sirq+0x1/0x2|1|y-9|True
kernel BUG at a.c:1!^CPU: 1 PID: 9 Comm: y Not tainted^RIP: 0010:own+0x1/0x2^---[ end trace 0 ]---\
^watchdog: BUG: soft lockup - CPU#0 stuck for 3s! [z:5]^CPU: 0 PID: 5 Comm: z Not tainted^RIP: 0010:wait+0x1/0x2\
^Kernel panic - not syncing: Fatal exception in interrupt\
|kernel BUG at a.c:1!|own+0x1/0x2|1|y-9|True
kernel BUG at a.c:1!^CPU: 1 PID: 9 Comm: y Not tainted^RIP: 0010:own+0x1/0x2^---[ end trace 0 ]---\
^BUG: another^Kernel panic - not syncing: Fatal exception in interrupt\
|kernel BUG at a.c:1!|own+0x1/0x2|1|y-9|False
kernel BUG at a.c:1!^CPU: 1 PID: 9 Comm: y Not tainted^RIP: 0010:own+0x1/0x2^Call Trace:^ <IRQ>^ other+0x1/0x2^ </IRQ>\
^Kernel panic - not syncing: Fatal exception^RIP: 0010:later+0x1/0x2\
|kernel BUG at a.c:1!|own+0x1/0x2|1|y-9|False
watchdog: BUG: soft lockup - CPU#1 stuck for 3s! [t:7]^Kernel panic - not syncing: softlockup: hung tasks\
^CPU: 1 PID: 7 Comm: t Not tainted 6.1.0^Call Trace:^ <IRQ>^ dump_stack_lvl+0x1/0x2^ panic+0x1/0x2\
^ watchdog_timer_fn.cold+0x1/0x2^ __hrtimer_run_queues+0x1/0x2^ </IRQ>^ <TASK>^ asm_sysvec_apic_timer_interrupt+0x1/0x2\
^RIP: 0010:spin+0x0/0x1^ ? load+0x1/0x2^ </TASK>\
|watchdog: BUG: soft lockup - CPU#1 stuck for 3s! [t:7]|spin+0x0/0x1|1|t-7|False
Kernel panic - not syncing: softlockup: hung tasks^CPU: 1 PID: 7 Comm: t Not tainted 6.1.0^Call Trace:^ <IRQ>\
^ panic+0x1/0x2^ watchdog_timer_fn+0x1/0x2^ </IRQ>^ <TASK>^RIP: 0010:spin+0x0/0x1^ ? load+0x1/0x2^ </TASK>\
|Kernel panic - not syncing: softlockup: hung tasks|spin+0x0/0x1|1|t-7|False
Kernel panic - not syncing: soft^CPU: 1 PID: 7 Comm: t Not tainted 6.1.0^Call Trace:^ <IRQ>^ panic+0x1/0x2\
^ __hrtimer_run_queues+0x1/0x2^ </IRQ>\
|Kernel panic - not syncing: soft|None|1|t-7|False
Kernel panic - not syncing: hung_task: blocked tasks^CPU: 1 PID: 29 Comm: khungtaskd Not tainted 6.1.0\
^Call Trace:^ <TASK>^ panic+0x1/0x2^ watchdog.cold+0x1/0x2^ kthread+0x1/0x2^ </TASK>\
|Kernel panic - not syncing: hung_task: blocked tasks|None|None|None|False
INFO: task t:5 blocked for more than 2 seconds.^task:t state:D^CPU: 1 PID: 29 Comm: khungtaskd Not tainted 6.1.0\
^Call Trace:^ <TASK>^ panic+0x1/0x2^ watchdog.cold+0x1/0x2\
|INFO: task t:5 blocked for more than 2 seconds.|None|None|t-5|False
sysrq: Trigger a crash^Kernel panic - not syncing: sysrq triggered crash^CPU: 1 PID: 9 Comm: sh Not tainted^Call Trace:\
^ <TASK>^ panic+0x1/0x2^ __handle_sysrq.cold+0x1/0x2\
|sysrq: Trigger a crash|None|1|sh-9|False
sysrq: Trigger a crash^CPU: 1 PID: 0 Comm: swapper/1 Not tainted^Call Trace:^ <IRQ>^ panic+0x1/0x2\
^ sysrq_handle_crash+0x1/0x2^ </IRQ>^ <TASK>^RIP: 0010:idle+0x1/0x2\
|sysrq: Trigger a crash|sysrq_handle_crash+0x1/0x2|1|<idle>-0|True
kernel BUG at a.c:1!^CPU: 1 PID: 9 Comm: y Not tainted^RSP: 0018:1^Call Trace:^ <TASK>^ caller+0x1/0x2\
|kernel BUG at a.c:1!|None|1|y-9|False
kernel BUG at a.c:1!^CPU: 1 PID: 9 Comm: y Not tainted^RIP: 0010:cut_of\
|kernel BUG at a.c:1!|None|1|y-9|False
watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [t:7]^Sending NMI from CPU 1 to CPUs 0:^NMI backtrace for cpu 0\
^CPU: 0 PID: 3 Comm: other Not tainted 6.12.0^RIP: 0010:other+0x0/0x1\
|watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [t:7]|None|1|t-7|False
watchdog: BUG: soft lockup - CPU#1|watchdog: BUG: soft lockup - CPU#1|None|None|None|False
Memory cgroup out of memory: Killed process 16|Memory cgroup out of memory: Killed process 16|None|None|None|False
WARNING: CPU: 2 PID: 1|WARNING: CPU: 2 PID: 1|None|2|None|False
WARNING: a.c:1 at f+0x1/0x20, CPU#2|WARNING: a.c:1 at f+0x1/0x20, CPU#2|f+0x1/0x20|None|None|False'
MADE=${MADE//$'\\\n'}

# found FILE: head, place, CPU, task and interrupt of its JSON
found() {
	"$FTR" oops show --json "$1" 2> err | python3 -c '
import json, sys
d = json.load(sys.stdin)
o = d["oops"] or {}
cpu = d["cpu"] if d["cpu_told"] else None
task = d["task"]["task"] if d["task"] and d["task"]["told"] else None
print("|".join(map(str, (o.get("head"), o.get("place"), cpu, task, o.get("interrupt")))))'
}

texts() {
	local row name
	while IFS= read -r row; do
		name=${row%%|*}
		python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops "$OOPSES/$name.txt"
		same "$name" "${row#*|}" "$(found a.dat)"
	done <<< "$REAL"
	while IFS= read -r row; do
		tr '^' '\n' <<< "${row%%|*}" > made.txt
		python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops made.txt
		same "$(head -n 1 made.txt)" "${row#*|}" "$(found a.dat)"
		sed 's/$/\r/' made.txt > crlf.txt
		python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops crlf.txt
		same "the same with CRLF" "${row#*|}" "$(found a.dat)"
	done <<< "$MADE"
}

# What nobody says is not said: it is of the last record, or what the stack has.
not_told() {
	printf 'Kernel panic - not syncing: a\nCall Trace:\n <TASK>\n panic+0x1/0x2\n top+0x1/0x2\n' > made.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops made.txt
	same "nothing tells place, task and CPU: JSON" "top+0x1/0x2 False False False" \
		"$(json 'd["oops"]["place"], d["oops"]["place_told"], d["task"]["told"], d["cpu_told"]' | tr -d "(),'")"
	"$FTR" oops show a.dat > got
	has "nothing tells it: place" "$(cat got)" '^place: +top\+0x1/0x2, on top of its stack$'
	has "nothing tells it: task" "$(cat got)" '^task: +not told; .*-[0-9]+ is that of the last record'
	has "nothing tells it: CPU" "$(cat got)" '^CPU: +[0-9]+, that of the last record$'
	echo 'mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 4: b2' > made.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops made.txt
	has "nothing tells the task: that of its CPU" "$("$FTR" oops show a.dat)" \
		'^task: +not told; .*-[0-9]+ is that of the last record on that CPU'
	python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops "$OOPSES/7.2-null.txt"
	same "registers tell the place" True "$(json 'd["oops"]["place_told"]')"
}

# Numbers beyond their bounds, a name without an end, bytes that a terminal obeys.
hostile() {
	{
		printf 'BUG: \033[31m\233 evil \xe2\x80\xae \000 end\n'
		printf 'CPU: 99999999999999999999 PID: 1 Comm: x Not tainted\n'
		printf 'CPU: 1 PID: 99999999999999999999 Comm: x Not tainted\n'
		printf 'CPU: 1 PID: 512 Comm: a\033b Not tainted\nRIP: 0010:\n'
		head -c 70000 /dev/zero | tr '\0' 'R'
		printf '\nRIP: 0010:f\033+0x1/0x2\n'
	} > evil.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops evil.txt
	"$FTR" oops show a.dat > got 2> err
	same "hostile bytes: status, and nothing is said" "0 " "$? $(cat err)"
	same "they are escaped" \
		'oops:    BUG: \x1b[31m\x9b evil \xe2\x80\xae \x00 end|place:   f\x1b+0x1/0x2|task:    a\x1bb-512' \
		"$(head -n 3 got | cut -d, -f1 | paste -sd '|')"
	same "also in JSON" \
		'BUG: \x1b[31m\x9b evil \xe2\x80\xae \x00 end|f\x1b+0x1/0x2|1|a\x1bb-512|False' "$(found a.dat)"
	"$FTR" oops show --text a.dat > got
	same "the whole text, escaped" "7 0" "$(grep -c . got) $(tr -d '\n' < got | LC_ALL=C grep -c '[^ -~]')"
	head -c 300000 /dev/zero | tr '\0' 'B' > big.txt
	printf 'BUG: ' | cat - big.txt > long.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops long.txt
	same "of a long head 1 KiB is shown" $((9 + 1024)) "$("$FTR" oops show a.dat | head -n 1 | tr -d '\n' | wc -c)"
	# whatever is cut: an answer, in time
	local n bad=0
	for n in $(seq 0 37 700); do
		head -c "$n" "$OOPSES/7.2-sleep.txt" > cut.txt
		python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops cut.txt
		timeout 60 "$FTR" oops show a.dat > got 2> err || bad=$((bad + 1))
	done
	same "texts that are cut: status 0" 0 $bad
	head -c 20000 /dev/urandom > noise.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 2 --oops noise.txt
	"$FTR" oops show a.dat > got 2> err
	same "noise: status" 0 $?
	same "noise: nothing beyond ASCII" 0 "$(tr -d '\n' < got | LC_ALL=C grep -c '[^ -~]')"
}

# json EXPRESSION OPTION...: of the JSON of a.dat, which is d there
json() {
	local what=$1
	shift
	"$FTR" oops show --json "$@" a.dat |
		python3 -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$what"
}

# Lines of JSON are those of ftr report, of each CPU the last.
lines_of_cpus() {
	local cpu
	python3 "$ORACLE/mkdat.py" a.dat --records 300 --lost 0 --absolute 0 --oops "$OOPSES/6.1-null.txt"
	"$FTR" report --cpu 0 a.dat > want 2> /dev/null
	json '"\n".join(d["records"])' --last 1000 > got
	same_files "--last 1000 shows all records of the CPU as ftr report does" want got
	"$FTR" report --cpu 1,2 a.dat > want 2> /dev/null
	json '"\n".join(d["others"])' --last 1000 --around 10000s > got
	same_files "and of the others" want got
	same "how many there are, how many are shown" "[(0, 300, 7), (1, 300, 7), (2, 300, 7)]" \
		"$(json '[(c["cpu"], c["count"], c["shown"]) for c in d["cpus"]]' --last 7 --around 10000s)"
	for cpu in 1 2; do
		# the first may be the end of a call that ftr report joins with its begin
		json '"\n".join(d["others"])' --last 9 --around 10000s | grep "\[00$cpu\]" | tail -n +2 > got
		"$FTR" report --cpu $cpu a.dat 2> /dev/null | grep "\[00$cpu\]" | tail -n "$(wc -l < got)" > want
		same_files "CPU $cpu: the last 9 end as ftr report does" want got
		same "CPU $cpu: some lines" 1 $(($(wc -l < got) > 2))
	done
	python3 "$ORACLE/mkdat.py" a.dat --records 300 --oops "$OOPSES/6.1-bug_irq.txt"
	"$FTR" oops show a.dat | sed -n '/^CPU 1,*.*:/,/^$/p' | sed '1d;/^$/d' > lines
	# the first may be the end of a call that ftr report joins with its begin
	tail -n +2 lines > got
	"$FTR" report --cpu 1 a.dat 2> /dev/null | tail -n "$(wc -l < got)" > want
	same_files "the text has the end of the report" want got
	same "some lines of it" 1 $(($(wc -l < got) > 10))
}

usage() {
	local row want words
	for row in "one file| " "one file|a.dat b.dat" "takes? .*0|--last 0 a.dat" "takes? .*1001|--last 1001 a.dat" \
		"takes? .*soon|--around soon a.dat" "--text and --json exclude each other|--text --json a.dat"; do
		want=${row%%|*} words=${row#*|}
		# shellcheck disable=SC2086
		"$FTR" oops show $words > got 2> err
		same "show $words: status" 2 $?
		has "show $words: why" "$(cat err)" "$want"
	done
	"$FTR" oops show none.dat > got 2> err
	same "no such file: status, output" "1 " "$? $(cat got)"
	python3 "$ORACLE/mkdat.py" a.dat --records 2
	"$FTR" oops show --text a.dat > got 2> err
	same "--text of a file without: status, output" "1 " "$? $(cat got)"
	has "it says so" "$(cat err)" "'a.dat' has no text of an oops"
	python3 "$ORACLE/mkdat.py" a.dat --records 0 --oops "$OOPSES/6.1-null.txt"
	"$FTR" oops show a.dat > got 2> err
	same "a file without records: status" 0 $?
	has "it says so" "$(cat got)" "^end: +no records"
}

texts
not_told
hostile
lines_of_cpus
usage
finish
