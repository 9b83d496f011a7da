#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report - and ftr info -: standard input, whether it is a file or a pipe, is read as the file of the same bytes.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
SPOOL="python3 $ORACLE/mkspool.py"
mkdir tmp
export TMPDIR=$TMP/tmp

# alike NAME FILE: report and info say of standard input what they say of the file
alike() {
	local name=$1 file=$2 cmd
	for cmd in "report -R" "info"; do
		"$FTR" $cmd "$file" > want 2> want.err
		echo "status $?" >> want
		"$FTR" $cmd - < "$file" > got 2> got.err
		echo "status $?" >> got
		sed -i "s/^file: .* $file,/file: -,/; s/'$file'/'-'/" want want.err
		sed -i -E 's/^file: +/file: /' want got
		check "$name: $cmd: there is something" test "$(wc -l < want)" -gt 10
		same_files "$name: $cmd, a file" want got
		cat "$file" | "$FTR" $cmd - > got 2> got.err
		echo "status $?" >> got
		sed -i -E 's/^file: +/file: /' got
		same_files "$name: $cmd, a pipe" want got
		same_files "$name: $cmd, a pipe: stderr" want.err got.err
	done
	same "$name: nothing is left behind" "" "$(ls tmp)"
}

# says NAME STATUS PATTERN...: what the last command ended with and said in err
says() {
	local name=$1 status=$2 p
	shift 2
	same "$name: status" "$status" "$STATUS"
	for p; do has "$name: says $p" "$(cat err)" "$p"; done
}

python3 "$ORACLE/mkdat.py" a.dat --records 3000 --cpus 2
$SPOOL s.dat --like like.dat --stream 2 --instances foo
alike "a finished file" a.dat
alike "a stream" s.dat

"$FTR" report a.dat > want
cp a.dat trace.dat
$SPOOL other.dat --stream 2
"$FTR" report < other.dat > got 2> err
same_files "report alone reads trace.dat, whatever standard input is" want got
"$FTR" report -i - < a.dat > got 2> err
same_files "-i -" want got
mkfifo slow
"$FTR" report - < slow > got 2> err &
reader=$!
exec 3> slow
# it waits in read() before the first byte is there, and once more after the first page
wait_until 60 grep -qs pipe_read "/proc/$reader/stack" "/proc/$reader/wchan"
head -c 4096 a.dat >&3
wait_until 60 grep -qs pipe_read "/proc/$reader/stack" "/proc/$reader/wchan"
tail -c +4097 a.dat >&3
exec 3>&-
wait $reader
same_files "a slow pipe" want got
{ echo first; cat a.dat; } > behind
{ read -r _; "$FTR" report -; } < behind > got 2> err
same_files "a file that was read from: what follows" want got
cat s.dat | "$FTR" report - a.dat > got 2> err
same "with other files: each line names its own" "-: a.dat:" \
	"$(echo $(cut -d' ' -f1 got | grep . | sort -u) $(sed -nE 's/^ *(-|a\.dat): .*/\1:/p' got | sort -u) |
	tr ' ' '\n' | grep -E '^(-|a.dat):$' | sort -u | tr '\n' ' ' | sed 's/ $//')"

head -c 60000 s.dat | "$FTR" report - > got 2> err
STATUS=${PIPESTATUS[1]}
says "a stream that is cut" 3 "^ftr: damaged: '-': the recording was not finished" \
	"^hint: .*'ftr recover FILE' finishes it$"
check "a stream that is cut: what there is is shown" test "$(wc -l < got)" -gt 10
cat a.dat | "$FTR" report - - > got 2> err
STATUS=${PIPESTATUS[1]}
says "a pipe twice" 2 "standard input was read already" "give '-' once"
"$FTR" report - < /dev/null > got 2> err
STATUS=$?
says "an empty one" 1 "'-' is empty" "wrote nothing"
gzip -c a.dat | "$FTR" report - > got 2> err
STATUS=${PIPESTATUS[1]}
"$FTR" report a.dat > want 2> /dev/null
same "a compressed one: status, nothing said" "0 0" "$STATUS $(wc -c < err)"
same_files "a compressed one is read" want got
cat a.dat | (ulimit -f 20; "$FTR" report - > /dev/null 2>&3) 3> err
STATUS=$?
says "no room" 1 "cannot keep standard input in '$TMPDIR': File too large" "TMPDIR names another directory"
cat a.dat | TMPDIR=$TMP/not "$FTR" info - > got 2> err
STATUS=${PIPESTATUS[1]}
says "no such folder" 1 "cannot create a file in '$TMP/not'" "TMPDIR names another directory"
"$FTR" report - < "$TMP" > got 2> err
STATUS=$?
says "a folder" 1 "cannot read standard input: Is a directory"
if command -v script > /dev/null; then
	script -qec "$FTR report - 2> err; echo \$? > status" /dev/null < /dev/null > out
	STATUS=$(cat status)
	sed -i -E 's/\x1b\[[0-9;]*m//g' err
	says "a terminal" 2 "'-' is standard input, which is a terminal" "hint: .*ftr report -"
else
	skip "a terminal" "no script(1)"
fi
finish
