#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops arm, disarm, status, collect: what is refused before tracefs is looked at; what would survive,
# on plain files.

. "$(dirname "$0")/../lib.sh"

cd "$TMP" || exit 1
export FTR_TRACEFS=$TMP/none FTR_JOURNAL_DIR=$TMP/journals FTR_OOPS_DIR=$TMP/var/oops FTR_OOPS_ROOT=$TMP/root
mkdir -m 700 "$FTR_JOURNAL_DIR"

ftr_refuses 'a word' 2 "^ftr: unexpected word 'now'$" oops arm now
ftr_refuses '--dump: words' 2 "--dump" oops arm --dump=some
ftr_refuses '--panic-timeout: a word' 2 "^ftr: --panic-timeout takes seconds, not 'soon'$" oops arm --panic-timeout soon
ftr_refuses 'no tracefs' 1 "$TMP/none" oops arm
ftr_refuses 'disarm: no tracefs' 1 "$TMP/none" oops disarm
ftr_refuses 'status: no tracefs' 1 "$TMP/none" oops status
ftr_refuses 'status: a word' 2 'x' oops status x
same 'nothing was made' '' "$(ls -d var 2> err)"

# --- boots that were short
ID=00000000-0000-0000-0000-00000000000
began=$(($(date +%s) - $(cut -d. -f1 /proc/uptime)))
mkdir -p "$FTR_OOPS_DIR"
chmod 700 "$FTR_OOPS_DIR"
boots() {
	local age i=0
	rm -f "$FTR_OOPS_DIR"/*
	for age; do
		echo "began=$((began - age))" > "$FTR_OOPS_DIR/$ID$((i++)).armed"
	done
}
boots 100 200 300
ftr_refuses 'three short boots' 1 \
	'^ftr: not armed: the last 3 armed boots lasted under ten minutes each and did not end in order$' oops arm
ftr_refuses 'three short boots: hint' 1 '^hint: .*--again arms' oops arm
ftr_refuses '--again' 1 "$TMP/none" oops arm --again
boots 100 200
ftr_refuses 'two' 1 "$TMP/none" oops arm
boots 100 750 800
ftr_refuses 'one that lasted 650 seconds' 1 "$TMP/none" oops arm
boots 100 200 300
echo ended=1 >> "$FTR_OOPS_DIR/${ID}0.armed"
ftr_refuses 'one that ended in order' 1 "$TMP/none" oops arm
# without a battery each boot begins with the same time, and a clock that was set is no measure
boots 100 100 100
ftr_refuses 'boots that begin with the same time' 1 "$TMP/none" oops arm
boots -5000 -100 -50
ftr_refuses 'boots of the future' 1 "$TMP/none" oops arm
# the numbers tell which came first, whatever the clock says
boots 100 200 300
for i in 0 1 2; do
	echo "nr=$((7 - i))" >> "$FTR_OOPS_DIR/$ID$i.armed"
done
printf 'began=%d\nended=1\n' $((began - 50)) > "$FTR_OOPS_DIR/${ID}3.armed"
ftr_refuses 'three short boots by their numbers' 1 '^ftr: not armed: the last 3 armed boots' oops arm
boots 100
printf 'began=\377\nplace=\n=\nbegan=99999999999999999999999\n\0x' > "$FTR_OOPS_DIR/${ID}0.armed"
ftr_refuses 'a damaged record' 1 "$TMP/none" oops arm

# --- what would survive
T=$TMP/tracing
export FTR_TRACEFS=$T
rm -f "$FTR_OOPS_DIR"/*
mkdir -p "$T/instances" "$T/per_cpu/cpu0" "$T/options" "$FTR_OOPS_ROOT/proc/sys/kernel" "$FTR_OOPS_ROOT/sys/kernel" \
	"$FTR_OOPS_ROOT/sys/module/pstore/parameters" "$FTR_OOPS_ROOT/sys/module/kernel/parameters"
echo nop > "$T/current_tracer"
put() {
	echo "$2" > "$FTR_OOPS_ROOT/$1"
}
# survives ROW: "name survives lines bytes seconds"
survives() {
	"$FTR" oops status --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(*[int(r["survives"]) for r in d["rows"]], d["dump"]["lines"], d["dump"]["bytes"], d["dump"]["seconds_115200"])'
}
# row NAME: its lines of the text
row() {
	"$FTR" oops status | awk -v name="  $1" 'index($0, name) == 1 { on = 1; print; next } /^  [a-z]/ { on = 0 } on'
}

same 'nothing' '0 0 0 0 0 0 0' "$(survives)"
has 'nothing: buffer' "$(row 'persistent buffer')" 'missing: no instance in reserved memory: boot with reserve_mem='
has 'nothing: dump' "$(row 'console dump')" 'missing: ftrace_dump_on_oops is 0'
has 'nothing: kdump' "$(row kdump)" 'missing: no memory for a crash kernel'

put proc/sys/kernel/ftrace_dump_on_oops 1
# 1,000 records; lines of 60 bytes with their end, and 15 bytes of printk before each
printf '%s\n' 'entries: 1000' 'overrun: 0' 'commit overrun: 0' 'bytes: 48000' 'oldest event ts: 1.0' 'now ts: 2.0' \
	'dropped events: 0' 'read events: 0' > "$T/per_cpu/cpu0/stats"
(echo '# tracer: nop'; for i in $(seq 20); do printf '%059d\n' "$i"; done) > "$T/trace"
same 'a dump' '0 1 0 0 1000 75000 7' "$(survives)"
put proc/sys/kernel/ftrace_dump_on_oops none-such=orig_cpu
has 'a dump of an instance that is not there' "$(row 'console dump')" "missing: there is no instance 'none-such'"
put proc/sys/kernel/ftrace_dump_on_oops orig_cpu
put sys/kernel/kexec_crash_loaded 1
put sys/kernel/kexec_crash_size 268435456
same 'a kdump kernel' '0 1 0 1 1000 75000 7' "$(survives)"
has 'a kdump kernel: the dump' "$(row 'console dump')" \
	'in the way: a kdump kernel is loaded: a panic goes there before the dump'
has 'a kdump kernel: its memory' "$(row kdump)" '^  kdump +yes: all memory, by the crash kernel in 256 MiB$'
has 'a kdump kernel: an oops' "$(row kdump)" 'in the way: panic_on_oops is 0'
put sys/module/kernel/parameters/crash_kexec_post_notifiers Y
put proc/sys/kernel/panic_on_oops 1
same 'a kdump kernel behind the dump' \
	'    in the way: the dump takes the records out of the buffer: then they are in the log only' \
	"$(row 'console dump' | grep 'in the way')"
same 'panic_on_oops' '' "$(row kdump | grep 'in the way')"
put proc/sys/kernel/panic_print 17
has 'panic_print' "$(row 'console dump')" 'in the way: panic_print is 0x11: a panic prints more after the dump'
put sys/module/pstore/parameters/backend '(null)'
put sys/module/pstore/parameters/kmsg_bytes 10240
same 'pstore without backend' '0 1 0 1 1000 75000 7' "$(survives)"
put sys/module/pstore/parameters/backend efi_pstore
has 'pstore' "$(row pstore)" "^  pstore +yes: efi_pstore, the last 10 KiB of the kernel's log$"
has 'pstore: the dump is longer' "$(row pstore)" 'in the way: the dump is longer'
mkdir -p "$FTR_OOPS_ROOT/sys/module/ramoops/parameters"
put sys/module/ramoops/parameters/record_size 131072
has 'pstore: another backend than ramoops' "$(row pstore)" \
	"^  pstore +yes: efi_pstore, the last 10 KiB of the kernel's log$"
put sys/module/pstore/parameters/backend ramoops
has 'pstore: ramoops: a record' "$(row pstore)" "^  pstore +yes: ramoops, the last 128 KiB of the kernel's log$"
same 'pstore: ramoops: the dump is shorter' '' "$(row pstore | grep 'in the way')"
put sys/module/ramoops/parameters/record_size 4096
has 'pstore: ramoops: a short record' "$(row pstore)" "^  pstore +yes: ramoops, the last 4.0 KiB of the kernel's log$"
has 'pstore: ramoops: the dump is longer' "$(row pstore)" 'in the way: the dump is longer'
rm "$FTR_OOPS_ROOT/sys/module/ramoops/parameters/record_size"
has 'pstore: ramoops: not told' "$(row pstore)" "^  pstore +yes: ramoops, the last 10 KiB of the kernel's log$"
put sys/module/pstore/parameters/backend efi_pstore
sed -i 's/1000/3000/' "$T/per_cpu/cpu0/stats"
has 'a dump longer than the log' "$(row 'console dump')" \
	"in the way: the kernel's log has 128 KiB: the dump pushes the text of the oops out of it"
mkdir "$T/instances/boot_map"
echo 0 > "$T/instances/boot_map/tracing_on"
echo 12288 > "$T/instances/boot_map/buffer_total_size_kb"
has 'an instance without last_boot_info' "$(row 'persistent buffer')" 'no instance in reserved memory'
echo '# Current' > "$T/instances/boot_map/last_boot_info"
has 'a boot instance that does not record' "$(row 'persistent buffer')" \
	'missing: nothing is recorded there: ftr oops arm'
echo 1 > "$T/instances/boot_map/tracing_on"
put proc/cmdline 'quiet nokaslr'
has 'a boot instance' "$(row 'persistent buffer')" "^  persistent buffer  yes: instance 'boot_map', 12 MiB$"
same 'a boot instance: nokaslr, panic_on_oops' 1 "$(row 'persistent buffer' | grep -c 'in the way')"
put proc/sys/kernel/panic_on_oops 0
has 'a boot instance: panic_on_oops' "$(row 'persistent buffer')" \
	'in the way: an oops in a task stops the top level only'
echo 'oops_enter:traceoff:unlimited' > "$T/instances/boot_map/set_ftrace_filter"
same 'a boot instance: an oops stops it' 1 "$(row 'persistent buffer' | grep -c 'in the way')"
put proc/sys/kernel/ftrace_enabled 0
has 'a boot instance: not with ftrace off' "$(row 'persistent buffer')" \
	'in the way: an oops in a task stops the top level only'
put proc/sys/kernel/ftrace_enabled 1
echo 'oops_enter:traceoff:count=0' > "$T/instances/boot_map/set_ftrace_filter"
has 'a boot instance: not once it has' "$(row 'persistent buffer')" \
	'in the way: an oops in a task stops the top level only'
put proc/cmdline quiet
has 'a boot instance: KASLR' "$(row 'persistent buffer')" 'in the way: KASLR may move the memory'

# --- where no crash left anything
ftr_refuses 'collect: nothing' 1 '^ftr: no buffer has the trace of a crash$' oops collect --dir "$TMP/collected"
run_ftr oops collect --if-any --dir "$TMP/collected"
same 'collect --if-any: nothing: status, words' '0  ftr: no buffer has the trace of a crash' "$ST $OUT $ERR"
same 'collect --if-any: no folder is made' '' "$(ls -d "$TMP/collected" 2> err)"

# --- where one is collected
mkdir collected
echo 'BUG: here' > oops.txt
python3 "$ORACLE/mkdat.py" collected/20261101-120000.dat --records 5 --oops oops.txt
python3 "$ORACLE/mkdat.py" collected/20261102-120000.dat --records 5
LAST="^ftr: no buffer has the trace of a crash: the last one that was collected is in 'collected/20261101-120000.dat'$"
ftr_refuses 'collect: nothing new' 1 "$LAST" oops collect --dir collected
ftr_refuses 'collect --if-any: nothing new' 0 "$LAST" oops collect --if-any --dir collected

# --- on a terminal: what is done stands in a line, behind which no message begins
python3 "$ORACLE/mkdat.py" "collected/$(cat /proc/sys/kernel/random/boot_id).front" --records 5
echo 0 > "$T/tracing_on"
NO_COLOR=1 script -qec "'$FTR' oops collect --dir collected; echo status \$?" /dev/null < /dev/null > tty
tr '\r' '\n' < tty > lines
has 'collect: the text' "$(cat lines)" "^ftr: the kernel's text of the buffer: 0 "
has 'collect: where the oops may be' "$(cat lines)" '^ftr: looking for the text of the oops: /dev/kmsg'
has 'collect: the data' "$(cat lines)" '^ftr: taking the data of the buffer'
has 'collect: it fails here' "$(cat lines)" '^status [1-9]'
same 'collect: no message behind a line' '' "$(sed 's/\r$//; s/.*\r//' tty | grep -v '^ftr: \|^hint: \|^status ')"
rm -f collected/*.txt
run_ftr oops collect --dir collected
same 'collect: no line elsewhere' 0 "$(grep -c 'looking for' <<< "$ERR")"

finish
