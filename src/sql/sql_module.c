/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module of all tables: declares their columns, plans scans and runs them for SQLite. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sql/sql_table.h"

struct sql_vtab {
	sqlite3_vtab base;
	struct sql_table *table;
};

struct sql_cursor {
	sqlite3_vtab_cursor base;
	const struct sql_table *table;
	void *scan;
	bool has_row;
	sqlite3_int64 row;
	const char *plan;		/* the idxStr that ->conditions were read from */
	struct sql_conditions conditions;
};

static const char *const type_names[] = {
	[SQL_INTEGER] = "INTEGER", [SQL_TEXT] = "TEXT", [SQL_REAL] = "REAL", [SQL_BLOB] = "BLOB",
	[SQL_ANY] = "",
};

void sql_add_columns(const struct sql_table *t, struct buf *out)
{
	buf_addstr(out, "(");
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct sql_column *c = &t->columns[i];
		/* its place stays, under a name that nobody asks for */
		bool is_absent = t->db->hides_extras && c->flags & SQL_EXTRA;

		buf_printf(out, "%s\"%s%s\"%s%s%s", i ? ", " : "", is_absent ? "\1" : "", c->name,
			   *type_names[c->type] ? " " : "", type_names[c->type],
			   is_absent || c->flags & SQL_HIDDEN ? " HIDDEN" : "");
	}
	buf_addstr(out, ")");
}

struct sql_db *sql_vtab_db(const sqlite3_vtab *tab)
{
	return ((const struct sql_vtab *)tab)->table->db;
}

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **why)
{
	struct sql_table *t = aux;
	struct buf text = {0};
	struct sql_vtab *v;
	int ret;

	(void)argc;
	(void)argv;
	(void)why;
	t->db->is_used = true;
	sql_prepare_table(t);
	buf_addstr(&text, "CREATE TABLE x");
	sql_add_columns(t, &text);
	/* SQLite asks the authorizer about this declaration as about a query's */
	t->db->is_declaring = true;
	ret = sqlite3_declare_vtab(db, text.data);
	t->db->is_declaring = false;
	buf_release(&text);
	if (ret != SQLITE_OK)
		return ret;
	/* reading a trace has no effect on anything else; a query in an argument may have one */
	sqlite3_vtab_config(db, t->ops->is_direct ? SQLITE_VTAB_DIRECTONLY : SQLITE_VTAB_INNOCUOUS);
	v = xcalloc(1, sizeof(*v));
	v->table = t;
	*out = &v->base;
	return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *v)
{
	free(v);
	return SQLITE_OK;
}

/* --- the plan */

static bool is_tested_op(unsigned char op)
{
	return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_LT ||
	       op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_GT ||
	       op == SQLITE_INDEX_CONSTRAINT_GE;
}

/*
 * Takes an argument of a table-valued function, which SQLite passes as a condition on a hidden
 * column. Returns false if its value is not known yet in this order of a join.
 */
static bool plan_argument(sqlite3_index_info *info, int i, int column, int *n, struct buf *plan)
{
	if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
		return true;
	if (!info->aConstraint[i].usable || *n == SQL_CONDITIONS_MAX)
		return false;
	info->aConstraintUsage[i].argvIndex = ++*n;
	info->aConstraintUsage[i].omit = 1;
	buf_printf(plan, "%d %d;", column, SQLITE_INDEX_CONSTRAINT_EQ);
	return true;
}

/*
 * Returns the columns of GROUP BY or DISTINCT, as in sql_conditions.grouped, if the table can bring
 * rows in the order of them. It looks at nothing but columns of groups, which are all that is used.
 * SQLite may take the order of groups for that of ORDER BY: they are sorted.
 */
static uint64_t plan_groups(const struct sql_table *t, sqlite3_index_info *info)
{
	uint64_t columns = 0, groups = t->ops->groups;
	int distinct = sqlite3_vtab_distinct(info);

	if (!groups || distinct < 1 || distinct > 2 || info->colUsed & ~groups ||
	    info->nOrderBy > SQL_GROUPED_MAX)
		return 0;
	for (int i = info->nOrderBy - 1; i >= 0; i--) {
		int column = info->aOrderBy[i].iColumn;

		if (column < 0 || column > 62 || !(groups >> column & 1) || info->aOrderBy[i].desc)
			return 0;
		columns = columns << SQL_GROUPED_BITS | (column + 1);
	}
	return columns;
}

/* Returns true for a condition that the table tests. */
static bool plan_tests(const struct sql_table *t, const sqlite3_index_info *info, int i)
{
	int column = info->aConstraint[i].iColumn;

	return info->aConstraint[i].usable && column >= 0 &&
	       is_tested_op(info->aConstraint[i].op) && t->columns[column].flags & SQL_TESTED;
}

/*
 * Returns true for a condition that asks for the rows of one task after another, as a join does. A
 * constant asks once, as does each number of a list: reading on until they come is as fast.
 */
static bool plan_key(const struct sql_table *t, sqlite3_index_info *info, int i)
{
	sqlite3_value *constant;

	return t->ops->keeps_rows && t->key >= 0 && info->aConstraint[i].usable &&
	       info->aConstraint[i].iColumn == t->key &&
	       info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
	       !sqlite3_vtab_in(info, i, -1) &&
	       sqlite3_vtab_rhs_value(info, i, &constant) != SQLITE_OK;
}

/* Returns the same for a table that sorts its rows by one column. */
static uint64_t plan_sort(const struct sql_table *t, const sqlite3_index_info *info)
{
	const struct sqlite3_index_orderby *by = info->aOrderBy;

	/* an = finds rows by its own column */
	for (int i = 0; i < info->nConstraint; i++)
		if (plan_tests(t, info, i) &&
		    info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
			return 0;
	if (!t->ops->is_sorting || info->nOrderBy != 1 || by->desc || by->iColumn < 0 ||
	    (t->columns[by->iColumn].type != SQL_INTEGER &&
	     t->columns[by->iColumn].type != SQL_TEXT))
		return 0;
	return by->iColumn + 1;
}

/*
 * Costs of a row, where that of a list costs 1, of a table that reads the files, and of its rows of
 * one task. SQLite does not count what a sort costs, so a list that comes sorted pretends to have
 * few rows: that makes a join read by tasks which is sorted by them, and any other one in the order
 * of time.
 */
#define COST_READ   100.
#define COST_KEY    (1. / 3)
#define ROWS_SORTED 100

/*
 * Takes the conditions that the table tests, and writes them to idxStr as "COLUMN OP;" each, in the
 * order of the values, after "USED;GROUPED;", the columns that are used, and those of groups. Times
 * and keys decide which table of a join SQLite scans first.
 */
static int plan_scan(sqlite3_vtab *tab, sqlite3_index_info *info)
{
	struct sql_table *t = ((struct sql_vtab *)tab)->table;
	double rows = t->ops->rows ? t->ops->rows(t->db, t) : 1000, cost = rows;
	uint64_t grouped = plan_groups(t, info) | plan_sort(t, info);
	struct buf plan = {0};
	bool possible = true, is_keyed = false;
	int n = 0;

	buf_printf(&plan, "%llx;%llx;", (unsigned long long)info->colUsed,
		   (unsigned long long)grouped);
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;

		if (column >= 0 && sql_is_argument(&t->columns[column]))
			possible &= plan_argument(info, i, column, &n, &plan);
	}
	if (!possible) {
		buf_release(&plan);
		return SQLITE_CONSTRAINT;
	}
	for (int i = 0; i < info->nConstraint && n < SQL_CONDITIONS_MAX; i++) {
		int column = info->aConstraint[i].iColumn;
		unsigned char op = info->aConstraint[i].op;
		bool is_equal = op == SQLITE_INDEX_CONSTRAINT_EQ, is_key = plan_key(t, info, i);

		if (!is_key && !plan_tests(t, info, i))
			continue;
		info->aConstraintUsage[i].argvIndex = ++n;
		buf_printf(&plan, "%d %d;", column, op);
		is_keyed |= is_key;
		rows /= is_key ? 1000 : is_equal ? 16 : 3;
		if (is_equal && t->ops->is_keyed)
			cost = 8;
		else if (column == t->ts)
			cost /= is_equal ? 1000 : 3;
	}
	if (is_keyed)
		t->keyed_used = info->colUsed;
	if (t->ts >= 0)
		cost *= is_keyed ? COST_KEY : COST_READ;
	if (grouped && t->ops->is_sorting)
		rows = ROWS_SORTED;
	info->idxStr = sqlite3_mprintf("%s", plan.data);
	buf_release(&plan);
	if (!info->idxStr)
		return SQLITE_NOMEM;
	info->needToFreeIdxStr = 1;
	info->estimatedRows = rows < 1 ? 1 : rows;
	info->estimatedCost = cost < 1 ? 1 : cost;
	info->orderByConsumed = grouped ||
		(t->ops->is_ordered && info->nOrderBy == 1 &&
		 info->aOrderBy[0].iColumn == t->ts && !info->aOrderBy[0].desc);
	return SQLITE_OK;
}

/* --- scans */

static int open_scan(sqlite3_vtab *tab, sqlite3_vtab_cursor **out)
{
	struct sql_cursor *c = xcalloc(1, sizeof(*c));

	c->table = ((struct sql_vtab *)tab)->table;
	c->scan = c->table->ops->open(c->table->db, c->table);
	*out = &c->base;
	return SQLITE_OK;
}

static int close_scan(sqlite3_vtab_cursor *cur)
{
	struct sql_cursor *c = (struct sql_cursor *)cur;

	c->table->ops->close(c->scan);
	free(c);
	return SQLITE_OK;
}

void sql_abandon_scan(sqlite3_vtab_cursor *cur)
{
	const struct sql_cursor *c = (struct sql_cursor *)cur;

	if (c->table->ops->abandon && c->scan)
		c->table->ops->abandon(c->scan);
}

static int next_row(sqlite3_vtab_cursor *cur)
{
	struct sql_cursor *c = (struct sql_cursor *)cur;
	struct sql_db *db = c->table->db;
	bool is_failed;

	c->row++;
	c->has_row = c->table->ops->next(c->scan);
	is_failed = db->is_failed;
	db->is_failed = false;
	/* a scan that was ended early has no last row */
	if (db->is_interrupted)
		return SQLITE_INTERRUPT;
	return is_failed ? SQLITE_ERROR : SQLITE_OK;
}

/* Reads what plan_scan() has written. */
static void read_plan(struct sql_cursor *c, const char *plan, int argc)
{
	char *end;

	c->plan = plan;
	c->conditions = (struct sql_conditions){ .vtab = c->base.pVtab };
	c->conditions.used = strtoull(plan, &end, 16);
	c->conditions.grouped = strtoull(end + 1, &end, 16);
	for (int i = 0; i < argc && i < SQL_CONDITIONS_MAX; i++) {
		struct sql_condition *k = &c->conditions.v[c->conditions.n++];

		k->column = strtol(end + 1, &end, 10);
		k->op = strtol(end, &end, 10);
	}
}

/* A cursor belongs to one statement, whose plans live as long. */
static int begin_scan(sqlite3_vtab_cursor *cur, int number, const char *plan, int argc,
		      sqlite3_value **argv)
{
	struct sql_cursor *c = (struct sql_cursor *)cur;
	int ret;

	(void)number;
	if (plan != c->plan)
		read_plan(c, plan, argc);
	for (size_t i = 0; i < c->conditions.n; i++)
		c->conditions.v[i].value = argv[i];
	c->row = 0;
	ret = c->table->ops->begin(c->scan, &c->conditions);
	return ret == SQLITE_OK ? next_row(cur) : ret;
}

static int at_end(sqlite3_vtab_cursor *cur)
{
	return !((struct sql_cursor *)cur)->has_row;
}

static int get_column(sqlite3_vtab_cursor *cur, sqlite3_context *out, int column)
{
	struct sql_cursor *c = (struct sql_cursor *)cur;

	c->table->ops->column(c->scan, column, out);
	return SQLITE_OK;
}

static int get_row(sqlite3_vtab_cursor *cur, sqlite3_int64 *row)
{
	*row = ((struct sql_cursor *)cur)->row;
	return SQLITE_OK;
}

/* Without xCreate a table is there by its name alone. */
const sqlite3_module sql_module = {
	.iVersion = 1,
	.xConnect = connect_table,
	.xBestIndex = plan_scan,
	.xDisconnect = disconnect_table,
	.xOpen = open_scan,
	.xClose = close_scan,
	.xFilter = begin_scan,
	.xNext = next_row,
	.xEof = at_end,
	.xColumn = get_column,
	.xRowid = get_row,
};

/* --- conditions */

/* SQLite tests each condition once more: a range may be too wide, but never too narrow. */
static void narrow_at(struct sql_range *r, unsigned char op, int64_t least, int64_t most)
{
	if (op != SQLITE_INDEX_CONSTRAINT_LT && op != SQLITE_INDEX_CONSTRAINT_LE)
		r->least = least > r->least ? least : r->least;
	if (op != SQLITE_INDEX_CONSTRAINT_GT && op != SQLITE_INDEX_CONSTRAINT_GE)
		r->most = most < r->most ? most : r->most;
}

#define REAL_MAX 9.2e18		/* less than INT64_MAX; beyond it nothing is narrowed */

void sql_narrow(const struct sql_conditions *c, int column, struct sql_range *r)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct sql_condition *k = &c->v[i];
		int64_t v = sqlite3_value_int64(k->value);
		double real;

		if (k->column != column)
			continue;
		switch (sqlite3_value_numeric_type(k->value)) {
		case SQLITE_INTEGER:
			narrow_at(r, k->op, v, v);
			break;
		case SQLITE_FLOAT:
			real = sqlite3_value_double(k->value);
			if (real > -REAL_MAX && real < REAL_MAX)
				narrow_at(r, k->op, (int64_t)real - 1, (int64_t)real + 1);
			break;
		case SQLITE_NULL:
			r->empty = true;
			break;
		}
	}
	r->empty |= r->least > r->most;
}
