/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* case_mount FILE: a backup and a report write to one file, on a file system that hangs. */
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) int save_block(int file)
{
	char block[4096];

	memset(block, 'b', sizeof(block));
	return write(file, block, sizeof(block)) < 0;
}

static __attribute__((noinline)) int back_up(const char *path)
{
	int file = open(path, O_WRONLY | O_APPEND);

	return file < 0 || save_block(file);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"backup", "nightly_report"};

	if (argc != 2)
		return 2;
	for (int i = 0; i < 2; i++) {
		if (fork())
			continue;
		prctl(PR_SET_NAME, names[i]);
		_exit(back_up(argv[1]));
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
