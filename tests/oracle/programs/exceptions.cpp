/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A program for the oracle: recursion, exceptions thrown through many frames, timer signal handlers, endlessly. */
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <vector>

static volatile sig_atomic_t ticks;

static int deep(int n, std::vector<std::string> &names)
{
	if (n == 0)
		throw std::runtime_error(names.back());
	names.push_back(std::to_string(n));
	int found = deep(n - 1, names) + 1;
	names.pop_back();
	return found;
}

struct shape {
	virtual ~shape() = default;
	virtual double area(int n) const = 0;
};

struct square : shape {
	double area(int n) const override
	{
		return n < 2 ? 1.0 : area(n - 1) * 1.0001 + n;
	}
};

static void on_timer(int)
{
	char text[64];

	ticks = ticks + 1;
	for (int i = 0; i < 200; i++)
		snprintf(text, sizeof(text), "%d %f", i, i * 1.5);
}

int main()
{
	struct itimerval often = {{0, 500}, {0, 500}};
	std::map<std::string, int> counts;
	square shape;

	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &often, nullptr);
	for (;;) {
		std::vector<std::string> names{"first"};
		try {
			deep(20, names);
		} catch (const std::exception &error) {
			counts[error.what()]++;
		}
		counts["area"] += static_cast<int>(shape.area(100));
		if (counts.size() > 1000)
			counts.clear();
	}
}
