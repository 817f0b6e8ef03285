# SPDX-License-Identifier: GPL-3.0-or-later
"""Every sentence the user reads when something does not work, and what to do about it."""

import re

NO_PROGRAM = (
    "The program brittle was not found. Build it with `make`, or unpack a release, and either put it on the PATH or name the file in "
    "Edit > Preferences > Add-ons > Brittle"
)


class Refusal(Exception):
    """The work cannot be done; the text says why in words for the user. `can_repair`: a mesh is no closed solid, Repair would mend it."""

    def __init__(self, text, can_repair=False):
        super().__init__(text)
        self.can_repair = can_repair


def wrong_version(path, version, needed):
    return f"{path} is brittle {version}; this add-on needs {needed} or newer"


def not_a_program(path):
    return f"{path} does not run as brittle. Name the right file in Edit > Preferences > Add-ons > Brittle"


def died(what, code, last_words):
    """How the program ended, as far as it told."""
    if last_words:
        return f"{what}: {last_words}"
    if code < 0:
        return f"{what}: brittle was ended by signal {-code}; nothing was changed"
    return f"{what}: brittle ended with code {code} and no word; nothing was changed"


def too_slow(what, seconds):
    return f"{what}: brittle did not end within {seconds:g} s and was stopped; nothing was changed. The limit is in the add-on's preferences"


def cancelled():
    return "Cancelled; nothing was changed"


def open_mesh(name, verdict):
    return f"{name} is no closed solid ({verdict or 'open, crossing itself or turned inside out'}). Choose Repair to mend it on the way, or close it yourself"


def unbroken(name, why):
    return f"{name} stays whole: {why}"


def gone(name):
    return f"{name} was deleted or renamed meanwhile; nothing was changed"


def last_sentence(text):
    """The program's own sentence, without its name and without progress lines."""
    for line in reversed(text.replace("\r", "\n").splitlines()):
        line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line).strip()
        if line and not re.search(r"\d+ ?%", line) and not line.startswith("note: "):
            return re.sub(r"^brittle( \w+)?: ", "", line)
    return ""


def notes(text):
    """Remarks the program made on the way."""
    return [line[6:].strip() for line in text.splitlines() if line.startswith("note: ")]
