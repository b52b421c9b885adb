"""A wheel with the shared library in it: LONGHAND_LIBRARY names the file to take, and behind colons what that needs besides. Nothing is
compiled here.

Without it the wheel has no library, and uses the one that the system has (liblonghand0).
"""
import os
import re
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

LIBRARIES = [Path(p) for p in os.environ.get("LONGHAND_LIBRARY", "").split(os.pathsep) if p]
HERE = Path(__file__).resolve().parent


def version():
    """That of the project; in a source archive, the archive's own."""
    for path, pattern in ((HERE.parent / "meson.build", r"version: '([^']+)'"), (HERE / "PKG-INFO", r"(?m)^Version: (.+)$")):
        found = re.search(pattern, path.read_text(encoding="utf-8")) if path.exists() else None
        if found:
            return found.group(1)
    raise SystemExit("setup.py: neither meson.build nor PKG-INFO says which version this is")


class WithLibrary(Distribution):
    def has_ext_modules(self):  # it belongs where libraries go
        return bool(LIBRARIES)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        folder = Path(self.build_lib) / "longhand"
        folder.mkdir(parents=True, exist_ok=True)
        for i, library in enumerate(LIBRARIES):
            shutil.copy(library.resolve(), folder / (library.name if i else "liblonghand.so"))


class PlatformWheel(bdist_wheel):
    """One wheel for every Python, of one kind of machine: the module is plain Python, the library is not."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform if LIBRARIES else "any")


setup(version=version(), distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
