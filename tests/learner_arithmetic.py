"""The arithmetic of simulated learners: formulas of a worksheet, worked out without any of Longhand's own code.

A matrix is a list of rows. A value that exists once for each example is an Each, one with heads a Heads. What a calculator
does to every single result is `Hand.fix`.
"""

import math

from learner_formula import read  # noqa: F401  (those who work formulas out read them, too)


class Each(list):
    """One value for each example."""


class Heads(list):
    """One matrix for each head."""


class Hand:
    """How a learner works single operations out: what the display keeps, which root is taken."""

    def __init__(self, fix=None, root=math.sqrt):
        self.fix, self.root = fix, root


EXACT = Hand()


# ---- matrices ----


def lift(f, *args):
    """f for each example and each head of whatever has them; of fewer heads each serves several neighbours."""
    for kind in (Each, Heads):
        n = max((len(a) for a in args if type(a) is kind), default=0)
        if n:
            return kind([lift(f, *[b[i * len(b) // n] if type(b) is kind else b for b in args]) for i in range(n)])
    return f(*args)


def stretch(a, rows, cols):
    if len(a) == rows and len(a[0]) == cols:
        return a
    if len(a[0]) == 1 and cols > 1:
        a = [row * cols for row in a]
    return a * rows if len(a) == 1 and rows > 1 else a


def cellwise(hand, f):
    fix = hand.fix

    def both(a, b):
        rows, cols = max(len(a), len(b)), max(len(a[0]), len(b[0]))
        a, b = stretch(a, rows, cols), stretch(b, rows, cols)
        if fix:
            return [[fix(f(x, y)) for x, y in zip(r, s)] for r, s in zip(a, b)]
        return [[f(x, y) for x, y in zip(r, s)] for r, s in zip(a, b)]

    return both


def each_cell(hand, f):
    fix = hand.fix
    if fix:
        return lambda a: [[fix(f(x)) for x in row] for row in a]
    return lambda a: [[f(x) for x in row] for row in a]


def product(hand):
    fix = hand.fix

    def plain(a, b):
        columns = list(zip(*b))
        return [[sum(x * y for x, y in zip(row, col)) for col in columns] for row in a]

    def kept(a, b):
        out = []
        for row in a:
            line = []
            for col in zip(*b):
                total = 0.0
                for x, y in zip(row, col):
                    total = fix(total + fix(x * y))
                line.append(total)
            out.append(line)
        return out

    return kept if fix else plain


def transposed(a):
    return [list(row) for row in zip(*a)]


def divide(x, y):
    if y == 0:
        return math.nan if x == 0 or x != x else math.copysign(math.inf, x)
    return x / y


def exp(x):
    if x != x:
        return x
    return math.exp(x) if x < 700 else math.inf


def largest(row):
    """Of a row with an error in it: an error."""
    return next((x for x in row if x != x), None) or max(row)


def log(x):
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def power(x, y):
    try:
        return x**y if not (x < 0 and y != int(y)) else math.nan
    except (OverflowError, ZeroDivisionError):
        return math.inf


def rounded_down(x):
    return float(math.floor(x)) if math.isfinite(x) else x


SIGNS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": divide,
    "^": power,
    "==": lambda x, y: float(x == y),
    "!=": lambda x, y: float(x != y),
    "<": lambda x, y: float(x < y),
    "<=": lambda x, y: float(x <= y),
    ">": lambda x, y: float(x > y),
    ">=": lambda x, y: float(x >= y),
    "max": lambda x, y: largest([x, y]),
    "min": lambda x, y: min(x, y),
}

CELLS = {
    "exp": exp,
    "log": log,
    "tanh": math.tanh,
    "erf": math.erf,
    "sin": math.sin,
    "cos": math.cos,
    "abs": abs,
    "floor": rounded_down,
    "relu": lambda x: largest([x, 0.0]),
    "sigmoid": lambda x: 1 / (1 + exp(-x)),
    "silu": lambda x: x / (1 + exp(-x)),
    "gelu": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
}


def number(x):
    return [[float(x)]]


def whole(a):
    return int(a[0][0])


def gather(a, t):
    return [list(a[int(row[0])]) for row in t]


def placed(x, like, row, col):
    rows, cols = len(like), len(like[0])
    out = [[0.0] * cols for _ in range(rows)]
    top = rows - len(x) if row is None else row
    for i, line in enumerate(x):
        for j, v in enumerate(line):
            out[top + i][col + j] = v
    return out


def add_rows(x, t, n):
    out = [[0.0] * len(x[0]) for _ in range(n)]
    for line, row in zip(x, t):
        at = int(row[0])
        out[at] = [a + b for a, b in zip(out[at], line)]
    return out


def split(a, n):
    width = len(a[0]) // n
    return Heads([[row[k * width : (k + 1) * width] for row in a] for k in range(n)])


def join(a):
    """The heads beside each other; for each example alone."""
    if type(a) is Each:
        return Each([join(x) for x in a])
    return [sum((h[i] for h in a), []) for i in range(len(a[0]))] if type(a) is Heads else a


def over_heads(a, f):
    if type(a) is Each:
        return Each([over_heads(x, f) for x in a])
    return f(a) if type(a) is Heads else a


def cell_sum(values):
    out = values[0]
    for v in values[1:]:
        out = lift(lambda a, b: [[x + y for x, y in zip(r, s)] for r, s in zip(a, b)], out, v)
    return out


def over_examples(a, hand, is_mean):
    if type(a) is not Each:
        return a
    total = cell_sum(a)
    if not is_mean:
        return total
    return lift(each_cell(hand, lambda x: x / len(a)), total)


def spread(a, like):
    return stretch(a, len(like), len(like[0]))


def layer_norm(hand, x, g, b, eps, is_std):
    plus, minus, times, over = (cellwise(hand, SIGNS[s]) for s in "+-*/")
    width = number(len(x[0]))
    mean = over([[sum(r)] for r in x], width)
    c = minus(x, mean)
    v = over([[sum(r)] for r in times(c, c)], width)
    root = each_cell(hand, math.sqrt)
    d = plus(root(v), eps) if is_std else root(plus(v, eps))
    return plus(times(over(c, d), g), b)


def softmax(hand, x):
    m = [[largest(r)] for r in x]
    e = each_cell(hand, exp)(cellwise(hand, SIGNS["-"])(x, m))
    return cellwise(hand, divide)(e, [[sum(r)] for r in e])


def rms_norm(hand, x, g, eps):
    plus, times, over = (cellwise(hand, SIGNS[s]) for s in "+*/")
    v = over([[sum(r)] for r in times(x, x)], number(len(x[0])))
    return times(over(x, each_cell(hand, math.sqrt)(plus(v, eps))), g)


def kept_largest(row, k):
    """1 at the k largest; of equal ones the first."""
    best = sorted(range(len(row)), key=lambda j: (-row[j], j))[:k]
    return [float(j in best) for j in range(len(row))]


def partner(j, apart):
    """The column that makes a pair with column j."""
    return j + apart if j // apart % 2 == 0 else j - apart


def speeds(width, base, apart):
    """By which angle rope turns each column's pair from one position to the next."""
    pair = [j // (2 * apart) * apart + j % apart for j in range(width)]
    return [base ** (-2 * k / width) for k in pair]


def turned(hand, x, w, apart):
    """Each pair of columns as an arrow, turned by its position times its speed."""
    fix = hand.fix or (lambda v: v)
    out = []
    for i, row in enumerate(x):
        line = []
        for j, v in enumerate(row):
            a = i * w[j if len(w) > 1 else 0]
            sign = -1 if j // apart % 2 == 0 else 1
            line.append(fix(fix(v * math.cos(a)) + fix(sign * row[partner(j, apart)] * math.sin(a))))
        out.append(line)
    return out


# ---- functions of the notation ----


class Evaluator:
    """Works trees out. `names` finds the value of a name, `words` the number of a word in the vocabulary of a name."""

    def __init__(self, names, words=None, hand=EXACT):
        self.names, self.words, self.hand = names, words, hand

    def value(self, t):
        kind = t[0]
        if kind == "name":
            return self.names(t[1])
        if kind == "number":
            return number(t[1])
        if kind == "matrix":
            return t[1]
        if kind == "neg":
            return lift(lambda a: [[-x for x in r] for r in a], self.value(t[1]))
        if kind == "T":
            return lift(transposed, self.value(t[1]))
        if kind == "@":
            return lift(product(self.hand), self.value(t[1]), self.value(t[2]))
        if kind in SIGNS:
            return self.sign(kind, t[1], t[2])
        if kind == "last":
            return lift(lambda a: [list(a[-1])], self.value(t[1]))
        if kind == "row":
            return self.row(t)
        if kind == "column":
            return lift(lambda a, j: [[r[whole(j)]] for r in a], self.value(t[1]), self.value(t[2]))
        if kind == "call":
            return self.call(t)
        raise ValueError("no operation %s" % kind)

    def sign(self, sign, left, right):
        for a, b in ((left, right), (right, left)):
            if a[0] == "word":
                word = number(self.words(a[1], b))
                return lift(cellwise(EXACT, SIGNS[sign]), self.value(b), word)
        hand = self.hand if sign in "+-*/^" else EXACT
        return lift(cellwise(hand, SIGNS[sign]), self.value(left), self.value(right))

    def row(self, t):
        """a[t]: the rows that t says. a[i][j]: one cell."""
        if t[1][0] == "row":
            base, i, j = self.value(t[1][1]), self.value(t[1][2]), self.value(t[2])
            return lift(lambda a, r, c: number(a[whole(r)][whole(c)]), base, i, j)
        if t[1][0] == "last":
            return lift(lambda a, c: number(a[-1][whole(c)]), self.value(t[1][1]), self.value(t[2]))
        return lift(gather, self.value(t[1]), self.value(t[2]))

    def call(self, t):
        name, args = t[1], [x for x in t[2:] if x[0] != "given"]
        options = {x[1]: x[2] for x in t[2:] if x[0] == "given"}
        if name in CELLS:
            return lift(each_cell(self.hand, CELLS[name]), self.value(args[0]))
        if name in ("max", "min"):
            return lift(cellwise(EXACT, SIGNS[name]), self.value(args[0]), self.value(args[1]))
        found = getattr(self, "do_" + name, None)
        if not found:
            raise ValueError("no function %s" % name)
        return found(*args, **options)

    def do_sqrt(self, a):
        root = self.hand.root
        return lift(each_cell(self.hand, lambda x: root(x) if x >= 0 else math.nan), self.value(a))

    def do_where(self, c, a, b):
        def choose(c, a, b):
            rows = max(len(c), len(a), len(b))
            cols = max(len(c[0]), len(a[0]), len(b[0]))
            c, a, b = (stretch(x, rows, cols) for x in (c, a, b))
            return [[y if x else z for x, y, z in zip(p, q, r)] for p, q, r in zip(c, a, b)]

        return lift(choose, self.value(c), self.value(a), self.value(b))

    def reduced(self, f, a):
        fix = self.hand.fix
        return lift(lambda m: [[fix(x) if fix else x for x in r] for r in f(m)], self.value(a))

    def do_rowsum(self, a):
        return self.reduced(lambda m: [[sum(r)] for r in m], a)

    def do_colsum(self, a):
        return self.reduced(lambda m: [[sum(c) for c in zip(*m)]], a)

    def do_sum(self, a):
        return self.reduced(lambda m: number(sum(map(sum, m))), a)

    def do_rowmean(self, a):
        return self.reduced(lambda m: [[sum(r) / len(r)] for r in m], a)

    def do_mean(self, a):
        return self.reduced(lambda m: number(sum(map(sum, m)) / (len(m) * len(m[0]))), a)

    def do_rowmax(self, a):
        return lift(lambda m: [[largest(r)] for r in m], self.value(a))

    def do_argmax(self, a):
        return lift(lambda m: [[float(r.index(max(r)))] for r in m], self.value(a))

    def do_topk(self, a, k):
        return lift(lambda m, n: [kept_largest(r, whole(n)) for r in m], self.value(a), self.value(k))

    def do_cumsum(self, a):
        return self.reduced(lambda m: [[sum(r[: j + 1]) for j in range(len(r))] for r in m], a)

    def do_mod(self, a, b):
        return lift(cellwise(EXACT, lambda x, y: x - y * math.floor(x / y)), self.value(a), self.value(b))

    def do_headsum(self, a):
        return over_heads(self.value(a), cell_sum)

    def do_total(self, a):
        return over_examples(self.value(a), self.hand, False)

    def do_average(self, a):
        return over_examples(self.value(a), self.hand, True)

    def do_columns(self, a, i, j):
        return lift(lambda m, p, q: [r[whole(p) : whole(q)] for r in m], *map(self.value, (a, i, j)))

    def do_pick(self, a, t):
        return lift(lambda m, k: [[r[int(c[0])]] for r, c in zip(m, k)], self.value(a), self.value(t))

    def do_onehot(self, t, n):
        return lift(
            lambda k, w: [[float(j == int(r[0])) for j in range(whole(w))] for r in k], self.value(t), self.value(n)
        )

    def do_addrows(self, x, t, n):
        return lift(lambda m, k, w: add_rows(m, k, whole(w)), *map(self.value, (x, t, n)))

    def do_place(self, x, like, row, col):
        at = None if row == ("name", "last") else int(row[1])
        return lift(lambda m, n: placed(m, n, at, int(col[1])), self.value(x), self.value(like))

    def do_split(self, a, n):
        return lift(lambda m, k: split(m, whole(k)), self.value(a), self.value(n))

    def do_join(self, a):
        return join(self.value(a))

    def do_reverse(self, a):
        return over_heads(self.value(a), lambda h: Heads(reversed(h)))

    def do_beside(self, a, b):
        return lift(lambda m, n: [r + s for r, s in zip(m, n)], self.value(a), self.value(b))

    def do_above(self, a, b):
        return lift(lambda m, n: m + n, self.value(a), self.value(b))

    def do_swap(self, a, n):
        return lift(
            lambda m, k: [[r[partner(j, whole(k))] for j in range(len(r))] for r in m], self.value(a), self.value(n)
        )

    def do_spread(self, a, like):
        return lift(spread, self.value(a), self.value(like))

    def shaped(self, f, args):
        if len(args) == 2:
            r, c = self.value(args[0]), self.value(args[1])
            return lift(lambda p, q: [[f(i, j) for j in range(whole(q))] for i in range(whole(p))], r, c)
        return lift(lambda m: [[f(i, j) for j in range(len(m[0]))] for i in range(len(m))], self.value(args[0]))

    def do_zeros(self, *args):
        return self.shaped(lambda i, j: 0.0, args)

    def do_rowindex(self, *args):
        return self.shaped(lambda i, j: float(i), args)

    def do_colindex(self, *args):
        return self.shaped(lambda i, j: float(j), args)

    def do_positions(self, a):
        return lift(lambda m: [[float(i)] for i in range(len(m))], self.value(a))

    def do_linspace(self, a, b, n):
        def line(p, q, k):
            n, low, high = whole(k), p[0][0], q[0][0]
            return [[low + (high - low) * i / (n - 1)] for i in range(n)]

        return lift(line, *map(self.value, (a, b, n)))

    def do_rows(self, a):
        return lift(lambda m: number(len(m)), self.value(a))

    def do_cols(self, a):
        return lift(lambda m: number(len(m[0])), self.value(a))

    def do_softmax(self, a):
        return lift(lambda m: softmax(self.hand, m), self.value(a))

    def do_nll(self, p, t):
        picked = self.do_pick(p, t)
        return lift(each_cell(self.hand, lambda x: -log(x)), picked)

    def do_logsoftmax(self, a):
        def whole_row(m):
            out = []
            for r in m:
                top = largest(r)
                s = math.log(sum(exp(x - top) for x in r))
                out.append([x - top - s for x in r])
            return out

        return self.reduced(whole_row, a)

    def do_crossentropy(self, x, t):
        return lift(
            lambda m, k: [[-r[int(c[0])]] for r, c in zip(m, k)], self.do_logsoftmax(x), self.value(t)
        )

    def do_mse(self, a, b):
        d = self.sign("-", a, b)
        return lift(lambda m: number(sum(x * x for r in m for x in r) / (len(m) * len(m[0]))), d)

    def do_norm(self, a):
        return lift(lambda m: number(math.sqrt(sum(x * x for r in m for x in r))), self.value(a))

    def normed(self, x, g, b, eps, is_std):
        values = [self.value(v) if v else number(n) for v, n in ((g, 1), (b, 0), (eps, 0.00001))]
        return lift(lambda m, p, q, e: layer_norm(self.hand, m, p, q, e, is_std), self.value(x), *values)

    def do_layernorm(self, x, g=None, b=None, eps=None):
        return self.normed(x, g, b, eps, False)

    def do_layernormstd(self, x, g=None, b=None, eps=None):
        return self.normed(x, g, b, eps, True)

    def do_rmsnorm(self, x, g=None, eps=None):
        values = [self.value(v) if v else number(n) for v, n in ((g, 1), (eps, 0.00001))]
        return lift(lambda m, p, e: rms_norm(self.hand, m, p, e), self.value(x), *values)

    def do_swiglu(self, a, b):
        gate = lift(each_cell(self.hand, CELLS["silu"]), self.value(a))
        return lift(cellwise(self.hand, SIGNS["*"]), gate, self.value(b))

    def do_turns(self, x, base=None, apart=None):
        base, apart = (self.value(v) if v else None for v in (base, apart))
        b = base[0][0] if base else 10000
        return lift(lambda m: [speeds(len(m[0]), b, whole(apart) if apart else len(m[0]) // 2)], self.value(x))

    def do_rope(self, x, w=None, apart=None):
        w, apart = (self.value(v) if v else None for v in (w, apart))

        def one(m):
            n = whole(apart) if apart else len(m[0]) // 2
            return turned(self.hand, m, w[0] if w else speeds(len(m[0]), 10000, n), n)

        return lift(one, self.value(x))

    def do_cosine(self, a, b):
        def turned(m, n):
            la, lb = ([math.sqrt(sum(x * x for x in r)) for r in p] for p in (m, n))
            return [[sum(x * y for x, y in zip(r, s)) / p / q for s, q in zip(n, lb)] for r, p in zip(m, la)]

        return lift(turned, self.value(a), self.value(b))

    def do_later(self, a, b):
        return lift(lambda m, n: [[float(j > i) for j in range(len(n))] for i in range(len(m))], *map(self.value, (a, b)))

    def do_beyond(self, a, b, window, sinks=None):
        def hidden(m, n, w, s):
            return [[float(j > i or (i - j >= w[0][0] and j >= s[0][0])) for j in range(len(n))] for i in range(len(m))]

        return lift(hidden, *map(self.value, (a, b, window)), self.value(sinks) if sinks else number(0))

    def do_attention(self, q, k, v, hide=None):
        def looked(q, k, v, h):
            s = product(self.hand)(q, transposed(k))
            z = cellwise(self.hand, divide)(s, number(self.hand.root(len(k[0]))))
            h = stretch(h, len(z), len(z[0]))
            m = [[-math.inf if x else y for x, y in zip(r, t)] for r, t in zip(h, z)]
            return product(self.hand)(softmax(self.hand, m), v)

        hidden = self.value(hide) if hide else number(0)
        return lift(looked, self.value(q), self.value(k), self.value(v), hidden)

    def do_sinusoid(self, a):
        def waves(m):
            width = len(m[0])
            out = []
            for i in range(len(m)):
                angle = [i / 10000 ** ((j - j % 2) / width) for j in range(width)]
                out.append([math.cos(x) if j % 2 else math.sin(x) for j, x in enumerate(angle)])
            return out

        return lift(waves, self.value(a))
