/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The actions of keys: one table, from which help and manual are made; the prompt; typeahead.
 *
 * If a key after a search acted on the old row whenever the search took longer than 0.1 s, the
 * effect of keys would depend on the speed of the machine. So the table states for each key
 * whether it acts on the selected row, its time, or the result of a search. A key waits until that
 * is known, and later keys wait, too, so their order stays; each turn of the main loop handles one
 * of them. Esc and Ctrl-C never wait, and are read between two keys. They drop waiting keys, whose
 * object does not come. Keys that move meanwhile would lose their effect when the search jumps.
 * Dropping keys when nothing is found would make it depend on the machine again which ones are
 * dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "browse/browser_priv.h"
#include "browse/screen/key_names.h"

#define SCROLL_COLUMNS	8
#define PROMPT_MAX	4096	/* bytes */

/* --- the prompt */

enum prompt_end { PROMPT_TYPING, PROMPT_DONE, PROMPT_GIVEN_UP };

void prompt_release(struct browse_prompt *p)
{
	buf_release(&p->text);
}

/* Return the start of the character before, or after, a byte offset. */
static size_t char_before(const struct buf *b, size_t at)
{
	while (at && ((uint8_t)b->data[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t char_after(const struct buf *b, size_t at)
{
	if (at < b->len)
		at++;
	while (at < b->len && ((uint8_t)b->data[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void prompt_cut(struct browse_prompt *p, size_t from, size_t to)
{
	memmove(p->text.data + from, p->text.data + to, p->text.len - to + 1);
	p->text.len -= to - from;
	p->at = from;
}

static void prompt_insert(struct browse_prompt *p, int c)
{
	struct buf one = {0};
	char *at;

	grid_add_utf8(&one, c);
	if (p->text.len + one.len <= PROMPT_MAX) {
		buf_reserve(&p->text, one.len);
		at = p->text.data + p->at;
		memmove(at + one.len, at, p->text.len - p->at + 1);
		memcpy(at, one.data, one.len);
		p->text.len += one.len;
		p->at += one.len;
	}
	buf_release(&one);
}

static enum prompt_end prompt_key(struct browse_prompt *p, int key)
{
	switch (key) {
	case TUI_ENTER:
		return PROMPT_DONE;
	case TUI_ESC:
		return PROMPT_GIVEN_UP;
	case TUI_BACKSPACE:
		if (!p->text.len)
			return PROMPT_GIVEN_UP;
		if (p->at)
			prompt_cut(p, char_before(&p->text, p->at), p->at);
		break;
	case TUI_DELETE:
		prompt_cut(p, p->at, char_after(&p->text, p->at));
		break;
	case TUI_LEFT:
		p->at = char_before(&p->text, p->at);
		break;
	case TUI_RIGHT:
		p->at = char_after(&p->text, p->at);
		break;
	case TUI_HOME:
		p->at = 0;
		break;
	case TUI_END:
		p->at = p->text.len;
		break;
	default:
		if (key >= ' ' && key < KEY_NAMED && key != 0x7f)
			prompt_insert(p, key);
	}
	return PROMPT_TYPING;
}

void prompt_draw(const struct browse_prompt *p, struct cell_grid *g, int y)
{
	int x, room;
	size_t before = grid_text_width(p->text.data, p->at, g->ascii);

	grid_fill(g, y, 0, g->w, GRID_PLAIN);
	x = grid_print(g, y, 0, g->w, p->label, strlen(p->label), GRID_HEAD);
	room = g->w - x - 1 > 1 ? g->w - x - 1 : 1;
	grid_print_from(g, y, x, g->w, p->text.data, p->text.len,
			before > (size_t)room ? before - room : 0, GRID_PLAIN);
	g->cursor_x = x + (before > (size_t)room ? (size_t)room : before);
	g->cursor_y = y;
}

/* --- moving */

static void move_rows(struct browser_state *b, int key)
{
	struct browse_pane *p = browse_pane(b);
	int page = p->rows > 1 ? p->rows - 1 : 1;
	bool by_page = key == TUI_PGUP || key == TUI_PGDN || key == ' ';
	bool up = key == TUI_UP || key == 'k' || key == TUI_PGUP;

	if (pane_move(p, (up ? -1 : 1) * (by_page ? page : 1)))
		browse_follow(b);
}

/* Goes to the first or last row; several may have the first or last time. */
static void move_to_end(struct browser_state *b, int key)
{
	bool first = key == TUI_HOME;

	browse_note_jump(b);
	pane_go(browse_pane(b), first ? 0 : UINT64_MAX - 1);
	while (pane_move(browse_pane(b), first ? -1 : 1))
		;
	browse_follow(b);
}

static void scroll_columns(struct browser_state *b, int key)
{
	struct browse_pane *p = browse_pane(b);
	bool left = key == TUI_LEFT || key == 'h';

	if (b->kinds[b->active] == VIEW_TIMELINE)
		return browse_move_column(b, left);
	if (left)
		p->skip -= p->skip < SCROLL_COLUMNS ? p->skip : SCROLL_COLUMNS;
	else
		p->skip += SCROLL_COLUMNS;
}

static void open_row(struct browser_state *b, int key)
{
	struct browse_pane *p = browse_pane(b);
	struct row_place at = p->cursor;
	uint64_t ts = pane_time(p);

	(void)key;
	if (!p->any)
		return;
	if (b->kinds[b->active] == VIEW_SHOWN)
		return browse_toggle_hidden(b, at.seq);
	if (b->kinds[b->active] == VIEW_TIMELINE)
		return browse_enter_lane(b);
	if (b->kinds[b->active] == VIEW_GRAPH && graph_view_fold(p->view, &at))
		return pane_refresh(p);
	switch (p->view->ops->enter(p->view, &at)) {
	case VIEW_DETAILS:
		if (details_fill(b->texts[VIEW_DETAIL], events_view_rows(b->views[VIEW_EVENTS]),
				 &at))
			browse_show(b, VIEW_DETAIL);
		break;
	case VIEW_GOES:
		browse_show(b, VIEW_EVENTS);
		browse_go(b, ts, true);
		break;
	case VIEW_STAYS:
		if (b->kinds[b->active] == VIEW_QUERY && at.seq)
			browse_message(b, GRID_STATUS, "no time to go to: the rows need a column "
				       "ts with times of the files");
		break;
	}
}

static void other_pane(struct browser_state *b, int key)
{
	(void)key;
	b->active = (b->active + 1) % b->nr_panes;
}

static void show_view(struct browser_state *b, int key)
{
	static const char none[] = "no record is selected in the events";
	enum view_kind kind = key - '1';
	struct text_rows *rows = events_view_rows(b->views[VIEW_EVENTS]);
	struct lines_view *details = b->texts[VIEW_DETAIL];
	const struct text_row *row;
	struct row_place at;

	if (kind == VIEW_DETAIL && b->kinds[b->active] != VIEW_DETAIL) {
		lines_view_clear(details);
		row = browse_row(b);
		at = row ? row->at : (struct row_place){0};
		if (!row || row->is_loss || !details_fill(details, rows, &at))
			lines_view_add_text(details, none, sizeof(none) - 1);
	}
	browse_show(b, kind);
}

static void show_help(struct browser_state *b, int key)
{
	(void)key;
	browse_show(b, VIEW_HELP);
}

static void split_panes(struct browser_state *b, int key)
{
	(void)key;
	browse_split(b);
}

/* Closes the view that was opened last in this pane, else the pane, else the program. */
static void quit(struct browser_state *b, int key)
{
	enum view_kind was = b->before[b->active];
	/* the timeline above the events, as at the start: no key has opened a pane of it */
	bool at_start = !b->o->view && b->nr_panes == PANES && b->kinds[0] == VIEW_TIMELINE &&
			b->kinds[1] == VIEW_EVENTS;

	(void)key;
	if (was != b->kinds[b->active]) {
		b->before[b->active] = VIEW_EVENTS;
		browse_show_here(b, was);
		b->before[b->active] = b->kinds[b->active];
	} else if (b->nr_panes > 1 && !at_start) {
		b->active = !b->active;
		browse_split(b);
	} else {
		b->ended = true;
	}
}

/* --- going to times and marks */

void browse_ask(struct browser_state *b, enum asking what, const char *label, const char *text)
{
	struct browse_prompt *p = &b->prompt;

	b->asking = what;
	buf_reset(&p->text);
	buf_addstr(&p->text, text);
	p->label = label;
	p->at = p->text.len;
}

static void ask_time(struct browser_state *b, int key)
{
	(void)key;
	browse_ask(b, ASK_TIME, "go to: ", "");
}

/* Goes to the last time of @from, and adds the present one to @to. */
static void go_to_kept(struct browser_state *b, struct jump_times *from, struct jump_times *to,
		       const char *none)
{
	uint64_t now = browse_time(b);

	if (!from->n)
		return browse_message(b, GRID_STATUS, "%s", none);
	if (now != NO_TIME) {
		to->v = xgrow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
		to->v[to->n++] = now;
	}
	browse_go(b, from->v[--from->n], false);
}

static void go_back(struct browser_state *b, int key)
{
	(void)key;
	go_to_kept(b, &b->back, &b->forward, "nothing to go back to");
}

static void go_forward(struct browser_state *b, int key)
{
	(void)key;
	go_to_kept(b, &b->forward, &b->back, "nothing to go forward to");
}

static void ask_mark(struct browser_state *b, int key)
{
	b->asking = key == 'm' ? ASK_MARK : ASK_GO_MARK;
	browse_message(b, GRID_STATUS, key == 'm' ? "set which mark? a letter" :
		       "go to which mark? a letter");
}

static int mark_index(int key)
{
	if (key >= 'a' && key <= 'z')
		return key - 'a';
	return key >= 'A' && key <= 'Z' ? key - 'A' + 26 : -1;
}

static void set_mark(struct browser_state *b, int mark)
{
	uint64_t ts = browse_time(b);

	if (mark < 0)
		return browse_message(b, GRID_ERROR, "a mark is a letter");
	if (ts == NO_TIME)
		return;
	b->marks[mark] = ts;
	if (mark == MARK_A || mark == MARK_B)
		browse_start_between(b);
	browse_renew_times(b);
}

static void go_to_mark(struct browser_state *b, int mark)
{
	if (mark < 0 || b->marks[mark] == NO_TIME)
		return browse_message(b, GRID_ERROR, "no such mark");
	browse_go(b, b->marks[mark], true);
}

static void set_marker(struct browser_state *b, int key)
{
	set_mark(b, mark_index(key));
}

/* --- steps */

static void step_to_record(struct browser_state *b, int key)
{
	static const struct { int key; enum find_kind kind; bool backward; } steps[] = {
		{ '.', FIND_TASK, false }, { ',', FIND_TASK, true },
		{ ';', FIND_CPU, false }, { ':', FIND_CPU, true },
		{ ')', FIND_EVENT, false }, { '(', FIND_EVENT, true },
		{ 'L', FIND_LOSS, false }, { 'W', FIND_WAKER, true },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].key == key)
			browse_start_find(b, steps[i].kind, steps[i].backward);
}

/* --- in the graph */

static bool check_in_graph(struct browser_state *b)
{
	if (b->kinds[b->active] == VIEW_GRAPH)
		return true;
	browse_message(b, GRID_STATUS, "this is for the graph: %d shows it", VIEW_GRAPH + 1);
	return false;
}

static void go_in_graph(struct browser_state *b,
			bool (*step)(struct browse_view *v, struct row_place *p), const char *none)
{
	struct browse_pane *p = browse_pane(b);
	struct row_place at = p->cursor;

	if (!check_in_graph(b))
		return;
	if (!p->any || !step(p->view, &at))
		return browse_message(b, GRID_STATUS, "%s", none);
	browse_note_jump(b);
	p->cursor = at;
	browse_follow(b);
}

static void go_to_caller(struct browser_state *b, int key)
{
	(void)key;
	go_in_graph(b, graph_view_caller, "no caller is recorded");
}

static void go_to_longest(struct browser_state *b, int key)
{
	(void)key;
	go_in_graph(b, graph_view_longest, "it calls nothing");
}

static void go_to_other_end(struct browser_state *b, int key)
{
	(void)key;
	if (b->kinds[b->active] == VIEW_GRAPH)
		go_in_graph(b, graph_view_other_end, "it has no other row");
	else
		browse_start_ends(b, false);
}

static void ask_why(struct browser_state *b, int key)
{
	(void)key;
	browse_ask_why(b);
}

static void find_same_call(struct browser_state *b, int key)
{
	if (check_in_graph(b) && browse_pane(b)->any)
		browse_find_call(b, CALLS_FUNCTION, key == 'b');
}

static void fold_all(struct browser_state *b, int key)
{
	struct browse_pane *p = browse_pane(b);

	(void)key;
	if (!check_in_graph(b) || !p->any)
		return;
	graph_view_fold_all(p->view, &p->cursor);
	pane_refresh(p);
}

/* --- display, search, filters */

static void zoom_timeline(struct browser_state *b, int key)
{
	browse_zoom(b, key == '+');
}

static void show_all(struct browser_state *b, int key)
{
	(void)key;
	browse_zoom_all(b);
}

static void order_lanes(struct browser_state *b, int key)
{
	static const char *const words[] = { "run time", "time of waiting", "name", "pid" };

	(void)key;
	b->lanes_sort = (b->lanes_sort + 1) % (sizeof(words) / sizeof(*words));
	browse_message(b, GRID_STATUS, "tasks are ordered by %s", words[b->lanes_sort]);
	browse_start_lanes(b, true);
}

static void wrap_rows(struct browser_state *b, int key)
{
	struct browse_pane *p = browse_pane(b);

	(void)key;
	p->wrap = !p->wrap;
	p->skip = 0;
}

static void next_time_form(struct browser_state *b, int key)
{
	(void)key;
	browse_next_times(b);
}

static void ask_search(struct browser_state *b, int key)
{
	browse_ask(b, key == '/' ? ASK_SEARCH : ASK_SEARCH_BACK, key == '/' ? "/" : "?", "");
}

static void start_search(struct browser_state *b, bool backward)
{
	if (b->kinds[b->active] == VIEW_GRAPH)
		browse_find_call(b, CALLS_TEXT, backward);
	else
		browse_start_find(b, FIND_TEXT, backward);
}

static void search_again(struct browser_state *b, int key)
{
	if (!b->search)
		return browse_message(b, GRID_STATUS, "nothing was searched for: / does");
	start_search(b, b->search_back == (key == 'n'));
}

static void ask_filter(struct browser_state *b, int key)
{
	(void)key;
	browse_ask(b, ASK_FILTER, "filter: ", b->filter ? b->filter->text : "");
}

static void set_filter(struct browser_state *b, const char *text, bool note)
{
	char *was = xstrdup(b->filter ? b->filter->text : "");
	struct ftr_error err = {0};

	if (browse_set_filter(b, text, &err))
		browse_message(b, GRID_ERROR, "%s", err.msg);
	else if (note)
		strv_add(&b->filters, was);
	free(was);
}

static void show_shown(struct browser_state *b, int key)
{
	(void)key;
	browse_show(b, VIEW_SHOWN);
}

static void undo_filter(struct browser_state *b, int key)
{
	char *text;

	(void)key;
	if (!b->filters.n)
		return browse_message(b, GRID_STATUS, "no filter to take back");
	text = b->filters.v[--b->filters.n];
	b->filters.v[b->filters.n] = NULL;
	set_filter(b, text, false);
	free(text);
}

static void ask_query(struct browser_state *b, int key)
{
	(void)key;
	browse_ask_query(b);
}

/* Stops the first of these jobs that runs. Returns false if none does. */
static bool stop_first(struct background_job *const *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!jobs[i]->run)
			continue;
		job_stop(jobs[i]);
		return true;
	}
	return false;
}

/* The rows of a query are closed before jobs are stopped that nobody has asked for. */
static void stop_work(struct browser_state *b, int key)
{
	struct background_job *const asked[] = {
		&b->find_job, &b->ends_job, &b->query_job, &b->why_job,
	}, *const others[] = {
		&b->calls_job, &b->lanes_job, &b->pass_job, &b->between_job, &b->scan_job,
	};
	bool only_waits = b->ahead.n && !browse_is_asked(b);

	b->ahead.n = 0;
	if (only_waits)
		browse_message(b, GRID_STATUS, "the keys that waited are forgotten");
	else if (stop_first(asked, sizeof(asked) / sizeof(*asked)))
		return;
	else if (b->kinds[b->active] == VIEW_QUERY)
		quit(b, key);
	else
		stop_first(others, sizeof(others) / sizeof(*others));
}

static void interrupt_jobs(struct browser_state *b, int key)
{
	(void)key;
	b->ahead.n = 0;
	b->ended = !browse_interrupt(b);
}

/* --- the table */

static const struct key_binding {
	int keys[3];
	void (*run)(struct browser_state *b, int key);
	enum key_acts acts;
	const char *keys_text, *group, *text;
} bindings[] = {
	{ { TUI_UP, 'k' }, move_rows, ON_ROW, "Up k", "Move", "a row up" },
	{ { TUI_DOWN, 'j' }, move_rows, ON_ROW, "Down j", "Move", "a row down" },
	{ { TUI_PGUP }, move_rows, ON_ROW, "PgUp", "Move", "a page up" },
	{ { TUI_PGDN, ' ' }, move_rows, ON_ROW, "PgDn Space", "Move", "a page down" },
	{ { TUI_HOME }, move_to_end, ON_ROW, "Home", "Move", "to the first row" },
	{ { TUI_END, 'G' }, move_to_end, ON_ROW, "End G", "Move", "to the last row" },
	{ { TUI_LEFT, 'h' }, scroll_columns, ON_TIME, "Left h", "Move",
	 "left; timeline: one column" },
	{ { TUI_RIGHT, 'l' }, scroll_columns, ON_TIME, "Right l", "Move",
	 "right; timeline: one column" },
	{ { TUI_ENTER }, open_row, ON_ROW, "Enter", "Move", "open the row" },
	{ { TUI_TAB }, other_pane, ON_PLACE, "Tab", "Move", "to the other pane" },
	{ { '1', '2', '3' }, show_view, ON_PLACE, "1 2 3", "Move", "show events, details, graph" },
	{ { '4', '5' }, show_view, ON_PLACE, "4 5", "Move", "show timeline, info" },
	{ { '6', '7' }, show_view, ON_PLACE, "6 7", "Move", "show log, help" },
	{ { 'S' }, split_panes, ON_PLACE, "S", "Move", "two panes, or one; again: as before" },
	{ { TUI_F1, 'H' }, show_help, ON_PLACE, "F1 H", "Move", "show the keys" },
	{ { 'q' }, quit, AT_ONCE, "q", "Move", "close the view, the pane, the program" },
	{ { 'g' }, ask_time, ON_PLACE, "g", "Go",
	  "to a time: 12.5 as shown, +2ms from the first event" },
	{ { '[' }, go_back, ON_PLACE, "[", "Go", "back to where you were" },
	{ { ']' }, go_forward, ON_PLACE, "]", "Go", "forward again" },
	{ { 'm' }, ask_mark, ON_TIME, "m X", "Go", "set mark X, a letter" },
	{ { '\'' }, ask_mark, ON_PLACE, "' X", "Go", "to mark X" },
	{ { 'A', 'B' }, set_marker, ON_TIME, "A B", "Go",
	  "set marker A or B: distance, records between" },
	{ { '.', ',' }, step_to_record, ON_ROW, ". ,", "Step",
	 "next, previous record of this task" },
	{ { ';', ':' }, step_to_record, ON_ROW, "; :", "Step",
	 "next, previous record of this CPU" },
	{ { ')', '(' }, step_to_record, ON_ROW, ") (", "Step",
	 "next, previous record of this event" },
	{ { 'L' }, step_to_record, ON_ROW, "L", "Step", "next loss" },
	{ { 'W' }, step_to_record, ON_ROW, "W", "Step", "who woke this task" },
	{ { 'M' }, go_to_other_end, ON_TIME, "M", "Step", "where this span ends or begins" },
	{ { 'Y' }, ask_why, ON_ROW, "Y", "Step",
	  "why it took so long: this call, span, lane, or A to B" },
	{ { 'c' }, go_to_caller, ON_ROW, "c", "Step", "graph: to the caller" },
	{ { 'e' }, go_to_longest, ON_ROW, "e", "Step", "graph: to the longest call inside" },
	{ { 'f', 'b' }, find_same_call, ON_ROW, "f b", "Step", "graph: next, previous call of it" },
	{ { 'z' }, fold_all, ON_ROW, "z", "Look",
	  "graph: fold all calls, or none; Enter: this one" },
	{ { '+', '-' }, zoom_timeline, ON_PLACE, "+ -", "Look",
	 "timeline: half, or twice as much time" },
	{ { '0' }, show_all, AT_ONCE, "0", "Look", "timeline: all of the file" },
	{ { 'o' }, order_lanes, AT_ONCE, "o", "Look", "timeline: another order of tasks" },
	{ { 'w' }, wrap_rows, AT_ONCE, "w", "Look", "wrap long rows, or scroll them" },
	{ { 't' }, next_time_form, AT_ONCE, "t", "Look",
	  "times: seconds, of day, since A, since the row before" },
	{ { '/', '?' }, ask_search, ON_TIME, "/ ?", "Search", "a text forward, backward" },
	{ { 'n', 'N' }, search_again, ON_TIME, "n N", "Search", "the next one, the one before" },
	{ { 'F' }, ask_filter, ON_PLACE, "F", "Search", "show what matches, as report -F" },
	{ { 'V' }, show_shown, ON_PLACE, "V", "Search",
	  "choose events, tasks, CPUs: Enter hides and shows" },
	{ { 'u' }, undo_filter, ON_PLACE, "u", "Search", "take the last filter back" },
	{ { 'Q' }, ask_query, ON_PLACE, "Q", "Search",
	  "a query in SQL: rows; Enter goes to the time of one" },
	{ { TUI_ESC }, stop_work, AT_ONCE, "Esc", "Search",
	  "stop the search; its results stay" },
	{ { KEY_CTRL_C }, interrupt_jobs, AT_ONCE, "Ctrl-C", "Search",
	  "stop what goes on, else the program" },
};

#define NR_BINDINGS (sizeof(bindings) / sizeof(*bindings))

void browse_add_keys(struct buf *out)
{
	const char *group = "";

	for (size_t i = 0; i < NR_BINDINGS; i++) {
		if (strcmp(group, bindings[i].group))
			buf_printf(out, "%s%s\n", i ? "\n" : "", bindings[i].group);
		group = bindings[i].group;
		buf_printf(out, "  %-12s %s\n", bindings[i].keys_text, bindings[i].text);
	}
}

/* --- answers to prompts */

static void go_to_text(struct browser_state *b, const char *text)
{
	struct filter_spec spec = {0};
	struct ftr_error err = {0};
	uint64_t since, until;

	if (filter_when_parse(&spec.since, text, &err) ||
	    filter_range(&spec, b->first, b->last, b->o->traces[0]->clock_is_ns, &since, &until,
			 &err))
		browse_message(b, GRID_ERROR, "%s", err.msg);
	else
		browse_go(b, since, true);
	filter_spec_release(&spec);
}

static void prompt_answer(struct browser_state *b, int key)
{
	enum asking what = b->asking;
	const char *text;
	enum prompt_end end;

	if (what == ASK_MARK || what == ASK_GO_MARK) {
		b->asking = ASK_NOTHING;
		if (key != TUI_ESC)
			(what == ASK_MARK ? set_mark : go_to_mark)(b, mark_index(key));
		return;
	}
	if (what == ASK_QUERY && (key == TUI_UP || key == TUI_DOWN))
		return browse_recall_query(b, key == TUI_UP);
	end = prompt_key(&b->prompt, key);
	if (end == PROMPT_TYPING)
		return;
	b->asking = ASK_NOTHING;
	if (end != PROMPT_DONE)
		return;
	text = b->prompt.text.data;
	if (what == ASK_TIME && *text) {
		go_to_text(b, text);
	} else if (what == ASK_FILTER) {
		set_filter(b, text, true);
	} else if (what == ASK_QUERY) {
		browse_start_query(b, text);
	} else if (what == ASK_SEARCH || what == ASK_SEARCH_BACK) {
		if (*text) {
			free(b->search);
			b->search = xstrdup(text);
			b->search_exact = find_is_exact(text);
		}
		b->search_back = what == ASK_SEARCH_BACK;
		if (b->search)
			start_search(b, b->search_back);
	}
}

static const struct key_binding *find_binding(int key)
{
	for (size_t i = 0; i < NR_BINDINGS; i++)
		for (size_t k = 0; k < 3; k++)
			if (key && bindings[i].keys[k] == key)
				return &bindings[i];
	return NULL;
}

enum key_acts browse_key_acts(const struct browser_state *b, int key)
{
	const struct key_binding *of = find_binding(key);

	return b->asking || !of ? AT_ONCE : of->acts;
}

void browse_key(struct browser_state *b, int key)
{
	const struct key_binding *of;
	struct buf name = {0};

	buf_reset(&b->message);
	if (b->asking && key != KEY_CTRL_C) {
		prompt_answer(b, key);
		return;
	}
	of = find_binding(key);
	if (of) {
		of->run(b, key);
		return;
	}
	key_add_name(key, &name);
	browse_message(b, GRID_STATUS, "%s does nothing here; F1 shows the keys", name.data);
	buf_release(&name);
}

/* --- keys typed ahead: they wait for the results of jobs, in their order */

/*
 * Returns true if a key must wait: for a search or a step_to_record, or for the row that it acts
 * on, which the active pane does not have yet. In the timeline the time alone comes earlier than
 * the row.
 */
static bool must_wait(const struct browser_state *b, int key)
{
	enum key_acts acts = browse_key_acts(b, key);

	if (acts == AT_ONCE)
		return false;
	if (browse_is_asked(b))
		return true;
	if (acts == ON_PLACE)
		return false;
	switch (b->kinds[b->active]) {
	case VIEW_EVENTS:
		return !b->panes[b->active].any && browse_is_late(b);
	case VIEW_GRAPH:
		return browse_seeks_calls(b);
	case VIEW_TIMELINE:
		return b->lanes_job.run || (acts != ON_TIME && b->pass_job.run);
	case VIEW_SHOWN:
		return !b->counts && b->scan_job.run;
	case VIEW_WHY:
		return b->why_job.run;
	case VIEW_QUERY:
		return b->query_job.run;
	case VIEW_LOG:
		return !b->logged && browse_is_busy(b);
	default:
		return false;
	}
}

static void press_key(struct browser_state *b, int key)
{
	browse_set_deadline(b);
	browse_key(b, key);
	browse_finish_key_jobs(b);
}

/* Esc and Ctrl-C do not wait: they stop the jobs that other keys wait for. */
void browse_press_key(struct browser_state *b, int key)
{
	struct keys_ahead *a = &b->ahead;

	if (key == TUI_ESC || key == KEY_CTRL_C || (!a->n && !must_wait(b, key)))
		return press_key(b, key);
	a->v = xgrow(a->v, &a->cap, a->n + 1, sizeof(*a->v));
	a->v[a->n++] = key;
	buf_reset(&b->message);		/* it covers the number of waiting keys */
}

/* Rows that are not ready yet may be the result of the previous key: they come first, too. */
bool browse_waiting_is_ready(const struct browser_state *b)
{
	return b->ahead.n && !browse_is_late(b) && !must_wait(b, b->ahead.v[0]);
}

void browse_press_waiting(struct browser_state *b)
{
	struct keys_ahead *a = &b->ahead;
	int key;

	if (!browse_waiting_is_ready(b))
		return;
	key = a->v[0];
	memmove(a->v, a->v + 1, --a->n * sizeof(*a->v));
	press_key(b, key);
}
