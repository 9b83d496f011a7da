/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs compiled filters over the bytes of a record; writes nothing, so threads may share them. */
#include <string.h>

#include "base/cursor.h"
#include "trace/filter_priv.h"

/* The number of @size bytes at @off, extended; false when the record ends before. */
static inline bool load_number(const struct ev_rec *r, uint32_t off, unsigned int size,
			       bool is_signed,
			       uint64_t *v)
{
	const uint8_t *p = r->data + off;
	unsigned int shift = 64 - 8 * size;

	if (off > r->len || size > r->len - off)
		return false;
	if (size == 4)
		*v = get_u32(p, r->big);
	else if (size == 8)
		*v = get_u64(p, r->big);
	else
		*v = size == 2 ? get_u16(p, r->big) : *p;
	if (is_signed)
		*v = (uint64_t)((int64_t)(*v << shift) >> shift);
	return true;
}

static inline bool compare_values(enum pred_op op, bool is_signed, uint64_t l, uint64_t r)
{
	bool less = is_signed ? (int64_t)l < (int64_t)r : l < r;

	switch (op) {
	case PO_EQ: return l == r;
	case PO_NE: return l != r;
	case PO_LT: return less;
	case PO_GE: return !less;
	case PO_GT: return !less && l != r;
	case PO_LE: return less || l == r;
	case PO_AND: return l & r;
	}
	return false;
}

/* --- expressions */

static uint64_t compute_arith(enum ast_op op, uint64_t l, uint64_t r)
{
	switch (op) {
	case OP_BIT_OR: return l | r;
	case OP_BIT_XOR: return l ^ r;
	case OP_BIT_AND: return l & r;
	case OP_SHL: return r < 64 ? l << r : 0;
	case OP_SHR: return r < 64 ? l >> r : 0;
	case OP_ADD: return l + r;
	case OP_SUB: return l - r;
	case OP_MUL: return l * r;
	case OP_DIV: return r ? l / r : 0;
	case OP_MOD: return r ? l % r : 0;
	default: return 0;
	}
}

static bool step_compare(const struct step *s, uint64_t l, uint64_t r)
{
	static const enum pred_op ops[] = {
		[OP_EQ] = PO_EQ, [OP_NE] = PO_NE, [OP_LT] = PO_LT, [OP_GT] = PO_GT,
		[OP_LE] = PO_LE, [OP_GE] = PO_GE,
	};

	return compare_values(ops[s->op], s->is_signed, l, r);
}

static bool match_run(const struct filter *f, uint32_t at, int pid, int cpu,
		      const struct ev_rec *r, uint64_t ts);

/* False also where the record ends before a field. */
static bool run_steps(const struct filter *f, const struct step *s, int pid, int cpu,
		      const struct ev_rec *r, uint64_t ts)
{
	uint64_t stack[STEPS_DEPTH + 1], *top = stack;	/* top[-1] is the last one */

	for (; s->kind != STEP_END; s++) {
		switch (s->kind) {
		case STEP_NUM:
			*top++ = s->num;
			break;
		case STEP_CPU:
			*top++ = cpu;
			break;
		case STEP_BOOL:
			*top++ = match_run(f, s->off, pid, cpu, r, ts);
			break;
		case STEP_FIELD:
			if (!load_number(r, s->off, s->size, s->is_signed, top++))
				return false;
			break;
		case STEP_ARITH:
			top--;
			top[-1] = compute_arith(s->op, top[-1], top[0]);
			break;
		case STEP_CMP:
			top--;
			top[-1] = step_compare(s, top[-1], top[0]);
			break;
		}
	}
	return stack[0];
}

/* --- predicates */

static bool text_match(const struct pred *p, const struct ev_rec *r)
{
	const uint8_t *text;
	uint32_t len;

	if (!ev_get_bytes(r, p->field, &text, &len))
		return false;
	len = strnlen((const char *)text, len);
	return pattern_match(p->arg, (const char *)text, len) == (p->op == PO_EQ);
}

static bool mask_has(const uint64_t *mask, uint64_t cpu)
{
	return cpu < FILTER_CPU_BITS && mask[cpu / 64] >> cpu % 64 & 1;
}

/* The @i-th 64 bits of a bitmap of longs. */
static uint64_t mask_word(const struct ev_rec *r, const uint8_t *p, uint32_t len, uint32_t size,
			  uint32_t i)
{
	uint64_t v = 0;
	uint32_t at, k;

	for (k = 0; k < 8 / size; k++) {
		at = 8 * i + k * size;
		if (at + size <= len)
			v |= (size == 8 ? get_u64(p + at, r->big) : get_u32(p + at, r->big))
			     << 8 * k * size;
	}
	return v;
}

static bool mask_match(const struct pred *p, const struct ev_rec *r)
{
	const uint64_t *mask = p->arg;
	bool equal = true, common = false;
	const uint8_t *bits;
	uint32_t len;
	uint64_t v;

	if (!ev_get_bytes(r, p->field, &bits, &len))
		return false;
	for (uint32_t i = 0; i < FILTER_CPU_BITS / 64; i++) {
		v = mask_word(r, bits, len, p->size == 8 ? 8 : 4, i);
		equal &= v == mask[i];
		common |= v & mask[i];
	}
	return p->op == PO_AND ? common : equal == (p->op == PO_EQ);
}

static inline bool num_match(const struct pred *p, const struct ev_rec *r)
{
	uint64_t v;

	return load_number(r, p->off, p->size, p->is_signed, &v) &&
	       compare_values(p->op, p->is_signed, v, p->val);
}

/* All but PRED_NUM, which is most of them. */
static __attribute__((noinline)) bool pred_match(const struct filter *f, const struct pred *p,
						 int pid, int cpu, const struct ev_rec *r,
						 uint64_t ts)
{
	uint64_t v;

	switch (p->kind) {
	case PRED_CPU:
		return compare_values(p->op, true, cpu, p->val);
	case PRED_TEXT:
		return text_match(p, r);
	case PRED_PIDS:
		return pid_set_has(p->arg, pid) == (p->op == PO_EQ);
	case PRED_RANGES:
		return load_number(r, p->off, p->size, false, &v) &&
		       ranges_have(p->arg, v, ts) == (p->op == PO_EQ);
	case PRED_IN_MASK:
		return load_number(r, p->off, p->size, p->is_signed, &v) && mask_has(p->arg, v);
	case PRED_CPU_IN_MASK:
		return mask_has(p->arg, cpu);
	case PRED_MASK:
		return mask_match(p, r);
	case PRED_EXPR:
		return run_steps(f, p->arg, pid, cpu, r, ts);
	}
	return false;
}

/* Runs the program from @at on. */
static bool match_run(const struct filter *f, uint32_t at, int pid, int cpu,
		      const struct ev_rec *r, uint64_t ts)
{
	const struct pred *p;
	bool hit;

	while (at < TO_TRUE) {
		p = &f->preds[at];
		hit = p->kind == PRED_NUM ? num_match(p, r) : pred_match(f, p, pid, cpu, r, ts);
		at = hit ? p->yes : p->no;
	}
	return at == TO_TRUE;
}

static bool filter_wants_cpu(const struct filter *f, int cpu)
{
	return !f->cpus || (cpu >= 0 && mask_has(f->cpus, cpu));
}

bool filter_match(const struct filter *f, uint16_t type, int pid, int cpu, uint64_t ts,
		  const struct ev_rec *r)
{
	if (f->all)
		return true;
	if (ts < f->since || ts > f->until || !filter_wants_cpu(f, cpu))
		return false;
	if ((f->pids && !pid_set_has(f->pids, pid)) || (f->comms && !pid_set_has(f->comms, pid)))
		return false;
	if (f->flags_mask && f->flags_off < r->len && r->data[f->flags_off] & f->flags_mask)
		return false;
	return match_run(f, type < f->nr_types ? f->start[type] : f->unknown, pid, cpu, r, ts);
}
