#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Root writes into folders of other users: no link that they make leads anywhere, nothing is given to them,
# no secret told.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
export ORACLE_DIR=$ORACLE
SPOOL="python3 $ORACLE/mkspool.py"
SWAP=$FTR_TOP/tests/tools/swap.py
WHO=65534
export FTR_TRACEFS=$TMP/none

if [ "$(id -u)" != 0 ]; then
	skip "folders of others" "not root"
	finish
fi
chmod 755 .

# fresh: theirs/a.dat, of the user $WHO in a folder of its own, and what it would like to have, in root's
fresh() {
	rm -rf theirs theirs.gone victim
	mkdir -p theirs/sub victim
	echo "root's" > victim/bashrc
	cp victim/bashrc victim/a.dat
	chmod 600 victim/*
	cp --sparse=always big.dat theirs/a.dat
	cp --sparse=always big.dat theirs/sub/a.dat
	chown -R "$WHO:$WHO" theirs
	BEFORE=$(victims)
}

# victims: names, owners and content of root's files
victims() {
	find victim -printf '%p %U:%G %m\n' | sort
	md5sum victim/bashrc victim/a.dat
}

$SPOOL big.dat --records 6000 --text boot_id=another

# --- the file is exchanged for a link while it is recovered

for n in 1 2; do
	fresh
	SWAPPED=$("$SWAP" $WHO $n "$TMP/theirs/a.dat" "$TMP/victim/bashrc" theirs/a.dat \
		-- "$FTR" recover theirs/a.dat 2> err)
	echo "# opened $n times: swapped, status: $SWAPPED; $(tail -n 2 err | tr '\n' ' ')"
	same "the file becomes a link, opened $n times: root's stay root's" "$BEFORE" "$(victims)"
	[ "$SWAPPED" != "1 1" ] ||
		has "the file becomes a link: words" "$(cat err)" \
			"'theirs/a.dat' was replaced by another file meanwhile"
	fresh
	SWAPPED=$("$SWAP" $WHO $n "$TMP/theirs/sub" "$TMP/victim" theirs/sub/a.dat \
		-- "$FTR" recover theirs/sub/a.dat 2> err)
	echo "# opened $n times: swapped, status: $SWAPPED; $(tail -n 2 err | tr '\n' ' ')"
	same "the folder becomes a link, opened $n times: root's stay root's" "$BEFORE" "$(victims)"
	[ $n = 1 ] || continue
	same "the folder becomes a link: it was exchanged" 1 "${SWAPPED% *}"
	same "the folder becomes a link: what was opened is recovered" "1 0 $WHO" \
		"$SWAPPED $(stat -c %u theirs/sub.gone/a.dat)"
done
for i in 1 2 3 4 5 6 7 8; do
	fresh
	SWAPPED=$("$SWAP" $WHO 0 "$TMP/theirs/a.dat" "$TMP/victim/bashrc" theirs/a.dat \
		-- "$FTR" recover theirs/a.dat 2> err)
	same "link or file, $i: root's stay root's; swaps, status: $SWAPPED" "$BEFORE" "$(victims)"
done

# --- links that are there: named, not followed

refused() {
	local name=$1 link=$2
	shift 2
	BEFORE=$(victims)
	run_ftr "$@"
	check "$name: refused: status $ST" test "$ST" = 1 -o "$ST" = 125
	has "$name: words" "$ERR" "ftr: '$link' is a link, in a directory that others can change"
	has "$name: hint" "$ERR" '^hint: '
	same "$name: root's stay root's" "$BEFORE" "$(victims)"
}

fresh
cp --sparse=always big.dat mine.dat
chown root mine.dat
ln -s "$TMP/victim/bashrc" theirs/trace.dat
ln -s "$TMP/victim" theirs/way
ln -s "$TMP/mine.dat" theirs/mine.dat
refused "recover a link" theirs/mine.dat recover theirs/mine.dat
refused "recover -o a link" theirs/trace.dat recover mine.dat -o theirs/trace.dat
refused "recover -o below a link" theirs/way recover mine.dat -o theirs/way/x.dat
refused "record -o a link" theirs/trace.dat record -e sched -o theirs/trace.dat -- true
refused "record -o below a link" theirs/way record -e sched -o theirs/way/x.dat -- true
refused "recover --from a link" theirs/mine.dat recover mine.dat -o o.dat --from theirs/mine.dat
refused "raw data by a link" theirs/raw.dat.cpu0 recover --from big.dat -o o.dat \
	"$(ln -s ../victim/bashrc theirs/raw.dat.cpu0; echo theirs/raw.dat.cpu0)"
mkdir -m 1777 open
chown root open
ln -s "$TMP/victim/bashrc" open/trace.dat
refused "a sticky folder, a link of root's" open/trace.dat record -e sched -o open/trace.dat -- true
mkdir -m 770 group
ln -s "$TMP/victim/bashrc" group/trace.dat
refused "a folder open to a group" group/trace.dat record -e sched -o group/trace.dat -- true
# where nobody else can change names links lead as ever
mkdir ours there
ln -s ../there/whole.dat ours/link.dat
run_ftr recover mine.dat -o ours/link.dat
same "a link of one's own: status and the file it leads to" "0 1" "$ST $(ls there | wc -l)"
check "a link of one's own: it stays" test -L ours/link.dat

# --- whose the new file is, and what is in it

# a kernel to be asked
mkdir -p kernel/events/secret/vault
echo nop > kernel/current_tracer
printf %b 'name: vault\nID: 4242\nformat:\n' \
	'\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\nprint fmt: "x"\n' \
	> kernel/events/secret/vault/format
$SPOOL boot.dat --text boot_id="$(cat /proc/sys/kernel/random/boot_id)"
has_secret() {
	grep -qa 'name: vault' "$1" || "$FTR" report --events "$1" 2> /dev/null | grep -q 'name: vault'
}

fresh
cp --sparse=always boot.dat theirs/b.dat
chown "$WHO:$WHO" theirs/b.dat
chmod 640 theirs/b.dat
FTR_TRACEFS=$TMP/kernel run_ftr recover theirs/b.dat
same "another's file: status" 0 "$ST"
has "another's file: said" "$ERR" \
	"'theirs/b.dat' belongs to user $WHO: its missing parts are read from the kernel with -o FILE only"
same "another's file: stays its owner's" "$WHO:$WHO 640" "$(stat -c '%u:%g %a' theirs/b.dat)"
check "another's file: nothing of the kernel" eval '! has_secret theirs/b.dat'
run_ftr info theirs/b.dat
has "another's file: no symbols" "$OUT" 'recovered=without kernel symbols'
cp --sparse=always boot.dat theirs/b.dat
FTR_TRACEFS=$TMP/kernel run_ftr recover theirs/b.dat -o theirs/o.dat
same "-o: status, owner, mode" "0 0:0 600" "$ST $(stat -c '%u:%g %a' theirs/o.dat)"
check "-o: the kernel is asked" has_secret theirs/o.dat
cp --sparse=always boot.dat ours/b.dat
chmod 644 ours/b.dat
FTR_TRACEFS=$TMP/kernel run_ftr recover ours/b.dat
same "one's own file: status, owner; for oneself, with what the kernel told" "0 0:0 600" \
	"$ST $(stat -c '%u:%g %a' ours/b.dat)"
check "one's own file: the kernel is asked" has_secret ours/b.dat
cp --sparse=always boot.dat ours/c.dat
chown $WHO ours/c.dat
FTR_TRACEFS=$TMP/kernel run_ftr recover ours/c.dat
same "another's file in root's folder: status, owner" "0 $WHO" "$ST $(stat -c %u ours/c.dat)"
check "another's file in root's folder: nothing of the kernel" eval '! has_secret ours/c.dat'
cp --sparse=always boot.dat ours/d.dat
cp ours/b.dat ours/from.dat
chown $WHO ours/d.dat
run_ftr recover ours/d.dat --from ours/from.dat
same "--from a file of somebody else: status" 1 "$ST"
has "--from a file of somebody else: words" "$ERR" "'ours/d.dat' and 'ours/from.dat' belong to different users"
same "nothing is left behind" "" "$(find . -name '*.part-*')"
finish
