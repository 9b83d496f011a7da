#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr check on trees of plain files: features found by file, README and lists; words, statuses, JSON.

. "$(dirname "$0")/../lib.sh"

T=$TMP/tracing
export FTR_TRACEFS=$T FTR_JOURNAL_DIR=$TMP/journals
cd "$TMP" || exit 1

# is NAME STATE PATTERN FEATURE: one line, wrapped ones joined
is() {
	local status
	"$FTR" check "$4" > out 2> err
	status=$?
	same "$1: status" "$([ "$2" = works ] && echo 0 || echo 1)" "$status"
	has "$1" "$(tr -s ' \n' ' ' < out)" " $4 $2 $3"
}

mkdir -p "$T/options" "$T/per_cpu/cpu0" "$T/instances"
echo nop > "$T/current_tracer"
echo 'function_graph function nop' > "$T/available_tracers"
printf '\t           e[:[<group>/][<event>]] <attached-group>\n' > "$T/README"
echo '7 (expanded: 1408)' > "$T/buffer_total_size_kb"
echo 0 > "$T/tracing_on"

is 'mounted' works "mounted at $T" tracefs
is 'tracing_on' no "the top level's buffer takes no records: tracing_on is 0 hint: ftr restart" tracing-on
is 'a tracer' works '' function
is 'a tracer that is missing' no "this kernel has no tracer 'hwlat'.* hint: real-time kernels" hwlat
is 'README has it' works '' eprobes
is 'README has it not' no 'this kernel has no fprobes.* hint: .*CONFIG_FPROBE_EVENTS' fprobes
is 'a file' no "this kernel has no 'snapshot'" snapshot
: > "$T/snapshot"
is 'a file that is there' works '' snapshot
echo '# echo 1 > snapshot : Not supported with this kernel.' > "$T/per_cpu/cpu0/snapshot"
is 'swap of one CPU, not supported' no 'this kernel has no snapshots of one CPU' snapshot-cpu
echo '# echo 1 > snapshot : Allocates' > "$T/per_cpu/cpu0/snapshot"
is 'swap of one CPU' works '' snapshot-cpu
is 'raw buffers that are not there' no "cannot read 'per_cpu/cpu0/trace_pipe_raw'" raw-buffers
: > "$T/per_cpu/cpu0/trace_pipe_raw"
is 'raw buffers' works 'through pipes of up to' raw-buffers
mkdir "$T/instances/x"
echo 'function nop' > "$T/instances/x/available_tracers"
is 'an instance without function_graph' no 'this kernel has function_graph at the top level only' graph-instances
echo 'function_graph nop' > "$T/instances/x/available_tracers"
is 'an instance with function_graph' works '' graph-instances
echo 999999999999 > "$T/buffer_total_size_kb"
is 'a buffer larger than memory' no 'the buffers of all CPUs and instances take .* hint: smaller' buffer-memory
echo 7 > "$T/buffer_total_size_kb"
echo function > "$T/current_tracer"
is 'in use' no "the top level is in use: tracer 'function' is set" idle
is 'no journals' works '' journals
same 'the journal folder is not made' '' "$(ls -d journals 2> err)"
mkdir -m 700 journals
boot=$(cat /proc/sys/kernel/random/boot_id)
record() {		# KIND PATH VALUE
	printf '%s %d %d\n%s\n%s\n' "$1" ${#2} ${#3} "$2" "$3"
}
(echo 'ftr journal 1'; record boot '' "$boot"; record pid '' 4194000; record start '' 1
	record command '' 'ftr record'; record tracefs '' "$T"; record set tracing_on 1) > journals/4194000.journal
chmod 600 journals/*
is 'a dead journal' no \
	"1 run of ftr ended without putting tracefs back: '$TMP/journals/4194000.journal' hint: ftr reset --recover" \
	journals

"$FTR" check function function_graph > out 2> err
same 'two that work: status, words' '0 ftr: 2 of 2 work' "$? $(cat err)"
"$FTR" check function hwlat > out 2> err
same 'one of two: status, words' '1 ftr: 1 of 2 work' "$? $(cat err)"
"$FTR" check --missing function hwlat > out 2> err
same '--missing leaves out what works' ' 0' " $(grep -c ' works' out)"
"$FTR" check tracers > out 2> err
same 'a group' 13 "$(grep -c '^  [a-z]' out)"
"$FTR" check > out 2> err
same 'no line is wider than 80 columns' 0 "$(awk 'length > 80' out | wc -l)"
same 'a name is there once' '' "$(grep -o '^  [a-z][a-z_-]*' out | sort | uniq -d)"
"$FTR" check functoin > out 2> err
same 'an unknown feature: status' 2 $?
has 'an unknown feature' "$(cat err)" "did you mean 'function'"
same 'JSON' "False [('function', 'tracers', 'works'), ('hwlat', 'tracers', 'no')]" \
	"$("$FTR" check --json function hwlat \
	2> err | python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d["works"], [(f["name"], f["group"], f["state"]) for f in d["features"]])')"
FTR_TRACEFS=$TMP/none
is 'no tracefs' no "cannot use tracefs at '$TMP/none'" tracefs
is 'no tracefs: a feature' unknown "cannot use tracefs at '$TMP/none'" kprobes

# who changed what stands: not one that was refused, nor whose instance was reset
export FTR_TRACEFS=$T
rm -rf journals
echo nop > "$T/current_tracer"
echo 0 > "$T/options/event-fork"
: > "$T/set_event_pid"
: > "$T/instances/x/set_event_pid"
"$FTR" set-pid --event -B nosuch 1 2> err
same 'a change that is refused: status' 1 $?
is 'a change that is refused' works '' standing
"$FTR" set-pid --event -B x 7
"$FTR" set-pid --event 9
is 'the first that stands' no ".* the first by '[^ ]*ftr set-pid --event -B x 7' " standing
"$FTR" reset -B x 2> err
n=$("$FTR" reset -n | wc -l)
is 'what was not reset, counted' no "$n changes? of ftr stands?, " standing
is 'the first whose instance was not reset' no ".* the first by '[^ ]*ftr set-pid --event 9' " standing
"$FTR" reset 2> err
is 'nothing stands' works '' standing
finish
