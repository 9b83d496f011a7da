/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard input as a trace file: mapped where it is a file, else kept in one without a name. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/read/dat_priv.h"

#define PIECE (256u << 10)

/* A file whose first byte is the next one to be read. */
static bool can_map(const struct stat *st)
{
	return S_ISREG(st->st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
}

/* The other side of a pipe may have made it non-blocking for its own sake. */
static ssize_t read_stdin(void *mem, size_t n)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t got;

	while ((got = read(STDIN_FILENO, mem, n)) < 0 && (errno == EINTR || errno == EAGAIN))
		poll(&p, 1, -1);
	return got;
}

static int copy_to(int fd, struct ftr_error *err)
{
	uint8_t *mem = xmalloc(PIECE);
	ssize_t got;
	int ret = 0;

	while (!ret && (got = read_stdin(mem, PIECE))) {
		if (got < 0) {
			ret = err_sys(err, "cannot read standard input");
		} else if (io_write_all(fd, mem, got)) {
			ret = err_sys(err, "cannot keep standard input in '%s'", io_tmpdir());
			err_hint(err, "TMPDIR names another folder");
		}
	}
	free(mem);
	return ret;
}

static int keep_stdin(struct ftr_error *err)
{
	static bool taken;
	int fd;

	if (taken) {
		err_set(err, FTR_USAGE, "standard input was read already");
		err_hint(err, "give '-' once");
		return -1;
	}
	taken = true;
	fd = io_unnamed();
	if (fd < 0) {
		err_sys(err, "cannot create a file in '%s'", io_tmpdir());
		err_hint(err, "standard input is kept there; TMPDIR names another folder");
		return -1;
	}
	if (!copy_to(fd, err))
		return fd;
	close(fd);
	return -1;
}

int dat_input_fd(struct ftr_error *err)
{
	struct stat st;
	int fd;

	if (isatty(STDIN_FILENO)) {
		err_set(err, FTR_USAGE, "'-' is standard input, which is a terminal");
		err_hint(err, "pipe a trace into it: ssh HOST ftr record -o - ... | ftr report -");
		return -1;
	}
	if (fstat(STDIN_FILENO, &st) || !can_map(&st))
		return keep_stdin(err);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd >= 0 ? fd : err_sys(err, "cannot read standard input");
}
