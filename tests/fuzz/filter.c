/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: a filter, up to the first NUL, compiled and run over the bytes behind it. */
#include <string.h>

#include "fuzz.h"
#include "trace/filter.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
static const char first[] = "name: a\nID: 1\nformat:\n" COMMON
	"\tfield:u8 b;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s16 h;\toffset:10;\tsize:2;\tsigned:1;\n"
	"\tfield:u64 q;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[8];\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * fmt;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";
static const char second[] = "name: z\nID: 2\nformat:\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t m;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] s;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 q;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:char tail[];\toffset:28;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";
static const char kallsyms[] = "ffffffff81001000 T f\nffffffff81002000 t g\t[m]\n";
static const char printk[] = "0xffffffff82000010 : \"v=%d\\n\"\n";
static const char cmdlines[] = "7 bash\n8 a b\n";

static struct ev_format formats[2];
static const struct event_meta meta = {
	.long_size = 8, .formats = formats, .nr_formats = 2,
	.kallsyms = kallsyms, .kallsyms_len = sizeof(kallsyms) - 1,
	.printk = printk, .printk_len = sizeof(printk) - 1,
	.cmdlines = cmdlines, .cmdlines_len = sizeof(cmdlines) - 1,
};

static void run(const struct filter *f, const uint8_t *data, size_t size)
{
	for (int i = 0; i < 4; i++) {
		struct ev_rec r = {
			.fmt = &formats[i & 1], .data = data, .len = size, .big = i & 2,
			.long_size = 8,
		};

		fuzz_sink += filter_match(f, 1 + (i & 1), i ? 7 : -1, i, i, &r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct event_meta *metas[] = { &meta };
	struct filter_spec spec = { .lax = size & 1 };
	struct ftr_error err = {0};
	struct filter *f = NULL;
	size_t len = strnlen((const char *)data, size);
	char *text = strndup((const char *)data, len);

	if (!formats[0].name) {
		FUZZ_ASSERT(!ev_format_parse(&formats[0], "one", first, strlen(first), &err));
		FUZZ_ASSERT(!ev_format_parse(&formats[1], "two", second, strlen(second), &err));
	}
	if (!filter_add(&spec, text, false, &err) && !filter_compile(&spec, metas, 1, &f, &err))
		run(f, data + len, size - len);
	else
		FUZZ_ASSERT(err.code == FTR_USAGE && *err.msg && *err.hint);
	filter_free(f);
	filter_spec_release(&spec);
	free(text);
	return 0;
}
