# SPDX-License-Identifier: GPL-2.0-or-later
# What shell tests share: result lines, a scratch folder, kernels. Sourced, not run.

FTR_TOP=${FTR_TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
FTR_BUILD=${FTR_BUILD:-$FTR_TOP/build}
FTR=${FTR:-$FTR_BUILD/ftr}
FTR_FIXTURES_DIR=${FTR_FIXTURES_DIR:-$FTR_TOP/../shared/fixtures}
FTR_FORMATS_DIR=${FTR_FORMATS_DIR:-$FTR_TOP/../shared/formats}
FTR_BUGS_DIR=${FTR_BUGS_DIR:-$FTR_TOP/../shared/bugs}
FTR_HOSTILE_DIR=${FTR_HOSTILE_DIR:-$FTR_TOP/../shared/hostile}
FTR_KERNELS=${FTR_KERNELS:-6.1 6.12 7.2}
ORACLE=$FTR_TOP/tests/oracle
# Nobody's defaults are to change what tests see.
FTR_CONFIG=
export FTR_CONFIG
export FTR FTR_TOP FTR_BUILD FTR_KERNELS

# Not /tmp: a guest does not see the host's.
TMP=$(mktemp -d "${FTR_TMPDIR:-/var/tmp}/ftr-test.XXXXXX")
trap 'rm -rf "$TMP"' EXIT
trap 'exit 130' INT TERM

FAILED=0

# In a guest the script's own utilities are those of tests/guest/lib/tools.table: this shell's, not those of what it
# starts.
if [ -n "${GUEST_TOOLS:-}" ]; then
	for tool in "$GUEST_TOOLS"/*; do
		hash -p "$tool" "${tool##*/}"
	done
fi

pass() {
	echo "ok - $*"
}

# fail NAME [DETAIL...]: each detail becomes '#' lines.
fail() {
	echo "not ok - $1"
	FAILED=1
	shift
	[ $# = 0 ] || printf '%s\n' "$@" | head -n 40 | sed 's/^/# /'
}

skip() {
	echo "skip - $1 # $2"
}

# feature KERNEL NAME RESULT: one cell of Documentation/made/features.md. RESULT: works, or in what words it is refused.
feature() {
	echo "feature - $1 | $2 | $3"
}

# check NAME COMMAND...: passes when the command does; its output explains a failure.
check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then pass "$name"; else fail "$name" "command: $*" "$out"; fi
}

# same NAME WANTED GOT
same() {
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "wanted: $2" "got:    $3"; fi
}

# same_files NAME WANTED GOT
same_files() {
	local d
	if d=$(diff "$2" "$3" 2>&1); then pass "$1"; else fail "$1" "$d"; fi
}

# matches TEXT PATTERN: is there a line that the extended regular expression fits? bash finds the match of a line in
# less than it takes to start grep; where it finds none, or lines are many, or the two could differ, grep decides.
matches() {
	local line lines IFS=$'\n'
	if [[ ${#2} -lt 20000 && $2 != *$'\n'* && ! '' =~ $2 ]] 2> /dev/null && [ ${#1} -lt 20000 ]; then
		set -f
		lines=($1)
		set +f
		for line in "${lines[@]}"; do
			[[ ! $line =~ $2 ]] 2> /dev/null || return 0
		done
	fi
	grep -Eq -e "$2" <<< "$1"
}

# has NAME TEXT PATTERN (extended regular expression)
has() {
	if matches "$2" "$3"; then pass "$1"; else fail "$1" "no match for: $3" "in: $2"; fi
}

# capture COMMAND...: leaves OUT and ERR, what it writes, and ST, its status
capture() {
	OUT=$("$@" 2> "$TMP/.stderr")
	ST=$?
	ERR=$(< "$TMP/.stderr")
}

# run_ftr ARGS...: the same of ftr, which has a minute
run_ftr() {
	capture timeout 60 "$FTR" "$@"
}

# ftr_refuses NAME STATUS PATTERN ARGS...: it ends with that status and says so
ftr_refuses() {
	local name=$1 want=$2 pattern=$3
	shift 3
	run_ftr "$@" < /dev/null
	same "$name: status" "$want" "$ST"
	has "$name: words" "$ERR" "$pattern"
}

# start_listener COMMAND...: runs ftr listen, whose words are in ./said; $LISTENER, and one more of $OPEN
start_listener() {
	: > said
	"$@" 2> said &
	LISTENER=$!
	OPEN="${OPEN:-} $LISTENER"
	wait_for '^ftr: listening' said
}

stop_listener() {
	kill -TERM "$LISTENER"
	wait "$LISTENER"
	STATUS=$?
}

# What is sampled in the everyday run: $FTR_SEED repeats a run, FTR_LONG=1 takes all.
FTR_SEED=${FTR_SEED:-$(date +%s)}
export FTR_SEED

# sample N WORD...: N of the words, in their order, or all of them under FTR_LONG=1. Each test has its own choice.
sample() {
	local n=$1 own
	own=$(cksum <<< "${0##*/}")
	shift
	[ "${FTR_LONG:-}" != 1 ] || n=$#
	printf '%s\n' "$@" | awk -v seed="$(((FTR_SEED + ${own%% *}) % 2147483647))" -v n="$n" '
		BEGIN { srand(seed) }
		{ word[NR] = $0; left[NR] = NR }
		END {
			for (i = NR; i > 1; i--) {
				j = int(rand() * i) + 1
				t = left[i]; left[i] = left[j]; left[j] = t
			}
			for (i = 1; i <= NR && i <= n; i++)
				taken[left[i]] = 1
			for (i = 1; i <= NR; i++)
				if (taken[i])
					print word[i]
		}'
}

# for_kernels FUNCTION: calls it for each kernel of $FTR_KERNELS with K=series V=version; one that cannot be had is
# a visible skip. Result lines of guest() go to 19, as its output may be taken.
for_kernels() {
	local reason
	exec 19>&1
	for K in $FTR_KERNELS; do
		if ! reason=$("$FTR_TOP/utils/guest" fetch "$K" 2>&1); then
			skip "kernel $K" "$(tail -n 1 <<< "$reason")"
			continue
		fi
		V=$("$FTR_TOP/utils/guest" have "$K")
		OUTDIR=$TMP/$K
		mkdir -p "$OUTDIR"
		"$1"
	done
}

# one_of WORD...: by the seed; in one run the same of the same words, in all tests
one_of() {
	local words=("$@")
	[ $# = 0 ] || echo "${words[FTR_SEED % $#]}"
}

# The kernel of this run, which all tests take that are about no kernel alone: one whole for each seed.
THE_KERNEL=$(one_of $FTR_KERNELS)

# kernels_with FEATURE: those of $FTR_KERNELS that tests/guest/lib/kernels.table has for it
kernels_with() {
	local k those
	those=$(awk -v feature="$1" '$1 == feature { print $2 }' "$FTR_TOP/tests/guest/lib/kernels.table")
	for k in $FTR_KERNELS; do
		[[ ,$those, != *",$k,"* ]] || echo "$k"
	done
}

# for_a_kernel FUNCTION [FEATURE]: the same for the kernel of this run, all under FTR_LONG=1. What not all have is
# tried on one of those that have it.
for_a_kernel() {
	local those=$FTR_KERNELS one
	echo "# seed $FTR_SEED"
	[ $# = 1 ] || those=$(echo $(kernels_with "$2"))
	[ -n "$those" ] || skip "$2" "none of $FTR_KERNELS has it"
	one=$THE_KERNEL
	[[ " $those " = *" $one "* ]] || one=$(one_of $those)
	[ "${FTR_LONG:-}" = 1 ] || those=$one
	FTR_KERNELS=$those for_kernels "$1"
}

# own_boot OPTION...: does a guest with these options, up to --, need a boot of its own?
own_boot() {
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		case $1 in
		--timeout) shift 2 ;;
		*) return 0 ;;
		esac
	done
	return 1
}

# guest [--own] [OPTION...] -- COMMAND...: runs it in kernel $K, $OUT being $OUTDIR. stderr of the run goes to
# $OUTDIR/err. Where there is a served guest (FTR_GUEST_SERVED, a folder) it runs in that, but with --own (it ends the
# guest, or changes it for good) or options for the boot; the guest must be then as it was.
guest() {
	local own= status lib=$FTR_TOP/tests/guest/lib
	[ "$1" != --own ] || { own=1; shift; }
	set -- --kernel "$K" --out "$OUTDIR" --tools "$lib/tools.table" "$@"
	if [ -z "${FTR_GUEST_SERVED:-}" ] || [ -n "$own" ] || [ "$K" != "$THE_KERNEL" ] || own_boot "${@:7}"; then
		"$FTR_TOP/utils/guest" run "$@" 2> "$OUTDIR/err" 19>&-
		return
	fi
	"$FTR_TOP/utils/guest" send --dir "$FTR_GUEST_SERVED" \
		--state "/.guest/bash '$lib/served.sh' '$lib/served.table'" "$@" 2> "$OUTDIR/err" 19>&-
	status=$?
	if [ -s "$FTR_GUEST_SERVED/differs" ]; then
		fail "$V: the guest is as it was" "$(cut -c 1-200 "$FTR_GUEST_SERVED/differs")" >&19
	fi
	return $status
}

# guest_checks SECONDS SCRIPT [OPTION...]: runs that script, of tests/guest/inside if it is a name alone, in kernel $K,
# with options of utils/guest; $FTR_SERIES and its argument are the kernel's series. Its result lines are this test's,
# with the kernel's version for the series; the last must be "ok - ...: the end is reached".
guest_checks() {
	local seconds=$1 script=$2 status
	shift 2
	[[ $script = */* ]] || script=$FTR_TOP/tests/guest/inside/$script
	FTR_SERIES=$K guest "$@" --timeout "$seconds" -- bash "$script" "$K" > "$OUTDIR/tap"
	status=$?
	sed -E "s/^(ok|not ok|skip) - $K: /\\1 - $V: /" "$OUTDIR/tap"
	grep -q '^not ok' "$OUTDIR/tap" && FAILED=1
	grep -q '^ok - .*: the end is reached' "$OUTDIR/tap" ||
		fail "$V: the checks ran to their end (status $status)" "$(tail -n 20 "$OUTDIR/err")"
}

# records FILE: what a decoder of its own counts, by buffer and CPU
records() {
	python3 "$ORACLE/rawdecode.py" "$1" 2> /dev/null | grep -E '^(buffer|total)'
}

# total WHAT < output of rawdecode.py or tcmd_count ("total WHAT N")
total() {
	awk -v what="$1" '$1 == "total" && $2 == what { print $3 }'
}

# count_records FILE
count_records() {
	"$ORACLE/rawdecode.py" "$1" | total records
}

# dat_cpus FILE: the records of each CPU that has some, as our reader finds them; dat_damage FILE: what it notes
dat_cpus() {
	timeout 60 "$FTR_BUILD/tests/tools/datwalk" "$1" | grep '^cpu' | grep -v ' pages=0 ' | sed 's/ pages=[0-9]*//'
}

dat_damage() {
	timeout 60 "$FTR_BUILD/tests/tools/datwalk" "$1" | grep '^damage'
}

# busy_times: how many times as long as alone something may take: the tasks that want to run, by processors
busy_times() {
	local load rest cpus
	read -r load rest < /proc/loadavg
	cpus=$(getconf _NPROCESSORS_ONLN)
	echo $(((${load%.*} + cpus) / cpus))
}

# wait_until SECONDS COMMAND...: until it succeeds; fails when it does not in that time, which is longer on a busy
# machine. Who waits for what is sure to come gives it a minute.
wait_until() {
	local begin=$SECONDS most=$1 passed
	shift
	until "$@"; do
		passed=$((SECONDS - begin))
		[ $passed -le "$most" ] || [ $passed -le $((most * $(busy_times))) ] || {
			IN_VAIN+="# waited $passed s in vain for: $*"$'\n'
			return 1
		}
		${GUEST_TOOLS:+/.guest/busybox} sleep 0.05
	done
}

# wait_or_gone PID COMMAND...: until it succeeds or the process has ended, a minute at most
wait_or_gone() {
	wait_until 60 succeeded_or_gone "$@"
}

succeeded_or_gone() {
	"${@:2}" || ! kill -0 "$1" 2> /dev/null
}

# wait_for PATTERN FILE: until it is there, a minute at most
wait_for() {
	wait_until 60 grep -qs -e "$1" "$2"
}

# has_open PID FILE
has_open() {
	ls -l "/proc/$1/fd" 2> /dev/null | grep -q -e "-> $2\$"
}

# case_file NAME: the records on stdin, as in tests/cases/spans, become NAME0.dat
case_file() {
	cat > "$1.txt"
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep "$1" "$FTR_BUILD/tests/tools/span_dump" "$1.txt" > /dev/null
}

# sql_rows NAME QUERY: its rows of trace.dat are those on standard input, in CSV
sql_rows() {
	"$FTR" sql --csv --no-header -i trace.dat "$2" > got 2> err
	same "$1: status" 0 $?
	cat > want
	same_files "$1" want got
}

# complains ARG...: the status of ftr and its first line on stderr; stdout is in out
complains() {
	local status
	"$FTR" "$@" > out 2> err
	status=$?
	echo "$status $(head -n 1 err)"
}

# our_latency FILE: what ftr latency has of each kind, in the lines of tests/oracle/views.py
our_latency() {
	local kind
	for kind in wakeup function_graph syscall irq softirq work lock block probe marker async; do
		"$FTR" latency "$kind" --json "$1" 2> /dev/null | python3 -c '
import json, sys
text = sys.stdin.read()
said = json.loads(text) if text else {"groups": [], "marks": {}}
for group in said["groups"]:
    for number, row in enumerate(group["rows"]):
        if row["count"]:
            print(said["of"], "row", number, row["count"])
    print("%s count=%d sum=%d min=%d max=%d" % (said["of"], *(group[key] for key in ("count", "sum", "min", "max"))))
for mark, count in said["marks"].items():
    if mark != "below 0":
        print("%s mark %s: %d" % (said["of"], mark, count))'
	done
}

finish() {
	printf %s "${IN_VAIN:-}"
	exit "$FAILED"
}

# run_parts FUNCTION...: one after the other, with the time that each took; the last of a script in a guest.
run_parts() {
	local part start
	for part; do
		start=$SECONDS
		$part
		echo "# $K: $part took $((SECONDS - start)) s"
	done
	pass "$K: the end is reached"
	finish
}
