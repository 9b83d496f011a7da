/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace file before the first event: what a reader needs should the recording be killed. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/io.h"
#include "record/meta_priv.h"
#include "record/spool.h"

int meta_trail(struct meta *m, const struct meta_buffer *bufs, size_t n)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	size_t i;

	m->layouts = xcalloc(n + 1, sizeof(*m->layouts));
	for (i = 0; i < n; i++) {
		if (!ring_layout_parse(&m->layouts[i], m->header_page.data, m->header_page.len,
				       big, sizeof(long), recorder_subbuf_size(bufs[i].rec)))
			continue;
		strv_add(&m->notes,
			 "events are not counted: events/header_page makes no sense");
		return -1;
	}
	m->follow = follow_new(&m->formats);
	for (i = 0; i < n; i++)
		follow_add(m->follow, bufs[i].rec, &m->layouts[i]);
	follow_keep(m->follow, m->keep);
	return 0;
}

/* What a reader of an unfinished file is told. */
static void add_text(struct meta *m)
{
	char *boot = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	struct buf b = {0};

	if (boot)
		meta_note(m, "boot_id", boot);
	meta_key_lines(m, &b);
	if (m->uname)
		buf_printf(&b, "uname=%s\n", m->uname);
	buf_addstr(&b, "");
	m->spool.text = buf_take(&b);
	free(boot);
}

static int write_front(struct meta *m, int fd, const char *path, struct ftr_error *err)
{
	m->fd = fd;
	m->w = dat_create_packed(fd, path, m->spool.bufs[0].subbuf_size, &m->packing, err);
	if (!m->w)
		return -1;
	add_text(m);
	if (m->packing.name)
		dat_write_spool(m->w, &m->spool);
	meta_write_headers(m, m->w);
	meta_write_formats(m, m->w);
	/* a stream begins with all that is before it */
	if (!m->packing.name)
		dat_write_spool(m->w, &m->spool);
	return 0;
}

static int lay_out(struct meta *m, const struct meta_buffer *bufs, size_t n, int fd,
		   struct ftr_error *err)
{
	char **clocks = xcalloc(n + 1, sizeof(*clocks)), *text;
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		text = tfs_line(m->t, bufs[i].instance, "trace_clock");
		clocks[i] = meta_clock_name(text ? text : "");
		free(text);
	}
	ret = spool_lay(&m->spool, fd, bufs, n, clocks, m->packing.data, err);
	for (i = 0; i < n; i++)
		free(clocks[i]);
	free(clocks);
	return ret;
}

int meta_spool(struct meta *m, const struct meta_buffer *bufs, size_t n, int fd, const char *path,
	       struct ftr_error *err)
{
	int ret;

	m->joins = dat_can_join(fd);
	ret = n ? lay_out(m, bufs, n, fd, err) : 0;
	if (ret <= 0)
		return ret;
	if (meta_trail(m, bufs, n))
		return err_set(err, FTR_FAILED, "events/header_page makes no sense");
	if (m->packing.data) {
		m->pack = pack_new(&m->packing, m->spool.packed, fd);
		follow_pack(m->follow, m->pack);
	}
	return write_front(m, fd, path, err);
}

void meta_seal(struct meta *m)
{
	const struct recorder_cpu *cpus;
	struct dat_region *at;
	size_t i, k, n;

	meta_see_all(m);
	if (m->packed)
		dat_spool_take_packed(&m->spool);
	for (i = 0; i < m->nr_out && !m->packed; i++) {
		cpus = recorder_cpus(m->out[i].rec, &n);
		for (k = 0; k < n; k++) {
			at = &m->spool.bufs[i].v[k];
			at->limit -= cpus[k].base - at->at;
			at->at = cpus[k].base;
			at->size = cpus[k].size;
		}
	}
	dat_seal(m->w, &m->spool);
}

void meta_keep(struct meta *m, uint64_t bytes)
{
	char *text = xasprintf("%" PRIu64, bytes);

	m->keep = bytes;
	meta_note(m, DAT_KEEP_KEY, text);
	free(text);
}

bool meta_joins(const struct meta *m)
{
	return m->w && m->joins;
}

bool meta_spooled(const struct meta *m)
{
	return m->w;
}
