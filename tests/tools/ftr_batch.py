# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs ftr in one process (tests/tools/ftr_batch.c) for tests that run it hundreds of times."""
import collections
import os
import shutil
import subprocess
import tempfile

Done = collections.namedtuple("Done", "status out err kib seconds stops")


def build():
    return os.environ.get("FTR_BUILD", "build")


class Batch:
    """@env is added to the environment of every run, @wrapper is put before the program."""

    def __init__(self, wrapper=(), **env):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("FTR_TMPDIR", "/var/tmp"), prefix="ftr-batch.")
        self.out, self.err = (os.path.join(self.folder.name, name) for name in ("out", "err"))
        # plugins are looked for beside the program
        program = shutil.copy(os.path.join(build(), "tests/tools/ftr_batch"), self.folder.name)
        os.symlink(os.path.abspath(os.path.join(build(), "plugins")), os.path.join(self.folder.name, "plugins"))
        self.server = subprocess.Popen([*wrapper, program],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, **env))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.server.stdin.close()
        self.server.wait()
        self.server.stdout.close()
        self.folder.cleanup()

    def ask(self, *argv, **settings):
        """The numbers of the answer; stdout and stderr are where @settings have them."""
        settings.setdefault("cwd", os.getcwd())
        words = ["%s=%s" % pair for pair in settings.items()] + ["--", *argv]
        self.server.stdin.write(b"".join(os.fsencode(w) + b"\0" for w in [str(len(words)), *words]))
        self.server.stdin.flush()
        said = self.server.stdout.readline().split()
        if len(said) != 4:
            raise SystemExit("ftr_batch has ended at: %s" % " ".join(argv))
        return [int(word) for word in said]

    def run(self, *argv, **settings):
        """With stdout as bytes and stderr as text."""
        status, kib, micro, stops = self.ask(*argv, out=self.out, err=self.err, **settings)
        with open(self.out, "rb") as out, open(self.err, encoding="utf-8", errors="replace") as err:
            return Done(status, out.read(), err.read(), kib, micro / 1e6, stops)
