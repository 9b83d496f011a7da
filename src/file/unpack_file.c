/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks whole files that gzip, xz or zstd made. */
#include "file/unpack_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef WITHOUT_LZMA
#include <lzma.h>
#endif
#include <zlib.h>
#ifndef WITHOUT_ZSTD
#include <zstd.h>
#endif

#include "base/io.h"
#include "base/mem.h"

#define CHUNK (256u << 10)
#define XZ_MEMORY_MAX (256u << 20)	/* xz -9 needs 65 MiB */
#define ZSTD_WINDOW_LOG_MAX 27		/* zstd --long; its default is 23 at most */

/* One step: ->in is consumed, ->out filled. */
struct unpack_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;			/* room, then what is left of it */
};

enum unpack_result { UNPACK_MORE, UNPACK_ENDED, UNPACK_BAD };

struct unpack_method {
	const char *program;
	uint8_t magic[UNPACK_HEAD];
	size_t  magic_len;
	void *(*start)(void);		/* returns NULL if there is no memory */
	/* UNPACK_ENDED: a member of the file has ended, another one may follow */
	enum unpack_result (*step)(void *state, struct unpack_io *io);
	void (*end)(void *state);
};

/* --- gzip */

static void *start_gzip(void)
{
	z_stream *z = xcalloc(1, sizeof(*z));

	if (inflateInit2(z, 16 + MAX_WBITS) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static enum unpack_result step_gzip(void *state, struct unpack_io *io)
{
	z_stream *z = state;
	int ret;

	z->next_in = (Bytef *)io->in;
	z->avail_in = io->in_len;
	z->next_out = io->out;
	z->avail_out = io->out_len;
	ret = inflate(z, Z_NO_FLUSH);
	io->in += io->in_len - z->avail_in;
	io->in_len = z->avail_in;
	io->out += io->out_len - z->avail_out;
	io->out_len = z->avail_out;
	if (ret == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? UNPACK_ENDED : UNPACK_BAD;
	return ret == Z_OK || ret == Z_BUF_ERROR ? UNPACK_MORE : UNPACK_BAD;
}

static void end_gzip(void *state)
{
	inflateEnd(state);
	free(state);
}

/* --- xz */

#ifndef WITHOUT_LZMA
static void *start_xz(void)
{
	lzma_stream *x = xcalloc(1, sizeof(*x));

	*x = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(x, XZ_MEMORY_MAX, 0) == LZMA_OK)
		return x;
	free(x);
	return NULL;
}

static enum unpack_result step_xz(void *state, struct unpack_io *io)
{
	lzma_stream *x = state;
	lzma_ret ret;

	x->next_in = io->in;
	x->avail_in = io->in_len;
	x->next_out = io->out;
	x->avail_out = io->out_len;
	ret = lzma_code(x, LZMA_RUN);
	io->in = x->next_in;
	io->in_len = x->avail_in;
	io->out = x->next_out;
	io->out_len = x->avail_out;
	if (ret == LZMA_STREAM_END)
		return lzma_stream_decoder(x, XZ_MEMORY_MAX, 0) == LZMA_OK ? UNPACK_ENDED
									   : UNPACK_BAD;
	return ret == LZMA_OK || ret == LZMA_BUF_ERROR ? UNPACK_MORE : UNPACK_BAD;
}

static void end_xz(void *state)
{
	lzma_end(state);
	free(state);
}
#endif

/* --- zstd */

#ifndef WITHOUT_ZSTD
static void *start_zstd(void)
{
	ZSTD_DStream *z = ZSTD_createDStream();

	if (z)
		ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
	return z;
}

static enum unpack_result step_zstd(void *state, struct unpack_io *io)
{
	ZSTD_inBuffer in = { io->in, io->in_len, 0 };
	ZSTD_outBuffer out = { io->out, io->out_len, 0 };
	size_t ret = ZSTD_decompressStream(state, &out, &in);

	io->in += in.pos;
	io->in_len -= in.pos;
	io->out += out.pos;
	io->out_len -= out.pos;
	if (ZSTD_isError(ret))
		return UNPACK_BAD;
	return ret ? UNPACK_MORE : UNPACK_ENDED;
}

static void end_zstd(void *state)
{
	ZSTD_freeDStream(state);
}
#endif

/* --- */

static const struct unpack_method methods[] = {
	{ "gzip", { 0x1f, 0x8b, 8 }, 3, start_gzip, step_gzip, end_gzip },
#ifndef WITHOUT_LZMA
	{ "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, start_xz, step_xz, end_xz },
#endif
#ifndef WITHOUT_ZSTD
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, start_zstd, step_zstd, end_zstd },
#endif
};

static const struct unpack_method *find_method(const void *head, size_t len)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (len >= methods[i].magic_len &&
		    !memcmp(head, methods[i].magic, methods[i].magic_len))
			return &methods[i];
	return NULL;
}

const char *unpack_program(const void *head, size_t len)
{
	const struct unpack_method *m = find_method(head, len);

	return m ? m->program : NULL;
}

struct unpack_state {
	const struct unpack_method *method;
	const char *path;
	void   *state;
	int     from, to;
	uint64_t at;			/* bytes read */
	uint64_t room;			/* bytes that may still be written */
	enum unpack_result last;	/* result of the last step */
	bool    at_end;			/* the rest of the file is no other member, but padding */
	uint8_t *in, *out;
};

static int write_out(struct unpack_state *u, size_t n, struct ftr_error *err)
{
	if (n > u->room) {
		err_set(err, FTR_FAILED, "'%s' unpacks to more than %d times its size, or to more "
			"than %d GiB", u->path, UNPACK_RATIO, (int)(UNPACK_MOST >> 30));
		return err_hint(err, "if it is a trace: unpack it with %s first",
				u->method->program);
	}
	u->room -= n;
	if (io_write_all(u->to, u->out, n))
		return err_write(err, "cannot write to a file in '%s'", io_tmpdir());
	return 0;
}

/* Unpacks ->in_len bytes. Returns 0; 1 if they are damaged; -1 with @err. */
static int unpack_chunk(struct unpack_state *u, struct unpack_io *io, struct ftr_error *err)
{
	enum unpack_result before;

	do {
		before = u->last;
		io->out = u->out;
		io->out_len = CHUNK;
		u->last = u->method->step(u->state, io);
		if (write_out(u, CHUNK - io->out_len, err))
			return -1;
		/* gzip and xz, too, take bytes after a member that begin no other one */
		u->at_end = u->last == UNPACK_BAD && before == UNPACK_ENDED;
		if (u->last == UNPACK_BAD)
			return !u->at_end;
	} while (io->in_len || !io->out_len);
	return 0;
}

/* Returns 0, 1 if the data is damaged or cut, or -1 with @err. */
static int unpack_all(struct unpack_state *u, struct ftr_error *err)
{
	struct unpack_io io;
	ssize_t n;
	int ret;

	while (!u->at_end) {
		n = pread(u->from, u->in, CHUNK, u->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "cannot read '%s'", u->path);
		if (!n)
			return u->last != UNPACK_ENDED;
		u->at += n;
		io = (struct unpack_io){ .in = u->in, .in_len = n };
		ret = unpack_chunk(u, &io, err);
		if (ret)
			return ret;
	}
	return 0;
}

static uint64_t unpacked_limit(uint64_t packed)
{
	uint64_t most = packed > UNPACK_MOST / UNPACK_RATIO ? UNPACK_MOST : packed * UNPACK_RATIO;

	return most < UNPACK_LEAST ? UNPACK_LEAST : most;
}

int unpack_file(int fd, const char *path, bool *cut, struct ftr_error *err)
{
	struct unpack_state u = { .path = path, .from = fd, .to = -1 };
	uint8_t head[UNPACK_HEAD];
	struct stat st;
	int ret;

	*cut = false;
	if (fstat(fd, &st) || pread(fd, head, sizeof(head), 0) != sizeof(head))
		return err_sys(err, "cannot read '%s'", path);
	u.method = find_method(head, sizeof(head));
	if (!u.method)
		return err_set(err, FTR_FAILED, "'%s' is not compressed", path);
	u.room = unpacked_limit(st.st_size);
	u.to = io_unnamed();
	if (u.to < 0)
		return err_sys(err, "cannot make a file in '%s'", io_tmpdir());
	u.state = u.method->start();
	if (!u.state) {
		close(u.to);
		return err_set(err, FTR_FAILED, "no memory to unpack '%s'", path);
	}
	u.in = xmalloc(CHUNK);
	u.out = xmalloc(CHUNK);
	ret = unpack_all(&u, err);
	u.method->end(u.state);
	free(u.in);
	free(u.out);
	*cut = ret > 0;
	if (ret >= 0)
		return u.to;
	close(u.to);
	return -1;
}
