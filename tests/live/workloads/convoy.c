/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * convoy N FIFO: two terminals, each read by N processes, one after the other, with the terminal's mutex: cv-0 reads,
 * and holds the mutex meanwhile, cv-1 to cv-(N-1) queue for it in this order. Whoever got a line pauses. The second
 * terminal's readers are kp-0 and so on. Prints "asleep" when all of them sleep. Then types a line on the first
 * terminal, never on the second, for each byte from the FIFO, and prints "read I" when cv-I has got it.
 */
#define _GNU_SOURCE
#include "sleeping.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

static int told[2];

static void reader(int terminal, const char *kind, int number)
{
	char name[16], line[16];

	snprintf(name, sizeof(name), "%s-%d", kind, number);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	must(read(terminal, line, sizeof(line)) > 0, "read");
	must(write(told[1], &number, sizeof(number)) == sizeof(number), "write");
	for (;;)
		pause();
}

/* Returns the end at which to type. */
static int queue_up(const char *kind, int readers)
{
	int keyboard = posix_openpt(O_RDWR | O_NOCTTY), terminal;

	must(keyboard >= 0 && !grantpt(keyboard) && !unlockpt(keyboard), "posix_openpt");
	terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
	must(terminal >= 0, "ptsname");
	for (int i = 0; i < readers; i++) {
		pid_t pid = fork();

		must(pid >= 0, "fork");
		if (!pid)
			reader(terminal, kind, i);
		do
			rest_us(1000);
		while (state_of(pid) != 'S');
	}
	return keyboard;
}

int main(int argc, char **argv)
{
	int readers = argc > 2 ? atoi(argv[1]) : 0, keys = readers ? open(argv[2], O_RDWR) : -1, keyboard, who;
	char byte;

	must(keys >= 0 && !pipe(told), "convoy N FIFO");
	keyboard = queue_up("cv", readers);
	queue_up("kp", readers);
	puts("asleep");
	fflush(stdout);
	while (read(keys, &byte, 1) == 1) {
		must(write(keyboard, "x\n", 2) == 2, "write");
		must(read(told[0], &who, sizeof(who)) == sizeof(who), "read");
		printf("read %d\n", who);
		fflush(stdout);
	}
	return 0;
}
