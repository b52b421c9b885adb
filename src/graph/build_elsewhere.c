/* build_elsewhere -- names that other languages and textbooks have, and what to write here. */
#include <string.h>

#include "graph/build.h"

static const struct {
    const char *name, *cure;
} names[] = {
    {"ln", "log(x) is the natural logarithm"},
    {"log10", "log(x) / log(10) is the logarithm to base 10"},
    {"lg", "log(x) / log(10) is the logarithm to base 10"},
    {"log2", "log(x) / log(2) is the logarithm to base 2"},
    {"e", "e^x is written exp(x)"},
    {"\u03c0", "it is written pi"},
    {"pow", "a power is written a^b"},
    {"transpose", "a transpose is written A^T"},
    {"dot", "a dot product is written a \u00b7 b"},
    {"matmul", "a matrix product is written A @ B"},
    {"inv", "no operation inverts a matrix"},
    {"inverse", "no operation inverts a matrix"},
    {"det", "no operation makes a determinant"},
};

const char *lh_build_elsewhere(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) return names[i].cure;
    return NULL;
}
