/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr listen: receives what ftr record -N sends. */
#include "record/net/listener.h"

#include <string.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "record/net/net_address.h"

struct listen_opts {
	struct listen_plan plan;
	bool quiet;
};

#define AT(member) .off = offsetof(struct listen_opts, member)

static void *option_member(void *ctx, const struct opt *o)
{
	return (char *)ctx + o->off;
}

static int set_listen_size(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	uint64_t *to = option_member(ctx, o);
	bool may_be_0 = o->off == offsetof(struct listen_opts, plan.min_free);

	if (!text_size(arg, 1024, to) && (*to || may_be_0))
		return 0;
	return err_set(err, FTR_USAGE, "--%s takes a size: 512M, 4G; this is '%s'", o->name, arg);
}

static int set_listen_time(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	uint64_t *to = option_member(ctx, o);

	if (!text_duration(arg, to) && *to)
		return 0;
	return err_set(err, FTR_USAGE, "--%s takes a time: 60, 5m; this is '%s'", o->name, arg);
}

static int set_peers(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	if (!text_number(arg, 1, 10000, option_member(ctx, o)))
		return 0;
	return err_set(err, FTR_USAGE, "--%s takes a number up to 10000; this is '%s'", o->name,
		       arg);
}

static int set_port(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct listen_opts *l = ctx;

	if (!*arg || strlen(arg) > 5 || arg[strspn(arg, "0123456789")])
		return err_set(err, FTR_USAGE, "--%s takes a number; this is '%s'", o->name, arg);
	strv_take(&l->plan.addresses, xasprintf("127.0.0.1:%s", arg));
	return 0;
}

static const struct opt options[] = {
	OPT_GROUP("Where"),
	{ 'p', "port", "PORT", "listen at this TCP port; this machine only: 127.0.0.1:PORT",
	  set_port, 0 },
	{ 'd', "dir", "DIR", "write files into DIR (default: the current folder)", opt_str,
	  AT(plan.dir) },
	{ 'o', "output", "NAME", "begin file names with NAME (trace): NAME-PEER-TIME.dat", opt_str,
	  AT(plan.name) },
	OPT_GROUP("Limits of each sender"),
	{ 0, "max-size", "SIZE", "allow SIZE for one recording (16G)",
	  set_listen_size, AT(plan.max_size) },
	{ 0, "max-peers", "N", "allow N connections at once (64)", set_peers, AT(plan.max_peers) },
	{ 0, "max-each", "N", "allow N connections from one address (16)",
	  set_peers, AT(plan.max_each) },
	{ 0, "timeout", "TIME", "drop a sender that is silent or away for TIME (60s)",
	  set_listen_time, AT(plan.timeout_ns) },
	OPT_GROUP("Limits of this machine"),
	{ 0, "min-free", "SIZE", "leave SIZE of the disk free (5 %, at most 1G)", set_listen_size,
	  AT(plan.min_free) },
	{ 0, "finish-memory", "SIZE", "use at most SIZE of memory to finish a recording (512M)",
	  set_listen_size, AT(plan.finish_bytes) },
	{ 0, "finish-time", "TIME", "finish in TIME, plus 1 s per 16 MiB of recording (60s)",
	  set_listen_time, AT(plan.finish_ns) },
	OPT_GROUP("The run"),
	{ 'D', "daemon", NULL, "run in the background", opt_flag, AT(plan.background) },
	{ 'l', "log", "FILE", "write messages into FILE", opt_str, AT(plan.log) },
	{ 'q', "quiet", NULL, "print errors and warnings only", opt_flag, AT(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr listen -d /var/tmp              at 127.0.0.1:17377, as for ssh -L",
	"ftr listen /run/ftr.sock            at a Unix socket",
	"ftr record -N 10.0.0.1 -e sched -- make    on the other side",
	NULL
};

static int run_listen(const struct cmd *self, int argc, char **argv)
{
	struct listen_opts o = {
		.plan = { .dir = ".", .name = "trace", .max_size = 16ull << 30, .max_peers = 64,
			  .max_each = 16, .timeout_ns = 60000000000ull,
			  .min_free = LISTEN_FREE_DEFAULT, .finish_bytes = 512 << 20,
			  .finish_ns = 60000000000ull, .notice = cmd_notice, .warn = cmd_warn,
			  .damages = cmd_damages },
	};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &o, &status);

	if (first < 0)
		goto out;
	cmd_quiet |= o.quiet;
	for (; first < argc; first++)
		strv_add(&o.plan.addresses, argv[first]);
	if (!o.plan.addresses.n)
		strv_add(&o.plan.addresses, "127.0.0.1:" NET_PORT);
	if (!*o.plan.name || strchr(o.plan.name, '/')) {
		err_set(&err, FTR_USAGE, "-o takes the start of a name, without '/'; -d names the "
			"directory");
		status = cmd_fail(&err);
	} else {
		status = listen_run(&o.plan, &err) ? cmd_fail(&err) : FTR_OK;
	}
out:
	strv_release(&o.plan.addresses);
	return status;
}

const struct cmd cmd_listen = {
	.name = "listen",
	.usage = "[OPTIONS] [ADDRESS...]",
	.summary = "receive what ftr record -N sends from other machines",
	.examples = examples,
	.options = options,
	.run = run_listen,
};
