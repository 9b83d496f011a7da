# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by realtime.sh: latency.sh KERNEL-SERIES. Tracers that keep the longest latency: the text
# in the file is what the kernel's own file shows, and nothing else is taken.
. "$FTR_TOP/tests/lib.sh"
K=$1
T=/sys/kernel/tracing
cd "$TMP" || exit 1

# A number that no tracer leaves there; and a buffer is full size after its first use.
echo 12345 > $T/tracing_max_latency
echo 1410 > $T/buffer_size_kb
now() {
	(cd $T && head -n 40 current_tracer tracing_on tracing_max_latency trace_options buffer_size_kb events/enable &&
		ls instances)
}
now > before

# unchanged NAME
unchanged() {
	now > after
	same_files "$K: $1: the state is as before" before after
}

# A real-time task is woken some times, then the kernel's own text is kept: nothing is traced after that.
cat > load.sh <<-EOF
	for i in 1 2 3 4 5; do chrt -f 5 sleep 0.1; done
	echo 0 > $T/tracing_on
	cat $T/trace > kernel.txt
	cat $T/tracing_max_latency > max
EOF

# is_text NAME FILE: report prints the kernel's text, and info the kernel's number
is_text() {
	"$FTR" report "$2" > text 2> err
	same "$K: $1: report's status, and nothing is said" "0 " "$? $(cat err)"
	same_files "$K: $1: the text is the kernel's" kernel.txt text
	has "$K: $1: info has the kernel's number" "$("$FTR" info "$2")" \
		"^max latency: +$(cat max) us, text of .*$(wc -c < kernel.txt) bytes"
}

each() {
	local tracer found=0
	for tracer in wakeup wakeup_rt irqsoff preemptoff preemptirqsoff; do
		grep -qw "$tracer" $T/available_tracers || continue
		found=1
		"$FTR" record -p "$tracer" -d -o t.dat -- sh load.sh 2> said
		same "$K: $tracer: status" 0 $?
		check "$K: $tracer: a latency was measured" grep -q "^# latency: [1-9]" kernel.txt
		is_text "$tracer" t.dat
		has "$K: $tracer: it is said" "$(cat said)" "tracer '$tracer' keeps the longest latency"
		has "$K: $tracer: the last line has it" "$(tail -n 1 said)" ", 0 lost, max latency $(cat max) us, "
		same "$K: $tracer: no records" "0" \
			"$(python3 "$ORACLE/rawdecode.py" t.dat 2> /dev/null | total records)"
		trace-cmd report t.dat > tc.out 2> tc.err
		same "$K: $tracer: trace-cmd reads it, and says nothing" "0 " "$? $(cat tc.err)"
		unchanged "$tracer"
	done
	same "$K: there are such tracers" 1 $found
}

functions() {
	"$FTR" record -q -p wakeup_rt -l '*sched*' -o t.dat -- sh load.sh 2> said
	check "$K: with functions: some are in the text" grep -q ' <-' kernel.txt
	is_text "with functions" t.dat
	unchanged "with functions"
}

# Events come through the same buffers.
events() {
	"$FTR" record -q -p wakeup_rt -d -e sched -o t.dat -- sh load.sh 2> said
	check "$K: with events: some are in the text" grep -q ' sched_' kernel.txt
	is_text "with events" t.dat
	"$FTR" record -q -p wakeup_rt -d -B foo -e sched:sched_switch -o t.dat -- sh load.sh 2> said
	"$FTR" report t.dat > text 2> err
	same "$K: an instance beside: report's status, and nothing is said" "0 " "$? $(cat err)"
	head -n "$(wc -l < kernel.txt)" text > head
	same_files "$K: an instance beside: first the text" kernel.txt head
	check "$K: an instance beside: then its records" grep -q '^ *foo: .* sched_switch:' text
	same "$K: an instance beside: in the order of time" 0 \
		"$(grep '^ *foo: ' text | grep -oE '[0-9]+\.[0-9]{6}: ' | sort -cn 2>&1 | wc -l)"
	unchanged "events"
}

# Swaps all the time, and much that is recorded meanwhile.
busy() {
	"$FTR" record -q -p wakeup_rt -d -e sched -e irq -e timer -b 64 -o t.dat -- \
		sh -c 'for p in 1 2 3 4 5 6 7 8 9; do chrt -f $p sh -c "sleep 0.1; sleep 0.1; :" & done; wait' 2> said
	"$FTR" report t.dat > text 2> err
	same "$K: under load: the file is sound" "0 " "$? $(cat err)"
	check "$K: under load: there is a text" grep -q '^# latency: [1-9]' text
	has "$K: under load: the checksums as well" "$("$FTR" info t.dat)" '^checksums: .* all correct'
	unchanged "under load"
}

in_instance() {
	sed "s,$T/,$T/instances/foo/,g" load.sh > there.sh
	"$FTR" record -q -B foo -p wakeup_rt -d -o t.dat -- sh there.sh 2> said
	same "$K: in an instance: status" 0 $?
	is_text "in an instance" t.dat
	has "$K: in an instance: info says so" "$("$FTR" info t.dat)" "^max latency: .*, instance foo"
	unchanged "in an instance"
}

elsewhere() {
	"$FTR" record -q -p wakeup_rt -d -o - -- sh load.sh 2> said > s.dat
	is_text "a stream" s.dat
	"$FTR" recover -o r.dat s.dat > /dev/null 2>&1
	is_text "a stream, finished" r.dat
	"$FTR" record -p wakeup_rt -d --file-version 6 -o t.dat -- sh load.sh 2> said
	is_text "version 6" t.dat
	has "$K: version 6: it is version 7, which is said" "$(cat said)" \
		"the file is of version 7: version 6 has no place"
	"$FTR" record -q -p wakeup_rt -d --compression=zstd -o t.dat -- sh load.sh 2> said
	is_text "compressed" t.dat
	"$FTR" start -q -p wakeup_rt -d
	sh load.sh
	"$FTR" extract -o t.dat 2> said
	"$FTR" report --format=kernel t.dat 2> err | head -n "$(wc -l < kernel.txt)" > text
	same_files "$K: extract: the text is the kernel's" kernel.txt text
	has "$K: extract: the last line has it" "$(tail -n 1 said)" ", max latency $(cat max) us"
	"$FTR" reset > /dev/null 2>&1
	unchanged "extract"
	"$FTR" stream -p wakeup_rt -d -- true > out 2> said
	same "$K: stream: status" 1 "$(test $? = 0; echo $?)"
	has "$K: stream: it is refused" "$(cat said)" \
		"tracer 'wakeup_rt' keeps the longest latency only, which cannot be streamed"
	unchanged "stream"
}

# No deadline task was woken.
nothing() {
	grep -qw wakeup_dl $T/available_tracers || return
	"$FTR" record -p wakeup_dl -d -o t.dat -- true 2> said
	has "$K: nothing was measured: it is said" "$(cat said)" "tracer 'wakeup_dl' measured no latency"
	has "$K: and that there are no events" "$(cat said)" "has no events"
	"$FTR" record -q --strict -p wakeup_dl -d -o t.dat -- true 2> said
	same "$K: --strict: status" 3 $?
	unchanged "nothing was measured"
}

is_nop() {
	grep -qx nop $T/current_tracer && grep -qx 12345 $T/tracing_max_latency
}

killed() {
	local pid name
	"$FTR" record -p wakeup_rt -d -o k.dat 2> said &
	pid=$!
	wait_for "recording" said
	chrt -f 5 sleep 0.1
	"$FTR" report k.dat* > /dev/null 2> err
	has "$K: while it is recorded: the reader says what is not there yet" "$(cat err)" \
		"missing: .*the longest latency"
	kill -KILL $pid
	wait $pid 2> /dev/null
	check "$K: killed: the tracer is put back" wait_until 60 is_nop
	wait_for "ftr recover" said
	unchanged "killed"
	name=$(sed -n "s/^ftr: killed: the recorded data is in '\(.*\)'.*/\1/p" said)
	"$FTR" recover -o r.dat "$name" > out 2>&1
	has "$K: killed: recover says what is lost" "$(cat out)" "the longest latency \(only the kernel had it\)"
	"$FTR" report r.dat > /dev/null 2> err
	same "$K: killed: what there is can be read" "0 " "$? $(cat err)"
}

run_parts ${FTR_PARTS:-each functions events busy in_instance elsewhere nothing killed}
