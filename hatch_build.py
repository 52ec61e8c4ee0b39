"""The build hook that compiles the kernels, when a wheel is built or the package is installed from its sources.

Each `src/rankscope/kernels/*.pyx` becomes an extension module beside it, and on x86-64 another one in the folder
`kernels/x86_64_v3`, for processors with AVX2; `kernels/__init__.py` chooses. Where no C compiler is found, the build
installs one for itself, the package ziglang. Objects stay in `build/kernels`, so that the next build compiles only what
changed.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE = "rankscope.kernels"
_SHARED = f"{_PACKAGE}.memory_views"  # what Cython writes for typed memory views, once for all modules

# Products are rounded before they are added (no fused multiply-add), so that results are the same on every processor.
_EXACT = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
_DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
}


class Kernels(BuildHookInterface[Any]):
    """Compile the kernels before the files are collected."""

    def dependencies(self) -> list[str]:
        """What the build needs besides pyproject.toml's `build-system.requires`."""
        return [] if _has_compiler() else ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling which files to take and that the wheel belongs to this platform."""
        if self.target_name == "sdist":
            return
        root = Path(self.root)
        modules = build_kernels(root)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += [path.relative_to(root).as_posix() for path in modules]


def build_kernels(root: Path, only: Sequence[str] = ()) -> list[Path]:
    """Compile what changed; returns the extension modules. `python hatch_build.py [MODULE …]` calls this."""
    variants = _variants().items()
    if not _has_compiler():
        os.environ["CC"] = f"{shlex.quote(sys.executable)} -m ziglang cc"
    build = root / "build" / "kernels" / f"{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    sources = _to_c(root / "src" / "rankscope" / "kernels", build, only)
    return [module for variant, flags in variants for module in _compile(sources, variant, flags, root, build)]


def _has_compiler() -> bool:
    if sys.platform == "win32":
        return True  # what setuptools finds; without Visual Studio it says what to install
    named = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return shutil.which(shlex.split(named)[0]) is not None


def _variants() -> dict[str, list[str]]:
    """Folders of extension modules, and the flags they are compiled with."""
    wide = platform.machine().lower() in {"x86_64", "amd64"}
    if sys.platform == "win32":
        return {"": ["/O2", "/fp:precise"]} | ({"x86_64_v3": ["/O2", "/fp:precise", "/arch:AVX2"]} if wide else {})
    level = "-march=x86-64-v3" if _has_compiler() else "-mcpu=x86_64_v3"  # zig has names of its own
    return {"": _EXACT} | ({"x86_64_v3": [*_EXACT, level]} if wide else {})


def _to_c(kernels: Path, build: Path, only: Sequence[str]) -> dict[str, Path]:
    """The C source of each kernel module, by name."""
    from Cython.Build import cythonize
    from setuptools import Extension

    build.mkdir(parents=True, exist_ok=True)
    names = only or sorted(path.stem for path in kernels.glob("*.pyx"))
    # Cython finds definitions (.pxd) and names modules by the folder that it works in.
    before = Path.cwd()
    os.chdir(kernels.parents[1])
    try:
        made = cythonize(
            [
                Extension(_SHARED, []),
                *(Extension(f"{_PACKAGE}.{name}", [f"rankscope/kernels/{name}.pyx"]) for name in names),
            ],
            shared_utility_qualified_name=_SHARED,
            build_dir=str(build),
            compiler_directives=_DIRECTIVES,
            nthreads=0,
            quiet=True,
        )
    finally:
        os.chdir(before)
    return {module.name.rpartition(".")[2]: Path(module.sources[0]) for module in made}


def _compile(sources: dict[str, Path], variant: str, flags: list[str], root: Path, build: Path) -> list[Path]:
    """The extension modules of one variant, in its folder."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    package = ".".join(part for part in (_PACKAGE, variant) if part)
    extensions = [
        Extension(f"{package}.{name}", [str(source)], extra_compile_args=flags) for name, source in sources.items()
    ]
    command = build_ext(Distribution({"name": "rankscope", "ext_modules": extensions}))
    command.build_temp = str(build / "objects" / (variant or "any"))
    command.build_lib = str(root / "src")
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    command.run()
    return [Path(command.get_ext_fullpath(extension.name)) for extension in extensions]


if __name__ == "__main__":
    build_kernels(Path(__file__).resolve().parent, sys.argv[1:])
