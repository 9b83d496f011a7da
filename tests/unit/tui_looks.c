/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a terminal is told of each look: colours and attributes in front of its text, as ECMA-48 and xterm write them. */
#include <ctype.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "browse/screen/cell_grid.h"
#include "browse/screen/curses_screen.h"
#include "tap.h"

/* How a character stands there. Colours by their number, -1: the terminal's own. */
struct shown {
	int fg, bg;
	unsigned int how;		/* GRID_BOLD etc. */
};

/* --- a terminal that knows colours and nothing else */

static const struct { int on; unsigned int how; } attributes[] = {
	{ 1, GRID_BOLD }, { 2, GRID_FAINT }, { 4, GRID_UNDERLINE }, { 7, GRID_REVERSE },
};

/* A parameter of CSI m; the number of those it takes. */
static int parse_parameter(struct shown *s, const int *v, int n)
{
	int *colour = v[0] == 38 || v[0] / 10 == 3 || v[0] / 10 == 9 ? &s->fg : &s->bg;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (v[0] == attributes[i].on)
			s->how |= attributes[i].how;
	if (!v[0])
		*s = (struct shown){ -1, -1, 0 };
	else if ((v[0] == 38 || v[0] == 48) && n >= 3 && v[1] == 5) {
		*colour = v[2];
		return 3;
	} else if (v[0] == 39 || v[0] == 49)
		*colour = -1;
	else if (v[0] / 10 == 3 || v[0] / 10 == 4)
		*colour = v[0] % 10;
	else if ((v[0] >= 90 && v[0] <= 97) || (v[0] >= 100 && v[0] <= 107))
		*colour = v[0] % 10 + 8;
	else if (v[0] == 22)
		s->how &= ~(GRID_BOLD | GRID_FAINT);
	else if (v[0] == 24)
		s->how &= ~GRID_UNDERLINE;
	else if (v[0] == 27)
		s->how &= ~GRID_REVERSE;
	return 1;
}

/* From behind ESC on; what is behind the sequence. */
static const char *parse_sequence(const char *p, struct shown *s)
{
	int v[16] = {0}, n = 1;

	if (*p != '[')
		return *p == '(' ? p + 2 : p + 1;
	for (p++; *p && !isalpha((unsigned char)*p) && *p != '@'; p++) {
		if (isdigit((unsigned char)*p))
			v[n - 1] = v[n - 1] * 10 + *p - '0';
		else if (*p == ';' && n < 16)
			n++;
	}
	for (int i = 0; *p == 'm' && i < n;)
		i += parse_parameter(s, v + i, n - i);
	return *p ? p + 1 : p;
}

/* How capital A, B, ... stood where they came first. */
static void read_looks(const char *text, struct shown *out)
{
	struct shown now = { -1, -1, 0 };
	bool seen[GRID_ATTRS] = { false };

	for (int i = 0; i < GRID_ATTRS; i++)
		out[i] = (struct shown){ -2, -2, 0 };
	while (*text) {
		if (*text == 033) {
			text = parse_sequence(text + 1, &now);
			continue;
		}
		if (*text >= 'A' && *text < 'A' + GRID_ATTRS && !seen[*text - 'A']) {
			out[*text - 'A'] = now;
			seen[*text - 'A'] = true;
		}
		text++;
	}
}

/* --- what is drawn */

/* A row for each look. Within a process of its own, whose terminal is @fd. */
static void draw(int fd, const char *term, enum screen_theme theme)
{
	struct ftr_error err = {0};
	char text[32];
	struct cell_grid g;

	dup2(fd, 0);
	dup2(fd, 1);
	setenv("TERM", term, 1);
	if (screen_open(theme, &err)) {
		fprintf(stderr, "# %s\n", err.msg);
		_exit(1);
	}
	grid_init(&g, 80, 24, false);
	for (int i = 0; i < GRID_ATTRS; i++) {
		snprintf(text, sizeof(text), "%c%c%c", 'A' + i, 'A' + i, 'A' + i);
		grid_print(&g, i, 0, 80, text, strlen(text), i);
	}
	screen_show(&g);
	screen_close();
	_exit(0);
}

static char *drawn(const char *term, enum screen_theme theme)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave, status;
	struct buf all = {0};
	char piece[4096];
	ssize_t n;
	pid_t pid;

	if (master < 0 || grantpt(master) || unlockpt(master))
		abort();
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ioctl(slave, TIOCSWINSZ, &size);
	fflush(stdout);
	pid = fork();
	if (!pid)
		draw(slave, term, theme);
	close(slave);
	while ((n = read(master, piece, sizeof(piece))) > 0)
		buf_add(&all, piece, n);
	close(master);
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		buf_reset(&all);
	buf_addch(&all, '\0');
	return buf_take(&all);
}

/* --- cases */

static struct grid_pair no_pair(const struct grid_look *l)
{
	(void)l;
	return (struct grid_pair){ -1, -1 };
}

static struct grid_pair dark_pair(const struct grid_look *l)
{
	return l->dark;
}

static struct grid_pair light_pair(const struct grid_look *l)
{
	return l->light;
}

static struct grid_pair few_pair(const struct grid_look *l)
{
	return l->few;
}

static const struct {
	const char *term, *no_color;
	enum screen_theme theme;
	struct grid_pair (*pair)(const struct grid_look *l);
} cases[] = {
	{ "xterm-256color", "", SCREEN_DARK, dark_pair },
	{ "xterm-256color", "", SCREEN_LIGHT, light_pair },
	{ "xterm-256color", "", SCREEN_MONO, no_pair },
	{ "xterm-256color", "1", SCREEN_DARK, no_pair },
	{ "xterm", "", SCREEN_DARK, few_pair },
	{ "xterm", "", SCREEN_LIGHT, few_pair },
	{ "vt220", "", SCREEN_DARK, no_pair },
};

static bool looks_equal(const struct shown *a, const struct shown *b)
{
	return a->fg == b->fg && a->bg == b->bg && a->how == b->how;
}

/* @faint: the terminal has it. */
static void check_looks(const struct shown *got, struct grid_pair (*pair)(const struct grid_look *l), bool faint,
			const char *name)
{
	unsigned int wrong = 0, alike = 0;

	for (int i = 0; i < GRID_ATTRS; i++) {
		const struct grid_look *l = &grid_looks[i];
		struct shown want = { pair(l).fg, pair(l).bg, pair == no_pair ? l->mono : l->coloured };

		want.how &= faint ? ~0u : ~(unsigned int)GRID_FAINT;
		if (!looks_equal(&got[i], &want)) {
			printf("# look '%c': %d on %d, %x, not %d on %d, %x\n", l->letter, got[i].fg, got[i].bg,
			       got[i].how, want.fg, want.bg, want.how);
			wrong++;
		}
		for (int k = 0; k < i; k++)
			alike += looks_equal(&got[i], &got[k]);
	}
	TAP_EQ(wrong, 0, name);
	if (faint)
		TAP_EQ(alike, 0, "no two looks are alike");
}

int main(void)
{
	struct shown got[GRID_ATTRS];
	char *text, *name;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setenv("NO_COLOR", cases[i].no_color, 1);
		text = drawn(cases[i].term, cases[i].theme);
		read_looks(text, got);
		name = xasprintf("%s%s, theme %d: each look has its colours", cases[i].term,
				 *cases[i].no_color ? " with NO_COLOR" : "", cases[i].theme);
		check_looks(got, cases[i].pair, strcmp(cases[i].term, "vt220"), name);
		free(name);
		free(text);
	}
	return tap_done();
}
