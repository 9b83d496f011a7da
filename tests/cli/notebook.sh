#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# Documentation/howto/notebook.md has what its cells print. FTR_WRITE=1 writes it.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

PAGE=$FTR_TOP/Documentation/howto/notebook.md
RECORDING=$FTR_FIXTURES_DIR/lisa-sched-load-64le.dat.xz
# That of Debian has pandas as a package, and extensions.
PYTHON=/usr/bin/python3

page() {
	xz -dc "$RECORDING" > trace.dat
	LD_LIBRARY_PATH=$FTR_BUILD "$PYTHON" -B "$FTR_TOP/tests/tools/notebook.py" "$PAGE" > made.md 2> err
	same 'the cells run' '0 ' "$? $(tail -n 3 err)"
	[ "${FTR_WRITE:-}" != 1 ] || [ "$FAILED" = 1 ] || cp made.md "$PAGE"
	same_files 'Documentation/howto/notebook.md is what they print' "$PAGE" made.md
	same 'each cell prints' '' "$(grep -A1 '^```text$' made.md | grep '^```$')"
}

if [ ! -e "$FTR_BUILD/libftr_sqlite.so" ]; then
	skip 'the page' "no $FTR_BUILD/libftr_sqlite.so: built with WITHOUT_SQLITE=1"
elif [ ! -e "$RECORDING" ]; then
	skip 'the page' "no $RECORDING"
elif ! command -v sqlite3 > /dev/null; then
	skip 'the page' 'no sqlite3'
elif ! "$PYTHON" -c 'import pandas' 2> err; then
	skip 'the page' "$PYTHON has no pandas: $(tail -n 1 err)"
else
	page
fi
finish
