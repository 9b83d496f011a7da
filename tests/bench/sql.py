# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the bench about ftr sql: beside other commands on the same file, and beside Perfetto's trace processor,
which parses the exported file and answers the same question."""
import os, subprocess, sys, tempfile, time

from common import FTR, QUICK, RUNS, TOP, cpu, medians, say, tool, wall
from model import judge
from reader import peak_rss

RECORDS = 4500000
TIMES_PERFETTO = 10         # at least
FIRST_ROW, MIB = 0.05, 64
PERFETTO = TOP + '/tests/oracle/perfetto.py'

SUM = 'SELECT sum(bytes_req) FROM kmalloc'
BY_COMM = 'SELECT comm, count(*) FROM ftrace_event GROUP BY comm'
RUNQLAT = 'SELECT hist(dur) FROM wakeup'
BY_NAME = 'SELECT name, sum(dur) FROM sched_slice JOIN thread USING (utid) GROUP BY name'
KINDS = 'SELECT name, count(*), max(ts) FROM ftrace_event %s GROUP BY name'
OVERLAP = ("SELECT count(*), sum(dur) FROM overlap('SELECT ts, dur, utid FROM slice WHERE category = ''syscall'' "
           "AND dur IS NOT NULL LIMIT 33000', 'SELECT ts, dur, utid, state FROM thread_state LIMIT 313000', 'utid')")
FIRST = ['SELECT * FROM %s LIMIT 1' % table for table in ('sched_switch', 'ftrace_event', 'sched_slice')]
GROUPS = ['SELECT comm, max(ts), sum(tid) FROM ftrace_event GROUP BY comm', BY_NAME,
          'SELECT ptr % 10000, count(*) FROM kfree GROUP BY 1']


def sql(path, query):
    return [FTR, 'sql', '--csv', '--no-header', path, query]


def ask(path, query):
    return subprocess.run(sql(path, query), stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def make_file(data):
    """More events than the other parts of the bench have, of the same recording."""
    if QUICK:
        return data + '/mix.dat'
    path = data + '/sql.dat'
    home = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    recording = os.environ.get('FTR_BENCH_CACHE', home + '/ftr/bench') + '/mix.dat'
    if not os.path.exists(path):
        subprocess.run([tool('replicate'), '-n', str(RECORDS), recording, path + '.tmp'], check=True,
                       stdout=subprocess.DEVNULL)
        os.rename(path + '.tmp', path)
    return path


def rows_of(path):
    """(name, limit, query, the command that it is held against)."""
    largest = ask(path, 'SELECT max(bytes_req) FROM kmalloc')
    begin, end = map(int, ask(path, 'SELECT start_ts, end_ts FROM trace_file').split(','))
    window = 'WHERE ts BETWEEN %d AND %d' % (begin + (end - begin) * 50 // 100, begin + (end - begin) * 51 // 100)
    return [
        ('the sum of a field', 1.5, SUM, 'a walk with a filter on the event',
         [FTR, 'report', '-j1', '-F', 'kmalloc:bytes_req >= %s' % largest, path]),
        ('records by comm', 2.5, BY_COMM, 'report -j1', [FTR, 'report', '-j1', path]),
        ('runqlat', 1.3, RUNQLAT, 'latency wakeup', [FTR, 'latency', 'wakeup', path]),
        ('1 % of the time', 1 / 20, KINDS % window, 'the whole', sql(path, KINDS % '')),
        ('runs by the name of the task', 2, BY_NAME, 'sched states', [FTR, 'sched', 'states', path]),
    ]


def bench_ratios(path):
    for name, limit, query, peer, command in rows_of(path):
        ours, theirs = medians(RUNS, lambda: cpu(sql(path, query)), lambda: cpu(command))
        judge(ours / theirs <= limit, 'sql, %s: %.2f times %s (at most %.2f): %.3f s and %.3f s of CPU' %
              (name, ours / theirs, peer, limit, ours, theirs))
    took, = medians(RUNS, lambda: cpu(sql(path, OVERLAP)))
    judge(took <= 0.5, 'sql, overlap() of 33,000 system calls with 313,000 states: %.3f s of CPU (at most 0.5)' % took)
    for query in FIRST:
        took, = medians(RUNS, lambda: wall(sql(path, query)))
        judge(took <= FIRST_ROW, 'sql, %s: %.0f ms (at most %.0f)' % (query, took * 1e3, FIRST_ROW * 1e3))
    for query in GROUPS:
        peak, _ = peak_rss(sql(path, query))
        judge(peak <= MIB << 10, 'sql, %s: peak RssAnon %.1f MiB (at most %d)' % (query, peak / 1024, MIB))


def perfetto_cpu(trace, query):
    command = [sys.executable, PERFETTO, trace, query]
    return cpu(command)


# The same questions; Perfetto has no table of an event's fields, none of waits for a CPU, and no hist().
THEIRS = [
    ('the sum of a field', SUM, "SELECT sum(a.int_value) FROM ftrace_event e JOIN args a USING (arg_set_id) "
                                "WHERE e.name = 'kmalloc' AND a.key = 'bytes_req'"),
    ('records by comm', BY_COMM, 'SELECT t.name, count(*) FROM ftrace_event JOIN thread t USING (utid) '
                                 'GROUP BY t.name'),
    ('runqlat', RUNQLAT, "SELECT length(CAST(dur AS TEXT)) AS digits, count(*) FROM thread_state WHERE state = 'R' "
                         "GROUP BY 1"),
    ('runs by the name of the task', BY_NAME, BY_NAME),
]


def bench_perfetto(path):
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        trace = folder + '/trace.pftrace'
        subprocess.run([FTR, 'export', '-q', '--to', 'perfetto', '-o', trace, path], check=True)
        if subprocess.run([PERFETTO, '--check'], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode:
            return say('skip - sql beside Perfetto # its trace processor is not there')
        for name, query, theirs in THEIRS:
            a, b = medians(1 if QUICK else 3, lambda: cpu(sql(path, query)), lambda: perfetto_cpu(trace, theirs))
            judge(b / a >= TIMES_PERFETTO, 'sql, %s: %.0f times as fast as Perfetto (at least %d): %.3f s and %.2f s '
                  'of CPU' % (name, b / a, TIMES_PERFETTO, a, b))


def bench_sql(data):
    path = make_file(data)
    bench_ratios(path)
    bench_perfetto(path)
