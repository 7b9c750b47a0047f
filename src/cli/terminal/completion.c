/* SPDX-License-Identifier: MIT */
/* Completion of words by bash, of the tables of commands, options and keys. One word tells the script the kind of value
 * after an option or a command:
 *   file:ENDING   a file with this ending       names:KIND   what `polhode list KIND` has
 *   file          any file                      words:A B    one of these
 *   folder                                      set          KEY=VALUE of an input */
#include "cli/terminal/manual.h"

#include "input/input.h"

#include <argp.h>
#include <string.h>

/* Kinds of values by their name in the help; `of`: of this command or option alone */
static const struct {
    const char *of, *called, *what;
} meanings[] = {
    {"study", "NAME", "names:studies"},
    {"certify", "NAME", "names:flows schemes integrators"},
    {"flow", "NAME", "names:flows"},
    {"flows", "A,B,...", "names:flows"},
    {"schemes", "A,B,...", "names:schemes"},
    {"input", "FILE", "file:yaml"},
    {"completion", "SHELL", "words:bash"},
    {NULL, "FILE.h5md", "file:h5md"},
    {NULL, "INPUT.yaml", "file:yaml"},
    {NULL, "INPUT.yaml|-", "file:yaml"},
    {NULL, "FILE.h5md|DIR", "file:h5md"},
    {NULL, "FILE.csv", "file:csv"},
    {NULL, "KIND", "names:analyses"},
    {NULL, "FILE", "file"},
    {NULL, "DIR", "folder"},
    {NULL, "KEY=VALUE", "set"},
};

static const char *meaning_of(const char *of, const char *called, size_t length)
{
    for (size_t k = 0; k < sizeof meanings / sizeof *meanings; ++k)
        if ((!meanings[k].of || strcmp(meanings[k].of, of) == 0) && strlen(meanings[k].called) == length &&
            strncmp(meanings[k].called, called, length) == 0)
            return meanings[k].what;
    return NULL;
}

/* A help text that begins with a list, "top, satellite or rotor": its words */
static void put_words(FILE *out, const char *text)
{
    const size_t end = strcspn(text, ".;");
    fputs("words:", out);
    for (const char *at = text; at < text + end; at += strspn(at, ", ")) {
        const size_t length = strcspn(at, ", .;");
        if (!(length == 2 && strncmp(at, "or", 2) == 0))
            fprintf(out, "%s%.*s", at > text ? " " : "", (int)length, at);
        at += length;
    }
}

static void put_formats(FILE *out)
{
    for (size_t k = 0; k < ph_export_format_count; ++k)
        fprintf(out, "%s%s", k > 0 ? " " : "words:", ph_export_formats[k].name);
}

static void put_option_value(FILE *out, const char *command, const struct argp_option *option)
{
    const char *what = meaning_of(option->name, option->arg, strlen(option->arg));
    const bool format = strcmp(option->arg, "FORMAT") == 0;
    const bool list = strcmp(option->arg, "SHELL") == 0 || strcmp(option->arg, "BODY") == 0;
    if (!what && !list && !format)
        return;
    fprintf(out, "    '%s --%s'", command, option->name);
    if (option->key > ' ' && option->key < 127)
        fprintf(out, "|'%s -%c'", command, option->key);
    fputs(") echo '", out);
    if (format)
        put_formats(out);
    else if (list)
        put_words(out, option->doc);
    else
        fputs(what, out);
    fputs("' ;;\n", out);
}

/* "KIND FILE.h5md [FILE.h5md...]": the kind of each word, on a line of its own; the last is for all that follow */
static void put_arguments(FILE *out, size_t n, const struct ph_command *commands, const struct ph_command *command)
{
    const char *doc = ph_cli_tables(command)->args_doc;
    fprintf(out, "    %s) printf '%%s\\n'", command->name);
    for (const char *at = doc; at && *at; at += strspn(at, " ")) {
        const char *begin = at + strspn(at, "[");
        const size_t whole = strcspn(at, " "), length = strcspn(begin, " ]");
        const size_t name = length > 3 && strncmp(begin + length - 3, "...", 3) == 0 ? length - 3 : length;
        const char *what = meaning_of(command->name, begin, name);
        at += whole;
        if (begin[0] == '-') /* an option that is needed, and its value */
            at += strspn(at, " ") + strcspn(at + strspn(at, " "), " ");
        else if (what)
            fprintf(out, " '%s'", what);
        else if (name == strlen("COMMAND") && strncmp(begin, "COMMAND", name) == 0) {
            fputs(" 'words:", out);
            for (size_t k = 0; k < n; ++k)
                fprintf(out, "%s%s", k > 0 ? " " : "", commands[k].name);
            fputs("'", out);
        } else if (memchr(begin, '|', length)) {
            fputs(" 'words:", out);
            for (size_t k = 0; k < length; ++k)
                fputc(begin[k] == '|' ? ' ' : begin[k], out);
            fputs("'", out);
        }
    }
    fputs(" ;;\n", out);
}

/* "system.molecules[].model" is shown for the first of the list. */
static void put_key(FILE *out, const char *path)
{
    for (; *path; ++path)
        fprintf(out, *path == ']' ? "0%c" : "%c", *path);
}

static bool is_assigned(const struct ph_key *key) { return key->type != PH_KEY_MAP && key->type != PH_KEY_LIST; }

static const char *names_of(const char *path)
{
    static const char *const kinds[][2] = {
        {"scheme", "schemes"}, {"flow", "flows"}, {"integrator", "integrators"}, {"model", "models"}};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && dot; ++k)
        if (strcmp(dot + 1, kinds[k][0]) == 0)
            return kinds[k][1];
    return NULL;
}

static void put_keys(FILE *out)
{
    fputs("_polhode_keys='", out);
    for (size_t k = 0; k < ph_input_schema.n; ++k)
        if (is_assigned(&ph_input_schema.key[k])) {
            put_key(out, ph_input_schema.key[k].path);
            fputc('\n', out);
        }
    fputs("'\n_polhode_key_value() { # KEY\n    case $1 in\n", out);
    for (size_t k = 0; k < ph_input_schema.n; ++k) {
        const struct ph_key *key = &ph_input_schema.key[k];
        const char *names = names_of(key->path);
        if (!names && !key->choices && key->type != PH_KEY_FLAG)
            continue;
        fputs("    '", out);
        put_key(out, key->path);
        fputs("') echo '", out);
        if (names)
            fprintf(out, "names:%s", names);
        else
            fputs("words:", out);
        for (const char *c = names ? "" : key->choices ? key->choices : "true|false"; *c; ++c)
            fputc(*c == '|' ? ' ' : *c, out);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n\n", out);
}

static void put_options(FILE *out, size_t n, const struct ph_command *commands)
{
    fputs("_polhode_options() { # COMMAND\n    case $1 in\n", out);
    for (size_t k = 0; k < n; ++k) {
        fprintf(out, "    %s) echo '--help", commands[k].name);
        for (const struct argp_option *o = ph_cli_tables(&commands[k])->options; ph_cli_is_option(o); ++o)
            fprintf(out, " --%s", o->name);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n_polhode_takes() { # COMMAND OPTION: whether a value follows\n    case \"$1 $2\" in\n", out);
    for (size_t k = 0; k < n; ++k)
        for (const struct argp_option *o = ph_cli_tables(&commands[k])->options; ph_cli_is_option(o); ++o)
            if (o->arg) {
                fprintf(out, "    '%s --%s'", commands[k].name, o->name);
                if (o->key > ' ' && o->key < 127)
                    fprintf(out, "|'%s -%c'", commands[k].name, o->key);
                fputs(") return 0 ;;\n", out);
            }
    fputs("    esac\n    return 1\n}\n_polhode_value() { # COMMAND OPTION\n    case \"$1 $2\" in\n", out);
    for (size_t k = 0; k < n; ++k)
        for (const struct argp_option *o = ph_cli_tables(&commands[k])->options; ph_cli_is_option(o); ++o)
            if (o->arg)
                put_option_value(out, commands[k].name, o);
    fputs("    esac\n}\n_polhode_arguments() { # COMMAND\n    case $1 in\n", out);
    for (size_t k = 0; k < n; ++k)
        put_arguments(out, n, commands, &commands[k]);
    fputs("    esac\n}\n", out);
}

static const char beginning[] = "# Completion of polhode's commands, options and values by bash. Made by\n"
                                "# 'polhode help --completion bash'; put it where your bash looks, or source it.\n";

/* Takes words from the line up to the cursor, because bash also breaks words at = and : (COMP_WORDBREAKS). A reply
 * leaves out the part that bash has broken off. */
static const char script[] =
    "_polhode_names() { # KIND...\n"
    "    local kind\n"
    "    for kind; do\n"
    "        \"$program\" list \"$kind\" --json 2>/dev/null | sed -n 's/^ *\"name\": "
    "\"\\([^\"]*\\)\",\\{0,1\\}$/\\1/p'\n"
    "    done\n"
    "}\n"
    "_polhode_reply() { # WHAT WORD: candidates, one a line\n"
    "    local lead\n"
    "    case $1 in\n"
    "    file:*) compgen -f -X \"!*.${1#file:}\" -- \"$2\"; compgen -d -- \"$2\" ;;\n"
    "    file) compgen -f -- \"$2\" ;;\n"
    "    folder) compgen -d -- \"$2\" ;;\n"
    "    words:*) compgen -W \"${1#words:}\" -- \"$2\" ;;\n"
    "    names:*)\n"
    "        lead=${2%\"${2##*,}\"}\n"
    "        compgen -P \"$lead\" -W \"$(_polhode_names ${1#names:})\" -- \"${2##*,}\" ;;\n"
    "    set)\n"
    "        case $2 in\n"
    "        *=*)\n"
    "            lead=$(_polhode_key_value \"${2%%=*}\")\n"
    "            [ -z \"$lead\" ] || _polhode_reply \"$lead\" \"${2#*=}\" | sed \"s|^|${2%%=*}=|\" ;;\n"
    "        *) compgen -S = -W \"$_polhode_keys\" -- \"$2\" ;;\n"
    "        esac ;;\n"
    "    esac\n"
    "}\n"
    "_polhode() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} program=${COMP_WORDS[0]} words word what='' given=0 k cut\n"
    "    read -ra words <<<\"$line\"\n"
    "    case $line in *[[:space:]]) words+=('') ;; esac\n"
    "    local last=$((${#words[@]} - 1)) command=${words[1]}\n"
    "    word=${words[last]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$last\" -eq 1 ]; then\n"
    "        what=\"words:$_polhode_commands --help --version\"\n"
    "    elif _polhode_takes \"$command\" \"${words[last - 1]}\"; then\n"
    "        what=$(_polhode_value \"$command\" \"${words[last - 1]}\")\n"
    "    elif [[ $word == --*=* ]]; then\n"
    "        what=$(_polhode_value \"$command\" \"${word%%=*}\")\n"
    "        word=${word#*=}\n"
    "    elif [[ $word == -* ]]; then\n"
    "        what=\"words:$(_polhode_options \"$command\")\"\n"
    "    else\n"
    "        for ((k = 2; k < last; ++k)); do\n"
    "            if _polhode_takes \"$command\" \"${words[k]}\"; then\n"
    "                k=$((k + 1))\n"
    "            elif [[ ${words[k]} != -* ]]; then\n"
    "                given=$((given + 1))\n"
    "            fi\n"
    "        done\n"
    "        local arguments\n"
    "        mapfile -t arguments < <(_polhode_arguments \"$command\")\n"
    "        [ \"$given\" -lt ${#arguments[@]} ] || given=$((${#arguments[@]} - 1))\n"
    "        [ \"$given\" -lt 0 ] || what=${arguments[given]}\n"
    "    fi\n"
    "    [ -n \"$what\" ] || return 0\n"
    "    mapfile -t COMPREPLY < <(_polhode_reply \"$what\" \"$word\")\n"
    "    case $what in\n"
    "    file*|folder) compopt -o filenames 2>/dev/null ;;\n"
    "    set) compopt -o nospace 2>/dev/null ;;\n"
    "    esac\n"
    "    if [[ $COMP_WORDBREAKS == *=* && $word == *=* ]]; then\n"
    "        cut=${word%\"${word##*=}\"}\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
    "        compopt +o nospace 2>/dev/null\n"
    "    fi\n"
    "    return 0\n"
    "}\n"
    "complete -F _polhode polhode\n";

void ph_cli_completion(FILE *out, size_t n, const struct ph_command *commands)
{
    fputs(beginning, out);
    fputs("_polhode_commands='", out);
    for (size_t k = 0; k < n; ++k)
        fprintf(out, "%s%s", k > 0 ? " " : "", commands[k].name);
    fputs("'\n", out);
    put_options(out, n, commands);
    put_keys(out);
    fputs(script, out);
}
