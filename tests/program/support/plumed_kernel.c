/* SPDX-License-Identifier: MIT */
/* A library with the interface of the kernel of PLUMED, for tests: it knows the few words below, refuses others, and
 * insists on the order of commands. Built from the public description of that interface.
 *
 *   DISTANCE ATOMS=1,4           the distance of two atoms, nearest images in a rectangular box
 *   RESTRAINT KAPPA=100 AT=0.3   the bias k/2 (d - at)^2
 *   SLIDE=0.001                  each action but the first of a process moves `at` by as much, as METAD adds hills; a
 *                                restart reads how often from FILE.state
 *   PRINT FILE=COLVAR            each action adds a line: step, distance, bias
 *   STRIDE=2                     only multiples of this step count as actions
 *   ENERGY                       asks for the potential energy */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct handler {
    void *data;
    void (*handle)(void *data, int code, const char *what, const void *more);
};

struct plumed {
    char input[256], file[256];
    FILE *log;
    bool begun, restart, wants_energy, prepared, natural, acted;
    int natoms, atoms[2];
    long step, stride, actions;
    double kappa, at, slide, kT, time_step;
    const double *positions, *box, *masses;
    double *forces, *virial;
    double distance, bias;
};

static void *create(void)
{
    struct plumed *p = calloc(1, sizeof *p);
    return p;
}

static void finalize(void *plumed)
{
    struct plumed *p = plumed;
    if (p->log)
        fclose(p->log);
    free(p);
}

static void read_state(struct plumed *p)
{
    char name[300];
    snprintf(name, sizeof name, "%s.state", p->file);
    FILE *state = p->restart ? fopen(name, "r") : NULL;
    if (!state)
        return;
    if (fscanf(state, "%ld", &p->actions) != 1)
        p->actions = 0;
    fclose(state);
}

static const char *init(struct plumed *p)
{
    FILE *input = fopen(p->input, "r");
    char line[256];
    if (!input)
        return "no input file";
    if (p->natoms <= 0 || !p->log)
        return "setNatoms or setLogFile is missing";
    while (fgets(line, sizeof line, input)) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "ENERGY") == 0)
            p->wants_energy = true;
        else if (sscanf(line, "DISTANCE ATOMS=%d,%d", &p->atoms[0], &p->atoms[1]) != 2 &&
                 sscanf(line, "RESTRAINT KAPPA=%lf AT=%lf", &p->kappa, &p->at) != 2 &&
                 sscanf(line, "SLIDE=%lf", &p->slide) != 1 && sscanf(line, "STRIDE=%ld", &p->stride) != 1 &&
                 sscanf(line, "PRINT FILE=%255s", p->file) != 1) {
            fclose(input);
            return "I cannot understand line\nof the input";
        }
    }
    fclose(input);
    if (p->atoms[0] < 1 || p->atoms[1] < 1 || p->atoms[0] > p->natoms || p->atoms[1] > p->natoms)
        return "atoms out of range";
    read_state(p);
    if (p->file[0] && !p->restart)
        remove(p->file);
    fprintf(p->log, "natoms %d kT %.17g step %.17g natural %d restart %d\n", p->natoms, p->kT, p->time_step, p->natural,
            p->restart);
    p->begun = true;
    return NULL;
}

static void calculate(struct plumed *p)
{
    const size_t a = 3 * (size_t)(p->atoms[0] - 1), b = 3 * (size_t)(p->atoms[1] - 1);
    double d[3], squared = 0.0;
    for (size_t k = 0; k < 3; ++k) {
        const double edge = p->box ? p->box[4 * k] : 0.0;
        d[k] = p->positions[b + k] - p->positions[a + k];
        d[k] -= edge > 0.0 ? edge * round(d[k] / edge) : 0.0;
        squared += d[k] * d[k];
    }
    const double off = sqrt(squared) - (p->at + p->slide * (double)p->actions);
    p->distance = sqrt(squared);
    p->bias = 0.5 * p->kappa * off * off;
    for (size_t k = 0; k < 3; ++k) {
        const double f = p->kappa * off * d[k] / p->distance; /* on the first atom */
        p->forces[a + k] += f;
        p->forces[b + k] -= f;
        for (size_t j = 0; j < 3; ++j)
            p->virial[3 * k + j] += d[k] * p->kappa * off * d[j] / p->distance;
    }
}

static void act(struct plumed *p)
{
    char name[300];
    const bool due = p->stride == 0 || p->step % p->stride == 0;
    FILE *file = due && p->file[0] ? fopen(p->file, "a") : NULL;
    if (file) {
        fprintf(file, "%ld %.17g %.17g\n", p->step, p->distance, p->bias);
        fclose(file);
    }
    p->actions += due && p->acted && p->slide > 0.0;
    p->acted = true;
    snprintf(name, sizeof name, "%s.state", p->file);
    FILE *state = p->file[0] ? fopen(name, "w") : NULL;
    if (state) {
        fprintf(state, "%ld\n", p->actions);
        fclose(state);
    }
}

static const char *before_init(struct plumed *p, const char *word, const void *value)
{
    if (strcmp(word, "setMDEngine") == 0)
        return NULL;
    if (strcmp(word, "setNaturalUnits") == 0)
        p->natural = true;
    else if (strcmp(word, "setRealPrecision") == 0)
        return *(const int *)value == sizeof(double) ? NULL : "precision";
    else if (strcmp(word, "setTimestep") == 0)
        p->time_step = *(const double *)value;
    else if (strcmp(word, "setKbT") == 0)
        p->kT = *(const double *)value;
    else if (strcmp(word, "setPlumedDat") == 0)
        snprintf(p->input, sizeof p->input, "%s", (const char *)value);
    else if (strcmp(word, "setLogFile") == 0)
        return (p->log = fopen(value, "w")) ? NULL : "cannot open the log";
    else if (strcmp(word, "setNatoms") == 0)
        p->natoms = *(const int *)value;
    else if (strcmp(word, "setRestart") == 0)
        p->restart = *(const int *)value != 0;
    else if (strcmp(word, "init") == 0)
        return init(p);
    else
        return "unknown command";
    return NULL;
}

static const char *perform(struct plumed *p, bool acts)
{
    if (!p->prepared || !p->positions || !p->masses || !p->forces || !p->virial)
        return "arrays are missing";
    calculate(p);
    if (acts)
        act(p);
    p->prepared = false;
    p->positions = p->masses = NULL;
    return NULL;
}

static const char *after_init(struct plumed *p, const char *word, void *value)
{
    if (strcmp(word, "setStepLong") == 0)
        p->step = *(const long *)value;
    else if (strcmp(word, "setPositions") == 0)
        p->positions = value;
    else if (strcmp(word, "setMasses") == 0)
        p->masses = value;
    else if (strcmp(word, "setBox") == 0)
        p->box = value;
    else if (strcmp(word, "setForces") == 0)
        p->forces = value;
    else if (strcmp(word, "setVirial") == 0)
        p->virial = value;
    else if (strcmp(word, "prepareCalc") == 0)
        p->prepared = true;
    else if (strcmp(word, "isEnergyNeeded") == 0)
        *(int *)value = p->wants_energy;
    else if (strcmp(word, "getBias") == 0)
        *(double *)value = p->bias;
    else if (strcmp(word, "performCalc") == 0)
        return perform(p, true);
    else if (strcmp(word, "performCalcNoUpdate") == 0)
        return perform(p, false);
    else if (strcmp(word, "setCharges") != 0 && strcmp(word, "doCheckPoint") != 0)
        return "unknown command";
    return NULL;
}

static const char *command(struct plumed *p, const char *word, const void *value)
{
    union {
        const void *given;
        void *ours;
    } changeable = {value}; /* the interface hides which values are results */
    if (strcmp(word, "getApiVersion") == 0) {
        *(int *)changeable.ours = 10;
        return NULL;
    }
    return p->begun ? after_init(p, word, changeable.ours) : before_init(p, word, value);
}

static void command_nothrow(void *plumed, const char *word, const void *value, struct handler handler)
{
    const char *failure = command(plumed, word, value);
    if (failure)
        handler.handle(handler.data, 20000, failure, NULL);
}

static void command_or_end(void *plumed, const char *word, const void *value)
{
    if (command(plumed, word, value))
        abort();
}

extern struct table {
    int version;
    void *(*create)(void);
    void (*command)(void *plumed, const char *word, const void *value);
    void (*finalize)(void *plumed);
    void (*command_nothrow)(void *plumed, const char *word, const void *value, struct handler handler);
} plumed_symbol_table;

struct table plumed_symbol_table = {2, create, command_or_end, finalize, command_nothrow};
