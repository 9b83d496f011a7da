#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# The kernel's text of a trace is read as a trace: the same records, tasks, times, fields as the raw buffers of the same
# moment have, but for the classes of text-classes.txt, and the same figures. The recordings are those of
# kernel-text-record.sh and kernel-text-only.sh. FTR_LONG=1 takes all of them, and the real-time kernel.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
HERE=$FTR_TOP/tests/guest
CLASSES=$HERE/lib/text-classes.txt
NEAR=$FTR_TOP/tests/tools/near-text.py
export TZ=UTC

# Recordings that are left out: texts of numbers alone or without contexts; those that take long and whose lines others
# have as well.
LEFT_OUT='.*_nocontext|options_(raw|hex|bin)|wide_.*|usb|nvme|load|function|(function|graph)(_args)?_all'
LEFT_OUT+='|function_args_modules'

# COUNT PATTERN: so many of these recordings are taken in the everyday run. One belongs to the first row that fits.
ROWS='1 graph_(events|proc|abstime|tail)
2 graph_.*|graph
1 options_tgid.*
1 options_.*
1 clock_.*
2 (function|stack|userstack|markers|printk).*
1 overrun.*
1 (wakeup|hwlat|osnoise|timerlat).*
1 pipe.*
1 snapshot|syscalls|disk'

# PATTERN of recordings|COMMAND|OPTIONS of near-text.py: the command shows the same figures of both files. A sum may
# differ by a microsecond for each span, a time of a graph by the digits of its duration. Of a call in one line the text
# has no time of its end, at which ftr graph prints it. Without irq_vectors the text of a graph does not name tasks that
# wake others. Where two delays of a task are equal in microseconds, the time of the longest one is that of either.
FIGURES='options_tgid.*|sched latency|--within 0.03 --sort --drop \s+\d+\.\d{6}$
options_tgid.*|sched timehist|--within 0.003
options_tgid.*|sched states|--within 0.03
graph_abstime|profile|--within 4 --relative 0.001
graph|profile|--within 4 --relative 0.001
graph_abstime|graph|--sort --within 4 --relative 0.001
graph_full|graph|--sort --within 4 --relative 0.001 --lacks ,.woken.by.\S+-\d+'

# all_names: of all recordings
all_names() {
	sed -n -E 's/^(case|text)_([a-z_0-9]*)\(\) *\{.*/\2/p' "$HERE/inside/kernel-text-record.sh" \
		"$HERE/inside/kernel-text-only.sh" | grep -vxE "$LEFT_OUT"
}

chosen() {
	local pattern n left
	left=$(all_names)
	if [ "${FTR_LONG:-}" = 1 ]; then
		echo "$left"
		return
	fi
	while read -r n pattern; do
		# shellcheck disable=SC2046
		sample "$n" $(grep -xE "$pattern" <<< "$left")
		left=$(grep -vxE "$pattern" <<< "$left")
	done <<< "$ROWS"
}

# imported NAME WHERE [OPTION...]: WHERE/NAME.text.dat of the text, and links to the rest of the recording
imported() {
	local name=$1 where=$2 suffix
	shift 2
	mkdir -p "$where"
	for suffix in trace dat; do
		[ ! -e "$OUTDIR/$name.$suffix" ] || ln -sf "$OUTDIR/$name.$suffix" "$where/"
	done
	"$FTR" import "$OUTDIR/$name.trace" -o "$where/$name.text.dat" "$@" > /dev/null 2> "$where/$name.said"
	[ -s "$where/$name.text.dat" ] || echo " $name"
}

# figures NAME: commands that count and measure
figures() {
	local name=$1 pattern command options which
	while IFS='|' read -r pattern command options; do
		[[ $name =~ ^($pattern)$ ]] || continue
		for which in dat text.dat; do
			# shellcheck disable=SC2086
			"$FTR" $command "$OUTDIR/formats/$name.$which" > "$OUTDIR/$name.$which.out" 2> /dev/null
		done
		# shellcheck disable=SC2086
		check "$V: $name: ftr $command shows the same of the text" \
			python3 "$NEAR" $options "$OUTDIR/$name.dat.out" "$OUTDIR/$name.text.dat.out"
	done <<< "$FIGURES"
}

# calls_with_args: of lines of a trace
calls_with_args() {
	sed -n '/^#/d; s/.*: \|.*| *//; /^[^ ]*(.*=/p'
}

# arguments NAME: they are printed again. What has no parameters has "()" in the text, which no record has.
arguments() {
	"$FTR" report -q --format=kernel "$OUTDIR/formats/$1.text.dat" | calls_with_args > "$OUTDIR/$1.args"
	calls_with_args < "$OUTDIR/$1.trace" > "$OUTDIR/$1.wanted"
	has "$V: $1: there are calls with arguments" "$(wc -l < "$OUTDIR/$1.wanted")" '^[0-9]{2,}$'
	same_files "$V: $1: arguments are printed again" "$OUTDIR/$1.wanted" "$OUTDIR/$1.args"
}

# as_given NAME: commands take the text itself, also without its head, as trace_pipe prints it
as_given() {
	local name=$1 file=$OUTDIR/$1
	"$FTR" report --format=kernel "$file.trace" 2> "$file.said" | grep -av '^#' > "$file.one"
	has "$V: $name: its type is said" "$(cat "$file.said")" "^ftr: .* is [^:]+: [1-9][0-9]* records"
	grep -av '^#' "$file.trace" > "$file.bare"
	"$FTR" report --format=kernel "$file.bare" 2> /dev/null | grep -av '^#' > "$file.two"
	same_files "$V: $name: the same without its head" "$file.one" "$file.two"
}

recordings() {
	"$HERE/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return 1; }
	# shellcheck disable=SC2046
	guest --append no_hash_pointers --timeout 1500 -- bash "$HERE/inside/kernel-text-record.sh" \
		"$FTR_BUILD/tests/guest/load/take" "$FTR_BUILD/tests/guest/load/agree_load" "$OUTDIR/ftrmod.ko" \
		$(chosen) > "$OUTDIR/log"
	[ -e "$OUTDIR/done" ] || { fail "$V: recordings" "$(tail -n 20 "$OUTDIR/err" "$OUTDIR/log")"; return 1; }
}

# compared NAME WHERE WITH: what ftr made of a text there, with or without the kernel's formats
compared() {
	check "$V: $1: the text has what the buffers have, $3 the kernel's formats" \
		python3 "$ORACLE/text_buffers.py" -k "$K" -c "$CLASSES" -f "$TMP/found" "$2/$1"
}

# vanished: the rows of the classes that this kernel has and did not show in any recording
vanished() {
	: >> "$TMP/found"
	awk -F '\t' -v OFS='\t' -v kernel="$K" 'FILENAME == ARGV[1] { met[$0]; next }
		/^#/ || !NF || ($2 != "*" && index("," $2 ",", "," kernel ",") == 0) { next }
		!((kernel OFS $1 OFS $2 OFS $3) in met) { print $1 " of " $3 }' "$TMP/found" "$CLASSES"
}

one_kernel() {
	local name names unread= formats
	recordings || return
	names=$(cd "$OUTDIR" && ls -- *.trace | sed 's/\.trace$//')
	for name in $names; do
		formats=()
		[ ! -e "$OUTDIR/$name.dat" ] || formats=(--formats "$OUTDIR/$name.dat")
		unread+=$(imported "$name" "$OUTDIR/formats" "${formats[@]}")
		unread+=$(imported "$name" "$OUTDIR/plain")
	done
	same "$V: all texts are taken ($(wc -w <<< "$names"))" '' "$unread"
	for name in $names; do
		[[ " $unread " != *" $name "* ]] || continue
		compared "$name" "$OUTDIR/formats" with
		[ -e "$OUTDIR/$name.dat" ] || continue
		compared "$name" "$OUTDIR/plain" without
		figures "$name"
		[[ $name != *_args* ]] || arguments "$name"
	done
	# shellcheck disable=SC2046
	for name in $(sample 2 $(grep -vxE 'printk_msg_only|graph_(bare|no.*)' <<< "$names")); do
		as_given "$name"
	done
	[ "${FTR_LONG:-}" != 1 ] || same "$V: all classes of differences occur" '' "$(vanished)"
	feature "$V" 'texts of the file trace, with their records and fields' works
}

for_a_kernel one_kernel
if [ "${FTR_LONG:-}" = 1 ]; then
	FTR_KERNELS=6.12-rt for_kernels one_kernel
fi
finish
