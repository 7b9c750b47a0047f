/* SPDX-License-Identifier: MIT */
#include "base/plain.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static locale_t c_locale;

static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* Returns the locale to go back to. */
static locale_t enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return uselocale(c_locale);
}

double ph_strtod(const char *text, char **end)
{
    const locale_t before = enter();
    const double number = strtod(text, end);
    uselocale(before);
    return number;
}

int ph_fprintf(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const locale_t before = enter();
    const int length = vfprintf(out, format, arguments);
    uselocale(before);
    va_end(arguments);
    return length;
}

int ph_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    const locale_t before = enter();
    const int length = vsnprintf(text, size, format, arguments);
    uselocale(before);
    return length;
}

int ph_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = ph_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}
