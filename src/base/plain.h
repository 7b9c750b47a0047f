/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_PLAIN_H
#define PH_BASE_PLAIN_H

/* Numbers as text, with a decimal point. A program that uses the library may have called setlocale. Then strtod,
 * fprintf and snprintf read and write "0,8" where its user's language does. These are the same functions with the point
 * of the C locale, in this thread alone and only while they work. So nothing that is read or written depends on the
 * locale. The library reads and writes floating-point numbers through these only (tests/program/commands/test_locale.py
 * checks this). */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

double ph_strtod(const char *text, char **end);

int ph_fprintf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int ph_snprintf(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int ph_vsnprintf(char *text, size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

#endif
