"""Formulas that learners change: other ways to the same number, the known mistakes, and mistakes that nobody listed.

The known ones are written down here once more, from what they say and not from the catalogue's rules, so that a rule that
does not do what it says is found.
"""

import learner_arithmetic as ar

# ---- patterns ----
# Single letters stand for anything, `u` for what has a name of its own, `G` for a matrix that is given; `_` before a name stands
# for that very name.


def match(pattern, tree, found):
    if pattern[0] == "name" and len(pattern[1]) == 1:
        if pattern[1] in "uG" and tree[0] != "name":
            return False
        if pattern[1] in found:
            return found[pattern[1]] == tree
        found[pattern[1]] = tree
        return True
    if pattern[0] != tree[0] or len(pattern) != len(tree):
        return False
    for p, t in zip(pattern[1:], tree[1:]):
        if isinstance(p, tuple):
            if not isinstance(t, tuple) or not match(p, t, found):
                return False
        elif p != t:
            return False
    return True


def put(pattern, found):
    if pattern[0] == "name" and pattern[1] in found:
        return found[pattern[1]]
    return tuple(put(p, found) if isinstance(p, tuple) else p for p in pattern)


def places(pattern, tree):
    """Where a pattern fits, as paths into the tree."""
    out = [()] if match(pattern, tree, {}) else []
    for i, t in enumerate(tree):
        if isinstance(t, tuple):
            out += [(i,) + p for p in places(pattern, t)]
    return out


def replaced(tree, path, f):
    if not path:
        return f(tree)
    return tree[: path[0]] + (replaced(tree[path[0]], path[1:], f),) + tree[path[0] + 1 :]


def at_place(tree, path):
    for i in path:
        tree = tree[i]
    return tree


def gives(sheet, pattern, tree):
    """Does every `G` of a pattern that fits stand for something that is given on the sheet?"""
    letters = {}
    match(pattern, tree, letters)
    name = letters["G"][1] if "G" in letters else None
    return name is None or any(("." + key).endswith("." + name) for key in sheet.given.numbers)


def rewrite(tree, before, after, which=0):
    """The tree with the pattern replaced at one place, or None."""
    before, after = ar.read(before), ar.read(after)
    found = places(before, tree)
    if which >= len(found):
        return None

    return replaced(tree, found[which], lambda t: changed(t, before, after))


def every_place(tree, before, after):
    new = rewrite(tree, before, after)
    return new if new else tree


# ---- other ways ----


def other_way(way, sheet, line):
    """The line's formula by another way, or as it is."""
    tree = line.tree
    name = line.path.rsplit(".", 1)[-1]
    if way == "no shift":
        if name == "e" and "." in line.path:
            return every_place(tree, "exp(a - b)", "exp(a)")
    elif way == "reciprocal":
        return every_place(tree, "a / sqrt(cols(k))", "a * (1 / sqrt(cols(k)))")
    elif way == "squares":
        if name == "v":
            return squares(tree, sheet, line)
    elif way == "logarithms":
        return every_place(tree, "nll(p, t)", "-log(pick(p, t))")
    return tree


def squares(tree, sheet, line):
    """The variance as the mean of the squares less the square of the mean; c is x less its mean m."""
    scope = line.path.rsplit(".", 1)[0]
    c = sheet.lines.get(scope + ".c")
    if not c or c.tree[0] != "-" or not places(ar.read("rowmean(c * c)"), tree):
        return tree
    letters = {"x": c.tree[1], "m": c.tree[2]}
    return put(ar.read("rowmean(x * x) - m * m"), letters)


# ---- the known mistakes ----
# Each: patterns with what becomes of them, and where: a step, or the lines of a call.

STEP = {
    "unscaled": [("a / sqrt(cols(k))", "a")],
    "scaled_by_dk": [("a / sqrt(cols(k))", "a / cols(k)")],
    "scaled_up": [("a / sqrt(cols(k))", "a * sqrt(cols(k))")],
    "k_not_transposed": [("a @ c^T", "a @ c")],
    "scores_transposed": [("a @ c^T", "c @ a^T")],
    "weights_on_columns": [("x @ y", "x^T @ y")],
    "heads_order": [("join(a)", "join(reverse(a))")],
    "softmax_columns": [("softmax(a)", "softmax(a^T)^T")],
    # of weights: P @ V is no such place
    "wrong_side": [("a @ G", "G @ a")],
    "weights_transposed": [("a @ G", "a @ G^T")],
    "cell_by_cell": [("a @ G", "a * G")],
    "no_bias": [("a @ G + b", "a @ G")],
    "no_relu": [("relu(a)", "a")],
    "relu_absolute": [("relu(a)", "abs(a)")],
    "relu_on_result": [("relu(a) @ w + b", "relu(a @ w + b)")],
    # what goes round a step has a name: n * 1 + 0 inside a norm is no such place
    "no_residual": [("u + c", "c")],
    "only_residual": [("u + c", "u")],
    "residual_twice": [("u + c", "u + u + c")],
    "no_position": [("w[t] + a", "w[t]"), ("e + p", "e")],
    "position_twice": [("w[t] + a", "w[t] + a + a"), ("e + p", "e + p + p")],
    "no_minus_one": [("x - onehot(t, n)", "x")],
    "one_minus": [("x - onehot(t, n)", "onehot(t, n) - x")],
    "no_coupling": [("y * (d - x)", "y * d")],
    "coupling_added": [("y * (d - x)", "y * (d + x)")],
    "no_softmax_back": [("y * (d - x)", "d")],
    "no_transpose_left": [("a^T @ d", "a @ d")],
    "no_transpose_right": [("d @ k^T", "d @ k")],
    "outer_swapped": [("a^T @ d", "d^T @ a")],
    "no_scale_back": [("d / sqrt(cols(k))", "d")],
    "relu_not_masked": [("d * (x > 0)", "d")],
    "path_forgotten": [("a + c", "a")],
    "path_forgotten_first": [("a + c", "c")],
    "examples_summed": [("average(d)", "total(d)")],
    "summed": [("average(d)", "total(d)")],
    "uphill": [("w - r * d", "w + r * d")],
    "no_rate": [("w - r * d", "w - d")],
    "rate_twice": [("w - r * d", "w - r * r * d")],
    "only_the_change": [("w - r * d", "-(r * d)")],
    "divided_by_rate": [("w - r * d", "w - d / r")],
    "log10": [("nll(p, t)", "-log(pick(p, t)) / log(10)")],
    "log2": [("nll(p, t)", "-log(pick(p, t)) / log(2)")],
    "loss_sign": [("nll(p, t)", "log(pick(p, t))")],
    "one_minus_p": [("nll(p, t)", "1 - pick(p, t)")],
}

# With a choice i.
CHOSEN = {
    "wrong_row": [("a[last]", "a[i]")],
    "loss_of_other": [("nll(p, t)", "-log(columns(p, i, i + 1))")],
    "wrong_minus_one": [("x - onehot(t, n)", "x - onehot(i, n)")],
}

# By the name of the line inside the call.
CALL = {
    "mask_after": {"P": None},
    "no_mask": {"M": ("where(k, a, z)", "z")},
    "mask_zero": {"M": ("where(k, a, z)", "where(k, 0, z)")},
    "not_normalised": {"": ("e / s", "e")},
    "shift_after_exp": {"e": ("exp(x - m)", "exp(x) - m")},
    "divided_by_count": {"": ("e / s", "e / cols(e)")},
    "shares_without_exp": {"e": ("exp(x - m)", "x")},
    "norm_columns": None,
    "n_minus_one": {"v": ("rowmean(c * c)", "rowsum(c * c) / (cols(c) - 1)")},
    "variance_summed": {"v": ("rowmean(c * c)", "rowsum(c * c)")},
    "no_root": {"d": ("sqrt(v + n)", "v + n")},
    "mean_not_taken_off": {"c": ("x - m", "x")},
    "no_gamma": {"": ("n * g + b", "n + b")},
    "no_beta": {"": ("n * g + b", "n * g")},
    "rms_summed": {"v": ("rowmean(c * c)", "rowsum(c * c)")},
    "rms_no_root": {"d": ("sqrt(v + n)", "v + n")},
    "rms_centred": {
        "v": ("rowmean(c * c)", "rowmean((c - rowmean(c)) * (c - rowmean(c)))"),
        "n": ("x / d", "(x - rowmean(x)) / d"),
    },
    "gate_sigmoid": {"h": ("a * s", "s")},
    "gate_sum": {"": ("h * b", "h + b")},
    "rope_degrees": {"a": ("r * w", "r * w * 0.017453292519943295")},
    "sin_cos": {"": ("where(k, a, b)", "where(k, b, a)")},
    "pe_exponent": {"a": None},
}


# Of lessons that write a function out step by step, and their own.
WRITTEN_OUT = {
    "n_minus_one": [("rowsum(c * c) / cols(m)", "rowsum(c * c) / (cols(m) - 1)")],
    "variance_summed": [("rowsum(c * c) / cols(m)", "rowsum(c * c)")],
    "no_root": [("sqrt(v + n)", "v + n"), ("sqrt(v) + n", "v + n")],
    "mean_not_taken_off": [("a - b", "a")],
    "shares_swapped": [("k * m + (1 - k) * n", "(1 - k) * m + k * n")],
    "not_squared": [("(1 - k) * n * n", "(1 - k) * n")],
    "no_correction": [("n / (1 - k^t)", "n")],
    "no_rate": [("r * x / y", "x / y"), ("w - r * x", "w - x")],
    "probabilities_added": [("a * b", "a + b")],
    "parts_added": [("a * b", "a + b")],
    "log10": [("log(a)", "log(a) / log(10)")],
    "not_averaged": [("-x / cols(w)", "-x")],
    "loss_sign": [("-x / cols(w)", "x / cols(w)"), ("-log(x)", "log(x)")],
    "one_minus_p": [("-log(x)", "1 - x")],
    "power_of_ten": [("exp(x)", "10^x")],
    "uphill": [("w - r * x", "w + r * x")],
    "decay_without_rate": [("w - r * (g + x)", "w - r * g - x")],
    "no_decay": [("w - r * (g + x)", "w - r * g")],
    "not_enlarged": [("x / (1 - n)", "x")],
    "divided_by_share": [("x / (1 - n)", "x / n")],
    "from_one": [("w[t]", "w[max(t - 1, 0)]")],
    "not_normalised": [("e / s", "e")],
    "divided_by_count": [("e / s", "e / cols(e)")],
    "no_mask": [("where(k, a, z)", "z")],
    "mask_zero": [("where(k, a, z)", "where(k, 0, z)")],
    "variance_taken": [
        ("rowsum(w * w) / cols(w)", "rowsum((w - rowsum(w) / cols(w)) * (w - rowsum(w) / cols(w))) / cols(w)")
    ],
    "mean_taken_off": [("x / d", "(x - rowsum(x) / cols(x)) / d")],
    "summed_squares": [("rowsum(w * w) / cols(w)", "rowsum(w * w)")],
    "no_gain": [("n * g", "n")],
    "degrees": [("cos(a)", "cos(a * 0.017453292519943295)"), ("sin(a)", "sin(a * 0.017453292519943295)")],
    "minus_lost": [("beside(k * m - n * r, h)", "beside(k * m + n * r, h)")],
    "turned_back": [("beside(k * m - n * r, k * r + n * m)", "beside(k * m + n * r, n * m - k * r)")],
    "not_turned": [("beside(k * m - n * r, k * r + n * m)", "beside(k, n)")],
    "sigmoid_alone": [("a * s", "s")],
    "exponent_sign": [("sigmoid(a)", "sigmoid(-a)")],
    "gate_added": [("g * v", "g + v")],
    "groups_in_turn": [("a @ b^T", "a @ split(beside(join(b), join(b)), 4)^T")],
    "values_in_turn": [("a @ b", "a @ split(beside(join(b), join(b)), 4)")],
    "window_one_off": [("max(k, a >= w)", "max(k, a > w)")],
    "only_window": [("max(k, d)", "d")],
    "window_ignored": [("max(k, d)", "k")],
    "zero_for_infinity": [("where(k, a, z)", "where(k, a, 0)")],
    "no_alpha": [("r * x", "x")],
    "only_the_addition": [("w @ g + x", "x")],
    "not_added": [("w @ g + x", "w @ g")],
    "cut_off": [("floor(a + b)", "floor(a)")],
    "signed_top": [("rowmax(abs(a))", "rowmax(a)")],
    "sixteen_codes": [("a / 7", "a / 15")],
    "not_scaled_back": [("a * b", "a")],
    "always_divided": [("where(a > b, c, d)", "c")],
    "all_penalised": [("where(a, b, c)", "b")],
    "penalty_forgotten": [("where(a, b, c)", "c")],
    "limit_alone": [("a * rowmax(b)", "a")],
    "not_divided_again": [("a / sum(a)", "a")],
}


def own_exponent(tree):
    """Each column with an exponent of its own: j where k stands."""
    if tree == ("name", "k"):
        return ("name", "j")
    return tuple(own_exponent(t) if isinstance(t, tuple) else t for t in tree)


def call_lines(sheet, path):
    """The lines of a call by their short names; "" is its last."""
    out = {"": sheet.lines.get(path)}
    for key, line in sheet.lines.items():
        if key.startswith(path + "."):
            out[key[len(path) + 1 :]] = line
    return {k: v for k, v in out.items() if v}


def in_call(name, sheet, path, rng):
    rule = CALL[name]
    lines = call_lines(sheet, path)
    if name == "norm_columns":
        return norm_columns(lines)
    if name == "mask_after":
        return mask_after(lines)
    change = {}
    for short, patterns in rule.items():
        line = lines.get(short)
        if not line:
            return None
        if name == "pe_exponent":
            tree = own_exponent(line.tree)
        else:
            tree = rewrite(line.tree, *patterns)
        if not tree or tree == line.tree:
            return None
        change[line.key] = tree
    return change


def norm_columns(lines):
    """Mean and variance of each column, not of each row."""
    m, v = lines.get("m"), lines.get("v")
    if not m or not v:
        return None
    change = {}
    for line in (m, v):
        tree = rewrite(line.tree, "rowmean(x)", "colsum(x) / rows(x)")
        if not tree:
            return None
        change[line.key] = tree
    return change


def mask_after(lines):
    """Hidden weights are set to 0 after the softmax; the rows no longer add up to 1."""
    m = lines.get("M")
    p = lines.get("P")
    if not m or not p or m.tree[:2] != ("call", "where") or not p.is_last_line:
        return None
    hide, z = m.tree[2], m.tree[4]
    return {m.key: z, p.key: ("call", "where", hide, ("number", 0.0), p.tree)}


def known(name, step, line, choice, sheet, rng):
    """The formulas of a learner who makes the mistake there: by key of a line its tree. None: not in a way known here."""
    path = step[:-2] if step.endswith(":=") else step
    if name in CALL:
        scope = line.rsplit(".", 1)[0] if "." in line and line != step else path
        change = in_call(name, sheet, scope, rng) or in_call(name, sheet, path, rng)
        if change:
            return change
    rules = (STEP.get(name) or CHOSEN.get(name) or []) + WRITTEN_OUT.get(name, [])
    target = sheet.lines.get(path + ".x" if "mask" in name else line) or sheet.lines.get(line) or sheet.lines.get(step)
    if not rules or not target:
        return None
    if target.is_last_line and name in ("softmax_columns",):
        return softmax_columns(sheet, target)
    for before, after in rules:
        inside = operands(sheet, path) if "G" in before else []
        before, after = ar.read(before), ar.read(after)
        if choice >= 0:
            after = put(after, {"i": ("number", float(choice))})
        for lines in [target], inside:
            found = [(line, p) for line in lines for p in given_places(sheet, before, line.tree)]
            if found:
                line, place = rng.choice(found)
                return {line.key: replaced(line.tree, place, lambda t: changed(t, before, after))}
    return None


def operands(sheet, path):
    """What a call is given, where that stands on lines of its own: Q = X @ WQ."""
    return [line for line in call_lines(sheet, path).values() if line.path != path]


def given_places(sheet, pattern, tree):
    return [p for p in places(pattern, tree) if gives(sheet, pattern, at_place(tree, p))]


def changed(tree, before, after):
    letters = {}
    match(before, tree, letters)
    return put(after, letters)


def softmax_columns(sheet, line):
    """Each column made to add up to 1: the largest, the exponentials and the sums go down the columns."""
    lines = call_lines(sheet, line.path)
    if not all(k in lines for k in ("m", "e", "s")):
        return None
    x = lines["m"].tree[2]
    shifted = lines["e"].tree[2] if lines["e"].tree[:2] == ("call", "exp") else None
    if not shifted:
        return None
    down = ("T", ("call", "rowmax", ("T", x)))
    return {
        lines["m"].key: down,
        lines["s"].key: ("T", ("call", "rowsum", ("T", lines["s"].tree[2]))),
    }


# ---- mistakes of no catalogue ----

STRANGE = [
    ("exp(a)", "exp(a) + a"),
    ("a @ b", "(a @ b) * 1.7"),
    ("a @ b", "a @ b + 1"),
    ("a / b", "a / (b + 1)"),
    ("a + b", "a - b * 3"),
    ("a * b", "a * b * b"),
    ("rowsum(a)", "rowsum(a) / 3"),
    ("sqrt(a)", "a * a"),
    ("nll(p, t)", "-log(pick(p, t)) * 2"),
    ("a - b", "a - 2 * b"),
    ("softmax(a)", "softmax(3 * a)"),
]


def strange(sheet, rng):
    """A formula changed as no catalogue has it, in a step that is asked."""
    order = [k for k, moment in sheet.order if moment == 0]
    rng.shuffle(order)
    for key in order[:12]:
        rules = list(STRANGE)
        rng.shuffle(rules)
        for before, after in rules:
            tree = rewrite(sheet.lines[key].tree, before, after)
            if tree:
                return key, {key: tree}
    return None, None
