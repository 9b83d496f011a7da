/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The digits of two-digit numbers. */
#include "base/poke.h"

#if defined(__has_attribute) && __has_attribute(nonstring)
#define NONSTRING __attribute__((nonstring))
#else
#define NONSTRING
#endif

const char poke_pairs[200] NONSTRING =
	"0001020304050607080910111213141516171819"
	"2021222324252627282930313233343536373839"
	"4041424344454647484950515253545556575859"
	"6061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";
