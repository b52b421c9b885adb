#!/bin/sh
# longhand weights: files made here byte by byte, and what it says of them. Prints TAP.
program=${LH_BUILD_ROOT:?}/longhand
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
COLUMNS=100 NO_COLOR=1 LC_ALL=C.UTF-8
export COLUMNS NO_COLOR LC_ALL
n=0
echo 1..17

verdict() { # 0 or 1, what was tried
    n=$((n + 1))
    if test "$1" -eq 0; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        head -c 900 out err | sed 's/^/#   /'
    fi
}

# is STATUS PART WHAT COMMAND...: it ends with STATUS and writes PART to stdout (to stderr when STATUS is 2).
is() {
    want=$1 part=$2 what=$3
    shift 3
    timeout 60 "$@" >out 2>err </dev/null
    status=$?
    bad=0
    test $status -eq "$want" || bad=1
    if test "$want" -eq 2; then grep -qF -- "$part" err || bad=1; else grep -qF -- "$part" out || bad=1; fi
    test $bad -eq 0 || echo "# status $status, wanted $want and \"$part\""
    verdict $bad "$what"
}

# file NAME HEADER: the header's length in 8 bytes, the header, and the numbers from stdin.
file() {
    length=${#2}
    {
        # shellcheck disable=SC2059  # the format is the bytes
        printf "\\$(printf %o $((length % 256)))\\$(printf %o $((length / 256)))\\0\\0\\0\\0\\0\\0"
        printf %s "$2"
        cat
    } >"$1"
}

mkdir model
# 1, 2, 3 and nan in F32, then 1 and -2 in F16
printf '\0\0\200\077\0\0\0\100\0\0\100\100\0\0\300\177\0\074\0\300' |
    file model/model.safetensors '{"wte.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"ln_f.bias":{"dtype":"F16","shape":[2],"data_offsets":[16,20]}}'

is 0 'wte.weight  F32   2 x 2     16    1    3     2     0.8165    1' 'a row has what its numbers come to' "$program" weights model
is 0 'ln_f.bias   F16   2          4   -2    1  -0.5        1.5' '16 bits are read' "$program" weights model
is 0 '2 tensors, 6 numbers, 20 bytes, 1 of them nan' 'the sums' "$program" weights model
is 0 '2 tensors' 'a file alone' "$program" weights model/model.safetensors
is 0 '1 tensors, 2 numbers, 4 bytes' 'a part of the names' "$program" weights model --name ln_f
is 0 '"mean": 2, "deviation": 0.816496580927726, "nan": 1' 'JSON' "$program" weights model --json
bad=0
python3 -c 'import json, sys; json.load(open("out"))' 2>err || ! command -v python3 >/dev/null || bad=1
verdict $bad 'the JSON is JSON'
COLUMNS=40 "$program" weights model >out 2>err
awk 'length($0) > 45 || /F32.*0.8165/ { exit 1 }' out
verdict $? 'a narrow screen has two lines for a tensor'

is 2 'cannot be opened: No such file' 'no such file' "$program" weights nothing
is 2 'there is no model.safetensors in .' 'a folder without weights' "$program" weights .
head -c 100 model/model.safetensors >cut.safetensors
is 2 'cut.safetensors: its header has 129 bytes, and the file has 100' 'a header cut off' "$program" weights cut.safetensors
head -c 150 model/model.safetensors >cut.safetensors
is 2 'lies at bytes 0 to 16, and the file has 13 bytes of data' 'data cut off' "$program" weights cut.safetensors
is 2 'it is cut off' 'the likely cause of a cut' sh -c "head -c 100 model/model.safetensors >c && '$program' weights c"
: >empty.safetensors
is 2 'too few for a safetensors file' 'an empty file' "$program" weights empty.safetensors
is 2 'is not an ordinary file' 'a device' "$program" weights /dev/zero
echo '{"model_type": "gpt2", "n_layer": 0}' >model/config.json
is 2 'n_layer must be a whole number from 1 on' 'a config that cannot be' "$program" weights model
if test -e /dev/full; then
    rm model/config.json
    "$program" weights model >/dev/full 2>err
    test $? -eq 2
    verdict $? 'output that cannot be written'
else
    echo 'ok 17 - output that cannot be written # SKIP there is no /dev/full'
fi
