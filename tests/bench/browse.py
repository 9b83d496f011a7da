# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the bench about ftr browse: CPU seconds of what a user waits for, and memory, on files of 10 and 200 M
events, raw and compressed, of few and of 256 CPUs."""
import os
import random
import shutil
import subprocess
import tempfile
from collections import namedtuple

from common import FTR, QUICK, RUNS, cpu, medians, say, tool
from model import judge
from reader import count, rss_samples

MILLION = 1000000
JUMPS = 1000
MIB, LARGE_MIB = 128, 256   # beside the mapped file, after the jumps; with 200 M events
ROOM = 12 << 30             # bytes on the disk for the larger ones
FIRST = 0.3                 # CPU s until the first screen
FAR = 100                   # CPU ms of a step over all records
COUNTED = 20                # M records/s
ZOOMED = 600000             # records that are read for a step of zooming at most

# What replicate is to make: M events; its options; CPU ms of 99 of 100 jumps, and of all.
Kind = namedtuple('Kind', 'name millions options most all_most')
FILES = [
    Kind('of 1 M events', 1, [], 100, 300),
    Kind('of 1 M events, zstd, 256 CPUs', 1, ['-Z', '-c', '256'], 200, 600),
] if QUICK else [
    Kind('of 10 M events', 10, [], 100, 300),
    Kind('of 10 M events, zstd', 10, ['-Z'], 200, 600),
    Kind('of 10 M events, 256 CPUs', 10, ['-c', '256'], 200, 600),
    Kind('of 10 M events, zstd, 256 CPUs', 10, ['-Z', '-c', '256'], 200, 600),
    Kind('of 200 M events', 200, [], 100, 300),
    Kind('of 200 M events, zstd', 200, ['-Z'], 200, 600),
]
# Keys of jumps, each with what has to be waited for; how many of them.
MIXES = {
    'ends': (['<home>', '<end>', '<pgup>', '<pgdn>', '[', "'a"], 200),
    'steps': (['.', ',', ';', ':', ')', '(', 'L', 'W'], 250),
    'zooms': (['+', '+', '+', '+', '-', '-', '-', '0'], 250),
}


def browse(path, *args, view=('--view', 'events')):
    return [FTR, 'browse', '--size', '120x50', *view, *args, path]


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)
    return path


def span_ms(path):
    out = subprocess.run([FTR, 'report', '--first-event', '--last-event', path], capture_output=True, text=True).stdout
    times = [float(word) for line in out.split('\n') for word in line.replace(':', ' ').split() if word.count('.') == 1]
    return int((max(times) - min(times)) * 1000)


def jumps(path):
    """(mix, keys) of so many random jumps."""
    random.seed(1)
    span = span_ms(path)
    made = [(name, key) for name, (keys, n) in MIXES.items() for key in random.choices(keys, k=n)]
    made += [('times', 'g+%dms<enter>' % random.randrange(span)) for _ in range(JUMPS - len(made))]
    random.shuffle(made)
    return made


def time_jumps(path, scratch, begin, made):
    """CPU ms of each jump by its mix: of the last key and of what was waited for; KiB by and by; the most records that
    a jump read for the timeline."""
    keys, timing = write(scratch + '/jumps', begin + ''.join(k + '<wait>' for _, k in made)), scratch + '/times'
    samples, _ = rss_samples(browse(path, '--keys', keys, '--timing', timing, view=()))
    times, records, before = [], [], (0.0, 0)
    with open(timing) as f:
        for line in f:
            name, ms, _, read = line.split()
            if name == '<wait>':
                times.append(before[0] + float(ms))
                records.append(before[1] + int(read))
            before = float(ms), int(read)
    times, records = times[begin.count('<wait>'):], records[begin.count('<wait>'):]
    assert len(times) == len(made)
    by_mix = {}
    for (name, _), ms in zip(made, times):
        by_mix.setdefault(name, []).append(ms)
    return {name: sorted(ms) for name, ms in by_mix.items()}, samples, max(records)


def figures(times):
    return '%d: median %.2f ms of CPU, 99 of 100 within %.1f, all within %.1f' % (
        len(times), times[len(times) // 2], times[int(len(times) * 0.99)], times[-1])


def judge_jumps(kind, name, times):
    judge(times[int(len(times) * 0.99)] <= kind.most and times[-1] <= kind.all_most,
          'browse %s: %s, %s (at most %d, %d)' % (kind.name, name, figures(times), kind.most, kind.all_most))


def bench_jumps(path, scratch, kind):
    """In two panes, as it begins: the timeline above the events."""
    most = LARGE_MIB if kind.millions > 10 else MIB
    mixes, samples, records = time_jumps(path, scratch, '<wait>ma<wait>', jumps(path))
    judge_jumps(kind, 'jumps', sorted(ms for times in mixes.values() for ms in times))
    for name, times in mixes.items():
        say('    of them %s, %s' % (name, figures(times)))
    judge(records <= ZOOMED, 'browse %s: a jump reads %d records for the timeline at most (at most %d)' %
          (kind.name, records, ZOOMED))
    # the files are closed at the end: what there was in the last tenth of a second
    after = max(samples[-20:])
    judge(after <= most << 10,
          'browse %s: RssAnon %.1f MiB after the jumps (at most %d), %.1f MiB at most, while all records are read' %
          (kind.name, after / 1024, most, max(samples) / 1024))


def bench_far(path, scratch, kind):
    """No record was lost: the step looks at all of them."""
    mixes, *_ = time_jumps(path, scratch, '<wait>', [('L', 'L')])
    judge(mixes['L'][0] <= FAR, 'browse %s: a step to a loss that is not there: %.2f ms of CPU (at most %d)' %
          (kind.name, mixes['L'][0], FAR))


def bench_counted(path, scratch, kind, first, events):
    """What comes before the first screen has a row of its own."""
    wait = write(scratch + '/wait', '<wait>')
    seconds, = medians(RUNS if kind.millions <= 10 else 1, lambda: cpu(browse(path, '--keys', wait)))
    rate = events / (seconds - first) / 1e6
    judge(rate >= COUNTED, 'browse %s: counted by event, task and CPU, and indexed, at %.1f M records/s (at least %d)' %
          (kind.name, rate, COUNTED))


def bench_file(path, scratch, kind):
    with open(path, 'rb') as f:
        while kind.millions <= 10 and f.read(1 << 20):       # into the page cache
            pass
    start = write(scratch + '/start', '')
    report, first = medians(RUNS if kind.millions <= 10 else 1, lambda: cpu([FTR, 'report', '-j1', path]),
                            lambda: cpu(browse(path, '--keys', start, view=())))
    judge(first <= FIRST, 'browse %s: first screen after %.3f s of CPU (at most %.1f), report -j1 of all: %.2f s' %
          (kind.name, first, FIRST, report))
    search = write(scratch + '/search', '/no such text<enter><wait>')
    if kind.millions <= 10 and not kind.options:
        seconds, = medians(RUNS, lambda: cpu(browse(path, '--keys', search)))
        judge(seconds <= 3, 'browse %s: a text that is not there: %.2f s of CPU (at most 3), with counting' %
              (kind.name, seconds))
    events = count(path)[0]
    bench_counted(path, scratch, kind, first, events)
    bench_far(path, scratch, kind)
    bench_jumps(path, scratch, kind)


def bench_browse(data):
    with tempfile.TemporaryDirectory(prefix='ftr-bench.', dir=os.environ.get('FTR_TMPDIR', '/var/tmp')) as scratch:
        for kind in FILES:
            if kind.millions > 10 and shutil.disk_usage(scratch).free < ROOM:
                say('browse %s: skipped: less than %d GiB free in %s' % (kind.name, ROOM >> 30, scratch))
                continue
            path = scratch + '/big.dat'
            subprocess.run([tool('replicate'), *kind.options, '-n', str(kind.millions * MILLION), data + '/mix.dat',
                            path], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            bench_file(path, scratch, kind)
