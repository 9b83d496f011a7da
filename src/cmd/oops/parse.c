/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops parse: the text of a console dump. */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "cmd/oops/oops.h"

struct parse {
	bool quiet;
};

const struct opt oops_parse_options[] = {
	OPT_GROUP("Messages"),
	{ 'q', "quiet", NULL, "no remarks on standard error", cmd_set_quiet,
	  offsetof(struct parse, quiet) },
	OPT_END
};

/* ftrace_dump() begins each buffer with it; the name of an instance may come between. */
static size_t count_dumps(const struct buf *text)
{
	static const char head[] = "Dumping ftrace ";
	const char *p = text->data, *end = p + text->len;
	size_t n = 0;

	while ((p = memmem(p, end - p, head, sizeof(head) - 1))) {
		p += sizeof(head) - 1;
		n++;
	}
	return n;
}

static int parse_log(const char *path, struct ftr_error *err)
{
	struct buf text = {0};
	size_t n;

	if (io_read_input(path, &text)) {
		buf_release(&text);
		return err_sys(err, "cannot read '%s'", path);
	}
	n = text.data ? count_dumps(&text) : 0;
	buf_release(&text);
	if (!n) {
		err_set(err, FTR_FAILED, "'%s' has no dump of ftrace", path);
		return err_hint(err, "the kernel writes one when 'ftr start --dump-on-oops' was on");
	}
	cmd_print("%zu dump%s\n", n, n == 1 ? "" : "s");
	return 0;
}

int oops_parse(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct parse p = {0};
	int status, first = cmd_parse(self, argc, argv, &p, &status);

	if (first < 0)
		return status;
	if (argc - first != 1) {
		err_set(&err, FTR_USAGE, "parse takes one log");
		err_hint(&err, "ftr oops parse LOG, - for standard input");
		return cmd_fail(&err);
	}
	return parse_log(argv[first], &err) ? cmd_fail(&err) : FTR_OK;
}
