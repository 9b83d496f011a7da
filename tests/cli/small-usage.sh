#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr options, set-pid and stack on a tree that looks like tracefs: what is shown, what is refused, what is written.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
export FTR_TRACEFS=$TMP/t FTR_JOURNAL_DIR=$TMP/journal
mkdir -p t/options t/instances/one/options
echo nop > t/current_tracer
printf '%s\n' noraw overwrite unheard-of > t/trace_options
echo 1 > t/options/overwrite
echo 0 > t/options/raw
echo 1 > t/options/funcgraph-tail
: > t/set_event_pid
echo 'no pid' > t/set_ftrace_pid
: > t/instances/one/set_event_pid
echo 3472 > t/stack_max_size
echo '#### all functions enabled ####' > t/stack_trace_filter
cat > t/stack_trace <<'END'
        Depth    Size   Location    (2 entries)
        -----    ----   --------
  0)     3472     112   vfs_read+0xaa/0x2e0
  1)     3360    3360   ovl_lookup+0x1/0x2 [overlay]
END

run_ftr options
same "options: a table" \
	"option value default tracer funcgraph-tail on off function_graph overwrite on on raw off off unheard-of on ?" \
	"$(xargs <<< "$OUT")"
run_ftr options --changed
same "options --changed" 'option value default tracer funcgraph-tail on off function_graph' "$(xargs <<< "$OUT")"
run_ftr options --json
has "options --json: an unknown default" "$(tr -d '\n' <<< "$OUT")" \
	'"unheard-of", *"value": true, *"default": null, *"tracer": null'
run_ftr options overwrite
same "options NAME: it is shown" '0 option value default tracer overwrite on on' "$ST $(xargs <<< "$OUT")"
run_ftr options overwrite raw --json
same "options NAME --json: these" 'overwrite True raw False' \
	"$(python3 -c 'import json, sys
print(*(str(o[k]) for o in json.load(sys.stdin) for k in ("name", "value")))' <<< "$OUT")"
ftr_refuses 'options NAME: an unknown one' 1 "^ftr: no option 'overwrit'$" options overwrit
has 'options NAME: an unknown one: hint' "$ERR" "did you mean 'overwrite'"
ftr_refuses 'options: noNAME without --set' 2 "'nooverwrite' clears an option with --set only" options nooverwrite
has 'options: noNAME without --set: hint' "$ERR" "'overwrite=off'"
ftr_refuses 'options: one with a value, one without' 2 "'raw' has no value" options overwrite=no raw
ftr_refuses 'options --set: nothing' 2 '--set without an option' options --set
same "options: nothing was written so far" '0 1' "$(cat t/options/raw t/options/overwrite | xargs)"
run_ftr options raw=on overwrite=no
same "options: written" '0 1 0' "$ST $(cat t/options/raw t/options/overwrite | xargs)"
has "options: noted" "$(cat journal/standing)" '^options/raw$'
run_ftr options --set overwrite noraw
same "options --set: written" '0 0 1' "$ST $(cat t/options/raw t/options/overwrite | xargs)"
ftr_refuses 'options: a value' 2 "'raw=maybe' has a value that is neither on nor off" options raw=maybe
ftr_refuses 'options: a path' 2 "'../x' is not a name of an option" options ../x
ftr_refuses 'options: an empty name' 2 "'=1' is not a name of an option" options =1
ftr_refuses 'options: an unknown one' 1 "no option 'overwrit'" options overwrit=on
has 'options: an unknown one: hint' "$ERR" "did you mean 'overwrite'"
ftr_refuses 'options: an unknown instance' 1 "no instance 'two'" options -B two raw=on

run_ftr set-pid
same "set-pid: show" \
	"events of all tasks no events of (this kernel has no such list) \
functions of all tasks no functions of (this kernel has no such list)" \
	"$(xargs <<< "$OUT")"
ftr_refuses 'set-pid: a word' 2 "'1x' is not a process id" set-pid 1x
ftr_refuses 'set-pid: a number too large' 2 "'99999999999' is not a process id" set-pid 99999999999
ftr_refuses 'set-pid: nothing' 2 "' , ' is not a process id" set-pid ' , '
ftr_refuses 'set-pid --add without a pid' 2 'no process id was given' set-pid --add
ftr_refuses 'set-pid --children without a pid' 2 'no process id was given' set-pid -c
ftr_refuses 'set-pid --clear with a pid' 2 "takes no pids: '3'" set-pid --clear 3
ftr_refuses 'set-pid: two verbs' 2 'only one of' set-pid --add --remove 3
ftr_refuses 'set-pid --notrace: a kernel without' 1 "this kernel has no 'set_event_notrace_pid'" \
	set-pid --event --notrace 3
run_ftr set-pid --event 007 '3,4'
same "set-pid: written" '7 3 4' "$(xargs < t/set_event_pid)"
run_ftr set-pid --event --remove 3 --json
same "set-pid --remove" '7 4' "$(xargs < t/set_event_pid)"
has "set-pid --json" "$(tr -d ' \n' <<< "$OUT")" '"event":\[7,4\],"function":\[\]'

run_ftr stack
has "stack: location with a module" "$OUT" '^ +1\) +3360 +3360  ovl_lookup\+0x1/0x2 \[overlay\]$'
run_ftr stack --json
has "stack --json" "$(tr -d ' \n' <<< "$OUT")" \
	'"stack":\[\{"depth":3472,"size":112,"location":"vfs_read\+0xaa/0x2e0"\},'
echo 0 > t/stack_max_size
run_ftr stack
has "stack: one that was forgotten, whose functions the kernel keeps" "$OUT" '^no stack seen'
ftr_refuses 'stack: on and off' 2 '--start and --stop exclude each other' stack --start --stop
ftr_refuses 'stack: two filters' 2 '-l and --all-functions exclude each other' stack -l x --all-functions
ftr_refuses 'stack: a word' 2 "unexpected word 'x'" stack x
ftr_refuses 'stack: a command' 2 "not 'x:traceoff'" stack -l x:traceoff
ftr_refuses 'mark: nothing' 2 'no text was given' mark
ftr_refuses 'mark: an empty text' 2 'no text was given' mark ''
ftr_refuses 'mark: --raw' 2 '--raw takes a number of 32 bits' mark --raw 4294967296 x
ftr_refuses 'mark: a kernel without' 1 "cannot write to '$TMP/t/trace_marker'" mark x
ftr_refuses 'mark: no such instance' 1 "no instance 'two'" mark -B two x
: > t/trace_marker
: > t/trace_marker_raw
: > t/instances/one/trace_marker
ftr_refuses 'mark: an option behind the text is text' 0 '^$' mark the test --raw begins
same 'mark: the text' 'the test --raw begins' "$(cat t/trace_marker)"
run_ftr mark -B one two
same 'mark: of an instance' "0 two" "$ST $(cat t/instances/one/trace_marker)"
run_ftr mark --raw 0x01020304 abc
same 'mark --raw: the bytes' '04 03 02 01 61 62 63' "$(od -An -tx1 t/trace_marker_raw | xargs)"
same 'mark: nothing is journalled' 0 "$(grep -c marker journal/standing)"
rm t/stack_trace
ftr_refuses 'stack: a kernel without' 1 'this kernel has no stack tracer' stack
has 'stack: a kernel without: hint' "$ERR" CONFIG_STACK_TRACER
ftr_refuses 'stack --start: a kernel without' 1 'this kernel has no stack tracer' stack --start
finish
