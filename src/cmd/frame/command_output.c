/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output file of a command. */
#include "cmd/frame/command_output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

static const char *part_path;		/* the temporary name, which a fatal signal removes */

static void unlink_part(int sig)
{
	if (part_path)
		unlink(part_path);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void unlink_on_signal(const char *path)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction act = { .sa_handler = path ? unlink_part : SIG_DFL }, was;

	part_path = path;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
}

static int open_file(struct command_output *o, const char *path, struct ftr_error *err)
{
	mode_t mask;
	if (place_open(&o->at, path, err))
		return -1;
	o->beside = true;
	o->replaces = !fstatat(o->at.dir, o->at.name, &o->old, AT_SYMLINK_NOFOLLOW) &&
		      S_ISREG(o->old.st_mode);
	if (outfile_open_at(&o->file, &o->at, o->replaces ? &o->old : NULL, err)) {
		place_release(&o->at);
		o->beside = false;
		return -1;
	}
	/* the mode of the user's other files: not secret, as that of recordings */
	mask = umask(0);
	umask(mask);
	fchmod(o->file.fd, 0666 & ~mask);
	o->fd = o->file.fd;
	unlink_on_signal(o->file.part_path);
	return 0;
}

int output_open(struct command_output *o, const char *path, struct ftr_error *err)
{
	struct stat st;

	*o = (struct command_output){ .fd = STDOUT_FILENO };
	if (!path || !strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return 0;
	if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return open_file(o, path, err);
	o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return o->fd < 0 ? err_sys(err, "cannot write to '%s'", path) : 0;
}

int output_commit(struct command_output *o, struct ftr_error *err)
{
	int ret;

	if (!o->beside)
		return 0;
	ret = o->replaces ? outfile_replace(&o->file, &o->old, false, err)
			  : outfile_commit(&o->file, err);
	if (!ret)
		unlink_on_signal(NULL);
	return ret;
}

void output_release(struct command_output *o)
{
	if (o->beside) {
		outfile_release(&o->file);
		place_release(&o->at);
		unlink_on_signal(NULL);
	} else if (o->fd > STDERR_FILENO) {
		close(o->fd);
	}
	*o = (struct command_output){ .fd = -1 };
}

int output_write(const struct buf *b, const char *path, struct ftr_error *err)
{
	struct command_output o;
	int ret = output_open(&o, path, err);

	if (ret)
		return err_hint(err, "it can be written elsewhere, as to '/tmp/%s'",
				place_base(path));
	if (o.fd == STDOUT_FILENO) {
		fwrite(b->data, 1, b->len, stdout);
		return 0;
	}
	ret = io_write_all(o.fd, b->data, b->len) ? err_write(err, "cannot write '%s'", path)
						  : output_commit(&o, err);
	output_release(&o);
	return ret;
}
