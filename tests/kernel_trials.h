/* kernel_trials -- programs in which kernels are used, at odd sizes, besides those in the records of the kernels. */
#ifndef LH_TESTS_KERNEL_TRIALS_H
#define LH_TESTS_KERNEL_TRIALS_H

typedef struct kernel_trial {
    const char *kernel; /* that it must be run by, besides others */
    const char *text;   /* after the head */
} kernel_trial;

/* Examples of 1, 3 and 7 words; widths that fill no register. */
static const char kernel_head[] =
    "vocab 11\nseed 3\ninput tokens : vocab*\ninput target : vocab*\n"
    "example tokens = t1 t2 t3, target = t4 t5 t6\n"
    "example tokens = t0, target = t10\n"
    "example tokens = t7 t7 t8 t9 t1 t2 t3, target = t1 t2 t3 t4 t5 t6 t7\n"
    "param E : vocab x 6 = normal(1)\nX = E[tokens]\n";

/* Besides the one in the record of each kernel. */
static const kernel_trial kernel_trials[] = {
    {"product", "param W : 6 x 9 = normal(1)\nA = X @ W\n" /* one is left out */
                "Y = columns(A, 4, 8) * columns(A, 0, 4)\n"},
    {"product", "Y = X @ X^T @ X\n"},
    {"product", "Y = join(split(X, 2) @ split(X, 2)^T @ split(X, 2))\n"},
    {"attention", "Y = attention(X, X, X, hide = later(X, X))\n"},
    {"attention",
     "gone = (tokens == \"t7\")^T\nY = attention(X, X, X, hide = max(later(X, X), gone * 0))\n"},
    {"attention", "gone = (tokens == \"t8\")^T\nY = attention(X, X, X, hide = gone)\n"},
    {"attention, back", "param W : 6 x 9 = normal(1)\nA = X @ W\n"
                        "Y = attention(columns(A, 0, 3), columns(A, 3, 6), columns(A, 6, 9))\n"},
    {"attention, back", /* heads of Q share those of K and V */
     "param W : 6 x 12 = normal(1)\nQ = split(X @ W, 6)\nK = split(X, 3)\nV = split(X * 2, 3)\n"
     "Y = join(attention(Q, K, V, hide = later(Q, K)))\n"},
    {"attention, back", /* a window, and rows that stay in sight */
     "param W : 6 x 12 = normal(1)\nQ = split(X @ W, 4)\nK = split(X, 2)\nV = split(X * 2, 2)\n"
     "Y = join(attention(Q, K, V, hide = beyond(Q, K, 2, 1))) + join(attention(Q, K, V, hide = "
     "beyond(Q, K, 3)))\n"},
    {"attention, back", /* another scale, a soft cap, a bias */
     "Y = attentionwith(X, X * 0.5, X + 1, later(X, X), 0.3, cap = 1.5) + attentionwith(X, X, X, "
     "bias = (colindex(rows(X), rows(X)) - rowindex(rows(X), rows(X))) / 4)\n"},
    {"attention, back", /* slopes that are written down, one for each head (ALiBi) */
     "const slope = [0.5 0.125]\nQ = split(X, 2)\n"
     "lean = split(slope, 2) * (colindex(rows(X), rows(X)) - rowindex(rows(X), rows(X)))\n"
     "Y = join(attentionwith(Q, Q * 0.5, Q + 1, hide = later(Q, Q), bias = lean))\n"},
    {"attention, back", /* a function of the program's own that computes the same */
     "fn look(a, b, c, gone = 0)\n  s = a @ b^T\n  z = s / sqrt(cols(b))\n"
     "  m = where(gone, -inf, z)\n  p = softmax(m)\n  y = p @ c\nend\n"
     "Y = look(X, X * 0.5, X + 1, later(X, X))\n"},
    {"rmsnorm, back", "param g : 1 x 3 = normal(1)\nY = join(rmsnorm(split(X * 3, 2), 1 + g, eps "
                      "= 0.1))\n"},
    {"rmsnorm, back", "param g : 1 x 6 = normal(1)\nY = rmsnorm(X^T^T * 0.3, g) * X\n"},
    {"rope, back", "param W : 6 x 8 = normal(1)\nA = split(X @ W, 2)\n"
                   "Y = join(rope(A) * rope(A, turns(A, 50, 1), 1))\n"},
    {"swiglu, back", "param W : 6 x 10 = normal(1)\nA = X @ W\n"
                     "Y = swiglu(columns(A, 0, 5), columns(A, 5, 10))\n"},
    {"expert", "param G : 5 x 6 = normal(1)\nparam D : 6 x 5 = normal(1)\n"
               "Y = expert(X, max(X[][0], 0), G, G * 2, D)\n"},
    {"expert, back",
     "param G : 5 x 6 = normal(1)\nparam U : 5 x 6 = normal(1)\nparam D : 6 x 5 = normal(1)\n"
     "param R : 6 x 3 = normal(1)\nS = softmax(X @ R)\np = S * topk(S, 2)\n"
     "Y = expert(X, p[][0] / rowsum(p), G, U, D) + expert(X, p[][2] / rowsum(p), U, G, D)\n"},
    {"expert, back", /* nobody asks */
     "param G : 5 x 6 = normal(1)\nparam D : 6 x 5 = normal(1)\n"
     "Y = X + expert(X, min(X[][0], 0), G, G * 2, D)\n"},
    {"projection and crossentropy",
     "param W : 6 x vocab = normal(1)\nlogits = X @ W\nY = crossentropy(logits, target)\n"},
};

/* A weighted sum as the loss: a plain one hides what softmax and norms do. */
static const char kernel_tail[] =
    "L = sum(Y * (1 + rowindex(Y) + 0.3 * colindex(Y)))\nloss = average(L)\nbackward loss\n"
    "clip = min(1, 3 / norm(gradients))\neach W in params\n"
    "  W := adamw(W, clip * dW, 0.01, 0.1)\nend\n";

#endif
