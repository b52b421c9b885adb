#!/bin/sh
# What bash, zsh and fish complete, in these shells themselves; and a page of the manual for each command.
. "$(dirname "$0")/tap.sh"
PATH=$(dirname "$longhand"):$PATH
export PATH
for shell in bash zsh fish; do
    run help completion $shell
    mv out words.$shell
    test $status -eq 0 && test -s words.$shell
    verdict $? "words for $shell"
done
refused 'another shell' 'bash, zsh and fish, but not for tcsh' help completion tcsh

# The same questions to each: what is typed, and what it becomes.
cat >questions <<'END'
longhand expl|explain
longhand run ex5-|ex5-plain
longhand run ex1 --fr|--freeze
longhand explain ex1 cont|context
longhand cost gpt --pre|--predict --precision
END

in_bash() {
    bash -c '. ./words.bash; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _longhand; echo "${COMPREPLY[@]}"' - "$1" 2>err
}
in_fish() {
    fish --no-config -c "source words.fish; complete -C '$1'" 2>err | cut -f 1 | tr '\n' ' ' | sed 's/ $//'
}
# zsh completes where somebody types: in a terminal that is made for it. It finds the words as they are installed, in a folder of functions.
in_zsh() {
    cat >type.zsh <<'END'
zmodload zsh/zpty
zpty -b z zsh -f -i
zpty -w z 'PS1= ; stty -echo 2>/dev/null; autoload -U compinit; fpath=($PWD/functions $fpath); compinit -u -D; bindkey "^I" complete-word; LISTMAX=0'
zpty -w z 'show() { print -r "<""$BUFFER"">"; BUFFER= ; zle accept-line }; zle -N show; bindkey "^X" show; print rea""dy'
local seen= all=
integer i
for ((i = 0; i < 100; i++)); do zpty -r -t z seen && all+=$seen; [[ $all == *ready* ]] && break; sleep 0.1; done
zpty -n -w z "$1"$'\t'
sleep 2
zpty -n -w z $'\x18'
for ((i = 0; i < 50; i++)); do zpty -r -t z seen && all+=$seen; [[ $all == *\<longhand*\>* ]] && break; sleep 0.1; done
print -r -- $all
zpty -d z
END
    zsh -f type.zsh "$1" 2>err | tr -d '\r' | sed -n 's/.*<\(longhand .*\)>.*/\1/p' | tail -n 1
}

for shell in bash fish; do
    if ! command -v $shell >/dev/null; then
        skip "$shell completes" 'it is not installed'
        continue
    fi
    while IFS='|' read -r typed want; do
        "in_$shell" "$typed" >out
        seen=$(cat out)
        for word in $want; do case " $seen " in *" $word "*) ;; *) seen=wrong ;; esac done
        test "$seen" != wrong && test -n "$seen"
        verdict $? "$shell: $typed"
    done <questions
done
if command -v zsh >/dev/null; then
    mkdir functions && cp words.zsh functions/_longhand
    zsh -f -n words.zsh 2>err
    verdict $? 'zsh reads the words'
    while IFS='|' read -r typed want; do
        case $want in *' '*) continue ;; esac
        in_zsh "$typed" >out
        case $(cat out) in *"$want"*) true ;; *) false ;; esac
        verdict $? "zsh: $typed"
    done <questions
else
    skip 'zsh completes' 'it is not installed'
fi

if test -e "$build/man/longhand-train.1"; then
    wrong=0
    for name in $("$longhand" help completion bash | sed -n "s/^        words='help \(.*\)'$/\1/p" | head -n 1); do
        page=$build/man/longhand-$name.1
        test -s "$page" && grep -q '^\.SH SYNOPSIS' "$page" && grep -q '^\.SH DESCRIPTION' "$page" && grep -q '^\.SH EXAMPLES' "$page" || { wrong=1 && echo "# $name"; }
    done
    verdict $wrong 'a page of the manual for each command'
else
    skip 'a page of the manual for each command' 'scdoc is not installed'
fi
finish
