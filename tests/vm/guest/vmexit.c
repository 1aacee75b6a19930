/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * vmexit RC: leave the virtual machine at once, without a sync, which a suspended device would
 * block forever. vmexit wait: started before the kernel is locked down, it exits on behalf of a
 * vmexit that is later denied the port.
 */
#include "guest.h"

#include <fcntl.h>
#include <sys/io.h>
#include <sys/reboot.h>
#include <sys/stat.h>

enum { PORT = 0xf4 };
static const char fifo[] = "/tmp/vmexit";

static unsigned char wait_for_code(void)
{
	unsigned char code = 0;
	int fd;

	if (mkfifo(fifo, 0600))
		die(fifo);
	fd = open(fifo, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &code, 1) != 1)
		die(fifo);
	return code;
}

static void pass_on(unsigned char code)
{
	int fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || write(fd, &code, 1) != 1)
		die("ioperm, and nobody waits");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	bool waits = argc > 1 && !strcmp(argv[1], "wait");
	unsigned char code = argc > 1 && !waits ? (unsigned char)strtol(argv[1], NULL, 10) : 0;

	if (ioperm(PORT, 4, 1))
		pass_on(code);
	if (waits)
		code = wait_for_code();
	outb((unsigned char)(32 + (code & 63)), PORT);
	reboot(RB_POWER_OFF);
	return 1;
}
