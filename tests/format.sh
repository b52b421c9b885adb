#!/bin/sh
# longhand format: every program of the course keeps its meaning, comes out unchanged a second time, and a messy one comes out in order.
. "$(dirname "$0")/tap.sh"

changed=0 meant=0
for file in "$root"/models/*.lh "$root"/src/notation/prelude.lh; do
    cp "$file" one.lh
    run format one.lh
    test $status -eq 0 || changed=1
    run format --check one.lh
    test $status -eq 0 || changed=1
    # Without its spaces, the tabs of another editor and ends of lines from elsewhere.
    sed 's/^ *//; s/ = /=/; /#/!s/, /,/g; s/ @ /@/g; s/$/  /' "$file" | awk '{ printf "\t%s\r\n", $0 }' >messy.lh
    run format messy.lh
    test $status -eq 0 || changed=1
    run format --check messy.lh
    test $status -eq 0 || changed=1
    grep -q '	\|=[^ =>]*$' messy.lh && grep -q '	' messy.lh && changed=1
    case $file in
    */prelude.lh) ;;
    *)
        cp "$file" same.lh && "$longhand" graph same.lh >before 2>&1
        cp messy.lh same.lh && "$longhand" graph same.lh >after 2>&1
        cmp -s before after || { meant=1 && echo "# $file"; }
        ;;
    esac
done
verdict $changed 'a second time nothing changes'
verdict $meant 'the program means the same'

lessons=0
for file in "$root"/lessons/*.md; do
    cp "$file" one.md
    run format one.md
    test $status -eq 0 || lessons=1
    run format --check one.md
    test $status -eq 0 || lessons=1
    # Nothing but spaces inside programs was touched.
    tr -d ' \n' <"$file" >b && tr -d ' \n' <one.md >a && cmp -s a b || lessons=1
done
verdict $lessons 'lessons: only spaces change'

cat >messy.lh <<'END'


fn f( x ,k=2 )   # a function
y=x*k+1e-5
      z = -y   +x^T @x
end
vocab   A   B "c  d" #words
param W:2 x 2=[1 2
               3 4]  as "w"
repeat h for 2 with X=W
next X=f(X)-1   # less



end
END
cat >tidy.lh <<'END'
fn f(x, k = 2)   # a function
  y = x*k + 1e-5
  z = -y + x^T @ x
end
vocab A B "c  d"     # words
param W : 2 x 2 = [1 2
                   3 4]  as "w"
repeat h for 2 with X = W
  next X = f(X) - 1  # less

end
END
run format messy.lh
cmp -s messy.lh tidy.lh
verdict $? 'a messy program'
diff messy.lh tidy.lh | sed 's/^/# /'
run format --check tidy.lh
verdict $status 'is as it should be'
printf 'X=1' >short.lh
run format --check short.lh
test $status -eq 1 && grep -q '^short.lh$' out && test "$(cat short.lh)" = 'X=1'
verdict $? '--check says which, and writes nothing'
printf 'X=1' | "$longhand" format - >out 2>err
printf 'X = 1\n' | cmp -s - out
verdict $? 'from stdin to stdout'
printf 'X = = 1\n' >wrong.lh
refused 'what is no program is left alone' 'wrong.lh:1:' format wrong.lh
test "$(cat wrong.lh)" = 'X = = 1'
verdict $? '... to the byte'
: >empty.lh
does 'an empty file' format empty.lh
refused 'a file that is not there' 'cannot be opened' format nothing.lh
finish
