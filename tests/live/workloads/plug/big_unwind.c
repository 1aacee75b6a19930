/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Burns CPU time for a second, called through three shared objects of big_unwind.S. */
#include <time.h>

void big_huge(void (*callee)(void));
void big_first(void (*callee)(void));
void big_second(void (*callee)(void));

static void step_burn(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC;

	while (clock() < end)
		for (volatile unsigned int i = 0; i < 100000; i++)
			continue;
}

static void step_second(void)
{
	big_second(step_burn);
	__asm__ volatile("");
}

static void step_first(void)
{
	big_first(step_second);
	__asm__ volatile("");
}

int main(void)
{
	big_huge(step_first);
	return 0;
}
