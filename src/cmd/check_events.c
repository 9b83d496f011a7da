/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr check-events: shows which events ftr prints as the kernel does, and why not the others. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "cmd/frame/trace_input.h"
#include "event/plugin/plugin.h"
#include "record/capture/capture_formats.h"
#include "trace/trace.h"

struct event_check {
	const char *bundle;		/* --formats: a file with many formats, or NULL */
	const char *engine;
	uint32_t kernel;		/* --kernel: the version that the bundle is from */
	bool json;
	struct plugin_args plugins;

	char *source;			/* the origin of the formats, for the output */
	struct format_files texts;		/* formats of this kernel or of the bundle */
	struct ev_format *own;		/* parsed from ->texts */
	struct trace *trace;
	struct event_meta meta;
	struct ev_plugins *loaded;
};

/* An event that is not printed in full. */
struct event_finding {
	char *event, *why;
	bool  unparsed;			/* its fields could not be parsed */
};

struct event_findings {
	struct event_finding *v;
	size_t n, cap, total;
};

static int set_kernel(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct event_check *c = ctx;
	unsigned int major, minor;
	char more;

	(void)o;
	if (sscanf(arg, "%3u.%5u%c", &major, &minor, &more) == 2) {
		c->kernel = KERNEL_VERSION_OF(major, minor);
		return 0;
	}
	err_set(err, FTR_USAGE, "'%s' is not a kernel version", arg);
	return err_hint(err, "write it as 6.12");
}

#define AT(member) offsetof(struct event_check, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	{ 0, "formats", "FILE", "read formats from one text: '@@FILE SYSTEM/EVENT/format'",
	  opt_str, AT(bundle) },
	{ 0, "kernel", "VERSION", "the kernel of the formats, as 6.12", set_kernel, 0 },
	OPT_GROUP("Rendering"),
	{ 0, "engine", "NAME", "render records with this engine: ftr or traceevent", opt_str,
	  AT(engine) },
	{ 0, "plugin", "PATH", "load an event plugin, or all of a folder (repeatable)", opt_strv,
	  AT(plugins.paths) },
	{ 'N', "no-plugins", NULL, "do not load the plugins that came with ftr", opt_flag,
	  AT(plugins.none) },
	OPT_GROUP("Output"),
	{ 0, "json", NULL, "print JSON: source, events, compiled, degraded, unparsed", opt_flag,
	  AT(json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr check-events                     the events of this kernel",
	"ftr check-events trace.dat           those of a recording",
	"xz -dc 6.12.fmt.xz | ftr check-events --formats - --json",
	NULL
};

/* --- reading formats */

static int read_live(struct event_check *c, struct ftr_error *err)
{
	struct tfs t;

	if (tfs_open(&t, err))
		return -1;
	formats_read_all(&c->texts, &t, false);
	c->source = xasprintf("this kernel, %s", t.path);
	tfs_close(&t);
	if (c->texts.n)
		return 0;
	err_set(err, FTR_FAILED, "cannot read event formats: none in '%s/events'", c->source);
	return err_hint(err, "reading them needs root, or the rights that the mount gives a group");
}

/* Splits ".../SYSTEM/EVENT/format" in place. Returns false if the path has another form. */
static bool split_path(char *path, const char **system, const char **event)
{
	char *end = strrchr(path, '/'), *slash;

	if (!end || strcmp(end, "/format"))
		return false;
	*end = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	*slash = 0;
	*event = slash + 1;
	slash = strrchr(path, '/');
	*system = slash ? slash + 1 : path;
	return **event && **system;
}

static const char *next_mark(const char *p, const char *end)
{
	static const char mark[] = "@@FILE ";
	const char *at = p;

	while ((at = memmem(at, end - at, mark, sizeof(mark) - 1)) && at != p && at[-1] != '\n')
		at++;
	return at;
}

/* Adds the format from a mark at @p up to @end. Returns false if the mark has no valid path. */
static bool add_bundle_part(struct event_check *c, const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', end - p), *system, *event;
	char *path;
	bool ok;

	if (!nl)
		return false;
	path = xstrndup(p + strlen("@@FILE "), nl - p - strlen("@@FILE "));
	ok = split_path(path, &system, &event);
	if (ok)
		formats_add(&c->texts, system, event, nl + 1, end - nl - 1);
	free(path);
	return ok;
}

static int read_bundle(struct event_check *c, struct ftr_error *err)
{
	const char *p, *end, *next;
	struct buf text = {0};
	int ret = 0;

	c->source = xstrdup(strcmp(c->bundle, "-") ? c->bundle : "standard input");
	if (io_read_input(c->bundle, &text)) {
		ret = err_sys(err, "cannot read '%s'", c->bundle);
		goto out;
	}
	end = text.data + text.len;
	for (p = text.len ? next_mark(text.data, end) : NULL; p; p = next) {
		next = next_mark(p + 1, end);
		if (!add_bundle_part(c, p, next ? next : end)) {
			ret = err_set(err, FTR_DAMAGED, "no 'SYSTEM/EVENT/format' after '@@FILE' "
				      "in '%s'", c->bundle);
			goto out;
		}
	}
	if (!c->texts.n) {
		err_set(err, FTR_FAILED, "'%s' has no event formats", c->bundle);
		ret = err_hint(err, "each begins with a line '@@FILE SYSTEM/EVENT/format'; "
			       "a compressed file is to be unpacked first");
	}
out:
	buf_release(&text);
	return ret;
}

/* --- checking them */

static char *sanitised_copy(const char *text)
{
	struct buf b = {0};

	text_sanitise(&b, text, strlen(text), false);
	return b.data ? buf_take(&b) : xstrdup("");
}

static void add_finding(struct event_findings *f, const char *system, const char *event,
			const char *why, bool unparsed)
{
	char *name = xasprintf("%s:%s", system, event);

	f->v = xgrow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	f->v[f->n++] = (struct event_finding){
		.event = sanitised_copy(name), .why = sanitised_copy(why), .unparsed = unparsed,
	};
	free(name);
}

/*
 * Returns the size of a long in bytes by the types of fields; 8 if no field has a long or a
 * pointer.
 */
static uint8_t find_long_size(const struct ev_format *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < v[i].nr_fields; k++) {
			const struct ev_field *f = &v[i].fields[k];

			if (f->kind == EV_FIXED && (f->size == 4 || f->size == 8) &&
			    (strchr(f->type, '*') || !strcmp(f->type, "long") ||
			     !strcmp(f->type, "unsigned long")))
				return f->size;
		}
	return 8;
}

/* Parses the formats of this kernel or of a bundle, and makes a separate world of them. */
static void check_parse_texts(struct event_check *c, struct event_findings *found)
{
	struct ftr_error err;
	size_t i, n = 0;

	c->own = xcalloc(c->texts.n + 1, sizeof(*c->own));
	for (i = 0; i < c->texts.n; i++) {
		const struct format_file *t = &c->texts.v[i];

		err = (struct ftr_error){0};
		if (!ev_format_parse(&c->own[n], t->system, t->text, t->len, &err)) {
			n++;
			continue;
		}
		memset(&c->own[n], 0, sizeof(*c->own));
		add_finding(found, t->system, t->event, err.msg, true);
	}
	found->total = c->texts.n;
	c->meta = (struct event_meta){
		.long_size = find_long_size(c->own, n), .page_size = 4096,
		.formats = c->own, .nr_formats = n,
		.kernel = c->kernel,
	};
}

static int check_formats(struct event_check *c, struct event_findings *found, struct ftr_error *err)
{
	struct event_meta *w = c->trace ? &c->trace->meta : &c->meta;
	struct ev_format *v;
	struct ev_engine *e;
	const char *why;
	size_t i, n;

	w->plugins = c->loaded;
	e = ev_engine_new(w, c->engine, err);
	if (!e)
		return -1;
	n = event_meta_formats(w, NULL, &v);
	if (c->trace)
		found->total = n;
	for (i = 0; i < n; i++) {
		why = ev_format_ready(&v[i]);
		if (why)
			add_finding(found, v[i].system, v[i].name, why, true);
		else if ((why = ev_degraded(e, &v[i])))
			add_finding(found, v[i].system, v[i].name, why, false);
	}
	ev_engine_free(e);
	return 0;
}

/* --- output */

static size_t count_findings(const struct event_findings *f, bool unparsed)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		n += f->v[i].unparsed == unparsed;
	return n;
}

static void print_findings_list(const struct event_findings *f, bool unparsed, const char *title)
{
	if (!count_findings(f, unparsed))
		return;
	printf("\n%s:\n", title);
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].unparsed == unparsed)
			cmd_print("  %-40s %s\n", f->v[i].event, f->v[i].why);
}

static void print_findings_text(const struct event_check *c, const struct event_findings *f)
{
	size_t whole = f->total - f->n;

	cmd_print("%s: %zu events, %zu rendered whole (%.2f %%)\n", c->source, f->total, whole,
	       f->total ? 100.0 * whole / f->total : 100.0);
	print_findings_list(f, false, "What the others lack");
	print_findings_list(f, true, "Formats that can't be parsed");
}

static json_t *findings_json(const struct event_findings *f, bool unparsed)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].unparsed == unparsed)
			json_array_append_new(list, json_pack("{s:s, s:s}", "event", f->v[i].event,
							      "reason", f->v[i].why));
	return list;
}

static void print_findings_json(const struct event_check *c, const struct event_findings *f)
{
	json_t *all = json_pack("{s:s, s:I, s:I, s:o, s:o}", "source", c->source,
				"events", (json_int_t)f->total,
				"compiled", (json_int_t)(f->total - f->n),
				"degraded", findings_json(f, false), "unparsed",
				findings_json(f, true));

	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

static int check_source(struct event_check *c, const char *file, struct ftr_error *err)
{
	struct event_findings found = {0};
	int ret;

	if (file) {
		c->trace = trace_open_last(file, err);
		c->source = xstrdup(file);
		ret = c->trace ? 0 : -1;
	} else {
		ret = c->bundle ? read_bundle(c, err) : read_live(c, err);
	}
	if (ret)
		return -1;
	if (!c->trace)
		check_parse_texts(c, &found);
	ret = check_formats(c, &found, err);
	if (!ret) {
		(c->json ? print_findings_json : print_findings_text)(c, &found);
		ret = count_findings(&found, true) ? FTR_DAMAGED : FTR_OK;
	}
	for (size_t i = 0; i < found.n; i++) {
		free(found.v[i].event);
		free(found.v[i].why);
	}
	free(found.v);
	return ret;
}

static int run_check_events(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct event_check c = {0};
	int status, first = cmd_parse(self, argc, argv, &c, &status);

	if (first < 0)
		goto out;
	if (c.engine && !ev_engine_known(c.engine)) {
		err_set(&err, FTR_USAGE, "unknown engine '%s'", c.engine);
		err_hint(&err, "there are: ftr, traceevent");
	} else if (argc - first > 1 || (c.bundle && first < argc)) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[argc - 1]);
		err_hint(&err, "give one trace file, or --formats, or nothing for this kernel");
	}
	if (!err.code)
		c.loaded = plugins_load(&c.plugins, c.engine && !strcmp(c.engine, "traceevent") ?
					PLUGINS_TRACEEVENT : PLUGINS_NOW, &err);
	status = c.loaded ? check_source(&c, first < argc ? argv[first] : NULL, &err) : -1;
	if (status < 0)
		status = cmd_fail(&err);
out:
	for (size_t i = 0; i < c.meta.nr_formats; i++)
		ev_format_release(&c.own[i]);
	trace_close(c.trace);
	ev_plugins_free(c.loaded);
	plugin_args_release(&c.plugins);
	formats_release(&c.texts);
	free(c.own);
	free(c.source);
	return status;
}

const struct cmd cmd_check_events = {
	.name = "check-events",
	.usage = "[OPTIONS] [FILE]",
	.summary = "show which events can be printed in full and what others lack",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER,
	.run = run_check_events,
};
