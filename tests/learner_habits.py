"""Ways to fill in a sheet: honest ones, slips of the pen, mistakes, numbers that were not worked out again.

KINDS has them all, each with what a fair examiner does about it (`expects`).
"""

import math
import random
import struct

import learner_arithmetic as ar
import learner_mistakes
from learner_arithmetic import Each, Heads
from learner_sheet import Habit, every_cell, part

NEAR = 1e-9  # of a unit of the last digit: what a double makes of a number that lies exactly on the edge
SCIENTIFIC = 7  # more decimals than this are asked for as 1.5e-9


# ---- numbers as text ----


def units(x, mode):
    """A number of units as a whole one."""
    below = math.floor(x + NEAR)
    rest = x - below
    if mode == "cut":
        return below
    if mode == "even" and abs(rest - 0.5) < NEAR:
        return below + below % 2
    return below + (rest >= 0.5 - NEAR)


def fixed(x, decimals, mode="up"):
    if not math.isfinite(x):
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    n = units(abs(x) * 10.0**decimals, mode)
    sign = "-" if x < 0 and n else ""
    if decimals <= 0:
        return sign + str(n * 10**-decimals)
    text = str(n).rjust(decimals + 1, "0")
    return "%s%s.%s" % (sign, text[:-decimals], text[-decimals:])


def significant(x, digits, mode="up"):
    """So many digits, without an exponent unless the number is tiny."""
    if not math.isfinite(x) or x == 0:
        return fixed(x, 0)
    exponent = math.floor(math.log10(abs(x)))
    if exponent < -SCIENTIFIC:
        return "%.*e" % (digits - 1, x)
    return fixed(x, digits - 1 - exponent, mode)


def as_asked(x, entry, sheet, mode="up", more=0):
    """With the digits that the sheet asks for, or some more or fewer."""
    if entry["decimals"] > SCIENTIFIC and math.isfinite(x) and x != 0:
        return "%.*e" % (max(sheet.digits - 1 + more, 0), x)
    decimals = entry["decimals"]
    return fixed(x, decimals + more if decimals else 0, mode)


def read_text(text):
    if "/" in text:
        a, b = text.split("/")
        return float(a) / float(b)
    return float(text)


def float32(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def display(digits):
    """What stays of a number on a calculator of so many digits."""

    def fix(x):
        return float("%.*e" % (digits - 1, x)) if x and math.isfinite(x) else x

    return fix


def decimals_for(value, digits):
    """As a sheet asks: so many that the largest number has `digits` digits, and never fewer behind the point below 10."""
    most = [0.0]

    def look(x):
        if math.isfinite(x) and abs(x) > most[0]:
            most[0] = abs(x)
        return x

    every_cell(look, value)
    if not most[0]:
        return digits
    n = digits - 1 - math.floor(math.log10(most[0]))
    return max(n, 0) if most[0] >= 10 else max(n, digits)


# ---- honest learners ----


class Honest(Habit):
    """Rounds (or cuts off) what is asked; carries on what is written, or what stands on the calculator."""

    def __init__(self, mode="up", carries=True, all_lines=None, more=0, kept=None, text=None, hand=ar.EXACT):
        self.mode, self.carries, self.all_lines, self.more, self.kept = mode, carries, all_lines, more, kept
        self.text, self.hand = text, hand

    def written(self, work, entry):
        if self.text:
            return lambda x: self.text(x, entry, work.sheet)
        return lambda x: as_asked(x, entry, work.sheet, self.mode, self.more)

    def asked(self, work, line, moment, value, entry):
        text = self.written(work, entry)
        work.write(entry, value, text)
        if self.kept is not None:
            return every_cell(lambda x: read_text(as_asked(x, entry, work.sheet, self.mode, self.kept)), value)
        return every_cell(lambda x: read_text(text(x)), value) if self.carries else value

    def unasked(self, work, line, moment, value):
        if not self.all_lines or is_counted(value):
            return value
        decimals = decimals_for(value, work.sheet.digits)
        return every_cell(lambda x: read_text(fixed(x, decimals, self.all_lines)), value)


def is_counted(value):
    found = [True]

    def look(x):
        found[0] = found[0] and math.isfinite(x) and x == int(x)

    every_cell(look, value)
    return found[0]


def root_of(digits):
    """1.414 for the root of 2 where four digits are asked for."""

    def root(x):
        y = math.sqrt(x)
        return float(significant(y, digits)) if x == int(x) and y else y

    return root


class ShortRoot(Honest):
    def begin(self, work):
        self.hand = ar.Hand(None, root_of(work.sheet.digits))


class OtherWay(Honest):
    """The same mathematics by another way: without the shift, by reciprocals, the variance from the squares."""

    def __init__(self, way, **how):
        super().__init__(**how)
        self.way = way
        self.has_changed = False

    def tree(self, work, line, moment):
        tree = learner_mistakes.other_way(self.way, work.sheet, line)
        self.has_changed = self.has_changed or tree is not line.tree
        return tree


# ---- slips ----


def cells_of(value):
    if type(value) in (Each, Heads):
        return [c for v in value for c in cells_of(v)]
    return [(value, i, j) for i in range(len(value)) for j in range(len(value[0]))]


def matrices_of(value):
    if type(value) in (Each, Heads):
        return [m for v in value for m in matrices_of(v)]
    return [value]


def copied(value):
    if type(value) in (Each, Heads):
        return type(value)(copied(v) for v in value)
    return [list(r) for r in value]


def digits_swapped(x, decimals):
    text = fixed(x, decimals)
    places = [i for i in range(len(text) - 1) if text[i].isdigit() and text[i + 1].isdigit() and text[i] != text[i + 1]]
    if not places:
        return x
    i = places[0]
    return float(text[:i] + text[i + 1] + text[i] + text[i + 2 :])


class Slip(Honest):
    """One slip or two, and everything after them carried on rightly."""

    def __init__(self, what, rng, times=1, **how):
        super().__init__(**how)
        self.what, self.rng, self.times = what, rng, times
        self.slips = {}  # by (key, moment): the addresses [row][column] that went wrong

    def begin(self, work):
        order = list(work.sheet.order)
        self.rng.shuffle(order)
        self.tried = set(order[: self.times * 4])

    def asked(self, work, line, moment, value, entry):
        if (line.key, moment) in self.tried and len(self.slips) < self.times:
            value = self.slip(work, line, moment, value, entry)
        return super().asked(work, line, moment, value, entry)

    def slip(self, work, line, moment, value, entry):
        wrong = copied(value)
        if entry["decimals"] == 0 or not self.go_wrong(wrong, entry):
            return value
        unit = 10.0 ** -entry["decimals"]
        places = set()
        for block in entry["blocks"]:
            right, other = part(value, block), part(wrong, block)
            for i, row in enumerate(right):
                for j, x in enumerate(row):
                    if abs(x - other[i][j]) > 0.4 * unit:
                        places.add((block["address"], i, j))
                        if abs(x - other[i][j]) < 40 * unit:
                            return value  # too small to be told from rounding
        if places:
            self.slips[line.key, moment] = places
        return wrong if places else value

    def go_wrong(self, wrong, entry):
        rng = self.rng
        m, i, j = rng.choice(cells_of(wrong))
        if self.what == "cell":
            m[i][j] = m[i][j] + rng.choice([-1, 1]) * rng.choice([0.1, 0.3, 1.0]) * (abs(m[i][j]) + 0.1)
        elif self.what == "sign":
            m[i][j] = -m[i][j]
        elif self.what == "digits":
            m[i][j] = digits_swapped(m[i][j], entry["decimals"])
        else:
            m = rng.choice(matrices_of(wrong))
            if self.what == "equal":
                row = rng.choice(m)
                row[:] = [row[0]] * len(row)
                return len(row) > 1
            if len(m) < 2:
                return False
            if self.what == "rows":
                a, b = rng.sample(range(len(m)), 2)
                m[a], m[b] = m[b], m[a]
            elif len(m) == len(m[0]):
                m[:] = ar.transposed(m)
            else:
                return False
        return all(math.isfinite(x[i][j]) for x, i, j in cells_of(wrong))


class Stale(Honest):
    """From some step after the update on, the old numbers are copied."""

    def __init__(self, rng, **how):
        super().__init__(**how)
        self.rng, self.copied = rng, []

    def begin(self, work):
        later = [k for k in work.sheet.order if k[1] > 0 and (k[0], k[1] - 1) in work.sheet.asked]
        self.first = self.rng.choice(later) if later else None
        self.stale = set(later[later.index(self.first) :]) if later else set()

    def asked(self, work, line, moment, value, entry):
        if (line.key, moment) not in self.stale:
            return super().asked(work, line, moment, value, entry)
        old = work.line(line, moment - 1)
        before = work.sheet.asked[line.key, moment - 1]
        for block, other in zip(entry["blocks"], before["blocks"]):
            work.written[block["address"]] = work.written[other["address"]]
        self.copied.append((line.key, moment))
        return old


class Mistaken(Honest):
    """One mistake of the catalogue at one place, or of none; everything else is right. Who has a wrong idea makes the mistake
    again after an update; what no catalogue has is made once."""

    def __init__(self, change, is_once=False, **how):
        super().__init__(**how)
        self.change = change  # by key of a line: the formula that was used
        self.is_once = is_once

    def tree(self, work, line, moment):
        return line.tree if self.is_once and moment else self.change.get(line.key, line.tree)


# ---- all kinds ----


def carry(rng):
    return {"carries": rng.random() < 0.6}


def plain(x, entry, sheet, digits, mode="up"):
    return significant(x, digits) if entry["decimals"] else fixed(x, 0)


HONEST = {
    "rounds": lambda rng: Honest(carries=True),
    "rounds at the end": lambda rng: Honest(carries=False),
    "cuts off": lambda rng: Honest(mode="cut", **carry(rng)),
    "half to even": lambda rng: Honest(mode="even", **carry(rng)),
    "rounds all lines": lambda rng: Honest(all_lines="up"),
    "cuts all lines off": lambda rng: Honest(mode="cut", all_lines="cut"),
    "display of 8": lambda rng: Honest(text=lambda x, e, s: plain(x, e, s, 8), hand=ar.Hand(display(8))),
    "display of 10": lambda rng: Honest(text=lambda x, e, s: plain(x, e, s, 10), hand=ar.Hand(display(10))),
    "display, typed in short": lambda rng: Honest(carries=False, kept=0, text=lambda x, e, s: plain(x, e, s, 8)),
    "float32, 7 digits": lambda rng: Honest(carries=False, text=lambda x, e, s: plain(x, e, s, 7), hand=ar.Hand(float32)),
    "float32, 9 digits": lambda rng: Honest(carries=False, text=lambda x, e, s: plain(x, e, s, 9), hand=ar.Hand(float32)),
    "double, 15 digits": lambda rng: Honest(carries=False, text=lambda x, e, s: plain(x, e, s, 15)),
    "zeros behind": lambda rng: Honest(
        text=lambda x, e, s: as_asked(x, e, s) + ("0000" if 0 < e["decimals"] <= SCIENTIFIC and math.isfinite(x) else "")
    ),
    "fractions": lambda rng: Honest(text=lambda x, e, s: fraction(x, e, s)),
    "short root": lambda rng: ShortRoot(**carry(rng)),
    "no shift": lambda rng: OtherWay("no shift", **carry(rng)),
    "by reciprocals": lambda rng: OtherWay("reciprocal", **carry(rng)),
    "variance by squares": lambda rng: OtherWay("squares", carries=False),
    "loss by logarithms": lambda rng: OtherWay("logarithms", **carry(rng)),
    "two digits more": lambda rng: Honest(more=2),
    "one digit fewer": lambda rng: Honest(more=-1),
    "kept shorter": lambda rng: Honest(kept=-1),
}


def fraction(x, entry, sheet):
    decimals = entry["decimals"]
    if not 0 < decimals <= SCIENTIFIC or not math.isfinite(x):
        return as_asked(x, entry, sheet)
    return "%s/%d" % (fixed(x * 10**decimals, 0), 10**decimals)


# What went wrong, how often, and how the rest was worked out.
SLIPS = {
    "slip in a cell": ("cell", 1, {}),
    "slip of a sign": ("sign", 1, {}),
    "slip of two digits": ("digits", 1, {}),
    "rows swapped": ("rows", 1, {}),
    "transposed": ("transposed", 1, {}),
    "row all equal": ("equal", 1, {}),
    "row all equal, cut off": ("equal", 1, {"mode": "cut"}),
    "two slips": ("cell", 2, {}),
    "slip, cut off": ("cell", 1, {"mode": "cut"}),
    "slip, all cut off": ("sign", 1, {"mode": "cut", "all_lines": "cut"}),
}

KINDS = list(HONEST) + list(SLIPS) + ["stale", "known mistake", "unknown mistake"]
