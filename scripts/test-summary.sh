#!/bin/sh
# Counts single tests in meson's log (a line of JSON for each test program, with the TAP it printed).
#
#     sh scripts/test-summary.sh VERDICT build/meson-logs/testlog.json
#
# VERDICT is meson's own exit status. A program that crashed, ran too long, left out tests of its plan or ended with another
# status than 0 counts as failed even when every test it reported passed; skipped tests count neither way.
awk -v verdict="$1" '
    function key(name) { # its value: quotes inside a JSON text are \", so that the pattern matches keys alone
        if (!match($0, "\"" name "\": \"")) return ""
        value = substr($0, RSTART + RLENGTH)
        if (value ~ /^"/ || !match(value, /[^\\]"/)) return ""
        return substr(value, 1, RSTART)
    }
    function say(text) {
        gsub(/\\t/, "    ", text)
        gsub(/\\"/, "\"", text)
        print "    " text
    }
    {
        result = key("result")
        bad = telling = 0
        n = split(key("stdout"), line, /\\n/)
        for (i = 1; i <= n; i++) {
            if (line[i] ~ /^#/ && telling) say(line[i])
            else if (line[i] ~ /^(not )?ok /) telling = 0
            if (line[i] ~ /^ok .*# *(SKIP|skip)/ || line[i] ~ /^not ok .*# *(TODO|todo)/) skipped++
            else if (line[i] ~ /^ok /) passed++
            else if (line[i] ~ /^not ok /) {
                bad++
                telling = 1
                print "FAILED " key("name") ": " substr(line[i], 8)
            }
        }
        if (!bad && result != "OK" && result != "SKIP") {
            bad = 1
            print "FAILED " key("name") ": " result
        }
        failed += bad
    }
    END {
        if (!failed && (verdict != 0 || !passed)) failed = 1
        if (skipped) printf "%d skipped\n", skipped
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0
    }
' "$2"
