# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

# trace_cmd_report OPTION...: prints the text of trace-cmd report. Of a file whose clock has no bytes trace-cmd 3.1.6
# reads the clock's name past the end of its memory; where a "[" stands there, some four times in a thousand, the times
# are nanoseconds without a blank before them. Such a text is taken once more.
trace_cmd_report() {
	local text tries
	text=$(mktemp "$TMP/trace-cmd.XXXXXX")
	for tries in 1 2 3 4 5; do
		trace-cmd report "$@" > "$text" 2> /dev/null
		grep -qaE '^ *.+-[0-9]+ +\[[0-9]+\] *[0-9]+: ' "$text" || break
	done
	cat "$text"
	rm "$text"
	[ "$tries" -lt 5 ]
}
