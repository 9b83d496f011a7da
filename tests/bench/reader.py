# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the bench that read trace files."""
import os, shutil, statistics, subprocess, tempfile, threading, time

from common import BUILD, FTR, NULL, QUICK, RUNS, TOP, cpu, medians, say, spawn, tool, wait, wall

RECORDS = 500000 if QUICK else 4000000
HUGE_GIB = float(os.environ.get('BENCH_HUGE', 0 if QUICK else 10))
KINDS = [('function', 25, 40), ('function_graph', 15, 25), ('mix', 20, 25)]     # at least, aim
METADATA = ['16', '17', '18', '21']       # sections that a line without addresses needs


def first_line(argv):
    """Seconds until the first byte of output."""
    out, into = os.pipe2(os.O_CLOEXEC)
    start = time.monotonic()
    pid = spawn(argv, into)
    os.close(into)
    os.read(out, 1)
    took = time.monotonic() - start
    os.close(out)
    os.wait4(pid, 0)
    return took


def count(path):
    """Records, and seconds of the walk over them, of one CPU after another."""
    out = subprocess.run([tool('ringwalk'), path], stdout=subprocess.PIPE, check=True).stdout.split()
    return int(out[0]), float(out[1])


def compare(name, path, least, aim):
    records, _ = count(path)
    theirs, ours = medians(RUNS, lambda: cpu(['trace-cmd', 'report', path]),
                           lambda: cpu([FTR, 'report', '-j1', path]))
    wanted = ' (at least %d, aim %d)' % (least, aim) if least else ''
    say('report %-15s %5.1f times%s: trace-cmd %.2f s, ftr %.3f s of CPU; %.2f M records, %.0f ns each' %
        (name, theirs / ours, wanted, theirs, ours, records / 1e6, ours / records * 1e9))


def bench_report(data):
    for kind, least, aim in KINDS:
        compare(kind, '%s/%s.dat' % (data, kind), least, aim)


def bench_threads(data):
    for kind, _, _ in KINDS:
        one, two = ([FTR, 'report', j, '%s/%s.dat' % (data, kind)] for j in ('-j1', '-j2'))
        # they take a third of a second: other users of the machine weigh more than in the rest
        t1, t2, both = medians(3 * RUNS, lambda: wall(one), lambda: wall(two), lambda: wall(one, 2))
        say('threads %-14s -j2 %.2f times -j1 (at least 1.7 where the control has 1.8): %.2f s and %.2f s; control '
            '%.2f: two -j1 at once %.2f s' % (kind, t1 / t2, t1, t2, 2 * t1 / both, both))


def bench_walk(data):
    for kind, _, _ in KINDS:
        runs = [count('%s/%s.dat' % (data, kind)) for _ in range(RUNS)]
        n, took = runs[0][0], statistics.median(t for _, t in runs)
        say('walk %-17s %.0f M records/s on one core (at least 60): %.2f M in %.3f s' %
            (kind, n / took / 1e6, n / 1e6, took))


def bench_first(data):
    plain, packed = data + '/formats.dat', data + '/formats-zstd.dat'
    runs = 5 * RUNS
    if not os.path.exists(plain):
        return say('first: skipped: no collection of formats')
    ours, theirs, nothing = medians(runs, lambda: first_line([FTR, 'report', plain]),
                                    lambda: first_line(['trace-cmd', 'report', plain]),
                                    lambda: first_line([FTR, '--version']))
    say('first line, uncompressed %5.1f times (at least 15): trace-cmd %.1f ms, ftr %.1f ms (at most 15), of which '
        'starting a program %.1f ms' % (theirs / ours, theirs * 1e3, ours * 1e3, nothing * 1e3))
    if not os.path.exists(packed):
        return say('first line, compressed: skipped: trace-cmd cannot convert')
    bare, ours, theirs = medians(runs, lambda: first_line([tool('unpack'), packed] + METADATA),
                                 lambda: first_line([FTR, 'report', packed]),
                                 lambda: first_line(['trace-cmd', 'report', packed]))
    say('first line, compressed %.2f of bare decompression (at most 1.3): %.1f ms, ftr %.1f ms, trace-cmd %.1f ms' %
        (ours / bare, bare * 1e3, ours * 1e3, theirs * 1e3))


def rss_anon(pid):
    try:
        for line in open('/proc/%d/status' % pid):
            if line.startswith('RssAnon:'):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def rss_samples(argv):
    """KiB, sampled 200 times a second, and seconds."""
    start, samples, done = time.monotonic(), [0], threading.Event()
    pid = spawn(argv)
    threading.Thread(target=lambda: (os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT), done.set())).start()
    while not done.wait(0.005):
        samples.append(rss_anon(pid))
    wait(pid, argv)
    return samples, time.monotonic() - start


def peak_rss(argv):
    """The same, at most."""
    samples, seconds = rss_samples(argv)
    return max(samples), seconds


def bench_memory(data):
    if not HUGE_GIB:
        return say('memory: skipped: it takes a large file')
    folder = os.environ.get('FTR_TMPDIR', '/var/tmp')
    if shutil.disk_usage(folder).free < 2.5 * HUGE_GIB * 2 ** 30:
        return say('memory: skipped: no room in %s' % folder)
    with tempfile.TemporaryDirectory(prefix='ftr-bench.', dir=folder) as scratch:
        path = scratch + '/huge.dat'
        subprocess.run([tool('replicate'), '-b', str(int(HUGE_GIB * 2 ** 30)), data + '/mix.dat', path], check=True,
                       stdout=subprocess.DEVNULL)
        for j in '-j1', '-j8':
            peak, took = peak_rss([FTR, 'report', j, path])
            say('memory %s: peak RssAnon %.1f MiB (at most 64) of a file of %.1f GiB, %.0f s' %
                (j, peak / 1024, os.path.getsize(path) / 2 ** 30, took))
