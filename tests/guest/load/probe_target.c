/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of ftr probe watch: it passes values that are known to functions of the kernel and
 * of its own. probe_target FILE
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT	4711

struct pair {
	int first;
	int second;
	const char *text;
};

int known_function(int number, const char *text, const struct pair *pair);

__attribute__((noinline, noclone)) int known_function(int number, const char *text,
						       const struct pair *pair)
{
	__asm__ volatile("" ::: "memory");
	return number * 2 + (text[0] == 'k') + pair->second;
}

int main(int argc, char **argv)
{
	static const struct pair pair = { 21, 4242, "inner" };
	static char bytes[COUNT];
	int fd, ret;
	pid_t child;

	fd = openat(AT_FDCWD, argc > 1 ? argv[1] : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ret = fd < 0 || write(fd, bytes, sizeof(bytes)) != sizeof(bytes);
	close(fd);
	fd = openat(AT_FDCWD, "/proc/self/exe", O_RDONLY);
	ret |= mmap(NULL, 0x5000, PROT_READ, MAP_PRIVATE, fd, 0x3000) == MAP_FAILED;
	ret |= known_function(1234, "known text", &pair) != 1234 * 2 + 1 + 4242;
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return ret;
}
