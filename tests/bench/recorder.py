# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the bench that record: in guests beside trace-cmd, and one process of this kernel."""
import math, os, re, shutil, statistics, subprocess, tempfile

from common import BUILD, FTR, QUICK, TOP, say, tool

ROUNDS = 1 if QUICK else 5
KERNEL = os.environ.get('BENCH_KERNEL', '6.12')


# --- beside trace-cmd in a guest

CALLS = 60000 if QUICK else 600000      # of each of two CPUs, with two events each
TEXTS = 54000 if QUICK else 540000      # of 1000 bytes: 1 GiB
OUTER, INNER = 'outer', 'inner'
BEGUN, ENDED, USER, SYS, BLOCKS = range(5)      # of what cpu_of writes


# The guest's CPUs are emulated in parallel: in turns, whatever is done beside a busy CPU would be counted twice, and
# what is done when all is over once.
PARALLEL = ['--parallel']
# The guest's clock is the count of its instructions: what else the machine does is no part of it.
COUNTED = ['--smp', '1', '--qemu', '-icount shift=2,sleep=off']


def guest_runs(what, size, mem, rounds=ROUNDS, clock=PARALLEL):
    """What record-guest.sh notes of each run, by tool: lists of dictionaries."""
    with tempfile.TemporaryDirectory(prefix='ftr-bench.', dir=os.environ.get('FTR_TMPDIR', '/var/tmp')) as out:
        run([TOP + '/utils/guest', 'run', *clock, '--kernel', KERNEL, '--mem', str(mem), '--out', out,
             '--timeout', '3000', '--', 'bash', TOP + '/tests/bench/record-guest.sh', what, str(rounds), str(size)],
            env={**os.environ, 'FTR': FTR, 'FTR_BUILD': BUILD})
        runs = {}
        for line in open(out + '/runs'):
            tool_name, *words = line.split()
            runs.setdefault(tool_name, []).append({k: numbers(v) for k, v in (w.split('=') for w in words)})
    return runs


def numbers(text):
    v = [float(n) for n in text.split(',') if n]
    return v[0] if len(v) == 1 else v


def of_runs(runs, name, value):
    """The medians of both, ours first; ``name`` is for the error."""
    v = [statistics.median(value(r) for r in runs[t]) for t in ('ftr', 'trace-cmd')]
    if not all(isinstance(x, (int, float)) for x in v):
        raise SystemExit('bench: no figures for ' + name)
    return v


def tell(name, ours, theirs, unit, wanted=''):
    ratio = '%.2f' % (ours / theirs) if theirs else '-'
    say('%-34s ftr %10.3f, trace-cmd %10.3f %s; ratio %s%s' % (name, ours, theirs, unit, ratio, wanted))


def mib(r, of='bytes'):
    return r[of] / 2 ** 20


def recorder_cpu(r):
    return sum(r[OUTER][USER:SYS + 1]) - sum(r[INNER][USER:SYS + 1])


def bench_recorder():
    runs = guest_runs('recorder', CALLS, 6000)
    counted = {t: [v.pop()] for t, v in runs.items()}
    for name, unit, value in [
            ('recorder: CPU a MiB', 'ms', lambda r: recorder_cpu(r) / mib(r, 'data') * 1e3),
            ('recorder: exec to the command', 's', lambda r: r[INNER][BEGUN] - r[OUTER][BEGUN]),
            ('recorder: the command to the end', 's', lambda r: r[OUTER][ENDED] - r[INNER][ENDED]),
            ('recorder: events lost', 'events', lambda r: r['lost']),
            ('recorder: data', 'MiB', lambda r: mib(r, 'data'))]:
        tell(name, *of_runs(runs, name, value), unit)
    tell('recorder: system calls a MiB', *of_runs(counted, 'calls', lambda r: r['calls'] / mib(r, 'data')), 'calls')
    tell('recorder: splice calls a MiB', *of_runs(counted, 'splices', lambda r: r['splices'] / mib(r, 'data')), 'calls',
         ' (at most 0.125)')


def bench_gib():
    runs = guest_runs('gib', TEXTS, 9000)
    tell('gib: size', *of_runs(runs, 'size', mib), 'MiB')
    tell('gib: CPU a MiB', *of_runs(runs, 'CPU', lambda r: recorder_cpu(r) / mib(r, 'data') * 1e3), 'ms')
    tell('gib: bytes that reached the disk', *of_runs(runs, 'sectors', lambda r: r['sectors'] * 512 / r['bytes']),
         'times the file', ' (ours at most 1.03)')
    tell('gib: bytes written, by rusage',
         *of_runs(runs, 'blocks', lambda r: (r[OUTER][BLOCKS] - r[INNER][BLOCKS]) * 512 / r['bytes']),
         'times the file')
    tell('gib: the command to the end', *of_runs(runs, 'end', lambda r: r[OUTER][ENDED] - r[INNER][ENDED]), 's')
    tell('gib: beyond a sync of the same', *of_runs(runs, 'sync', lambda r: r[OUTER][ENDED] - r[INNER][ENDED] -
                                                    (r['bare'][ENDED] - r['bare'][BEGUN])), 's', ' (ours at most 0.2)')
    tell('gib: not on the disk at the end', *of_runs(runs, 'dirty', lambda r: r['dirty'] / 1024), 'MiB')
    tell('gib: events lost', *of_runs(runs, 'lost', lambda r: r['lost']), 'events')


# --- what is armed against a crash, in a guest

PIPES = 2000 if QUICK else 20000        # to and fro
PIPE_ROUNDS = 1 if QUICK else 5


def bench_oops():
    if not shutil.which('perf'):
        return say('oops: skipped: not installed: perf')
    runs = guest_runs('oops', PIPES, 2048, PIPE_ROUNDS, COUNTED)
    unarmed, armed = ([r['seconds'] for r in runs[t]] for t in ('unarmed', 'armed'))
    ratios = [a / b for a, b in zip(armed, unarmed, strict=True)]
    say('oops: perf bench sched pipe, armed over unarmed: %.2f (%.2f to %.2f in %d rounds), in instructions of an '
        'emulated CPU' %
        (statistics.median(ratios), min(ratios), max(ratios), PIPE_ROUNDS))


# --- one process of this kernel

TRACEFS = '/sys/kernel/tracing'
EVENT = 'syscalls:sys_exit_write'
DD = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=500k']
DD_EVENTS = 512003      # a write() each, and three lines of summary
DD_KB = 40960


class Instance:
    """A private one that records the events of one process and its children."""

    def __init__(self):
        self.path = '%s/instances/ftr-bench-%d' % (TRACEFS, os.getpid())
        os.mkdir(self.path)
        self.set('buffer_size_kb', DD_KB)
        self.set('options/event-fork', 1)

    def set(self, name, value):
        with open(self.path + '/' + name, 'w') as f:
            f.write(str(value))

    def run(self, argv):
        """Records while nobody reads."""
        enable = 'events/%s/enable' % EVENT.replace(':', '/')
        self.set(enable, 1)
        try:
            run(['sh', '-c', 'echo $$ > %s/set_event_pid; exec "$@"' % self.path, 'sh', *argv])
        finally:
            self.set(enable, 0)
            self.set('set_event_pid', '')
            self.set('trace', '')

    def remove(self):
        os.rmdir(self.path)


def run(argv, **kw):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, **kw)
    if done.returncode:
        raise SystemExit('bench: status %d of %s: %s' % (done.returncode, ' '.join(argv), done.stderr))
    return done.stdout


def cpu_seconds(path):
    """User and system time, of what cpu_of wrote."""
    words = open(path).read().split()
    return float(words[2]) + float(words[3])


def median_and_interval(v):
    """The interval that has the median with 95 % (order statistics)."""
    v, n = sorted(v), len(v)
    below = 0
    while below < n // 2 and 2 * sum(math.comb(n, i) for i in range(below + 1)) / 2 ** n <= 0.05:
        below += 1
    return statistics.median(v), v[max(below - 1, 0)], v[n - max(below, 1)]


def events_lost(tools, name, path):
    if name == 'ftr record':
        text = run([FTR, 'info', path])
        there, lost = (int(re.search(r'^  %s: +(\d+)' % word, text, re.M).group(1)) for word in ('events', 'lost'))
        return DD_EVENTS - there if not lost else lost
    if name == 'perf record':
        return DD_EVENTS - int(re.search(r'SAMPLE events: +(\d+)',
                                         run(['perf', 'report', '--stats', '-i', path])).group(1))
    return None


def dd_tools(scratch, ring):
    """Name, runs the command, what it leaves, whether it takes long."""
    return [
        ('nothing', run, None, False),
        ('ring buffer alone', ring.run, None, False),
        ('ftr record',
         lambda argv: run([FTR, 'record', '-q', '-B', 'ftr-bench-rec-%d' % os.getpid(), '-b', '%dK' % DD_KB,
                                         '-e', EVENT, '-F', '-c', '-o', scratch + '/ftr', '--', *argv]),
         scratch + '/ftr', False),
        ('perf record', lambda argv: run(['perf', 'record', '-q', '-e', EVENT, '-o', scratch + '/perf', *argv]),
         scratch + '/perf', False),
        ('perf trace', lambda argv: run(['perf', 'trace', '-e', 'write', '-o', scratch + '/trace', *argv]), None, True),
        ('strace', lambda argv: run(['strace', '-f', '-e', 'trace=write', '-o', '/dev/null', *argv]), None, True),
    ]


def dd_reason():
    """Why it can't be done here, or None."""
    if os.geteuid():
        return 'it takes root'
    if not os.access('%s/events/%s' % (TRACEFS, EVENT.replace(':', '/')), os.F_OK):
        return 'this kernel has no %s' % EVENT
    missing = [t for t in ('perf', 'strace') if not shutil.which(t)]
    return 'not installed: %s' % ' '.join(missing) if missing else None


def bench_dd():
    reason = dd_reason()
    if reason:
        return say('dd: skipped: %s' % reason)
    runs = 3 if QUICK else 21
    with tempfile.TemporaryDirectory(prefix='ftr-bench.', dir=os.environ.get('FTR_TMPDIR', '/var/tmp')) as scratch:
        ring = Instance()
        try:
            measure_dd(scratch, dd_tools(scratch, ring), runs)
        finally:
            ring.remove()


def measure_dd(scratch, tools, runs):
    took, lost = {t[0]: [] for t in tools}, {}
    for i in range(runs):
        for name, go, left, slow in tools:
            if slow and i >= runs // 7 + 1:
                continue
            go([tool('cpu_of'), scratch + '/cpu', *DD])
            took[name].append(cpu_seconds(scratch + '/cpu'))
            gone = events_lost(tools, name, left) if left else None
            if gone is not None:
                lost.setdefault(name, []).append(gone)
    native = statistics.median(took['nothing'])
    for name, v in took.items():
        say('dd %-18s %6.3f s of CPU in dd, %5.2f times nothing%s; %d runs' %
            (name, statistics.median(v), statistics.median(v) / native,
             ', lost of %d events: %s' % (DD_EVENTS, describe(lost[name])) if name in lost else '', len(v)))
    ratio, low, high = median_and_interval([a / b for a, b in zip(took['ftr record'], took['ring buffer alone'])])
    say('dd: ftr record costs dd %.3f (95 %%: %.3f to %.3f) times the ring buffer alone (at most 1.05)' %
        (ratio, low, high))


def describe(v):
    return '%d in each run' % v[0] if len(set(v)) == 1 else '%d to %d' % (min(v), max(v))
