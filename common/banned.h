/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Functions that do not compile here. The Makefile forces this header into every source with
 * -include, so no file names it. The headers that declare the functions come first: once a name
 * is poisoned, even its declaration is an error.
 *
 * Instead of		use
 * strcpy, strcat	snprintf, or memcpy with a length that was checked
 * strncpy, strncat	the same: they pad or cut silently
 * sprintf, vsprintf	snprintf, vsnprintf
 * strtok		strsep, or a walk over the bytes
 * atoi and family	strtoll with its error checks
 * ctime and family	strftime with localtime_r or gmtime_r
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* macros in some C libraries' checked builds */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy stpcpy strcat strncpy stpncpy strncat
#pragma GCC poison sprintf vsprintf gets tmpnam mktemp
#pragma GCC poison strtok atoi atol atoll atof
#pragma GCC poison asctime ctime gmtime localtime
