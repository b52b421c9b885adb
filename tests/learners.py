#!/usr/bin/env python3
"""Simulated learners fill in worksheets by an arithmetic of their own, and their sheets are marked.

    python3 tests/learners.py --longhand ./longhand --sheets 1000 --seed 1

They see what a learner sees, the sheet: what is given on it and its formulas. Counted is, for each kind of learner, what a
fair examiner would not do: call honest work wrong, let a slip spread, miss it, or give it a wrong name.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

import learner_habits as habits
import learner_mistakes
import learner_sheet

CREDITED = {"right", "last digit", "rounded early", "rounded too early", "another way", "too few digits", "follows", "blank"}
MILD = {"too few digits", "fewer digits"}  # verdicts of their own: not called wrong
CONTENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lessons", "contents.txt")
FEW = {"one digit fewer"}  # these did write fewer
BATCH = 60  # files in one call of mark
SECONDS = 120  # for a call of mark with one file, on a machine that has other work, too


def run(args, timeout=120):
    return subprocess.run(args, capture_output=True, text=True, timeout=timeout)


def busy():
    """Seconds of a processor that programs took so far."""
    t = os.times()
    return t.children_user + t.children_system


# ---- sheets ----


class Desk:
    """Everything that is asked of the program under test."""

    def __init__(self, longhand, sheets_by):
        self.longhand, self.sheets_by = longhand, sheets_by
        self.findings = []

    def lessons(self):
        with open(CONTENTS, encoding="utf-8") as f:
            lines = [line.strip() for line in f]
        return [x for x in lines if x and not x.startswith(("#", "part "))]

    def sheet(self, lesson, seed, digits):
        args = [self.sheets_by, "sheet", lesson, "--seed", str(seed), "--digits", str(digits), "--key", "--format", "json"]
        try:
            done = run(args)
        except subprocess.TimeoutExpired:
            self.find(lesson, seed, digits, "no sheet within two minutes")
            return None
        if done.returncode != 0:
            self.find(lesson, seed, digits, done.stderr.strip().splitlines()[:1])
            return None
        try:
            sheet = learner_sheet.Sheet(json.loads(done.stdout))
            different = list(learner_sheet.differences(sheet))
        except (learner_sheet.Finding, ValueError, ArithmeticError, KeyError, IndexError) as e:
            self.find(lesson, seed, digits, "%s: %s" % (type(e).__name__, e))
            return None
        if different:
            self.find(lesson, seed, digits, "the key differs: %s" % (different[:3],))
        return sheet

    def ways(self, sheet):
        args = [self.sheets_by, "sheet", sheet.lesson, "--seed", str(sheet.seed), "--digits", str(sheet.digits)]
        done = run(args + ["--why", "--format", "json"])
        return json.loads(done.stdout)["table"] if done.returncode == 0 else []

    def find(self, lesson, seed, digits, what):
        self.findings.append((lesson, seed, digits, what))

    def mark(self, lesson, files):
        """By file its marks; None for one that takes too long or is refused."""
        began = busy()
        limit = SECONDS + 1.0 * len(files)
        try:
            done = run([self.longhand, "mark", lesson, "--json"] + files, timeout=limit)
            sheets = {s["file"]: s for s in json.loads(done.stdout)["sheets"]}
        except (subprocess.TimeoutExpired, ValueError):
            if len(files) == 1:
                return {files[0]: None}, {files[0]: busy() - began}
            half = len(files) // 2
            marks, times = self.mark(lesson, files[:half])
            more, slow = self.mark(lesson, files[half:])
            marks.update(more)
            times.update(slow)
            return marks, times
        each = (busy() - began) / len(files)
        return {f: sheets.get(f) for f in files}, {f: each for f in files}


# ---- learners ----


class Filled:
    """One sheet that a learner filled in, and what is known about it."""

    def __init__(self, kind, sheet, work, note=""):
        self.kind, self.sheet, self.note = kind, sheet, note
        self.answers = work.written
        self.slips = {}  # by (key, moment): cells that are wrong by the learner's own doing
        self.name = None  # of the mistake that was made
        self.step = None
        self.made_at = None  # the step whose formula was changed: what shows there may be too small for self.step

    def text(self):
        data = {k: self.sheet.data[k] for k in ("lesson", "seed", "digits", "code")}
        if "steps" in self.sheet.data:
            data["steps"] = self.sheet.data["steps"]
        data["answers"] = self.answers
        data["learner"] = self.kind + (": " + self.note if self.note else "")
        return json.dumps(data)


def fill_honest(kind, sheet, rng):
    """None: the way changes nothing on this sheet, or leads to no number."""
    habit = habits.HONEST[kind](rng)
    work = learner_sheet.Work(sheet, habit).all()
    is_lost = any("nan" in t for rows in work.written.values() for r in rows for t in r)  # exp(1000) without the shift
    if is_lost or getattr(habit, "has_changed", True) is False:
        return None
    return Filled(kind, sheet, work)


def fill_slip(kind, sheet, rng):
    what, times, how = habits.SLIPS[kind]
    habit = habits.Slip(what, rng, times, **how, **habits.carry(rng))
    work = learner_sheet.Work(sheet, habit).all()
    if len(habit.slips) < times:
        return None
    filled = Filled(kind, sheet, work, ", ".join("%s@%d" % k for k in habit.slips))
    filled.slips = habit.slips
    return filled


def fill_stale(kind, sheet, rng):
    habit = habits.Stale(rng)
    work = learner_sheet.Work(sheet, habit).all()
    if not habit.copied:
        return None
    filled = Filled(kind, sheet, work, "from %s@%d on" % habit.copied[0])
    filled.name, filled.step = "not_recomputed", habit.copied[0]
    honest = learner_sheet.Work(sheet, habits.Honest()).all()
    filled.shows = [k for k in habit.copied if written_of(honest, k) != written_of(work, k)]
    return filled


def written_of(work, key):
    return [work.written[b["address"]] for b in work.sheet.asked[key]["blocks"]]


def fill_known(kind, sheet, rng, ways):
    """One way of the table that the sheet says it shows."""
    rows = [r for r in ways if r["shows"]]
    rng.shuffle(rows)
    for row in rows[:6]:
        change = learner_mistakes.known(row["mistake"], row["step"], row["line"], row["choice"], sheet, rng)
        if not change:
            MISSING[row["mistake"]] += 1
            continue
        filled = fill_changed(kind, sheet, change, row["mistake"], row["step"])
        if filled:
            return filled
    return None


MISSING = collections.Counter()


def fill_changed(kind, sheet, change, name, step):
    """None: it cannot be worked out that way, or shows nowhere at the asked digits."""
    try:
        work = learner_sheet.Work(sheet, habits.Mistaken(change, name == "unknown")).all()
    except (learner_sheet.Finding, IndexError, ValueError, ArithmeticError):
        return None
    if any("nan" in t or "inf" in t for rows in work.written.values() for r in rows for t in r):
        return None
    right = learner_sheet.Work(sheet, habits.Honest()).all()
    first = next((k for k in sheet.order if not same_texts(work, right, k)), None)
    if not first or says_nothing(work, first):
        return None
    filled = Filled(kind, sheet, work, "%s at %s" % (name, step))
    filled.name, filled.step, filled.made_at = name, first, step
    return filled


def says_nothing(work, key):
    """Nothing but 0 at the asked digits: whatever makes something small comes to that."""
    return all(float(x) == 0 for rows in written_of(work, key) for row in rows for x in row)


def same_texts(a, b, key):
    """Up to what rounding can do: a few units of the last digit."""
    entry = a.sheet.asked[key]
    unit = 10.0 ** -entry["decimals"]
    for block in entry["blocks"]:
        for r, s in zip(a.written[block["address"]], b.written[block["address"]]):
            if any(not abs(float(x) - float(y)) < 6 * unit and x != y for x, y in zip(r, s)):
                return False
    return True


def fill_strange(kind, sheet, rng):
    key, change = learner_mistakes.strange(sheet, rng)
    if not change:
        return None
    filled = fill_changed(kind, sheet, change, "unknown", key)
    if filled:
        filled.name = None
    return filled


def fill(kind, sheet, rng, ways):
    if kind in habits.HONEST:
        return fill_honest(kind, sheet, rng)
    if kind in habits.SLIPS:
        return fill_slip(kind, sheet, rng)
    if kind == "stale":
        return fill_stale(kind, sheet, rng)
    if kind == "known mistake":
        return fill_known(kind, sheet, rng, ways)
    return fill_strange(kind, sheet, rng)


# ---- judging the marks ----

COLUMNS = ["sheets", "called wrong", "found", "spread", "lost credit", "named", "named wrong", "unseen", "slow", "no marks"]


def cells_of(step):
    for block in step["blocks"]:
        for i, row in enumerate(block["verdicts"]):
            for j, verdict in enumerate(row):
                yield block["address"], i, j, verdict


def judge(filled, marks):
    """What was done to this sheet: a set of column names."""
    out = set()
    if filled.name or filled.kind == "unknown mistake":
        judge_mistake(filled, marks, out)
        return out
    wrong_cells = set().union(*filled.slips.values()) if filled.slips else set()
    slipped = {address for address, _, _ in wrong_cells}
    missed = False
    for step in marks["steps"]:
        for address, i, j, verdict in cells_of(step):
            if (address, i, j) in wrong_cells:
                missed = missed or verdict in CREDITED
            elif verdict not in CREDITED and not (verdict == "fewer digits" and filled.kind in FEW):
                out.add("lost credit" if verdict in MILD or verdict == "carried" else "spread" if filled.slips else "called wrong")
        if step["mistakes"] and not any(b["address"] in slipped for b in step["blocks"]):
            out.add("named wrong")
    if filled.slips and not missed:
        out.add("found")
    return out


def judge_mistake(filled, marks, out):
    names = collections.OrderedDict()
    key, moment = filled.step
    first = key + ("@%d" % moment if moment else "")
    is_seen = False
    for step in marks["steps"]:
        for m in step["mistakes"]:
            names[m["name"]] = step["path"]
        bad = [v for _, _, _, v in cells_of(step) if v not in CREDITED]
        is_seen = is_seen or bool(bad) or bool(step["mistakes"])
        if bad and step["path"] not in (first, filled.made_at) and not filled.name == "not_recomputed":
            out.add("spread")
    if filled.name and filled.name in names:
        out.add("named")
    elif names:
        out.add("named wrong")
    if not is_seen:
        out.add("unseen")
    else:
        out.add("found")


# ---- the run ----


class Count:
    def __init__(self, keep):
        self.rows = collections.defaultdict(collections.Counter)
        self.names = collections.defaultdict(collections.Counter)
        self.keep, self.kept = keep, {}
        self.slowest = (0.0, "")

    def add(self, filled, marks, seconds):
        row = self.rows[filled.kind]
        row["sheets"] += 1
        if seconds > self.slowest[0]:
            self.slowest = (seconds, "%s seed %d, %s" % (filled.sheet.lesson, filled.sheet.seed, filled.kind))
        row["slow"] += seconds > 1
        if marks is None:
            row["no marks"] += 1
            self.keep_smallest(filled, "no marks")
            return
        verdict = judge(filled, marks)
        for column in verdict:
            row[column] += 1
        if filled.name:
            self.names[filled.name]["sheets"] += 1
            for column in verdict:
                self.names[filled.name][column] += 1
        for column in self.faults(filled, verdict):
            self.keep_smallest(filled, column)

    @staticmethod
    def faults(filled, verdict):
        faults = verdict - {"found", "named"}
        if filled.slips and "found" not in verdict:
            faults = faults | {"not found"}
        if filled.name and "named" not in verdict:
            faults = faults | {"not named"}
        return faults

    def keep_smallest(self, filled, column):
        if not self.keep:
            return
        size = sum(len(r) for rows in filled.answers.values() for r in rows)
        what = filled.kind + ("-" + filled.name if filled.name else "")
        key = ("%s-%s" % (what, column)).replace(" ", "-").replace(",", "")
        if key not in self.kept or size < self.kept[key]:
            self.kept[key] = size
            os.makedirs(self.keep, exist_ok=True)
            with open(os.path.join(self.keep, key + ".json"), "w", encoding="utf-8") as f:
                f.write(filled.text())

    def table(self):
        lines = ["%-26s" % "kind" + "".join("%13s" % c for c in COLUMNS)]
        for kind in habits.KINDS:
            if kind in self.rows:
                row = self.rows[kind]
                lines.append("%-26s" % kind + "".join("%13s" % (row[c] or ("0" if c == "sheets" else ".")) for c in COLUMNS))
        total = sum((row for row in self.rows.values()), collections.Counter())
        lines.append("%-26s" % "all" + "".join("%13d" % total[c] for c in COLUMNS))
        return "\n".join(lines)


def jobs(desk, args, rng):
    """Sheets in turn over lessons and seeds, each with a learner of every kind, until there are enough."""
    lessons = args.lesson or desk.lessons()
    made, turn, dry = 0, 1 if args.no_first else 0, 0
    while made < args.sheets and dry < 3:
        before = made
        for lesson in lessons:
            seed = 0 if turn == 0 else rng.randrange(1, 10**6)
            digits = 4 if turn % 3 == 0 else rng.choice([3, 4, 5])
            sheet = desk.sheet(lesson, seed, digits)
            if not sheet:
                continue
            ways = desk.ways(sheet) if "known mistake" in args.kind else []
            for kind in args.kind:
                try:
                    filled = fill(kind, sheet, rng, ways)
                except learner_sheet.Finding as e:
                    desk.find(lesson, seed, digits, "%s: %s" % (kind, e))
                    continue
                if filled:
                    made += 1
                    yield filled
                if made >= args.sheets:
                    return
        turn += 1
        dry = dry + 1 if made == before else 0


def batches(stream):
    by_lesson = collections.defaultdict(list)
    for filled in stream:
        waiting = by_lesson[filled.sheet.lesson]
        waiting.append(filled)
        if len(waiting) == BATCH:
            yield by_lesson.pop(filled.sheet.lesson)
    yield from by_lesson.values()


def mark_batch(desk, folder, number, batch):
    files = []
    for i, filled in enumerate(batch):
        files.append(os.path.join(folder, "%d-%d.json" % (number, i)))
        with open(files[-1], "w", encoding="utf-8") as f:
            f.write(filled.text())
    marks, times = desk.mark(batch[0].sheet.lesson, files)
    for name in files:
        os.unlink(name)
    return [(filled, marks.get(f), times.get(f, 0)) for filled, f in zip(batch, files)]


def simulate(args):
    """As many sheets as were asked for."""
    desk, count, rng = Desk(args.longhand, args.sheets_by or args.longhand), Count(args.keep), random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = collections.deque()

        def take():
            for filled, marks, seconds in waiting.popleft().result():
                count.add(filled, marks, seconds)

        for number, batch in enumerate(batches(jobs(desk, args, rng))):
            waiting.append(pool.submit(mark_batch, desk, folder, number, batch))
            while len(waiting) > 2 * args.jobs:
                take()
        while waiting:
            take()
    return desk, count


def simulate_runs(args):
    """One run after another, each with the next seed, into a file: what is there already is not done again."""
    done = {}
    if os.path.exists(args.log):
        with open(args.log, encoding="utf-8") as f:
            done = {run["seed"]: run for run in map(json.loads, f)}
    for seed in range(args.seed, args.seed + args.runs):
        if seed in done:
            continue
        args.seed = seed
        desk, count = simulate(args)
        done[seed] = {"seed": seed, "rows": count.rows, "names": count.names, "slowest": count.slowest, "findings": desk.findings}
        with open(args.log, "a", encoding="utf-8") as f:
            f.write(json.dumps(done[seed]) + "\n")
    desk, count = Desk(args.longhand, args.longhand), Count(None)
    for run in done.values():
        desk.findings += run["findings"]
        count.slowest = max(count.slowest, tuple(run["slowest"]))
        for table, rows in ((count.rows, run["rows"]), (count.names, run["names"])):
            for kind, row in rows.items():
                table[kind].update(row)
    return desk, count


# In how many of a hundred sheets of a kind something unfair may be done. A finding, a sheet without marks and honest work that
# is called wrong have none.
LIMITS = {"spread": 0, "lost credit": 1, "named wrong": 0, "not found": 1, "not named": 5}
# What no catalogue knows may come to the numbers of a mistake that one does, at the digits that were written: then it has its name.
# In 2,643 sheets 6 did, and 15 were blamed in a cell that was right by chance.
LIMITS_OF = {"unknown mistake": {"spread": 1, "named wrong": 1}}


def passed_limits(desk, count):
    """The limits that were passed, in words."""
    out = ["%s seed %s: %s" % (f[0], f[1], f[3]) for f in desk.findings]
    for kind, row in count.rows.items():
        n = row["sheets"]
        is_mistake = kind in ("stale", "known mistake")
        counts = {c: row[c] for c in ("spread", "lost credit", "named wrong")}
        counts["not found"] = n - row["found"] if kind not in habits.HONEST else 0
        counts["not named"] = n - row["named"] if is_mistake else 0
        if row["called wrong"]:
            out.append("%s: honest work called wrong on %d of %d sheets" % (kind, row["called wrong"], n))
        if row["no marks"]:
            out.append("%s: %d of %d sheets without marks" % (kind, row["no marks"], n))
        for what, k in counts.items():
            if k > math.ceil(LIMITS_OF.get(kind, LIMITS).get(what, LIMITS[what]) * n / 100):
                out.append("%s: %s on %d of %d sheets" % (kind, what, k, n))
    return out


def options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--longhand", default="./longhand", help="the program under test")
    p.add_argument("--sheets-by", metavar="PROGRAM", help="another build that makes the sheets")
    p.add_argument("--sheets", type=int, default=1000, help="how many sheets to fill in (1000)")
    p.add_argument("--seed", type=int, default=1, help="of the learners and of the sheets (1)")
    p.add_argument("--kind", action="append", help="only this kind of learner; may be given again")
    p.add_argument("--lesson", action="append", help="only this lesson; may be given again")
    p.add_argument("--no-first", action="store_true", help="not the sheets with the numbers of the lesson itself")
    p.add_argument("--log", metavar="FILE", help="the counts of every run go there, and are added up; runs that it has are not done again")
    p.add_argument("--runs", type=int, default=1, help="with --log: so many runs, each with the next seed (1)")
    p.add_argument("--keep", metavar="FOLDER", help="keep the smallest sheet of each fault there")
    p.add_argument("--jobs", type=int, default=1, help="calls of mark at the same time (1)")
    p.add_argument("--check", action="store_true", help="exit status 1 where a limit of LIMITS is passed")
    p.add_argument("--names", action="store_true", help="the known mistakes one by one, too")
    args = p.parse_args()
    unknown = [k for k in args.kind or [] if k not in habits.KINDS]
    if unknown:
        p.error("no kind %s; there are: %s" % (unknown[0], ", ".join(habits.KINDS)))
    args.kind = args.kind or list(habits.KINDS)
    return args


def main():
    args = options()
    began = time.monotonic()
    desk, count = simulate_runs(args) if args.log else simulate(args)
    print(count.table())
    if args.names:
        for name, row in sorted(count.names.items()):
            print("%-26s" % name + "  ".join("%s %d" % (c, row[c]) for c in COLUMNS if row[c]))
        if MISSING:
            print("not simulated: " + ", ".join("%s (%d)" % x for x in MISSING.most_common()))
    print("slowest: %.2f s of a processor a sheet in its batch: %s" % count.slowest)
    print("%d s in all" % (time.monotonic() - began))
    for lesson, seed, digits, what in desk.findings:
        print("FINDING %s seed %s digits %s: %s" % (lesson, seed, digits, what))
    passed = passed_limits(desk, count) if args.check else []
    for line in passed:
        print("LIMIT %s" % line)
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(main())
