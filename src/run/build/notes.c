/* SPDX-License-Identifier: MIT */
#include "run/build/notes.h"

#include "base/plain.h"

#include <stdarg.h>
#include <string.h>

void ph_build_note(struct ph_build_notes *notes, const char *format, ...)
{
    const size_t used = strlen(notes->text);
    va_list arguments;
    va_start(arguments, format);
    ph_vsnprintf(notes->text + used, sizeof notes->text - used, format, arguments);
    va_end(arguments);
}
