/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The digits of numbers of two and three digits. */
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

#define TENS(hundred)                                                                              \
	ONES(hundred "0") ONES(hundred "1") ONES(hundred "2") ONES(hundred "3") ONES(hundred "4")  \
	ONES(hundred "5") ONES(hundred "6") ONES(hundred "7") ONES(hundred "8") ONES(hundred "9")
#define ONES(ten)                                                                                  \
	ten "0 " ten "1 " ten "2 " ten "3 " ten "4 " ten "5 " ten "6 " ten "7 " ten "8 " ten "9 "

const char poke_triples[4000] NONSTRING =
	TENS("0") TENS("1") TENS("2") TENS("3") TENS("4")
	TENS("5") TENS("6") TENS("7") TENS("8") TENS("9");

const char poke_blanks_64[64] NONSTRING =
	"                                                                ";
