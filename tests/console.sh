#!/bin/sh
# Every ```console block in the documents, run as it stands:
#
#     $ longhand explain ex1 'Z[1][1]'      a command; what follows up to the next $ is what it must print
#     ...                                   any lines
#     $ cat mine.lh                         what follows is not compared: it becomes the file
#
# A line that the command prints to stderr counts too. Commands run in a folder of their own, with the program and the C
# examples in the PATH, 80 columns wide.
. "$(dirname "$0")/tap.sh"
PATH=$build:$build/examples/c:$PATH
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH LD_LIBRARY_PATH
unset NO_COLOR

# Cuts a document into N.at (file:line), N.command and N.wanted; prints how many there are now.
cut_blocks() {
    awk -v name="$1" -v n="$2" '
        function begin(command) {
            n++
            printf "%s:%d\n", name, NR > (n ".at")
            print command > (n ".command")
            printf "" > (n ".wanted")
        }
        /^```console$/ { inside = 1; next }
        /^```/ { inside = 0 }
        inside && /^\$ / { begin(substr($0, 3)); next }
        inside { print > (n ".wanted") }
        END { print n }
    ' "$root/$1"
}

# Is what was printed what was wanted, ... aside? Tells the first line that is not.
compare() {
    awk '
        FNR == NR { want[++w] = $0; next }
        { have[++h] = $0 }
        END {
            i = j = 1
            while (i <= w) {
                if (want[i] == "...") {
                    if (++i > w) exit 0
                    while (j <= h && have[j] != want[i]) j++
                }
                if (j > h || have[j] != want[i]) {
                    print "# wanted: " want[i]
                    print "# printed: " (j > h ? "nothing more" : have[j])
                    exit 1
                }
                i++; j++
            }
            if (j <= h) { print "# printed as well: " have[j]; exit 1 }
        }
    ' "$1" "$2"
}

n=0
for document in README.md CONTRIBUTING.md docs/notation.md docs/tour.md examples/c/README.md lessons/embeddings.md \
    lessons/decoder-only.md lessons/since-gpt2.md; do
    test -f "$root/$document" && n=$(cut_blocks "$document" "$n")
done
i=0
while test $i -lt "$n"; do
    i=$((i + 1))
    command=$(cat $i.command)
    case $command in
    'cat '*) cp $i.wanted "${command#cat }" && cp $i.wanted out ;;
    *)
        sh -c "$command" >out 2>&1 </dev/null
        status=$?
        ;;
    esac
    compare $i.wanted out
    verdict $? "$(cat $i.at) $command"
done

# C that a lesson prints is C that the examples compile.
for lesson in "$root"/lessons/*.md; do
    awk '/^```c$/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print > ("code-" n) }' "$lesson"
    for code in code-*; do
        test -f "$code" || continue
        cat "$root"/examples/c/*.c | awk 'FNR == NR { want[++n] = $0; next } { have[++m] = $0 }
            END { for (i = 1; i + n - 1 <= m; i++) { for (k = 1; k <= n && have[i + k - 1] == want[k]; k++); if (k > n) exit 0 } exit 1 }' "$code" -
        verdict $? "$(basename "$lesson"): the C is that of examples/c"
        rm "$code"
    done
done
finish
