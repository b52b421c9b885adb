#!/bin/sh
# 200 sheets through tables and back: a roster in CSV, one table of answers for the class, filled in and saved as different programs save it
# (and by a spreadsheet itself, where Gnumeric is there), marked, and the marks read back from CSV.
. "$(dirname "$0")/tap.sh"
command -v python3 >/dev/null || { skip '200 sheets' 'there is no python3' && finish; }

cat >class.py <<'END'
"""A class of 200: who is in it, what each writes into the table, and what that is worth."""
import csv, json, pathlib, re, sys

ODD = ['O"Neil, Jr', "=1+1", "Müller; Anna", "Ωmega", "-5", "  Åsa  B", "@home", "1e3", "007", "名前"]


def students():
    return [(ODD[i // 20] if i % 20 == 0 else f"Student {i}", f"{i:04d}") for i in range(200)]


def shown(name):
    """As a table has a name that a spreadsheet would take for a formula."""
    return "'" + name if name[:1] in "=+-@" else name


def keys():
    found = [json.loads(p.read_text(encoding="utf-8")) for p in pathlib.Path("sheets/keys").glob("*.json")]
    return {k["id"]: k["answers"] for k in found}


def cell(answers, label):
    step, places = re.match(r"([^\[]*)((?:\[\d+\])*)$", label).groups()
    at = [int(n) for n in re.findall(r"\d+", places)]
    rows = answers[step]
    row, column = (at if len(at) == 2 else (at[0], 0) if len(rows) > 1 else (0, at[0])) if at else (0, 0)
    return rows[row][column]


def fill():
    """The table as the class fills it in; what() says what each is worth."""
    table, all_keys = list(csv.reader(open("answers.csv", encoding="utf-8", newline=""))), keys()
    head = table[0]
    assert len(table) == 201 and len(all_keys) == 200, (len(table), len(all_keys))
    for i, line in enumerate(table[1:]):
        assert (line[0].lstrip("'"), line[1]) == (students()[i][0].strip(), students()[i][1]), line[:2]
        answers = all_keys[line[1]]
        line[3:] = [cell(answers, label) for label in head[3:]]
        if i % 10 == 3:
            line[3] = "77.7777"  # X[0][0]: read off the wrong row
        if i % 10 == 5:
            line[-1] = ""
        if i % 10 == 7:
            line[3:] = [""] * len(line[3:])
    return table


def save(table):
    csv.writer(open("plain.csv", "w", encoding="utf-8", newline="")).writerows(table)
    european = [[re.sub(r"^(-?\d+)\.(\d+)$", r"\1,\2", x) for x in line] for line in table]
    csv.writer(open("european.csv", "w", encoding="utf-8-sig", newline=""), delimiter=";").writerows(european)
    csv.writer(open("tabs.tsv", "w", encoding="utf-16", newline=""), delimiter="\t").writerows(table)


def worth(i, cells):
    """How many cells of student i have full credit, at least and at most."""
    return {3: (cells // 2, cells - 1), 5: (cells - 1, cells - 1)}.get(i % 10, (cells, cells))


def look(path):
    rows = {r["id"]: r for r in csv.DictReader(open(path, encoding="utf-8", newline=""))}
    assert len(rows) == 200, len(rows)
    for i, (name, id) in enumerate(students()):
        r = rows[id]
        if i % 10 == 7:  # wrote nothing
            assert (r["absent"], r["credit"], r["points"]) == ("yes", "", ""), r
            continue
        least, most = worth(i, int(r["total"]))
        assert least <= int(r["credit"]) <= most, (id, r["credit"], r["total"], least, most)
        assert r["name"] == shown(name.strip()), (r["name"], name)


if sys.argv[1] == "roster":
    csv.writer(open("names.csv", "w", encoding="utf-8", newline="")).writerows([("name", "id")] + students())
elif sys.argv[1] == "fill":
    save(fill())
else:
    look(sys.argv[2])
END

python3 class.py roster
run class physics.class
run sheet ex1 --class physics.class --roster names.csv --format csv -o answers.csv
tried 'one table for the class' 0 'a row for each of 200 students'
run sheet ex1 --class physics.class --roster names.csv --format json --key -o sheets
tried 'and the keys' 0 '200 sheets written, with keys'
python3 class.py fill >out 2>err
verdict $? 'every number of the table is in the key of its student'

# mark_table NAME FILE: the class gets what it deserves, and the same as from plain.csv.
mark_table() {
    "$longhand" mark ex1 "$2" --class physics.class --roster names.csv --csv >marks.csv 2>err
    status=$?
    test $status -eq 1 && python3 class.py look marks.csv >out 2>>err
    verdict $? "$1"
    sed "s/$2:/FILE:/" marks.csv >"marks-$2"
    test -s "marks-$2" && cmp "marks-$2" marks-plain.csv >>err
    verdict $? "$1: the same marks"
}
mark_table 'commas' plain.csv
mark_table 'semicolons, decimal commas, a mark at the beginning' european.csv
mark_table 'tabs in UTF-16' tabs.tsv

# A spreadsheet opens our table, saves it as its own file, and exports that again: numbers have lost their last zeros then.
if command -v ssconvert >/dev/null; then
    ssconvert plain.csv workbook.xlsx >out 2>err && ssconvert workbook.xlsx workbook.csv >>out 2>>err
    verdict $? 'a spreadsheet opens the table'
    mark_table 'through a workbook' workbook.csv
    ssconvert marks.csv marks.xlsx >out 2>err && ssconvert marks.xlsx again.csv >>out 2>>err && test "$(wc -l <again.csv)" = 201
    verdict $? 'and the marks'
    python3 - >out 2>err <<'END'
import csv
one, other = [list(csv.DictReader(open(n, encoding="utf-8", newline=""))) for n in ("marks.csv", "again.csv")]


def name(text):
    """A sign for "this is text" is not part of it, and a name that looks like a number is one to a spreadsheet."""
    text = text.lstrip("'")
    try:
        return float(text)
    except ValueError:
        return text


for r, s in zip(one, other):
    assert (name(r["name"]), int(r["id"]), r["credit"], r["total"]) == (name(s["name"]), int(s["id"]), s["credit"], s["total"]), (r, s)
END
    verdict $? 'names and credits are as they were: no name became a formula'
else
    skip 'a spreadsheet opens the table' 'there is no ssconvert; Debian has it in gnumeric'
fi
finish
