/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * stopwatch | stopwatch NAME SECONDS COMMAND ARGS...
 *
 * Without arguments it prints CLOCK_MONOTONIC in ns. Else it runs the command, sends it SIGINT
 * after SECONDS (0 = never), and appends to /out/times
 *
 *     time NAME RC BEGIN-NS END-NS STOP-NS CPU-NS
 *
 * where STOP-NS is the time from the signal to the exit, 0 if it was not sent, and CPU-NS
 * the CPU time used by the command and the children that it waited for. RC is 128 + signal
 * for a killed command.
 */
#include "guest.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static uint64_t interrupt_after(pid_t child, uint64_t delay_ns)
{
	struct timespec delay = {(time_t)(delay_ns / 1000000000u), (long)(delay_ns % 1000000000u)};

	nanosleep(&delay, NULL);
	kill(child, SIGINT);
	return now_ns();
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static void append(const char *line)
{
	int fd = open("/out/times", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		die("/out/times");
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t begin = now_ns(), signalled = 0, end;
	struct rusage usage;
	char line[256];
	int status, rc;
	pid_t child;

	if (argc < 4) {
		printf("%llu\n", (unsigned long long)begin);
		return argc > 1 ? 2 : 0;
	}
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		execvp(argv[3], argv + 3);
		die(argv[3]);
	}
	if (strtod(argv[2], NULL) > 0)
		signalled = interrupt_after(child, (uint64_t)(strtod(argv[2], NULL) * 1e9));
	if (wait4(child, &status, 0, &usage) != child)
		die("wait4");
	end = now_ns();
	rc = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	snprintf(line, sizeof(line), "time %s %d %llu %llu %llu %llu\n", argv[1], rc, (unsigned long long)begin,
		 (unsigned long long)end, (unsigned long long)(signalled ? end - signalled : 0),
		 (unsigned long long)(timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime)));
	append(line);
	return rc;
}
