# SPDX-License-Identifier: GPL-2.0-or-later
# What checks of recordings share that end in unusual ways. Sourced, in the guest, behind tests/lib.sh.

# The number that marker_load has written on CPU $1.
number() {
	od -An -t u8 "/tmp/n/$1" 2> /dev/null | tr -d ' '
}

# wrote CPU NUMBER: marker_load has come further than that
wrote() {
	[ "$(number "$1")" -gt "$2" ] 2> /dev/null
}

# markers FILES CPU...: of marker_load, in one file or several with blanks between; a line for each CPU: the last
# number, how many are missing before it, in how many gaps, and the first number.
markers() {
	local files=$1 file
	shift
	for file in $files; do
		"$FTR" report "$file" 2> /dev/null
	done | grep -aoE 'load [0-9]+ [0-9]+' | awk -v cpus="$*" '
		{
			seen[$2, $3] = 1
			if ($3 > last[$2]) last[$2] = $3
			if (!($2 in first) || $3 < first[$2]) first[$2] = $3
		}
		END {
			n = split(cpus, cpu)
			for (k = 1; k <= n; k++) {
				c = cpu[k]
				missing = gaps = 0
				for (i = 1; i <= last[c]; i++) {
					missing += !((c, i) in seen)
					gaps += !((c, i) in seen) && (i == 1 || (c, i - 1) in seen)
				}
				print last[c] + 0, missing, gaps, first[c] + 0
			}
		}'
}

# The file in folder $1 that is recorded into, by whichever name it has now.
file_of() {
	ls -t "$1"/t.dat "$1"/t.dat.part-* 2> /dev/null | head -n 1
}

# All files of a recording in folder $1, with --rotate.
files_of() {
	ls "$1"/t.dat* 2> /dev/null | tr '\n' ' '
}

no_guardian() {
	! pgrep -x ftr-guardian > /dev/null
}

load_ended() {
	! pgrep -x load > /dev/null
}

# kill_recording PID: its guardian is not killed, and has done what it has to do
kill_recording() {
	kill -KILL "$1"
	wait "$1" 2> /dev/null
	wait_until 60 no_guardian
}
