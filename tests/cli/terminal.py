"""Types lines into a program on a pseudo-terminal, each when the program has asked for it.

usage: terminal.py PROGRAM [ARGUMENT...] <lines >transcript
The program asks by printing "<READY>". A line may have Python's escapes (\\x03 for Ctrl-C); an empty one is
Enter. At the end of the lines the terminal hangs up.
"""
import os
import pty
import select
import sys
import time

ASK = b"<READY>"


def main():
    lines = sys.stdin.buffer.read().splitlines()
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    seen, asked, end = b"", 0, time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
        if seen.count(ASK) > asked:
            asked += 1
            if not lines:
                break
            os.write(fd, lines.pop(0).decode("unicode_escape").encode("latin-1") + b"\r")
    os.close(fd)
    sys.stdout.buffer.write(seen)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.01)
    os.kill(pid, 9)


main()
