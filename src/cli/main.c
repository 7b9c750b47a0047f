/* SPDX-License-Identifier: MIT */
/* The program: finds the command, runs it, and checks that its output was written. */
#include "cli/terminal/manual.h"
#include "cli/terminal/progress.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int cmd_help(int argc, char **argv);

static const struct ph_command commands[] = {
    {"analyze", "structure, dynamics and conservation from a trajectory, with errors", ph_cmd_analyze, true, false},
    {"bench", "speed of the methods on this machine", ph_cmd_bench, true, true},
    {"certify", "measure what the methods claim", ph_cmd_certify, true, false},
    {"check", "how the program understands an input, and whether its forces are gradients", ph_cmd_check, true, true},
    {"energy", "energies, pressure and forces of a start configuration", ph_cmd_energy, true, true},
    {"export", "a trajectory for other programs", ph_cmd_export, false, false},
    {"flow", "move one free rigid body", ph_cmd_flow, false, false},
    {"help", "on a command", cmd_help, false, false},
    {"info", "the content of a trajectory", ph_cmd_info, false, false},
    {"list", "what there is to choose from, with references", ph_cmd_list, false, false},
    {"model", "make a model of a molecule from files of other programs", ph_cmd_model, false, false},
    {"report", "a page with plots and moving molecules, for any browser", ph_cmd_report, false, false},
    {"resume", "continue a run from its checkpoint", ph_cmd_resume, true, true},
    {"run", "a simulation from an input file", ph_cmd_run, true, true},
    {"study", "repeat an experiment of the literature: data, plot and findings", ph_cmd_study, true, false},
    {"sweep", "one run for each set of parameters, in one table and page", ph_cmd_sweep, true, false},
    {"tune", "the cheapest scheme and step for an input", ph_cmd_tune, true, false},
    {"version", "of this program, how it was built, and how to cite it", ph_cmd_version, false, false},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const char *command_name(size_t i) { return commands[i].name; }

static void print_help(FILE *out)
{
    fputs("polhode: molecular dynamics of rigid molecules\n\nUsage: polhode COMMAND [OPTION...]\n\n", out);
    for (size_t i = 0; i < N_COMMANDS; ++i)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'polhode help COMMAND' tells more. Exit status:\n", out);
    for (const struct ph_exit_status *status = ph_exit_statuses; status->meaning; ++status)
        fprintf(out, "  %-10d %s\n", status->number, status->meaning);
}

/* Runs at every exit, also from inside argp's --help: output that could not be written is a failure. */
static void check_stdout(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    if (errno != EPIPE) /* else the reader has closed the pipe: no message */
        fprintf(stderr, "polhode: The results could not be written: %s.\n", errno ? strerror(errno) : "output error");
    _exit(PH_ERR_IO);
}

/* A command is being run. Commands return; only libraries call exit(1) meanwhile. */
static bool runs;

/* gcc's OpenMP library ends the program by exit(1), with a message, if the system refuses it memory for a thread. */
static void correct_status(int status, void *data)
{
    (void)data;
    if (status == 1 && runs)
        _exit(PH_ERR_MEMORY);
}

static int run(const struct ph_command *command, int argc, char **argv)
{
    char name[64]; /* argp prints argv[0] before its messages */
    snprintf(name, sizeof name, "polhode %s", command->name);
    argv[0] = name;
    runs = true;
    const int status = command->run(argc, argv);
    runs = false;
    return status;
}

static const struct ph_command *find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; ++i)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    struct ph_error err;
    ph_cli_unknown_name("command", name, N_COMMANDS, command_name, &err);
    return ph_cli_fail("polhode", &err);
}

struct help_words {
    const char *name;
    bool manual;
    const char *completion;
};

enum key { KEY_MANUAL = 256, KEY_COMPLETION };

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct help_words *words = state->input;
    switch (key) {
    case KEY_MANUAL: words->manual = true; return 0;
    case KEY_COMPLETION:
        if (strcmp(arg, "bash") != 0)
            argp_error(state, "--completion %s: bash is accepted", arg);
        words->completion = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (words->name)
            argp_error(state, "one command at a time: '%s' or '%s'", words->name, arg);
        words->name = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int cmd_help(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"man", KEY_MANUAL, NULL, 0, "Write the manual page of the command, or of polhode, for man -l", 0},
        {"completion", KEY_COMPLETION, "SHELL", 0, "Write a script that completes commands, options and values: bash",
         0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "[COMMAND]",
        .doc = "Shows the purpose and the options of a command. Without COMMAND, lists all commands.",
    };
    struct help_words words = {.name = NULL};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    const struct ph_command *command = words.name ? find(words.name) : NULL;
    if (words.name && !command)
        return unknown(words.name);
    if (words.completion)
        ph_cli_completion(stdout, N_COMMANDS, commands);
    else if (words.manual)
        ph_cli_manual(stdout, N_COMMANDS, commands, command);
    else if (!command)
        print_help(stdout);
    else {
        char option[] = "--help";
        return run(command, 2, (char *[]){NULL, option, NULL});
    }
    return PH_OK;
}

/* A program may be started without stdin, stdout or stderr. The next file it opened would take the free number, and
 * messages would be written into a trajectory. Each is opened the wrong way round, so that using it still fails. */
static void fill_standard_descriptors(void)
{
    for (int k = 0; k <= STDERR_FILENO; ++k)
        if (fcntl(k, F_GETFD) < 0 && errno == EBADF && open("/dev/null", k == 0 ? O_WRONLY : O_RDONLY) != k)
            _exit(PH_ERR_IO);
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe fails like writing to a full disk, */
    signal(SIGXFSZ, SIG_IGN); /* and so does writing beyond the limit on the size of files */
    H5dont_atexit();          /* after a damaged file HDF5 cannot shut down, and would complain at exit */
    on_exit(correct_status, NULL);
    atexit(check_stdout);
    argp_err_exit_status = PH_ERR_INPUT;

    if (argc < 2) {
        print_help(stderr);
        return PH_ERR_INPUT;
    }
    static const char *const names[][2] = {
        {"--help", "help"}, {"-h", "help"}, {"-?", "help"}, {"--version", "version"}, {"-V", "version"}};
    const char *name = argv[1];
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (strcmp(name, names[k][0]) == 0)
            name = names[k][1];
    const struct ph_command *command = find(name);
    int status;
    if (command && command->threads && !ph_cli_prepare_threads(argv, &status))
        return status;
    if (!ph_cli_join(command, &status))
        return status;
    ph_cli_watch_compilers();
    return command ? run(command, argc - 1, argv + 1) : unknown(name);
}
