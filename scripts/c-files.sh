#!/bin/sh
# Every C file of the project, one a line.
cd "$(dirname "$0")/.." || exit 1
find src web include tests bench scripts examples -name '*.[ch]' 2>/dev/null | sort
