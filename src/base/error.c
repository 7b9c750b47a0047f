/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include "base/plain.h"

#include <stdarg.h>
#include <stdio.h>

enum ph_status ph_error_set(struct ph_error *err, enum ph_status status, const char *format, ...)
{
    if (err) {
        err->status = status;
        va_list arguments;
        va_start(arguments, format);
        ph_vsnprintf(err->text, sizeof err->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

enum ph_status ph_no_memory(struct ph_error *err, const char *format, ...)
{
    char text[sizeof err->text - sizeof "No memory for ."];
    va_list arguments;
    va_start(arguments, format);
    ph_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ph_error_set(err, PH_ERR_MEMORY, "No memory for %s.", text);
}
