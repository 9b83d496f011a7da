/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operation of futex(), which the kernel prints as a number, by name behind the text. */
#include "ftr/plugin.h"

#define PRIVATE		128
#define CLOCK_REALTIME	256

static int names;

enum { OP };
static const char *const fields[] = { "op", NULL };

/* include/uapi/linux/futex.h */
static const struct ftr_name ops[] = {
	{ 0, "FUTEX_WAIT" }, { 1, "FUTEX_WAKE" }, { 2, "FUTEX_FD" }, { 3, "FUTEX_REQUEUE" },
	{ 4, "FUTEX_CMP_REQUEUE" }, { 5, "FUTEX_WAKE_OP" }, { 6, "FUTEX_LOCK_PI" },
	{ 7, "FUTEX_UNLOCK_PI" }, { 8, "FUTEX_TRYLOCK_PI" }, { 9, "FUTEX_WAIT_BITSET" },
	{ 10, "FUTEX_WAKE_BITSET" }, { 11, "FUTEX_WAIT_REQUEUE_PI" },
	{ 12, "FUTEX_CMP_REQUEUE_PI" }, { 13, "FUTEX_LOCK_PI2" }, { 0, NULL },
};

static int bind(struct ftr_bind *b, void **priv)
{
	(void)b;
	(void)priv;
	return names ? FTR_DONE : FTR_PASS;
}

static int enter(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	uint32_t op = ftr_field_u64(r, OP);

	(void)priv;
	ftr_out_default(out, r);
	ftr_out_str(out, " (");
	ftr_out_symbolic(out, op & ~(PRIVATE | CLOCK_REALTIME), ops);
	ftr_out_str(out, op & PRIVATE ? "|FUTEX_PRIVATE_FLAG" : "");
	ftr_out_str(out, op & CLOCK_REALTIME ? "|FUTEX_CLOCK_REALTIME" : "");
	ftr_out_str(out, ")");
	return FTR_DONE;
}

static const struct ftr_option options[] = {
	{ "names", FTR_BOOL, &names, "no", "the operation by name behind the kernel's text" },
	{ NULL, FTR_BOOL, NULL, NULL, NULL },
};

static const struct ftr_formatter formatters[] = {
	{ "syscalls", "sys_enter_futex", fields, bind, enter, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("syscalls:sys_enter_futex");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "futex",
	.description = "operations of futex() by name",
	.options = options,
	.formatters = formatters,
};
