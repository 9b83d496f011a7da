#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside a guest: error-check.py KERNEL CASES DRIVER. Writes each input by itself, reads error_log, and compares
with what the driver says of the same input: the words, the command, the byte under the caret."""
import os, re, subprocess, sys

TRACEFS = os.environ.get('TRACEFS', '/sys/kernel/tracing') + '/'
EVENT = 'events/sched/sched_process_exit/'
FILES = {'kprobe': 'kprobe_events', 'uprobe': 'uprobe_events', 'eprobe': 'dynamic_events',
         'fprobe': 'dynamic_events', 'tprobe': 'dynamic_events', 'synth': 'synthetic_events',
         'synthdyn': 'dynamic_events', 'hist': EVENT + 'trigger', 'trigger': EVENT + 'trigger',
         'filter': EVENT + 'filter'}
ENTRY = re.compile(r'^\[[ 0-9.]+\] (.*?): error: (.*)\n  Command: ((?:.|\n)*?)\n( *)\^$', re.M)


def expand(text):
    text = re.sub(r'\{(\d+):([^}]*)\}', lambda m: m[2] * int(m[1]), text)
    return text.replace('\\t', '\t').replace('\\n', '\n')


def cases(path):
    for line in open(path):
        line = line.rstrip('\n')
        if not line or line.startswith('#'):
            continue
        family, name, text = line.split(' ', 2)
        text = expand(text)
        mark = text.find('^')
        yield family.lstrip('!'), name, text.replace('^', ''), mark, family.startswith('!')


def write(path, text):
    fd = os.open(TRACEFS + path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, (text + '\n').encode())
    except OSError as e:
        return e.errno
    finally:
        os.close(fd)
    return 0


def undo_of(family, text):
    if family == 'synth':
        return '!' + text.split()[0]
    if family == 'hist':
        return '!' + text
    if family == 'trigger':
        return '!' + text.split(' ')[0]
    if family == 'filter':
        return '0'
    name = re.match(r'\S*?:(\S+)', text)
    return '-:' + name[1] if name else '-:none'


def remove(family, text):
    path = FILES[family] if family in ('synth', 'hist', 'trigger', 'filter') else 'dynamic_events'
    return write(path, undo_of(family, text))


def reference(family, text):
    """errno, and what error_log says of it: [(where, what, command, place)]."""
    open(TRACEFS + 'error_log', 'w').write('\n')
    errno = write(FILES[family], text)
    log = open(TRACEFS + 'error_log').read()
    if family == 'filter':
        write(FILES[family], '0')       # a refused filter stays there as text
    return errno, [(m[1], m[2], m[3], len(m[4]) - len('  Command: ')) for m in ENTRY.finditer(log)]


def plain(text):
    return re.sub(r'[\x00-\x1f]', ' ', text)


def place_wrong(entry, shown, want):
    """What is wrong with the two lines @shown, the command and the caret, or None."""
    where, what, command, _ = entry
    head = '  Command: '
    if len(shown) < 2 or not shown[0].startswith(head) or not re.fullmatch(' *\\^', shown[1]):
        return 'no command and caret: %r' % shown
    text, at = shown[0][len(head):], len(shown[1]) - 1 - len(head)
    command = plain(command)
    if text.startswith('...'):
        text, at = text[3:], at - 3
    cut = text.endswith('...') and not command.endswith('...')
    if cut:
        text = text[:-3]
    if text not in command:
        return 'another command: %r' % text
    if not cut and not command.endswith(text):
        return 'the end is missing: %r' % text
    before, behind = text[:at], text[at:]
    if not command[:want].endswith(before) or not command[want:].startswith(behind) or at < 0:
        return 'the caret is under %r, not under %r' % (behind[:12], command[want:want + 12])
    return None


def check(case, ref, said):
    """What is wrong, or None."""
    family, name, text, mark, _ = case
    errno, entries = ref
    lines = said.split('\n')
    if not entries:
        return None if os.strerror(errno) in said else 'not even errno: %r' % said
    for entry in entries[:2]:
        where, what, command, place = entry
        line = [i for i, l in enumerate(lines) if l.startswith('%s: error: %s' % (where, what))]
        if not line:
            return 'the words are missing: %s: %s in %r' % (where, what, said)
        if where.startswith('hist:') and place == 0 and len(command) < len(text) and len(text) > 250:
            if '^' in ''.join(lines[line[0]:line[0] + 3]):
                return 'a caret, though the kernel has lost the place'
            continue
        want = mark - (len(text) - len(command)) if mark >= 0 else place
        wrong = place_wrong(entry, lines[line[0] + 1:line[0] + 3], want)
        if wrong:
            return '%s: %s' % (what, wrong)
    return None


class Driver:
    def __init__(self, path):
        self.p = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, family, text):
        self.p.stdin.write('%s %s %s\n' % (FILES[family], undo_of(family, text).encode().hex(), text.encode().hex()))
        self.p.stdin.flush()
        lines = []
        while True:
            line = self.p.stdout.readline()
            if not line or line == '.\n':
                return '\n'.join(lines)
            lines.append(line.rstrip('\n'))


def main():
    kernel, path, driver = sys.argv[1], sys.argv[2], Driver(sys.argv[3])
    found, prepared = {}, []
    for case in cases(path):
        family, name, text, mark, prepares = case
        result = found.setdefault(family, {'good': 0, 'taken': [], 'silent': [], 'bad': []})
        ref = reference(family, text)
        if prepares:
            prepared.append((family, text))
            if ref[0] and (ref[1] or result['good'] > len(result['silent'])):
                result['bad'].append('%s: not prepared: %s' % (name, os.strerror(ref[0])))
            continue
        if not ref[0]:
            remove(family, text) if family != 'filter' else None
            result['taken'].append(name)
            continue
        if not ref[1]:
            result['silent'].append(name)
        wrong = check(case, ref, driver.say(family, text))
        if wrong:
            result['bad'].append('%s: %s' % (name, wrong))
        else:
            result['good'] += 1
    for family, text in reversed(prepared):
        remove(family, text)
    for family, r in found.items():
        note = ''.join('; %s: %s' % (word, ' '.join(r[key])) for key, word in
                       (('taken', 'taken by this kernel'), ('silent', 'errno alone')) if r[key])
        print('%s - %s: errors of %s: %d with the kernel\'s words and the caret in place%s' % (
            'not ok' if r['bad'] or not r['good'] else 'ok', kernel, family, r['good'], note))
        for line in r['bad']:
            print('# ' + line)
        print('feature - %s | error texts: %s | %s' % (kernel, family,
              'works' if r['good'] > len(r['silent']) else 'errno alone: this kernel has no ' +
              ('words for filters of triggers' if family == 'trigger' else 'such probes')))


main()
