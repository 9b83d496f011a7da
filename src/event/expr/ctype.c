/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C types: names to sizes and signs, promotion, usual arithmetic conversions. */
#include "event/expr/expr.h"

#include <string.h>

#define LONG 0		/* size in the table for the kernel's long */

static const struct {
	const char *name;
	uint8_t size;
	bool sign;
} typedefs[] = {
	{ "u8", 1, 0 }, { "s8", 1, 1 }, { "__u8", 1, 0 }, { "__s8", 1, 1 }, { "uint8_t", 1, 0 },
	{ "int8_t", 1, 1 }, { "u16", 2, 0 }, { "s16", 2, 1 }, { "__u16", 2, 0 },
	{ "__s16", 2, 1 }, { "uint16_t", 2, 0 }, { "int16_t", 2, 1 }, { "__be16", 2, 0 },
	{ "__le16", 2, 0 }, { "__sum16", 2, 0 }, { "umode_t", 2, 0 }, { "sa_family_t", 2, 0 },
	{ "u32", 4, 0 }, { "s32", 4, 1 }, { "__u32", 4, 0 }, { "__s32", 4, 1 },
	{ "uint32_t", 4, 0 }, { "int32_t", 4, 1 }, { "__be32", 4, 0 }, { "__le32", 4, 0 },
	{ "__wsum", 4, 0 }, { "uint", 4, 0 }, { "gfp_t", 4, 0 }, { "fmode_t", 4, 0 },
	{ "blk_opf_t", 4, 0 }, { "OM_uint32", 4, 0 }, { "__kernel_rwf_t", 4, 1 },
	{ "pid_t", 4, 1 }, { "dev_t", 4, 0 }, { "uid_t", 4, 0 }, { "gid_t", 4, 0 },
	{ "slab_flags_t", 4, 0 }, { "__poll_t", 4, 0 }, { "blk_status_t", 1, 0 },
	{ "vm_fault_t", 4, 0 }, { "key_serial_t", 4, 1 }, { "xfs_extlen_t", 4, 0 },
	{ "xfs_agnumber_t", 4, 0 }, { "xfs_agblock_t", 4, 0 }, { "clockid_t", 4, 1 },
	{ "u64", 8, 0 }, { "s64", 8, 1 }, { "__u64", 8, 0 }, { "__s64", 8, 1 },
	{ "uint64_t", 8, 0 }, { "int64_t", 8, 1 }, { "__be64", 8, 0 }, { "__le64", 8, 0 },
	{ "loff_t", 8, 1 }, { "sector_t", 8, 0 }, { "ktime_t", 8, 1 }, { "dma_addr_t", 8, 0 },
	{ "phys_addr_t", 8, 0 }, { "resource_size_t", 8, 0 }, { "blkcnt_t", 8, 0 },
	{ "xfs_ino_t", 8, 0 }, { "xfs_fsblock_t", 8, 0 }, { "xfs_daddr_t", 8, 1 },
	{ "xfs_off_t", 8, 1 }, { "xfs_filblks_t", 8, 0 }, { "xfs_fileoff_t", 8, 0 },
	{ "time64_t", 8, 1 }, { "size_t", LONG, 0 }, { "ssize_t", LONG, 1 }, { "ulong", LONG, 0 },
	{ "uintptr_t", LONG, 0 }, { "pgoff_t", LONG, 0 }, { "ino_t", LONG, 0 },
	{ "off_t", LONG, 1 }, { "ptrdiff_t", LONG, 1 }, { "time_t", LONG, 1 },
};

/* The parsed words of one type name. */
struct type_words {
	unsigned int longs, n;
	bool is_unsigned, is_signed, is_short, is_char, is_int, is_void, is_bool, is_struct;
	int  alias;		/* index of typedefs, -1 none */
	bool unknown;
	uint8_t tag;
};

struct expr_ctype ctype_int(uint8_t size, bool sign)
{
	return (struct expr_ctype){ .size = size, .sign = sign };
}

struct expr_ctype ctype_pointer(uint8_t long_size, uint8_t esize, bool esign)
{
	return (struct expr_ctype){ .size = long_size, .ptr = 1, .esize = esize, .esign = esign };
}

static bool at_qualifier(const struct expr_lexer *l)
{
	static const char *const names[] = {
		"const", "volatile", "__force", "static", "__user", "__rcu", "register", "__iomem",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (lex_is(l, names[i]))
			return true;
	return false;
}

static bool parse_base_word(struct type_words *w, const struct expr_lexer *l)
{
	if (lex_is(l, "long"))
		w->longs++;
	else if (lex_is(l, "unsigned"))
		w->is_unsigned = true;
	else if (lex_is(l, "signed") || lex_is(l, "__signed__"))
		w->is_signed = true;
	else if (lex_is(l, "short"))
		w->is_short = true;
	else if (lex_is(l, "char"))
		w->is_char = true;
	else if (lex_is(l, "int"))
		w->is_int = true;
	else if (lex_is(l, "void"))
		w->is_void = true;
	else if (lex_is(l, "bool") || lex_is(l, "_Bool"))
		w->is_bool = true;
	else
		return false;
	w->n++;
	return true;
}

/* Parses one word after the qualifiers. Returns false if it can't belong to the type. */
static bool parse_word(struct type_words *w, struct expr_lexer *l)
{
	bool is_enum = lex_is(l, "enum");
	size_t i, n = sizeof(typedefs) / sizeof(*typedefs);

	if (parse_base_word(w, l)) {
		lex_next(l);
		return true;
	}
	if (w->n)
		return false;
	if (is_enum || lex_is(l, "struct") || lex_is(l, "union")) {
		lex_next(l);
		if (l->kind != LEX_NAME)
			return false;
		w->is_struct = !is_enum;
		w->is_int = is_enum;
		w->is_unsigned = is_enum;
		w->tag = is_enum ? CTYPE_NO_TAG :
			 lex_is(l, "drm_rect") ? CTYPE_DRM_RECT :
			 lex_is(l, "page") ? CTYPE_PAGE :
			 lex_is(l, "kvm_mmu_page_role") ? CTYPE_MMU_ROLE : CTYPE_OTHER_TAG;
	} else {
		for (i = 0; i < n && !lex_is(l, typedefs[i].name); i++)
			;
		w->alias = i < n ? (int)i : -1;
		w->unknown = i == n;
	}
	w->n++;
	lex_next(l);
	return true;
}

static struct expr_ctype base_type(const struct type_words *w, uint8_t long_size)
{
	uint8_t size = 4;

	if (w->alias >= 0) {
		size = typedefs[w->alias].size;
		return ctype_int(size == LONG ? long_size : size, typedefs[w->alias].sign);
	}
	if (w->is_void || w->is_struct || w->unknown)
		return (struct expr_ctype){ .named = w->unknown,
				       .tag = w->is_void ? CTYPE_VOID : w->tag };
	if (w->is_bool)
		return (struct expr_ctype){ .size = 1, .is_bool = true };
	if (w->is_char)
		size = 1;
	else if (w->is_short)
		size = 2;
	else if (w->longs)
		size = w->longs > 1 ? 8 : long_size;
	return ctype_int(size, !w->is_unsigned);
}

bool ctype_parse(struct expr_lexer *l, uint8_t long_size, struct expr_ctype *t)
{
	struct type_words w = { .alias = -1 };
	struct expr_lexer saved = *l;
	unsigned int stars = 0;

	while (l->kind == LEX_NAME && !lex_is(l, "REC") && !lex_is(l, "__entry") &&
	       !lex_is(l, "sizeof")) {
		if (at_qualifier(l))
			lex_next(l);
		else if (!parse_word(&w, l))
			break;
	}
	if (!w.n) {
		*l = saved;
		return false;
	}
	*t = base_type(&w, long_size);
	while (lex_is(l, "*") || at_qualifier(l)) {
		stars += lex_is(l, "*");
		lex_next(l);
	}
	if (!stars)
		return true;
	*t = (struct expr_ctype){ .size = long_size, .ptr = stars > 9 ? 9 : stars,
			     .esize = stars > 1 ? long_size : t->size,
			     .esign = stars == 1 && t->sign, .tag = t->tag };
	if (w.unknown)
		t->tag = CTYPE_OTHER_TAG;
	return true;
}

static struct expr_ctype ctype_promote(struct expr_ctype t)
{
	if (t.ptr || t.size >= 4)
		return t;
	return ctype_int(4, true);
}

struct expr_ctype ctype_common(struct expr_ctype a, struct expr_ctype b)
{
	a = ctype_promote(a);
	b = ctype_promote(b);
	if (a.ptr || b.ptr)
		return a.ptr ? a : b;
	if (a.size != b.size)
		return a.size > b.size ? ctype_int(a.size, a.sign) : ctype_int(b.size, b.sign);
	return ctype_int(a.size, a.sign && b.sign);
}

uint64_t ctype_convert(struct expr_ctype t, uint64_t v)
{
	unsigned int unused;

	if (t.is_bool)
		return v != 0;
	if (!t.size || t.size >= 8)
		return v;
	unused = 64 - 8 * t.size;
	return t.sign ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}
