# What the tests in the shell share. A test begins and ends so, and prints TAP, which meson reads:
#
#     . "$(dirname "$0")/tap.sh"                           # now in an empty folder of its own, $work
#     run tokens show small                                # longhand with these words; see $status, the files out and err
#     tried 'what it is' 0 '267 tokens' '10 merges'        # it ended with 0, and both are in out or err
#     refused 'no folder' 'cannot be opened' tokens show x # runs: ended with 2, this in err, nothing in out
#     test -s small/vocab.json
#     verdict $? 'the vocabulary is there'
#     finish
#
# It can be run alone, too: sh tests/tokens.sh
# shellcheck shell=sh disable=SC2034  # the tests use them
set -u
root=${LH_SOURCE_ROOT:-$(cd "$(dirname "$0")/.." && pwd)}
build=${LH_BUILD_ROOT:-$root/build}
longhand=$build/longhand
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
COLUMNS=80 NO_COLOR=1 LC_ALL=C.UTF-8 HOME=$work LONGHAND_DATA=$work/data XDG_STATE_HOME=$work/state
export COLUMNS NO_COLOR LC_ALL HOME LONGHAND_DATA XDG_STATE_HOME
unset XDG_DATA_HOME
: >out
: >err
tap_count=0 tap_failed=0 status=0

# verdict STATUS NAME: one test; it passed when STATUS is 0.
verdict() {
    tap_count=$((tap_count + 1))
    if test "$1" -eq 0; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        echo "# the last status was $status; out and err:"
        head -n 40 "$work/out" "$work/err" 2>/dev/null | sed 's/^/#   /'
        tap_failed=1
    fi
}

# skip NAME WHY: a test that cannot be made here.
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# Was it built with a sanitiser, which takes memory of its own? Then it does not run where the address space is limited.
is_sanitised() {
    # shellcheck disable=SC3045  # dash and bash have it
    ! (ulimit -v 8000000 && "$longhand" --version) >/dev/null 2>&1
}

# finish: the plan, and the exit status.
finish() {
    echo "1..$tap_count"
    exit $tap_failed
}

# run WORD...: longhand with these words and nothing to read; its output goes to out and err, its exit status to $status.
run() {
    "$longhand" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# type_in LINES WORD...: the same, with LINES typed in (\n ends one).
type_in() {
    tap_lines=$1
    shift
    printf '%b' "$tap_lines" | "$longhand" "$@" >"$work/out" 2>"$work/err"
    status=$?
}

# tried NAME STATUS PART...: the last run ended with STATUS, and every PART is in out or err.
tried() { tap_look -F "$@"; }

# printed NAME STATUS LINE...: the last run ended with STATUS, and every LINE is a whole line of out or err.
printed() { tap_look -Fx "$@"; }

tap_look() {
    tap_how=$1 tap_name=$2 tap_wanted=$3 tap_bad=0
    shift 3
    test "$status" -eq "$tap_wanted" || { echo "# status $status, wanted $tap_wanted" && tap_bad=1; }
    for tap_text; do
        grep -q "$tap_how" -e "$tap_text" "$work/out" "$work/err" || { echo "# missing: $tap_text" && tap_bad=1; }
    done
    verdict $tap_bad "$tap_name"
}

# does NAME WORD...: runs; ends with 0.
does() {
    tap_name=$1
    shift
    run "$@"
    verdict $status "$tap_name"
}

# ends NAME STATUS PART WORD...: runs; ends with STATUS and prints PART to out.
ends() {
    tap_name=$1 tap_wanted=$2 tap_text=$3
    shift 3
    run "$@"
    test $status -eq "$tap_wanted" && grep -qF -e "$tap_text" out
    verdict $? "$tap_name"
}

# says NAME LINE WORD...: runs; ends with 0, and LINE is a whole line of out or err.
says() {
    tap_name=$1 tap_text=$2
    shift 2
    run "$@"
    printed "$tap_name" 0 "$tap_text"
}

# refused NAME PART WORD...: runs; ends with 2 and says PART in err, no message twice, and out is empty.
refused() {
    tap_name=$1 tap_text=$2
    shift 2
    run "$@"
    test $status -eq 2 && grep -qF -e "$tap_text" err && ! test -s out && test -z "$(sort err | uniq -d | grep '^longhand: ')"
    verdict $? "$tap_name"
}

# Of the last run, one thing each; a NAME may say more.
exits() { test "$status" -eq "$1"; verdict $? "$2: exit status $1"; }                       # STATUS NAME
shows() { grep -qF -e "$1" "$work/out"; verdict $? "${2:-shows: $1}"; }                     # TEXT [NAME]
hides() { ! grep -qF -e "$1" "$work/out"; verdict $? "${2:-does not show: $1}"; }           # TEXT [NAME]
warns() { grep -qF -e "$1" "$work/err"; verdict $? "${2:-says: $1}"; }                      # TEXT [NAME]
silent() { ! test -s "$work/err"; verdict $? "$1: nothing on stderr"; }                     # NAME

# Of files.
has() { grep -qE -e "$2" "$3"; verdict $? "$1"; }                                           # NAME PATTERN FILE
there() { test -s "$1"; verdict $? "there is $1"; }                                         # FILE
gone() { ! test -e "$1"; verdict $? "there is no $1"; }                                     # FILE
is_json() {                                                                                 # NAME FILE
    if ! command -v python3 >/dev/null; then
        skip "$1" 'there is no python3'
    else
        python3 -m json.tool "$2" >/dev/null 2>err
        verdict $? "$1"
    fi
}
