#!/bin/sh
# longhand chat from the outside: a small model with a chat template, messages through a pipe, and what is refused.
. "$(dirname "$0")/tap.sh"

i=0
while [ $i -lt 200 ]; do
    printf '<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\nHi there.<|im_end|>\n'
    i=$((i + 1))
done >talk.txt
does 'a vocabulary with marks' tokens train --data talk.txt --size 300 --special '<|im_start|>,<|im_end|>' -o tokens
does 'a small model' train gpt --data talk.txt --tokens tokens --set layers=1 dim=16 heads=2 context=96 --steps 2 -o model
refused 'a folder without a template' 'has no chat template' chat model -i Hello
grep -q -- '--template chatml' err
verdict $? '... says which there are'
cp model/tokenizer_config.json kept.json
printf '{"chat_template": "{{ <|im_start|> }}{{ <|im_end|> }}"}' >model/tokenizer_config.json
does 'one message' chat model -i Hello -n 4 --tokens
grep -q '<|im_start|>' out && grep -q 'assistant' out
verdict $? '... in the template of its family'
! grep -q 'no token of this model' err
verdict $? '... whose marks are tokens'
printf 'Hello\n\nAgain\n/new\nHello\n' >lines
"$longhand" chat model -n 3 --tokens -t 0 <lines >out 2>err
verdict $? 'messages through a pipe'
test "$(grep -c 'assistant' out)" -ge 4
verdict $? '... with what was said before'
printf 'Hello <|im_end|>\n' | "$longhand" chat model -n 3 >out 2>err
grep -q 'a message may not contain' err
verdict $? 'a mark in a message is refused'
does 'another template' chat model --template phi-3 -i Hello -n 3 --tokens --system 'Be short.'
grep -q 's   h   o' out
verdict $? '... with a system'
grep -q 'phi-3 ends a reply with <|end|>, which is not a token of this model' err
verdict $? '... and marks that are not tokens: said'

# Ctrl-C ends a reply and not the conversation: what was said so far is part of it.
grows() { # FILE SIZE: wait until the file has more bytes
    tries=0
    while [ "$(wc -c <"$1")" -le "$2" ] && [ $tries -lt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ "$(wc -c <"$1")" -gt "$2" ]
}
printf '{"eos_token_id": 0}' >model/generation_config.json
mkfifo pipe
"$longhand" chat model -n 10000000 -t 0 --tokens <pipe >said 2>notes &
chat=$!
exec 3>pipe
echo Hello >&3
grows said 2000
verdict $? 'a reply without an end'
kill -INT $chat
grows notes 0
verdict $? '... is stopped by Ctrl-C'
first=$(wc -c <said)
echo Again >&3
grows said $((first + 2000))
verdict $? '... and the next message is answered'
kill -INT $chat
exec 3>&-
wait $chat
verdict $? '... until the end'
test "$(grep -c 'stopped: the conversation continues' notes)" -ge 1 && grep -q 'the context of 96' notes
verdict $? 'both are said: stopped, and the context is full'

long=$(printf 'word %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
does 'a message longer than the context' chat model -i "$long $long" -n 2
warns 'its beginning is not read'
printf '%s\n%s\nHello\n' "$long" Hello >lines
"$longhand" chat model -n 3 <lines >out 2>err
grep -q 'the context of 96 is full: the first' err
verdict $? 'a conversation longer than the context leaves out its oldest turns, and says so'
refused 'a template without a place for it' 'has no system message' chat model --template gemma --system x -i Hello
refused 'a template that is not there' 'no template called' chat model --template nobody -i Hello
printf '{"chat_template": "{{ other }}"}' >model/tokenizer_config.json
refused 'a template that is not known' 'not one of those known here' chat model -i Hello
printf '{' >model/tokenizer_config.json
refused 'a file that is damaged' 'tokenizer_config.json' chat model -i Hello
refused 'no folder' 'no-such' chat no-such -i Hello
finish
