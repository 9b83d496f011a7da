#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The extension of SQLite in a process of Python: prints one line, what is the case.

Usage: sql-extension.py LIBRARY FTR CHECK FILE...
"""
import json, os, sqlite3, subprocess, sys, threading

LIBRARY, FTR, CHECK, *FILES = sys.argv[1:]

QUERIES = [
    'SELECT name, count(*) AS n FROM ftrace_event GROUP BY name ORDER BY name',
    'SELECT * FROM sched_switch ORDER BY ts, cpu LIMIT 500',
    'SELECT ts, cpu, tid, comm, name, text, file FROM ftrace_event ORDER BY ts, cpu, id LIMIT 500',
    'SELECT * FROM sched_slice ORDER BY ts, cpu LIMIT 500',
    'SELECT * FROM thread_state ORDER BY ts, utid LIMIT 500',
    'SELECT category, name, count(*) AS n, sum(dur) AS time FROM slice GROUP BY 1, 2 ORDER BY 1, 2',
    'SELECT t.tid, t.name, count(*) AS n, dur(sum(s.dur)) AS time FROM sched_slice s JOIN thread t USING (utid) '
    'GROUP BY utid ORDER BY utid',
    'SELECT hist(dur) AS h, percentile(dur, 99) AS p, stddev(dur) AS s FROM thread_state',
    'SELECT count(*) AS n, sum(int_value) AS s FROM ftrace_event JOIN args USING (arg_set_id)',
    "SELECT count(*) AS n, sum(dur) AS s FROM overlap('SELECT ts, dur, utid FROM sched_slice', 'thread_state', 'utid')",
    'SELECT * FROM trace_file', 'SELECT * FROM cpu', 'SELECT * FROM lost LIMIT 100',
    'SELECT * FROM counter ORDER BY id LIMIT 300', 'SELECT sym(0), walltime(0), errno_name(2)',
]


def connect(**options):
    db = sqlite3.connect(':memory:', **options)
    db.enable_load_extension(True)
    db.load_extension(LIBRARY)
    db.row_factory = sqlite3.Row
    return db


def opened(*files):
    db = connect(check_same_thread=False)
    for f in files:
        db.execute('SELECT ftr_open(?)', (f,))
    return db


def rows(db, query):
    return [dict(r) for r in db.execute(query)]


def failure(db, query, *values):
    try:
        db.execute(query, values).fetchall()
    except (sqlite3.Error, MemoryError) as e:
        return str(e)
    return 'no failure'


def theirs(query):
    """What ftr sql prints; it has no plugins either."""
    inputs = [w for f in FILES for w in ('-i', f)]
    text = subprocess.run([FTR, 'sql', '--json', *inputs, query], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout
    return json.loads(text or b'[]')


def same_rows():
    db, count = opened(*FILES), 0
    for query in QUERIES:
        want, got = theirs(query), rows(db, query)
        if want != got:
            return '%s: %s ... instead of %s ...' % (query, str(got)[:300], str(want)[:300])
        count += len(got)
    return 'the same' if count > 50 else 'only %d rows' % count


def two_threads():
    """Both run all queries, at the same time: both on the same files, then each on one of them."""
    for sets in ([FILES, FILES], [FILES[:1], FILES[-1:]]):
        want = [[rows(opened(*files), q) for q in QUERIES] for files in sets]
        got, start = [None, None], threading.Barrier(2)

        def run(i, sets=sets, got=got, start=start):
            start.wait()
            for _ in range(3):
                db = opened(*sets[i])
                got[i] = [rows(db, q) for q in QUERIES]
                db.close()

        threads = [threading.Thread(target=run, args=(i,)) for i in (0, 1)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        if got != want:
            return 'other rows'
    return 'the same'


def signals():
    """The masks of caught, ignored and blocked signals, as the kernel has them."""
    lines = open('/proc/self/status', encoding='ascii').read().splitlines()
    return [line for line in lines if line.startswith(('SigCgt', 'SigIgn', 'SigBlk'))]


def handlers():
    before = signals()
    db = opened(*FILES)
    for query in QUERIES:
        rows(db, query)
    return 'unchanged' if signals() == before else 'changed: %s, %s' % (before, signals())


def plugins():
    db = opened(*FILES)
    rows(db, QUERIES[2])
    maps = {line.split()[-1] for line in open('/proc/self/maps', encoding='utf-8') if '/plugins/' in line}
    return ' '.join(maps) or 'none'


def interrupt():
    """A query interrupts itself before its scan, and the connection goes on to answer."""
    db = opened(*FILES)
    db.create_function('stop', 0, db.interrupt)
    said = failure(db, "SELECT * FROM (SELECT stop() AS s) CROSS JOIN ftrace_event WHERE comm = 'no such task'")
    left, want = rows(db, QUERIES[0]), theirs(QUERIES[0])
    return '%s, then %s' % (said, 'the same' if left == want else left)


def own_function():
    db = sqlite3.connect(':memory:')
    db.create_function('dur', 1, lambda v: 'mine')
    db.enable_load_extension(True)
    db.load_extension(LIBRARY)
    db.load_extension(LIBRARY)
    db.execute('SELECT ftr_open(?)', FILES[:1])
    return ' '.join(str(v) for v in db.execute('SELECT dur(1), errno_name(2), count(*) > 0 FROM thread').fetchone())


def cut():
    """The file is recorded anew, shorter, between two queries."""
    db = opened(*FILES)
    rows(db, 'SELECT count(*) FROM sched_switch')
    os.truncate(FILES[0], 4096)
    return failure(db, 'SELECT count(*) FROM sched_switch')


def schema():
    """A schema that came with a database from somebody else, which is not trusted."""
    db = opened(*FILES)
    db.execute('PRAGMA trusted_schema = 0')
    db.execute('CREATE TABLE t (x)')
    db.execute('CREATE VIEW reads AS SELECT count(*) > 0 AS n, dur(1) FROM sched_slice')
    db.execute("CREATE VIEW opens AS SELECT ftr_open('x')")
    db.execute("CREATE VIEW asks AS SELECT * FROM overlap('slice', 'slice', 'utid')")
    db.execute("CREATE TEMP VIEW mine AS SELECT count(*) >= 0 FROM overlap('slice', 'slice', 'utid')")
    said = [str(tuple(db.execute('SELECT * FROM reads').fetchone()))]
    said += [failure(db, 'SELECT * FROM opens'), failure(db, 'SELECT * FROM asks')]
    said += [str(tuple(db.execute('SELECT * FROM mine').fetchone())), failure(db, 'DELETE FROM thread')]
    return '; '.join(said)


def twice():
    db = opened(*FILES)
    n = tuple(db.execute('SELECT ftr_open(?), ftr_open(?)', (FILES[0], './' + os.path.relpath(FILES[0]))).fetchone())
    rows(db, 'SELECT count(*) FROM cpu')
    return '%s %s' % (n, tuple(db.execute('SELECT ftr_open(?)', (FILES[0],)).fetchone()))


CHECKS = {f.__name__: f for f in (same_rows, two_threads, handlers, plugins, interrupt, own_function, cut, schema,
                                  twice)}

if __name__ == '__main__':
    print(CHECKS[CHECK]())
