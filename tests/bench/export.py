# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the bench about ftr export, beside report -j1 on the same file."""
import os
import subprocess

from common import FTR, RUNS, cpu, medians, say, tool
from model import judge
from reader import RECORDS, count, peak_rss

MIB, TIMES = 64, 10         # memory beside the mapped file; how many times the records of the larger file
FORMATS = [('perfetto', 4.0), ('json', 1.5)]        # M events a second of one core, at least
KINDS = ['mix', 'function_graph', 'function']


def export(to, path):
    return [FTR, 'export', '-q', '-j1', '--to', to, path]


def larger(data):
    path = '%s/mix-%d.dat' % (data, TIMES)
    if not os.path.exists(path):
        subprocess.run([tool('replicate'), '-n', str(TIMES * RECORDS), data + '/mix.dat', path + '.tmp'],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.rename(path + '.tmp', path)
    return path


def bench_export(data):
    big = larger(data)
    for to, least in FORMATS:
        for kind in KINDS:
            path = '%s/%s.dat' % (data, kind)
            report, ours = medians(RUNS, lambda: cpu([FTR, 'report', '-j1', path]), lambda: cpu(export(to, path)))
            rate = count(path)[0] / ours / 1e6
            text = 'export %s of %s: %.2f M events/s, %.2f times the CPU time of report -j1 (%.3f s and %.3f s)' % (
                to, kind, rate, ours / report, ours, report)
            if kind == 'mix':
                judge(rate >= least, text + ', at least %.1f M/s' % least)
            else:
                say(text)
        for name, path in (('mix', data + '/mix.dat'), ('%d times that' % TIMES, big)):
            peak, _ = peak_rss(export(to, path))
            judge(peak <= MIB << 10, 'export %s of %s: peak RssAnon %.1f MiB (at most %d)' %
                  (to, name, peak / 1024, MIB))
