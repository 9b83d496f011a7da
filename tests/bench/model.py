# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the bench about commands on spans and states, beside report on the same file."""
import json
import subprocess

from common import FTR, RUNS, medians, say, user_cpu
from reader import peak_rss

TIMES, MIB = 1.25, 64       # of report's user CPU; of memory beside the mapped file
ROWS = [                    # a command, and the file it reads
    (['profile'], 'function_graph'),
    (['sched', 'states'], 'mix'),
    (['latency', 'function_graph'], 'function_graph'),
    (['latency', 'wakeup'], 'mix'),
]


def bench_model(data):
    for command, kind in ROWS:
        path = '%s/%s.dat' % (data, kind)
        name = 'model %s of %s' % (' '.join(command), kind)
        report, ours = medians(RUNS, lambda: user_cpu([FTR, 'report', '-j1', path]),
                               lambda: user_cpu([FTR, *command, path]))
        peak, _ = peak_rss([FTR, *command, path])
        judge(ours / report <= TIMES, '%s: %.2f times report -j1 (at most %.2f): %.3f s and %.3f s of user CPU' %
              (name, ours / report, TIMES, ours, report))
        judge(peak <= MIB << 10, '%s: peak RssAnon %.1f MiB (at most %d)' % (name, peak / 1024, MIB))


WHY = [(1.5, 'one task'), (3, 'all tasks'), (3, 'all tasks, --tree')]     # of the user CPU of ftr sched states


def bench_why(data):
    path = data + '/mix.dat'
    states = json.loads(subprocess.run([FTR, 'sched', 'states', '--json', path], stdout=subprocess.PIPE,
                                       check=True).stdout)
    busiest = max(states['tasks'], key=lambda task: task['states'].get('running', {'time': 0})['time'])
    for (limit, name), words in zip(WHY, ([str(busiest['pid'])], ['*'], ['--tree', '*'])):
        command = [FTR, 'why', *words, path]
        base, ours = medians(RUNS, lambda: user_cpu([FTR, 'sched', 'states', path]), lambda: user_cpu(command))
        peak, _ = peak_rss(command)
        judge(ours / base <= limit, 'why, %s: %.2f times sched states (at most %.2f): %.3f s and %.3f s of user CPU' %
              (name, ours / base, limit, ours, base))
        judge(peak <= MIB << 10, 'why, %s: peak RssAnon %.1f MiB (at most %d)' % (name, peak / 1024, MIB))


def judge(holds, text):
    say(('ok - ' if holds else 'not ok - ') + text)
