/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: the only file that knows curses. */
#include "browse/screen/curses_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "browse/screen/cell_grid.h"
#include "browse/screen/key_names.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>			/* has macros for common words: last */

#define ROWS_MAX	600	/* more than any terminal shows; an 8K screen has some 430 */
#define ESCAPE_DELAY_MS 25		/* a lone Esc is one when nothing follows so soon */

/* curses takes signals whose action is the default; these stay as they were. */
static const int kept_signals[] = { SIGINT, SIGTERM, SIGTSTP };

#define KEPT_SIGNALS (sizeof(kept_signals) / sizeof(*kept_signals))

struct screen_look { attr_t how; short pair; };

static struct {
	SCREEN	*curses;
	FILE	*tty;			/* /dev/tty, when stdin is no terminal */
	int	 keys_fd;
	int	 wake_fd;		/* an eventfd: signals come before poll(), or to a thread */
	volatile sig_atomic_t resized;
	struct sigaction winch;		/* what it was */
	struct screen_look looks[GRID_ATTRS];
} screen = { .wake_fd = -1 };

enum { LEFT, TAKEN, LEAVING };

/* What screen_restore_now() needs, prepared: a signal handler cannot ask terminfo. */
static struct {
	atomic_int state;
	struct termios modes;
	char   bytes[256];
	size_t len;
} leave;

static const struct { uint8_t ours; attr_t theirs; } attributes[] = {
	{ GRID_BOLD, A_BOLD }, { GRID_FAINT, A_DIM }, { GRID_UNDERLINE, A_UNDERLINE },
	{ GRID_REVERSE, A_REVERSE },
};

static attr_t attributes_of(uint8_t how)
{
	attr_t a = A_NORMAL;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (how & attributes[i].ours)
			a |= attributes[i].theirs;
	return a;
}

/* terminfo's strings have delays for printing terminals within: "\E[m$<2>". */
static void leave_add(const char *s)
{
	const char *end;

	while (*s && leave.len < sizeof(leave.bytes)) {
		end = strncmp(s, "$<", 2) ? NULL : strchr(s, '>');
		if (end)
			s = end + 1;
		else
			leave.bytes[leave.len++] = *s++;
	}
}

static void leave_prepare(void)
{
	static char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
	const char *s;

	leave.len = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		s = tigetstr(names[i]);
		if (s && s != (char *)-1)
			leave_add(s);
	}
}

static int refuse_term(struct ftr_error *err, const char *name, const char *why)
{
	if (name && *name)
		err_set(err, FTR_FAILED, "cannot use the terminal '%s': %s", name, why);
	else
		err_set(err, FTR_FAILED, "cannot use the terminal: TERM is not set");
	return err_hint(err, "TERM=xterm-256color suits most");
}

/* newterm() does not say what it minds, and takes terminals that cannot place the cursor. */
static int check_term(struct ftr_error *err)
{
	const char *name = getenv("TERM"), *cup;
	int status;

	if (!name || !*name || setupterm(name, STDOUT_FILENO, &status) != OK)
		return refuse_term(err, name, "TERM names none that terminfo knows");
	cup = tigetstr("cup");
	if (cup && cup != (char *)-1)
		leave_prepare();
	else
		refuse_term(err, name, "it cannot place the cursor");
	del_curterm(cur_term);
	return cup && cup != (char *)-1 ? 0 : -1;
}

/* Where keys come from. */
static int open_keys(struct ftr_error *err)
{
	screen.keys_fd = STDIN_FILENO;
	if (isatty(STDIN_FILENO))
		return 0;
	screen.tty = fopen("/dev/tty", "re");
	if (!screen.tty) {
		err_sys(err, "cannot read keys from '/dev/tty'");
		return err_hint(err, "run it in a terminal");
	}
	screen.keys_fd = fileno(screen.tty);
	return 0;
}

static int check_terminal(struct ftr_error *err)
{
	if (!isatty(STDOUT_FILENO)) {
		err_set(err, FTR_FAILED, "standard output is not a terminal");
		return err_hint(err, "'ftr report' writes to files and pipes");
	}
	if (tcgetattr(STDOUT_FILENO, &leave.modes))
		return err_sys(err, "cannot get the modes of the terminal");
	return check_term(err);
}

void screen_wake(void)
{
	int saved = errno;

	eventfd_write(screen.wake_fd, 1);
	errno = saved;
}

static void note_resize(int sig)
{
	(void)sig;
	screen.resized = 1;
	screen_wake();
}

/* False if the terminal does not say its size. */
static bool ask_size(int *w, int *h)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return false;
	*w = size.ws_col;
	*h = size.ws_row;
	return true;
}

static int start_curses(void)
{
	struct sigaction kept[KEPT_SIGNALS];
	int w, h;
	size_t i;

	/* curses would take memory for each cell of 30,000 times 30,000, three times */
	if (ask_size(&w, &h) && (h > ROWS_MAX || w > GRID_SIDE_MAX))
		use_env(FALSE);
	for (i = 0; i < KEPT_SIGNALS; i++)
		sigaction(kept_signals[i], NULL, &kept[i]);
	sigaction(SIGWINCH, NULL, &screen.winch);
	screen.curses = newterm(NULL, stdout, screen.tty ? screen.tty : stdin);
	for (i = 0; i < KEPT_SIGNALS; i++)
		sigaction(kept_signals[i], &kept[i], NULL);
	return screen.curses ? 0 : -1;
}

static void watch_size(void)
{
	struct sigaction sa = { .sa_handler = note_resize, .sa_flags = SA_RESTART };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGWINCH, &sa, NULL);
}

/* Of terminals that do not go by smkx, or by another description than TERM's. */
static const struct { const char *bytes; int key; } more_keys[] = {
	{ "\033[A", KEY_UP },	   { "\033[B", KEY_DOWN },  { "\033[C", KEY_RIGHT },
	{ "\033[D", KEY_LEFT },	   { "\033[H", KEY_HOME },  { "\033[F", KEY_END },
	{ "\033[1~", KEY_HOME },   { "\033[4~", KEY_END },  { "\033OH", KEY_HOME },
	{ "\033OF", KEY_END },	   { "\033[3~", KEY_DC },   { "\033[5~", KEY_PPAGE },
	{ "\033[6~", KEY_NPAGE },  { "\033[Z", KEY_BTAB },  { "\033OP", KEY_F(1) },
	{ "\033[11~", KEY_F(1) },
};

static void add_keys(void)
{
	for (size_t i = 0; i < sizeof(more_keys) / sizeof(*more_keys); i++)
		if (!key_defined(more_keys[i].bytes))
			define_key(more_keys[i].bytes, more_keys[i].key);
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	add_keys();
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
}

/* A terminal of more than 256 has no table of them: its numbers are red, green and blue. */
static const struct grid_pair *pair_of(const struct grid_look *look, enum screen_theme theme)
{
	if (COLORS != 256)
		return &look->few;
	return theme == SCREEN_LIGHT ? &look->light : &look->dark;
}

static bool is_coloured(enum screen_theme theme)
{
	const char *no = getenv("NO_COLOR");

	return theme != SCREEN_MONO && !(no && *no) && has_colors() && start_color() == OK &&
	       COLORS >= 8 && COLOR_PAIRS > GRID_ATTRS;
}

/* @own: the terminal can be asked for its own colours, which else are taken for white on black. */
static short make_pair(short n, const struct grid_pair *pair, bool own)
{
	if (pair->fg < 0 && pair->bg < 0)
		return 0;
	init_pair(n, pair->fg < 0 && !own ? COLOR_WHITE : pair->fg,
		  pair->bg < 0 && !own ? COLOR_BLACK : pair->bg);
	return n;
}

static void set_looks(enum screen_theme theme)
{
	bool coloured = is_coloured(theme), own = coloured && use_default_colors() == OK;
	const struct grid_look *look = grid_looks;

	for (int i = 0; i < GRID_ATTRS; i++, look++) {
		screen.looks[i].how = attributes_of(coloured ? look->coloured : look->mono);
		screen.looks[i].pair = coloured ? make_pair(i + 1, pair_of(look, theme), own) : 0;
	}
}

/*
 * By the terminal itself: curses would take LINES and COLUMNS of the environment. resizeterm()
 * would also put KEY_RESIZE among the keys, which then came twice.
 */
static void fit_size(void)
{
	int w, h;

	if (!ask_size(&w, &h))
		return;
	resize_term(h < ROWS_MAX ? h : ROWS_MAX, w < GRID_SIDE_MAX ? w : GRID_SIDE_MAX);
	clearok(curscr, TRUE);
}

/* All that can fail. */
static int take_terminal(struct ftr_error *err)
{
	if (check_terminal(err) || open_keys(err))
		return -1;
	screen.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (screen.wake_fd < 0)
		return err_sys(err, "cannot make an eventfd");
	atomic_store(&leave.state, TAKEN);	/* curses sets modes as it starts */
	if (!start_curses())
		return 0;
	atomic_store(&leave.state, LEFT);
	return refuse_term(err, getenv("TERM"), "curses does not take it");
}

static void release_fds(void)
{
	int fd = screen.wake_fd;

	screen.wake_fd = -1;		/* a handler does not find one that is closed */
	if (screen.tty)
		fclose(screen.tty);
	screen.tty = NULL;
	if (fd >= 0)
		close(fd);
}

int screen_open(enum screen_theme theme, struct ftr_error *err)
{
	if (take_terminal(err)) {
		release_fds();
		return -1;
	}
	watch_size();
	set_modes();
	set_looks(theme);
	fit_size();
	refresh();
	return 0;
}

void screen_size(int *w, int *h)
{
	*w = screen.curses ? getmaxx(stdscr) : 0;
	*h = screen.curses ? getmaxy(stdscr) : 0;
}

static void show_cell(const struct cell *c, int y, int x)
{
	const struct screen_look *look = &screen.looks[c->attr];
	wchar_t text[] = { c->ch[0], c->ch[1], c->ch[2], 0 };
	cchar_t cc;

	if (c->ch[0] && setcchar(&cc, text, look->how, look->pair, NULL) == OK)
		mvadd_wch(y, x, &cc);
}

static void show_cursor(const struct grid *g, int w, int h)
{
	bool shown = g->cursor_x >= 0 && g->cursor_x < w && g->cursor_y >= 0 && g->cursor_y < h;

	curs_set(shown);
	if (shown)
		move(g->cursor_y, g->cursor_x);
}

void screen_show(const struct grid *g)
{
	int w, h;

	if (!screen.curses)
		return;
	screen_size(&w, &h);
	w = g->w < w ? g->w : w;
	h = g->h < h ? g->h : h;
	erase();
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			show_cell(&g->cells[(size_t)y * g->w + x], y, x);
	show_cursor(g, w, h);
	refresh();
}

static const struct { int theirs, ours; } curses_keys[] = {
	{ KEY_UP, TUI_UP },	  { KEY_DOWN, TUI_DOWN },   { KEY_LEFT, TUI_LEFT },
	{ KEY_RIGHT, TUI_RIGHT }, { KEY_PPAGE, TUI_PGUP },  { KEY_NPAGE, TUI_PGDN },
	{ KEY_HOME, TUI_HOME },	  { KEY_END, TUI_END },	    { KEY_ENTER, TUI_ENTER },
	{ KEY_BTAB, TUI_BACKTAB }, { KEY_BACKSPACE, TUI_BACKSPACE }, { KEY_DC, TUI_DELETE },
	{ KEY_F(1), TUI_F1 },	  { KEY_SUSPEND, TUI_SUSPEND },
};

static int key_of_curses(wint_t c)
{
	for (size_t i = 0; i < sizeof(curses_keys) / sizeof(*curses_keys); i++)
		if (curses_keys[i].theirs == (int)c)
			return curses_keys[i].ours;
	return -1;
}

/*
 * One that is there already: curses reads ahead, what it has poll() does not see. False if there is
 * none; *@key is -1 where it has no number, and others may be behind it.
 */
static bool take_key(int *key)
{
	wint_t c;
	int what = get_wch(&c);

	*key = -1;
	if (what == KEY_CODE_YES)
		*key = key_of_curses(c);
	else if (what == OK && c)
		*key = key_of_char(c);
	return what != ERR;
}

/* The eventfd first: what is noted behind it wakes us again. */
static int take_wake(void)
{
	eventfd_t n;

	eventfd_read(screen.wake_fd, &n);
	if (!screen.resized)
		return -1;
	screen.resized = 0;
	fit_size();
	return TUI_RESIZE;
}

int screen_key(int timeout_ms)
{
	struct pollfd fds[] = { { .fd = screen.keys_fd, .events = POLLIN },
				{ .fd = screen.wake_fd, .events = POLLIN } };
	int key;

	if (!screen.curses)
		return TUI_GONE;
	if (take_key(&key))
		return key;
	if (poll(fds, 2, timeout_ms) <= 0)
		return -1;
	if (fds[1].revents)
		return take_wake();
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return TUI_GONE;
	take_key(&key);
	return key;
}

/* A terminal that has no other screen keeps the picture; the shell goes on in its last line. */
static void leave_screen(void)
{
	move(getmaxy(stdscr) - 1, 0);
	clrtoeol();
	refresh();
	endwin();
}

void screen_suspend(void)
{
	if (!screen.curses || isendwin())
		return;
	def_prog_mode();
	leave_screen();
	atomic_store(&leave.state, LEFT);
}

/*
 * The modes may have been changed meanwhile, as by stty: these are those to be restored now. Behind
 * 'bg' they are the shell's; tcdrain() stops us there until the terminal is ours.
 */
static void note_modes(void)
{
	tcdrain(STDOUT_FILENO);
	if (!tcgetattr(STDOUT_FILENO, &leave.modes))
		def_shell_mode();
}

void screen_resume(void)
{
	if (!screen.curses || !isendwin())
		return;
	note_modes();
	atomic_store(&leave.state, TAKEN);
	fit_size();
	refresh();
	/* what is stopped is not told of another size */
	screen.resized = 1;
	screen_wake();
}

void screen_close(void)
{
	if (!screen.curses)
		return;
	if (!isendwin())
		leave_screen();
	atomic_store(&leave.state, LEFT);
	sigaction(SIGWINCH, &screen.winch, NULL);
	delscreen(screen.curses);
	screen.curses = NULL;
	release_fds();
}

void screen_restore_now(void)
{
	int saved = errno, state = TAKEN;

	if (!atomic_compare_exchange_strong(&leave.state, &state, LEAVING)) {
		/* another thread is at it, and ends us all */
		while (state == LEAVING)
			pause();
		return;
	}
	if (write(STDOUT_FILENO, leave.bytes, leave.len) < 0)
		saved = errno;		/* the modes matter all the same */
	tcsetattr(STDOUT_FILENO, TCSANOW, &leave.modes);
	errno = saved;
}
