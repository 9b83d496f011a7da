#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# What a peer of ftr listen can take: processes, memory, time, places, the disk;
# and what a listener that is killed leaves.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
SEND=$FTR_BUILD/tests/tools/send_file
export FTR_TRACEFS=$TMP/none
# two ports for each process
PORT=$((10000 + $$ * 2 % 10000))
OPEN=

trap 'kill -KILL $OPEN 2> /dev/null; rm -rf "$TMP"' EXIT

# again OPTION...: a listener in got as it is; $LISTENER
again() {
	start_listener "$FTR" listen -d got -p $PORT "$@"
}

start() {
	rm -rf got
	mkdir got
	again "$@"
}

# ended SECONDS: it has ended within that time
ended() {
	wait_until "$1" not_there "$LISTENER"
}

not_there() {
	! kill -0 "$1" 2> /dev/null || grep -q '^State:.Z' "/proc/$1/status"
}

files() {
	ls got/*."$1" 2> /dev/null | wc -l
}

# got NUMBER: so many files are finished
got() {
	[ "$(files dat)" = "$1" ] && [ "$(files part)" = 0 ]
}

# alone: there is one finished file, and nothing else
alone() {
	got 1 && [ "$(ls -A got | wc -l)" = 1 ]
}

cat > peer.py <<'END'
import os, signal, socket, struct, sys, time
HELLO = b"ftr-send" + struct.pack(">HHI", 1, 1, 0)
IDLE = struct.pack(">HHI", 3, 0, 0)
def data(payload):
    return b"".join(struct.pack(">HHI", 1, 0, len(payload[i:i + 500000])) + payload[i:i + 500000]
                    for i in range(0, len(payload), 500000))
def connect(port, source="127.0.0.1", host="127.0.0.1"):
    s = socket.create_connection((host, port), 60, (source, 0))
    return s
def hello(port, more=b"", **where):
    s = connect(port, **where)
    s.sendall(HELLO + os.urandom(16) + more)
    return s
def answer(s):
    try:
        got = s.recv(24)
    except OSError:
        return "cut"
    return struct.unpack(">H", got[10:12])[0] if len(got) == 24 else "closed"
END

python3 "$ORACLE/mkspool.py" a.dat --like b.dat --stream 2 --records 8000
python3 "$ORACLE/mkspool.py" small.dat --stream 2

# --- the processes that finish recordings

# stops each that finishes until there is a file "enough", and says how many there were at once; then lets them go on,
# or with one more argument not
cat > watch.py <<'END'
import os, signal, sys, time
listener, stay = int(sys.argv[1]), len(sys.argv) > 2
stopped, until, last = set(), time.time() + 300, None
print("ready", flush=True)
def finishers():
    try:
        return [int(p) for p in open("/proc/%d/task/%d/children" % (listener, listener)).read().split()]
    except OSError:
        return []
def syncs(pid):
    try:
        return open("/proc/%d/comm" % pid).read().strip() == "ftr-sync"
    except OSError:
        return True
# one that was stopped before it has its name gets time for that, much of it on a processor that others want
def name_it(pid):
    while time.time() < until:
        if open("/proc/%d/comm" % pid).read().strip() != "ftr":
            return
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.0005)
        os.kill(pid, signal.SIGSTOP)
# one more that begins behind the last that is to come gets half a second for it
while time.time() < (last or until):
    if last is None and os.path.exists("enough") and stopped:
        last = time.time() + 0.5
    for pid in finishers():
        if pid in stopped:
            continue
        try:
            os.kill(pid, signal.SIGSTOP)
            name_it(pid)
            if syncs(pid):
                os.kill(pid, signal.SIGCONT)
            else:
                stopped.add(pid)
        except OSError:
            pass
print(len([p for p in stopped if os.path.exists("/proc/%d" % p) and not syncs(p)]), flush=True)
if not stay:
    while finishers():
        for pid in finishers():
            os.kill(pid, signal.SIGCONT)
        time.sleep(0.02)
END

CPU=$(taskset -pc $$ | sed -E 's/.*: ([0-9]+).*/\1/')

# watched NUMBER [stay]: a listener on one processor gets so many recordings; how many are finished at once is in
# at-once. It comes last to its processor, so that nothing is finished before it is seen; $TOLD senders were told that
# all is there.
watched() {
	rm -rf got
	mkdir got
	start_listener nice -n 19 taskset -c "$CPU" "$FTR" listen -d got -p $PORT
	local i senders=
	rm -f enough
	: > at-once
	python3 watch.py "$LISTENER" $2 > at-once &
	WATCH=$!
	wait_for ready at-once
	for i in $(seq "$1"); do
		"$SEND" 127.0.0.1:$PORT a.dat &
		senders="$senders $!"
	done
	TOLD=0
	for i in $senders; do
		wait "$i" && TOLD=$((TOLD + 1))
	done
	: > enough
}

watched 12
wait $WATCH
same "one processor: twelve recordings are finished one by one" 1 "$(tail -n 1 at-once)"
same "one processor: senders that were told" 12 "$TOLD"
check "one processor: all are finished" wait_until 60 got 12
stop_listener

watched 5 stay
same "a finisher that hangs: senders that were told all the same" 5 "$TOLD"
wait $WATCH
WORKERS=$(cat "/proc/$LISTENER/task/$LISTENER/children")
kill -TERM "$LISTENER"
# it has read the signal, and what it does then would be its end
pending() {
	local bits
	bits=$(sed -n 's/^ShdPnd:\t//p' "/proc/$LISTENER/status")
	[ $((0x$bits >> 14 & 1)) = 1 ]
}
read_it() {
	! pending
}
wait_until 60 read_it
check "the first signal: it waits for what is being finished" eval '! ended 1'
kill -TERM "$LISTENER"
check "the second signal: it ends" ended 60
for i in $WORKERS; do
	not_there "$i" || { fail "the second signal: process $i is there"; kill -KILL "$i"; }
done
wait "$LISTENER"
same "the second signal: status" 0 $?
# the first may have been faster than who was to stop it
LEFT=$(files part)
check "the second signal: $LEFT of 5 are left" test "$LEFT" -ge 2
same "the second signal: nothing is beside them" "$((5 - LEFT)) 5" "$(files dat) $(ls got | wc -l)"
same "the second signal: each is named" "$LEFT" "$(grep -c "warning: 'got/.*\.part' is not finished" said)"

# --- what another listener left

mv "$(ls got/*.part | head -n 1)" got/trace-1.dat.part
: > got/trace-1.dat.part-77
echo victim > victim
ln -s "$TMP/victim" got/trace-2.dat.part
cp a.dat got/trace-3.dat.part
ln got/trace-3.dat.part third
cp a.dat got/trace-4.dat.part
echo older > got/trace-4.dat
: > got/trace-5.dat.part
cp a.dat got/other-6.dat.part
STAYS="other-6.dat.part trace-2.dat.part trace-3.dat.part trace-4.dat trace-4.dat.part"
NAMED="2 3 4"
if [ "$(id -u)" = 0 ]; then
	cp a.dat got/trace-7.dat.part
	chown 65534 got/trace-7.dat.part
	STAYS="$STAYS trace-7.dat.part"
	NAMED="2 3 4 7"
fi
again
all_finished() {
	[ "$(ls got/*.dat | grep -vc 'trace-4')" = 5 ] && [ -z "$(ls got | grep -- '-127.*part')" ]
}
check "left by one that was killed: all are finished" wait_until 60 all_finished
same "left by one that was killed: each is said" "$LEFT" "$(grep -c "was left by a listener that was killed" said)"
for f in got/trace-1*.dat; do
	same "left by one that was killed: the same records" "$(records b.dat)" "$(records "$f")"
done
same "left: what is not ours stays, what a finisher wrote and what is empty goes" "$STAYS" \
	"$(echo $(ls got | grep -vE '^trace-1.*\.dat$'))"
same "left: what stays is named" "$NAMED" \
	"$(echo $(sed -nE "s/^ftr: warning: 'got.trace-([0-9]).dat.part' is left as it is: .*/\1/p" said | sort))"
same "left: a link is not followed" "victim" "$(cat victim)"
stop_listener

# two that live, in one folder
start
python3 - $PORT a.dat <<'END' &
import sys
from peer import *
s = hello(int(sys.argv[1]), data(open(sys.argv[2], "rb").read()[:200000]))
time.sleep(600)
END
HOLDER=$!
OPEN="$OPEN $HOLDER"
part_came() {
	[ "$(files part)" = 1 ] && [ -s got/*.part ]
}
wait_until 60 part_came
"$FTR" listen -d got -p $((PORT + 1)) 2> said2 &
SECOND=$!
OPEN="$OPEN $SECOND"
wait_for '^ftr: listening' said2
"$SEND" 127.0.0.1:$((PORT + 1)) small.dat
finished_one() {
	[ "$(files dat)" = 1 ]
}
wait_until 60 finished_one
kill -TERM $SECOND
wait $SECOND
same "two listeners in a folder: the other's recording is left alone" "1 1" "$(files part) $(files dat)"
kill -KILL "$LISTENER"
wait "$LISTENER" 2> /dev/null
again
check "two listeners in a folder: it is not, once its own was killed" wait_until 60 got 2
stop_listener
kill $HOLDER 2> /dev/null
wait $HOLDER 2> /dev/null

# --- memory and time to finish one

# left_raw NAME OPTION VALUE: what is sent stays as it came
left_raw() {
	start "$2" "$3"
	"$SEND" 127.0.0.1:$PORT a.dat
	same "$1: status of the sender" 0 $?
	check "$1: it stays as it came" wait_until 60 got 1
	check "$1: all that came" cmp a.dat got/*.dat
	has "$1: words" "$(cat said)" "^ftr: warning: 'got/trace-127.*\.dat' is kept as it was received: .*$2"
	same "$1: nothing beside it" 1 "$(ls -A got | wc -l)"
	stop_listener
}

if [ "${FTR_IS_SAN:-}" = 1 ]; then
	skip "too much memory" "a sanitizer has its own"
else
	left_raw "too much memory" --finish-memory 1M
fi
left_raw "too much time" --finish-time 1us

# --- places

start --max-peers 4 --timeout 30
: > there
python3 - $PORT <<'END' > there &
import sys
from peer import *
quiet = [hello(int(sys.argv[1])) for _ in range(4)] + [connect(int(sys.argv[1])) for _ in range(4)]
print("there", flush=True)
while True:
    for s in quiet:
        try:
            s.sendall(IDLE)
        except OSError:
            pass
    time.sleep(0.3)
END
HOLDER=$!
OPEN="$OPEN $HOLDER"
wait_for there there
"$SEND" 127.0.0.1:$PORT small.dat > words
same "peers that only say that they are there keep nobody out" "0 " "$? $(cat words)"
kill $HOLDER 2> /dev/null
wait $HOLDER 2> /dev/null
check "... and leave nothing behind" wait_until 60 alone
stop_listener

start --max-each 2
OUT=$(python3 - $PORT <<'END'
import sys
from peer import *
port, some = int(sys.argv[1]), data(b"x")
def begin(**where):
    s = hello(port, some, **where)
    return s, answer(s)
two = [begin() for _ in range(2)]
print("two:", *[a for s, a in two])
print("a third:", begin()[1])
print("from another address:", begin(source="127.0.0.2")[1])
for s, a in two:
    s.close()
said = []
# one may come before the listener has seen that another has gone: six in turn are meant
while said[-6:] != [2] * 6 and len(said) < 100:
    s, a = begin()
    said.append(a)
    s.close()
    time.sleep(0.05)
print("recordings:", said.count(0) + 2, "then", *set(said[-6:]))
print("from another address:", begin(source="127.0.0.2")[1])
END
)
same "an address: two connections, eight recordings" "two: 0 0
a third: 2
from another address: 0
recordings: 8 then 2
from another address: 0" "$OUT"
stop_listener

cat > prefix.sh <<'END'
ip link set lo up && ip addr add fd00:0:0:1::1/64 dev lo nodad && ip addr add fd00:0:0:1::2/64 dev lo nodad &&
	ip addr add fd00:0:0:2::1/64 dev lo nodad || exit 9
rm -f said
"$FTR" listen -d got --max-each 1 "[::]:7000" 2> said &
until grep -q listening said; do sleep 0.05; done
python3 - <<'EOT'
from peer import *
def begin(source):
    s = hello(7000, data(b"x"), source=source, host="fd00:0:0:1::1")
    return s, answer(s)
held = [begin(a) for a in ("fd00:0:0:1::1", "fd00:0:0:1::2", "fd00:0:0:2::1")]
print(*[a for s, a in held])
EOT
kill $!
wait $!
END
rm -rf got
mkdir got
if unshare -n ip addr add fd00::1/64 dev lo nodad 2> /dev/null; then
	same "IPv6: who has a network has one address" "0 2 0" "$(unshare -n sh prefix.sh)"
else
	skip "IPv6: who has a network has one address" "no network of its own for a test"
fi

# --- descriptors

# ticks: of the processor that the listener took
ticks() {
	awk '{ print $14 + $15 }' "/proc/$LISTENER/stat"
}

rm -rf got
mkdir got
start_listener bash -c 'ulimit -n 24 && exec "$0" "$@"' "$FTR" listen -d got -p $PORT
cat > crowd.py <<'END'
import sys
from peer import *
crowd = [connect(int(sys.argv[1])) if i % 2 else hello(int(sys.argv[1]), data(b"x")) for i in range(60)]
time.sleep(600)
END
for i in 1 2 3; do
	python3 crowd.py $PORT &
	HOLDERS[i]=$!
	OPEN="$OPEN $!"
done
# the table is full, and what came before that is done
wait_for 'no more connections can be accepted' said
quiet() {
	BEFORE=$(ticks)
	sleep 1		# a measurement: of this time it takes how much?
	AFTER=$(ticks)
	[ $((AFTER - BEFORE)) -lt $(($(getconf CLK_TCK) / 6)) ]
}
wait_until 60 quiet
BEFORE=$(ticks)
sleep 3			# here, too
AFTER=$(ticks)
[ $((AFTER - BEFORE)) -lt $(($(getconf CLK_TCK) / 2)) ] && pass "no descriptors: it waits" ||
	fail "no descriptors: it waits" "$((AFTER - BEFORE)) ticks in 3 s"
has "no descriptors: words" "$(cat said)" "no more connections can be accepted: Too many open files"
kill "${HOLDERS[@]}"
wait "${HOLDERS[@]}" 2> /dev/null
check "no descriptors: later it serves again" "$SEND" 127.0.0.1:$PORT small.dat
stop_listener
same "no descriptors: status" 0 "$STATUS"

# --- the disk

cat > disk.sh <<'END'
. "$FTR_TOP/tests/lib.sh"
rm -rf "$TMP"
mount -t tmpfs -o size=40M tmpfs got || exit 9
: > said
"$FTR" listen -d got -p $PORT --min-free 16M 2> said &
LISTENER=$!
wait_for '^ftr: listening' said
python3 - $PORT a.dat <<'EOT'
import sys
from peer import *
port, start = int(sys.argv[1]), open(sys.argv[2], "rb").read()[:90000]
s = hello(port, data(start))
print("one:", answer(s))
try:
    s.sendall(data(bytes(60 << 20)))
except OSError:
    pass
print("one that fills the disk:", answer(s))
st = os.statvfs("got")
print("kept free:", st.f_bavail * st.f_frsize >= 15 << 20)
t = hello(port)
print("another:", answer(t))
EOT
kill -TERM $LISTENER
wait $LISTENER
echo "$(ls got | wc -l) file, $(ls got/*.dat | wc -l) with its name"
END
export PORT SEND
if unshare -m mount -t tmpfs tmpfs got 2> /dev/null; then
	same "the disk: a part stays free" "one: 0
one that fills the disk: 4
kept free: True
another: 4
1 file, 1 with its name" "$(unshare -m bash disk.sh)"
	has "the disk: words" "$(cat said)" "warning: 'got' has .* free, of which 16 MiB are kept"
	has "the disk: no room to finish it" "$(cat said)" "is kept as it was received: the disk has no room"
else
	skip "the disk: a part stays free" "no mounts of its own for a test"
fi

# --- usage

for o in "--max-each 0" "--max-peers 10001" "--min-free x" "--finish-memory 0" "--finish-time 0"; do
	OUT=$(timeout 20 "$FTR" listen $o 2>&1)
	same "$o: status" 2 $?
	has "$o: words" "$OUT" "^ftr: .*${o% *} takes a (size|time|number)"
done
finish
