/* SPDX-License-Identifier: MIT */
/* polhode version: the version, the build, and how to cite the program. */
#include "cli/cli.h"

#include "run/version.h"

#include <argp.h>
#include <string.h>

struct words {
    bool cite;
};

static const struct argp_option options[] = {
    {"cite", KEEP_FLAG(cite), NULL, 0, "Print an entry for BibTeX and a sentence for a paper", 0},
    {0},
};

/* The text between entries is no entry: BibTeX reads the whole output as a file. POLHODE_RELEASED is the date of
 * CITATION.cff, as in 2026-11-19. */
static void print_citation(void)
{
    const char *version = ph_version(), *revision = strchr(version, '(');
    const int number = (int)strcspn(version, " "), length = revision ? (int)strcspn(revision + 1, ")") : 0;
    printf("@software{polhode,\n"
           "  author  = {{The Polhode authors}},\n"
           "  title   = {Polhode: molecular dynamics of rigid molecules},\n"
           "  version = {%.*s},\n",
           number, version);
    if (revision)
        printf("  note    = {Revision %.*s},\n", length, revision + 1);
    printf("  date    = {%s},\n  year    = {%.4s}\n}\n\n", POLHODE_RELEASED, POLHODE_RELEASED);
    printf("Simulations were run with Polhode %.*s", number, version);
    if (revision)
        printf(" (revision %.*s)", length, revision + 1);
    printf(" \\cite{polhode}.\n\nPlease cite the papers of your methods and models, too: 'polhode list schemes' and "
           "'polhode list models' name them.\n");
}

int ph_cmd_version(int argc, char **argv)
{
    static const struct argp argp = {.options = options, .doc = "Prints the version, and how the program was built."};
    struct words words = {.cite = false};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    if (words.cite)
        print_citation();
    else
        printf("polhode %s\n%s\n", ph_version(), ph_build_description());
    return PH_OK;
}
