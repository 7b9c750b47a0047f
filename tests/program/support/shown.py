# SPDX-License-Identifier: MIT
"""What pages show: their blocks of code, the files among them, and a shell that runs commands as a reader would."""
import os
import re
import subprocess


def blocks(text, folder=None, change=lambda name, text: text):
    """(language, text) of all blocks of code of a page; with a folder its files are written there.

    A block with `# file: NAME` in one of its first two lines is a file, that line included, just as a reader copies it. So is
    a whole input without a name after a text that names it, as in 'Write `water.yaml`:'."""
    found = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M):
        language, body = match.groups()
        name = re.match(r"(?:#!.*\n)?[#;] file: ([\w.-]+)", body)
        if name is None and language == "yaml" and re.search(r"^units:", body, re.M) and re.search(r"^system:", body, re.M):
            named = re.findall(r"`([\w-]+\.yaml)`", text[: match.start()])
            name = re.match("(.*)", named[-1]) if named else None
        if name and folder:
            with open(os.path.join(folder, name[1]), "w", encoding="utf-8") as file:
                file.write(change(name[1], body))
        found.append((language, body, name[1] if name else None))
    return found


def call(command, folder, environment):
    return subprocess.run(
        ["bash", "-e", "-u", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
