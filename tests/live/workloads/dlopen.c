/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dlopen MS FIRST.so SECOND.so: loads each library in turn, burns MS milliseconds
 * in it and unloads it, five rounds. Prints where each was loaded,
 *
 *     base PATH ADDRESS
 *
 * so that the test can see that both were at the same place.
 */
#include "workload.h"

#include <dlfcn.h>

enum { ROUNDS = 5 };

static int run_library(const char *path, uint64_t cpu_ns)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*plug_run)(uint64_t);
	Dl_info info;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return -1;
	}
	*(void **)&plug_run = dlsym(library, "plug_run");
	if (!plug_run || !dladdr(*(void **)&plug_run, &info))
		return -1;
	printf("base %s %p\n", path, info.dli_fbase);
	plug_run(cpu_ns);
	return dlclose(library);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 2; i < 4; i++)
			if (run_library(argv[i], strtoull(argv[1], NULL, 10) * NS_PER_MS))
				return 1;
	return 0;
}
