# SPDX-License-Identifier: GPL-2.0-or-later
# Python for scripts that start it often: python3 is tests/oracle/python.c, which asks tests/tools/pyserve.py. Sourced
# behind lib.sh.

# start_python: until the script ends
start_python() {
	local folder
	[ -x "$FTR_BUILD/tests/oracle/python" ] || return
	coproc PYTHON { exec python3 "$FTR_TOP/tests/tools/pyserve.py" "$FTR_BUILD/tests/oracle/python"; }
	read -r folder <&"${PYTHON[0]}" || return
	export FTR_PYTHON=$folder/socket PATH=$folder:$PATH
	trap 'stop_python; rm -rf "$TMP"' EXIT
}

stop_python() {
	[ -n "${PYTHON_PID:-}" ] || return
	exec {PYTHON[1]}>&-
	wait "$PYTHON_PID"
}

start_python
