#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# utils/fleet-demo: three guests with two kernels, whose rows ClickHouse and DuckDB have. Which host had the longest
# waits, and behind whom, is what ftr sql answers, and the answer is true. Then the ten questions of export-lake.sh.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

# worst_host < ANSWER: where waits are longest on average; a single one is long where the guest itself had to wait
worst_host() {
	awk -F, 'NF == 4 && $4 / $2 > worst { worst = $4 / $2; host = $1 } END { print host }'
}

# ahead_of HOST < ANSWER: who ran for the longest time during its longest wait
ahead_of() {
	awk -F, -v host="$1" 'NF == 5 && $1 == host { print $4; exit }'
}

# On the second host a load goes before all others.
demo() {
	local engine
	export FLEET_KERNELS="$K $K $OTHER"
	timeout 600 "$FTR_TOP/utils/fleet-demo" --seconds 2 --keep demo "$FTR" > out 2> err ||
		echo "status $?" >> err
	same "$V: the demo succeeds" '' "$(grep '^status' err && cat err)"
	check "$V: three hosts are answered for" grep -Eq '^host-1,' demo/ftr.answer
	same "$V: the host with the longest waits, behind whom" 'host-2 sha256sum' \
		"$(worst_host < demo/ftr.answer) $(ahead_of host-2 < demo/ftr.answer)"
	for engine in clickhouse duckdb; do
		if [ -e demo/$engine.answer ]; then
			same_files "$V: $engine answers the same" demo/ftr.answer demo/$engine.answer
		else
			skip "$V: $engine" "$(grep "^fleet-demo: $engine" err)"
		fi
	done
}

one_kernel() {
	# shellcheck disable=SC2086
	set -- ${ALL_KERNELS/$K/}
	OTHER=${1:-}
	if ! "$FTR_TOP/utils/guest" fetch ${OTHER:+"$OTHER"} > out 2> err; then
		skip "$V: three hosts with two kernels" "no other one of: $ALL_KERNELS"
		return
	fi
	demo
	FTR_LAKE_FILES=$(echo "$TMP"/demo/host-*.dat) bash "$FTR_TOP/tests/cli/export-lake.sh" > lake
	sed -E "s/^(ok|not ok|skip) - /&$V, $OTHER: /" lake
	! grep -q '^not ok' lake || FAILED=1
}

ALL_KERNELS=$FTR_KERNELS
for_a_kernel one_kernel
finish
