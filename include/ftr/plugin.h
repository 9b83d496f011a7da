/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plugins of ftr: text for events, and functions of the kernel that print fmts call. ftr-plugin(3)
 * explains the interface; plugins/examples has two examples.
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
 *  - ftr checks all reads. Data that a damaged record lacks reads as 0, "" or no bytes, and the
 *    record is then shown by its print fmt. A formatter need not check.
 *  - Output is cleaned of control bytes, and cut at 64 KiB per record.
 *  - Pointers that ftr hands out are valid until the function that got them returns.
 * What ftr relies on:
 *  - Several threads call formatters and functions at once. They change only ftr_thread_state();
 *    the plugin's variables do not change after init().
 *  - They do not print, exit, fork or take long.
 *
 * The ABI: FTR_PLUGIN_ABI changes only when old plugins no longer work. Otherwise structures grow
 * at their end. FTR_PLUGIN_HEAD has their sizes, by which ftr knows what a plugin was built with.
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
/* The text of a record while it is made. */
struct ftr_out;
/* An event's format, while a formatter is bound to it. */
struct ftr_bind;
/* The plugin, while it is started. */
struct ftr_init;

/*
 * A field of one event: an index into ->fields of the formatter, or a result of ftr_field_find().
 */
typedef int ftr_field;

enum ftr_result {
	FTR_DONE = 0,
	/*
	 * From a formatter: drop the output and use the print fmt. From a function: the result is
	 * not known, show it as name(arguments). From bind(): do not use the formatter for this
	 * event.
	 */
	FTR_PASS = 1,
};

/* --- what a plugin provides */

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
	const char *def;		/* in the form of -O; NULL: "0", 0 or "" */
	const char *help;		/* one line */
};

/* Makes the text of the events that match. If several match an event, the first loaded is used. */
struct ftr_formatter {
	const char *system;		/* name or shell pattern; NULL = any */
	const char *event;		/* the same; NULL ends the table */
	/*
	 * Names of fields, NULL-terminated; the index is the handle. The formatter is not used for
	 * an event that lacks one, unless the name ends in '?'. NULL: no fields.
	 */
	const char *const *fields;
	/*
	 * Called once for each event format that matches; may be NULL. The other functions get
	 * *priv.
	 */
	int  (*bind)(struct ftr_bind *b, void **priv);
	int  (*format)(const struct ftr_record *r, struct ftr_out *out, void *priv);
	void (*unbind)(void *priv);	/* may be NULL */
};

/* An argument of a function. The letter of the signature decides which members are set. */
struct ftr_arg {
	uint64_t    num;		/* 'i': sign-extended if signed */
	const void *data;		/* 's': NUL-terminated; 'b': bytes of the record, or NULL */
	size_t      len;	/* 's': length without the NUL; 'b': bytes that may be read */
};

/*
 * A function that print fmts call. ->signature is the result, ':', and one letter an argument:
 *	i	an integer
 *	s	a string
 *	b	a pointer to data of the record (arguments only)
 *	-	an argument that is not used, such as the trace_seq "p" (arguments only)
 * "s:-bi" takes three arguments and returns a string. A call with fewer arguments is taken to lack
 * the first '-' ones, as later kernels pass a buffer and its size to functions that had none.
 * ->call always gets all arguments, each at its index.
 */
struct ftr_function {
	const char *name;		/* NULL ends the table */
	const char *signature;
	/*
	 * Writes a string result to @out, or stores an integer in *@num. With FTR_PASS a string is
	 * shown as a call, and an integer counts as 0, as a print fmt may compute with it.
	 */
	int (*call)(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num);
};

/* A constant of the kernel that print fmts use without its value. */
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
	int  (*init)(struct ftr_init *in);	/* FTR_DONE; else call ftr_init_error() first */
	void (*exit)(void);			/* called last */
	/* Bytes of zeroed memory for each thread. thread_exit() may free what it points to. */
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
 * Optional, once, outside of functions: FTR_PLUGIN_LATE("sched:sched_switch kvm:*"). ftr then loads
 * the plugin only at the first of these events, or at a print fmt with an unknown function or
 * constant, and so starts faster. The text must have all events of ->formatters as SYSTEM:EVENT,
 * separated by spaces, with "*" for NULL; "" if there are none. Not for plugins that call
 * ftr_init_ordered() without an option that asks for it.
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

/* Reports why the plugin can't work. It is then not loaded. */
void ftr_init_error(struct ftr_init *in, const char *fmt, ...) FTR_PRINTF(2, 3);
/*
 * Says that the text of a record depends on earlier records. ftr then renders all records in order,
 * in one thread. Do not call it if the text depends on the record alone.
 */
void ftr_init_ordered(struct ftr_init *in);

/* Withdraws a function of this plugin, if the options make its result unknown. */
void ftr_init_withdraw(struct ftr_init *in, const char *function);

/* --- in bind() */

const char *ftr_bind_system(const struct ftr_bind *b);
const char *ftr_bind_event(const struct ftr_bind *b);
/* The text after "print fmt: ", "" if the format has none. */
const char *ftr_bind_print_fmt(const struct ftr_bind *b);
/* A handle for a field that is not in ->fields; -1 if the event has no such field. */
ftr_field ftr_field_find(struct ftr_bind *b, const char *name);
/* The C type as the format has it: "unsigned long", "__data_loc char[]"; NULL if it is absent. */
const char *ftr_field_type(const struct ftr_bind *b, ftr_field f);
/* Bytes of the field itself: 4 for dynamic ones. */
size_t ftr_field_size(const struct ftr_bind *b, ftr_field f);

/*
 * --- the record: fields. Optional fields that are absent read as 0, "" or no bytes, and are no
 * damage.
 */

int ftr_field_present(const struct ftr_record *r, ftr_field f);
/* The number, extended to 64 bits by the signedness of the field's type. */
uint64_t ftr_field_u64(const struct ftr_record *r, ftr_field f);
int64_t ftr_field_s64(const struct ftr_record *r, ftr_field f);
/*
 * A fixed or dynamic string, up to its NUL or end. It is not escaped, and may have control bytes.
 */
const char *ftr_field_string(const struct ftr_record *r, ftr_field f);
/* The bytes of any field, dynamic arrays included, in the byte order of the recording. */
const void *ftr_field_bytes(const struct ftr_record *r, ftr_field f, size_t *len);
/* Number of elements, and an element, of a fixed or dynamic array of numbers. */
size_t ftr_field_count(const struct ftr_record *r, ftr_field f);
uint64_t ftr_field_elem(const struct ftr_record *r, ftr_field f, size_t index);

/* --- the record: the rest */

int ftr_record_cpu(const struct ftr_record *r);
int ftr_record_pid(const struct ftr_record *r);
uint64_t ftr_record_ts(const struct ftr_record *r);	/* nanoseconds, or units of its clock */
int ftr_record_long_size(const struct ftr_record *r);	/* 4 or 8 */
/* The number of @size bytes (1, 2, 4, 8) at @p in the record, in the recording's byte order. */
uint64_t ftr_record_num(const struct ftr_record *r, const void *p, unsigned int size);
/*
 * The version of the recorded kernel: FTR_KERNEL(6, 12) for any 6.12; 0 if the recording lacks it.
 * For facts that neither the format nor the record has.
 */
uint32_t ftr_record_kernel(const struct ftr_record *r);
#define FTR_KERNEL(major, minor) ((uint32_t)(major) << 16 | (minor))
/* Start address of the symbol that contains @addr; @addr if there is none. */
uint64_t ftr_symbol_start(const struct ftr_record *r, uint64_t addr);
/* This thread's ->thread_size bytes, NULL if that is 0. */
void *ftr_thread_state(const struct ftr_record *r);

/* --- the text */

void ftr_out_printf(struct ftr_out *out, const char *fmt, ...) FTR_PRINTF(2, 3);
void ftr_out_str(struct ftr_out *out, const char *s);
void ftr_out_bytes(struct ftr_out *out, const void *p, size_t len);
/* Begins a new line. The other functions show a newline as \x0a. */
void ftr_out_line(struct ftr_out *out);
/*
 * The symbol that contains an address: "name [module]"; "name+0x12 [module]"; "name". 0x... if
 * there is none.
 */
void ftr_out_sym(struct ftr_out *out, uint64_t addr);
void ftr_out_sym_offset(struct ftr_out *out, uint64_t addr);
void ftr_out_sym_name(struct ftr_out *out, uint64_t addr);
/* The task's name as at the start of a line: "bash", "<idle>", "<...>". */
void ftr_out_comm(struct ftr_out *out, int pid);
/* The text of the record without the formatter. Not for functions. */
void ftr_out_default(struct ftr_out *out, const struct ftr_record *r);

/* A name for a number; { 0, NULL } ends a table. */
struct ftr_name {
	uint64_t    value;
	const char *name;
};

/* As __print_symbolic() of the kernel: the name, or 0x... */
void ftr_out_symbolic(struct ftr_out *out, uint64_t v, const struct ftr_name *names);
/* The name of @v, or @other: for functions of the kernel that have a word for unknown values. */
void ftr_out_name(struct ftr_out *out, uint64_t v, const struct ftr_name *names, const char *other);
/*
 * As __print_flags(): names of all the bits, with @delim between them; bits without a name as 0x...
 */
void ftr_out_flags(struct ftr_out *out, uint64_t v, const char *delim,
		   const struct ftr_name *names);

#ifdef __cplusplus
}
#endif

#endif
