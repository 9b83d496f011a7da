/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps by text: what has one hash is still apart; two drawn secrets give the same answers. */
#include "base/map.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

#define N 500

static char key_room[N][16];

static const char *key(int i)
{
	snprintf(key_room[i], sizeof(key_room[i]), "key %d", i * 7);
	return key_room[i];
}

/* With a second number of 0 every hash is 0. */
static void set_secret(uint64_t a, uint64_t b)
{
	hash_secret[0] = a;
	hash_secret[1] = b;
}

static void holds_all(const char *name)
{
	struct textmap m = {0};
	int i, bad = 0;

	for (i = 0; i < N; i++)
		bad += textmap_put(&m, key(i), strlen(key(i)), key_room[i]) != NULL;
	for (i = 0; i < N; i++)
		bad += textmap_get(&m, key(i), strlen(key(i))) != key_room[i];
	bad += textmap_get(&m, "key 1", 5) != NULL;
	bad += textmap_get(&m, key(1), strlen(key(1)) - 1) != NULL;
	bad += textmap_put(&m, key(3), strlen(key(3)), &m) != key_room[3];
	bad += textmap_get(&m, key(3), strlen(key(3))) != &m;
	TAP_OK(!bad && m.n == N, name);
	textmap_release(&m);
}

static void test_keys(void)
{
	set_secret(1, 0x9e3779b97f4a7c15);
	holds_all("all keys, by one secret");
	set_secret(0x123456789abcdef, 0xfedcba987654321);
	holds_all("all keys, by another");
	set_secret(0, 0);
	holds_all("all keys where all have one hash");
}

static void test_copies(void)
{
	struct textmap m = {0};
	char text[] = "nfs_read";
	const char *one = textmap_copy(&m, text, 8), *two, *other;

	memcpy(text, "xxxxxxxx", 8);
	two = textmap_copy(&m, "nfs_read, not all", 8);
	other = textmap_copy(&m, "", 0);
	TAP_OK(one == two && !strcmp(one, "nfs_read"), "one copy of a text");
	TAP_OK(other != one && !*other && textmap_copy(&m, NULL, 0) == other, "no text is one, too");
	textmap_release(&m);
}

static void test_borrowed(void)
{
	struct textmap m = {0};
	static const char lines[] = "first second";

	textmap_put_borrowed(&m, lines, 5, &m);
	TAP_OK(m.slots && textmap_get(&m, "first", 5) == &m && !textmap_get(&m, "second", 6),
	     "a borrowed key");
	for (size_t i = 0; i < m.cap; i++)
		if (m.slots[i].val)
			TAP_OK(m.slots[i].key == lines, "is not copied");
	textmap_release(&m);
}

static void test_hashes(void)
{
	set_secret(5, 0x9e3779b97f4a7c15);
	TAP_OK(hash_two("ab", 2, "c", 1) != hash_two("a", 1, "bc", 2), "where one text ends counts");
	TAP_OK(hash_bytes("a\0", 2) != hash_bytes("a", 1), "so do zeros at the end");
	TAP_OK(hash_shown("vfs_read") == hash_shown("vfs_read"), "what is shown is always the same");
}

int main(void)
{
	test_keys();
	test_copies();
	test_borrowed();
	test_hashes();
	return tap_done();
}
