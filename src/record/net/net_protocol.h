/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between ftr record and ftr listen, for a recording over connections that may be
 * lost.
 */
#ifndef FTR_RECORD_NET_NET_PROTOCOL_H
#define FTR_RECORD_NET_NET_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers are big-endian. The sender connects and sends
 *
 *	"ftr-send"
 *	u16 version		1
 *	u16 kind		1: a recording. Others are left for guests: commands for an agent,
 *				rounds that compare clocks
 *	u32 0
 *	u8 id[16]		random, of the recording: the same when it connects again
 *
 * The listener answers
 *
 *	"ftr-recv"
 *	u16 version		1
 *	u16 answer		enum wire_answer
 *	u32 0
 *	u64 have		bytes of this recording that are there
 *
 * Unless that is a refusal, the sender then sends the stream (file/write/dat_write.h) from that
 * byte on, in frames of
 *
 *	u16 frame		enum wire_frame
 *	u16 0
 *	u32 len			bytes that follow; of DATA 1 to WIRE_DATA_MAX, else 0
 *
 * After END, when all data is on its disk, the listener sends the answer WIRE_ALL. It may send a
 * refusal at any time.
 */
enum {
	WIRE_VERSION = 1,
	WIRE_KIND = 1,
	WIRE_ID = 16,
	WIRE_HELLO_BYTES = 32,
	WIRE_ANSWER_BYTES = 24,
	WIRE_FRAME_BYTES = 8,
	WIRE_DATA_MAX = 1 << 20,
};

enum wire_answer {
	WIRE_GO_ON,			/* send from ->have on */
	WIRE_ALL,			/* everything was received */
	WIRE_BUSY,			/* try again later */
	/* do not try again */
	WIRE_TOO_LARGE, WIRE_NO_ROOM, WIRE_UNKNOWN,
	WIRE_ANSWERS
};

enum wire_frame { WIRE_DATA = 1, WIRE_END, WIRE_IDLE };

void wire_encode_hello(uint8_t *to, const uint8_t *id);
void wire_encode_answer(uint8_t *to, enum wire_answer answer, uint64_t have);
void wire_encode_frame(uint8_t *to, enum wire_frame frame, uint32_t len);
/* Parses an answer. Returns false if it is none. */
bool wire_get_answer(const uint8_t *from, enum wire_answer *answer, uint64_t *have);
/* Returns a text for messages. */
const char *wire_answer_text(enum wire_answer answer);

/* The listener's side of a connection. It starts zeroed. */
struct wire_reader {
	uint8_t  head[WIRE_HELLO_BYTES];
	size_t   got;			/* bytes of ->head */
	uint32_t left;			/* bytes of the DATA frame not yet received */
	bool     greeted;
	uint8_t  id[WIRE_ID];
};

enum wire_event {
	WIRE_GOT_PART,			/* all bytes were read, and nothing is complete */
	WIRE_GOT_HELLO,		/* ->id is known */
	WIRE_GOT_DATA,			/* a part of the data in *data, *len; borrowed */
	WIRE_GOT_END,
	WIRE_GOT_UNKNOWN,		/* the version or the kind is unknown */
	WIRE_GOT_INVALID,
};

/* Parses the *n bytes at *p and moves *p after the bytes that it has read. */
enum wire_event wire_read(struct wire_reader *r, const uint8_t **p, size_t *n,
			  const uint8_t **data, size_t *len);

#endif
