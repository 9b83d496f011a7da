/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of listeners: TCP, Unix sockets, vsock. */
#ifndef FTR_RECORD_NET_H
#define FTR_RECORD_NET_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

#define NET_PORT "17377"	/* unless another is given */

struct net_addr {
	union {
		struct sockaddr sa;
		struct sockaddr_storage any;
	};
	socklen_t len;
};

/*
 * "HOST", "HOST:PORT", "[IPV6]:PORT"; a path, which has a '/'; "vsock:CID:PORT", where CID "any"
 * is all. -1 with @err, code FTR_USAGE when it can't be an address.
 */
int net_addr(const char *text, struct net_addr *a, struct ftr_error *err);
/* Can others than this machine (and its guests) reach it? */
bool net_is_open(const struct net_addr *a);
/* A socket that listens, which does not wait. */
int net_listen(const char *text, const struct net_addr *a, struct ftr_error *err);
/* A connection that does not wait, once it is made, for which it waits at most @ms; -1: errno. */
int net_connect(const struct net_addr *a, int ms);
/*
 * A word for whoever is at the other end of @fd, as the kernel knows it: its address, "uid-N" on a
 * Unix socket, "vsock-N". Fit for the name of a file. The caller frees.
 */
char *net_peer(int fd);
/*
 * A word for all that one machine, or user, may come from: as net_peer(), but of IPv6 the first 64
 * bits, as who has one of such addresses has all. The caller frees.
 */
char *net_peer_group(int fd);

#endif
