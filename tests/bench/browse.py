# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the bench about ftr browse: CPU seconds of what a user waits for, and memory, on files of 10 and 200 M events."""
import os
import random
import shutil
import subprocess
import tempfile

from common import FTR, QUICK, RUNS, cpu, medians, say, tool
from model import judge
from reader import count, peak_rss

MILLION = 1000000
JUMPS = 1000
SIZES = [(1, 128)] if QUICK else [(10, 128), (200, 256)]       # M events; MiB beside the mapped file
ROOM = 12 << 30             # bytes on the disk for the larger one


def browse(path, *args, view=('--view', 'events')):
    return [FTR, 'browse', '--size', '120x50', *view, *args, path]


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)
    return path


def jumps(path):
    """Keys of so many random jumps, each with what has to be waited for."""
    random.seed(1)
    out = subprocess.run([FTR, 'report', '--first-event', '--last-event', path], capture_output=True, text=True).stdout
    times = [float(word) for line in out.split('\n') for word in line.replace(':', ' ').split() if word.count('.') == 1]
    span = int((max(times) - min(times)) * 1000)
    keys = ['g+%dms<enter><wait>' % random.randrange(span) for _ in range(JUMPS // 2)]
    keys += random.choices(['<end><wait>', '<home><wait>', '<pgup><wait>', '<pgdn><wait>', '.<wait>', ';<wait>', ')<wait>', '[<wait>',
                            "'a<wait>"], k=JUMPS - len(keys))
    random.shuffle(keys)
    return 'ma<wait>' + ''.join(keys)


def jump_times(path):
    """CPU ms of each jump: the last key of it and what was waited for."""
    times, before = [], 0.0
    with open(path) as f:
        for line in f:
            name, ms, *_ = line.split()
            if name == '<wait>':
                times.append(before + float(ms))
            before = float(ms)
    return sorted(times[1:])        # the first one counts all records


def bench_jumps(path, scratch, what, most):
    keys, timing = write(scratch + '/jumps', jumps(path)), scratch + '/times'
    peak, _ = peak_rss(browse(path, '--keys', keys, '--timing', timing))
    times = jump_times(timing)
    judge(times[int(len(times) * 0.99)] <= 100 and times[-1] <= 300,
          'browse %s: %d jumps: median %.2f ms of CPU, 99 of 100 within %.1f (at most 100), all within %.1f (at most 300)' % (
              what, len(times), times[len(times) // 2], times[int(len(times) * 0.99)], times[-1]))
    judge(peak <= most << 10, 'browse %s: peak RssAnon %.1f MiB after the jumps (at most %d)' % (what, peak / 1024, most))


def bench_file(path, scratch, millions, most):
    what = 'of %d M events' % millions
    with open(path, 'rb') as f:
        while millions <= 10 and f.read(1 << 20):       # into the page cache
            pass
    start = write(scratch + '/start', '')
    report, first = medians(RUNS if millions <= 10 else 1, lambda: cpu([FTR, 'report', '-j1', path]),
                            lambda: cpu(browse(path, '--keys', start, view=())))
    judge(first <= 0.3, 'browse %s: first screen after %.3f s of CPU (at most 0.3), report -j1 of all: %.2f s' % (what, first, report))
    search = write(scratch + '/search', '/no such text<enter><wait>')
    if millions <= 10:
        seconds, = medians(RUNS, lambda: cpu(browse(path, '--keys', search)))
        judge(seconds <= 3, 'browse %s: a text that is not there: %.2f s of CPU (at most 3), with counting' % (what, seconds))
    wait = write(scratch + '/wait', '<wait>')
    seconds, = medians(1, lambda: cpu(browse(path, '--keys', wait)))
    judge(count(path)[0] / seconds / 1e6 >= 20, 'browse %s: counted by event, task and CPU at %.1f M records/s (at least 20)' % (
        what, count(path)[0] / seconds / 1e6))
    bench_jumps(path, scratch, what, most)


def bench_browse(data):
    with tempfile.TemporaryDirectory(prefix='ftr-bench.', dir=os.environ.get('FTR_TMPDIR', '/var/tmp')) as scratch:
        for millions, most in SIZES:
            if millions > 10 and shutil.disk_usage(scratch).free < ROOM:
                say('browse of %d M events: skipped: less than %d GiB free in %s' % (millions, ROOM >> 30, scratch))
                continue
            path = scratch + '/big.dat'
            subprocess.run([tool('replicate'), '-n', str(millions * MILLION), data + '/mix.dat', path], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            bench_file(path, scratch, millions, most)
