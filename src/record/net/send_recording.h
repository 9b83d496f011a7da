/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends a running recording to a pipe or a listener. */
#ifndef FTR_RECORD_NET_SEND_RECORDING_H
#define FTR_RECORD_NET_SEND_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * A queue of bytes in memory and ranges of a file, sent in order. A range is read only when it is
 * sent, so that the queue needs little memory even if the receiver is slow.
 */
struct send_queue;

/*
 * Sends to standard output; fd 1 becomes a copy of standard error for all other output. Data that
 * was sent is punched out of the file @file_fd. Returns NULL with @err.
 */
struct send_queue *send_to_stdout(int file_fd, struct ftr_error *err);
/*
 * Sends to a listener, see net_protocol.h. It connects again after a lost connection, and retries
 * the first one, so that a listener may be started later. All data stays in the file, so that any
 * part can be sent again. Returns NULL with @err if @address is invalid.
 */
struct send_queue *send_to_listener(int file_fd, const char *address, struct ftr_error *err);
/* Queues the bytes of @b, which is empty afterwards; or a range of the file. */
void send_mem(struct send_queue *s, struct buf *b);
void send_range(struct send_queue *s, uint64_t off, uint64_t len);
/* Ends the queue. */
void send_end(struct send_queue *s);
/* Returns the bytes queued so far; send_waiting() the part of them that is not sent yet. */
uint64_t send_given(const struct send_queue *s);
uint64_t send_waiting(const struct send_queue *s);
/*
 * Sends as much as possible. If the other side is not ready, waits for at most @ms milliseconds
 * each time.
 */
void send_some(struct send_queue *s, int ms);
/* Returns true if the other side has received everything. Call it after send_end(). */
bool send_done(const struct send_queue *s);
/* Returns the milliseconds since the last progress. */
uint64_t send_stuck_ms(const struct send_queue *s);
/* Returns true if the receiver is gone for good. Any thread may call it. */
bool send_failed(const struct send_queue *s);
/* Returns the reason why sending failed or makes no progress. */
const struct ftr_error *send_error(const struct send_queue *s);
void send_free(struct send_queue *s);

#endif
