# SPDX-License-Identifier: GPL-2.0-or-later
# ftr many times over in one process (ftr_batch.c beside this), for scripts that run it hundreds of times. Sourced.
# What is exported before batch_start is every run's environment.

# batch_start: its pipes are 7 and 8 of this shell. Plugins are looked for beside the program.
batch_start() {
	mkdir "$TMP/batch"
	mkfifo "$TMP/batch/ask" "$TMP/batch/answer"
	cp -l "$FTR_BUILD/tests/tools/ftr_batch" "$TMP/batch/" 2> /dev/null ||
		cp "$FTR_BUILD/tests/tools/ftr_batch" "$TMP/batch/"
	ln -s "$FTR_BUILD/plugins" "$TMP/batch/plugins"
	"$TMP/batch/ftr_batch" < "$TMP/batch/ask" > "$TMP/batch/answer" &
	BATCH=$!
	exec 7> "$TMP/batch/ask" 8< "$TMP/batch/answer"
}

# batch_stop: it ends
batch_stop() {
	exec 7>&- 8<&-
	wait "$BATCH"
}

# batch_run OUT ERR ARG...: runs ftr in this folder with those files, ERR may be '&'; $ST
batch_run() {
	local out=$1 err=$2
	shift 2
	printf '%s\0' $(($# + 4)) "cwd=$PWD" "out=$out" "err=$err" -- "$@" >&7
	read -r ST _ <&8 || fail "ftr_batch has ended" "ftr $*"
}

# batch_ftr ARG...: leaves OUT, ERR and ST, as run_ftr does; batch_both ARG...: both outputs in OUT
batch_ftr() {
	batch_run "$TMP/batch/out" "$TMP/batch/err" "$@"
	IFS= read -r -d '' OUT < "$TMP/batch/out"
	IFS= read -r -d '' ERR < "$TMP/batch/err"
	batch_trim
}

batch_both() {
	batch_run "$TMP/batch/out" '&' "$@"
	IFS= read -r -d '' OUT < "$TMP/batch/out"
	ERR=
	batch_trim
}

# Newlines at the end go, as $(...) has it.
batch_trim() {
	while [[ $OUT == *$'\n' ]]; do OUT=${OUT%$'\n'}; done
	while [[ $ERR == *$'\n' ]]; do ERR=${ERR%$'\n'}; done
}
