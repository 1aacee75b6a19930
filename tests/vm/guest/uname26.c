/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* uname26 COMMAND ARGS... : runs the command with a uname(2) that says 2.6.x, as an old kernel would. */
#include "guest.h"

#include <sys/personality.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (personality(UNAME26) < 0)
		die("personality");
	execvp(argv[1], argv + 1);
	die(argv[1]);
}
