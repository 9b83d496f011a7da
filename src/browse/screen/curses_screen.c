/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal. This is the only file that uses curses. */
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
#define ESCAPE_DELAY_MS 25		/* Esc is a key if nothing follows within this time */

/* curses would handle signals whose action is the default; these stay as they were. */
static const int kept_signals[] = { SIGINT, SIGTERM, SIGTSTP };

#define KEPT_SIGNALS (sizeof(kept_signals) / sizeof(*kept_signals))

struct screen_look { attr_t how; short pair; };

static struct {
	SCREEN	*curses;
	FILE	*tty;			/* /dev/tty if stdin is no terminal, else NULL */
	int	 keys_fd;
	int	 wake_fd;		/* eventfd: signals may precede poll(), or go to a thread */
	volatile sig_atomic_t resized;
	struct sigaction winch;		/* the action of SIGWINCH before screen_open() */
	struct screen_look looks[GRID_ATTRS];
} screen = { .wake_fd = -1 };

enum { LEFT, TAKEN, LEAVING };

/* Prepared data of screen_restore_now(): a signal handler cannot use terminfo. */
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

/* Adds a string of terminfo without its delays for printing terminals: "\E[m$<2>". */
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

static int refuse_term(struct ftr_error *err, const char *name, const char *why)
{
	if (name && *name)
		err_set(err, FTR_FAILED, "cannot use the terminal '%s': %s", name, why);
	else
		err_set(err, FTR_FAILED, "cannot use the terminal: TERM is not set");
	return err_hint(err, "TERM=xterm-256color suits most");
}

/*
 * Checks the terminal, as newterm() gives no reason for a failure, and accepts terminals that
 * cannot place the cursor. Prepares ->leave.
 */
static int check_term(struct ftr_error *err)
{
	static char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
	const char *name = getenv("TERM"), *s;
	int status, ret = 0;

	if (!name || !*name || setupterm(name, STDOUT_FILENO, &status) != OK)
		return refuse_term(err, name, "TERM names none that terminfo knows");
	s = tigetstr("cup");
	if (!s || s == (char *)-1)
		ret = refuse_term(err, name, "it cannot place the cursor");
	leave.len = 0;
	for (size_t i = 0; !ret && i < sizeof(names) / sizeof(*names); i++) {
		s = tigetstr(names[i]);
		if (s && s != (char *)-1)
			leave_add(s);
	}
	del_curterm(cur_term);
	return ret;
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

/* Returns false if the terminal does not report its size. */
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

	/* curses would allocate 30,000 times 30,000 cells three times */
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

/* Keys of terminals that ignore smkx, or that differ from TERM's description. */
static const struct { const char *bytes; int key; } more_keys[] = {
	{ "\033[A", KEY_UP },	   { "\033[B", KEY_DOWN },  { "\033[C", KEY_RIGHT },
	{ "\033[D", KEY_LEFT },	   { "\033[H", KEY_HOME },  { "\033[F", KEY_END },
	{ "\033[1~", KEY_HOME },   { "\033[4~", KEY_END },  { "\033OH", KEY_HOME },
	{ "\033OF", KEY_END },	   { "\033[3~", KEY_DC },   { "\033[5~", KEY_PPAGE },
	{ "\033[6~", KEY_NPAGE },  { "\033[Z", KEY_BTAB },  { "\033OP", KEY_F(1) },
	{ "\033[11~", KEY_F(1) },
};

/* Sets colours and attributes. Returns without colours if the terminal or the user has none. */
static void set_looks(enum screen_theme theme)
{
	const char *no = getenv("NO_COLOR");
	bool coloured = theme != SCREEN_MONO && !(no && *no) && has_colors() &&
			start_color() == OK && COLORS >= 8 && COLOR_PAIRS > GRID_ATTRS;
	/* without default colours white on black is assumed */
	bool own = coloured && use_default_colors() == OK;

	for (int i = 0; i < GRID_ATTRS; i++) {
		const struct grid_look *look = &grid_looks[i];
		uint8_t how = coloured ? look->coloured : look->mono;
		const struct grid_pair *pair = theme == SCREEN_LIGHT ? &look->light : &look->dark;

		/* more than 256 colours have no table: their numbers are red, green and blue */
		pair = COLORS == 256 ? pair : &look->few;
		screen.looks[i].how = A_NORMAL;
		for (size_t k = 0; k < sizeof(attributes) / sizeof(*attributes); k++)
			if (how & attributes[k].ours)
				screen.looks[i].how |= attributes[k].theirs;
		screen.looks[i].pair = 0;
		if (!coloured || (pair->fg < 0 && pair->bg < 0))
			continue;
		init_pair(i + 1, pair->fg < 0 && !own ? COLOR_WHITE : pair->fg,
			  pair->bg < 0 && !own ? COLOR_BLACK : pair->bg);
		screen.looks[i].pair = i + 1;
	}
}

/*
 * Sets the size that the terminal reports: curses would use LINES and COLUMNS of the environment.
 * resizeterm() would also add a KEY_RESIZE to the keys, which would then come twice.
 */
static void fit_size(void)
{
	int w, h;

	if (!ask_size(&w, &h))
		return;
	resize_term(h < ROWS_MAX ? h : ROWS_MAX, w < GRID_SIDE_MAX ? w : GRID_SIDE_MAX);
	clearok(curscr, TRUE);
}

/* The part of screen_open() that can fail. */
static int terminal_open(struct ftr_error *err)
{
	if (!isatty(STDOUT_FILENO)) {
		err_set(err, FTR_FAILED, "standard output is not a terminal");
		return err_hint(err, "'ftr report' writes to files and pipes");
	}
	if (tcgetattr(STDOUT_FILENO, &leave.modes))
		return err_sys(err, "cannot get the modes of the terminal");
	if (check_term(err))
		return -1;
	screen.keys_fd = STDIN_FILENO;
	if (!isatty(STDIN_FILENO)) {
		screen.tty = fopen("/dev/tty", "re");
		if (!screen.tty) {
			err_sys(err, "cannot read keys from '/dev/tty'");
			return err_hint(err, "run it in a terminal");
		}
		screen.keys_fd = fileno(screen.tty);
	}
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

	screen.wake_fd = -1;		/* first: a handler must not use a closed one */
	if (screen.tty)
		fclose(screen.tty);
	screen.tty = NULL;
	if (fd >= 0)
		close(fd);
}

int screen_open(enum screen_theme theme, struct ftr_error *err)
{
	struct sigaction sa = { .sa_handler = note_resize, .sa_flags = SA_RESTART };

	if (terminal_open(err)) {
		release_fds();
		return -1;
	}
	sigemptyset(&sa.sa_mask);
	sigaction(SIGWINCH, &sa, NULL);
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	for (size_t i = 0; i < sizeof(more_keys) / sizeof(*more_keys); i++)
		if (!key_defined(more_keys[i].bytes))
			define_key(more_keys[i].bytes, more_keys[i].key);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
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

void screen_show(const struct cell_grid *g)
{
	int w, h;
	bool shown;

	if (!screen.curses)
		return;
	screen_size(&w, &h);
	w = g->w < w ? g->w : w;
	h = g->h < h ? g->h : h;
	erase();
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x++) {
			const struct grid_cell *c = &g->cells[(size_t)y * g->w + x];
			const struct screen_look *look = &screen.looks[c->attr];
			wchar_t text[] = { c->ch[0], c->ch[1], c->ch[2], 0 };
			cchar_t cc;

			if (c->ch[0] && setcchar(&cc, text, look->how, look->pair, NULL) == OK)
				mvadd_wch(y, x, &cc);
		}
	}
	shown = g->cursor_x >= 0 && g->cursor_x < w && g->cursor_y >= 0 && g->cursor_y < h;
	curs_set(shown);
	if (shown)
		move(g->cursor_y, g->cursor_x);
	refresh();
}

static const struct { int theirs, ours; } curses_keys[] = {
	{ KEY_UP, TUI_UP },	  { KEY_DOWN, TUI_DOWN },   { KEY_LEFT, TUI_LEFT },
	{ KEY_RIGHT, TUI_RIGHT }, { KEY_PPAGE, TUI_PGUP },  { KEY_NPAGE, TUI_PGDN },
	{ KEY_HOME, TUI_HOME },	  { KEY_END, TUI_END },	    { KEY_ENTER, TUI_ENTER },
	{ KEY_BTAB, TUI_BACKTAB }, { KEY_BACKSPACE, TUI_BACKSPACE }, { KEY_DC, TUI_DELETE },
	{ KEY_F(1), TUI_F1 },	  { KEY_SUSPEND, TUI_SUSPEND },
};

/*
 * Reads a key without waiting. curses reads ahead, and poll() does not see these keys. Returns
 * false if there is none. *@key is -1 for a key without a number; others may follow it.
 */
static bool read_key(int *key)
{
	wint_t c;
	int kind = get_wch(&c);

	*key = -1;
	if (kind == OK && c)
		*key = key_of_char(c);
	if (kind != KEY_CODE_YES)
		return kind != ERR;
	for (size_t i = 0; i < sizeof(curses_keys) / sizeof(*curses_keys); i++)
		if (curses_keys[i].theirs == (int)c)
			*key = curses_keys[i].ours;
	return true;
}

int screen_key(int timeout_ms)
{
	struct pollfd fds[] = { { .fd = screen.keys_fd, .events = POLLIN },
				{ .fd = screen.wake_fd, .events = POLLIN } };
	eventfd_t n;
	int key;

	if (!screen.curses)
		return TUI_GONE;
	if (read_key(&key))
		return key;
	if (poll(fds, 2, timeout_ms) <= 0)
		return -1;
	if (fds[1].revents) {
		/* first the eventfd: a signal after that wakes the next call */
		eventfd_read(screen.wake_fd, &n);
		if (!screen.resized)
			return -1;
		screen.resized = 0;
		fit_size();
		return TUI_RESIZE;
	}
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return TUI_GONE;
	read_key(&key);
	return key;
}

/* On a terminal without an alternate screen the shell continues below the picture. */
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

void screen_resume(void)
{
	if (!screen.curses || !isendwin())
		return;
	/*
	 * Another program, such as stty, may have changed the modes: restore these at the end.
	 * After 'bg' they are the shell's; tcdrain() stops the program until it is in the
	 * foreground.
	 */
	tcdrain(STDOUT_FILENO);
	if (!tcgetattr(STDOUT_FILENO, &leave.modes))
		def_shell_mode();
	atomic_store(&leave.state, TAKEN);
	fit_size();
	refresh();
	/* a stopped program gets no SIGWINCH */
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
		/* another thread restores it, and ends the program */
		while (state == LEAVING)
			pause();
		return;
	}
	if (write(STDOUT_FILENO, leave.bytes, leave.len) < 0)
		saved = errno;		/* the modes matter all the same */
	tcsetattr(STDOUT_FILENO, TCSANOW, &leave.modes);
	errno = saved;
}
