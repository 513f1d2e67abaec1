"""The wheel has, beside the package, what `wfhelpers fetch` gives: chapters, the experiments file, stored results."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithMaterial(build_py):
    """Build the package with its material inside; a checkout has it beside the package."""

    def run(self) -> None:
        """Copy the modules, then the material."""
        super().run()
        if not self.editable_mode:
            material = Path(self.build_lib) / "wfhelpers" / "material"
            shutil.rmtree(material, ignore_errors=True)
            material.mkdir()
            shutil.copy("experiments.yml", material)
            for folder in ("notebooks", "results"):
                shutil.copytree(folder, material / folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))


setup(cmdclass={"build_py": WithMaterial})
