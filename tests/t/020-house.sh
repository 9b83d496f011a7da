#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The build: installing, another folder, another compiler, and the checks that must be able to fail.
. "$(dirname "$0")/../lib.sh"
if [ "${FTR_IS_SAN:-}" = 1 ]; then
	skip "the build" "does not depend on the sanitizers"
	exit 0
fi
cd "$FTR_TOP" || exit 1

check "make install" make -s install O="$FTR_BUILD" DESTDIR="$TMP/root" PREFIX=/usr
check "the installed program runs" "$TMP/root/usr/bin/ftr" --version
check "the man pages are installed" test -s "$TMP/root/usr/share/man/man1/ftr-record.1"
check "make uninstall" make -s uninstall O="$FTR_BUILD" DESTDIR="$TMP/root" PREFIX=/usr
same "make uninstall leaves no file" "" "$(find "$TMP/root" -type f)"

if command -v clang > /dev/null; then
	out=$(make O="$TMP/clang" CC=clang all 2>&1)
	same "clang builds out of the tree" 0 $?
	same "clang has no warning" "" "$(grep -i 'warning' <<< "$out")"
else
	skip "clang builds" "no clang"
fi
out=$(make O="$TMP/gcc" all 2>&1)
same "gcc has no warning" "" "$(grep -i 'warning' <<< "$out")"

# A check that cannot fail is none.
mkdir -p "$TMP/tree/utils" "$TMP/tree/src/base"
cp utils/check-layers utils/check-style "$TMP/tree/utils/"
printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\n#include "cmd/cmd.h"\n' > "$TMP/tree/src/base/x.c"
"$TMP/tree/utils/check-layers" > "$TMP/out"
same "check-layers refuses an include that points up" 1 $?
{ printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\nint f(void)\n{\n'; yes '	;' | head -n 101; printf '}\n'; } \
	> "$TMP/tree/src/base/x.c"
"$TMP/tree/utils/check-style" > "$TMP/out"
same "check-style refuses a function of 101 lines" 1 $?
finish
