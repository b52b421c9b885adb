#!/bin/sh
# longhand weights: files made here byte by byte, and what it says of them.
. "$(dirname "$0")/tap.sh"
COLUMNS=100

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

ends 'a row has what its numbers come to' 0 'wte.weight  F32   2 x 2     16    1    3     2     0.8165    1' weights model
ends '16 bits are read' 0 'ln_f.bias   F16   2          4   -2    1  -0.5        1.5' weights model
ends 'the sums' 0 '2 tensors, 6 numbers, 20 bytes, 1 of them nan' weights model
ends 'a file alone' 0 '2 tensors' weights model/model.safetensors
ends 'a part of the names' 0 '1 tensor, 2 numbers, 4 bytes' weights model --name ln_f
ends 'JSON' 0 '"mean": 2, "deviation": 0.816496580927726, "nan": 1' weights model --json
is_json 'the JSON is JSON' out
COLUMNS=40 "$longhand" weights model >out 2>err
awk 'length($0) > 45 || /F32.*0.8165/ { exit 1 }' out
verdict $? 'a narrow screen has two lines for a tensor'

refused 'no such file' 'cannot be opened: No such file' weights nothing
refused 'a folder without weights' 'there is no model.safetensors in .' weights .
mkdir pickle
for file in pytorch_model.bin pytorch_model.bin.index.json consolidated.00.pth; do
    : >pickle/$file
    refused "weights in $file" 'there is no model.safetensors in pickle' weights pickle
    warns "its $file is a pickle" "what to do with $file"
    rm pickle/$file
done
head -c 100 model/model.safetensors >cut.safetensors
refused 'a header cut off' 'cut.safetensors: its header has 129 bytes, and the file has 100' weights cut.safetensors
warns 'it was cut off' 'the likely cause of a cut'
head -c 150 model/model.safetensors >cut.safetensors
refused 'data cut off' 'lies at bytes 0 to 16, and the file has 13 bytes of data' weights cut.safetensors
: >empty.safetensors
refused 'an empty file' 'too few for a safetensors file' weights empty.safetensors
refused 'a device' 'is not an ordinary file' weights /dev/zero
echo '{"model_type": "gpt2", "n_layer": 0}' >model/config.json
refused 'a config that cannot be' 'n_layer must be a whole number from 1 on' weights model
if test -e /dev/full; then
    rm model/config.json
    "$longhand" weights model >/dev/full 2>err
    test $? -eq 2
    verdict $? 'output that cannot be written'
else
    skip 'output that cannot be written' 'there is no /dev/full'
fi
finish
