#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of both versions, byte orders, word sizes, compressions, sound and damaged, against a decoder of its own.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
COUNT=10
[ "${FTR_LONG:-}" != 1 ] || COUNT=60
SEED=${FTR_SEED:-$(date +%s)}
echo "# seed $SEED"
python3 "$FTR_TOP/tests/tools/dat-matrix.py" "$FTR_BUILD/tests/tools/datwalk" || FAILED=1
python3 "$FTR_TOP/tests/tools/dat-matrix.py" "$FTR_BUILD/tests/tools/datwalk" --damage --count "$COUNT" \
	--seed "$SEED" || FAILED=1
finish
