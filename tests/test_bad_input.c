/* What is wrong gets a message: where, what, both sides, and the cure where one is likely. Nothing crashes, nothing takes
 * memory that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "engine.h"

typedef struct wrong {
    const char *text;
    lh_error_kind kind;
    int line, col;
    const char *what, *cure; /* parts of the message; "" where there is no cure */
} wrong;

/* A program that runs and whose numbers stop being numbers. */
typedef struct stopped {
    const char *text;
    const char *op; /* the operation where they do */
    int line, row, col;
    bool is_nan;
} stopped;

static const wrong wrongs[] = {
    {"A = [1 2; 3 4]\nB = A × A\n", LH_ERROR_TEXT, 2, 5,
     "A × A: 2x2 by 2x2: × between two matrices can mean two products",
     "A @ A is the matrix product, A * A goes cell by cell"},
    {"A = [1 2; 3 4]\nb = pick(A, [0; 7])\n", LH_ERROR_SHAPE, 2, 5, "there is no column 7", ""},
    {"A = [1 2; 3 4]\nb = A[[0; 2]]\n", LH_ERROR_SHAPE, 2, 5, "there is no row 2", ""},
    {"L = nll(softmax([1 2]), 5)\n", LH_ERROR_SHAPE, 1, 5, "there is no column 5", ""},
    {"L = nll(softmax([1 2]), 0.5)\n", LH_ERROR_SHAPE, 1, 5, "there is no column 0.5", ""},
    {"y = onehot(3, 3)\n", LH_ERROR_SHAPE, 1, 5, "there is no column 3", ""},
    {"const drop = 1.5\ny = dropout([1 2], drop)\n", LH_ERROR_SHAPE, 2, 5,
     "a probability must be between 0 and 1, but this one is -0.5",
     "the rate must be at least 0 and less than 1"},
    {"const training = 1\n", LH_ERROR_NAME, 1, 7, "training already has a meaning",
     "choose another name"},
    {"x = [1 2]\ninf = x\n", LH_ERROR_NAME, 2, 1, "inf already has a meaning",
     "choose another name"},
    {"vocab A B\ninput a : vocab\nexample a = A,\n", LH_ERROR_TEXT, 3, 14,
     "expected NAME = words after the comma", "in quotes"},
    {"x = [1 2; 3]\n", LH_ERROR_TEXT, 1, 11, "row 2 has 1 number, the first row has 2",
     "every row of a matrix needs as many numbers as the first"},
    {"x = \n", LH_ERROR_TEXT, 1, 4, "the formula of `x` is missing",
     "a formula may break only inside ( ) or [ ]"},
    {"x = (1 + 2\n", LH_ERROR_TEXT, 1, 5, "this bracket is never closed",
     "add the closing bracket where it belongs"},
    {"x = 1 +* 2\n", LH_ERROR_TEXT, 1, 8, "expected a value, found `*`", "a power is written a^b"},
    {"A = [1 2; 3 4]\nb = Aa * 2\n", LH_ERROR_NAME, 2, 5, "Aa is not defined here",
     "did you mean A?"},
    {"A = [1 2; 3 4]\nb = softmx(A)\n", LH_ERROR_NAME, 2, 5, "there is no function softmx",
     "did you mean softmax?"},
    {"A = [1 2; 3 4]\nb = A(2)\n", LH_ERROR_NAME, 2, 5, "there is no function A",
     "A is a value: * multiplies"},
    {"b = softmax\n", LH_ERROR_NAME, 1, 5, "softmax is not defined here",
     "softmax is a function: write softmax(...)"},
    {"b = dW\n", LH_ERROR_NAME, 1, 5, "dW is not defined here",
     "define it in a line above: dW = ..."},
    {"A = [1 2 3; 4 5 6]\nB = [1 2 3; 4 5 6]\nC = A @ B\n", LH_ERROR_SHAPE, 3, 5,
     "A @ B: 2x3 by 2x3: inner sizes differ (3 and 2)", "did you mean B^T?"},
    {"A = [1 2 3; 4 5 6]\nB = [1 2 3; 4 5 6]\nC = A^T @ B^T\n", LH_ERROR_SHAPE, 3, 5,
     "A^T @ B^T: 3x2 by 3x2: inner sizes differ (2 and 3)", "did you mean B without ^T?"},
    {"A = [1 2 3; 4 5 6]\nB = [1 2; 4 5]\nC = A + B\n", LH_ERROR_SHAPE, 3, 5,
     "A + B: 2x3 by 2x2: columns differ (3 and 2)", ""},
    {"A = [1 2 3]\nB = [1; 2]\nC = A * B\n", LH_ERROR_SHAPE, 3, 5,
     "A * B: 1x3 by 2x1: a row and a column: neither side has the full shape",
     "@ multiplies a column by a row; spread(a, b) stretches a to the shape of b"},
    {"A = [1 2 3; 4 5 6; 7 8 9]\nB = [1; 2]\nC = A * B\n", LH_ERROR_SHAPE, 3, 5,
     "A * B: 3x3 by 2x1: rows differ (3 and 2)", ""},
    {"A = [1 2; 3 4]\nB = [1 2 3; 4 5 6]\nC = above(A, B)\n", LH_ERROR_SHAPE, 3, 5,
     "above(A, B): 2x2 by 2x3: columns differ (2 and 3)",
     "beside(a, b) puts the columns of one next to those of the other"},
    {"A = [1 2; 3 4]\nB = [1 2; 4 5; 6 7]\nC = beside(A, B)\n", LH_ERROR_SHAPE, 3, 5,
     "beside(A, B): 2x2 by 3x2: rows differ (2 and 3)",
     "above(a, b) puts the rows of one above those of the other"},
    {"A = [1 2 3; 4 5 6]\nB = split(A, 2)\n", LH_ERROR_SHAPE, 2, 5,
     "split(A, 2): 2x3: 3 columns cannot be split into 2 equal heads", ""},
    {"A = [1 2 3 4; 4 5 6 7]\nB = split(split(A, 2), 2)\n", LH_ERROR_SHAPE, 2, 5,
     "split(split(A, 2), 2): 2x2 in 2 heads: it already has heads",
     "join(...) puts heads side by side"},
    {"A = [1 2; 3 4]\nb = A[2]\n", LH_ERROR_SHAPE, 2, 5,
     "A[2]: 2x2: there is no row 2: rows count from 0, and there are 2", ""},
    {"A = [1 2; 3 4]\nb = A[0][2]\n", LH_ERROR_SHAPE, 2, 5,
     "A[0][2]: 2x2: there is no column 2: columns count from 0, and there are 2", ""},
    {"A = [1 2; 3 4]\nb = A[][5]\n", LH_ERROR_SHAPE, 2, 5,
     "A[][5]: 2x2: there is no column 5: columns count from 0, and there are 2", ""},
    {"A = [1 2; 3 4]\nb = A[-1]\n", LH_ERROR_SHAPE, 2, 5,
     "A[-1]: 2x2: there is no row -1: rows count from 0, and there are 2", ""},
    {"A = [1 2; 3 4]\nb = A[0.5]\n", LH_ERROR_SHAPE, 2, 5,
     "A[0.5]: 2x2: there is no row 0.5: rows count from 0, and there are 2", ""},
    {"A = [1 2; 3 4]\nb = columns(A, 1, 3)\n", LH_ERROR_SHAPE, 2, 5,
     "columns(A, 1, 3): 2x2: there are no columns 1 to 2: columns count from 0, and there are 2",
     ""},
    {"A = [1 2; 3 4]\nb = columns(A, 1, 1)\n", LH_ERROR_SHAPE, 2, 5,
     "columns(A, 1, 1): 2x2: there are no columns 1 to 0: columns count from 0, and there are 2",
     "the last number is the first column that is left out"},
    {"A = [1 2; 3 4]\nb = pick(A, [0; 1; 0])\n", LH_ERROR_SHAPE, 2, 5,
     "pick(A, [0; 1; 0]): 2x2 by 3x1: one number is needed for each row, but rows differ (2 and 3)",
     ""},
    {"x = max(1)\n", LH_ERROR_TEXT, 1, 5, "max takes 2 values, not 1",
     "for example max([1 5 -2; 7 0 3], [2; 3])"},
    {"x = exp(1, 2)\n", LH_ERROR_TEXT, 1, 5, "exp takes 1 value, not 2", "for example exp([0 1])"},
    {"x = layernorm([1 2], gg = 2)\n", LH_ERROR_NAME, 1, 5, "layernorm has no parameter gg",
     "did you mean g?"},
    {"x = layernorm()\n", LH_ERROR_TEXT, 1, 5, "layernorm needs a value for x", ""},
    {"x = layernorm([1 2], 1, 0, 1, 5)\n", LH_ERROR_TEXT, 1, 5,
     "layernorm takes at most 4 values, not 5", ""},
    {"x = layernorm([1 2], g = 1, 0)\n", LH_ERROR_TEXT, 1, 5,
     "layernorm: after a named value, every value needs its name", ""},
    {"x = layernorm([1 2], 1, g = 1)\n", LH_ERROR_TEXT, 1, 5, "layernorm: g is given twice", ""},
    {"x = exp(x = 2)\n", LH_ERROR_TEXT, 1, 5, "exp takes its values by position, not by name", ""},
    {"x = 1\nx = 2\n", LH_ERROR_NAME, 2, 1, "x is already defined, in line 1",
     "a name can be defined only once; a param or state is updated with :="},
    {"const c = 1\nc := 2\n", LH_ERROR_NAME, 2, 1, "c is a const and cannot be updated",
     "make it a param: param c = ..."},
    {"x = 1\nx := 2\n", LH_ERROR_NAME, 2, 1,
     "x cannot be updated: it is neither a param nor a state",
     "declare it with param x = ...; then x := ... can update it"},
    {"nothing := 2\n", LH_ERROR_NAME, 1, 1, "nothing is not defined here",
     "declare it with param nothing = ...; then nothing := ... can update it"},
    {"param W = [1 2]\nL = W * 2\nbackward L\n", LH_ERROR_SHAPE, 3, 1,
     "backward L: L is 1x2, but a loss must be one number",
     "sum(L) or mean(L) makes it one number"},
    {"param W = [1 2]\nL = sum(split(W, 2))\nbackward L\n", LH_ERROR_SHAPE, 3, 1,
     "backward L: L is 1x1 in 2 heads, but a loss must be one number",
     "sum(join(L)) or mean(join(L)) makes it one number"},
    {"param W = [1 2]\nL = sum(W)\nbackward L\nbackward L\n", LH_ERROR_NAME, 4, 1,
     "a program can have only one `backward`", "add up the losses and use `backward` on the sum"},
    {"param W = [1 2]\ndW = [1 1]\nL = sum(W)\nbackward L\n", LH_ERROR_NAME, 2, 1,
     "dW is the name of the gradient of W, computed by `backward`",
     "choose another name, or leave out `backward` to write gradients by hand"},
    {"param W = [1 2]\nL = sum(W)\nbackward L\ndW = 3\n", LH_ERROR_NAME, 4, 1,
     "dW is the gradient of W, computed by `backward`",
     "leave out `backward` to write gradients by hand, or choose another name"},
    {"param W = [1 2]\nL = sum(W)\nbackward M\n", LH_ERROR_NAME, 3, 10,
     "backward M: M is not defined here", ""},
    {"const W = [1 2]\nL = 3\nbackward L\n", LH_ERROR_VALUE, 3, 1,
     "backward L: nothing that affects L has a gradient", ""},
    {"vocab A B C\nexample A B -> D\n", LH_ERROR_VALUE, 2, 16, "\"D\" is not in the vocabulary",
     "it has 3 words, from A to C"},
    {"vocab 20\nexample t3 t19 -> t03\n", LH_ERROR_VALUE, 2, 19, "\"t03\" is not in the vocabulary",
     "did you mean t0?"},
    {"vocab 20\nexample t3 t4 -> t20\n", LH_ERROR_VALUE, 2, 18, "\"t20\" is not in the vocabulary",
     "did you mean t0?"},
    {"vocab A B C\nexample A B -> a\n", LH_ERROR_VALUE, 2, 16, "\"a\" is not in the vocabulary",
     "did you mean A?"},
    {"vocab A B A\n", LH_ERROR_NAME, 1, 1, "\"A\" occurs twice in the vocabulary", ""},
    {"example A B -> C\n", LH_ERROR_NAME, 1, 1, "an example needs a vocabulary",
     "vocab A B C D, in a line above"},
    {"vocab A B\ninput x : 1 x 2\nexample x = 1\n", LH_ERROR_VALUE, 3, 9,
     "x takes 2 numbers, not 1", ""},
    {"vocab A B\ninput x : 1 x 2\nexample x = 1 zwei\n", LH_ERROR_VALUE, 3, 9,
     "x: \"zwei\" is not a number", ""},
    {"vocab A B\ninput x : vocab\nexample x = A B\n", LH_ERROR_VALUE, 3, 9,
     "x takes one word, not 2", ""},
    {"vocab A B\ninput x : vocb*\n", LH_ERROR_NAME, 2, 1, "input x: there is no vocabulary vocb",
     "did you mean vocab?"},
    {"vocab A B\ninput x : vocab*\ninput y : vocab*\nexample x = A, y = A B\nexample x = A B, y = "
     "A A\nconst E = [1 2; 3 4]\nz = E[x] + E[y]\n",
     LH_ERROR_SHAPE, 7, 5,
     "E[x] + E[y]: sizes differ for example 0 (the length of x is 1, the other side 2)", ""},
    {"vocab A B\ninput x : vocab*\nconst P = [1 2; 3 4; 5 6]\nexample x = A B\nz = P + [1 2; 3 "
     "4][x]\n",
     LH_ERROR_SHAPE, 5, 5,
     "P + [1 2; 3 4][x]: sizes differ for example 0 (the length of x is 2, the other side 3)", ""},
    {"input x : 1 x 2\ninput y : 1 x 1\nexamples x = [1 2; 3 4], y = [1; 2; 3]\n", LH_ERROR_SHAPE,
     3, 26, "y has 3 rows, but x has 2: there must be one row for each example", ""},
    {"input x : 1 x 2\nexamples x = [1 2 3; 3 4 5]\n", LH_ERROR_SHAPE, 2, 10,
     "x takes 2 numbers for each example, but a row here has 3", ""},
    {"input x : 1 x 2\nz = x\n", LH_ERROR_VALUE, 0, 0, "the program has no example to run on",
     "example A B -> C"},
    {"vocab A B\ninput x : vocab*\nconst P = [1 2; 3 4]\nexample x = A B\nexample x = A\nz = "
     "P[x][1]\n",
     LH_ERROR_SHAPE, 6, 5,
     "P[x][1]: 2x2 by x x 1: the row must be one number known before the program runs, and x is "
     "not",
     "(a[t])[i] is row i of the rows that t names"},
    {"vocab A B\ninput t : vocab*\nexample t = A\nexample t = A B\nconst E = [1 2; 3 4]\nrepeat h "
     "for rows(t) with X = E[t]\n  next X = X\nend\n",
     LH_ERROR_SHAPE, 6, 1, "repeat h: example 0 has 1, example 1 has 2: all must agree", ""},
    {"repeat h for 1000000000\n  x = 1\nend\n", LH_ERROR_LIMIT, 1, 1,
     "repeat h: 1000000000 repetitions are too many; the maximum is 10000", ""},
    {"repeat h for 2.5\n  x = 1\nend\n", LH_ERROR_VALUE, 1, 1,
     "repeat h: the number of repetitions must be a whole number known before the program runs",
     ""},
    {"repeat h for 2 with X = 1\n  Y = X\nend\n", LH_ERROR_NAME, 1, 1,
     "repeat h carries X, but never says `next X = ...`", ""},
    {"repeat h for 2 with X = 1\n  next Y = X\nend\n", LH_ERROR_NAME, 2, 8,
     "next Y: repeat h does not carry Y", "repeat h for ... with Y = ..."},
    {"fn f(x)\n  y = f(x)\nend\nz = f(1)\n", LH_ERROR_LIMIT, 4, 5,
     "fn f calls itself: that would never end", ""},
    {"fn f(x)\n  y = g(x)\nend\nfn g(x)\n  y = f(x)\nend\nz = f(1)\n", LH_ERROR_LIMIT, 7, 5,
     "fn f calls itself: that would never end", ""},
    {"fn f(x)\n  y = x + w\nend\nconst w = 1\nz = f(1)\n", LH_ERROR_NAME, 5, 5,
     "w is not defined here", "a function can use only its parameters and its own lines"},
    {"fn f(x)\n  state s = 0\nend\nz = f(1)\n", LH_ERROR_TEXT, 1, 1,
     "fn f has no line that computes a value", ""},
    {"fn exp(x)\n  y = x\nend\n", LH_ERROR_NAME, 1, 4, "exp is one of the primitive operations",
     "choose another name"},
    {"fn f(x)\n  y = x\nend\nfn f(x)\n  y = x\nend\n", LH_ERROR_NAME, 4, 4,
     "fn f is already defined, in line 1", ""},
    {"x = []\n", LH_ERROR_TEXT, 1, 5, "this matrix is empty: it needs at least one number",
     "zeros(rows, cols) makes a matrix of zeros"},
    {"x = [;]\n", LH_ERROR_TEXT, 1, 6, "expected a number of the matrix, found `;`",
     "a matrix is written [1 0; 0 1]: a ; between its rows, no sums"},
    {"param W : 1000000000 x 1000000000 = 0\n", LH_ERROR_LIMIT, 1, 1,
     "1000000000x1000000000 is too large: 1e+18 numbers", ""},
    {"param W : 2000000000 x 1 = 0\n", LH_ERROR_LIMIT, 1, 11,
     "a size must be a whole number from 1 to 1073741824, but this is 2e+09", ""},
    {"param W : 3 x 2 = [1 2; 3 4]\n", LH_ERROR_SHAPE, 1, 1,
     "W is declared 3x2, but its initial value is 2x2", ""},
    {"param W = normal(0.1)\n", LH_ERROR_SHAPE, 1, 1,
     "W needs a shape: a random initial value has none of its own", "W : 2 x 4 = ..."},
    {"param W : 2 x 2 = normal(0, 1, 2)\n", LH_ERROR_TEXT, 1, 19, "normal takes at most 2 numbers",
     ""},
    {"x = normal(1)\n", LH_ERROR_NAME, 1, 5,
     "normal(...) is an initial value: it can only be used alone, after the = of const, param or "
     "state",
     ""},
    {"size n = 2.5\n", LH_ERROR_SHAPE, 1, 1, "size n: a size is a whole number up to 1073741824",
     ""},
    {"size n = -1\n", LH_ERROR_SHAPE, 1, 1, "size n: a size is a whole number up to 1073741824",
     ""},
    {"vocab A B\nexample A -> B\nsize n = rows(tokens)\n", LH_ERROR_SHAPE, 3, 1,
     "size n: a size is a whole number up to 1073741824", ""},
    {"vocab A B\nexample A -> B\nparam W : n x 2 = 0\n", LH_ERROR_NAME, 3, 11,
     "n is not defined here", "define it in a line above: n = ..."},
    {"vocab A B\nexample A B -> B\nparam W = [1 2; 3 4]\nL = sum(W[tokens])\nbackward L\nW := W - "
     "dW\n",
     LH_ERROR_SHAPE, 6, 1,
     "W has one value for all examples, but this value differs from example to example",
     "average(...) or total(...) combines the examples"},
    {"vocab A B\nexample A B -> B\nparam W = [1 2; 3 4]\nW := [1 2 3]\n", LH_ERROR_SHAPE, 4, 1,
     "W is 2x2, but the new value is 1x3", ""},
    {"vocab A B\nexample A B -> B\nexample A -> B\nparam W = [1 2; 3 4]\na = average(W[tokens])\n",
     LH_ERROR_SHAPE, 5, 5,
     "average(W[tokens]): tokens x 2: examples have different lengths here: take sum(...) or "
     "mean(...) of each first",
     ""},
    {"vocab A B\nexample A B -> B\nx = tokens == \"C\"\n", LH_ERROR_VALUE, 3, 15,
     "\"C\" is not in the vocabulary", "it has 2 words, from A to B"},
    {"vocab v = A B\nvocab w = C D\nx = \"A\"\n", LH_ERROR_NAME, 3, 5,
     "\"A\" is a word, but of which vocabulary?",
     "compare it with a value that consists of tokens: source == \"A\""},
    {"each W in params\n  W := W\nend\n", LH_ERROR_NAME, 1, 1,
     "each W in params: no param has a gradient yet",
     "`backward L` computes them, and must come first"},
    {"x = norm(gradients)\n", LH_ERROR_NAME, 1, 10, "there are no gradients yet",
     "`backward loss` computes them, for every param that affects the loss"},
    {"next x = 1\n", LH_ERROR_TEXT, 1, 1, "`next` is only allowed inside `repeat`",
     "next X = ... belongs between repeat and its end"},
    {"x = last\n", LH_ERROR_TEXT, 1, 5, "`last` can only be used alone, between [ and ]",
     "H[last] is the last row, H[rows(H) - 2] the one before it"},
    {"generate foo from bar\n", LH_ERROR_NAME, 1, 10,
     "generate foo: it is not an input made of tokens", ""},
    {"vocab A B\nexample A -> B\ngenerate tokens from logits\n", LH_ERROR_NAME, 3, 1,
     "generate tokens from logits: there is no logits in this program", ""},
    {"vocab A B\nexample A -> B\nlogits = [1 2]\ngenerate tokens from logits until \"C\"\n",
     LH_ERROR_VALUE, 4, 1, "\"C\" is not in the vocabulary", "it has 2 words, from A to B"},
    {"param W = [1 2; 3 4]\nW := W * 2\nL = sum(W)\nbackward L\n", LH_ERROR_NAME, 4, 1,
     "W is updated above: the old and the new W would both have a gradient dW",
     "write W := ... below `backward`"},
    {"fn f(x)\n  repeat h for 2\n    z = x\n  end\n  y = x\nend\na = f(1)\n", LH_ERROR_TEXT, 2, 3,
     "`repeat` is not allowed inside `fn f`, which begins in line 1",
     "put the `end` of that block above this line"},
    {"fn f(x)\n  const c = 2\n  y = x * c\nend\na = f(1)\n", LH_ERROR_TEXT, 2, 3,
     "`const` is not allowed inside `fn f`, which begins in line 1",
     "put the `end` of that block above this line"},
    {"vocab 1000000000\n", LH_ERROR_LIMIT, 1, 1,
     "1000000000 words are too many; the maximum is 4194304", ""},
    {"x = file(\"a.txt\")\n", LH_ERROR_NAME, 1, 5,
     "file(...) is an initial value: it can only be used alone, after the = of const, param or "
     "state",
     ""},
    {"const x = file(\"a.txt\")\n", LH_ERROR_FILE, 1, 11, "files cannot be read here", ""},
    {"a = 1 == 2 == 3\n", LH_ERROR_TEXT, 1, 12,
     "a formula can compare only once, and this is a second `==`", "(a < b) * (b < c) means both"},
    {"seed abc\n", LH_ERROR_TEXT, 1, 9, "expected a whole number, found the end of the line",
     "seed 42, or seed numpy 42"},
    {"x = A^T\n", LH_ERROR_NAME, 1, 5, "A is not defined here",
     "define it in a line above: A = ..."},
    {"x = \"A\"\n", LH_ERROR_NAME, 1, 5, "\"A\" is a word, but of which vocabulary?",
     "compare it with a value that consists of tokens: source == \"A\""},
    {"example\n", LH_ERROR_TEXT, 1, 8, "words are missing here",
     "example A B -> C, or example source = A B, target = C"},
    {"A = spread([1 2], [1; 2])\n", LH_ERROR_SHAPE, 1, 5,
     "spread([1 2], [1; 2]): 1x2 by 2x1: 2 columns cannot be stretched to 1", ""},
    {"size n = 0\nparam W : n x 2 = normal(1)\n", LH_ERROR_SHAPE, 2, 11,
     "a size must be a whole number from 1 to 1073741824, but n is 0",
     "a larger n: only a number of turns (repeat ... for n) may be 0"},
    {"size n = 0\nx = zeros(3 * n, 2)\n", LH_ERROR_SHAPE, 2, 5,
     "a size must be a whole number from 1 to 1073741824, but n is 0",
     "a larger n: only a number of turns (repeat ... for n) may be 0"},
    {"A = zeros(0, 2)\n", LH_ERROR_SHAPE, 1, 11,
     "a size must be a whole number from 1 to 1073741824, but this is 0", ""},
    {"A = zeros(2.5, 2)\n", LH_ERROR_SHAPE, 1, 11,
     "a size must be a whole number from 1 to 1073741824, but this is 2.5", ""},
    {"A = onehot([1; 2], 0)\n", LH_ERROR_SHAPE, 1, 20,
     "a size must be a whole number from 1 to 1073741824, but this is 0", ""},
    {"x = linspace([1 2], 3, 4)\n", LH_ERROR_SHAPE, 1, 5,
     "linspace([1 2], 3, 4): 1x2 by 1x1: the beginning is one number", ""},
    {"vocab A B\ninput x : vocab*\nexample x = A\ninput y : vocab*\n", LH_ERROR_TEXT, 4, 1,
     "inputs must come before the first example", ""},
    {"A = [1 2 3; 4 5 6]\nB = [1 2; 3 4; 5 6]\nC = A + B\n", LH_ERROR_SHAPE, 3, 5,
     "A + B: 2x3 by 3x2: rows differ (2 and 3)", "did you mean B^T?"},
    {"param weight = [1 2]\nwieght := 2\n", LH_ERROR_NAME, 2, 1, "wieght is not defined here",
     "did you mean weight?"},
    {"param W = [1 2]\nL = sum(W)\nbackward LL\n", LH_ERROR_NAME, 3, 10,
     "backward LL: LL is not defined here", "did you mean L?"},
    {"vocab A B\nexample A B -> B\nexample A -> B\nconst E = [1 2; 3 4]\ny = E[tokens][1]\n",
     LH_ERROR_SHAPE, 5, 5,
     "E[tokens][1]: 2x2 by tokens x 1: the row must be one number known before the program runs, "
     "and tokens is "
     "not",
     "(a[t])[i] is row i of the rows that t names"},
    {"vocab A B\nexample A B -> B\nconst E = [1 2; 3 4]\nx = E[tokens]\ny = x[2]\n", LH_ERROR_SHAPE,
     5, 5, "there is no row 2 in example 0: it has 2, counted from 0", ""},
    {"repeat i for 1000\n  repeat j for 1000\n    x = i * j\n  end\nend\n", LH_ERROR_LIMIT, 3, 5,
     "the program has more than 1000000 operations", ""},
    {"param A : 1 x 1000000000 = 0\nparam B : 1000000000 x 1 = 0\nC = B @ A\n", LH_ERROR_LIMIT, 3,
     5, "1000000000x1000000000 is too large: 1e+18 numbers", ""},
    {"param A : 1 x 100000000 = 0\nh = split(A, 100000000)\nparam B : 100000000 x 1 = 0\nC = h * "
     "B\n",
     LH_ERROR_LIMIT, 4, 5, "100000000x1 in 100000000 heads is too large: 1e+16 numbers", ""},
    {"fn f(x)\n  y = x + 1\nend\nx = f(\"A\")\n", LH_ERROR_NAME, 4, 7,
     "\"A\" is a word, but of which vocabulary?",
     "compare it with a value that consists of tokens: source == \"A\""},
    {"x = 1\ny = x(2)\n", LH_ERROR_NAME, 2, 5, "there is no function x",
     "x is a value: * multiplies"},
    {"a.b = 3\n", LH_ERROR_TEXT, 1, 2, "`.` is not part of the notation",
     "a transpose is written K^T, a number 0.5"},
    {"W = [1 2\n", LH_ERROR_TEXT, 1, 5, "this bracket is never closed",
     "add the closing bracket where it belongs"},
    {"text A\n", LH_ERROR_NAME, 1, 1, "an example needs a vocabulary",
     "vocab A B C D, in a line above"},
    {"vocab A B\ntext A\n", LH_ERROR_VALUE, 2, 1,
     "text needs at least two words: each is the target of the one before it", ""},
    {"vocab A B\ntext A C\n", LH_ERROR_VALUE, 2, 1, "\"C\" is not in the vocabulary",
     "it has 2 words, from A to B"},
    {"input x : 2 x 2\nexample x = 1 2 3\n", LH_ERROR_VALUE, 2, 9, "x takes 4 numbers, not 3", ""},
};

static const stopped stops[] = {
    {"A = [1 2; 3 4]\nb = pick(A, [0; 7] * 1)\n", "pick", 2, 1, 0, true},
    {"A = [1 2; 3 4]\nb = A[[0; 2] * 1]\n", "[t]", 2, 1, 0, true},
    {"x = log(-1)\n", "log", 1, 0, 0, true},
    {"param W = [1 0]\nx = log(W)\n", "log", 2, 0, 1, false},
    {"param W = [-1 0]\nx = sqrt(W)\ny = x * 2\n", "sqrt", 2, 0, 0, true},
    {"param x = [1 2; 3 4]\nP = softmax(where(colindex(x) >= 0, -inf, x))\n", "-", 2, 0, 0, true},
    {"param x = [1000 0]\ny = exp(x)\nz = y / y\n", "exp", 2, 0, 0, false},
    {"x = 1 / 0\n", "/", 1, 0, 0, false},
    {"param W = 1 / 0\ny = W * 2\n", "/", 1, 0, 0, false},
    {"vocab A B\ninput x : 1 x 1\nexample x = nan\ny = x * 2\n", "input", 2, 0, 0, true},
    {"L = nll(softmax([1 2]), sum([2 3]))\n", "pick", 1, 0, 0, true},
    {"vocab A B\ninput x : 1 x 1\nexample x = inf\ny = x * 2\n", "input", 2, 0, 0, false},
    {"vocab A B\ninput x : vocab\ninput t : vocab\nexamples x = [0; 1; 5], t = [0; 1; 1]\nconst E "
     "= [1 2; 3 4]\ny = E[x]\n",
     "[t]", 6, 0, 0, true},
};

/* The largest piece of memory that was asked for. */
static size_t largest;

static void *alloc_noted(size_t size) {
    if (size > largest) largest = size;
    return size > (size_t)1 << 28 ? NULL : malloc(size);
}

/* Everything that can be done with a text; what went wrong stays in the context. */
static lh_trouble do_all(lh_context *ctx, const char *text, size_t length) {
    lh_trouble t = {0};
    ctx->alloc = alloc_noted;
    largest = 0;
    lh_program *p = lh_program_parse(ctx, "wrong.lh", text, length);
    lh_graph *g = lh_graph_build(ctx, p, NULL);
    lh_plan *plan = g ? lh_exact.plan(g, &(lh_wish){.all = true}) : NULL;
    if (plan) {
        lh_exact.start(plan);
        lh_exact.bind(plan, NULL, 0);
        lh_exact.run(plan);
        if (!lh_failed(ctx)) t = lh_exact.trouble(plan);
        if (t.node) /* what it points at goes now */
            lh_fail(ctx, LH_OK, t.node->at, "%s", t.node->op->name);
    }
    lh_exact.free(plan);
    lh_graph_free(g);
    lh_program_free(p);
    return t;
}

static bool has_part(const char *text, const char *part) {
    return *part ? strstr(text, part) != NULL : !*text;
}

static void wrong_programs_get_their_message(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const wrong *w = &wrongs[i];
        lh_context *ctx = lh_context_new();
        do_all(ctx, w->text, strlen(w->text));
        const lh_error *e = lh_context_error(ctx);
        if (!lh_failed(ctx) || e->kind != w->kind || e->at.line != w->line || e->at.col != w->col ||
            !has_part(e->what, w->what) || !has_part(e->cure, w->cure)) {
            fprintf(stderr,
                    "%s=> kind %d at %d:%d: %s (%s)\n   kind %d at %d:%d: %s (%s) expected\n",
                    w->text, (int)e->kind, e->at.line, e->at.col, e->what, e->cure, (int)w->kind,
                    w->line, w->col, w->what, w->cure);
            bad++;
        }
        lh_context_free(ctx);
    }
    assert_int_equal(bad, 0);
}

static void the_first_number_that_is_none_is_named(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        const stopped *s = &stops[i];
        lh_context *ctx = lh_context_new();
        lh_trouble t = do_all(ctx, s->text, strlen(s->text));
        const lh_error *e = lh_context_error(ctx);
        if (!t.node || strcmp(e->what, s->op) != 0 || e->at.line != s->line || t.at.row != s->row ||
            t.at.col != s->col || !isnan(t.value) != !s->is_nan) {
            fprintf(stderr, "%s=> %s in line %d, [%d][%d]: %g\n", s->text, e->what, e->at.line,
                    t.at.row, t.at.col, t.value);
            bad++;
        }
        lh_context_free(ctx);
    }
    assert_int_equal(bad, 0);
}

/* Numbers that are meant to be infinite are no trouble. */
static void masks_are_no_trouble(void **state) {
    (void)state;
    static const char *const texts[] = {
        "param x = [1 2; 3 4]\nP = softmax(where(later(x, x), -inf, x))\n",
        "const m = -inf\nconst n = [0; 1] * 3\ny = exp(m)\nz = where(n > 1, m, n)\n",
        "param x = [1 2; 3 4]\nH = attention(x, x, x, hide = later(x, x))\nL = sum(H)\nbackward "
        "L\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lh_context *ctx = lh_context_new();
        lh_trouble t = do_all(ctx, texts[i], strlen(texts[i]));
        if (lh_failed(ctx) || t.node) fail_msg("%s\n%s", lh_context_error(ctx)->what, texts[i]);
        lh_context_free(ctx);
    }
}

static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Refused or done, but soon, and without much memory. */
static void is_soon_over(const char *what, const char *text, size_t length) {
    lh_context *ctx = lh_context_new();
    double from = seconds();
    do_all(ctx, text, length);
    if (lh_failed(ctx) && !*lh_context_error(ctx)->what) fail_msg("%s: no message", what);
    if (seconds() - from > 10) fail_msg("%s takes %g seconds", what, seconds() - from);
    lh_context_free(ctx);
}

static char *repeated(lh_text *t, const char *what, int n) {
    for (int i = 0; i < n; i++) lh_text_add(t, "%s", what);
    return t->s;
}

static void depth_and_length_are_limited(void **state) {
    (void)state;
    static const char *const deep[][3] = {
        {"x = ", "(", "1"},
        {"x = ", "-", "1"},
        {"x = ", "exp(", "1"},
        {"x = ", "[", "1"},
        {"x = ", "1 + ", "1"},
        {"x = ", "2^", "2"},
        {"x = 1", "^T", "\n"},
        {"x = 1", "[0]", "\n"},
        {"x = 1", " @ 1", "\n"},
        {"", "repeat h for 2\n", "x = 1\n"},
        {"x = ", "softmax(", "1"},
        {"x = 1", " * 0.5", "\nparam W = 1\nL = W * x\nbackward L\n"},
        {"param W = 1\nL = W", " * sin(W)", "\nbackward L\n"},
        {"param W = 1\nL = ", "tanh(", "W"},
        {"x = \"", "a", "\""},
        {"# ", "long ", "\n"},
        {"example ", "A ", "\n"},
    };
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
        for (int n = 10; n <= (engine_quick() ? 10000 : 1000000); n *= 10) {
            lh_context *ctx = lh_context_new();
            lh_arena *arena = lh_arena_new(ctx);
            lh_text t = lh_text_new(arena);
            lh_text_add(&t, "%s", deep[i][0]);
            repeated(&t, deep[i][1], n);
            lh_text_add(&t, "%s", deep[i][2]);
            if (strchr(deep[i][1], '(')) repeated(&t, ")", n);
            is_soon_over(deep[i][1], t.s, t.n);
            lh_arena_free(arena);
            lh_context_free(ctx);
        }
}

/* Lines that each use the one before twice: what looks through names must not look 2^n times. */
static void doubling_is_no_explosion(void **state) {
    (void)state;
    static const char *const forms[] = {"x%d = x%d + x%d\n", "x%d = x%d * x%d\n",
                                        "x%d = max(x%d, x%d)\n", "size x%d = x%d * x%d\n",
                                        "const x%d = x%d * x%d\n"};
    static const char *const ends[] = {
        "A = [1 2; 3 4]\ny = A[x60 * 0]\n", "y = zeros(x60 * 1, 1)\n",
        "param W = 2\nL = W^x60\nbackward L\n", "repeat h for x60\n  y = 1\nend\n"};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            char text[8192];
            size_t n = 0;
            n += (size_t)snprintf(text, sizeof text, "%s x0 = 1\n",
                                  f == 3   ? "size"
                                  : f == 4 ? "const"
                                           : "");
            for (int i = 1; i <= 60; i++)
                n += (size_t)snprintf(text + n, sizeof text - n, forms[f], i, i - 1, i - 1);
            snprintf(text + n, sizeof text - n, "%s", ends[k]);
            is_soon_over("doubling", text, strlen(text));
        }
}

/* Functions that call functions, each twice: refused by depth or by the number of operations. */
static void deep_functions_are_refused(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *arena = lh_arena_new(ctx);
    for (int twice = 0; twice < 2; twice++) {
        lh_text t = lh_text_new(arena);
        lh_text_add(&t, "fn f0(x)\n  y = x + 1\nend\n");
        for (int i = 1; i < 60; i++)
            lh_text_add(&t,
                        twice ? "fn f%d(x)\n  y = f%d(x) + f%d(x)\nend\n"
                              : "fn f%d(x)\n  y = f%d(x)\nend\n",
                        i, i - 1, i - 1);
        for (int depth = 10; depth < 60; depth += 15) {
            char *text = lh_printf(arena, "%sz = f%d(1)\n", t.s, depth);
            is_soon_over("functions", text, strlen(text));
        }
        char *text = lh_printf(arena, "%sz = f40(1)\n", t.s);
        lh_context *own = lh_context_new();
        do_all(own, text, strlen(text));
        assert_true(lh_failed(own));
        assert_int_equal(lh_context_error(own)->kind, LH_ERROR_LIMIT);
        lh_context_free(own);
    }
    lh_arena_free(arena);
    lh_context_free(ctx);
}

/* Sizes that no machine has are refused before memory is asked for. */
static void sizes_are_refused_before_memory_is_taken(void **state) {
    (void)state;
    static const char *const texts[] = {
        "param W : 1000000000 x 1000000000 = 0\n",
        "param W : 1000000000 x 1000000000 = normal(1)\n",
        "const W = zeros(1000000000, 1000000000)\n",
        "x = zeros(1073741824, 1073741824)\n",
        "x = rowindex(1073741824, 1000) @ colindex(1000, 1073741824)\n",
        "input x : 1000000000 x 1000000000\n",
        "vocab 1000000000\n",
        "vocab 2147483647\nparam E : vocab x vocab = 0\n",
        "x = onehot([1; 2], 1000000000) ^T @ onehot([1; 2], 1000000000)\n",
        "param A : 1 x 1000000000 = 0\nh = split(A, 1000000000)\nC = h * A^T\n",
        "size n = 1000000000, m = n * n\n",
        "param W : 1000000000 * 1000000000 x 1 = 0\n",
        "param W : 8192 x 1073741824 = 0\ny = beside(W, W)\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lh_context *ctx = lh_context_new();
        do_all(ctx, texts[i], strlen(texts[i]));
        if (!lh_failed(ctx)) fail_msg("not refused: %s", texts[i]);
        if (largest > (size_t)1 << 26) fail_msg("asked for %zu bytes: %s", largest, texts[i]);
        lh_context_free(ctx);
    }
}

/* Any bytes at all. */
static void garbage_is_refused(void **state) {
    (void)state;
    static char bytes[1 << 16];
    uint32_t x = 2463534242u;
    for (int round = 0; round < 300; round++) {
        size_t n = (size_t)(round * 97 % 4000);
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            bytes[i] = (char)(round % 3 ? x : 32 + x % 95);
        }
        is_soon_over("garbage", bytes, n);
    }
    memset(bytes, 0, sizeof bytes);
    is_soon_over("zeros", bytes, sizeof bytes);
    memset(bytes, 0xff, sizeof bytes);
    is_soon_over("ones", bytes, sizeof bytes);
}

/* An address that is none. */
static void wrong_addresses_get_their_message(void **state) {
    (void)state;
    static const struct {
        const char *address, *what;
    } list[] = {
        {"", "the address is empty"},
        {"Q[5][0]", "there is no row 5"},
        {"Q[0][9]", "there is no column 9"},
        {"Qq", "there is no step named Qq"},
        {"Q[0", "a ] is missing"},
        {"Q{example 3}[0][0]", "there is no example 3"},
        {"Q{head 3}[0][0]", "there is no head 3"},
        {"Q{cat 1}", "{example N, head N} is expected"},
        {"Q@x", "number of a step"},
        {"Q[99999999999999999999][0]", "is expected"},
        {"[0][0]", "a name is missing"},
        {"Q[0][0][0]", "there is no step"},
        {"..", "there is no step"},
        {"h[0]", "there is no step"},
        {"Q[-1][0]", "is expected"},
        {"Q[0][0]x", "there is no step"},
    };
    engine e;
    assert_true(engine_open(&e,
                            "vocab A B\nexample A B -> B\nexample A A -> B\nparam E = [1 2; 3 4]\n"
                            "Q = E[tokens] @ E\nL = sum(Q)\nbackward L\n",
                            NULL));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        lh_explanation *x = lh_explain(e.graph, list[i].address, NULL);
        if (x || !lh_failed(e.ctx) || !strstr(lh_context_error(e.ctx)->what, list[i].what))
            fail_msg("%s: %s", list[i].address, lh_context_error(e.ctx)->what);
        lh_context_clear(e.ctx);
    }
    engine_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_programs_get_their_message),
        cmocka_unit_test(the_first_number_that_is_none_is_named),
        cmocka_unit_test(masks_are_no_trouble),
        cmocka_unit_test(depth_and_length_are_limited),
        cmocka_unit_test(doubling_is_no_explosion),
        cmocka_unit_test(deep_functions_are_refused),
        cmocka_unit_test(sizes_are_refused_before_memory_is_taken),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(wrong_addresses_get_their_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
