/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verbs and options of trace-cmd 3.1 to 3.4 that have another name in ftr. Errors about words that
 * ftr does not know are searched here, and ftr-trace-cmd(7) is made of this table
 * (utils/trace-cmd-table), so a word is added by a row.
 */
#include "cmd/frame/trace_cmd.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum kind {
	HINTED,			/* the error names ->ftr */
	DROP,			/* the option is left out, the rest remains */
	OTHER_MEANING,			/* it has another meaning in ftr: for the manual only */
};

struct trace_cmd_row {
	const char *verb;
	const char *options;	/* equivalent names, separated by blanks; "" is the verb itself */
	const char *arg;	/* an argument of each of them, as an example; "" = none */
	enum kind   kind;
	const char *ftr;	/* the command line of ftr */
	const char *note;	/* or NULL */
};

#define HISTOGRAM "ftr report --fields=task,event trace.dat | sort | uniq -c"
#define PROFILE	  "ftr record -p function_graph -e sched -- COMMAND && ftr profile"
#define GUEST	  "ftr listen && ftr record -N HOST:PORT -e sched"
#define RECORDS_NOTHING "nothing is written to a file or sent, ftr record does that"
#define LOGS	  "ftr keeps no log of its work"

static const struct trace_cmd_row rows[] = {
	{ "record", "--tsc2nsec", "", HINTED, "ftr record -C tsc2nsec -e sched", NULL },
	{ "record", "-a", "", OTHER_MEANING, "ftr record -e sched",
	  "a file has the format of each event in it, whoever enabled it; -a traces all events" },
	{ "record", "-v", "-e irq -f vec==3", OTHER_MEANING, "ftr record -e sched -v -e irq",
	  "an event that is off has no filter" },
	{ "record", "-l -n -g", "'^vfs_.*'", OTHER_MEANING, "ftr record -p function -l 'vfs_*'",
	  "a pattern is a glob" },
	{ "record", "-P", "1 -B x -P 2", OTHER_MEANING, "ftr record -P 1,2 -e sched -B x -e irq",
	  "-P and -c are for all buffers" },
	{ "record", "-k", "-e sched", OTHER_MEANING, "ftr record -k -e sched && ftr stop",
	  "-k leaves tracing on" },
	{ "record", "-v", "-B x", OTHER_MEANING, "ftr reset -B x",
	  "an instance that ftr made goes with it" },
	{ "record", "-o", "/dev/null", OTHER_MEANING, "ftr record --dry-run -e sched",
	  "it estimates how much would be recorded" },
	{ "record", "-V", "2:823", HINTED, "ftr record -N vsock:CID:PORT -e sched", NULL },
	{ "record", "-A --proxy", "guest", HINTED, GUEST,
	  "the first on the host, the second in the guest" },
	{ "record", "--name", "guest", DROP, "ftr record", "it names the agent of -A" },
	{ "record", "--tsync-interval", "10", DROP, "ftr record",
	  "the clocks of guests are not followed; ftr report --ts-offset shifts a file" },
	{ "record", "--nofifos", "", DROP, "ftr record", "there are no FIFOs" },
	{ "record", "-t", "", DROP, "ftr record", "-N is TCP in any case" },
	{ "record", "--temp", "/tmp", DROP, "ftr record",
	  "data is written once, into the file that -o names" },
	{ "record", "--ts-offset", "5", HINTED, "ftr report --ts-offset=5", NULL },
	{ "record", "--poll", "", DROP, "ftr record", "-s sets how often recorders look" },
	{ "record", "--daemonize", "", HINTED, "ftr start -e sched && ftr extract",
	  "or ftr record in the background, with --duration or --flight" },
	{ "record", "--verbose --debug", "", DROP, "ftr record", LOGS },
	{ "record", "--notimeout", "", DROP, "ftr record", "ftr listen --timeout sets the time" },
	{ "record", "--profile -S -G --by-comm --stderr", "", HINTED, PROFILE,
	  "ftr sched latency has delays; ftr hist counts in the kernel" },
	{ "record", "-H", "a,b/c,d", HINTED, "ftr sqlhist SQL",
	  "it joins two events; or ftr profile --pair, of a file" },
	{ "start", "--nosplice --proc-map --date --no-filter", "", DROP, "ftr start",
	  RECORDS_NOTHING },
	{ "start", "-s -r -m", "1000", DROP, "ftr start", RECORDS_NOTHING },
	{ "start", "-o", "x.dat", HINTED, "ftr start -e sched && ftr extract -o x.dat", NULL },
	{ "start", "-N", "host:1", HINTED, "ftr record -N HOST:PORT -e sched", NULL },
	{ "start", "--compression --file-version", "7", DROP, "ftr start", RECORDS_NOTHING },
	{ "start", "", "-e sched COMMAND", OTHER_MEANING,
	  "ftr start -e sched -- COMMAND && ftr restart",
	  "ftr start stops recording when the command ends" },
	{ "set", "", "-e sched COMMAND", OTHER_MEANING, "ftr start -K -e sched -- COMMAND",
	  "ftr set runs no command" },
	{ "set", "-C", "mono -B x", OTHER_MEANING, "ftr set -C mono -B x -C mono",
	  "a clock that is set empties the buffer: it is set in one alone" },
	{ "set", "--nosplice --proc-map --date --no-filter -k -K --fork", "", DROP, "ftr set",
	  RECORDS_NOTHING },
	{ "set", "-s -r -m --user", "1000", DROP, "ftr set", RECORDS_NOTHING },
	{ "set", "-o -N --compression --file-version", "7", DROP, "ftr set", RECORDS_NOTHING },
	{ "stream", "--proc-map --date --nosplice -K --fork", "", DROP, "ftr stream",
	  RECORDS_NOTHING },
	{ "stream", "-r -m --compression --file-version", "7", DROP, "ftr stream",
	  RECORDS_NOTHING },
	{ "stream", "-o", "x.dat", HINTED, "ftr record -o x.dat -e sched", NULL },
	{ "stream", "-N", "host:1", HINTED, "ftr record -N HOST:PORT -e sched", NULL },
	{ "profile", "", "", OTHER_MEANING, PROFILE, "ftr profile reads a recording" },
	{ "profile", "-e -p -d -O -P -o -G", "x", HINTED, PROFILE,
	  "ftr profile reads a recording" },
	{ "profile", "-H", "a,b/c,d", HINTED, "ftr profile --pair=x=sys:a,sys:c,b=d", NULL },
	{ "profile", "--verbose", "", DROP, "ftr profile", LOGS },
	{ "extract", "-p", "function", DROP, "ftr extract",
	  "the data in the buffer is taken as it is" },
	{ "extract", "-e -f -R -l -n -g -C -O -P -M -b -r -m --module", "x", DROP, "ftr extract",
	  "the data in the buffer is taken as it is" },
	{ "extract", "-v -F -c -T -d -D -i", "", DROP, "ftr extract",
	  "the data in the buffer is taken as it is" },
	{ "extract", "-k -K", "", DROP, "ftr extract", "it leaves tracefs as it is" },
	{ "extract", "-N", "host:1", HINTED, "ftr record -N HOST:PORT -e sched", NULL },
	{ "extract", "--compression --file-version", "7", DROP, "ftr extract",
	  "files are of version 7, and uncompressed but for symbols and formats" },
	{ "extract", "--verbose --debug", "", DROP, "ftr extract", LOGS },
	{ "stop", "--verbose", "", DROP, "ftr stop", LOGS },
	{ "restart", "--verbose", "", DROP, "ftr restart", LOGS },
	{ "stat", "-o", "", HINTED, "ftr options", NULL },
	{ "stat", "--verbose", "", DROP, "ftr stat", LOGS },
	{ "show", "-f", "", HINTED, "ftr show --path trace", NULL },
	{ "reset", "", "", OTHER_MEANING, "ftr reset --all",
	  "'ftr reset' alone undoes what ftr changed, and nobody else's" },
	{ "reset", "-d", "", HINTED, "ftr reset -a", "instances that ftr made go with it" },
	{ "reset", "-b", "1000", HINTED, "ftr reset && ftr set -b 1000", NULL },
	{ "reset", "-k", "kprobe", HINTED, "ftr reset --all",
	  "it keeps dynamic events without --dynamic-events" },
	{ "reset", "--verbose", "", DROP, "ftr reset", LOGS },
	{ "clear", "-a", "", OTHER_MEANING, "ftr clear -a -t", "-a alone is all instances" },
	{ "clear", "--all", "", HINTED, "ftr clear -a -t", NULL },
	{ "list", "-p", "", HINTED, "ftr list -t", NULL },
	{ "list", "-O", "", HINTED, "ftr list plugins", "with their options" },
	{ "list", "--debug", "", DROP, "ftr list", LOGS },
	{ "list", "-e -f -o", "REGEX", OTHER_MEANING, "ftr list events --regex REGEX",
	  "a pattern is a glob of the whole name, if it is not between slashes" },
	{ "snapshot", "", "", OTHER_MEANING, "ftr snapshot show",
	  "'ftr snapshot' alone shows its state" },
	{ "snapshot", "-s", "", HINTED, "ftr snapshot take", NULL },
	{ "snapshot", "-r", "", HINTED, "ftr snapshot clear", NULL },
	{ "snapshot", "-f", "", HINTED, "ftr snapshot free", NULL },
	{ "snapshot", "-c", "0", HINTED, "ftr snapshot show -c 0", NULL },
	{ "stack", "--verbose", "", DROP, "ftr stack", LOGS },
	{ "check-events", "--verbose", "", DROP, "ftr check-events", LOGS },
	{ "options", "", "", OTHER_MEANING, "ftr list plugins",
	  "'ftr options' shows the kernel's trace options" },
	{ "report", "-e", "", HINTED, "ftr info trace.dat", "it names the byte order" },
	{ "report", "-p", "4096", DROP, "ftr report", "the file contains the size of pages" },
	{ "report", "-r", "sched_switch", HINTED, "ftr report -R --event=sched_switch", NULL },
	{ "report", "-n", "sched_switch", HINTED, "ftr report -N --event=sched_switch", NULL },
	{ "report", "-L", "", HINTED, "ftr report --plugin=DIR",
	  "no directory of the user's is searched by default" },
	{ "report", "-T --filter-test", "", DROP, "ftr report",
	  "a wrong filter is refused, with a mark at the place" },
	{ "report", "-V --verbose", "", HINTED, "ftr list plugins", "it shows the loaded plugins" },
	{ "report", "--debug", "", DROP, "ftr report", LOGS },
	{ "report", "-H", "a,b/c,d", HINTED, "ftr profile --pair=x=sys:a,sys:c,b=d",
	  "ftr graph has each of them" },
	{ "report", "--profile -G", "", HINTED, "ftr profile trace.dat",
	  "--kind takes others than functions; ftr sched latency has delays" },
	{ "report", "--by-comm", "", HINTED, "ftr profile --by task trace.dat", NULL },
	{ "report", "--ts2secs", "1000000", HINTED, "ftr report --raw-ts", NULL },
	{ "report", "--ts-check", "", HINTED, "ftr info trace.dat",
	  "time stamps that go back are damage, which ftr report shows too" },
	{ "report", "--kallsyms", "FILE", DROP, "ftr report", "symbols are in the file" },
	{ "report", "--check-events", "", HINTED, "ftr check-events trace.dat", NULL },
	{ "hist", "", "trace.dat", HINTED, HISTOGRAM, "'ftr hist' counts in the running kernel" },
	{ "hist", "-i", "trace.dat", HINTED, HISTOGRAM, "'ftr hist' counts in the running kernel" },
	{ "hist", "-P", "", HINTED, HISTOGRAM, "'ftr hist' counts in the running kernel" },
	{ "mem", "", "", HINTED,
	  "ftr hist kmem:kmalloc call_site.sym:bytes_alloc --sort bytes_alloc:desc",
	  "in the running kernel" },
	{ "mem", "-i", "trace.dat", HINTED, "ftr report --event=kmem trace.dat", NULL },
	{ "dump", "--modules", "", HINTED, "ftr dump --meta trace.dat", NULL },
	{ "dump", "--strings", "", HINTED, "ftr dump --sections trace.dat",
	  "the names of sections are ftr's own" },
	{ "dump", "--verbose", "", DROP, "ftr dump", LOGS },
	{ "restore", "", "", HINTED, "ftr recover trace.dat.cpu* -o trace.dat", NULL },
	{ "restore", "-i", "x.dat", HINTED, "ftr recover trace.dat.cpu* -o trace.dat --from x.dat",
	  NULL },
	{ "restore", "-k", "FILE", HINTED, "ftr recover trace.dat.cpu* -o trace.dat --from x.dat",
	  "symbols are those of the running kernel, or of a trace file of it" },
	{ "restore", "-c", "", HINTED, "ftr recover trace.dat.cpu* -o trace.dat",
	  "formats are the running kernel's, or those of --from FILE" },
	{ "attach", "", "", HINTED, "ftr report host.dat guest.dat",
	  "files are merged by time; -i FILE --ts-offset NS shifts one" },
	{ "listen", "-p", "PORT", OTHER_MEANING, "ftr listen ADDRESS:PORT",
	  "-p PORT alone listens on this machine only" },
	{ "listen", "-V", "2:823", HINTED, "ftr listen vsock:CID:PORT", NULL },
	{ "listen", "--verbose --debug", "", DROP, "ftr listen", "-l FILE keeps its messages" },
	{ "agent", "", "", HINTED, GUEST, "the first on the host, the second in the guest" },
	{ "setup-guest", "", "", HINTED, GUEST,
	  "the first on the host, the second in the guest; there are no FIFOs" },
	{ "sqlhist", "-e", "", HINTED, "ftr sqlhist -x SQL",
	  "-e is followed by the statement here" },
	{ "sqlhist", "-t", "/sys/kernel/tracing", DROP, "ftr sqlhist",
	  "FTR_TRACEFS in the environment names another tracefs" },
};
#define NR_ROWS (sizeof(rows) / sizeof(*rows))

/* Returns true if @word is in @list, whose words are separated by blanks. */
static bool is_listed(const char *list, const char *word)
{
	size_t n = strlen(word), len;

	if (!n)
		return !*list;
	for (; *list; list += len + strspn(list + len, " ")) {
		len = strcspn(list, " ");
		if (len == n && !memcmp(list, word, n))
			return true;
	}
	return false;
}

static const struct trace_cmd_row *find_row(const char *verb, const char *option)
{
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		if (rows[i].kind != OTHER_MEANING && !strcmp(rows[i].verb, verb) &&
		    is_listed(rows[i].options, option))
			return &rows[i];
	return NULL;
}

static void add_row_hint(const struct trace_cmd_row *r, const char *verb, const char *option,
			 struct ftr_error *err)
{
	struct buf text = {0};

	if (err->hint[0])
		buf_printf(&text, "%s; ", err->hint);
	if (r->kind == DROP)
		buf_printf(&text, "'ftr %s' without %s", verb, option);
	else
		buf_printf(&text, "trace-cmd's '%s%s%s' is '%s'", verb, *option ? " " : "", option,
			   r->ftr);
	if (r->note)
		buf_printf(&text, "%s %s", r->kind == DROP ? ":" : ";", r->note);
	err_hint(err, "%s", text.data);
	buf_release(&text);
}

bool trace_cmd_hint(const char *verb, const char *option, struct ftr_error *err)
{
	const struct trace_cmd_row *r = find_row(verb, option);

	/* trace-cmd parses the options of these verbs as those of record */
	if (!r && is_listed("start set stream", verb) && *option)
		r = find_row("record", option);
	if (r)
		add_row_hint(r, verb, option, err);
	return r;
}

void trace_cmd_hint_verb(int argc, char **argv, struct ftr_error *err)
{
	const struct trace_cmd_row *r;
	char *option;
	int i;

	for (i = 1; i < argc; i++) {
		option = xstrndup(argv[i], strcspn(argv[i], "="));
		r = *option == '-' ? find_row(argv[0], option) : NULL;
		if (r) {
			err->hint[0] = '\0';
			add_row_hint(r, argv[0], option, err);
			i = argc;
		}
		free(option);
	}
}

void trace_cmd_table(struct buf *out)
{
	static const char *const kinds[] = {
		[HINTED] = "says", [DROP] = "drop", [OTHER_MEANING] = "taken",
	};
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		buf_printf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", rows[i].verb, rows[i].options,
			   rows[i].arg, kinds[rows[i].kind], rows[i].ftr,
			   rows[i].note ? rows[i].note : "");
}
