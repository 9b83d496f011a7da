#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a page of Markdown with what its cells print: a block "text" after a block "python" has its output and the
value of its last expression, as a notebook shows them; after a block "sql" it has the output of the sqlite3 shell.
Cells of Python share their names.

Usage: notebook.py PAGE
"""
import ast, contextlib, io, re, subprocess, sys

BLOCK = re.compile(r'^```(python|sql)\n(.*?)^```\n\n```text\n.*?^```$', re.M | re.S)


def run_python(text, names):
    body, out = ast.parse(text).body, io.StringIO()
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Module(body, []), 'cell', 'exec'), names)
        value = eval(compile(ast.Expression(last.value), 'cell', 'eval'), names) if last else None
        if value is not None:
            print(value)
    return out.getvalue()


def run_sql(text):
    return subprocess.run(['sqlite3', ':memory:'], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False).stdout


def main():
    names = {}

    def made(m):
        kind, text = m.groups()
        out = run_python(text, names) if kind == 'python' else run_sql(text)
        return '```%s\n%s```\n\n```text\n%s```' % (kind, text, re.sub(r'[ \t]+$', '', out, flags=re.M))

    sys.stdout.write(BLOCK.sub(made, open(sys.argv[1], encoding='utf-8').read()))


if __name__ == '__main__':
    main()
