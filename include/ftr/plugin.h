/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plugins of ftr: text for events, and functions that print fmts call but only the kernel has.
 * ftr-plugin(3) explains it, plugins/examples has two to begin with.
 *
 * A plugin is a shared object that exports one symbol:
 *
 *	const struct ftr_plugin ftr_plugin = {
 *		FTR_PLUGIN_HEAD,
 *		.name = "mine",
 *		.description = "shows my driver's commands by name",
 *		.formatters = formatters,
 *	};
 *
 * What a plugin may rely on:
 *  - All reading is checked by ftr. What a damaged record does not hold reads as 0, "" or no bytes,
 *    and the record is then shown by its print fmt instead: a formatter need not check.
 *  - What is written is cleaned of control bytes, and cut at 64 KiB a record.
 *  - Pointers that ftr hands out are valid until the function that got them returns.
 * What ftr relies on:
 *  - Formatters and functions are called by several threads at once. What they change is in
 *    ftr_thread_state(); the plugin's own variables do not change after init().
 *  - They do not print, exit, fork or take long.
 *
 * The ABI: FTR_PLUGIN_ABI changes only when old plugins no longer work. Otherwise structures grow
 * at their end, and their sizes, which stand in FTR_PLUGIN_HEAD, say what a plugin was built with.
 */
#ifndef FTR_PLUGIN_H
#define FTR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FTR_PLUGIN_ABI 1

/* One record, while a formatter or a function is called for it. */
struct ftr_record;
/* The text that is being made of it. */
struct ftr_out;
/* An event's format, while a formatter is bound to it. */
struct ftr_bind;
/* The plugin, while it is started. */
struct ftr_init;

/* A field of one event: an index into ->fields of the formatter, or what ftr_field_find() gave. */
typedef int ftr_field;

enum ftr_result {
	FTR_DONE = 0,
	/*
	 * Of a formatter: drop what was written, use the print fmt. Of a function: the result can't
	 * be known; it is shown as name(arguments). Of bind(): not for this event.
	 */
	FTR_PASS = 1,
};

/* --- what a plugin gives */

enum ftr_option_type {
	FTR_BOOL,	/* ->value is an int *: 0 or 1 */
	FTR_INT,	/* an int64_t * */
	FTR_STRING,	/* a const char ** */
};

/* "-O plugin:name=value". Written to ->value before init(), the default first. */
struct ftr_option {
	const char *name;		/* NULL ends the table */
	enum ftr_option_type type;
	void       *value;
	const char *def;		/* as it would be given; NULL: "0", 0 or "" */
	const char *help;		/* one line */
};

/* Text for the events that match. Of several the first loaded is taken. */
struct ftr_formatter {
	const char *system;		/* name or shell pattern; NULL = any */
	const char *event;		/* the same; NULL ends the table */
	/*
	 * Names of fields, NULL-terminated; the index is the handle. An event that lacks one is
	 * left alone, unless the name ends in '?'. NULL: none.
	 */
	const char *const *fields;
	/* Called once for each event format that matches; may be NULL. *priv goes to the others. */
	int  (*bind)(struct ftr_bind *b, void **priv);
	int  (*format)(const struct ftr_record *r, struct ftr_out *out, void *priv);
	void (*unbind)(void *priv);	/* may be NULL */
};

/* An argument of a function, by the letter of its signature. */
struct ftr_arg {
	uint64_t    num;		/* 'i', sign-extended if it was signed */
	const void *data;		/* 's': NUL-terminated; 'b': bytes of the record, or NULL */
	size_t      len;		/* 's': without the NUL; 'b': how many may be read */
};

/*
 * A function that print fmts call. ->signature is the result, ':', and one letter an argument:
 *	i	an integer
 *	s	a string
 *	b	a pointer to data of the record (arguments only)
 *	-	an argument that is not looked at, such as the trace_seq "p" (arguments only)
 * "s:-bi" takes three and returns a string. A call with fewer arguments lacks the first '-' ones:
 * kernels began to give a buffer and its size to functions that had none. ->call gets all, each in
 * its place.
 */
struct ftr_function {
	const char *name;		/* NULL ends the table */
	const char *signature;
	/*
	 * A string result is what is written to @out, an integer is stored in *@num. For a single
	 * call, only a string may be FTR_PASS: an integer may be computed with, and is 0 then.
	 */
	int (*call)(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num);
};

/* A constant of the kernel that print fmts name but do not explain. */
struct ftr_constant {
	const char *name;		/* NULL ends the table */
	int64_t     value;
};

struct ftr_plugin {
	uint32_t size, abi;		/* FTR_PLUGIN_HEAD */
	uint32_t option_size, formatter_size, function_size, constant_size;
	const char *name;		/* letters, digits, '_', '-' */
	const char *description;	/* one line */
	const struct ftr_option    *options;	/* these four may be NULL */
	const struct ftr_formatter *formatters;
	const struct ftr_function  *functions;
	const struct ftr_constant  *constants;
	int  (*init)(struct ftr_init *in);	/* FTR_DONE, or else after ftr_init_error() */
	void (*exit)(void);			/* after the last call of anything else */
	/* Bytes of zeroed memory that each thread gets; thread_exit() may release what it holds. */
	size_t thread_size;
	void (*thread_exit)(void *state);
};

#define FTR_PLUGIN_HEAD \
	sizeof(struct ftr_plugin), FTR_PLUGIN_ABI, sizeof(struct ftr_option), \
	sizeof(struct ftr_formatter), sizeof(struct ftr_function), sizeof(struct ftr_constant)

#if defined(__GNUC__)
#define FTR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define FTR_EXPORT __attribute__((visibility("default")))
#else
#define FTR_PRINTF(fmt, args)
#define FTR_EXPORT
#endif
FTR_EXPORT extern const struct ftr_plugin ftr_plugin;

/*
 * Optional, once, outside of functions: FTR_PLUGIN_LATE("sched:sched_switch kvm:*"). The plugin is
 * then loaded when the first event of these is met, or a print fmt that calls or names something
 * unknown, which makes ftr start faster. All events of ->formatters must be there as SYSTEM:EVENT,
 * by spaces, with "*" for NULL; "" if there are none. Not for plugins that call ftr_init_ordered()
 * without an option that asks for it.
 */
#if defined(__clang__)
#define FTR_NOTE __attribute__((used, aligned(4), section(".note.ftr"), no_sanitize("address")))
#elif defined(__GNUC__)
#define FTR_NOTE __attribute__((used, aligned(4), section(".note.ftr")))
#endif
#if defined(FTR_NOTE)
#define FTR_PLUGIN_LATE(events) \
	static const struct { \
		uint32_t name_size, text_size, type; \
		char name[4], text[sizeof(events)]; \
	} ftr_plugin_late FTR_NOTE = { 4, sizeof(events), 1, "ftr", events }
#else
#define FTR_PLUGIN_LATE(events) extern const struct ftr_plugin ftr_plugin
#endif

/* --- in init() */

/* Says why the plugin can't work; it is not loaded then. */
void ftr_init_error(struct ftr_init *in, const char *fmt, ...) FTR_PRINTF(2, 3);
/*
 * The text of a record depends on records before it: ftr then renders all of them one after
 * another, in one thread. Not for what depends on the record alone.
 */
void ftr_init_ordered(struct ftr_init *in);

/* Takes back a function of this plugin: with these options it can't know what it returns. */
void ftr_init_withdraw(struct ftr_init *in, const char *function);

/* --- in bind() */

const char *ftr_bind_system(const struct ftr_bind *b);
const char *ftr_bind_event(const struct ftr_bind *b);
/* The text after "print fmt: ", "" if the format has none. */
const char *ftr_bind_print_fmt(const struct ftr_bind *b);
/* A handle for a field that is not in ->fields; -1 if the event has none of that name. */
ftr_field ftr_field_find(struct ftr_bind *b, const char *name);
/* The C type as the format has it: "unsigned long", "__data_loc char[]"; NULL if it is absent. */
const char *ftr_field_type(const struct ftr_bind *b, ftr_field f);
/* Bytes: of the field itself, 4 for dynamic ones. */
size_t ftr_field_size(const struct ftr_bind *b, ftr_field f);

/* --- the record: fields. Optional ones that are absent read as nothing, without harm. */

int ftr_field_present(const struct ftr_record *r, ftr_field f);
/* The number, extended to 64 bits by the sign of the field's type. */
uint64_t ftr_field_u64(const struct ftr_record *r, ftr_field f);
int64_t ftr_field_s64(const struct ftr_record *r, ftr_field f);
/* Fixed and dynamic strings, up to their NUL or end. As recorded: may hold control bytes. */
const char *ftr_field_string(const struct ftr_record *r, ftr_field f);
/* The bytes of any field, dynamic arrays included; in the byte order of the recording. */
const void *ftr_field_bytes(const struct ftr_record *r, ftr_field f, size_t *len);
/* Fixed and dynamic arrays of numbers. */
size_t ftr_field_count(const struct ftr_record *r, ftr_field f);
uint64_t ftr_field_elem(const struct ftr_record *r, ftr_field f, size_t index);

/* --- the record: the rest */

int ftr_record_cpu(const struct ftr_record *r);
int ftr_record_pid(const struct ftr_record *r);
uint64_t ftr_record_ts(const struct ftr_record *r);	/* nanoseconds, or units of its clock */
int ftr_record_long_size(const struct ftr_record *r);	/* 4 or 8 */
/* The number of @size bytes (1, 2, 4, 8) at @p inside of the record, in the recording's order. */
uint64_t ftr_record_num(const struct ftr_record *r, const void *p, unsigned int size);
/*
 * The version of the recorded kernel: FTR_KERNEL(6, 12) for any 6.12; 0 if the recording does not
 * tell. For what neither its formats nor the record tell.
 */
uint32_t ftr_record_kernel(const struct ftr_record *r);
#define FTR_KERNEL(major, minor) ((uint32_t)(major) << 16 | (minor))
/* Where the symbol begins that holds @addr; @addr if there is none. */
uint64_t ftr_symbol_start(const struct ftr_record *r, uint64_t addr);
/* This thread's ->thread_size bytes, NULL if that is 0. */
void *ftr_thread_state(const struct ftr_record *r);

/* --- the text */

void ftr_out_printf(struct ftr_out *out, const char *fmt, ...) FTR_PRINTF(2, 3);
void ftr_out_str(struct ftr_out *out, const char *s);
void ftr_out_bytes(struct ftr_out *out, const void *p, size_t len);
/* Begins another line; a newline in the others would be shown as \x0a. */
void ftr_out_line(struct ftr_out *out);
/*
 * Of the symbol that holds an address: "name [module]"; "name+0x12 [module]"; "name". 0x... where
 * there is none.
 */
void ftr_out_sym(struct ftr_out *out, uint64_t addr);
void ftr_out_sym_offset(struct ftr_out *out, uint64_t addr);
void ftr_out_sym_name(struct ftr_out *out, uint64_t addr);
/* The task's name as lines have it in front: "bash", "<idle>", "<...>". */
void ftr_out_comm(struct ftr_out *out, int pid);
/* The text that there would be without the formatter. Not for functions. */
void ftr_out_default(struct ftr_out *out, const struct ftr_record *r);

/* A name for a number; { 0, NULL } ends a table. */
struct ftr_name {
	uint64_t    value;
	const char *name;
};

/* As __print_symbolic() of the kernel: the name, or 0x... */
void ftr_out_symbolic(struct ftr_out *out, uint64_t v, const struct ftr_name *names);
/* The name, or @other; for functions of the kernel that have a word for what they do not know. */
void ftr_out_name(struct ftr_out *out, uint64_t v, const struct ftr_name *names, const char *other);
/* As __print_flags(): names of all the bits, with @delim between them; a rest as 0x... */
void ftr_out_flags(struct ftr_out *out, uint64_t v, const char *delim,
		   const struct ftr_name *names);

#ifdef __cplusplus
}
#endif

#endif
