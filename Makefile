# SPDX-License-Identifier: GPL-2.0-or-later
# Builds ftr, its documentation and its tests.
#
#   make                 build/ftr            V=1 shows commands, O=DIR builds elsewhere,
#   make demo            see it work          SAN=1 builds with ASan and UBSan, SAN=thread with TSan,
#   make check           all tests            CC=clang takes another compiler
#   make bench           speed beside trace-cmd's   BENCH='report first' takes parts, BENCH_QUICK=1 is short
#                                             WITHOUT_ZSTD=1 does without libzstd, WITHOUT_LZMA=1 without liblzma,
#                                             WITHOUT_EDIT=1 without libedit, WITHOUT_SQLITE=1 without
#                                             libsqlite3: no ftr sql, no libftr_sqlite.so
#   make check-long      all matrices whole   PART=offline, record or read takes a third, RESUME=1 goes on
#   make soak            hours of fuzzing and of random keys
#   make fuzz            FUZZ_SECONDS=1800 for each target of tests/fuzz
#
# demo, check and bench install what is missing first (utils/install-deps); nothing else does.

VERSION := 0.1.0
SAN     ?=
FUZZ    ?=
FUZZ_SECONDS ?= 1800
O       ?= build$(if $(FUZZ),-fuzz,$(if $(filter thread,$(SAN)),-tsan,$(if $(SAN),-san)))
PREFIX  ?= /usr/local
DESTDIR ?=
bindir  := $(PREFIX)/bin
mandir  := $(PREFIX)/share/man
docdir  := $(PREFIX)/share/doc/ftr
incdir  := $(PREFIX)/include/ftr
libdir  := $(PREFIX)/lib
plugdir := $(libdir)/ftr/plugins
# below share/; what is in them comes from 'ftr help --completion'
COMPLETIONS := bash-completion/completions/ftr zsh/site-functions/_ftr fish/vendor_completions.d/ftr.fish

ifeq ($(origin CC),default)
CC := gcc
endif
# zstd is optional: where it is missing, or with WITHOUT_ZSTD=1, metadata is compressed with zlib.
ifeq ($(origin WITHOUT_ZSTD),undefined)
WITHOUT_ZSTD := $(shell pkg-config --exists libzstd || echo 1)
endif
# lzma is optional, too: it unpacks texts that xz made.
ifeq ($(origin WITHOUT_LZMA),undefined)
WITHOUT_LZMA := $(shell pkg-config --exists liblzma || echo 1)
endif
# The shell of ftr sql edits lines with libedit; without it the terminal does.
ifeq ($(origin WITHOUT_EDIT),undefined)
WITHOUT_EDIT := $(shell pkg-config --exists libedit || echo 1)
endif
# SQLite is optional: it answers ftr sql, and libftr_sqlite.so has the same tables for other programs.
ifeq ($(origin WITHOUT_SQLITE),undefined)
WITHOUT_SQLITE := $(shell pkg-config --exists sqlite3 || echo 1)
endif
EXTENSION = $(if $(WITHOUT_SQLITE)$(FUZZ),,$(O)/libftr_sqlite.so)
PKGS     := libtracefs libtraceevent zlib $(if $(WITHOUT_ZSTD),,libzstd) $(if $(WITHOUT_LZMA),,liblzma) \
	    $(if $(WITHOUT_EDIT),,libedit) $(if $(WITHOUT_SQLITE),,sqlite3) \
	    libxxhash jansson libelf ncursesw
# The sanitized builds are for tests: -O1 takes a third less to build, and lines are all that a report names.
OPT      ?= $(if $(SAN)$(FUZZ),-O1 -g1,-O2 -g)
WARN     := -Wall -Wextra -Wmissing-prototypes -Wvla -Wno-format-truncation -Wno-unknown-warning-option
SANFLAGS  = $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
comma    := ,
ifeq ($(SAN),thread)
# TSan does not see fences; the only ones are against the kernel (perf's page of the clock)
SANFLAGS  = -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan
endif
# libFuzzer is clang's, whose pointer-overflow check minds NULL + 0.
ifneq ($(FUZZ),)
override CC := $(if $(findstring clang,$(CC)),$(CC),clang)
SANFLAGS  = -fsanitize=fuzzer-no-link$(comma)address$(comma)undefined -fno-sanitize=pointer-overflow \
	    -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
# Objects are also for libftr_sqlite.so. Without interposition they are as fast as those of a program.
PIC       = -fPIC -fno-semantic-interposition
PKGCFLAGS = $(shell pkg-config --cflags $(PKGS))
PKGLIBS   = $(shell pkg-config --libs $(PKGS))
ALLFLAGS  = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DFTR_VERSION='"$(VERSION)"' -Isrc -Iinclude \
	    -pthread $(OPT) -ffunction-sections $(PIC) $(WARN) $(SANFLAGS) $(PKGCFLAGS) \
	    $(if $(WITHOUT_ZSTD),-DWITHOUT_ZSTD) $(if $(WITHOUT_LZMA),-DWITHOUT_LZMA) \
	    $(if $(WITHOUT_EDIT),-DWITHOUT_EDIT) $(if $(WITHOUT_SQLITE),-DWITHOUT_SQLITE) $(CPPFLAGS) $(CFLAGS)
# Plugins find ftr_* in the program. Of the rest a program has the functions that it calls (utils/check-dead).
LINK      = $(CC) -pthread $(OPT) $(SANFLAGS) -Wl,--gc-sections -Wl,--export-dynamic-symbol='ftr_*' $(LDFLAGS)

FOUND  := $(sort $(shell find src -mindepth 2 -name '*.c'))
# src/cmd/sql_absent.c is the command of a build without SQLite, src/browse/work/query_absent.c its key in ftr browse.
SRCS   := $(filter-out src/sql/extension/% \
	  $(if $(WITHOUT_SQLITE),src/sql/% src/cmd/sql.c src/cmd/sql_shell.c src/cmd/sql_examples.c src/browse/work/query_work.c,\
	  src/cmd/sql_absent.c src/browse/work/query_absent.c),$(FOUND))
# The room sql once more, which calls SQLite as an extension does.
EXTOBJS := $(patsubst %.c,$(O)/extension/%.o,$(filter src/sql/%,$(FOUND)))
OBJS   := $(SRCS:%.c=$(O)/%.o)
LIBOBJ := $(O)/libftr.a
UNITS  := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/unit/*.c)))
TOOLS  := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/tools/*.c tests/guest/load/*.c)))
# They call it themselves.
ifneq ($(WITHOUT_ZSTD),)
UNITS  := $(filter-out %/compress,$(UNITS))
TOOLS  := $(filter-out %/unpack,$(TOOLS))
endif
PRELOADS := $(patsubst %.c,$(O)/%.so,$(sort $(wildcard tests/preload/*.c)))
FUZZERS := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/fuzz/*.c)))
ORACLE := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/oracle/*.c)))
PLUGINS  := $(patsubst %.c,$(O)/%.so,$(sort $(wildcard plugins/*.c)))
EXAMPLES := $(patsubst %.c,$(O)/%.so,$(sort $(wildcard plugins/examples/*.c tests/plugins/*.c)))
MAN1   := $(sort $(wildcard Documentation/man/*.1))
MAN3   := $(sort $(wildcard Documentation/man/*.3))
MAN5   := $(sort $(wildcard Documentation/man/*.5))
MAN7   := $(sort $(wildcard Documentation/man/*.7))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')
# What tests are told: the binary, where built things and fixtures are.
TESTENV = FTR='$(abspath $(O)/ftr)' FTR_BUILD='$(abspath $(O))' FTR_TOP='$(CURDIR)'
RUN_TESTS = $(TESTENV) FTR_SAN='$(abspath $(O)-san)' FTR_FUZZ='$(abspath $(O)-fuzz)' utils/run-tests

.PHONY: all demo check check-unit check-cli check-guest check-long check-tree soak bench fuzz fuzzers tests \
	install uninstall clean .bench FORCE
.DELETE_ON_ERROR:
# Objects of tests are kept: they are named in files of dependencies, so that missing ones would be made anew.
.SECONDARY:

all: $(O)/ftr $(PLUGINS) $(EXTENSION)

# Rebuilds everything when the flags change (another compiler, SAN, version).
$(O)/.flags: FORCE
	@mkdir -p $(O)
	@echo '$(CC) $(ALLFLAGS) $(LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALLFLAGS) $(LDFLAGS)' > $@

$(O)/%.o: %.c $(O)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALLFLAGS) -MMD -MP -c -o $@ $<

# The script of a picture stands in the program as it is (.incbin).
$(O)/src/output/svg/flame_svg.o: src/output/svg/flame_svg.js

# Where plugins are installed stands in one object alone: another PREFIX compiles only that anew.
$(O)/.plugdir: FORCE
	@mkdir -p $(O)
	@echo '$(plugdir)' | cmp -s - $@ || echo '$(plugdir)' > $@
$(O)/src/event/plugin/plugin_dir.o: $(O)/.plugdir
$(O)/src/event/plugin/plugin_dir.o: private ALLFLAGS += -DFTR_PLUGIN_DIR='"$(plugdir)"'

# Plugins know include/ftr and nothing else of ours.
PLUGFLAGS = -std=gnu11 -Iinclude -fPIC -fvisibility=hidden -shared $(OPT) $(WARN) $(SANFLAGS) \
	    $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
$(O)/plugins/%.so: plugins/%.c include/ftr/plugin.h $(O)/.flags
	@mkdir -p $(@D)
	$(call say,PLUGIN,$<)
	$(Q)$(CC) $(PLUGFLAGS) -o $@ $<

$(O)/tests/plugins/%.so: tests/plugins/%.c include/ftr/plugin.h $(O)/.flags
	@mkdir -p $(@D)
	$(call say,PLUGIN,$<)
	$(Q)$(CC) $(PLUGFLAGS) -o $@ $<

# They stand in front of the C library in a process that a test starts.
$(O)/tests/preload/%.so: tests/preload/%.c $(O)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -fPIC -fno-builtin -shared -O2 $(WARN) -o $@ $<

$(LIBOBJ): $(OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/ftr: $(O)/src/ftr.o $(LIBOBJ)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(PKGLIBS) -ldl -lm

$(O)/extension/%.o: %.c $(O)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$< (extension))
	$(Q)$(CC) $(ALLFLAGS) -DFTR_SQL_EXTENSION -MMD -MP -c -o $@ $<

# It exports the function that SQLite calls, and nothing that another library of a process could find.
$(O)/libftr_sqlite.so: $(EXTOBJS) $(LIBOBJ) src/sql/extension/exports.map
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -pthread $(OPT) $(SANFLAGS) -Wl,--gc-sections -Wl,--as-needed -Wl,-Bsymbolic \
		-Wl,--version-script=src/sql/extension/exports.map $(LDFLAGS) -o $@ $(EXTOBJS) $(LIBOBJ) \
		$(PKGLIBS) -lm

# The same program for guests, where the dynamic loader under emulation takes most of a command's time. Where a static
# library is missing it is an empty file, and guests run the other one.
# utils/guest takes it if it is newer than the other one.
$(O)/ftr-static: $(O)/src/ftr.o $(LIBOBJ) | $(O)/ftr
	$(call say,LINK,$@)
	$(Q)$(LINK) -static -s -o $@ $^ $$(pkg-config --static --libs $(PKGS)) -ldl -lm 2> $@.log || \
		{ echo 'no static ftr: guests run the dynamic one, more slowly ($@.log)'; rm -f $@; : > $@; }

$(O)/tests/unit/%: $(O)/tests/unit/%.o $(LIBOBJ)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(PKGLIBS) -ldl -lm

$(O)/tests/tools/%: $(O)/tests/tools/%.o $(LIBOBJ)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(PKGLIBS) -ldl -lm

$(O)/tests/guest/%: $(O)/tests/guest/%.o $(LIBOBJ)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(PKGLIBS) -ldl -lm

$(O)/tests/fuzz/%: $(O)/tests/fuzz/%.o $(LIBOBJ)
	$(call say,LINK,$@)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(PKGLIBS) -ldl -lm

# The oracles share no code with ftr.
$(O)/tests/oracle/%: tests/oracle/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -O2 -Wall -Wextra $$(pkg-config --cflags libtracecmd) -o $@ $< \
		$$(pkg-config --libs libtracecmd)

tests: $(if $(SAN),,$(O)/ftr-static) $(O)/ftr $(PLUGINS) $(EXTENSION) $(EXAMPLES) $(PRELOADS) $(UNITS) $(TOOLS) $(ORACLE)

fuzzers: $(FUZZERS)

# As many jobs as there are processors, where make was not told how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

fuzz:
	$(Q)utils/install-deps build test
	$(Q)$(MAKE) $(PARALLEL) --no-print-directory fuzzers FUZZ=1 O=$(O)-fuzz
	$(Q)$(TESTENV) FTR_FUZZ='$(abspath $(O)-fuzz)' tests/fuzz/run $(FUZZ_SECONDS)

demo:
	$(Q)utils/install-deps build guest
	$(Q)$(MAKE) $(PARALLEL) --no-print-directory all
	$(Q)utils/demo '$(O)/ftr'

check:
	$(Q)utils/install-deps all
	$(Q)$(RUN_TESTS) --out $(O)/check build tree guest cli unit fuzz --budget

check-unit check-cli check-guest check-tree:
	$(Q)$(RUN_TESTS) --out $(O)/$@ build $(@:check-%=%)

# All matrices whole, in three parts; PART=offline, record or read takes one of them, RESUME=1 goes on with one.
check-long:
	$(Q)utils/install-deps all
	$(Q)for part in $(or $(PART),offline record read); do \
		FTR_LONG=1 $(RUN_TESTS) --out $(O)/check-long/$$part --part $$part $(if $(RESUME),--resume) || exit 1; done

# What takes hours and is looked at, not waited for: fuzzing, and random keys on many files.
soak: fuzz
	$(Q)FTR_LONG=1 $(RUN_TESTS) --out $(O)/soak build cli -k build/,browse-random

bench:
	$(Q)utils/install-deps all bench
	$(Q)$(MAKE) $(PARALLEL) --no-print-directory all tests
	$(Q)$(TESTENV) tests/bench/run $(BENCH)

install: all
	install -D -m 755 $(O)/ftr $(DESTDIR)$(bindir)/ftr
	for m in $(MAN1); do install -D -m 644 $$m $(DESTDIR)$(mandir)/man1/$${m##*/} || exit 1; done
	for m in $(MAN3); do install -D -m 644 $$m $(DESTDIR)$(mandir)/man3/$${m##*/} || exit 1; done
	for m in $(MAN5); do install -D -m 644 $$m $(DESTDIR)$(mandir)/man5/$${m##*/} || exit 1; done
	for m in $(MAN7); do install -D -m 644 $$m $(DESTDIR)$(mandir)/man7/$${m##*/} || exit 1; done
	for e in $(EXTENSION); do install -D -m 755 $$e $(DESTDIR)$(libdir)/$${e##*/} && \
		ln -sf $${e##*/} $(DESTDIR)$(libdir)/ftr_sqlite.so || exit 1; done
	for p in $(PLUGINS); do install -D -m 755 $$p $(DESTDIR)$(plugdir)/$${p##*/} || exit 1; done
	for s in $(COMPLETIONS); do install -d $(DESTDIR)$(PREFIX)/share/$${s%/*} && \
		$(O)/ftr help --completion $$(case $$s in zsh*) echo zsh;; fish*) echo fish;; *) echo bash;; esac) \
		> $(DESTDIR)$(PREFIX)/share/$$s || exit 1; done
	install -D -m 644 include/ftr/plugin.h $(DESTDIR)$(incdir)/plugin.h
	install -D -m 644 README.md $(DESTDIR)$(docdir)/README.md
	install -D -m 644 NEWS $(DESTDIR)$(docdir)/NEWS

uninstall:
	rm -f $(DESTDIR)$(bindir)/ftr
	for m in $(MAN1); do rm -f $(DESTDIR)$(mandir)/man1/$${m##*/}; done
	for m in $(MAN3); do rm -f $(DESTDIR)$(mandir)/man3/$${m##*/}; done
	for m in $(MAN5); do rm -f $(DESTDIR)$(mandir)/man5/$${m##*/}; done
	for m in $(MAN7); do rm -f $(DESTDIR)$(mandir)/man7/$${m##*/}; done
	for e in $(EXTENSION); do rm -f $(DESTDIR)$(libdir)/$${e##*/} $(DESTDIR)$(libdir)/ftr_sqlite.so; done
	for p in $(PLUGINS); do rm -f $(DESTDIR)$(plugdir)/$${p##*/}; done
	for s in $(COMPLETIONS); do rm -f $(DESTDIR)$(PREFIX)/share/$$s; done
	rm -f $(DESTDIR)$(incdir)/plugin.h
	rm -f $(DESTDIR)$(docdir)/README.md $(DESTDIR)$(docdir)/NEWS
	-rmdir $(DESTDIR)$(docdir) $(DESTDIR)$(incdir) $(DESTDIR)$(plugdir) $(DESTDIR)$(dir $(plugdir)) 2>/dev/null

clean:
	rm -rf $(O) $(O)-san $(O)-tsan $(O)-fuzz

FORCE:

-include $(OBJS:.o=.d) $(EXTOBJS:.o=.d) $(O)/src/ftr.d $(addsuffix .d,$(UNITS) $(TOOLS) $(FUZZERS))
