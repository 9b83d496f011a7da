/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses addresses of listeners (TCP, Unix sockets, vsock), listens and connects. */
#include "record/net/net_address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "base/mem.h"
#include "base/text.h"

static int no_address(const char *text, struct ftr_error *err)
{
	err_set(err, FTR_USAGE, "'%s' is not an address", text);
	return err_hint(err, "HOST:PORT, a path with a '/', or vsock:CID:PORT");
}

/* Parses "CID:PORT". */
static int vsock_addr(const char *text, struct net_addr *a)
{
	struct sockaddr_vm *vm = (void *)&a->any;
	unsigned long cid = VMADDR_CID_ANY, port;
	char *end;

	if (strncmp(text, "any", 3)) {
		cid = strtoul(text, &end, 10);
		if (end == text || cid > UINT32_MAX)
			return -1;
		text = end;
	} else {
		text += 3;
	}
	port = *text == ':' ? strtoul(text + 1, &end, 10) : 0;
	if (*text != ':' || end == text + 1 || *end || port > UINT32_MAX)
		return -1;
	vm->svm_family = AF_VSOCK;
	vm->svm_cid = cid;
	vm->svm_port = port;
	a->len = sizeof(*vm);
	return 0;
}

/*
 * Splits "HOST:PORT", "[HOST]:PORT" and "HOST". An IPv6 address may stand alone. Returns false if
 * there is no ']'. The caller frees both.
 */
static bool split_address(const char *text, char **host, char **port)
{
	const char *colon = strrchr(text, ':'), *end = colon;

	if (*text == '[') {
		end = strchr(++text, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
		colon = end[1] ? end + 1 : NULL;
	} else if (colon && strchr(text, ':') != colon) {
		colon = end = NULL;
	}
	*host = end ? xstrndup(text, end - text) : xstrdup(text);
	*port = xstrdup(colon ? colon + 1 : NET_PORT);
	return true;
}

static int tcp_addr(const char *text, struct net_addr *a, struct ftr_error *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
	char *host, *port;
	int64_t number;
	int ret;

	if (!split_address(text, &host, &port))
		return no_address(text, err);
	if (!*host || text_number(port, 0, 65535, &number)) {
		ret = no_address(text, err);
		goto out;
	}
	ret = getaddrinfo(host, port, &hints, &found);
	if (ret) {
		ret = err_set(err, FTR_FAILED, "cannot resolve '%s': %s", host, gai_strerror(ret));
		goto out;
	}
	memcpy(&a->any, found->ai_addr, found->ai_addrlen);
	a->len = found->ai_addrlen;
	freeaddrinfo(found);
out:
	free(host);
	free(port);
	return ret;
}

int net_addr(const char *text, struct net_addr *a, struct ftr_error *err)
{
	struct sockaddr_un *un = (void *)&a->any;

	memset(a, 0, sizeof(*a));
	if (strchr(text, '/')) {
		if (strlen(text) >= sizeof(un->sun_path))
			return err_set(err, FTR_USAGE, "'%s' is too long for a socket", text);
		un->sun_family = AF_UNIX;
		memcpy(un->sun_path, text, strlen(text));
		a->len = sizeof(*un);
		return 0;
	}
	if (strncmp(text, "vsock:", 6))
		return tcp_addr(text, a, err);
	return vsock_addr(text + 6, a) ? no_address(text, err) : 0;
}

bool net_is_open(const struct net_addr *a)
{
	const struct sockaddr_in *in = (const void *)&a->any;
	const struct sockaddr_in6 *in6 = (const void *)&a->any;

	if (a->sa.sa_family == AF_INET)
		return ntohl(in->sin_addr.s_addr) >> 24 != 127;
	return a->sa.sa_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

static int open_socket(const struct net_addr *a)
{
	return socket(a->sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/*
 * Removes the name of a Unix socket without a listener: the name stays when its listener is killed.
 */
static void remove_stale(const struct net_addr *a)
{
	const struct sockaddr_un *un = (const void *)&a->any;
	struct stat st;
	int fd;

	if (a->sa.sa_family != AF_UNIX || lstat(un->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return;
	fd = net_connect(a, 100);
	if (fd < 0 && errno == ECONNREFUSED)
		unlink(un->sun_path);
	if (fd >= 0)
		close(fd);
}

int net_listen(const char *text, const struct net_addr *a, struct ftr_error *err)
{
	const int one = 1;
	int fd = open_socket(a), ret;
	mode_t mask;

	if (fd < 0)
		goto fail;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	remove_stale(a);
	/* only the owner of a Unix socket may connect */
	mask = umask(0177);
	ret = bind(fd, &a->sa, a->len);
	umask(mask);
	if (!ret && !listen(fd, SOMAXCONN))
		return fd;
fail:
	err_sys(err, "cannot listen at '%s'", text);
	if (fd >= 0)
		close(fd);
	return -1;
}

int net_connect(const struct net_addr *a, int ms)
{
	struct pollfd p = { .fd = open_socket(a), .events = POLLOUT };
	socklen_t len = sizeof(int);
	int sys = 0;

	if (p.fd < 0)
		return -1;
	if (!connect(p.fd, &a->sa, a->len))
		return p.fd;
	if (errno != EINPROGRESS)
		sys = errno;
	else if (poll(&p, 1, ms) <= 0)
		sys = ETIMEDOUT;
	else if (getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &sys, &len))
		sys = errno;
	if (!sys)
		return p.fd;
	close(p.fd);
	errno = sys;
	return -1;
}

static char *format_host(const struct net_addr *a)
{
	char host[64];

	if (getnameinfo(&a->sa, a->len, host, sizeof(host), NULL, 0, NI_NUMERICHOST))
		return xstrdup("unknown");
	/* remove the scope of a link-local address */
	host[strcspn(host, "%/")] = '\0';
	return xstrdup(host);
}

char *net_peer(int fd)
{
	struct net_addr a = { .len = sizeof(a.any) };
	const struct sockaddr_vm *vm = (const void *)&a.any;
	struct ucred who = {0};
	socklen_t len = sizeof(who);

	if (getpeername(fd, &a.sa, &a.len))
		return xstrdup("unknown");
	if (a.sa.sa_family == AF_VSOCK)
		return xasprintf("vsock-%u", vm->svm_cid);
	if (a.sa.sa_family == AF_UNIX)
		return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) ? xstrdup("unix") :
		       xasprintf("uid-%u", who.uid);
	return format_host(&a);
}

char *net_peer_group(int fd)
{
	struct net_addr a = { .len = sizeof(a.any) };
	struct sockaddr_in6 *in6 = (void *)&a.any;

	if (getpeername(fd, &a.sa, &a.len) || a.sa.sa_family != AF_INET6 ||
	    IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return net_peer(fd);
	memset(in6->sin6_addr.s6_addr + 8, 0, 8);
	return format_host(&a);
}
