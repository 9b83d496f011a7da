# SPDX-License-Identifier: GPL-2.0-or-later
"""What the parts of the bench share: where things are, and how long programs take."""
import os, statistics, sys, time

TOP = os.environ.get('FTR_TOP') or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get('FTR_BUILD') or TOP + '/build'
FTR = os.environ.get('FTR') or BUILD + '/ftr'
QUICK = bool(os.environ.get('BENCH_QUICK'))
RUNS = 1 if QUICK else 5
NULL = os.open('/dev/null', os.O_RDWR)


def say(text):
    print(text, flush=True)


def spawn(argv, stdout=NULL):
    return os.posix_spawnp(argv[0], argv, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, NULL, 0), (os.POSIX_SPAWN_DUP2, stdout, 1), (os.POSIX_SPAWN_DUP2, NULL, 2)])


def wait(pid, argv):
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit('bench: status %#x of %s' % (status, ' '.join(argv)))
    return usage


def cpu(argv):
    usage = wait(spawn(argv), argv)
    return usage.ru_utime + usage.ru_stime


def user_cpu(argv):
    return wait(spawn(argv), argv).ru_utime


def wall(argv, at_once=1):
    start = time.monotonic()
    for pid in [spawn(argv) for _ in range(at_once)]:
        wait(pid, argv)
    return time.monotonic() - start


def medians(runs, *functions):
    """Of what each returns, called in turn."""
    rows = [[f() for f in functions] for _ in range(runs)]
    return [statistics.median(column) for column in zip(*rows)]


def tool(name):
    return BUILD + '/tests/tools/' + name
