#!/bin/sh
# CONTRIBUTING.md shows how one adds an operation, a kernel, a backend, a kind of exercise and a command, each with the whole change. Here
# these changes are cut out of it, made in a copy of the tree, built without optimisation, and what they add is run.
. "$(dirname "$0")/tap.sh"
copy=$work/copy
build=$copy/build

# part NUMBER: the lines of the n-th ```diff block
part() {
    awk -v wanted="$1" '/^```diff$/ { n++; on = n == wanted; next } /^```$/ { on = 0 } on' "$root/CONTRIBUTING.md"
}

mkdir "$copy" && (cd "$root" && tar cf - --exclude='./build*' --exclude=./.git --exclude=./longhand .) | (cd "$copy" && tar xf -)
n=1
for what in 'an operation' 'a kernel' 'a backend' 'a kind of exercise' 'a command'; do
    part $n >"$work/$n.diff"
    test "$(grep -c '^+++ ' "$work/$n.diff")" = 2 && test "$(grep -c '^--- /dev/null' "$work/$n.diff")" = 1 &&
        test "$(grep -c '^+[A-Z]*(.*)$' "$work/$n.diff")" -ge 1
    verdict $? "$what is one file and one line"
    (cd "$copy" && patch -p1 --batch) <"$work/$n.diff" >"$work/out" 2>"$work/err"
    verdict $? "$what can be added as CONTRIBUTING.md says"
    n=$((n + 1))
done
test -z "$(part $n)"
verdict $? 'there are no further changes in CONTRIBUTING.md'
sh "$copy/scripts/names.sh" >"$work/out" 2>"$work/err"
verdict $? 'what is added has names of its own'

# A program that asks the new backend what it counted.
cat >"$copy/tests/test_counting.c" <<'EOF'
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "eval/backends.h"

long lh_counting_works(const lh_plan *p);
long lh_counting_cells(const lh_plan *p);

static void it_counts(void **state) {
    (void)state;
    const char text[] = "param A = [1 2; 3 4; 5 6]\nB = A * A\nC = colsum(B)\n";
    const lh_evaluator *with = lh_evaluator_find("counting");
    lh_context *ctx = lh_context_new();
    lh_program *program = lh_program_parse(ctx, "text", text, sizeof text - 1);
    lh_graph *g = lh_graph_build(ctx, program, NULL);
    lh_plan *p = with->plan(g, &(lh_wish){.all = true});
    long before = lh_counting_cells(p), works = lh_counting_works(p);
    with->run(p);
    assert_int_equal(lh_counting_works(p) - works, 2);
    assert_int_equal(lh_counting_cells(p) - before, 6 + 2);
    with->free(p);
    lh_graph_free(g);
    lh_program_free(program);
    lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
EOF
sed "s/^  'backend',/  'backend',\n  'counting',/" "$root/tests/meson.build" >"$copy/tests/meson.build"

meson setup -Dbuildtype=plain -Dwerror=true -Dfont=disabled -Dman=disabled -Dpage=disabled "$build" "$copy" >"$work/out" 2>"$work/err"
verdict $? 'the copy can be set up'
ninja -C "$build" longhand tests/test_ops tests/test_fast tests/test_backend tests/test_counting >"$work/out" 2>"$work/err"
verdict $? 'the copy builds without a warning'
longhand=$build/longhand
LH_SOURCE_ROOT=$copy LH_BUILD_ROOT=$build LH_QUICK=1
export LH_SOURCE_ROOT LH_BUILD_ROOT LH_QUICK

"$longhand" calc --digits 17 'log1p([0 1e-20; 1 3])' >"$work/out" 2>"$work/err" && grep -q '1e-20' "$work/out"
verdict $? 'the operation runs'
"$longhand" help operations >"$work/out" 2>"$work/err" && grep -q '`log1p`' "$work/out"
verdict $? 'the operation is in the manual'
"$build/tests/test_ops" >"$work/out" 2>"$work/err"
verdict $? 'its example, gradient and explanation agree: test_ops'

printf 'vocab 4\nparam E : vocab x 3 = normal(1)\nexample t1 t2 -> t3\nY = relu(E[tokens])\n' >"$work/relu.lh"
"$longhand" graph "$work/relu.lh" --plan >"$work/out" 2>"$work/err" && grep -q 'relu(x)\|by relu\| relu ' "$work/out"
verdict $? 'the kernel is planned'
"$build/tests/test_fast" >"$work/out" 2>"$work/err"
verdict $? 'the kernel agrees with the definition, with its gradients: test_fast'

"$longhand" graph ex3 --plan --backend counting >"$work/out" 2>"$work/err" && grep -q 'Evaluator counting: cells of double' "$work/out"
verdict $? 'the backend is known by its name'
"$build/tests/test_backend" >"$work/out" 2>"$work/err"
verdict $? 'the backend comes to the numbers of exact: test_backend'
"$build/tests/test_counting" >"$work/out" 2>"$work/err"
verdict $? 'the backend counts'

cat >"$work/decide.md" <<'EOF'
# Rows that add up

```lesson
minutes 5
```

```longhand
const P = [0.25 0.75; 0.5 0.5]
s = rowsum(P)
```

```exercise decide
title: A row of weights
claim: s[0] == 1

Do the weights of a row add up to one?
```
EOF
"$longhand" lint "$work/decide.md" >"$work/out" 2>"$work/err"
verdict $? 'a lesson may have the kind of exercise'
"$longhand" exercise "$work/decide.md" 1 --answer yes >"$work/out" 2>"$work/err"
verdict $? 'its right answer is right'
"$longhand" exercise "$work/decide.md" 1 --answer no >"$work/out" 2>"$work/err"
test $? = 1 && grep -q 'Here it reads 1 = 1' "$work/out"
verdict $? 'its wrong answer is wrong'
"$longhand" exercise "$work/decide.md" 1 --answer perhaps >"$work/out" 2>"$work/err"
test $? = 2
verdict $? 'what is no answer is refused'
"$longhand" exercise --help >"$work/out" 2>"$work/err" && grep -q '^  decide  *yes or no' "$work/out"
verdict $? 'the kind of exercise is in --help'

"$longhand" steps ex1 >"$work/out" 2>"$work/err" && grep -q '^P  *tokens x tokens$' "$work/out"
verdict $? 'the command runs'
"$longhand" --help >"$work/out" 2>"$work/err" && grep -q '^  steps ' "$work/out" &&
    "$longhand" help completion | grep -q "steps) words='--help --inner'" &&
    sh "$copy/scripts/manual.sh" "$longhand" "$copy/man/longhand.1.scd" | grep -q '^## steps LESSON'
verdict $? 'the command is in --help, in the completion and in the manual page'
finish
