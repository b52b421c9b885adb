#!/bin/sh
# Worksheets for Moodle and by QTI: well formed, every number of the key in a field of its own, nothing else in their place.
. "$(dirname "$0")/tap.sh"

cat >look.py <<'END'
import json, re, sys, zipfile
import xml.etree.ElementTree as tree

key = json.load(open("key.json"))


def numbers(x):
    return [n for y in (x.values() if isinstance(x, dict) else x) for n in numbers(y)] if isinstance(x, (dict, list)) else [x]


cells = numbers(key["answers"])
if sys.argv[1] == "moodle":
    root = tree.parse("quiz.xml").getroot()
    texts = [q.find("questiontext/text").text for q in root.findall("question") if q.get("type") == "cloze"]
    fields = [x for t in texts for x in re.findall(r"\{1:NUMERICAL:=([^:}]*):([^}]*)\}", t)]
    assert len(texts) == len(key["asked"]), (len(texts), len(key["asked"]))
else:
    z = zipfile.ZipFile("quiz.zip")
    assert z.testzip() is None
    names = [n for n in z.namelist() if n.startswith("step")]
    space = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
    manifest = tree.fromstring(z.read("imsmanifest.xml"))
    listed = [f.get("href") for f in manifest.iter("{http://www.imsglobal.org/xsd/imscp_v1p1}file")]
    assert listed == names and "README.txt" in z.namelist(), listed
    fields = []
    for n in names:
        item = tree.fromstring(z.read(n))
        declared = {d.get("identifier"): d.find(f"{space}correctResponse/{space}value").text for d in item.findall(space + "responseDeclaration")}
        asked = [t.get("responseIdentifier") for t in item.iter(space + "textEntryInteraction")]
        scored = [(e.find(space + "variable").get("identifier"), e.get("tolerance").split()[0]) for e in item.iter(space + "equal")]
        assert asked == list(declared) == [s[0] for s in scored], n
        fields += [(declared[a], dict(scored)[a]) for a in asked]
assert len(fields) == len(cells), (len(fields), len(cells))
for (number, tolerance), cell in zip(fields, cells):
    assert float(number) == float(cell), (number, cell)
    assert 0 < float(tolerance) <= max(0.011, abs(float(number)) * 0.011), (number, tolerance)
END

for lesson in ex1 ex3 ex5 de-nada softmax optimisers; do
    run sheet $lesson --seed 3 --key --format json -o key.json
    test $status -eq 0
    verdict $? "$lesson: the key"
    for format in moodle qti; do
        file=quiz.xml
        test $format = qti && file=quiz.zip
        run sheet $lesson --seed 3 --format $format -o $file
        python3 look.py $format >out 2>err
        verdict $? "$lesson: each number of it in $format"
    done
done
refused 'a class at once' 'make one sheet' sheet ex1 --forms 3 --format moodle -o class
refused '--why' '--why is text or json' sheet ex1 --why --format qti -o x.zip
run sheet ex1 --format moodle -o quiz.xml
grep -q 'For teachers: here each number is compared with one value' quiz.xml
verdict $? 'what is lost is said'
finish
