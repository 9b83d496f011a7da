# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that others made, for tests that rewrite files. Sourced after tests/lib.sh.

. "$FTR_TOP/tests/tools/trace_cmd.sh"

# recordings: the paths of the fixtures; with FTR_LONG=1 those of reported defects, too
recordings() {
	ls "$FTR_FIXTURES_DIR"/*.dat.xz 2> /dev/null
	[ "${FTR_LONG:-}" != 1 ] || ls "$FTR_BUGS_DIR"/*.dat "$FTR_BUGS_DIR"/*.dat.xz 2> /dev/null
}

# recording_name PATH: its name without directory and suffixes
recording_name() {
	local name=${1##*/}
	name=${name%.xz}
	echo "${name%.dat}"
}

# unpack PATH FILE
unpack() {
	case $1 in
	*.xz) xz -dc "$1" > "$2" ;;
	*) cat "$1" > "$2" ;;
	esac
}

# trace_cmd_records FILE...: what trace-cmd prints of them
trace_cmd_records() {
	local f
	for f in "$@"; do trace_cmd_report -R -t "$f"; done | grep -v '^cpus='
}
