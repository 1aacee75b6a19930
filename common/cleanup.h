/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Scope guards: a variable declared with one of these is released when it leaves its scope. To
 * return the value or pass it on, use steal_ptr() or steal_fd(), which disarm the guard.
 */
#ifndef RWALKER_COMMON_CLEANUP_H
#define RWALKER_COMMON_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)

static inline void cleanup_free(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void cleanup_fclose(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

static inline void *steal_pointer(void *pointer_to_pointer)
{
	void **slot = pointer_to_pointer;
	void *pointer = *slot;

	*slot = NULL;
	return pointer;
}

#define steal_ptr(pointer) ((__typeof__(pointer))steal_pointer(&(pointer)))

static inline int steal_fd(int *slot)
{
	int fd = *slot;

	*slot = -1;
	return fd;
}

#endif
