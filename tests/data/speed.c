/* SPDX-License-Identifier: MIT */
/* tools/test measures the machine by how long gcc takes to compile this: thirty functions such as the engine has. The
 * file must stay as it is, since shares of the budget are in units of that time. */
struct site {
    double r[3], f[3], charge;
    int kind;
};

double sqrt(double);
void *memcpy(void *, const void *, unsigned long);

#define FUNCTION(name, a, b)                                                                                           \
    static double dot_##name(const double *x, const double *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }     \
    static int order_##name(const int *key, int *index, int n)                                                         \
    {                                                                                                                  \
        int moved = 0;                                                                                                 \
        for (int i = 1; i < n; ++i)                                                                                    \
            for (int k = i; k > 0 && key[index[k - 1]] > key[index[k]]; --k, ++moved) {                                \
                const int other = index[k];                                                                            \
                index[k] = index[k - 1];                                                                               \
                index[k - 1] = other;                                                                                  \
            }                                                                                                          \
        return moved;                                                                                                  \
    }                                                                                                                  \
    double pairs_##name(struct site *site, const double *table, int *index, int n, double cutoff)                      \
    {                                                                                                                  \
        double energy = 0.0, virial[9] = {0.0};                                                                        \
        int key[64];                                                                                                   \
        for (int i = 0; i < n; ++i) {                                                                                  \
            struct site one;                                                                                           \
            memcpy(&one, &site[i], sizeof one);                                                                        \
            for (int j = i + 1; j < n; ++j) {                                                                          \
                double d[3], u = 0.0, w = 0.0;                                                                         \
                for (int k = 0; k < 3; ++k)                                                                            \
                    d[k] = one.r[k] - site[j].r[k];                                                                    \
                const double r2 = dot_##name(d, d);                                                                    \
                if (r2 > cutoff * cutoff)                                                                              \
                    continue;                                                                                          \
                const double inverse = 1.0 / r2, six = inverse * inverse * inverse;                                    \
                switch (one.kind + (b)*site[j].kind) {                                                                 \
                case 0:                                                                                                \
                    u = 4.0 * (six * six - six);                                                                       \
                    w = 24.0 * (2.0 * six * six - six);                                                                \
                    break;                                                                                             \
                case 1:                                                                                                \
                    u = (a)*one.charge * site[j].charge * sqrt(inverse);                                               \
                    w = u;                                                                                             \
                    break;                                                                                             \
                case 2:                                                                                                \
                    u = six * table[(int)(r2 * 16.0) & 63];                                                            \
                    w = 6.0 * u + table[j & 63];                                                                       \
                    break;                                                                                             \
                case (b) + 3:                                                                                          \
                    u = dot_##name(one.f, d) * six;                                                                    \
                    w = (a)*u - dot_##name(site[j].f, d);                                                              \
                    break;                                                                                             \
                default: w = sqrt(r2) * (a);                                                                           \
                }                                                                                                      \
                energy += u;                                                                                           \
                for (int k = 0; k < 3; ++k) {                                                                          \
                    one.f[k] += w * inverse * d[k];                                                                    \
                    site[j].f[k] -= w * inverse * d[k];                                                                \
                    for (int l = 0; l < 3; ++l)                                                                        \
                        virial[3 * k + l] += w * inverse * d[k] * d[l];                                                \
                }                                                                                                      \
            }                                                                                                          \
            memcpy(site[i].f, one.f, sizeof one.f);                                                                    \
            key[i & 63] = (int)(energy * (a)) ^ i;                                                                     \
        }                                                                                                              \
        return energy + virial[0] + virial[4] + virial[8] + order_##name(key, index, n < 64 ? n : 64);                 \
    }

#define TEN(name, a, b)                                                                                                \
    FUNCTION(name##0, a + 0.0, b)                                                                                      \
    FUNCTION(name##1, a + 0.1, b + 1)                                                                                  \
    FUNCTION(name##2, a + 0.2, b)                                                                                      \
    FUNCTION(name##3, a + 0.3, b + 1)                                                                                  \
    FUNCTION(name##4, a + 0.4, b)                                                                                      \
    FUNCTION(name##5, a + 0.5, b + 1)                                                                                  \
    FUNCTION(name##6, a + 0.6, b)                                                                                      \
    FUNCTION(name##7, a + 0.7, b + 1)                                                                                  \
    FUNCTION(name##8, a + 0.8, b)                                                                                      \
    FUNCTION(name##9, a + 0.9, b + 1)

TEN(a, 1.0, 2)
TEN(b, 2.0, 3)
TEN(c, 3.0, 4)
