/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends a recording while it is made: to a pipe, to a listener. */
#ifndef FTR_RECORD_SEND_H
#define FTR_RECORD_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * What is to be sent is a list of bytes in memory and ranges of a file, one behind the other. It is
 * read when its turn comes, so that the list is short however far the other side is behind.
 */
struct send;

/*
 * To standard output, which becomes a copy of standard error for everybody else. What was taken is
 * punched out of the file behind @file_fd. NULL with @err.
 */
struct send *send_to_stdout(int file_fd, struct ftr_error *err);
/*
 * To a listener, record/wire.h. A connection that is lost is made anew, also the first: that there
 * is none yet is no error. All stays in the file, so that any of it can be sent again. NULL with
 * @err: @address is none.
 */
struct send *send_to_listener(int file_fd, const char *address, struct ftr_error *err);
/* Takes the bytes of @b; it is empty then. */
void send_mem(struct send *s, struct buf *b);
void send_range(struct send *s, uint64_t off, uint64_t len);
/* That was all. */
void send_end(struct send *s);
/* Bytes that were given so far, and those of them that are not on their way yet. */
uint64_t send_given(const struct send *s);
uint64_t send_waiting(const struct send *s);
/* Sends as much as can be without waiting, but waits for the other side up to @ms. */
void send_some(struct send *s, int ms);
/* After send_end(): the other side has all. */
bool send_done(const struct send *s);
/* Milliseconds since it got on. */
uint64_t send_stuck_ms(const struct send *s);
/* Nobody takes anything any more; any thread may ask. */
bool send_failed(const struct send *s);
/* Why it failed, or is stuck. */
const struct ftr_error *send_error(const struct send *s);
void send_free(struct send *s);

#endif
