"""Types a beginning into a shell, presses Tab, and waits until the shell has made of it what is wanted.

    python3 tests/tab.py bash|zsh|fish 'longhand expl' 'longhand explain'

The shell is a real one on a terminal of its own, started with the settings that a new user of Debian has; only its prompt is ours. Ends with 1
when it is not there after a minute, and prints what was seen.
"""
import os
import pty
import re
import select
import signal
import sys
import time

# The prompt is written so that the echo of this line does not look like it.
START = {
    "bash": (["bash", "--noprofile", "--norc", "-i"], "PS1='REA''DY> '; . /usr/share/bash-completion/bash_completion\r"),
    "zsh": (["zsh", "-f", "-i"], "PS1='REA''DY> '; autoload -Uz compinit; compinit -u -D\r"),
    "fish": (["fish", "-i"], "function fish_prompt; echo -n 'REA''DY> '; end\r"),
}
ESCAPE = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]|[\x0e\x0f\x07]")


def read_until(terminal, wanted, seconds=60, quiet=0.0):
    """What the shell writes until `wanted` is in it and nothing more came for a while: and whether it came."""
    text, end, last = b"", time.time() + seconds, time.time()
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
            last = time.time()
        elif wanted in ESCAPE.sub(b"", text) and time.time() - last >= quiet:
            return ESCAPE.sub(b"", text), True
    return ESCAPE.sub(b"", text), False


def main(shell, typed, wanted):
    words, setting = START[shell]
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="200", LC_ALL="C.UTF-8")
        os.execvp(words[0], words)
    read_until(terminal, b"", quiet=1.5)
    os.write(terminal, setting.encode())
    seen, is_ready = read_until(terminal, b"READY> ", quiet=1.5)
    os.write(terminal, typed.encode())
    time.sleep(1)
    os.write(terminal, b"\t")
    more, found = read_until(terminal, wanted.encode()) if is_ready else (b"", False)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
    if not found:
        print((seen + more).decode(errors="replace").replace("\r", "\n"))
    return 0 if found else 1


sys.exit(main(*sys.argv[1:]))
