/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* renames N: renames itself N times, and forks at every 64th time: the quickest way to fill rings of perf records. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	char name[32]; /* the kernel uses 15 */

	for (long i = 1; i <= count; i++) {
		(void)snprintf(name, sizeof(name), "r%ld", i);
		(void)prctl(PR_SET_NAME, name);
		if (i % 64)
			continue;
		if (fork() == 0)
			_exit(0);
		(void)wait(NULL);
	}
	return 0;
}
