#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the causes of sleeps in the accounts of ftr why with the kernel's stacks of the sleepers and their wakers.

Usage: why_stack.py FTR FILE...: recordings with a stack at each sched_switch and sched_waking

Of each row of a sleep, the longest one is compared. The last waking before its end has to be what the cause names: a
task is the one that recorded it, outside of interrupts; anything else has a function of the table on the waker's
stack. What the sleeper waits for has to fit, too: a row of the table has functions of the sleeper and those of the
waker that end such a sleep. A cause without a row that fits fails. At least 100 sleeps have to be compared.
"""
import bisect
import collections
import json
import re
import subprocess
import sys

SLEPT = ("asleep", "blocked", "stopped")
# There is no event that tells the waker.
UNNAMED = ("the end of the recording", "a waking that is not recorded", "a waking of unknown origin",
           "records are lost")
TASK = r"(?!work )\S.*-(?P<pid>\d+)"
# process_one_work() itself wakes the next worker before the work begins, and lets others run after its end.
IN_A_WORK = r" (?!kick_pool|wake_up_worker|wake_up_process|try_to_wake_up|_*cond_resched)\S+ process_one_work"
SIGNALS = r"|send_signal|complete_signal|signal_wake_up|task_work_add|ptrace"
LOCKS = r"mutex_lock|rwsem_down|down_(read|write)|percpu_rwsem|__down|rt_mutex|rwbase|rtlock|lock_sock"
# (the cause, the sleeper's stack, a function of the waker): regular expressions; {0} is group 1 of the cause. A stack
# is a line of functions, the innermost that is not schedule() first. The first row that fits cause and sleeper counts.
AGREE = [
    (r"timer hrtimer_wakeup", r"schedule_hrtimeout|do_nanosleep|futex_", r"hrtimer_wakeup"),
    (r"timer process_timeout", r"schedule_timeout", r"process_timeout|__run_timers"),
    (r"timer delayed_work_timer_fn", r"worker_thread", r"delayed_work_timer_fn|__run_timers"),
    (r"timer (?!hrtimer_wakeup|process_timeout|delayed_work)(\S+).*", r"", r"{0}|__run_timers|__hrtimer_run_queues"),
    (r"irq \d+ .*", r"^irq_thread", r"handle_irq_event"),
    (r"irq \d+ \(virtio\d+-req.*\)", r"", r"vring_interrupt"),
    (r"irq \d+ .*", r"", r"handle_irq_event"),
    (r"softirq TIMER", r"", r"run_timer_softirq"),
    (r"softirq HRTIMER", r"", r"hrtimer_run_softirq"),
    (r"softirq NET_TX", r"", r"net_tx_action"),
    (r"softirq NET_RX", r"", r"net_rx_action"),
    (r"softirq BLOCK", r"", r"blk_done_softirq|blk_complete_reqs"),
    (r"softirq TASKLET|softirq HI", r"", r"tasklet"),
    (r"softirq SCHED", r"", r"balance"),
    (r"softirq RCU", r"", r"rcu_core|rcu_do_batch"),
    (r"softirq \w+", r"", r"softirq"),
    (r"softirqs were left to it", r"^smpboot_thread_fn", r"softirq|irq_exit"),
    (r"the timer interrupt", r"", r"apic_timer_interrupt|hrtimer_interrupt"),
    (r"interrupt (\w+)", r"", r"sysvec_{0}"),
    (r"a hard interrupt|a soft interrupt|an NMI", r"", r"_interrupt|sysvec_|do_softirq|handle_softirqs|exc_nmi"),
    (r"a request to disk \d+,\d+ ended", r"", r"blk_mq_end_request|blk_update_request|bio_endio|blk_mq_complete"),
    (r"work wq_barrier_func.*", r"flush_work|drain_workqueue|cancel_work", r"process_one_work"),
    (r"work (?!wq_barrier_func)(\S+).*", r"", r"{0}|process_one_work"),
    (TASK + r" released lock .*", LOCKS, r"unlock|rwsem_|downgrade_write|up_(read|write)|__up|percpu|release_sock"),
    (TASK + r" woke futex .*", r"futex_", r"futex_wake|futex_requeue|mm_release|futex_cleanup|robust_list"),
    (r"signal \d+ from " + TASK, r"", r"send_signal|complete_signal|do_notify_parent|signal_wake_up"),
    (TASK, r"^(anon_)?pipe_read", r"pipe_write|pipe_release|pipe_read|splice|wakeup_pipe" + SIGNALS),
    (TASK, r"^(anon_)?pipe_write", r"pipe_read|pipe_release|pipe_write|splice|wakeup_pipe" + SIGNALS),
    (TASK, r"^do_wait\b", r"do_notify_parent|do_exit|release_task|wake_up_new_task" + SIGNALS),
    (TASK, r"^(poll_schedule_timeout\S* |schedule_hrtimeout\S* )*(do_sys_poll|do_select|ep_poll|do_epoll_wait)",
     r"poll_?wake|ep_poll_callback" + SIGNALS),
    (TASK, r"^futex_", r"futex_wake|futex_requeue|mm_release" + SIGNALS),
    (TASK, r"^do_nanosleep", SIGNALS[1:]),
    (TASK, r"^worker_thread", r"queue_work|kick_pool|process_one_work|pwq_|_worker|wq_|worker_thread"),
    (TASK, r"^kthread_worker_fn", r"kthread_\w*work|kthread_stop"),
    (TASK, r"^(schedule_timeout )?(__)?wait_for_com", r"^complete|swake_up" + SIGNALS),
    (TASK, r"^(io_schedule |bit_wait\w* )*(folio_wait_bit|__wait_on_bit)",
     r"folio_|wake_up_bit|wake_bit|wake_page|unlock_page|end_page" + SIGNALS),
    (TASK, r"", r""),
]
HEAD = re.compile(r"\s*(?:\w+: +)?(?P<comm>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] (?P<flags>\S+) +(?P<s>\d+)\."
                  r"(?P<ns>\d{9}): (?P<event>sched_\w+|kernel_stack): +(?P<text>.*)")
Record = collections.namedtuple("Record", "pid time in_interrupt stack")


def read_records(ftr, path):
    """Returns the switches by (task, time), and the wakings of each task in their order."""
    run = subprocess.run([ftr, "report", "-t", "--event", "sched_switch", "--event", "sched_waking", "--event",
                          "kernel_stack", path], capture_output=True, text=True, check=True)
    switches, wakings, last, stack = {}, collections.defaultdict(list), {}, []
    for line in run.stdout.splitlines():
        head = HEAD.match(line)
        if not head:
            stack += line.split()[1:2]
        elif head["event"] == "kernel_stack":
            # the kernel records it behind its event
            stack = last.pop((head["cpu"], head["pid"]), [])
        else:
            stack = last[head["cpu"], head["pid"]] = []
            record = Record(int(head["pid"]), int(head["s"] + head["ns"]), bool(re.search("[hsHZz]", head["flags"][2])),
                            stack)
            if head["event"] == "sched_switch":
                switches[record.pid, record.time] = record
            else:
                wakings[int(re.search(r" pid=(\d+) prio", head["text"])[1])].append(record)
    return switches, wakings


def stack_line(stack):
    skip = 0
    while skip < len(stack) and re.match("__traceiter_|trace_event_|_*schedule$", stack[skip]):
        skip += 1
    return " ".join(stack[skip:])


def judge(row, sleeper, waker):
    """Returns what is wrong with the cause, or None."""
    rows = []
    for cause, slept, woke in AGREE:
        found = re.fullmatch(cause, row["cause"])
        if found:
            rows.append((found, slept, woke))
    if not rows:
        return "no row of the table has this cause"
    at = re.search(r"(?:^| at )([\w.]+)$", row["in"] or "")
    if at and " at " in row["in"] and at[1] not in sleeper.stack:
        return "it did not sleep at " + at[1]
    pid = rows[0][0].groupdict().get("pid")
    if pid and (waker.in_interrupt or waker.pid != int(pid)):
        return "it was woken by %d%s" % (waker.pid, ", in an interrupt" if waker.in_interrupt else "")
    if pid and "__irq_exit_rcu" in waker.stack:
        return "the waker was interrupted"
    if pid and re.search(IN_A_WORK, " ".join(waker.stack)):
        return "the waker was in a work"
    for found, slept, woke in rows:
        if re.search(slept, stack_line(sleeper.stack)):
            break
    else:
        return "the sleeper waits for something else"
    woke = woke.format(re.escape(found[1]) if found.groups() else "")
    if not any(re.search(woke, function) for function in waker.stack):
        return "the waker did something else"
    return None


def compare(ftr, path, seen):
    """Returns the number of sleeps that differ."""
    switches, wakings = read_records(ftr, path)
    run = subprocess.run([ftr, "why", "--json", "--depth", "0", "*", path], capture_output=True, text=True, check=True)
    bad = 0
    for account in json.loads(run.stdout):
        for row in account["rows"]:
            if row["what"] not in SLEPT or row["cause"] in UNNAMED:
                continue
            sleeper = switches.get((account["pid"], row["longest_at"]))
            those = wakings[account["pid"]]
            i = bisect.bisect_right([waking.time for waking in those], row["longest_at"] + row["longest"])
            # the kernel drops a stack now and then
            if not sleeper or not i or not sleeper.stack or not those[i - 1].stack:
                seen["without a stack"] += 1
                continue
            wrong = judge(row, sleeper, those[i - 1])
            seen["compared"] += 1
            if wrong:
                bad += 1
                print("# %s %s in %s until %s at %d: %s" % (account["task"], row["what"], row["in"], row["cause"],
                                                           row["longest_at"], wrong))
                print("#   sleeper: %s" % " ".join(sleeper.stack[:16]))
                print("#   waker: %s" % " ".join(those[i - 1].stack[:24]))
    return bad


def main():
    seen = collections.Counter()
    bad = sum(compare(sys.argv[1], path, seen) for path in sys.argv[2:])
    print("# %s; %d differ" % (", ".join("%d %s" % (n, words) for words, n in seen.items()), bad))
    return bad > 0 or seen["compared"] < 100


if __name__ == "__main__":
    sys.exit(main())
