#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs Python programs for the script of a test, each in a fork of this process: a start costs a tenth.

Usage: pyserve.py CLIENT

Prints a folder that has CLIENT (tests/oracle/python.c) as python3, for PATH, and the socket that $FTR_PYTHON is to
name; ends when its standard input does. A program has its own process, and what it has of the caller are arguments,
environment, open files, folder, limits, ignored signals and process group. What is kept from one to the next are
imported modules of Python and of tests/oracle and tests/tools, as they are when they have just been imported, and
compiled programs. Options of Python other than -c, and other locales, are left to Python itself.
"""
import argparse, ast, atexit, collections, ctypes, gc, io, json, os, random, re, resource, selectors       # noqa: F401
import shutil, signal, socket, struct, subprocess, sys, tempfile, threading, traceback, types              # noqa: F401

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = [HERE, os.path.join(os.path.dirname(HERE), 'oracle')]
MAX_FDS = 200
REQUEST = struct.Struct('=5i%di' % MAX_FDS)
HIGH = 512              # where descriptors lie while they are sorted
SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGTERM']
# What a start looks at and a fork does not: it has to be as it was here.
KEPT = re.compile('(LC_ALL|LC_CTYPE|LANG|PYTHON.*)$')
FREE = {'PYTHONPATH', 'PYTHONDONTWRITEBYTECODE'}
PATH = sys.path[1:]


def kept_env(env):
    return {k: v for k, v in env.items() if KEPT.match(k) and k not in FREE}


class Request:
    def __init__(self, conn):
        head, ancillary, _, _ = conn.recvmsg(REQUEST.size, socket.CMSG_SPACE(4 * MAX_FDS), socket.MSG_CMSG_CLOEXEC)
        self.received = []
        for _, _, data in ancillary:
            self.received += struct.unpack('=%di' % (len(data) // 4), data[:len(data) // 4 * 4])
        size, args, self.mask, self.ignored, fds, *targets = REQUEST.unpack(head)
        self.targets = targets[:fds]
        text = b''
        while len(text) < size:
            text += conn.recv(size - len(text)) or sys.exit('pyserve.py: a request that ends early')
        words = [os.fsdecode(w) for w in text.split(b'\0')[:-1]]
        self.cwd, self.args = words[0], words[1:args + 1]
        self.env = dict(w.partition('=')[::2] for w in words[args + 1:])
        self.pid = struct.unpack('3i', conn.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]

    def may_run(self):
        kind = self.args[0] if self.args else '-'
        return (self.cwd and kept_env(self.env) == kept_env(os.environ) and len(self.received) == len(self.targets)
                and (kind in ('-', '-c') or not kind.startswith('-')))

    def close(self):
        for fd in self.received:
            os.close(fd)


# --- the server's side: what is kept

def imported(tree):
    """Names of modules that the program imports when it starts."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def is_ours(name):
    return any(os.path.exists(os.path.join(folder, name + '.py')) for folder in OURS)


def import_all(tree):
    for name in imported(tree):
        if name.split('.')[0] in sys.stdlib_module_names or is_ours(name):
            try:
                __import__(name)
            except Exception:           # the program will say so
                pass


class Programs:
    """Compiled ones, by path."""

    def __init__(self):
        self.seen = {}

    def compiled(self, path, shown):
        """None: it is compiled where it is run, and fails there."""
        try:
            st = os.stat(path)
            key = path, st.st_mtime_ns, st.st_size, shown
            if key not in self.seen:
                with open(path, 'rb') as f:
                    text = f.read()
                tree = ast.parse(text, shown)
                import_all(tree)
                self.seen[key] = compile(text, shown, 'exec', dont_inherit=True)
                gc.collect()
                gc.freeze()
            return self.seen[key]
        except (OSError, SyntaxError, ValueError):
            return None


# --- the side of the fork

def place_files(received, targets):
    """What the caller had as descriptor N is N here, and nothing else is open."""
    import fcntl
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, HIGH) for fd in received]
    os.closerange(0, HIGH)
    for fd, target in zip(high, targets):
        os.dup2(fd, target)
    for fd in range(max(targets, default=-1) + 1):
        if fd not in targets:
            close_quietly(fd)
    os.closerange(max(targets, default=-1) + 1, 4096)


def close_quietly(fd):
    try:
        os.close(fd)
    except OSError:
        pass


def text_stream(fd, mode, like, **options):
    try:
        raw = open(fd, mode + 'b', closefd=False)
    except OSError:
        return None
    return io.TextIOWrapper(raw, encoding=like.encoding, errors=like.errors, write_through=False, **options)


def open_streams():
    sys.stdin = sys.__stdin__ = text_stream(0, 'r', sys.stdin)
    sys.stdout = sys.__stdout__ = text_stream(1, 'w', sys.stdout, line_buffering=os.isatty(1))
    sys.stderr = sys.__stderr__ = text_stream(2, 'w', sys.stderr, line_buffering=True)


def be_as_caller(request):
    try:
        os.setpgid(0, os.getpgid(request.pid))
    except OSError:
        pass                            # of another session
    for name in SIGNALS:
        number = getattr(signal, name)
        usual = signal.default_int_handler if name == 'SIGINT' else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if request.ignored >> number & 1 else usual)
    os.umask(request.mask)
    os.chdir(request.cwd)
    os.sched_setaffinity(0, os.sched_getaffinity(request.pid))
    os.environ.clear()
    os.environ.update(request.env)
    sys.dont_write_bytecode = bool(request.env.get('PYTHONDONTWRITEBYTECODE'))
    for name in dir(resource):
        if name.startswith('RLIMIT_'):
            limit = getattr(resource, name)
            resource.setrlimit(limit, resource.prlimit(request.pid, limit))


def program(args, code):
    """Also sets what the program sees of how it was called."""
    main = sys.modules['__main__'] = types.ModuleType('__main__')
    main.__builtins__ = __builtins__
    kind = args[0] if args else '-'
    sys.orig_argv = [sys.executable] + args
    sys.argv = args[:] if args else ['']
    folder = ''
    if kind == '-c':
        sys.argv = ['-c'] + args[2:]
        code = compile(args[1], '<string>', 'exec', dont_inherit=True)
    elif kind == '-':
        with open(0, 'rb', closefd=False) as f:
            code = compile(f.read(), '<stdin>', 'exec', dont_inherit=True)
    else:
        folder = os.path.dirname(os.path.realpath(kind))
        main.__file__ = os.path.abspath(kind)
        if not code:
            with open(kind, 'rb') as f:
                code = compile(f.read(), kind, 'exec', dont_inherit=True)
    sys.path[:] = [folder] + [p for p in os.environ.get('PYTHONPATH', '').split(':') if p] + PATH
    return code, main.__dict__


def status_of(exit_code):
    if exit_code is None:
        return 0
    if isinstance(exit_code, int):
        return exit_code & 255
    print(exit_code, file=sys.stderr)
    return 1


def run(args, code):
    try:
        exec(*program(args, code))
        return 0
    except SystemExit as e:
        return status_of(e.code)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except OSError as e:
        if args and e.filename == args[0] and not sys.modules['__main__'].__dict__.get('__doc__'):
            print("python3: can't open file '%s': [Errno %d] %s" % (os.path.abspath(args[0]), e.errno, e.strerror),
                  file=sys.stderr)
            return 2
        return say_what_happened()
    except BaseException:
        return say_what_happened()


def say_what_happened():
    kind, value, tb = sys.exc_info()
    sys.excepthook(kind, value.with_traceback(tb.tb_next), tb.tb_next)
    return 1


def work(request, code):
    """Does not return."""
    status = 125
    try:
        place_files(request.received, request.targets)
        be_as_caller(request)
        open_streams()
        status = run(request.args, code)
        threading._shutdown()
        atexit._run_exitfuncs()
        if sys.stdout:
            sys.stdout.flush()
    except BaseException:
        status = 120
        traceback.print_exc()
    finally:
        os._exit(status)


# --- serving

class Server:
    def __init__(self, folder, client):
        self.programs, self.select = Programs(), selectors.DefaultSelector()
        self.workers = {}               # pidfd -> (pid, connection)
        os.symlink(client, os.path.join(folder, 'python3'))
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(folder, 'socket'))
        self.listener.listen(64)
        self.select.register(self.listener, selectors.EVENT_READ, self.accept)
        self.open = True

    def at_input(self, fd):
        if not os.read(fd, 4096):
            self.open = False

    def accept(self, _):
        conn, _ = self.listener.accept()
        request = Request(conn)
        try:
            if request.may_run():
                self.start(request, conn)
            else:
                path = os.fsencode(sys.executable)
                conn.sendall(struct.pack('=ii', -1, len(path)) + path)
                conn.close()
        except OSError:
            conn.close()                # who asked is gone
        request.close()

    def start(self, request, conn):
        code, args = None, request.args
        if args and not args[0].startswith('-'):
            code = self.programs.compiled(os.path.join(request.cwd, args[0]), args[0])
        elif len(args) > 1 and args[0] == '-c' and 'import' in args[1]:
            self.programs.seen.setdefault(args[1], self.imports_of(args[1]))
        pid = os.fork()
        if not pid:
            work(request, code)
        pidfd = os.pidfd_open(pid)
        self.workers[pidfd] = pid, conn
        self.select.register(pidfd, selectors.EVENT_READ, self.ended)
        self.select.register(conn, selectors.EVENT_READ, lambda _: self.left(pidfd))
        conn.sendall(struct.pack('=i', pid))

    def imports_of(self, text):
        try:
            import_all(ast.parse(text))
        except (SyntaxError, ValueError):
            pass

    def ended(self, pidfd):
        pid, conn = self.workers.pop(pidfd)
        status = os.waitpid(pid, 0)[1]
        self.select.unregister(pidfd)
        os.close(pidfd)
        if conn in self.select.get_map():
            self.select.unregister(conn)
        try:
            conn.sendall(struct.pack('=i', status))
        except OSError:
            pass
        conn.close()

    def left(self, pidfd):
        """Who asked was killed."""
        if pidfd in self.workers:
            pid, conn = self.workers[pidfd]
            self.select.unregister(conn)
            os.kill(pid, signal.SIGKILL)

    def serve(self):
        self.select.register(0, selectors.EVENT_READ, self.at_input)
        while self.open:
            for key, _ in self.select.select():
                key.data(key.fd)
        for pid, _ in self.workers.values():
            os.kill(pid, signal.SIGTERM)


def main():
    folder = tempfile.mkdtemp(prefix='ftr-python.')
    try:
        server = Server(folder, sys.argv[1])
        sys.path[:] = [''] + OURS + PATH
        gc.freeze()
        print(folder, flush=True)
        server.serve()
    finally:
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
