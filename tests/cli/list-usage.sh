#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr list on a tree of plain files: what is listed, patterns, words of refusal, JSON.

. "$(dirname "$0")/../lib.sh"

T=$TMP/tracing
export FTR_TRACEFS=$T
cd "$TMP" || exit 1

# put FILE TEXT
put() {
	mkdir -p "$T/$(dirname "$1")"
	printf '%b' "$2" > "$T/$1"
}

tree() {
	local i text
	put available_tracers 'function_graph function nop\n'
	put current_tracer 'function\n'
	put trace_clock 'local [global] mono x86-tsc\n'
	put trace_options 'print-parent\nnosym-offset\ntrace_printk\nnofunc_stack_trace\n'
	for i in print-parent:1 sym-offset:0 func_stack_trace:0 funcgraph-cpu:1 sleep-time:1 blk_classic:0; do
		put "options/${i%:*}" "${i#*:}\n"
	done
	put available_events 'sched:sched_switch\nsched:sched_wakeup\nirq:softirq_entry\nnfs:nfs_open\n'
	text='name: sched_switch\nID: 310\nformat:\n'
	text+='\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n'
	text+='\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n'
	text+='\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n'
	text+='\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n\n'
	put events/sched/sched_switch/format "$text"'print fmt: "%s %d", REC->prev_comm, REC->prev_pid\n'
	put events/sched/sched_switch/filter 'prev_pid > 1\n'
	put events/sched/sched_wakeup/filter 'none\n'
	put events/sched/sched_wakeup/trigger 'stacktrace:unlimited\ntraceoff:count=3 if pid == 1\n'
	put events/sched/sched_switch/trigger '# Available triggers:\n# traceon\n'
	put available_filter_functions 'vfs_read\nvfs_write\nnfs_open [nfs]\nvfs_open\nksys_read\nvfs_open [ext]\n'
	text='s:synthetic/lat\tu64 x; int pid\np:kprobes/p0 vfs_read\nr10:foo/bar vfs_read arg1=$retval\n'
	text+='p:uprobes/up /bin/true:0x10 a=%ax\ne:eprobes/ep sched.sched_switch p=$prev_pid\n'
	put dynamic_events "$text"'f:fprobes/fe vfs_write%return\nt:tracepoints/tp sched_switch p=$arg1\n'
	put instances/work/current_tracer 'nop\n'
	put instances/work/available_tracers 'function nop\n'
	put instances/work/tracing_on '0\n'
	put instances/work/buffer_total_size_kb '14 (expanded: 2816)\n'
	put instances/play/current_tracer 'function\n'
	put instances/play/tracing_on '1\n'
	put instances/play/buffer_total_size_kb '2820\n'
}

# lists NAME WANTED ARGS...: the output, one blank for several
lists() {
	local name=$1 want=$2
	shift 2
	"$FTR" list "$@" > out 2> err
	same "$name: status" 0 $?
	same "$name" "$want" "$(sed -E 's/ +/ /g' out)"
}

list_refuses() {
	ftr_refuses "$1" "$2" "$3" list "${@:4}"
}

tree
lists 'tracers' $'function current calls of kernel functions
function_graph calls and returns of kernel functions, with durations\nnop none: events alone' tracers
lists 'tracers by letter, a glob' 'nop none: events alone' -t 'n*'
same 'how many of how many' 'ftr: 1 of 3 tracers' "$(cat err)"
lists 'tracers of an instance' $'function calls of kernel functions\nnop current none: events alone' tracers -B work
lists 'clocks, an expression' $'global current in order over all CPUs, slower
local fast, of each CPU: may differ by some us between CPUs' clocks '/l.*al$/'
lists 'clocks, --regex' $'mono CLOCK_MONOTONIC' -C --regex '^m'
lists 'options' $'blk_classic off blk\nfunc_stack_trace off function\nfuncgraph-cpu on function_graph
print-parent on\nsleep-time on function_graph\nsym-offset off\ntrace_printk on' options
same 'nothing is said of all' '' "$(cat err)"
lists 'events are sorted' $'irq:softirq_entry\nnfs:nfs_open\nsched:sched_switch\nsched:sched_wakeup' events
for p in 'sched' 'sched:' 'sched:*' 'sched_*' ':sched_*' 'sched/sched*' '/^sched:/'; do
	lists "events by '$p'" $'sched:sched_switch\nsched:sched_wakeup' -e "$p"
done
same 'events: all is everything' 4 "$("$FTR" list events all | wc -l)"
lists 'events with fields' $'sched:sched_switch\n char prev_comm[16] offset 8 size 16
 pid_t prev_pid offset 24 size 4 signed\n __data_loc char[] name offset 28 size 4' -F sched_switch
lists 'events --full' $'sched:sched_switch\n unsigned short common_type offset 0 size 2
 char prev_comm[16] offset 8 size 16\n pid_t prev_pid offset 24 size 4 signed
 __data_loc char[] name offset 28 size 4\n print fmt: "%s %d", REC->prev_comm, REC->prev_pid' \
	events --full sched_switch
lists 'filters' $'sched:sched_switch\n filter: prev_pid > 1' -l
same 'filters: how many' 'ftr: 1 of 4 events' "$(cat err)"
lists 'triggers' $'sched:sched_wakeup\n trigger: stacktrace:unlimited
 trigger: traceoff:count=3 if pid == 1' -R
lists 'filters that are not there' '' -l irq
same 'filters: none' 'ftr: 0 of 4 events' "$(cat err)"
lists 'systems' $'irq 1 events\nnfs 1 events\nsched 2 events' systems
lists 'instances' $'play function on 2820 KiB\nwork nop off 14 KiB' instances
lists 'instances as trace-cmd has it' $'play function on 2820 KiB\nwork nop off 14 KiB' -B
lists 'functions' $'ksys_read\nnfs_open nfs\nvfs_open\nvfs_open ext\nvfs_read\nvfs_write' -f
lists 'functions of a module' 'nfs_open nfs' functions ':mod:nfs'
lists 'functions of a module, a glob' $'nfs_open nfs\nvfs_open ext' functions '*_open:mod:*'
put available_filter_functions_addrs 'ffffffff81002014 vfs_read\nffffffffc0410394 nfs_open [nfs]\n'
lists 'functions with addresses' $'nfs_open nfs ffffffffc0410394\nvfs_read ffffffff81002014' -f --address
lists 'functions with addresses: --address names the list' 'vfs_read ffffffff81002014' --address vfs_read
lists 'functions without addresses' $'ksys_read\nnfs_open nfs\nvfs_open\nvfs_open ext\nvfs_read\nvfs_write' -f
same 'functions as JSON: addresses' '"ffffffffc0410394" "ffffffff81002014"' \
	"$("$FTR" list -f --json | grep -o '"f\{8\}[0-9a-f]*"' | xargs -d '\n')"
rm "$T/available_filter_functions_addrs"
list_refuses 'functions with addresses: no such kernel' 1 '^ftr: this kernel does not list addresses of functions$' \
	--address
same 'functions as JSON: no addresses' 6 "$("$FTR" list -f --json | grep -c '"address": null')"
list_refuses '--address of events' 2 '^ftr: --address works with functions, not with events$' --address -e

# BTF of a kernel and of a module, written by hand: the module's ids and strings go on where the kernel's end.
python3 - btf << 'P'
import os, struct, sys
def btf(types, strings):
    body = b''.join(types)
    return struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(body), len(body), len(strings)) + body + strings
def t(name, kind, nr, size, *more):
    return struct.pack('<III', name, kind << 24 | nr, size) + struct.pack('<%dI' % len(more), *more)
def strings(first, *words):
    at, out = {}, b'' if first else b'\0'
    for w in words:
        at[w] = first + len(out)
        out += w.encode() + b'\0'
    return at, out
n, kernel = strings(0, 'int', 'long unsigned int', 'file', 'vfs_read', 'vfs_open', 'count', 'flags')
types = [t(n['int'], 1, 0, 4, 1 << 24 | 32), t(n['long unsigned int'], 1, 0, 8, 64), t(n['file'], 7, 0, 0),
         t(0, 2, 0, 3), t(0, 13, 2, 2, n['file'], 4, n['count'], 2), t(n['vfs_read'], 12, 1, 5), t(0, 13, 0, 1),
         t(n['vfs_open'], 12, 1, 7)]
m, module = strings(len(kernel), 'nfs_open', 'nfs_file')
os.mkdir(sys.argv[1])
open(sys.argv[1] + '/vmlinux', 'wb').write(btf(types, kernel))
open(sys.argv[1] + '/nfs', 'wb').write(btf([t(m['nfs_file'], 7, 0, 0), t(0, 2, 0, 9),
    t(0, 13, 3, 0, n['file'], 4, n['flags'], 10, 0, 0), t(m['nfs_open'], 12, 1, 11)], module))
P
export FTR_BTF_DIR=$TMP/btf
lists 'prototypes' $'ksys_read\nnfs_open nfs void nfs_open(struct file *file, struct nfs_file *flags, ...)
vfs_open int vfs_open(void)\nvfs_open ext
vfs_read long unsigned int vfs_read(struct file *file, long unsigned int count)
vfs_write' functions --proto
same 'prototypes: those that have none' "ftr: 3 without a prototype; no BTF of 'ext'" "$(cat err)"
lists 'prototypes: --proto names the list' \
	'vfs_read long unsigned int vfs_read(struct file *file, long unsigned int count)' \
	--proto vfs_read
same 'prototypes: of those that were chosen' 'ftr: 1 of 6 functions' "$(cat err)"
lists 'prototypes: none of one' 'vfs_write' --proto -f vfs_write
has 'prototypes: none of one, said' "$(cat err)" '^ftr: 1 without a prototype: BTF does not have them$'
lists 'probes' $'eprobes:ep eprobe sched.sched_switch p=$prev_pid\nfoo:bar kretprobe vfs_read arg1=$retval
fprobes:fe fprobe vfs_write%return\nkprobes:p0 kprobe vfs_read\nsynthetic:lat synthetic u64 x; int pid
tracepoints:tp tprobe sched_switch p=$arg1\nuprobes:up uprobe /bin/true:0x10 a=%ax' probes
rm "$T/dynamic_events"
put synthetic_events 'lat\tu64 x; int pid\n'
put kprobe_events 'p:kprobes/p0 vfs_read\n'
lists 'probes of a kernel with a file for each' $'kprobes:p0 kprobe vfs_read
synthetic:lat synthetic u64 x; int pid' probes

list_refuses 'nothing named' 2 "hint: events, systems, tracers"
list_refuses 'an unknown list' 2 "did you mean 'ftr list tracers'" tracrs
list_refuses 'a pattern without a list' 2 "name a list first" 'vfs_*'
list_refuses 'two lists' 2 'events and tracers cannot be listed together' -e -t
list_refuses 'fields of clocks' 2 'work with events, not with clocks' -F -C
list_refuses '-N of events' 2 'work with plugins, not with events' -N -e
list_refuses '-B of functions' 2 'makes no difference' -B work -f
list_refuses 'a wrong expression' 2 "is not a regular expression: .*" -f '/(/'
list_refuses 'a word behind plugins' 2 "unexpected word 'x'" plugins x
list_refuses 'no such event' 1 "did you mean 'sched_switch'" -e sched_swich
list_refuses 'no such event of a system' 1 "did you mean 'sched:sched_switch'" -e sched:sched_swich
list_refuses "trace-cmd's regular expression" 1 \
	"^hint: as a regular expression it matches 1: ftr list events --regex sched_sw$" -e sched_sw
list_refuses "trace-cmd's regular expression of functions" 1 "ftr list functions --regex 'vfs_\\[" -f 'vfs_[^r]?rea'
list_refuses "a wrong regular expression" 1 "'ftr list events' shows all of them" -e 'nosuch('
list_refuses 'no such function' 1 "did you mean 'vfs_read'" -f vfs_raed
list_refuses 'no such option' 1 "did you mean 'sym-offset'" -o sym-ofset
list_refuses 'nothing alike' 1 "hint: 'ftr list tracers' shows all" -t qqqqqqqqq
list_refuses 'no such instance' 1 "did you mean 'work'" -t -B wrk
list_refuses 'one of two patterns' 1 "no tracer matches 'qqqqqqqqq'" -t nop qqqqqqqqq
same 'one of two patterns: the other is listed' 1 "$(grep -c '^nop' <<< "$OUT")"
list_refuses '--proto of events' 2 '^ftr: --proto works with functions, not with events$' --proto -e
mkdir cut
head -c 100 btf/vmlinux > cut/vmlinux
FTR_BTF_DIR=$TMP/cut list_refuses 'cut BTF' 1 '^ftr: no BTF: its header claims more than there is$' --proto
FTR_BTF_DIR=$TMP/none list_refuses 'no BTF' 1 "^ftr: no prototypes: cannot read '$TMP/none/vmlinux': No such file" \
	--proto
has 'no BTF: hint' "$ERR" '^hint: it needs a kernel built with CONFIG_DEBUG_INFO_BTF$'
FTR_TRACEFS=$TMP/none list_refuses 'no tracefs' 1 "cannot use tracefs at '$TMP/none'" -t

# What python reads of it.
json() {
	local name=$1 want=$2 expr=$3
	shift 3
	same "json: $name" "$want" "$("$FTR" list --json "$@" 2> err |
		python3 -c "import json, sys; d = json.load(sys.stdin); print($expr)" 2>&1)"
}

json 'tracers' "tracers None 3 ['function']" \
	"d['list'], d['instance'], d['total'], [i['name'] for i in d['items'] if i['current']], sep=' '" tracers
json 'an instance' 'work' "d['instance']" tracers -B work
json 'fields' "310 [('prev_comm', 8, 16, False), ('prev_pid', 24, 4, True), ('name', 28, 4, False)]" \
	"d['items'][0]['id'], [(f['name'], f['offset'], f['size'], f['signed']) for f in d['items'][0]['fields']]" \
	-F sched_switch
json 'triggers' "['stacktrace:unlimited', 'traceoff:count=3 if pid == 1']" "d['items'][0]['triggers']" -R
json 'functions' "[('nfs_open', 'nfs', None)]" \
	"[(f['function'], f['module'], f['address']) for f in d['items']]" -f 'nfs*'
json 'prototypes' "[('vfs_open', 'int vfs_open(void)'), ('vfs_open', None)]" \
	"[(f['function'], f['prototype']) for f in d['items']]" -f vfs_open --proto
json 'systems' "[('irq', 1), ('nfs', 1), ('sched', 2)]" "[(s['system'], s['events']) for s in d['items']]" systems
json 'nothing' "0 []" "d['total'] - 4, d['items']" -l irq
json 'plugins' True "d['total'] == len(d['items']) > 3" plugins

printf 'vfs_\033[31mread\n' > "$T/available_filter_functions"
same 'control bytes stay away from the terminal' 'vfs_\x1b[31mread' "$("$FTR" list -f)"
finish
