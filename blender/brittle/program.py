# SPDX-License-Identifier: GPL-3.0-or-later
"""The program brittle as a process beside Blender: found, checked, started, watched, stopped."""

import json
import os
import re
import shutil
import subprocess
import time

import bpy

from . import messages
from .messages import Refusal

NEEDED = (0, 2, 0)
_checked = {}


def preferences():
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def _candidates():
    name = "brittle.exe" if os.name == "nt" else "brittle"
    settings = preferences()
    if settings and settings.program:
        yield bpy.path.abspath(settings.program)
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "bin", name)
    yield os.path.join(here, name)
    found = shutil.which("brittle")
    if found:
        yield found


def find():
    """Path of a program that is new enough, or a refusal that says how to get one."""
    for path in _candidates():
        if os.path.isfile(path):
            _check(path)
            return path
    settings = preferences()
    if settings and settings.program:
        raise Refusal(messages.not_a_program(settings.program))
    raise Refusal(messages.NO_PROGRAM)


def _check(path):
    key = (path, os.path.getmtime(path))
    if key not in _checked:
        try:
            told = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, **_quietly()).stdout.decode("utf-8", "replace")
        except (OSError, subprocess.SubprocessError):
            raise Refusal(messages.not_a_program(path)) from None
        match = re.match(r"brittle (\d+)\.(\d+)\.(\d+)", told)
        if match is None:
            raise Refusal(messages.not_a_program(path))
        _checked[key] = tuple(int(part) for part in match.groups())
    if _checked[key] < NEEDED:
        raise Refusal(messages.wrong_version(path, ".".join(map(str, _checked[key])), ".".join(map(str, NEEDED))))


def _quietly():
    """No console window on Windows."""
    return {"creationflags": 0x08000000} if os.name == "nt" else {}


class Task:
    """One call of the program in a folder of its own. Its talk goes to files, so that no pipe can fill up."""

    def __init__(self, what, folder, arguments, names, told=None):
        """`names`: what the user calls each file that the program is given. `told`: the file in the folder that it reads on stdin, or none."""
        self.what, self.folder, self.arguments, self.names, self.told = what, folder, arguments, names, told
        self.limit = 0.0
        self.process = None
        self.started = 0.0

    def start(self):
        self.started = time.monotonic()
        command = [find()] + [str(a) for a in self.arguments]
        source = os.path.join(self.folder, self.told) if self.told else os.devnull
        with open(source, "rb") as told, open(os.path.join(self.folder, "stdout"), "wb") as out, open(os.path.join(self.folder, "stderr"), "wb") as err:
            try:
                self.process = subprocess.Popen(command, stdin=told, stdout=out, stderr=err, cwd=self.folder, **_quietly())
            except OSError as error:
                raise Refusal(messages.died(self.what, 0, str(error))) from None

    def is_done(self):
        """Whether it has ended. Refuses when it took longer than its limit."""
        if self.process.poll() is not None:
            return True
        if self.limit > 0 and time.monotonic() - self.started > self.limit:
            self.stop()
            raise Refusal(messages.too_slow(self.what, self.limit))
        return False

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def talk(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read().decode("utf-8", "replace")

    def progress(self):
        """Share of the work done, 0 to 1, by the last line that tells it."""
        try:
            shares = re.findall(r"(\d+) ?%", self.talk("stderr")[-400:])
        except OSError:
            shares = []
        return int(shares[-1]) / 100 if shares else 0.0

    def answer(self):
        """The JSON object of a call that went well; a refusal with the program's own sentence else."""
        code = self.process.returncode
        try:
            told = json.loads(self.talk("stdout") or "{}")
        except ValueError:
            told = {}
        if code == 0 and told:
            return told
        words = told.get("error") or messages.last_sentence(self.talk("stderr"))
        refused = re.search(r"(\w+\.ply) is no clean solid(?:: (.*))?", words)
        if refused:
            raise Refusal(messages.open_mesh(self._rename(refused[1]), refused[2]), can_repair=True)
        raise Refusal(messages.died(self.what, code, self._rename(words)))

    def notes(self):
        return [self._rename(note) for note in messages.notes(self.talk("stderr"))]

    def _rename(self, text):
        for file, name in self.names.items():
            text = text.replace(file, name)
        return text
