/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses addresses of listeners (TCP, Unix sockets, vsock), listens and connects. */
#ifndef FTR_RECORD_NET_NET_ADDRESS_H
#define FTR_RECORD_NET_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

#define NET_PORT "17377"	/* the default port */

struct net_addr {
	union {
		struct sockaddr sa;
		struct sockaddr_storage any;
	};
	socklen_t len;
};

/*
 * Parses "HOST", "HOST:PORT", "[IPV6]:PORT", a path (with a '/'), or "vsock:CID:PORT" with a CID of
 * "any" for all. Returns -1 with @err, code FTR_USAGE if the text is no address.
 */
int net_addr(const char *text, struct net_addr *a, struct ftr_error *err);
/* Returns true if machines other than this one and its guests can reach the address. */
bool net_is_open(const struct net_addr *a);
/* Opens a listening, non-blocking socket. Returns -1 with @err. */
int net_listen(const char *text, const struct net_addr *a, struct ftr_error *err);
/*
 * Connects, and waits for that at most @ms milliseconds. Returns a non-blocking socket, or -1 with
 * errno.
 */
int net_connect(const struct net_addr *a, int ms);
/*
 * Returns a name for the peer of @fd, from the kernel: its address, "uid-N" on a Unix socket, or
 * "vsock-N". It can be used in a file name. The caller frees.
 */
char *net_peer(int fd);
/*
 * Returns a name for all addresses of one machine or user: as net_peer(), but only the first 64
 * bits of IPv6, as the owner of one such address has them all. The caller frees.
 */
char *net_peer_group(int fd);

#endif
