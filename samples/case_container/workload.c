/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* case_container SECONDS: what a container runs: pictures are made smaller, one after the other. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { SIDE = 256 };

static double now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static __attribute__((noinline)) uint32_t blur_row(const uint8_t *row, uint32_t sum)
{
	for (unsigned int x = 1; x + 1 < SIDE; x++)
		sum = sum * 31 + (row[x - 1] + 2U * row[x] + row[x + 1]) / 4;
	return sum;
}

static __attribute__((noinline)) uint32_t scale_picture(const uint8_t *picture)
{
	uint32_t sum = 0;

	for (unsigned int y = 0; y < SIDE; y++)
		sum = blur_row(picture + (size_t)y * SIDE, sum);
	return sum;
}

int main(int argc, char **argv)
{
	static uint8_t picture[SIDE * SIDE];
	volatile uint32_t sum = 0;
	double until;

	if (argc != 2)
		return 2;
	prctl(PR_SET_NAME, "thumbnailer");
	until = now() + atof(argv[1]);
	while (now() < until)
		sum += scale_picture(picture);
	(void)sum;
	return 0;
}
