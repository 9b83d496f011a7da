#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel-docs.py KERNEL FILE [--needing]: runs the commands of Documentation/made/kernel-docs.md and sees whether they
did what the last column says. Run in a guest, as tracefs is changed. --needing: only rows that need something of the
kernel. Half of the rows are run, which ones comes with $FTR_SEED; all of them under FTR_LONG=1."""
import os, random, re, signal, subprocess, sys

TRACEFS = '/sys/kernel/tracing/'
SPAN = re.compile(r'`([^`]*)`')
CLAIM = re.compile(r'(\S+) (=|~|!~) (.*)')
SECONDS = 120


def table(path):
    """(page, section, cell with the command, cell with what is seen) of each row; \\| is | within a cell."""
    page, found = None, []
    for line in open(path):
        if line.startswith('## '):
            page = line[3:].strip()
        cells = [c.strip().replace('\\|', '|') for c in re.split(r'(?<!\\)\|', line.rstrip('\n'))[1:-1]]
        if len(cells) == 4 and cells[0] not in ('section', '---'):
            found.append((page, *cells))
    return [(page, section, ftr, then) for page, section, _, ftr, then in found]


def squeezed(text):
    return ' '.join(text.split())


def content(name):
    try:
        with open(name if name.startswith('/') else TRACEFS + name, errors='replace') as f:
            return squeezed(f.read())
    except OSError as error:
        return '(%s)' % error.strerror


def holds(claim, said):
    """Nothing when the claim is true, else what is there instead."""
    name, how, want = CLAIM.fullmatch(claim).groups()
    got = said[name] if name in said else content(name)
    if {'=': got == want, '~': want in got, '!~': want not in got}[how]:
        return ''
    return '%s: there is: %s' % (claim, got[:600])


def run(*argv):
    """A program more, such as timeout(1), takes an emulated machine longer than what the command itself does."""
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         errors='replace', start_new_session=True)
    try:
        out, err = p.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, err = p.communicate()
        err += ' (it did not end in %d s)' % SECONDS
    return {'status': str(p.returncode), 'out': squeezed(out), 'err': squeezed(err)}


def missing(then):
    """The words of a row's need that this kernel does not meet."""
    m = re.match(r'needs `([^`]*)`( \([^)]*\))?', then)
    if not m:
        return ''
    need = m.group(1)
    bad = holds(need, {}) if CLAIM.fullmatch(need) else content(need).startswith('(No such file')
    return m.group(0).replace('`', '') if bad else ''


def judge(command, then):
    claims = [c for c in SPAN.findall(re.sub(r'^needs `[^`]*`', '', then))]
    said = run('bash', '-c', command)
    bad = [b for b in (holds(c, said) for c in claims) if b]
    if said['status'] != '0' and not any(c.startswith('status ') for c in claims):
        bad.append('status %s' % said['status'])
    if bad:
        bad.append('stderr: ' + said['err'][:600])
    for undo in (('ftr', 'reset'), ('ftr', 'clear', '-a', '-t')):
        undone = run(*undo)
        if undone['status'] != '0':
            bad.append('%s: %s' % (' '.join(undo), undone['err']))
    return bad


def chosen(rows):
    """Those that have their turn."""
    numbers = range(1, len(rows) + 1)
    if os.environ.get('FTR_LONG') == '1':
        return set(numbers)
    return set(random.Random(os.environ.get('FTR_SEED')).sample(numbers, (len(rows) + 1) // 2))


def main():
    kernel, path = sys.argv[1:3]
    only_needing, failed = '--needing' in sys.argv, 0
    counts = {'run': 0, 'skipped': 0, 'none': 0, 'not their turn': 0}
    rows = table(path)
    turn = chosen(rows)
    for number, (page, section, cell, then) in enumerate(rows, 1):
        name = '%s: row %d, %s, %s: %s' % (kernel, number, page, section, cell.strip('`'))
        if only_needing and not then.startswith('needs '):
            continue
        if then.startswith('boot:') or missing(then):
            counts['skipped'] += 1
            print('skip - %s # %s' % (name, missing(then) or then), flush=True)
            continue
        if cell.startswith('none'):
            counts['none'] += 1
            continue
        if number not in turn:
            counts['not their turn'] += 1
            continue
        bad = judge(SPAN.fullmatch(cell).group(1), then)
        counts['run'] += 1
        failed += bool(bad)
        print('%s - %s' % ('not ok' if bad else 'ok', name))
        for line in bad:
            print('# ' + line)
        sys.stdout.flush()
    print('# %d rows: %s' % (len(rows), counts))
    if not counts['run']:
        print('not ok - %s: rows were run' % kernel)
    return 1 if failed or not counts['run'] else 0


if __name__ == '__main__':
    sys.exit(main())
