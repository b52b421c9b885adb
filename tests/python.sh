#!/bin/sh
# The Python module: its own tests, which compare with the commands; the wheel, installed and used; the notebook, from its first cell
# to its last; the notebook's programs are the lessons'.
. "$(dirname "$0")/tap.sh"
library=$(ls "$build"/liblonghand.so.[0-9]*.[0-9]* 2>/dev/null | head -n 1)
python=$(command -v python3)
if test -x /usr/bin/python3 && ! python3 -c 'import numpy' 2>/dev/null; then python=/usr/bin/python3; fi # where Debian's modules are
if test -z "$python" || test -z "$library"; then
    skip 'Python' 'there is no python3, or no shared library'
    finish
fi
LONGHAND_LIBRARY=$library LONGHAND=$longhand PYTHONDONTWRITEBYTECODE=1 IPYTHONDIR=$work/ipython JUPYTER_CONFIG_DIR=$work/jupyter
export LONGHAND_LIBRARY LONGHAND PYTHONDONTWRITEBYTECODE IPYTHONDIR JUPYTER_CONFIG_DIR
if is_sanitised; then # Python is not: what it loads needs the sanitiser first, and its own leaks are no concern of ours
    LD_PRELOAD=$(cc -print-file-name=libasan.so) LSAN_OPTIONS=detect_leaks=0
    export LD_PRELOAD LSAN_OPTIONS
fi

# Each test of the module is one here.
"$python" -m unittest discover -v -s "$root/python/tests" >out 2>err
status=$?
grep -E '^test_.* \.\.\. (ok|skipped)' err | sed "s/ (.*) \.\.\. / /; s/ skipped.*/ # SKIP/; s/ ok$//" >passed
while read -r name; do
    case $name in *SKIP) skip "${name% # SKIP}" 'what it needs is not there' ;; *) verdict 0 "$name" ;; esac
done <passed
verdict $status 'the tests of the module'

# A copy of the sources, so that nothing is written into them.
cp -r "$root/python" sources
cp "$root/meson.build" . # which version it is
if ! "$python" -c 'import setuptools, wheel' 2>/dev/null; then
    skip 'the wheel' 'there is no setuptools, or no wheel'
else
    (cd sources && "$python" setup.py --quiet bdist_wheel sdist) >out 2>err
    status=$?
    verdict $status 'a wheel and a source archive are built'
    "$python" -m zipfile -l sources/dist/longhand-*-py3-none-*.whl >out 2>err
    shows longhand/liblonghand.so 'the library is in the wheel'
    shows longhand/py.typed 'and so is the mark of its types'
    mkdir installed && (cd installed && "$python" -m zipfile -e ../sources/dist/*.whl .)
    (unset LONGHAND_LIBRARY; cd "$work" && PYTHONPATH=$work/installed "$python" -c '
import longhand
from longhand import _library
assert "installed" in _library.candidates()[0]
assert (longhand._alive.script() is None) == ("'"$(test -e "$build/engine.js" && echo yes)"'" == "")
print(longhand.open("ex1")["P[1][0]"])') >out 2>err
    status=$?
    tried 'the wheel is all that is needed' 0 0.4982
    (cd sources && tar xzf dist/longhand-*.tar.gz && test -f longhand-*/longhand/_program.py && test -f longhand-*/setup.py)
    verdict $? 'the source archive has the module'
    (unset LONGHAND_LIBRARY; mkdir alone && cd alone && tar xzf ../sources/dist/longhand-*.tar.gz && cd longhand-* &&
        "$python" setup.py --quiet bdist_wheel && ls dist/longhand-*-py3-none-any.whl) >out 2>err
    status=$?
    verdict $status 'and a wheel can be built of it, for a system that has the library'
fi

# As a reader runs it: from the top.
notebook=$root/python/notebooks/first-lessons.ipynb
if ! "$python" -c 'import nbconvert, ipykernel' 2>/dev/null; then
    skip 'the notebook' 'there is no nbconvert, or no ipykernel; scripts/deps.sh test installs them'
else
    PYTHONPATH=$root/python "$python" -m nbconvert --to notebook --execute --output "$work/run.ipynb" "$notebook" >out 2>err
    status=$?
    verdict $status 'the notebook runs from its first cell to its last'
    # shellcheck disable=SC2046  # nothing, or one word
    "$python" - run.ipynb $(ls "$build/engine.js" 2>/dev/null) >out 2>err <<'END'
import json, sys
cells = [c for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code"]
kinds = [k for c in cells for o in c["outputs"] for k in o.get("data", {})]
assert not any(o["output_type"] == "error" for c in cells for o in c["outputs"])
assert kinds.count("text/html") >= 5 and kinds.count("image/svg+xml") >= 3, kinds
if len(sys.argv) > 2:  # the library has the engine: it is there once, and outputs have what it needs
    texts = [str(o.get("data", {}).get("text/html", "")) for c in cells for o in c["outputs"]]
    assert kinds.count("application/javascript") == 1 and sum("<longhand-output" in t for t in texts) >= 5, kinds
END
    status=$?
    verdict $status 'and shows tables and pictures'
fi
for lesson in start why matrices; do
    run program $lesson
    "$python" - "$notebook" $lesson out >seen 2>err <<'END'
import json, sys
cells = ["".join(c["source"]) for c in json.load(open(sys.argv[1]))["cells"]]
program = open(sys.argv[3]).read().rstrip()
sys.exit(f"%%longhand {sys.argv[2]}\n{program}" not in cells)
END
    verdict $? "the notebook has the program of $lesson"
done
finish
