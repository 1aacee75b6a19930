/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * churn_apple, churn_berry and churn_cherry: one program compiled under three names. All three have the same layout, so an address read with
 * the wrong one's symbols shows at once as the wrong fruit.
 *
 *   churn_apple MS [NEXT...]   burn MS milliseconds of CPU in burn_FRUIT, then
 *                              exec NEXT MS, if there is a NEXT (an exec chain)
 *
 * The Makefile defines BURN, the name of the burning function.
 */
#include "workload.h"

BURNER(BURN)

/* argv = { self, MS, NEXT, NEXT2... } becomes { NEXT, MS, NEXT2... }. */
static int exec_next(char **argv)
{
	char *milliseconds = argv[1];

	argv[1] = argv[2];
	argv[2] = milliseconds;
	execv(argv[1], argv + 1);
	return 127;
}

int main(int argc, char **argv)
{
	BURN((uint64_t)atoll(argc > 1 ? argv[1] : "3") * NS_PER_MS);
	return argc > 2 ? exec_next(argv) : 0;
}
