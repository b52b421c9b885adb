#!/bin/sh
# longhand calc and longhand check from the outside: what is printed, and the exit status.
longhand=$LH_BUILD_ROOT/longhand
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COLUMNS=80 NO_COLOR=1 XDG_STATE_HOME="$work/state"
count=0

# is NAME STATUS TEXT...: the last run ended with that status, and every TEXT is a line of what it printed.
is() {
    name=$1 want=$2
    shift 2
    count=$((count + 1))
    verdict=ok
    test "$status" = "$want" || verdict='not ok'
    for line; do grep -qxF -e "$line" out || verdict='not ok' missing=$line; done
    echo "$verdict $count - $name"
    test "$verdict" = ok || { echo "# status $status, wanted $want; missing: $missing" && sed 's/^/# /' out; }
}

run() {
    "$longhand" "$@" >out 2>&1 </dev/null
    status=$?
}

pipe() {
    printf '%s\n' "$@" | "$longhand" calc >out 2>&1
    status=$?
}

# One shot.
run calc 'softmax([2 1 0.2])'
is 'a value with its steps' 0 'ans = softmax([2 1 0.2])' '    m = rowmax(x)                 2' \
    '    e = exp(x - m)                1 0.367879 0.165299' '    y = e / s' '      0.65224  0.239946  0.107815'
run calc 'a = [1 2; 3 4]' 'a @ a^T'
is 'several statements' 0 'ans = a @ a^T' '    1  11  25'
run calc '3 + 4' 'ans * 2' 'ans + ans'
is 'ans is renewed' 0 'ans = ans2 + ans2' '    28'
run calc '3 + 4' 'ans * 2' 'undo' 'ans'
is 'undo gives the ans before back' 0 '    7'
run calc '1 / 3' --digits 3
is 'digits' 0 '    0.333'
run calc 'a = 1' 'b = a +'
is 'an error in the text has its place and its mark' 2 '    b = a +'
run calc '[1 2] @ [3 4]'
is 'an error of shapes' 2 'calc:1:1: [1 2] @ [3 4]: 1x2 by 1x2: inner sizes differ (2 and 1)' '    ^~~~~~~~~~~~~'
run calc 'a = 1' 'a = 2'
is 'a name is made once' 2 'calc:2:1: a is made already, in line 1' '    a = 2'
run calc 'param W = [1 2; 3 4]' 'L = sum(W * W)' 'backward L' 'W := W - 0.1 * dW'
is 'gradients and updates' 0 'W := W - 0.1 * dW' '    1  2.4  3.2'
run calc 'vocab A B' 'const E = [1 2; 3 4]' 'example B A' 'E[tokens]'
is 'examples' 0 '    B  3  4'
run calc 'vocab A B' 'const E = [1 2; 3 4]' 'input tokens : vocab*' 'X = E[tokens]'
is 'an example may come later' 0 'X = E[tokens]'

# Questions.
run calc '?softmax'
is 'a function of the prelude, with its rule' 0 '    end' "$(grep -F 'fn softmax' out)" "$(grep -F 'grad softmax(x)' out)"
run calc '?rowmax'
is 'a primitive' 0 '    The largest number of each row.' '    rowmax([1 5 2; 7 0 3]) = [5; 7]'
run calc 'a = [1 2; 3 4]' 'P = softmax(a)' '?P[1][0]'
is 'a cell' 0 'P[1][0] = 0.268941'
run calc 'a = [1 2; 3 4]' 'b = a * 2' '?b'
is 'a name: formula, value, shape' 0 'b = a * 2' '    1  6  8' '    2x2'
run calc 'a = 1' '?a[3]'
is 'a cell that is not there' 2 "$(grep -F 'there is no' out)"
run calc '?sofmax'
is 'a name that is not there' 2 'did you mean softmax?'

# A pipe.
pipe 'softmax([1 2])'
is 'a pipe' 0 'ans = softmax([1 2])' '      0.268941  0.731059'
pipe 'a = [1 2;' '3 4]' 'fn f(x)' '  # squares' '' '  y = x * x' 'end' 'f(a)' 'list'
is 'brackets and blocks over several lines' 0 'ans = f(a)' '    1  9  16' '   8  ans = f(a)'
pipe 'a = 1' 'oops(a)' 'a + 1'
is 'the first error ends a pipe' 2 'calc:2:1: there is no function oops'
count=$((count + 1))
grep -q 'ans = a + 1' out && echo "not ok $count - nothing runs behind the error" ||
    echo "ok $count - nothing runs behind the error"
pipe 'a = 1' 'quit' 'oops'
is 'quit' 0
pipe 'list' 'undo'
is 'nothing to list, nothing to take back' 0 '    nothing yet' '    nothing to take back'
pipe '1 + 1' 'ans = ans + 1' '?ans' 'undo' 'ans'
is 'ans may be made by name' 0 'ans = ans1 + 1' '    3' '    2'

# check
cat >right.lh <<'END'
param W = [1 2; 3 4]
P = softmax(W)
L = sum(P * P)
backward L
END
cat >wrong.lh <<'END'
fn f(x)
  y = x * x
end
grad f(x)
  dx = dy * x
end
param W = [1 2]
L = sum(f(W))
backward L
END
echo 'a = [1 2] @ [3 4]' >broken.lh
run check right.lh
is 'check: all is well' 0 'all is well'
run check wrong.lh
is 'check: a wrong rule' 1 '  dW[0]   (line 7)' 'not all is well'
run check broken.lh
is 'check: cannot run' 2 '    a = [1 2] @ [3 4]'
run check right.lh --json
is 'check --json' 0
count=$((count + 1))
if ! command -v python3 >/dev/null; then
    echo "ok $count - the JSON # SKIP no python3"
elif python3 -c '
import json, sys
d = json.load(open("out"))
assert d["ok"] and d["loss"] == "L" and d["rules"] == "softmax"
assert {f["check"] for f in d["findings"]} == {"numbers", "softmax", "wide", "differences", "rules"}
assert all(f["ok"] and f["error"] <= f["limit"] for f in d["findings"] if f["check"] != "numbers")'; then
    echo "ok $count - the JSON"
else
    echo "not ok $count - the JSON"
fi
echo "1..$count"
