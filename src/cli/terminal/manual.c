/* SPDX-License-Identifier: MIT */
/* Manual pages, as roff for man(1), of the tables that the help is made of: the commands and their options. */
#include "cli/terminal/manual.h"

#include <argp.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct ph_exit_status ph_exit_statuses[] = {
    {0, "done"},
    {1, "a check failed"},
    {2, "wrong usage or input"},
    {3, "numerical failure"},
    {4, "reading or writing failed"},
    {5, "out of memory"},
    {130, "interrupted"},
    {-1, NULL},
};

static const struct {
    const char *name, *meaning;
} variables[] = {
    {"OMP_NUM_THREADS", "Number of threads, where --threads is not given."},
    {"OMP_WAIT_POLICY, GOMP_SPINCOUNT, KMP_BLOCKTIME",
     "How threads wait for each other. If none is set, they spin while the machine is free, and sleep while other work "
     "needs the processors."},
    {"POLHODE_COMPILER", "The C compiler for formulas of your own: cc if not set. With none they are not compiled."},
    {"POLHODE_POTENTIALS", "A folder of models of your own, which are looked up by name before those installed."},
    {"POLHODE_PYTHON", "The interpreter of reports and of plots of studies; /usr/bin/python3 if not set."},
    {"POLHODE_REPORT, POLHODE_PLOT_STUDY", "Other scripts for them."},
};

/* Writes text with the special characters of roff escaped */
static void put(FILE *out, const char *text, size_t length)
{
    for (size_t k = 0; k < length && text[k]; ++k) {
        if (text[k] == '-')
            fputs("\\-", out);
        else if (text[k] == '\\')
            fputs("\\e", out);
        else if (text[k] == '|')
            fputs("|\\:", out); /* a line may end here */
        else if ((text[k] == '.' || text[k] == '\'') && (k == 0 || text[k - 1] == '\n'))
            fprintf(out, "\\&%c", text[k]);
        else
            fputc(text[k], out);
    }
}

static void put_all(FILE *out, const char *text) { put(out, text, strlen(text)); }

static void put_title(FILE *out, const char *name)
{
    const char *version = ph_version();
    fputs(".TH ", out);
    for (; *name; ++name)
        fputc(toupper((unsigned char)*name), out);
    fprintf(out, " 1 \"\" \"polhode %.*s\" \"Polhode\"\n.nh\n.ad l\n", (int)strcspn(version, " "), version);
}

static void put_statuses(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (const struct ph_exit_status *status = ph_exit_statuses; status->meaning; ++status)
        fprintf(out, ".TP\n%d\n%s\n", status->number, status->meaning);
}

static void put_option(FILE *out, const struct argp_option *option)
{
    fputs(".TP\n", out);
    if (option->key > ' ' && option->key < 127)
        fprintf(out, "\\fB\\-%c\\fR%s", option->key, option->name ? ", " : "");
    if (option->name) {
        fputs("\\fB\\-\\-", out);
        put_all(out, option->name);
        fputs("\\fR", out);
    }
    if (option->arg) {
        fputs("=\\fI", out);
        put_all(out, option->arg);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_all(out, option->doc ? option->doc : "");
    fputc('\n', out);
}

static void put_command(FILE *out, const struct ph_command *command)
{
    static const struct argp_option common = {"help", 'h', NULL, 0, "Show the help, and nothing else", 0};
    const struct argp *argp = ph_cli_tables(command);
    char title[64];
    snprintf(title, sizeof title, "polhode-%s", command->name);
    put_title(out, title);
    fputs(".SH NAME\n", out);
    put_all(out, title);
    fputs(" \\- ", out);
    put_all(out, command->summary);
    fprintf(out, "\n.SH SYNOPSIS\n\\fBpolhode %s\\fR [\\fIOPTION\\fR...] ", command->name);
    put_all(out, argp->args_doc ? argp->args_doc : "");
    fputs("\n.SH DESCRIPTION\n", out);
    const size_t before = argp->doc ? strcspn(argp->doc, "\v") : 0; /* the part that argp shows before the options */
    put(out, argp->doc, before);
    fputs("\n.SH OPTIONS\n", out);
    for (const struct argp_option *option = argp->options; option && ph_cli_is_option(option); ++option)
        put_option(out, option);
    put_option(out, &common);
    const char *after = argp->doc && argp->doc[before] ? argp->doc + before + 1 : "";
    char *filtered = argp->help_filter ? argp->help_filter(ARGP_KEY_HELP_POST_DOC, after, NULL) : NULL;
    if (filtered || after[0]) {
        fputs(filtered ? ".SH NOTES\n.nf\n" : ".SH NOTES\n", out);
        put_all(out, filtered ? filtered : after);
        fputs(filtered ? "\n.fi\n" : "\n", out);
    }
    if (filtered != after)
        free(filtered);
    put_statuses(out);
    fputs(".SH SEE ALSO\n.BR polhode (1)\n", out);
}

static void put_program(FILE *out, size_t n, const struct ph_command *commands)
{
    put_title(out, "polhode");
    fputs(".SH NAME\npolhode \\- molecular dynamics of rigid molecules\n"
          ".SH SYNOPSIS\n\\fBpolhode\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n"
          ".SH DESCRIPTION\nEach command has a page of its own, and tells about itself with \\-\\-help.\n",
          out);
    for (size_t k = 0; k < n; ++k) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", commands[k].name);
        put_all(out, commands[k].summary);
        fputc('\n', out);
    }
    put_statuses(out);
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t k = 0; k < sizeof variables / sizeof *variables; ++k) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", variables[k].name);
        put_all(out, variables[k].meaning);
        fputc('\n', out);
    }
    fputs(".SH SEE ALSO\n", out);
    for (size_t k = 0; k < n; ++k)
        fprintf(out, ".BR polhode\\-%s (1)%s\n", commands[k].name, k + 1 < n ? "," : "");
}

void ph_cli_manual(FILE *out, size_t n, const struct ph_command *commands, const struct ph_command *command)
{
    if (command)
        put_command(out, command);
    else
        put_program(out, n, commands);
}
