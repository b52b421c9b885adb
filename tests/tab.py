"""Types a beginning into a shell, presses Tab, and prints the line as the shell then has it.

    python3 tests/tab.py bash|zsh|fish 'longhand expl'

The shell is a real one on a terminal of its own, started with the settings that a new user of Debian has; only its prompt is ours.
"""
import os
import pty
import re
import select
import sys
import time

START = {
    "bash": (["bash", "--noprofile", "--norc", "-i"], "PS1='READY> '; . /usr/share/bash-completion/bash_completion\r"),
    "zsh": (["zsh", "-f", "-i"], "PS1='READY> '; autoload -Uz compinit; compinit -u -D\r"),
    "fish": (["fish", "-i"], "function fish_prompt; echo -n 'READY> '; end\r"),
}
ESCAPE = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]|[\x0e\x0f]")


def read_until(terminal, wanted, seconds, quiet=0.0):
    """What the shell writes, until `wanted` is in it (or for so many seconds), and until it has been quiet for a while."""
    text, end, last = b"", time.time() + seconds, time.time()
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
            last = time.time()
        elif wanted in ESCAPE.sub(b"", text) and time.time() - last >= quiet:
            break
    return ESCAPE.sub(b"", text)


def main(shell, typed):
    words, setting = START[shell]
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="200", LC_ALL="C.UTF-8")
        os.execvp(words[0], words)
    read_until(terminal, b"", 10, quiet=1.5)
    os.write(terminal, setting.encode())
    read_until(terminal, b"READY> ", 60, quiet=1.5)
    os.write(terminal, typed.encode())
    time.sleep(0.5)
    os.write(terminal, b"\t")
    time.sleep(0.5)
    seen = read_until(terminal, b"", 30, quiet=3)
    os.close(terminal)
    os.waitpid(child, 0)
    print(seen.decode(errors="replace").replace("\r", "\n"))


main(*sys.argv[1:])
