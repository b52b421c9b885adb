"""A wheel with the shared library in it: LONGHAND_LIBRARY names the file to take. Nothing is compiled here.

Without it the wheel has no library, and uses the one that the system has (liblonghand0).
"""
import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

LIBRARY = os.environ.get("LONGHAND_LIBRARY", "")


class WithLibrary(Distribution):
    def has_ext_modules(self):  # it belongs where libraries go
        return bool(LIBRARY)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if LIBRARY and not self.dry_run:
            folder = Path(self.build_lib) / "longhand"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(LIBRARY).resolve(), folder / "liblonghand.so")


class PlatformWheel(bdist_wheel):
    """One wheel for every Python, of one kind of machine: the module is plain Python, the library is not."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform if LIBRARY else "any")


setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
