#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures what the tests notice: small wrong changes of src, one at a time, and the first test that fails by each.

Usage: tests/tools/mutate.py make [--seed N] [--count N] DIR
       tests/tools/mutate.py run [--from TREE] [--tree COPY] [--seconds N] [--only WORD,...] [--guests N] DIR RESULTS
       tests/tools/mutate.py report RESULTS
       tests/tools/mutate.py touched FILE...

make writes DIR/NN.patch, the same for the same src, seed and count: one changed line each, at places that are spread
over src by lines. What does not compile, or compiles to the same code, is no mutant; build/.flags has the flags.

run judges each patch that RESULTS, a line of JSON for each, does not have yet. TREE has tests that are built (make
tests, make tests SAN=1); it stays as it is. COPY is a copy of it, made if there is none, where patches are applied and
programs with the changed file are linked anew. What runs, up to the first failure, for at most so many seconds: unit
tests of the file's room that contain a function of the file, with the sanitizers; the command-line tests that
tests/touched.txt names for it; other unit tests that contain it; the guests' tests, at most so many. A test that fails
is run in TREE as well: if it fails there, too, it counts for nothing. What hangs has failed if it takes a third of that
time in TREE. FTR_SEED is 1 if it is not set.

touched prints the tests that tests/touched.txt names for files.
"""
import argparse, collections, glob, importlib.machinery, importlib.util, json, os, random, re, shutil, signal
import subprocess, sys, threading, time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBER = re.compile(r'(?<=/)\d+-')

def run_tests_of(tree):
    loader = importlib.machinery.SourceFileLoader('run_tests', os.path.join(tree, 'utils/run-tests'))
    spec = importlib.util.spec_from_loader('run_tests', loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


RUN_TESTS = run_tests_of(TOP)

# --- what a file is judged by


def object_of(file):
    return os.path.splitext(file)[0] + '.o'


def programs_with(tree, build, file):
    """Programs of tests below @build, as make knows them, that contain something of @file."""
    own = RUN_TESTS.defined_in(os.path.join(tree, build, object_of(file))) - {'main'}
    found = []
    for source in sorted(glob.glob(tree + '/tests/unit/*.c') + glob.glob(tree + '/tests/tools/*.c')
                         + glob.glob(tree + '/tests/guest/load/*.c')):
        program = os.path.join(build, os.path.relpath(source, tree)[:-2])
        path = os.path.join(tree, program)
        if os.access(path, os.X_OK) and RUN_TESTS.defined_in(path) & own:
            found.append(program)
    return found


# --- mutants


def swapped(pattern, *words):
    """An operator that puts another word in place of each match; @words: old, new, old, new."""
    other = dict(zip(words[::2], words[1::2]))

    def changes(line):
        return [line[:m.start(1)] + other[m[1]] + line[m.end(1):] for m in re.finditer(pattern, line)]
    return changes


def negated(line):
    m = re.fullmatch(r'(\t+(?:\} else )?(?:if|while) )(\(.*\))( \{)?', line)
    return [m[1] + '(!' + m[2] + ')' + (m[3] or '')] if m and balanced(m[2]) else []


def balanced(text):
    """Whether the bracket that opens @text closes at its end, and not before."""
    depth = 0
    for n, c in enumerate(text):
        depth += (c == '(') - (c == ')')
        if not depth:
            return n == len(text) - 1
    return False


def dropped(line):
    m = re.fullmatch(r'(\t+)\*?[a-z_][\w.>\[\]-]*(\(.*\)|( [-+|&*/]?=| <<=| >>=) .*|\+\+|--);', line)
    return [m[1] + ';'] if m else []


OPERATORS = {
    'and, or': swapped(r' (&&|\|\|)(?= |$)', '&&', '||', '||', '&&'),
    'border': swapped(r' (<=|>=|<|>) ', '<', '<=', '<=', '<', '>', '>=', '>=', '>'),
    'equality': swapped(r' (==|!=) ', '==', '!=', '!=', '=='),
    'one more': swapped(r'([+-] 1)\b(?![.x<])', '+ 1', '+ 0', '- 1', '- 0'),
    'zero': swapped(r'(?:[=(,] |\()(0)\b(?=[;,)])', '0', '1'),
    'negation': negated,
    'statement': dropped,
    'return': swapped(r'\breturn (0|1|-1|true|false)(?=;)',
                      '0', '-1', '1', '0', '-1', '0', 'true', 'false', 'false', 'true'),
}


def in_functions(lines):
    """The numbers of lines within functions that begin a statement or continue one, but for comments."""
    inside, found = False, []
    for n, line in enumerate(lines):
        if line == '{' or line.startswith('}'):
            inside = line == '{'
        elif inside and line.strip() and not re.match(r'\s*(/?\*|#)', line):
            found.append(n)
    return found


def starts_statement(lines, n):
    return bool(re.search(r'([;{})]|\belse|\bdo)(\s*/\*.*\*/)?$', lines[n - 1])) or not lines[n - 1].strip()


def changes_of(lines, n, how):
    if how == 'statement' and not starts_statement(lines, n):
        return []
    return OPERATORS[how](lines[n])


class Maker:
    def __init__(self, out, seed):
        self.out, self.random, self.places = out, random.Random(seed), []
        with open(os.path.join(TOP, 'build/.flags')) as f:
            self.cc = f.read().strip()
        for path in sorted(glob.glob(TOP + '/src/**/*.c', recursive=True)):
            with open(path) as f:
                lines = f.read().split('\n')
            self.places += [(os.path.relpath(path, TOP), lines, n) for n in in_functions(lines)]

    def code(self, file, lines):
        """What @lines in place of @file compile to; None if they do not."""
        path = os.path.join(TOP, os.path.dirname(file), '.mutant.c')
        with open(path, 'w') as f:
            f.write('\n'.join(lines))
        cmd = '%s -w -g0 -S -o - %s' % (self.cc, os.path.relpath(path, TOP))
        p = subprocess.run(cmd, shell=True, cwd=TOP, capture_output=True)
        os.remove(path)
        return p.stdout if not p.returncode else None

    def mutant(self, place):
        """(file, number, lines) of the first one from @place on; the operator is chosen first."""
        how = self.random.choice(sorted(OPERATORS))
        for file, lines, n in self.places[place:] + self.places[:place]:
            found = changes_of(lines, n, how)
            if not found:
                continue
            new = lines[:n] + [self.random.choice(found)] + lines[n + 1:]
            code = self.code(file, new)
            if code and code != self.code(file, lines):
                return how, file, lines, new, n
        sys.exit('mutate.py: no place for: ' + how)

    def write(self, number, how, file, lines, new, n):
        first, last = max(n - 3, 0), min(n + 4, len(lines))
        body = [' ' + x for x in lines[first:n]] + ['-' + lines[n], '+' + new[n]] + [' ' + x for x in lines[n + 1:last]]
        head = ['# %s' % how, '--- a/' + file, '+++ b/' + file,
                '@@ -%d,%d +%d,%d @@' % (first + 1, last - first, first + 1, last - first)]
        with open('%s/%02d.patch' % (self.out, number), 'w') as f:
            f.write('\n'.join(head + body) + '\n')

    def make(self, count):
        step = len(self.places) / count
        for i in range(count):
            how, file, lines, new, n = self.mutant(int((i + self.random.random()) * step))
            self.write(i + 1, how, file, lines, new, n)
            print('%02d %s:%d %s: %s' % (i + 1, file, n + 1, how, new[n].strip()), flush=True)


# --- running tests


def tests_of(tree):
    """What run-tests would run, with the plain build too: label without numbers -> (arguments, environment)."""
    os.environ.setdefault('FTR_SEED', '1')
    for name in ('FTR', 'FTR_TOP', 'FTR_BUILD', 'FTR_SAN', 'FTR_FUZZ'):
        os.environ.pop(name, None)
    for name in ('fixtures', 'formats', 'bugs', 'hostile'):
        os.environ.setdefault('FTR_%s_DIR' % name.upper(), os.path.join(os.path.dirname(TOP), 'shared', name))
    module = run_tests_of(tree)
    env = module.default_env()
    module.PLAIN_TOO = 1
    jobs = [job for name in ('unit', 'cli', 'guest') for job in module.suite(name, env)]
    if not isinstance(jobs[0], tuple):
        jobs = [(job.label, job.argv, job.env) for job in jobs]
    return {NUMBER.sub('', job[0]): (job[1], job[2]) for job in jobs}


def end_group(p):
    for sig in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(p.pid, sig)
            p.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


class Run:
    """A test up to its first failure: .why is that, None if there is none; .late: it took longer than it may."""

    def __init__(self, argv, env, tree, seconds):
        self.why, self.late, start, seen = None, False, time.time(), False
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                             cwd=tree, start_new_session=True)
        timer = threading.Timer(max(seconds, 1), self.be_late, [p])
        timer.start()
        for line in p.stdout:
            line = line.decode(errors='replace').rstrip()
            seen = seen or line.startswith(('ok', 'skip'))
            if line.startswith('not ok') and not self.late:
                self.why = line
                end_group(p)
                break
        status = p.wait()
        timer.cancel()
        p.stdout.close()
        self.seconds = time.time() - start
        if not self.why and not self.late and (status or not seen):
            self.why = 'ended with status %d' % status if status else 'printed no result'

    def be_late(self, p):
        self.late = True
        end_group(p)


class Judge:
    def __init__(self, args):
        self.tree, self.clean = os.path.abspath(args.tree), os.path.abspath(args.origin)
        self.limit, self.guests, self.verdicts = args.seconds, args.guests, {}
        if not os.path.exists(self.tree):
            shutil.copytree(self.clean, self.tree, symlinks=True)
        self.tests, self.clean_tests = tests_of(self.tree), tests_of(self.clean)
        self.rows, self.stale = RUN_TESTS.touched_rows(), set()
        self.seconds = {w.split()[0]: int(w.split()[1]) for r in results(args.results) for w in r['ran']}

    def build(self, file):
        """Links what has the file, and what had the file before. The last words of make, if it fails."""
        for build, more in (('build', []), ('build-san', ['SAN=1', 'O=build-san'])):
            now = {p for p in programs_with(self.tree, build, file) if '/unit/' in p or build == 'build'}
            now |= {'build/ftr'} if build == 'build' else set()
            targets = sorted(now | {t for t in self.stale if t.startswith(build + '/')})
            if targets:
                p = subprocess.run(['make', '-s'] + more + targets, cwd=self.tree, capture_output=True, text=True)
            if targets and p.returncode:
                return p.stderr[-500:]
            self.stale = {t for t in self.stale if not t.startswith(build + '/')} | now
        return None

    def labels(self, file):
        programs = programs_with(self.tree, 'build-san', file)
        units = ['unit-san/' + os.path.basename(p) for p in programs if '/unit/' in p]
        units.sort(key=lambda x: self.seconds.get(x, 0))
        own = [x for x in units if x.startswith('unit-san/' + room_of(file))]
        rest = RUN_TESTS.touched(file, self.rows)
        guests = [x for x in rest if x.startswith('guest/')][:self.guests]
        rest = [x for x in rest if x.startswith('cli')]
        return [x for x in own + rest + [x for x in units if x not in own] + guests if x in self.tests]

    def passes_clean(self, label, seconds):
        """Whether the test passes without the mutant, in so many seconds."""
        if label not in self.verdicts:
            argv, env = self.clean_tests[label]
            self.verdicts[label] = Run(argv, env, self.clean, 900)
        run = self.verdicts[label]
        return not run.why and not run.late and run.seconds <= seconds

    def test(self, file):
        """(verdict, test, why) and the tests that ran."""
        end, done = time.time() + self.limit, []
        for label in self.labels(file):
            if time.time() > end:
                return ('survived', None, 'no time for ' + label), done
            argv, env = self.tests[label]
            run = Run(argv, env, self.tree, end - time.time())
            done.append('%s %.0f' % (label, run.seconds))
            self.seconds[label] = run.seconds
            if run.why and self.passes_clean(label, 900):
                return ('killed', label, run.why), done
            if run.late and run.seconds > 30 and self.passes_clean(label, run.seconds / 3):
                return ('killed', label, 'hangs'), done
            if run.why:
                print('# %s fails without the mutant as well: %s' % (label, self.verdicts[label].why or 'late'))
                end += run.seconds
        return ('survived', None, ''), done

    def judge(self, patch):
        with open(patch) as f:
            text = f.read()
        file = re.search(r'^\+\+\+ b/(.*)', text, re.M)[1]
        result = {'patch': os.path.basename(patch), 'file': file, 'how': text.split('\n')[0][2:],
                  'line': int(re.search(r'^@@ -(\d+)', text, re.M)[1]) + 3}
        self.patch(patch)
        try:
            wrong = self.build(file)
            verdict, done = (('not built', None, wrong), []) if wrong else self.test(file)
        finally:
            self.patch(patch, '-R')
        result.update(verdict=verdict[0], test=verdict[1], why=verdict[2], ran=done)
        return result

    def patch(self, path, *more):
        subprocess.run(['patch', '-p1', '-s', '-i', os.path.abspath(path)] + list(more), cwd=self.tree, check=True)


# --- results


def results(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f]


def room_of(file):
    return file.split('/')[1]


def report(path):
    count = collections.defaultdict(collections.Counter)
    rows = results(path)
    for r in rows:
        count[room_of(r['file'])][r['verdict']] += 1
        count['all'][r['verdict']] += 1
    for r in rows:
        print('%(patch)s %(file)s:%(line)d %(how)s: %(verdict)s %(test)s %(why)s' % r)
    for room in sorted(count, key=lambda x: (x == 'all', x)):
        print('%-8s %3d killed %3d survived' % (room, count[room]['killed'], count[room]['survived']))
    print('survivors: ' + ' '.join('%s(%s:%d)' % (r['patch'][:2], r['file'], r['line']) for r in rows
                                   if r['verdict'] == 'survived'))


def run(args):
    judge, known = Judge(args), {r['patch'] for r in results(args.results)}
    only = args.only.split(',')
    for patch in sorted(glob.glob(args.dir + '/*.patch')):
        if os.path.basename(patch) in known or not any(word in os.path.basename(patch) for word in only):
            continue
        result = judge.judge(patch)
        with open(args.results, 'a') as f:
            f.write(json.dumps(result) + '\n')
        print('%(patch)s %(file)s:%(line)d %(how)s: %(verdict)s %(test)s %(why)s' % result, flush=True)
    report(args.results)


def arguments():
    ap = argparse.ArgumentParser(usage=__doc__)
    sub = ap.add_subparsers(dest='what', required=True)
    make = sub.add_parser('make')
    make.add_argument('--seed', type=int, default=34)
    make.add_argument('--count', type=int, default=40)
    make.add_argument('dir')
    one = sub.add_parser('run')
    one.add_argument('--from', dest='origin', default=TOP)
    one.add_argument('--tree', default='/var/tmp/ftr-mutant')
    one.add_argument('--seconds', type=int, default=240)
    one.add_argument('--guests', type=int, default=2)
    one.add_argument('--only', default='')
    one.add_argument('dir')
    one.add_argument('results')
    sub.add_parser('report').add_argument('results')
    sub.add_parser('touched').add_argument('files', nargs='+')
    return ap.parse_args()


def main():
    args = arguments()
    if args.what == 'make':
        os.makedirs(args.dir, exist_ok=True)
        Maker(args.dir, args.seed).make(args.count)
    elif args.what == 'run':
        run(args)
    elif args.what == 'report':
        report(args.results)
    else:
        rows = RUN_TESTS.touched_rows()
        print('\n'.join(dict.fromkeys(label for file in args.files for label in RUN_TESTS.touched(file, rows))))


if __name__ == '__main__':
    main()
