#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# Installing, a build without libzstd, and the checks that must be able to fail. That gcc and clang build without a
# warning is seen in what utils/run-tests builds, the fuzzers being clang's.
. "$(dirname "$0")/../lib.sh"
cd "$FTR_TOP" || exit 1

# The build as it is, so that nothing is compiled twice.
mkdir "$TMP/gcc"
tar -C "$FTR_BUILD" -cf - src plugins extension .flags .plugdir ftr libftr.a libftr_sqlite.so | tar -C "$TMP/gcc" -xf -

# From a folder of its own: another PREFIX links the program anew, which other tests run meanwhile.
check "make install" make -s install O="$TMP/gcc" DESTDIR="$TMP/root" PREFIX=/usr
check "the installed program runs" "$TMP/root/usr/bin/ftr" --version
check "the extension of SQLite is installed" test -x "$TMP/root/usr/lib/libftr_sqlite.so"
check "the man pages are installed" test -s "$TMP/root/usr/share/man/man1/ftr-record.1"
check "make uninstall" make -s uninstall O="$TMP/gcc" DESTDIR="$TMP/root" PREFIX=/usr
same "make uninstall leaves no file" "" "$(find "$TMP/root" -type f)"

# Without SQLite the program has all but ftr sql, and there is no extension.
cp -a "$TMP/gcc" "$TMP/nosqlite"
make -s O="$TMP/nosqlite" WITHOUT_SQLITE=1 "$TMP/nosqlite/.flags"
touch -d '2000-01-01' "$TMP/nosqlite/.flags"
rm "$TMP/nosqlite/ftr" "$TMP/nosqlite/libftr.a"
out=$(make O="$TMP/nosqlite" WITHOUT_SQLITE=1 install DESTDIR="$TMP/root" PREFIX=/usr 2>&1)
same "WITHOUT_SQLITE=1 builds and installs" 0 $?
same "WITHOUT_SQLITE=1 has no warning" "" "$(grep -i 'warning' <<< "$out")"
same "without SQLite the program does not load it" "" "$(ldd "$TMP/root/usr/bin/ftr" | grep sqlite)"
same "and there is no extension" "" "$(find "$TMP/root" -name '*sqlite*')"
same "ftr sql says so" "ftr: this ftr was built without SQLite" "$("$TMP/root/usr/bin/ftr" sql 2>&1 | head -n 1)"
rm -rf "$TMP/root" "$TMP/nosqlite"

# Without libzstd metadata is compressed with zlib, which the usual build reads as well.
# Objects that do not know of zstd are those of the usual build.
cp -a "$TMP/gcc" "$TMP/nozstd"
grep -lrE --include='*.d' 'src/file/(zstd\.h|packer\.c|unpack_file\.c)' "$TMP/nozstd" | sed 's/d$/o/' | xargs rm -f
make -s O="$TMP/nozstd" WITHOUT_ZSTD=1 "$TMP/nozstd/.flags"
touch -d '2000-01-01' "$TMP/nozstd/.flags"
out=$(make O="$TMP/nozstd" WITHOUT_ZSTD=1 all "$TMP/nozstd/tests/unit/record_pack" \
	"$TMP/nozstd/tests/tools/replicate" 2>&1)
same "WITHOUT_ZSTD=1 builds" 0 $?
same "WITHOUT_ZSTD=1 has no warning" "" "$(grep -i 'warning' <<< "$out")"
has "WITHOUT_ZSTD=1 builds what knows of zstd" "$out" 'CC +src/file/zstd.c'
same "without zstd the program does not load it" "" "$(ldd "$TMP/nozstd/ftr" | grep zstd)"
out=$("$TMP/nozstd/tests/unit/record_pack" 2>&1)
same "without zstd recordings are compressed with zlib" "0 1" \
	"$? $(grep -c '^ok - built without zstd: zlib' <<< "$out")"
python3 "$ORACLE/growth.py" --write sorted_symbols 9000 "$TMP/in.dat"
"$TMP/nozstd/tests/tools/replicate" -z "$TMP/in.dat" "$TMP/zlib.dat" > "$TMP/said"
"$FTR_BUILD/tests/tools/replicate" -z "$TMP/in.dat" "$TMP/zstd.dat" > "$TMP/said"
has "its files say so" "$(strings -n 4 "$TMP/zlib.dat" | head -n 2)" "zlib"
for by in "$TMP/nozstd/ftr" "$FTR"; do
	same "zlib metadata is read by $([ "$by" = "$FTR" ] && echo the usual build || echo the one without zstd)" \
		"$("$FTR" report "$TMP/in.dat" | cksum)" "$("$by" report "$TMP/zlib.dat" | cksum)"
done
err=$("$TMP/nozstd/ftr" report "$TMP/zstd.dat" 2>&1 > "$TMP/said")
same "a zstd file without zstd: status, and no text" "1 0" "$? $(wc -c < "$TMP/said")"
has "a zstd file without zstd: why" "$err" "zstd.dat' is compressed with zstd, and this ftr was built without it"
err=$("$TMP/nozstd/ftr" record --compression zstd -e sched true 2>&1)
same "--compression zstd without zstd: status" 2 $?
has "--compression zstd without zstd: why" "$err" "'zstd': this ftr was built without zstd"

# With other rights than the caller's (AT_SECURE) its environment names no file and no program of ours.
same "variables that name files are read by secure_getenv()" "" \
	"$(grep -rnE '[^_]getenv\("(FTR_|XDG_|HOME|TMPDIR|[A-Z]*PAGER)' src)"

# A check that cannot fail is none.
mkdir -p "$TMP/tree/utils" "$TMP/tree/src/base"
cp utils/check-layers utils/check-style "$TMP/tree/utils/"
printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\n#include "cmd/frame/command.h"\n' > "$TMP/tree/src/base/x.c"
"$TMP/tree/utils/check-layers" > "$TMP/out"
same "check-layers refuses an include that points up" 1 $?
has "check-layers refuses an include that points up, by name" "$(< "$TMP/out")" \
	"src/base/x.c: includes 'cmd/frame/command.h'"
mkdir -p "$TMP/tree/src/file" "$TMP/tree/build/src/base" "$TMP/tree/build/src/file"
printf 'int walk(void);\nint read_it(void);\nint read_it(void) { return walk(); }\n' > "$TMP/tree/src/base/x.c"
printf 'int walk(void);\nint read_it(void);\nint walk(void) { return read_it(); }\n' > "$TMP/tree/src/file/y.c"
for f in base/x file/y; do
	${CC:-cc} -c -o "$TMP/tree/build/src/$f.o" "$TMP/tree/src/$f.c"
done
FTR_BUILD=$TMP/tree/build "$TMP/tree/utils/check-layers" > "$TMP/out"
same "check-layers refuses a circle" 1 $?
has "check-layers refuses a circle: the call" "$(< "$TMP/out")" \
	"src/base/x.c: needs walk of 'file/y.c', which is not below it"
has "check-layers refuses a circle: its rooms" "$(< "$TMP/out")" "a circle of rooms: base, file"
# The Makefile that builds ftr builds it; what nothing calls, what only its own file calls and what others call.
mkdir -p "$TMP/dead/utils" "$TMP/dead/src/base" "$TMP/dead/tests/unit"
cp Makefile "$TMP/dead/"
cp utils/check-dead "$TMP/dead/utils/"
cat > "$TMP/dead/src/base/x.c" <<- 'EOF'
	#include "base/x.h"
	int walk_all(int n) { while (n > 3) n = n & 1 ? 3 * n + 1 : n / 2; return n; }
	int walk_some(int n) { return walk_all(n) + walk_all(n + 1); }
	int read_all(int n) { return 2 * n; }
	int ftr_read(int n) { return 3 * n; }
	int read_tested(int n) { return 4 * n; }
EOF
echo 'int walk_all(int), walk_some(int), read_all(int), ftr_read(int), read_tested(int);' > "$TMP/dead/src/base/x.h"
printf '#include "base/x.h"\nint main(int n, char **v) { (void)v; return read_all(n); }\n' > "$TMP/dead/src/ftr.c"
printf '#include "base/x.h"\nint main(int n, char **v) { (void)v; return read_tested(n); }\n' \
	> "$TMP/dead/tests/unit/x.c"
check "the Makefile builds a small tree" make -C "$TMP/dead" O=build build/ftr build/tests/unit/x
FTR_BUILD=$TMP/dead/build "$TMP/dead/utils/check-dead" > "$TMP/out"
same "check-dead refuses dead functions" 1 $?
same "check-dead refuses dead functions, by name: not those of ftr, of its tests and of the plugin API" \
	"src/base/x.c: no program has walk_all src/base/x.c: no program has walk_some" \
	"$(sed -n 's/^# \(.*has .*\):.*/\1/p' "$TMP/out" | xargs)"
sed -i '/walk_/d' "$TMP/dead/src/base/x.c"
make -C "$TMP/dead" O=build build/ftr build/tests/unit/x > "$TMP/said"
FTR_BUILD=$TMP/dead/build "$TMP/dead/utils/check-dead" > "$TMP/out"
same "check-dead takes a tree without" 0 $?
# Directories inside a room have no ranks, but no circle either; a base name stands once.
mkdir -p "$TMP/copy/utils"
cp -r src "$TMP/copy/"
cp utils/check-layers "$TMP/copy/utils/"
FTR_BUILD=$FTR_BUILD "$TMP/copy/utils/check-layers" > "$TMP/out"
same "check-layers takes a copy of the tree" 0 $?
has "check-layers finds no circle in it" "$(< "$TMP/out")" "14 rooms on 10 floors; no circle"
sed -i '1a #include "tracefs/verbs/trace_marker.h"' "$TMP/copy/src/tracefs/files/tfs.c"
touch "$TMP/copy/src/event/cursor.h"
FTR_BUILD=$FTR_BUILD "$TMP/copy/utils/check-layers" > "$TMP/out"
same "check-layers refuses a circle inside a room" 1 $?
has "check-layers refuses a circle inside a room, by name" "$(< "$TMP/out")" \
	"a circle inside a room: tracefs/errors, tracefs/files, tracefs/session, tracefs/verbs"
has "check-layers refuses a second file with a name" "$(< "$TMP/out")" \
	"src/event/cursor.h: the name is taken by src/base/cursor"
mkdir -p "$TMP/tree/src/file/read" "$TMP/tree/src/tracefs" "$TMP/tree/src/tui"
echo '#include "event/format.h"' > "$TMP/tree/src/file/read/x.c"
echo '#include "trace/trace.h"' > "$TMP/tree/src/tracefs/y.c"
touch "$TMP/tree/src/tui/z.c"
"$TMP/tree/utils/check-layers" > "$TMP/out"
has "check-layers: a sub-directory has its room's rank" "$(< "$TMP/out")" \
	"src/file/read/x.c: includes 'event/format.h', which is not below it"
has "check-layers: rooms of one rank do not know each other" "$(< "$TMP/out")" \
	"src/tracefs/y.c: includes 'trace/trace.h', which is not below it"
has "check-layers knows all rooms" "$(< "$TMP/out")" "src/tui: the directory has no rank"
rm -r "$TMP/tree/src/tui" "$TMP/tree/src/tracefs" "$TMP/tree/src/file/read"
{ printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\nint walk_all(void)\n{\n'
	yes '	;' | head -n 101; printf '}\n'; } > "$TMP/tree/src/base/x.c"
"$TMP/tree/utils/check-style" > "$TMP/out"
same "check-style refuses a function of 101 lines" 1 $?
has "check-style refuses a function of 101 lines, by name" "$(< "$TMP/out")" \
	"src/base/x.c:2: a function of 101 lines, the limit is 100"
{ printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\n'; printf 'int f_%d(void)\n{\n}\n' {1..17}
	printf '__attribute__((noinline)) static int walk(int a,\n\t\t\t\t\t  int b)\n{\n}\n'
	printf 'struct task {\n\tint a;\n};\nstruct stroke {\n\tint a;\n};\n'
} > "$TMP/tree/src/base/x.c"
"$TMP/tree/utils/check-style" > "$TMP/out"
same "check-style refuses names of one word" 1 $?
has "check-style refuses names of one word, by name" "$(< "$TMP/out")" \
	'src: 1 of 18 functions have one word as their name, the limit is 5 %: walk'
same "check-style refuses structs of one word, by name" '# src/base/x.c: struct stroke has a name of one word' \
	"$(grep 'struct ' "$TMP/out")"
printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\nint f_1(void)\n{\n}\nint f_3(void)\n{\n}\n' \
	> "$TMP/tree/src/file/y.c"
"$TMP/tree/utils/check-style" > "$TMP/out"
has "check-style refuses names that are shared, by name" "$(< "$TMP/out")" \
	'src: 4 of 20 functions have the name of another, the limit is 8 %: f_1 f_3'
{ printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\nstatic const struct opt words[] = {\n'
	printf '\t{ "all of a folder" },\n};\n'
	printf 'const char one[] = "cannot use the " /* folder */ "directory \\"%%s\\"";\n'
} > "$TMP/tree/src/base/x.c"
"$TMP/tree/utils/check-style" > "$TMP/out"
same "check-style: -h texts and comments are no messages" '' "$(grep 'words of messages' "$TMP/out")"
sed -i 's/directory/folder/' "$TMP/tree/src/base/x.c"
"$TMP/tree/utils/check-style" > "$TMP/out"
has "check-style refuses words of messages, by name" "$(< "$TMP/out")" \
	'src: 1,000 words of messages have 250.00 times "folder", the limit is 0.10'
touch "$TMP/tree/src/file/"{1..30}
"$TMP/tree/utils/check-style" > "$TMP/out"
has "check-style refuses a directory of more than 30 files, by name" "$(< "$TMP/out")" \
	'src/file: 3[1-9] files, the limit is 30'
has "check-style wants a README" "$(< "$TMP/out")" 'src/file: no README'
# Lines of prose and of scripts; tables, code, what is made by a script, and what is no script, may be longer.
long=$(printf '%0100d' 0)
mkdir -p "$TMP/tree/Documentation" "$TMP/tree/tests/cli"
printf '%s\n' "$long" "|$long|" "    $long" '```' "$long$long" '```' "${long}é" > "$TMP/tree/Documentation/a.md"
printf '%s\n' '# B' 'Made by `utils/b`.' "$long$long" > "$TMP/tree/Documentation/b.md"
printf '#!/bin/sh\n#%0119d\n#\t%0112d\n' 0 0 > "$TMP/tree/utils/script"
printf '%0121d\n' 0 > "$TMP/tree/tests/cli/list.txt"
printf '#%0121d\n' 0 > "$TMP/tree/tests/cli/x.py"
"$TMP/tree/utils/check-style" > "$TMP/out"
same "check-style refuses long lines of prose and of scripts" "Documentation/a.md:7: 101 columns, the limit is 100
tests/cli/x.py:1: 122 columns, the limit is 120" \
	"$(sed -nE 's/^# ((Documentation|tests|utils).*columns)/\1/p' "$TMP/out" | LC_ALL=C sort)"
git -C "$TMP/tree" init -q
touch "$TMP/tree/kw"
git -C "$TMP/tree" add kw utils
"$TMP/tree/utils/check-style" > "$TMP/out"
same "check-style refuses what is kept on top by accident" 'kw: not a name that is known on top' \
	"$(sed -n 's/^# \(.*on top\)$/\1/p' "$TMP/out")"
git -C "$TMP/tree" -c user.name=x -c user.email=x@x commit -q -m 'tree: the kw comes' --date 2026-12-01T00:00:00
GIT_COMMITTER_DATE=2026-12-01T00:00:00 git -C "$TMP/tree" -c user.name=x -c user.email=x@x commit -q --amend --no-edit
"$TMP/tree/utils/check-style" > "$TMP/out"
has "check-style refuses a subject that is no imperative" "$(< "$TMP/out")" \
	'commit "tree: the kw comes": the subject is not "area: imperative"'
mkdir -p "$TMP/tree/src/base"
printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\n/* What is behind the name. */\n' > "$TMP/tree/src/base/x.c"
sed -i "s/^ROOMS_DONE = .*/ROOMS_DONE = ('base',)/" "$TMP/tree/utils/check-style"
"$TMP/tree/utils/check-style" > "$TMP/out"
has "check-style refuses words that the field does not use" "$(< "$TMP/out")" \
	'src/base: 1,000 words of comments have 200.00 times "behind", the limit is 0.22'
has "check-style refuses comments that start with a bare word" "$(< "$TMP/out")" \
	'src/base: a comment starts with a bare word: What is behind the name.'
# README.md has what ftr prints.
mkdir -p "$TMP/readme/utils" "$TMP/readme/tests/cases"
cp -r tests/cases/oops "$TMP/readme/tests/cases/"
cp utils/readme-output "$TMP/readme/utils/"
sed 's/ us | mntput() {/ ms | mntput() {/' README.md > "$TMP/readme/README.md"
same "readme-output refuses what ftr does not print" $'not ok - README.md shows what ftr prints\n1' \
	"$("$TMP/readme/utils/readme-output" --check | grep -v "^#"; echo "${PIPESTATUS[0]}")"
"$TMP/readme/utils/readme-output" --write
check "readme-output writes what it checks" cmp README.md "$TMP/readme/README.md"
# An option has one text, and the pages have it.
mkdir -p "$TMP/pages/utils"
cp utils/man-options "$TMP/pages/utils/"
cp -r Documentation "$TMP/pages/"
sed -i -e '/^# --align-ts$/,/^$/d' -e '$a # --gone\nA text.' "$TMP/pages/Documentation/man/options.txt"
sed -i 's/^Trace all events\.$/Trace no events./' "$TMP/pages/Documentation/man/ftr-record.1"
"$TMP/pages/utils/man-options" --check > "$TMP/out"
same "man-options refuses pages that differ" 1 $?
has "man-options refuses an option without a text, by name" "$(< "$TMP/out")" '--align-ts of graph has no text'
has "man-options refuses a text without an option, by name" "$(< "$TMP/out")" '--gone is no option'
has "man-options refuses a page that was changed by hand, by name" "$(< "$TMP/out")" \
	'Documentation/man/ftr-record.1 is out of date'
cp Documentation/man/options.txt "$TMP/pages/Documentation/"
"$TMP/pages/utils/man-options"
check "man-options writes what it checks" cmp Documentation/man/ftr-record.1 "$TMP/pages/Documentation/man/ftr-record.1"
finish
