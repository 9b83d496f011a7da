# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the bench about texts that ftrace printed: what a line costs that ftr import reads."""
import os, re, shutil, subprocess, tempfile

from common import FTR, RUNS, medians, say, spawn, wait

FEW, MANY = 20000, 220000
INSTRUCTIONS = 2500         # at most, a line
KINDS = ('mix', 'function', 'function_graph')


def make_texts(folder, path):
    """The first FEW and MANY lines of a file as the kernel prints it."""
    texts = ['%s/%d' % (folder, n) for n in (FEW, MANY)]
    report = subprocess.Popen([FTR, 'report', '-q', '--format=kernel', path], stdout=subprocess.PIPE)
    with open(texts[0], 'wb') as few, open(texts[1], 'wb') as many:
        for n, line in zip(range(MANY), report.stdout):
            many.write(line)
            if n < FEW:
                few.write(line)
    report.stdout.close()
    report.wait()
    return texts, n + 1


def seconds(text, out):
    """Of user and system CPU."""
    argv = [FTR, 'import', '-q', text, '-o', out]
    usage = wait(spawn(argv), argv)
    return usage.ru_utime + usage.ru_stime


def instructions(text, out, calls):
    argv = ['valgrind', '-q', '--tool=callgrind', '--callgrind-out-file=' + calls, FTR, 'import', '-q', text, '-o', out]
    wait(spawn(argv), argv)
    with open(calls, encoding='utf-8') as stream:
        return int(re.search(r'^(?:summary|totals): (\d+)', stream.read(), re.M).group(1))


def bench_text(data):
    for kind in KINDS:
        with tempfile.TemporaryDirectory(dir=os.path.dirname(data)) as folder:
            (few, many), lines = make_texts(folder, '%s/%s.dat' % (data, kind))
            out = folder + '/out.dat'
            less, more = medians(RUNS, lambda: seconds(few, out), lambda: seconds(many, out))
            say('text %s: %.2f M lines a second of CPU' % (kind, (lines - FEW) / (more - less) / 1e6))
            if not shutil.which('valgrind'):
                say('skip - text %s: instructions # no valgrind' % kind)
                continue
            calls = folder + '/calls'
            each = (instructions(many, out, calls) - instructions(few, out, calls)) / (lines - FEW)
            say('%s - text %s: %d instructions a line (at most %d)' %
                ('ok' if each <= INSTRUCTIONS else 'not ok', kind, each, INSTRUCTIONS))
