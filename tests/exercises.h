/* exercises -- a lesson with an exercise of each kind, for tests and for fuzzing. */
#ifndef LH_TESTS_EXERCISES_H
#define LH_TESTS_EXERCISES_H

#define EXERCISES_PROGRAM                                                                          \
    "# All kinds\n"                                                                                \
    "\n"                                                                                           \
    "```longhand\n"                                                                                \
    "vocab A B C\n"                                                                                \
    "size d = 2\n"                                                                                 \
    "const x = [1.5 -2; 0.5 3]\n"                                                                  \
    "const rate = 0.01\n"                                                                          \
    "const k = [1 0 2]\n"                                                                          \
    "param w : d x 1 = 0.5\n"                                                                      \
    "example A -> B\n"                                                                             \
    "y = x @ w\n"                                                                                  \
    "r = relu(y)\n"                                                                                \
    "e = r - 1\n"                                                                                  \
    "loss = sum(e * e)\n"                                                                          \
    "backward loss\n"                                                                              \
    "w := w - rate * dw\n"                                                                         \
    "```\n"                                                                                        \
    "\n"

enum { PREDICT, FIND, COMPUTE, ROWS, WRITE, UPDATE, OWN, EXPERIMENT, STEPS, N_EXERCISES_HERE };

static const char exercises_lesson[] = EXERCISES_PROGRAM
    /* 1 */ "```exercise predict\nuse: up = this --set rate=-0.01\n"
            "choice: falls | up:loss@1 < up:loss@0\nchoice: rises by {{up:loss@1 - up:loss@0}} | "
            "up:loss@1 > up:loss@0\nhint: Try it.\nhint: Again.\nbecause: It is {{up:loss@1}}.\n"
            "show: up: loss 3\n\nWhat happens?\n```\n\n"
            /* 2 */ "```exercise find\nline: 1 / 3 = 0.333 | 1 / 3\nline: 2 / 3 = 0.666 | 2 / 3\n"
            "line: sum(k) = 4 | sum(k)\n\nWhich?\n```\n\n"
            /* 3 */ "```exercise compute\nask: y loss\ndigits: 3\n\nWork it out.\n```\n\n"
            /* 4 */ "```exercise compute\nask: dw[1] r[0]\nseed: 3\n\nAnd these.\n```\n\n"
            /* 5 */ "```exercise write\nline: r\n\nThe line.\n```\n\n"
            /* 6 */ "```exercise write\nline: w:=\n\nThe update.\n```\n\n"
            /* 7 */ "```exercise write\ngiven: const a = [1 2; 3 4]\ngiven: const right = [1; 0]\n"
            "key: p = pick(a, right)\n\nThe line.\n```\n\n"
            /* 8 */ "```exercise experiment\nuse: mine = this --set rate=0.02\nuse: later = mine\n"
            "set: rate d\nuntil: mine:loss@2 < 0.8 and later:loss == loss\nkey: rate=0.05\n"
            "never: rate=0\nnever: rate=1\n\nChoose.\n```\n\n"
            /* 9 */ "```exercise experiment\nset: steps k\nuntil: loss@steps < 0.8 and sum(k) > 4\n"
            "key: steps=9 k=[1 2 3]\n\nHow long?\n```\n";

#endif
