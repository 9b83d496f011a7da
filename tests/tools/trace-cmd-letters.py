#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of trace-cmd-letters.table.

letters: which option of trace-cmd is in no row, of all that are in tests/cases/trace-cmd-words.txt and in the program's
own table. numbers: those of the rows that are run. rows NUMBER...: these, for the script in the guest.
judge FOLDER KERNEL: compares the states in FOLDER, which come from these rows, and prints the lines of a test; if all
rows were run, each difference that the table expects has to be there.
"""
import fnmatch, os, re, shlex, subprocess, sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = TOP + '/tests/guest/lib/trace-cmd-letters.table'
COMMANDS = 'record start set stream snapshot stack profile'.split()


def table(part):
    """The lines of a part of the table, in columns."""
    text = open(TABLE).read().split('\n=== %s\n' % part)[1].split('\n=== ')[0]
    lines = [line for line in text.split('\n') if line and not line.startswith('#')]
    return [[cell.strip() for cell in re.split(r' \|(?= |$)', line)] for line in lines]


class Row:
    def __init__(self, command, theirs, ours, how):
        self.command, self.theirs, self.how = command, theirs, how
        verb, _, rest = ours.partition(' ')
        self.ours = theirs if ours == '=' else ours
        self.verb = command
        if verb in ('record', 'set', 'start', 'stream'):
            self.verb, self.ours = verb, rest
        self.name = ' '.join(filter(None, (command, theirs)))
        if command in ('record', 'stream', 'profile') and 'COMMAND' not in self.name:
            self.theirs, self.ours = self.theirs + ' COMMAND', self.ours + ' COMMAND'

    def has(self, words):
        """All of them, and none of those with '!' in front; '*' is no word."""
        own = self.theirs.split()
        return all(word[1:] not in own if word[0] == '!' else word == '*' or word in own for word in words.split())

    def line(self, number):
        return '\t'.join((str(number), self.command, self.command + ' ' + self.theirs, self.verb + ' ' + self.ours,
                          self.how or '-'))


def all_rows():
    return [Row(command, *rest) for commands, *rest in table('rows') for command in commands.split()]


def options_of(words):
    return {word.partition('=')[0] for word in words if re.match(r'--?[A-Za-z]', word)}


def known():
    """(command, option) of trace-cmd, by the list of its words and the program's table."""
    out = set()
    for line in open(TOP + '/tests/cases/trace-cmd-words.txt'):
        command, *words = shlex.split(line, comments=True) or ['']
        if command in COMMANDS:
            out |= {(command, option) for option in options_of(words)}
    said = subprocess.run([os.environ['FTR'], 'help', '--trace-cmd'], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        command, options = line.split('\t')[:2]
        if command in COMMANDS:
            out |= {(command, option) for option in options_of(options.split())}
    return out


def letters():
    tried = {(row.command, option) for row in all_rows() for option in options_of(shlex.split(row.theirs))}
    missing = sorted(' '.join(pair) for pair in known() - tried)
    name = 'each option of trace-cmd has a row'
    print('not ok - %s\n# none: %s' % (name, ', '.join(missing)) if missing else 'ok - ' + name)
    return bool(missing)


def filter_text(value):
    """A filter without what trace-cmd adds to leave out its own tasks, without parentheses around all of it, and
    without the kernel's words where it was refused."""
    value = re.sub(r'&&\((?:[()&|]|common_pid(?:<|>|!=)\d+)+\)$', '', value)
    if 'parse_error' in value or '^' in value:
        return 'none'
    while value.startswith('(') and value.endswith(')'):
        depth = [0]
        for c in value:
            depth.append(depth[-1] + {'(': 1, ')': -1}.get(c, 0))
        if 0 in depth[1:-1]:
            break
        value = value[1:-1]
    return value


def read_state(path):
    state = dict(line.rstrip('\n').partition(': ')[::2] for line in open(path, errors='replace'))
    words = state.pop('pids', '').split()
    names = dict(zip(words[::2], words[1::2]))
    for key, value in state.items():
        if key.endswith('/filter'):
            state[key] = filter_text(value)
        if key.endswith('_pid'):
            state[key] = ' '.join(names.get(word, word) for word in value.replace('\\n', ' ').split())
    return state


def differences(folder, number):
    theirs, ours = (read_state('%s/%d.%s' % (folder, number, who)) for who in ('trace-cmd', 'ftr'))
    return [(key, theirs.get(key, 'no such file'), ours.get(key, 'no such file'))
            for key in sorted(set(theirs) | set(ours)) if theirs.get(key) != ours.get(key)]


def expected(row, key, used):
    for n, (commands, words, files, _) in enumerate(table('differences')):
        if row.command in commands.split() and row.has(words) and \
                any(fnmatch.fnmatch(key, one) for one in files.split()):
            used.add(n)
            return True
    return False


def first_lines(path):
    return [line.rstrip() for line in open(path, errors='replace')][:4] if os.path.exists(path) else []


def judge_row(folder, kernel, number, row, used):
    name = '%s: %s' % (kernel, row.name)
    status = dict(line.split() for line in open('%s/%d.status' % (folder, number)))
    bad = []
    if status['trace-cmd'] != '0' and row.how.startswith('refuses: '):
        print('skip - %s # trace-cmd does not take it: %s' % (name, row.how[9:]))
        return 0
    for who in ('trace-cmd', 'ftr'):
        if status.get(who) != '0':
            bad += ['%s ended with status %s' % (who, status.get(who))]
            bad += first_lines('%s/%d.%s.out' % (folder, number, who))
        left = '%s/%d.left.%s' % (folder, number, who)
        if os.path.exists(left):
            bad += ['after %s and a reset tracefs is not as before' % who] + first_lines(left)
    if not bad:
        bad = ['%s: trace-cmd: %s' % (key, a[:300]) + '\n# %s: ftr: %s' % (' ' * len(key), b[:300])
               for key, a, b in differences(folder, number) if not expected(row, key, used)]
    print('not ok - ' + name if bad else 'ok - ' + name)
    for line in bad:
        print('# ' + line)
    return bool(bad)


def judge(folder, kernel):
    rows, used, failed = all_rows(), set(), 0
    chosen = [int(line.split('\t')[0]) for line in open(folder + '/rows')]
    for number in chosen:
        failed += judge_row(folder, kernel, number, rows[number], used)
    skipped = [row for row in rows if row.how.startswith('skip: ')]
    if len(chosen) + len(skipped) < len(rows):
        return failed
    for row in skipped:
        print('skip - %s: %s # %s' % (kernel, row.name, row.how[6:]))
    unused = [' | '.join(line) for n, line in enumerate(table('differences')) if n not in used]
    print('%s - %s: each difference that is expected is there' % ('not ok' if unused else 'ok', kernel))
    for line in unused:
        print('# ' + line)
    return failed or unused


def main():
    mode, *args = sys.argv[1:]
    if mode == 'letters':
        return letters()
    if mode == 'judge':
        return bool(judge(*args))
    rows = {str(n): row for n, row in enumerate(all_rows()) if not row.how.startswith('skip: ')}
    if mode == 'numbers':
        print(*rows)
    else:
        print(*(rows[n].line(n) for n in args), sep='\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
