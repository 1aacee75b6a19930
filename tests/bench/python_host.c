/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* `python_host LIBPYTHON ARGUMENT...`: runs Python from a shared library, which Debian's own python3 does not use. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	int (*run)(int count, char **arguments);

	*(void **)&run = library ? dlsym(library, "Py_BytesMain") : NULL;
	if (!run) {
		fprintf(stderr, "python_host: %s\n", argc > 1 ? dlerror() : "no library given");
		return 1;
	}
	return run(argc - 1, argv + 1);
}
