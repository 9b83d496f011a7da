/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading of event plugins, what they may ask and write, and the plugins that come with ftr. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "event/event.h"
#include "event/plugin/plugin.h"

#include "format.h"
#include "tap.h"

#define HEAD(name, id) "name: " name "\nID: " #id "\nformat:\n" COMMON

static const char kallsyms[] =
	"ffffffff81001000 T vfs_read\nffffffff81002000 T ksys_read\nffffffff81003000 T do_syscall_64\n"
	"ffffffffc0000000 t nfs_open\t[nfs]\n";
static const char cmdlines[] = "41 ba\033sh\n";

static char dir[64];		/* copies of the plugins: the build tree may be anybody's */
static struct buf out;
static struct ev_syms *syms;
static uint32_t kernel = KERNEL_VERSION_OF(6, 12);	/* that was recorded */

/* --- files */

/* Copies NAME.so of @sub in the build tree; returns its path, in one of a few buffers. */
static const char *use(const char *sub, const char *name)
{
	static char path[8][256];
	static int next;
	char *to = path[next++ % 8], cmd[1024], exe[512];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = 0;
	snprintf(to, sizeof(path[0]), "%s/%s.so", dir, name);
	snprintf(cmd, sizeof(cmd), "cp '%s/../../%s/%s.so' '%s' && chmod 755 '%s'",
		 (*strrchr(exe, '/') = 0, exe), sub, name, to, to);
	if (system(cmd))
		printf("# cannot copy %s.so\n", name);
	return to;
}

static const char *probe(void)
{
	return use("tests/plugins", "probe");
}

/* The lines of a small file with spaces for newlines. */
static const char *lines_of(const char *path)
{
	static char text[512];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = 0;
	for (char *p = text; (p = strchr(p, '\n'));)
		*p = ' ';
	return text;
}

/* --- rendering */

struct fixture {
	struct ev_plugins *set;
	struct event_meta w;
	struct ev_engine *e;
	struct ev_format f;
};

static bool begin(struct fixture *x, struct ev_plugins *set, const char *system, const char *text)
{
	struct ftr_error err = { 0 };

	memset(x, 0, sizeof(*x));
	x->set = set;
	x->w = (struct event_meta){ .long_size = 8, .page_size = 4096, .syms = syms, .plugins = set,
		.kernel = kernel,
				  .cmdlines = cmdlines, .cmdlines_len = sizeof(cmdlines) - 1 };
	x->e = ev_engine_new(&x->w, NULL, NULL);
	if (!ev_format_parse(&x->f, system, text, strlen(text), &err))
		return true;
	printf("# format: %s\n", err.msg);
	return false;
}

static void end(struct fixture *x)
{
	ev_engine_free(x->e);
	ev_format_release(&x->f);
	ev_plugins_free(x->set);
}

/* The record in memory of exactly its length, so that ASan sees what reads beyond it. */
static const char *render(struct fixture *x, const void *data, uint32_t len, int cpu)
{
	uint8_t *copy = memcpy(xmalloc(len), data, len);
	struct ev_rec r = { .fmt = &x->f, .data = copy, .len = len, .long_size = 8 };

	buf_reset(&out);
	ev_render(x->e, &r, cpu, 1234, &out);
	free(copy);
	return out.data;
}

static struct ev_plugins *load(const char *path, const char *options, struct ftr_error *err)
{
	struct ev_plugins *s = ev_plugins_new(false);
	struct strv words = { 0 };
	int ret = 0;

	strv_split(&words, options ? options : "", " ");
	for (size_t i = 0; i < words.n && !ret; i++)
		ret = ev_plugins_option(s, words.v[i], err);
	strv_release(&words);
	if (!ret && !ev_plugins_load(s, path, err) && !ev_plugins_check(s, err))
		return s;
	ev_plugins_free(s);
	return NULL;
}

static void same(const char *got, const char *want, const char *name)
{
	if (!TAP_OK(!strcmp(got, want), name))
		printf("# got  '%s'\n# want '%s'\n", got, want);
}

/* --- the probe: all that a formatter may do */

static const char probe_format[] = HEAD("probe", 300) F("int a", 8, 4, 1) F("u16 b", 12, 2, 0)
	F("u8 arr[4]", 16, 4, 0) F("__data_loc char[] s", 20, 4, 1) F("__data_loc short[] d", 24, 4, 1)
	F("u64 wide", 32, 8, 0) F("char name[4]", 40, 4, 1) "\nprint fmt: \"b=%d\", REC->b\n";

/* a=-5, b=7, arr=1..4, s="st" without a NUL at 44, d={-2,0x1234} at 48, wide, name "abcd". */
static const uint8_t probe_record[] = {
	44, 1, 0, 0, 41, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff, 7, 0, 0, 0, 1, 2, 3, 4,
	44, 0, 2, 0, 48, 0, 4, 0, 0, 0, 0, 0, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
	'a', 'b', 'c', 'd', 's', 't', 0, 0, 0xfe, 0xff, 0x34, 0x12,
};

static const char *probe_text(const char *options, const void *data, uint32_t len)
{
	static char text[1024];
	struct ftr_error err = { 0 };
	struct ev_plugins *set = load(probe(), options, &err);
	struct fixture x;

	if (!set) {
		snprintf(text, sizeof(text), "%s", err.msg);
		return text;
	}
	begin(&x, set, "test", probe_format);
	snprintf(text, sizeof(text), "%s", render(&x, data, len, 3));
	end(&x);
	return text;
}

/* Where names come as time goes; the one of 4711 came late. */
static const char *live_comm(void *ctx, int pid)
{
	(void)ctx;
	return pid == 41 ? "live" : pid == 4711 ? "late" : NULL;
}

static const char *no_text(void *ctx, enum ev_text which, size_t *len)
{
	(void)ctx;
	(void)which;
	*len = 0;
	return NULL;
}

static void test_comms(void)
{
	static const struct ev_loader loader = { .text = no_text, .comm = live_comm };
	struct map kernels = {0};
	const struct ev_style style = { .comms = &kernels };
	struct ftr_error err = { 0 };
	struct fixture x;

	begin(&x, load(probe(), "probe:mode=rest", &err), "test", probe_format);
	x.w.loader = &loader;
	TAP_OK(strstr(render(&x, probe_record, sizeof(probe_record), 3), " live<idle>late "),
	       "names of tasks that come as time goes");
	map_put(&kernels, 41, (void *)"older");
	ev_set_style(x.e, &style);
	TAP_OK(strstr(render(&x, probe_record, sizeof(probe_record), 3), " older<idle>late "),
	       "names that go before them");
	end(&x);
	map_release(&kernels);
}

static void test_probe(void)
{
	const uint32_t n = sizeof(probe_record);
	uint8_t odd[sizeof(probe_record)];

	same(probe_text("probe:mode=fields", probe_record, n),
	     "a=-5 b=7 wide=123456789abcdef s=st name=abcd arr=1234 d=fffffffffffffffe,1234, "
	     "missing=0,0,", "fields of all kinds");
	same(probe_text("probe:mode=rest", probe_record, n),
	     "cpu=3 pid=41 ts=1234 long=8 kernel=1 num=fffe nfs_open [nfs] nfs_open+0x4 [nfs] nfs_open 1 "
	     "ba\\x1bsh<idle><...> seven0x3 sevenother one|two|0x8\na\\x0ab\\x1b[m",
	     "the rest of a record, symbols, names, cleaned text");
	same(probe_text("probe:mode=none", probe_record, n), "b=7", "the text without the plugin");
	same(probe_text("probe:marked probe:level=-0x10", probe_record, n), "<-16>b=7",
	     "options, and a prefix");
	same(probe_text("marked", probe_record, n), "<5>b=7", "an option without the plugin's name");
	same(probe_text("marked marked=off", probe_record, n), "b=7", "the last of an option wins");
	same(probe_text("marked probe:mode=pass", probe_record, n), "b=7", "FTR_PASS drops what was written");
	same(probe_text("marked probe:mode=elem", probe_record, n), "b=7", "an element too many");
	same(probe_text("marked probe:mode=outside", probe_record, n), "b=7", "a pointer outside of the record");
	same(probe_text("marked probe:mode=unbound", probe_record, n), "b=7", "bind() does not want the event");
	same(probe_text("probe:mode=handle", probe_record, n), "0", "handles that there are not");
	TAP_EQ(strlen(probe_text("probe:mode=long", probe_record, n)), 1023, "a long text is cut");
	memcpy(odd, probe_record, n);
	odd[24] = 200;	/* d outside of the record */
	TAP_OK(!strstr(probe_text("marked probe:mode=fields", odd, n), "<5>"), "a dynamic array that is not there");
	odd[24] = 48;
	odd[22] = 60;	/* s too long */
	TAP_OK(!strstr(probe_text("marked probe:mode=fields", odd, n), "<5>"), "a string that ends behind the record");
	for (uint32_t len = 8; len < 44; len++)
		probe_text("probe:mode=fields", probe_record, len);
	TAP_OK(true, "records cut short, everywhere");
	TAP_OK(strstr(probe_text("probe:mode=fail", probe_record, n), "mode is fail"), "a plugin that does not start");
}

/* --- options */

static void wrong(const char *path, const char *options, const char *want, const char *hint, const char *name)
{
	struct ftr_error err = { 0 };
	struct ev_plugins *s = load(path, options, &err);

	TAP_OK(!s, name);
	if (!strstr(err.msg, want) || !strstr(err.hint, hint)) {
		printf("not ok - %s: words\n# got '%s' / '%s'\n# want '%s' / '%s'\n", name, err.msg, err.hint, want,
		       hint);
		tap_failed++;
	}
	ev_plugins_free(s);
}

static void test_options(void)
{
	wrong(probe(), "probe:levle=3", "plugin 'probe' has no option 'levle'", "did you mean 'probe:level'?",
	      "an option that is not there");
	wrong(probe(), "prob:level=3", "no plugin 'prob' is loaded", "did you mean 'probe'?",
	      "an option of no plugin");
	wrong(probe(), "nonsense=3", "no plugin has an option 'nonsense'", "ftr list --plugins",
	      "an option that nobody has");
	wrong(probe(), "probe:level=many", "option 'probe:level' takes a number, not 'many'", "", "no number");
	wrong(probe(), "probe:marked=maybe", "option 'probe:marked' takes yes or no, not 'maybe'", "",
	      "neither yes nor no");
	wrong(probe(), "probe:level", "option 'probe:level' needs a value", "", "no value");
	wrong(probe(), "probe:=3", "'probe:=3' is not an option of a plugin", "PLUGIN:OPTION=VALUE", "no name");
	wrong(probe(), ":level=3", "':level=3' is not an option of a plugin", "PLUGIN:OPTION=VALUE", "no plugin");
	wrong(probe(), "=3", "'=3' is not an option of a plugin", "PLUGIN:OPTION=VALUE", "nothing");
}

/* --- plugins that can't be loaded */

static void bad(const char *name, const char *want, const char *hint)
{
	wrong(use("tests/plugins", name), NULL, want, hint, name);
}

static void test_wrong(void)
{
	char text[256];

	wrong("/nonexistent/x.so", NULL, "cannot load plugin '/nonexistent/x.so': No such file", "", "no file");
	snprintf(text, sizeof(text), "%s/text.so", dir);
	fclose(fopen(text, "w"));
	wrong(text, NULL, "cannot load plugin", "", "an empty file");
	bad("bad-abi", "it has plugin ABI 2, this ftr 1", "compile it anew");
	bad("bad-head", "the sizes of its tables make no sense", "FTR_PLUGIN_HEAD");
	bad("bad-name", "the plugin's name is empty or has other characters than letters", "");
	bad("bad-noname", "the plugin's name is empty or has other characters than letters", "");
	bad("bad-format", "its formatter of 'b' has no function", "");
	bad("bad-call", "its function 'f' has no code", "");
	bad("bad-signature", "its function 'f' has a wrong signature", "");
	bad("bad-option", "its option 1 has a bad name, type or value", "");
	bad("bad-default", "option 'bad-default:x' takes a number, not 'many'", "");
	bad("bad-symbol", "undefined symbol: ftr_out_hologram", "it needs a newer ftr than");
	bad("bad-nothing", "it has no symbol 'ftr_plugin'", "ftr-plugin(3)");
	bad("newer", "it uses what only a newer ftr has", "this is ftr");
	wrong(probe(), "probe:mode=fail", "': mode is fail", "", "a plugin that does not start");
	wrong(dir, NULL, "cannot load plugin", "", "a folder with such");
}

static int also(struct ev_plugins *s, const char *sub, const char *name, struct ftr_error *err)
{
	return ev_plugins_load(s, use(sub, name), err);
}

static void test_several(void)
{
	struct ftr_error err = { 0 };
	struct ev_plugins *s = load(probe(), NULL, &err);
	int64_t v = 0;

	TAP_OK(also(s, "tests/plugins", "same-name", &err) &&
	       strstr(err.msg, "plugin 'probe' is already loaded"), "two of one name");
	TAP_OK(also(s, "tests/plugins", "same-event", &err) &&
	       strstr(err.msg, "the formatter of 'prob*' is already given by plugin 'probe'"), "two of one event");
	TAP_OK(also(s, "tests/plugins", "bad-constant", &err) && strstr(err.msg, "constant 'PROBE_X' with the value -3"),
	       "two of one constant");
	TAP_OK(!also(s, "tests/plugins", "newer-unused", &err), "a newer structure with nothing new in use");
	TAP_OK(!also(s, "plugins", "xen", &err), "another one");
	TAP_EQ(ev_plugins_count(s), 6, "the list has all of them");
	TAP_OK(!ev_plugins_get(s, 1)->desc && ev_plugins_get(s, 1)->why, "with the reasons");
	TAP_OK(plug_constant(s, "PROBE_X", 7, &v) && v == -3, "a constant");
	TAP_OK(plug_constant(s, "XEN_MC_FL_ARGS)", 14, &v) && v == 2, "a constant of another, in a longer text");
	TAP_OK(!plug_constant(s, "PROBE_", 6, &v) && !plug_constant(NULL, "PROBE_X", 7, &v), "no constant");
	TAP_OK(!ev_plugins_ordered(s), "no order needed");
	ev_plugins_free(s);
	s = load(probe(), "probe:mode=ordered", &err);
	TAP_OK(ev_plugins_ordered(s), "one that needs the order of records");
	ev_plugins_free(s);
}

/* --- who may have written it */

static void test_rights(void)
{
	const char *path = probe();
	char sub[128], inside[200], cmd[512];

	chmod(path, 0757);
	wrong(path, NULL, "can be written by anybody", "chmod o-w", "a file that anybody may write");
	snprintf(sub, sizeof(sub), "%s/open", dir);
	snprintf(inside, sizeof(inside), "%s/probe.so", sub);
	mkdir(sub, 0755);
	snprintf(cmd, sizeof(cmd), "cp '%s' '%s' && chmod 755 '%s' && chmod 777 '%s'", path, inside, inside, sub);
	TAP_EQ(system(cmd), 0, "a folder that anybody may write");
	wrong(inside, NULL, "/open' can be written by anybody", "chmod o-w", "and what is in it");
	chmod(sub, 01777);
	ev_plugins_free(load(inside, NULL, NULL));
	TAP_OK(true, "a sticky folder is fine");
	if (geteuid()) {
		TAP_SKIP("plugins of other users, as root", "not root");
		return;
	}
	TAP_OK(!chown(inside, 12345, -1), "a file of another user");
	wrong(inside, NULL, "does not belong to root", "as its owner", "as root");
	TAP_OK(!chown(inside, 0, 12345) && !chmod(inside, 0775), "a file that a group may write");
	wrong(inside, NULL, "can be written by its group", "chmod g-w", "as root");
	snprintf(cmd, sizeof(cmd), "chmod 755 '%s' '%s' && chown 12345 '%s' && chgrp 0 '%s'", inside, sub, sub, inside);
	TAP_EQ(system(cmd), 0, "a folder of another user");
	wrong(inside, NULL, "/open' does not belong to root", "", "and what is in it, as root");
}

/* --- what is checked is what is loaded */

static const char *swap_from, *swap_to;		/* renamed when the dynamic linker is called */

/* Takes the place of the C library's in this program. */
void *dlopen(const char *path, int flags)
{
	void *(*real)(const char *, int);

	*(void **)&real = dlsym(RTLD_NEXT, "dlopen");
	if (swap_from && rename(swap_from, swap_to))
		printf("# cannot rename '%s'\n", swap_from);
	swap_from = NULL;
	return real(path, flags);
}

/* Plugin @name as @sub/@as.so of the scratch folder; returns a static path. */
static const char *put(const char *sub, const char *as, const char *name)
{
	static char path[8][256];
	static int next;
	char *to = path[next++ % 8];

	snprintf(to, sizeof(path[0]), "%s/%s", dir, sub);
	mkdir(to, 0755);
	snprintf(to, sizeof(path[0]), "%s/%s/%s.so", dir, sub, as);
	TAP_OK(!rename(use("plugins", name), to), name);
	return to;
}

/* The names of the plugins that are loaded, in their order. */
static void loaded(const struct ev_plugins *s, const char *want, const char *what)
{
	struct buf names = { 0 };

	for (size_t i = 0; s && i < ev_plugins_count(s); i++)
		buf_printf(&names, "%s%s", i ? " " : "", ev_plugins_get(s, i)->desc->name);
	same(names.len ? names.data : "", want, what);
	buf_release(&names);
}

static void test_exchanged(void)
{
	const char *file = put("exchanged", "a", "xen"), *other = put("exchanged", "b", "kvm");
	char in[128], gone[128];
	struct ftr_error err = { 0 };
	struct ev_plugins *s;

	swap_from = other;
	swap_to = file;
	s = load(file, NULL, &err);
	TAP_OK(!swap_from, "a file that is exchanged between check and loading");
	loaded(s, "xen", "is the one that was checked");
	same(s ? ev_plugins_get(s, 0)->path : "", file, "under the name that was given");
	ev_plugins_free(s);

	file = put("mine", "a", "jbd2");
	put("theirs", "a", "futex");
	snprintf(in, sizeof(in), "%s/mine", dir);
	snprintf(gone, sizeof(gone), "%s/gone", dir);
	swap_from = in;
	swap_to = gone;
	s = load(file, NULL, &err);
	loaded(s, "jbd2", "nor does its folder have to be there any more");
	ev_plugins_free(s);
}

static void test_dir(void)
{
	char path[128];
	struct ftr_error err = { 0 };
	struct ev_plugins *s;

	put("three", "a", "xen");
	put("three", "b", "kvm");
	put("three", "c", "jbd2");
	snprintf(path, sizeof(path), "%s/three", dir);
	s = load(path, NULL, &err);
	loaded(s, "xen kvm jbd2", "three of one folder");
	ev_plugins_free(s);
}

/* The C library keeps what somebody else has loaded, with each name that it was loaded by. */
static void test_outlives(void)
{
	const char *first = put("outlives", "a", "xen"), *second = put("outlives", "b", "kvm");
	void *kept = dlopen(first, RTLD_NOW);
	struct ftr_error err = { 0 };
	struct ev_plugins *s;

	TAP_OK(kept, "a plugin that stays loaded");
	s = load(first, NULL, &err);
	loaded(s, "xen", "is loaded");
	ev_plugins_free(s);
	s = load(second, NULL, &err);
	loaded(s, "kvm", "and is not the one that is loaded after it");
	ev_plugins_free(s);
	dlclose(kept);
}

/* In a child: 0 if it is refused for want of /proc. */
static int load_without_proc(void)
{
	struct ftr_error err = { 0 };

	if (chroot(dir) || chdir("/"))
		return 2;
	return load("/xen.so", NULL, &err) || !strstr(err.msg, "'/xen.so': /proc is not mounted") ||
	       !strstr(err.hint, "mount -t proc");
}

static void test_no_proc(void)
{
	int status = 0;
	pid_t pid;

	if (geteuid()) {
		TAP_SKIP("without /proc", "not root");
		return;
	}
	use("plugins", "xen");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(load_without_proc());
	waitpid(pid, &status, 0);
	TAP_EQ(status, 0, "without /proc");
}

static void test_no_file(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/fifo.so", dir);
	TAP_OK(!mkfifo(path, 0600), "a fifo");
	wrong(path, NULL, "is not a regular file", "", "is no plugin");
}

/* --- threads, and the end */

struct worker {
	pthread_t thread;
	struct ev_engine *e;
	const struct ev_format *f;
	unsigned int wrong;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct buf text = { 0 };
	struct ev_rec r = { .fmt = w->f, .data = probe_record, .len = sizeof(probe_record), .long_size = 8 };

	for (int i = 0; i < 1000; i++) {
		buf_reset(&text);
		ev_render(w->e, &r, 0, 0, &text);
		w->wrong += strcmp(text.data, "a=-5 b=7 wide=123456789abcdef s=st name=abcd arr=1234 "
				   "d=fffffffffffffffe,1234, missing=0,0,") != 0;
	}
	buf_release(&text);
	ev_engine_free(w->e);
	return NULL;
}

static void test_threads(void)
{
	char options[256], log[128];
	struct ftr_error err = { 0 };
	struct worker w[4] = { 0 };
	unsigned int wrong_ones = 0;
	struct fixture x;

	snprintf(log, sizeof(log), "%s/log", dir);
	snprintf(options, sizeof(options), "probe:mode=fields probe:log=%s", log);
	begin(&x, load(probe(), options, &err), "test", probe_format);
	ev_engine_free(x.e);
	x.e = ev_engine_new(&x.w, "ftr", NULL);	/* libtraceevent's handles share nothing */
	render(&x, probe_record, sizeof(probe_record), 0);
	for (int i = 0; i < 4; i++) {
		w[i].e = ev_engine_share(x.e);
		w[i].f = &x.f;
		pthread_create(&w[i].thread, NULL, work, &w[i]);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(w[i].thread, NULL);
		wrong_ones += w[i].wrong;
	}
	TAP_EQ(wrong_ones, 0, "four threads, a thousand records each");
	end(&x);
	same(lines_of(log), "init thread 1000 thread 1000 thread 1000 thread 1000 thread 1 unbind exit ",
	     "a state a thread; states, bindings and the plugin end in this order");
}

/* --- functions */

static bool call(struct ev_plugins *s, const char *name, const struct ftr_arg *args, uint64_t *num, struct buf *str)
{
	const struct plug_func *f = plug_func_find(s, name, strlen(name));
	struct ev_rec r = { .data = probe_record, .len = sizeof(probe_record), .long_size = 8 };
	struct fixture x;
	bool ok;

	begin(&x, s, "test", probe_format);
	r.fmt = &x.f;
	buf_reset(str);
	buf_addstr(str, "");
	ok = f && plug_func_call(f, x.e, &r, args, num, str);
	x.set = NULL;
	end(&x);
	return ok;
}

static void test_functions(void)
{
	struct ftr_error err = { 0 };
	struct ev_plugins *s = load(probe(), NULL, &err);
	struct ftr_arg num = { .num = 21 }, two[3] = { { .data = "\033you", .len = 4 }, { .data = probe_record, .len = 9 } };
	uint64_t v = 0;

	TAP_OK(!strcmp(plug_func_signature(plug_func_find(s, "probe_greet(", 11)), "s:sb-"), "a signature");
	TAP_OK(!plug_func_find(s, "probe_", 6) && !plug_func_find(NULL, "probe_twice", 11), "no function");
	TAP_OK(call(s, "probe_twice", &num, &v, &out) && v == 42, "a function of numbers");
	num.num = 13;
	TAP_OK(!call(s, "probe_twice", &num, &v, &out), "a function that does not know");
	TAP_OK(call(s, "probe_greet", two, &v, &out), "a function of strings");
	same(out.data, "hello \033you 9", "whose result is not cleaned yet");
	ev_plugins_free(s);
}

/* What scsi_trace_parse_cdb() says of @hex, @len bytes of which it is told to read. */
static void cdb(struct ev_plugins *s, const char *hex, const char *want)
{
	uint8_t bytes[64];
	struct ftr_arg args[3] = { { .num = 0 }, { .data = bytes }, { .num = 32 } };
	unsigned int b;
	uint64_t v;
	size_t n = 0;
	uint8_t *exact;

	for (const char *p = hex; sscanf(p, "%2x", &b) == 1 && n < sizeof(bytes); p += 2)
		bytes[n++] = b;
	exact = memcpy(xmalloc(n), bytes, n);
	args[1].data = exact;
	args[1].len = n;
	if (!call(s, "scsi_trace_parse_cdb", args, &v, &out))
		same("unknown", want, hex);
	else
		same(out.data, want, hex);
	free(exact);
}

/* The blocks are put together by the standard's tables, the texts by the kernel's words for them. */
static void test_tables(void)
{
	/* The bits are those of the BTF of 6.1, 6.12 and 7.2, the words those of the kernel. */
	static const struct { const char *plugin, *function; uint64_t args[3]; const char *want; } rows[] = {
		{ "libata", "libata_trace_parse_status", { 0x51 }, "{ DRDY DSC ERR }" },
		{ "libata", "libata_trace_parse_status", { 0 }, "{ }" },
		{ "libata", "libata_trace_parse_host_stat", { 5 }, "{ INTR ACTIVE }" },
		{ "libata", "libata_trace_parse_eh_action", { 0 }, "0" },
		{ "libata", "libata_trace_parse_eh_action", { 0x27 }, "27{ REVALIDATE RESET PARK }" },
		{ "libata", "libata_trace_parse_eh_err_mask", { 0x5 }, "5{ DEV TIMEOUT }" },
		{ "libata", "libata_trace_parse_qc_flags", { 0x20013 }, "20013{ ACTIVE DMAMAP RESULT_TF SENSE_VALID }" },
		{ "libata", "libata_trace_parse_tf_flags", { 0x1f }, "1f{ LBA48 ISADDR DEV WRITE LBA }" },
		{ "libata", "libata_trace_parse_subcmd", { 0x65, 0, 0x21 }, " READ_LOG_DMA_EXT" },
		{ "libata", "libata_trace_parse_subcmd", { 0x65, 0, 0x41 }, "" },
		{ "libata", "libata_trace_parse_subcmd", { 0x65, 0, 0xa1 }, " READ_LOG_DMA_EXT" },
		{ "libata", "libata_trace_parse_subcmd", { 0x63, 7, 0 }, " ZAC_MGMT_OUT" },
		{ "libata", "libata_trace_parse_subcmd", { 0x9f, 4, 0 }, " RESET_WRITE_POINTER" },
		{ "block", "blk_op_str", { 1 }, "WRITE" },
		{ "block", "blk_op_str", { 9 }, "WRITE_ZEROES" },
		{ "block", "blk_op_str", { 15 }, NULL },
		{ "kgsl", "kgsl_pwrstate_to_str", { 0x80 }, "SLUMBER" },
		{ "kgsl", "kgsl_pwrstate_to_str", { 0 }, "NONE" },
		{ "kgsl", "kgsl_pwrstate_to_str", { 0x20 }, NULL },
	};
	struct ftr_arg args[4];
	uint64_t v;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ev_plugins *s = load(use("plugins", rows[i].plugin), NULL, NULL);
		size_t first = !strcmp(rows[i].plugin, "libata");	/* the trace_seq */

		memset(args, 0, sizeof(args));
		for (size_t k = 0; k < 3; k++)
			args[first + k].num = rows[i].args[k];
		if (call(s, rows[i].function, args, &v, &out))
			same(out.data ? out.data : "", rows[i].want ? rows[i].want : "a name", rows[i].function);
		else
			same("unknown", rows[i].want ? rows[i].want : "unknown", rows[i].function);
		ev_plugins_free(s);
	}
}

static void test_scsi(void)
{
	struct ev_plugins *s = load(use("plugins", "scsi"), NULL, NULL);

	cdb(s, "080102030400", "lba=66051 txlen=4");
	cdb(s, "0affffff0000", "lba=2097151 txlen=256");
	cdb(s, "28000102030400050600", "lba=16909060 txlen=1286 protect=0");
	cdb(s, "2a20ffffffff00000800", "lba=4294967295 txlen=8 protect=1");
	cdb(s, "41080000100000002000", "lba=4096 txlen=32 protect=0 unmap=1");
	cdb(s, "a860000000100001000000 00", "lba=16 txlen=65536 protect=3");
	cdb(s, "88000000000100000002000000080000", "lba=4294967298 txlen=8 protect=0");
	cdb(s, "93080000000100000000000000400000", "lba=4294967296 txlen=64 protect=0 unmap=1");
	cdb(s, "42000000000000001800", "regions=1");
	cdb(s, "9e100000000000000000000000200000", "READ_CAPACITY_16 lba=0 alloc_len=32");
	cdb(s, "9e1f0000000000000000000000200000", "UNKNOWN");
	cdb(s, "a30c00000000000002000000", "REPORT_SUPPORTED_OPERATION_CODES alloc_len=512");
	cdb(s, "a40a00000000000000080000", "SET_TARGET_PORT_GROUPS alloc_len=8");
	cdb(s, "950000000000000000050000004081 00", "REPORT_ZONES zone=5 alloc_len=64 options=1 partial=1");
	cdb(s, "94040000000000000007000000000100", "RESET_WRITE_POINTER zone=7 all=1");
	cdb(s, "9c000000000000000009000400100000", "lba=9 txlen=16 boundary_size=4");
	kernel = KERNEL_VERSION_OF(6, 1);
	cdb(s, "9c000000000000000009000400100000", "-");
	kernel = KERNEL_VERSION_OF(6, 12);
	cdb(s, "7f00000000000018000940000000000000000102000000030000000000000008",
	    "READ_32 lba=258 txlen=8 protect=2 ei_lbrt=3");
	cdb(s, "7f00000000000018000d08000000000000000102000000030000000000000008",
	    "WRITE_SAME_32 lba=258 txlen=8 protect=0 ei_lbrt=3 unmap=1");
	cdb(s, "7f0000000000001800ff", "-");
	cdb(s, "120000002400", "-");
	cdb(s, "2800", "unknown");
	cdb(s, "", "unknown");
	ev_plugins_free(s);
}

static void test_small(void)
{
	struct ev_plugins *s = load(use("plugins", "xen"), NULL, NULL);
	struct ftr_arg arg = { .num = 1 };
	uint64_t v = 0;

	TAP_OK(call(s, "xen_hypercall_name", &arg, &v, &out), "xen_hypercall_name");
	same(out.data, "(mmu_update)", "hypercall 1");
	arg.num = 11;
	TAP_OK(call(s, "xen_hypercall_name", &arg, &v, &out) && !out.len, "a hypercall without a name");
	arg.num = UINT64_MAX;
	TAP_OK(call(s, "xen_hypercall_name", &arg, &v, &out) && !out.len, "a large one");
	ev_plugins_free(s);
	s = load(use("plugins", "jbd2"), NULL, NULL);
	arg.num = 25;
	TAP_OK(!call(s, "jiffies_to_msecs", &arg, &v, &out), "jiffies of unknown length");
	arg.num = 8 << 20 | 3;
	TAP_OK(call(s, "jbd2_dev_to_name", &arg, &v, &out), "jbd2_dev_to_name");
	same(out.data, "8:3", "major and minor");
	ev_plugins_free(s);
	s = load(use("plugins", "jbd2"), "jbd2:hz=250", NULL);
	arg.num = 25;
	TAP_OK(call(s, "jiffies_to_msecs", &arg, &v, &out) && v == 100, "25 jiffies of 4 ms");
	ev_plugins_free(s);
	wrong(use("plugins", "jbd2"), "jbd2:hz=-1", "jbd2:hz is from 0 to 10000", "", "no frequency");
	s = load(use("plugins", "kvm"), NULL, NULL);
	arg.num = 0x8000000000000067;
	TAP_OK(call(s, "is_writable_pte", &arg, &v, &out) && v, "is_writable_pte");
	ev_plugins_free(s);
}

/* --- functions of USB drivers: arguments as print fmts have them, lines by the kernels' sources */

static const struct usb_row {
	const char *plugin;
	uint32_t kernel;
	const char *call, *want;
} usb_rows[] = {
#define V(major, minor) KERNEL_VERSION_OF(major, minor)
#define NOW V(7, 2)
	{ "xhci", NOW, "xhci_ring_type_string(2)", "BULK" },
	{ "xhci", NOW, "xhci_ring_type_string(7)", "UNKNOWN" },
	/* a call of 5.10, of 5.15, of 6.1 and later */
	{ "xhci", V(5, 10), "xhci_decode_trb(0x1000, 2, 0x00400008, 0x00001821)",
	  "LINK 0000000200001000 intr 1 type 'Link' flags I:c:t:C" },
	{ "xhci", V(5, 15), "xhci_decode_trb(__get_str(str), 500, 0x1000, 2, 0x00400008, 0x00001812)",
	  "LINK 0000000200001000 intr 1 type 'Link' flags i:C:T:c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x1000, 0, 0x0d000012, 0x05038005)",
	  "TRB 0000000000001000 status 'Short Packet' len 18 slot 5 ep 3 type 'Transfer Event' flags E:C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x02000000, 0, 0x1e000000, 0x00008800)",
	  "TRB 0000000002000000 status 'Unknown!!' len 0 slot 0 ep 0 type 'Port Status Change Event' flags e:c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x03010680, 0x00ff0409, 0x00c60008, 0x00030861)",
	  "bRequestType 80 bRequest 06 wValue 0301 wIndex 0409 wLength 255 length 8 TD size 3 intr 3 type 'Setup Stage' "
	  "flags I:I:C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x2000, 0, 0x000000ff, 0x00010c14)",
	  "Buffer 0000000000002000 length 255 TD size 0 intr 0 type 'Data Stage' flags i:i:C:s:I:e:c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x00011021)",
	  "Buffer 0000000000000000 length 0 TD size 0 intr 0 type 'Status Stage' flags I:c:e:C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0xabcd, 1, 0x003e0200, 0x0000064a)",
	  "Buffer 000000010000abcd length 512 TD size 31 intr 0 type 'Normal' flags B:I:i:c:S:i:E:c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x3000, 0, 0x00000c00, 0x923516a4)",
	  "Buffer 0000000000003000 length 3072 TD size/TBC 0 intr 0 type 'Isoch' TBC 1 TLBPC 5 frame_id 291 "
	  "flags S:B:i:I:c:s:I:e:c" },
	{ "xhci", V(6, 12), "xhci_decode_trb(__get_buf(500), 500, 0x3000, 0, 0x00000c00, 0x923516a4)",
	  "Buffer 0000000000003000 length 3072 TD size 0 intr 0 type 'Isoch' flags B:i:I:c:s:I:e:c" },
	{ "xhci", 0, "xhci_decode_trb(__get_buf(500), 500, 1, 2, 3, 0x1400)",
	  "xhci_decode_trb(0x1f4, 0x1, 0x2, 0x3, 0x1400)" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x00002401)",
	  "Enable Slot Command: flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x03002800)",
	  "Disable Slot Command: slot 3 flags c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x4000, 0, 0, 0x02002e01)",
	  "Address Device Command: ctx 0000000000004000 slot 2 flags B:C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x4000, 0, 0, 0x02003000)",
	  "Configure Endpoint Command: ctx 0000000000004000 slot 2 flags d:c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x4000, 0, 0, 0x02003401)",
	  "Evaluate Context Command: ctx 0000000000004000 slot 2 flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x02053a01)",
	  "Reset Endpoint Command: ctx 0000000000000000 slot 2 ep 5 flags T:C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x02833c01)",
	  "Stop Ring Command: slot 2 sp 1 ep 3 flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x5001, 0, 0x00070000, 0x02044001)",
	  "Set TR Dequeue Pointer Command: deq 0000000000005001 stream 7 slot 2 ep 4 flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x02004401)",
	  "Reset Device Command: slot 2 flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x6000, 0, 0x00800000, 0x00094801)",
	  "Force Event Command: event 0000000000006000 vf intr 2 vf id 9 flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x01234c00)",
	  "Negotiate Bandwidth Command: slot 1 flags c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x01235000)",
	  "Set Latency Tolerance Value Command: belt 291 flags c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x7000, 0, 0, 0x01035401)",
	  "Get Port Bandwidth Command: ctx 0000000000007000 slot 1 speed 3 flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0x25, 1, 2, 0x04005801)",
	  "Force Header Command: info 000000020000000100000020 pkt type 5 roothub port 4 flags C" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 0, 0, 0, 0x00005c00)", "No-Op Command: flags c" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 1, 2, 3, 0x0000c401)",
	  "type 'NET Get Firmware Revision Command' -> raw 00000001 00000002 00000003 0000c401" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 1, 2, 3, 0)",
	  "type 'UNKNOWN' -> raw 00000001 00000002 00000003 00000000" },
	{ "xhci", NOW, "xhci_decode_trb(__get_buf(500), 500, 1, 2, 3, 0xffff)",
	  "type 'UNKNOWN' -> raw 00000001 00000002 00000003 0000ffff" },
	{ "xhci", NOW, "xhci_decode_slot_context(__get_buf(500), 0x1c300012, 0x04020010, 0x00c10203, 0x18000007)",
	  "RS 00012 high-speed Hub Ctx Entries 3 MEL 16 us Port# 2/4 [TT Slot 3 Port# 2 TTT 1 Intr 3] Addr 7 State "
	  "configured" },
	{ "xhci", V(5, 10), "xhci_decode_slot_context(0x0a600000, 0, 0, 0x20000000)",
	  "RS 00000 UNKNOWN speed multi-TT Ctx Entries 1 MEL 0 us Port# 0/0 [TT Slot 0 Port# 0 TTT 0 Intr 0] Addr 0 "
	  "State reserved" },
	{ "xhci", NOW, "xhci_decode_ctrl_ctx(__get_buf(500), 0x8, 0x7)", "Drop: 1in, Add: slot ep0 1out" },
	{ "xhci", NOW, "xhci_decode_ctrl_ctx(__get_buf(500), 0, 0)", "" },
	{ "xhci", NOW, "xhci_decode_ep_context(__get_buf(500), 0x02030981, 0x0200043e, 0xfedcba987, 0x00400010)",
	  "State running mult 2 max P. Streams 2 interval 1000 us max ESIT payload 131136 CErr 3 Type Int IN burst 4 "
	  "maxp 512 deq 0000000fedcba987 avg trb len 16" },
	{ "xhci", NOW, "xhci_decode_ep_context(__get_buf(500), 0x00008005, 0x00000080, 0, 0)",
	  "State INVALID mult 1 max P. Streams 0 LSA interval 125 us max ESIT payload 0 CErr 0 Type INVALID HIDburst 0 "
	  "maxp 0 deq 0000000000000000 avg trb len 0" },
	{ "xhci", V(6, 9), "xhci_decode_portsc(__get_buf(500), 0x02061203)",
	  "Powered Connected Enabled Link:U0 PortSpeed:4 Change: CSC PEC Wake: WCE " },
	{ "xhci", V(5, 10), "xhci_decode_portsc(0xffffffff)",
	  "Powered Connected Enabled Link:Resume PortSpeed:15 OverCurrent In-Reset Change: CSC PEC WRC OCC PRC PLC CEC CAS "
	  "Wake: WCE WDE WOE " },
	{ "xhci", V(6, 10), "xhci_decode_portsc(__get_buf(500), 0x000002a0)",
	  "0x000002a0 Powered Not-connected Disabled Link:RxDetect PortSpeed:0 Change: Wake: " },
	{ "xhci", V(6, 18), "xhci_decode_portsc(__get_buf(500), 0x00000180)",
	  "0x00000180 Powered-off Not-connected Disabled Link:Unknown PortSpeed:0 Change: Wake: " },
	{ "xhci", V(6, 19), "xhci_decode_portsc(__get_buf(500), 0x00201201)", "0x00201201 Speed=4 Link=U0 CCS PP PRC " },
	{ "xhci", NOW, "xhci_decode_portsc(__get_buf(500), 0xfffffffe)",
	  "0xfffffffe Speed=15 Link=Resume OCA CAS DR PP WCE WDE WOE LWS PR WPR PED CSC PEC WRC OCC PRC PLC CEC " },
	{ "xhci", NOW, "xhci_decode_portsc(__get_buf(500), 0xffffffff)", "0xffffffff " },
	{ "xhci", 0, "xhci_decode_portsc(__get_buf(500), 0x2a0)", "xhci_decode_portsc(0x2a0)" },
	{ "xhci", NOW, "xhci_decode_doorbell(__get_buf(500), 0, 0)", "Command Ring 0" },
	{ "xhci", V(5, 10), "xhci_decode_doorbell(2, 5)", "Slot 2 ep2in" },
	{ "xhci", NOW, "xhci_decode_doorbell(__get_buf(500), 12, 0x70004)", "Slot 1 Stream 7" },
	{ "xhci", NOW, "xhci_decode_doorbell(__get_buf(500), 1, 200)", "Slot 1 Reserved 200" },
	{ "xhci", NOW, "xhci_decode_doorbell(__get_buf(500), 1, 248)", "Slot 1 Vendor Defined 248" },
	{ "dwc3", NOW, "dwc3_trb_type_string(0x60)", "isoc-first" },
	{ "dwc3", NOW, "dwc3_trb_type_string(6)", "UNKNOWN" },
	{ "dwc3", NOW, "dwc3_gadget_ep_cmd_string(0x10506)", "Start Transfer" },
	{ "dwc3", NOW, "dwc3_gadget_ep_cmd_string(10)", "UNKNOWN command" },
	{ "dwc3", NOW, "dwc3_ep_cmd_status_string(-110)", "Timed Out" },
	{ "dwc3", NOW, "dwc3_ep_cmd_status_string(2)", "Bus Expiry" },
	{ "dwc3", NOW, "dwc3_gadget_generic_cmd_string(0x40c)", "Set Endpoint NRDY" },
	{ "dwc3", NOW, "dwc3_gadget_generic_cmd_string(6)", "UNKNOWN" },
	{ "dwc3", NOW, "dwc3_gadget_generic_cmd_status_string(-110)", "Timed Out" },
	{ "dwc3", NOW, "dwc3_gadget_generic_cmd_status_string(1)", "Error" },
	{ "dwc3", NOW, "dwc3_mode_string(2)", "device" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x00030601, 1)", "Suspend [U3]" },
	{ "dwc3", V(5, 10), "dwc3_decode_event(__get_str(str), 500, 0x00030601, 1)", "End-Of-Frame [U3]" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x00040001, 1)", "Disconnect: [SS.Disabled]" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x000c0301, 1)", "Link Change [UNKNOWN link state]" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x00000501, 1)", "UNKNOWN" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x0000c040, 1)",
	  "ep0out: Transfer Complete (sIL) [Setup Phase]" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x12346084, 1)",
	  "ep1out: Transfer In Progress [00001234] (SIm)" },
	{ "dwc3", V(5, 10), "dwc3_decode_event(__get_str(str), 500, 0x12348086, 1)",
	  "ep1in: Transfer In Progress [4660] (siM)" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x000020c2, 2)",
	  "ep0in: Transfer Not Ready [00000000] (Not Active) [Status Phase]" },
	{ "dwc3", V(5, 10), "dwc3_decode_event(__get_str(str), 500, 0x001090c0, 2)",
	  "ep0out: Transfer Not Ready [16] (Active) [Data Phase]" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x00051184, 1)", "ep1out:  Stream 5 Found" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x00052184, 1)", "ep1out:  Stream Not Found" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x000001c6, 1)", "ep1in: Endpoint Command Complete" },
	{ "dwc3", NOW, "dwc3_decode_event(__get_buf(500), 500, 0x00000146, 1)", "ep1in: UNKNOWN" },
	{ "dwc3", 0, "dwc3_decode_event(__get_buf(500), 500, 1, 1)", "dwc3_decode_event(0x1f4, 0x1, 0x1)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x80, 6, 0x0302, 0x0409, 255)",
	  "Get String Descriptor(Index = 2, Length = 255)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x00, 7, 0x7f00, 0, 8)",
	  "Set UNKNOWN Descriptor(Index = 0, Length = 8)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x80, 0, 0, 0, 2)", "Get Device Status(Length = 2)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x81, 0, 0, 3, 2)",
	  "Get Interface Status(Intf = 3, Length = 2)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x82, 0, 0, 0x81, 2)", "Get Endpoint Status(ep1in)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x83, 0, 0, 0, 2)",
	  "usb_decode_ctrl(0x1f4, 0x83, 0x0, 0x0, 0x0, 0x2)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 1, 1, 0, 0)", "Clear Device Feature(Remote Wakeup)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 3, 2, 4, 0)", "Set Device Feature(Test Mode: TEST_PACKET)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 3, 2, 0x400, 0)", "Set Device Feature(Test Mode: UNKNOWN)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 1, 3, 0, 0, 0)", "Set Interface Feature(Function Suspend)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 2, 1, 0, 2, 0)", "Clear Endpoint Feature(Halt ep2out)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 5, 27, 0, 0)", "Set Address(Addr = 1b)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x80, 8, 0, 0, 1)", "Get Configuration(Length = 1)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 9, 0x101, 0, 0)", "Set Configuration(Config = 1)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x81, 10, 0, 2, 1)", "Get Interface(Intf = 2, Length = 1)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 1, 11, 3, 2, 0)", "Set Interface(Intf = 2, Alt.Setting = 3)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x82, 12, 0, 1, 2)", "Synch Frame(Endpoint = 1, Length = 2)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 0x30, 0, 0, 6)", "Set SEL(Length = 6)" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 0x31, 40, 0, 0)", "Set Isochronous Delay(Delay = 40 ns)" },
	{ "usb", V(5, 10), "usb_decode_ctrl(__get_str(str), 500, 0xa1, 0xfe, 0, 1, 1)",
	  "Type=Class Recipient=Interface Dir=IN bRequest=254 wValue=0 wIndex=1 wLength=1" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0x43, 1, 0x10, 0xffff, 0)",
	  "Type=Vendor Recipient=Unknown Dir=OUT bRequest=1 wValue=16 wIndex=65535 wLength=0" },
	{ "usb", NOW, "usb_decode_ctrl(__get_buf(500), 500, 0, 2, 0, 0, 0)",
	  "Type=Standard Recipient=Device Dir=OUT bRequest=2 wValue=0 wIndex=0 wLength=0" },
#undef V
#undef NOW
};

static void usb_row(struct ev_plugins *s, const struct usb_row *row)
{
	static const uint8_t record[] = { [4] = 41, [8] = 12, [10] = 1, [12] = 0 };
	struct fixture x;
	char text[1024];

	snprintf(text, sizeof(text), HEAD("called", 9) F("__data_loc char[] str", 8, 4, 0) "\nprint fmt: \"%%s\", %s\n",
		 row->call);
	kernel = row->kernel;
	begin(&x, s, "test", text);
	same(render(&x, record, sizeof(record), 0), row->want, row->call);
	x.set = NULL;
	end(&x);
	kernel = KERNEL_VERSION_OF(6, 12);
}

static void test_usb(void)
{
	struct ev_plugins *s = NULL;
	const char *loaded = "";

	for (size_t i = 0; i < sizeof(usb_rows) / sizeof(*usb_rows); i++) {
		if (strcmp(usb_rows[i].plugin, loaded)) {
			ev_plugins_free(s);
			loaded = usb_rows[i].plugin;
			s = load(use("plugins", loaded), NULL, NULL);
		}
		usb_row(s, &usb_rows[i]);
	}
	ev_plugins_free(s);
}

/* --- formatters that come with ftr */

static void shipped_from(const char *sub, const char *name, const char *options, const char *system,
			 const char *format, const void *data, uint32_t len, const char *want)
{
	struct ftr_error err = { 0 };
	struct fixture x;
	char what[256];

	snprintf(what, sizeof(what), "%s: %.100s", name, want);
	begin(&x, load(use(sub, name), options, &err), system, format);
	same(render(&x, data, len, 0), want, what);
	end(&x);
}

static void shipped(const char *name, const char *options, const char *system, const char *format,
		    const void *data, uint32_t len, const char *want)
{
	shipped_from("plugins", name, options, system, format, data, len, want);
}

/* Print fmts of 6.12 and 5.10 need no formatter: the bit field is known. */
#define PAGE_FIELDS F("__u8 mmu_valid_gen", 8, 1, 0) F("__u64 gfn", 16, 8, 0) F("__u32 role", 24, 4, 0) \
	F("__u32 root_count", 28, 4, 0) F("bool unsync", 32, 1, 0)
#define PAGE(bit) \
	"({ const char *saved_ptr = trace_seq_buffer_ptr(p); static const char *access_str[] = { \"---\", " \
	"\"--x\", \"w--\", \"w-x\", \"-u-\", \"-ux\", \"wu-\", \"wux\" }; union kvm_mmu_page_role role; " \
	"role.word = REC->role; trace_seq_printf(p, \"sp gen %u gfn %llx l%u %u-byte q%u%s %s%s\" " \
	"\" %snxe %sad root %u %s%c\", REC->mmu_valid_gen, REC->gfn, role.level, role." bit ", " \
	"role.quadrant, role.direct ? \" direct\" : \"\", access_str[role.access], role.invalid ? " \
	"\" invalid\" : \"\", role.efer_nx ? \"\" : \"!\", role.ad_disabled ? \"!\" : \"\", REC->root_count, " \
	"REC->unsync ? \"unsync\" : \"sync\", 0); saved_ptr; })"

static void test_kvm(void)
{
	static const char get[] = HEAD("kvm_mmu_get_page", 301) PAGE_FIELDS F("bool created", 33, 1, 0)
		"\nprint fmt: \"%s %s\", " PAGE("has_4_byte_gpte ? 4 : 8") ", REC->created ? \"new\" : \"existing\"\n";
	static const char zap[] = HEAD("kvm_mmu_prepare_zap_page", 302) PAGE_FIELDS
		"\nprint fmt: \"%s\", " PAGE("has_4_byte_gpte ? 4 : 8") "\n";
	static const char older[] = HEAD("kvm_mmu_prepare_zap_page", 302) PAGE_FIELDS
		"\nprint fmt: \"%s\", " PAGE("gpte_is_8_bytes ? 8 : 4") "\n";
	/* level 4, direct, access 7, efer_nx */
	uint8_t d[40] = { 45, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0xcd, 0xab, 0, 0, 0, 0, 0, 0,
			  0x84, 0x17, 0, 0, 1, 0, 0, 0, 0, 1 };

	shipped("kvm", NULL, "kvmmmu", get, d, sizeof(d),
		"sp gen 2 gfn abcd l4 8-byte q0 direct wux nxe ad root 1 sync new");
	/* level 1, bit 4, quadrant 3, access 2, invalid, ad_disabled */
	d[24] = 0x71;
	d[25] = 0x0a;
	d[26] = 1;
	d[32] = 1;
	shipped("kvm", NULL, "kvmmmu", zap, d, sizeof(d),
		"sp gen 2 gfn abcd l1 4-byte q3 w-- invalid !nxe !ad root 1 unsync");
	shipped("kvm", NULL, "kvmmmu", older, d, sizeof(d),
		"sp gen 2 gfn abcd l1 8-byte q3 w-- invalid !nxe !ad root 1 unsync");
}

static void test_words(void)
{
	static const char futex[] = HEAD("sys_enter_futex", 303) F("int __syscall_nr", 8, 4, 1)
		F("u32 * uaddr", 16, 8, 0) F("int op", 24, 8, 0) "\nprint fmt: \"op: 0x%08lx\", "
		"((unsigned long)(REC->op))\n";
	static const char link[] = HEAD("drv_link_info_changed", 304) F("u64 changed", 8, 8, 0)
		"\nprint fmt: \"changed:%#llx\", REC->changed\n";
	uint8_t d[32] = { 47, 1, 0, 0, 1, 0, 0, 0, 1, 0x20, 0, 0, 10, 0, 0, 0, [24] = 0x89, [25] = 1 };

	shipped("futex", NULL, "syscalls", futex, d, 32, "op: 0x00000189");
	shipped("futex", "futex:names", "syscalls", futex, d, 32,
		"op: 0x00000189 (FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME)");
	d[24] = 99;
	d[25] = 0;
	shipped("futex", "futex:names", "syscalls", futex, d, 32, "op: 0x00000063 (0x63)");
	shipped("mac80211", NULL, "mac80211", link, d, 16, "changed:0xa00002001");
	shipped("mac80211", "names", "mac80211", link, d, 16,
		"changed:0xa00002001 (ASSOC|QOS|MLD_VALID_LINKS|TPE)");
}

/* --- functions and constants in print fmts */

/* As in 6.12, tables cut to what is used. */
static void test_print_fmts(void)
{
	static const char scsi[] = HEAD("scsi_dispatch_cmd_start", 305) F("unsigned int opcode", 8, 4, 0)
		F("unsigned int cmd_len", 12, 4, 0) F("unsigned char prot_op", 16, 1, 0)
		F("__data_loc unsigned char[] cmnd", 20, 4, 0) "\nprint fmt: \"prot_op=%s cmnd=(%s %s raw=%s)\", "
		"__print_symbolic(REC->prot_op, { SCSI_PROT_NORMAL, \"SCSI_PROT_NORMAL\" }, { SCSI_PROT_WRITE_STRIP, "
		"\"SCSI_PROT_WRITE_STRIP\" }), __print_symbolic(REC->opcode, { 0x28, \"READ_10\" }), "
		"scsi_trace_parse_cdb(p, __get_dynamic_array(cmnd), REC->cmd_len), "
		"__print_hex(__get_dynamic_array(cmnd), REC->cmd_len)\n";
	static const uint8_t cmd[] = { 49, 1, 0, 0, 1, 0, 0, 0, 0x28, 0, 0, 0, 10, 0, 0, 0, 2, 0, 0, 0, 24, 0, 10, 0,
				       0x28, 0, 0, 0, 0x10, 0, 0, 0, 8, 0 };
	static const char xen[] = HEAD("xen_mc_entry", 306) F("unsigned int op", 8, 4, 0)
		F("unsigned int nargs", 12, 4, 0) F("unsigned long args[6]", 16, 48, 0)
		"\nprint fmt: \"op %u%s args [%lx]\", REC->op, xen_hypercall_name(REC->op), REC->args[0]\n";
	static const char batch[] = HEAD("xen_mc_batch", 307) F("enum xen_lazy_mode mode", 8, 4, 0)
		"\nprint fmt: \"start batch LAZY_%s\", (REC->mode == XEN_LAZY_MMU) ? \"MMU\" : "
		"(REC->mode == XEN_LAZY_CPU) ? \"CPU\" : \"NONE\"\n";
	static const char stats[] = HEAD("jbd2_run_stats", 308) F("dev_t dev", 8, 4, 0)
		F("unsigned long wait", 16, 8, 0) "\nprint fmt: \"dev %d,%d wait %u\", ((unsigned int) "
		"((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), jiffies_to_msecs(REC->wait)\n";
	static const char greet[] = HEAD("greet", 309) F("char who[4]", 8, 4, 0) F("u32 n", 12, 4, 0)
		"\nprint fmt: \"%s|%.5s|%d|%d\", probe_greet(REC->who, &REC->n, p), probe_greet(\"x\", REC->who, 0), "
		"probe_twice(REC->n) + 1, PROBE_X\n";
	uint8_t d[64] = { 50, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0x19 };

	shipped("scsi", NULL, "scsi", scsi, cmd, sizeof(cmd), "prot_op=SCSI_PROT_WRITE_STRIP cmnd=(READ_10 "
		"lba=4096 txlen=8 protect=0 raw=28 00 00 00 10 00 00 00 08 00)");
	shipped("scsi", NULL, "scsi", scsi, cmd, 33, "prot_op=SCSI_PROT_WRITE_STRIP cmnd=(READ_10 "
		"scsi_trace_parse_cdb(0x0, 0xa) raw=<outside the record>)");
	shipped("xen", NULL, "xen", xen, d, sizeof(d), "op 1(mmu_update) args [19]");
	shipped("xen", NULL, "xen", batch, d, sizeof(d), "start batch LAZY_MMU");
	d[8] = 3;
	d[10] = 0x80;	/* 8:3 */
	shipped("jbd2", "jbd2:hz=250", "jbd2", stats, d, sizeof(d), "dev 8,3 wait 100");
	shipped("jbd2", NULL, "jbd2", stats, d, sizeof(d), "dev 8,3 wait jiffies_to_msecs(0x19)");
	memcpy(d + 8, "you\033\x15\0\0\0", 8);
	shipped_from("tests/plugins", "probe", NULL, "test", greet, d, sizeof(d),
		     "hello you\\x1b 4|hello|43|-3");
}

/* --- libtraceevent's plugins in its engine */

#define TEP "/usr/lib/x86_64-linux-gnu/traceevent/plugins/plugin_"

static void foreign(const char *name, const char *system, const char *format, const void *data, uint32_t len,
		    const char *want)
{
	struct ev_plugins *set = ev_plugins_new(true);
	struct ftr_error err = { 0 };
	char path[256];
	struct fixture x;

	snprintf(path, sizeof(path), TEP "%s.so", name);
	if (ev_plugins_load(set, path, &err)) {
		TAP_SKIP(path, err.msg);
		ev_plugins_free(set);
		return;
	}
	begin(&x, set, system, format);
	ev_engine_free(x.e);
	x.e = ev_engine_new(&x.w, "traceevent", NULL);
	same(render(&x, data, len, 0), want, path);
	if (ev_degraded(x.e, &x.f))
		printf("# degraded: %s\n", ev_degraded(x.e, &x.f));
	end(&x);
}

static void test_foreign(void)
{
	static const char scsi[] = HEAD("scsi_dispatch_cmd_start", 305) F("unsigned int opcode", 8, 4, 0)
		F("unsigned int cmd_len", 12, 4, 0) F("unsigned char prot_op", 16, 1, 0)
		F("__data_loc unsigned char[] cmnd", 20, 4, 0) "\nprint fmt: \"cmnd=(%s)\", "
		"scsi_trace_parse_cdb(p, __get_dynamic_array(cmnd), REC->cmd_len)\n";
	static const uint8_t cmd[] = { 49, 1, 0, 0, 1, 0, 0, 0, 0x28, 0, 0, 0, 10, 0, 0, 0, 2, 0, 0, 0, 24, 0, 10, 0,
				       0x28, 0, 0, 0, 0x10, 0, 0, 0, 8, 0 };
	static const char stats[] = HEAD("jbd2_run_stats", 308) F("unsigned long wait", 8, 8, 0)
		"\nprint fmt: \"wait %u\", jiffies_to_msecs(REC->wait)\n";
	static const char other[] = HEAD("other", 309) F("unsigned long wait", 8, 8, 0)
		"\nprint fmt: \"wait %u\", nobody_knows(REC->wait)\n";
	static const char switched[] = HEAD("sched_switch", 310) F("char prev_comm[16]", 8, 16, 0)
		F("pid_t prev_pid", 24, 4, 1) F("int prev_prio", 28, 4, 1) F("long prev_state", 32, 8, 1)
		F("char next_comm[16]", 40, 16, 0) F("pid_t next_pid", 56, 4, 1) F("int next_prio", 60, 4, 1)
		"\nprint fmt: \"%d\", REC->prev_pid\n";
	uint8_t d[64] = { 52, 1, 0, 0, 1, 0, 0, 0, 9 };

	foreign("scsi", "scsi", scsi, cmd, sizeof(cmd), "cmnd=(lba=4096 txlen=8 protect=0)");
	foreign("jbd2", "jbd2", stats, d, 16, "wait 9");
	foreign("jbd2", "jbd2", other, d, 16, "wait=0x9");
	memcpy(d + 8, "a\033\n", 4);
	memcpy(d + 40, "bb", 3);
	d[24] = 7;
	d[32] = 1;
	foreign("sched_switch", "sched", switched, d, sizeof(d), "a\\x1b\\x0a:7 [0] S ==> bb:0 [0]");
	foreign("sched_switch", "sched", switched, d, 40, "prev_comm=a\\x1b prev_pid=7 prev_prio=0 prev_state=1 "
		"next_comm=<outside the record> next_pid=<outside the record> next_prio=<outside the record>");
}

/* --- the function tracer's indentation */

static void call_of(struct fixture *x, int cpu, uint32_t func, uint32_t caller, const char *want)
{
	uint8_t d[24] = { 1 };
	uint64_t ip[2] = { 0xffffffff81000000 | func, 0xffffffff81000000 | caller };

	for (int i = 0; i < 16; i++)
		d[8 + i] = ip[i / 8] >> 8 * (i % 8);
	render(x, d, sizeof(d), cpu);
	if (want)
		same(out.data, want, want);
}

static void test_function(void)
{
	static const char format[] = HEAD("function", 1) F("unsigned long ip", 8, 8, 0)
		F("unsigned long parent_ip", 16, 8, 0) "\nprint fmt: \" %ps <-- %ps\", (void *)REC->ip, "
		"(void *)REC->parent_ip\n";
	struct fixture x;

	begin(&x, load(use("plugins", "function"), "function:indent", NULL), "ftrace", format);
	TAP_OK(ev_plugins_ordered(x.set), "indenting needs the order of records");
	call_of(&x, 0, 0x2004, 0x3010, "ksys_read <-do_syscall_64");
	call_of(&x, 0, 0x1004, 0x2020, "   vfs_read <-ksys_read");
	call_of(&x, 1, 0x1004, 0x2020, "vfs_read <-ksys_read");
	call_of(&x, 0, 0x1004, 0x1030, "      vfs_read <-vfs_read");
	call_of(&x, 0, 0x2004, 0x3011, "ksys_read <-do_syscall_64");
	call_of(&x, 2000000000, 0x2004, 0x3011, "ksys_read <-do_syscall_64");
	call_of(&x, -1, 0x2004, 0x3011, "ksys_read <-do_syscall_64");
	for (int i = 0; i < 200; i++)
		call_of(&x, 5, 0x1004, 0x1030, NULL);
	TAP_OK(strlen(out.data) < 200, "deep recursion");
	end(&x);
	begin(&x, load(use("plugins", "function"), "offset", NULL), "ftrace", format);
	TAP_OK(!ev_plugins_ordered(x.set), "offsets do not");
	call_of(&x, 0, 0x2004, 0x3010, "ksys_read+0x4 <-do_syscall_64+0x10");
	end(&x);
	begin(&x, load(use("plugins", "function"), "function:parent=no", NULL), "ftrace", format);
	call_of(&x, 0, 0x2004, 0x3010, "ksys_read");
	end(&x);
}

int main(void)
{
	char cmd[128];

	snprintf(dir, sizeof(dir), "/var/tmp/ftr-plugins.XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	syms = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	test_probe();
	test_comms();
	test_options();
	test_wrong();
	test_several();
	test_rights();
	test_exchanged();
	test_dir();
	test_outlives();
	test_no_proc();
	test_no_file();
	test_threads();
	test_functions();
	test_tables();
	test_usb();
	test_scsi();
	test_small();
	test_kvm();
	test_words();
	test_print_fmts();
	test_foreign();
	test_function();
	ev_syms_free(syms);
	buf_release(&out);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd) | tap_done();
}
