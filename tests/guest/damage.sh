#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# Real recordings, ours and trace-cmd's, cut and with bytes changed; and what is no recording. Both builds.
. "$(dirname "$0")/../lib.sh"
RUN=$FTR_TOP/tests/tools/damage-run.py
FTR_SAN=${FTR_SAN:-$FTR_BUILD-san}
export FTR_SAN
SEED=${FTR_SEED:-1}
FLIPS=3
EVERY=8
[ "${FTR_LONG:-}" != 1 ] || { FLIPS=100; EVERY=1; }
[ -x "$FTR_SAN/ftr" ] || { skip "damaged recordings" "there is no sanitized build in '$FTR_SAN'"; finish; }
echo "# seed $SEED"

in_guest() {
	cat <<-'EOS'
	cd "$OUT"
	"$FTR" record -q -p function_graph -l 'vfs_*' -e sched:sched_process_exec -e sched:sched_process_exit \
		-B second -e irq -e sched:sched_switch -o ours.dat -- ls /usr/share/doc || exit
	tc() {
		name=$1; shift
		trace-cmd record -q -o "$name.dat" "$@" -e sched -B one -e irq -e timer -B two -p function -l 'vfs_*' \
			ls /usr/share/doc > "$name.log" 2>&1 || { cat "$name.log" >&2; exit 1; }
	}
	tc v7-zstd --compression zstd
	tc v7-none --compression none
	tc v6 --file-version 6
	EOS
}

# damaged NAME ours|theirs
damaged() {
	local f=$OUTDIR/$1.dat out kinds
	[ -s "$f" ] || { fail "$V: there is a file $1.dat" "$(cat "$OUTDIR/err")"; return; }
	kinds="$1.dat cut at 50 places, and $FLIPS bytes of each kind changed"
	if out=$(python3 "$RUN" --seed "$SEED" --cuts 50 --flips "$FLIPS" --info-every $EVERY "$2" "$f" 2>&1); then
		pass "$V: $kinds"
	else
		fail "$V: $kinds" "$out"
	fi
	tail -n 1 <<< "$out"
	rm -f "$f"
}

one_kernel() {
	in_guest > "$OUTDIR/run.sh"
	guest --timeout 900 -- sh "$OUTDIR/run.sh" > "$OUTDIR/out"
	same "$V: ftr and trace-cmd record" 0 $?
	damaged ours ours
	damaged v7-zstd theirs
	damaged v7-none theirs
	damaged v6 theirs
}

# refused NAME PATH PATTERN [PREFIX...]: by report and info of both builds, with a hint and no output
refused() {
	local name=$1 path=$2 pattern=$3 build c status
	shift 3
	for build in "$FTR" "$FTR_SAN/ftr"; do
		for c in report info; do
			timeout 20 "$@" "$build" $c "$path" > "$TMP/out" 2> "$TMP/err"
			status=$?
			if [ $status = 1 ] && [ ! -s "$TMP/out" ] && grep -Eq "^ftr: .*'$path'$pattern" "$TMP/err" &&
			   grep -q '^hint: ' "$TMP/err" && [ "$(wc -l < "$TMP/err")" = 2 ]; then
				pass "$(basename "$(dirname "$build")"): $c of $name: status 1, words, hint"
			else
				fail "$(basename "$(dirname "$build")"): $c of $name" "status $status" \
					"$(cat "$TMP/err")"
			fi
		done
	done
}

no_recordings() {
	: > "$TMP/empty"
	mkfifo "$TMP/fifo"
	python3 "$ORACLE/mkdat.py" "$TMP/secret.dat" --records 20
	chmod 600 "$TMP/secret.dat"
	chmod 755 "$TMP"
	refused "a text" /etc/passwd " has no trace"
	refused "an empty file" "$TMP/empty" " is empty"
	refused "a folder" "$TMP" " is a directory"
	refused "a FIFO" "$TMP/fifo" " is not a regular file"
	refused "a device" /dev/null " is not a regular file"
	refused "a missing file" "$TMP/none" ": No such file"
	refused "a file in a missing folder" "$TMP/none/a.dat" ": No such file"
	refused "a file in a file" "$TMP/empty/a.dat" ": Not a directory"
	if [ "$(id -u)" = 0 ]; then
		refused "an unreadable file" "$TMP/secret.dat" ": Permission denied" \
			setpriv --reuid 65534 --regid 65534 --clear-groups
	else
		skip "an unreadable file" "only root can become another user"
	fi
}

no_recordings
for_a_kernel one_kernel
finish
