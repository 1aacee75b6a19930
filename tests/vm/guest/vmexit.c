/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* vmexit RC: leave the virtual machine at once, without a sync, which a suspended device would hold for ever. */
#include "guest.h"

#include <sys/io.h>
#include <sys/reboot.h>

int main(int argc, char **argv)
{
	int rc = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;

	if (ioperm(0xf4, 4, 1))
		die("ioperm");
	outb((unsigned char)(32 + (rc & 63)), 0xf4);
	reboot(RB_POWER_OFF);
	return 1;
}
