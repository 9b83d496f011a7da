#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr listen and what sends to it: all arrives, over connections that are cut, and peers can do no harm.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
SEND=$FTR_BUILD/tests/tools/send_file
SPOOL="python3 $ORACLE/mkspool.py"
export FTR_TRACEFS=$TMP/none
# a dozen ports for each process
PORT=$((20000 + $$ * 12 % 12000))
OPEN=

trap 'kill $OPEN 2> /dev/null; rm -rf "$TMP"' EXIT

# start OPTION...: a listener, whose words are in said; $LISTENER
start() {
	rm -rf got
	mkdir got
	start_listener "$FTR" listen -d got "$@"
}

# got NUMBER: so many files are finished
got() {
	[ "$(ls got/*.dat 2> /dev/null | wc -l)" = "$1" ] && [ -z "$(ls got/*.part 2> /dev/null)" ]
}

$SPOOL a.dat --like b.dat --stream 2 --instances foo --text tracer=nop

# --- one, several

start -p $PORT
"$SEND" 127.0.0.1:$PORT a.dat
same "TCP: status of the sender" 0 $?
check "TCP: a file" wait_until 60 got 1
F=$(ls got/*.dat)
has "TCP: its name" "$F" '^got/trace-127\.0\.0\.1-20[0-9]{6}-[0-9]{6}\.dat$'
same "TCP: who may read it" 600 "$(stat -c %a "$F")"
same "TCP: the same records" "$(records b.dat)" "$(records "$F")"
has "TCP: a regular file" "$("$FTR" info "$F")" '^checksums: +[0-9]+ ranges, all correct'
has "TCP: words" "$(cat said)" "^ftr: 127.0.0.1 sends 'got/trace-.*\.dat'"
for i in 1 2 3 4; do
	"$SEND" 127.0.0.1:$PORT a.dat &
	SENDERS[i]=$!
done
for i in 1 2 3 4; do
	wait "${SENDERS[i]}" || fail "four at once: sender $i"
done
check "four at once: a file each" wait_until 60 got 5
for f in got/*.dat; do
	[ "$(records b.dat)" = "$(records "$f")" ] || fail "four at once: $f"
done
stop_listener
same "SIGTERM: status" 0 "$STATUS"

start "$TMP/sock" -o name
same "a Unix socket: who may connect" 600 "$(stat -c %a sock)"
"$SEND" "$TMP/sock" a.dat
same "a Unix socket: status of the sender" 0 $?
check "a Unix socket: a file" wait_until 60 got 1
has "a Unix socket: its name" "$(ls got)" "^name-uid-$(id -u)-20.*\.dat$"
kill -KILL "$LISTENER"
wait "$LISTENER" 2> /dev/null
start "$TMP/sock"
check "a socket that a killed listener left is taken" grep -q listening said
stop_listener
check "a socket is removed at the end" test ! -e sock

# --- the connection is cut

start -p $PORT
python3 "$FTR_TOP/tests/tools/cut_proxy.py" $((PORT + 1)) $PORT 20 20000 "$FTR_SEED" > cuts &
PROXY=$!
OPEN="$OPEN $PROXY"
wait_for listening cuts
$SPOOL long.dat --like c.dat --stream 2 --records 2000
"$SEND" 127.0.0.1:$((PORT + 1)) long.dat > words
same "cut at 20 points: status of the sender" "0 " "$? $(cat words)"
check "cut at 20 points: $(tail -n 1 cuts) connections" test "$(tail -n 1 cuts)" -ge 21
check "cut at 20 points: one file" wait_until 60 got 1
same "cut at 20 points: the same records" "$(records c.dat)" "$(records got/*.dat)"
kill $PROXY
wait $PROXY 2> /dev/null
stop_listener

# the listener is killed and comes again: it knows nothing of what it had, and gets all once more
start -p $PORT
"$SEND" 127.0.0.1:$PORT long.dat 40 > words &
SENDER=$!
some_came() {
	[ -s "$(ls got/*.part 2> /dev/null | head -n 1)" ]
}
wait_until 60 some_came
kill -KILL "$LISTENER"
wait "$LISTENER" 2> /dev/null
mkdir before
mv got/* before/ 2> /dev/null
start -p $PORT
wait $SENDER
same "a listener that comes again: status of the sender" "0 " "$? $(cat words)"
check "a listener that comes again: a file" wait_until 60 got 1
same "a listener that comes again: the same records" "$(records c.dat)" "$(records got/*.dat)"
stop_listener

# a recording that is cut for good is finished as far as it came
start -p $PORT --timeout 2
python3 - $PORT a.dat <<'END'
import glob, os, socket, struct, sys, time
data = open(sys.argv[2], "rb").read()[:90000]
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"ftr-send" + struct.pack(">HHI", 1, 1, 0) + bytes(range(16)))
assert s.recv(24)[:12] == b"ftr-recv\0\1\0\0"
s.sendall(struct.pack(">HHI", 1, 0, len(data)) + data)
until = time.time() + 60
while sum(map(os.path.getsize, glob.glob("got/*.part"))) < len(data) and time.time() < until:
    time.sleep(0.02)
END
check "cut for good: a file" wait_until 60 got 1
has "cut for good: it is a regular file" "$("$FTR" info got/*.dat 2>&1)" '^checksums: +[0-9]+ ranges, all correct'
has "cut for good: what it lacks is said" "$(cat said)" 'without .*statistics'

# --- strangers

cat > strange.py <<'END'
import os, random, socket, struct, sys, time
port, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
HELLO = b"ftr-send" + struct.pack(">HHI", 1, 1, 0)
def talk(data, wait=0.0):
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(60)
    answer = b""
    try:
        s.sendall(data)
        time.sleep(wait)
        s.shutdown(socket.SHUT_WR)
        while True:
            more = s.recv(1000)
            if not more:
                break
            answer += more
    except OSError:
        pass
    s.close()
    return answer
def expect(what, answer, code):
    if code is None and answer or code is not None and answer[-24:-8] != b"ftr-recv" + struct.pack(">HHI", 1, code, 0):
        print("%s: %r" % (what, answer))
expect("nonsense", talk(b"GET / HTTP/1.1\r\nHost: ../../etc/passwd\r\n\r\n"), None)
expect("another version", talk(b"ftr-send" + struct.pack(">HHI", 2, 1, 0) + bytes(16)), 5)
expect("another kind", talk(b"ftr-send" + struct.pack(">HHI", 1, 7, 0) + bytes(16)), 5)
expect("hello alone", talk(HELLO + os.urandom(16)), 0)
for frame in (struct.pack(">HHI", 1, 0, 0), struct.pack(">HHI", 1, 0, (1 << 20) + 1), struct.pack(">HHI", 2, 0, 1),
              struct.pack(">HHI", 9, 0, 0), struct.pack(">HHI", 3, 0, 4)):
    expect("frame %r" % frame, talk(HELLO + os.urandom(16) + frame), 0)
# who only says hello, or END too, leaves nothing behind and takes nobody's place
for _ in range(100):
    expect("hello alone, again", talk(HELLO + os.urandom(16)), 0)
expect("an empty recording", talk(HELLO + os.urandom(16) + struct.pack(">HHI", 2, 0, 0)), 1)
big = HELLO + os.urandom(16) + (struct.pack(">HHI", 1, 0, 100000) + bytes(100000)) * 5
expect("too much", talk(big), 3)
for _ in range(60):
    data = bytearray(HELLO + os.urandom(16) + struct.pack(">HHI", 1, 0, 3000) + open(sys.argv[3], "rb").read(3000) +
                     struct.pack(">HHI", 2, 0, 0))
    for _ in range(rng.randrange(4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    talk(bytes(data[:rng.randrange(1, len(data) + 1)]))
# each with something new: four times as many recordings as peers, while they are remembered
for _ in range(400):
    answer = talk(HELLO + os.urandom(16) + struct.pack(">HHI", 1, 0, 1) + b"x")
    if answer[10:12] != b"\0\0":
        break
expect("one recording too many", answer, 2)
# eight that send, and one too many; those who send nothing make room for it
def open_one(data):
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(60)
    s.sendall(data)
    return s
# the recordings of before are remembered for 2 s, those of a try that failed as well
for _ in range(60):
    busy = [open_one(HELLO + os.urandom(16) + struct.pack(">HHI", 1, 0, 1) + b"x") for _ in range(8)]
    answers = [s.recv(24) for s in busy]
    answer = talk(HELLO + os.urandom(16))
    if all(a[10:12] == b"\0\0" for a in answers) and answer[10:12] == b"\0\2":
        break
    for s in busy:
        s.close()
    time.sleep(2.5)
for a in answers:
    expect("of eight", a, 0)
expect("one too many", answer, 2)
END
stop_listener
start -p $PORT --timeout 2 --max-size 400K --max-peers 8
OUT=$(python3 strange.py $PORT "$FTR_SEED" a.dat)
same "strangers: what they are told" "" "$OUT"
check "strangers: it still listens" wait_until 60 "$SEND" 127.0.0.1:$PORT a.dat
stop_listener
check "strangers: nothing but files of its own names" \
	test -z "$(ls -a got | grep -vE '^\.+$|^trace-127\.0\.0\.1-[0-9-]+\.dat$')"
same "strangers: status" 0 "$STATUS"
check "strangers: no sanitizer has a word" test -z "$(grep -E 'Sanitizer|runtime error' said)"

# --- usage

"$SEND" 127.0.0.1:$((PORT + 7)) a.dat > words &
SENDER=$!
# nobody answers: it waits to try again
waits() {
	[[ $(cat "/proc/$SENDER/comm") = send_file && $(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$SENDER/status") = S ]]
}
wait_until 60 waits
start -p $((PORT + 7))
wait $SENDER
same "a listener that comes late" 0 $?
stop_listener
OUT=$(timeout 20 "$FTR" listen nothing/ 2>&1)
same "no folder for the socket: status" 1 $?
OUT=$(timeout 20 "$FTR" listen vsock:x 2>&1)
same "no address: status" 2 $?
has "no address: words" "$OUT" "'vsock:x' is not an address"
for address in 127.0.0.1:65536 127.0.0.1:99999 '[::1]:4294967297' localhost:-1; do
	OUT=$(timeout 10 "$FTR" listen -d . "$address" 2>&1)
	same "a port that there is not: status" "2: ftr: '$address' is not an address" "$?: $(head -n 1 <<< "$OUT")"
done
OUT=$(timeout 10 "$FTR" listen -d . -p 99999 2>&1)
same "a port that there is not, by -p: status" 2 $?
OUT=$(timeout 20 "$FTR" listen -o ../x 2>&1)
same "a name with a folder: status" 2 $?
: > said
"$FTR" listen -d got 0.0.0.0:$((PORT + 9)) 2> said &
wait_for '^ftr: listening' said
kill -TERM $!
wait $!
has "open to others: words" "$(cat said)" "warning: '0.0.0.0:.*' can be reached by others.*ssh"
OUT=$(timeout 20 "$FTR" listen -d none 2>&1)
same "no such folder: status" 1 $?
"$FTR" listen -D -l log -d got -p $((PORT + 11)) 2> err
same "-D: status" 0 $?
PID=$(ss -tlnp 2> /dev/null | grep ":$((PORT + 11)) " | grep -o 'pid=[0-9]*' | cut -d= -f2 | head -n 1)
"$SEND" 127.0.0.1:$((PORT + 11)) a.dat
same "-D: it listens" 0 $?
[ -z "$PID" ] || { wait_for events log; kill "$PID"; has "-l: words" "$(cat log)" "sends 'got/trace"; }
finish
