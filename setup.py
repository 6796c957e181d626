"""Everything is said in pyproject.toml but this: a wheel carries `schemas/` as `reciplint/schemas/`."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithSchemas(build_py):
    """Copies the schemas beside the package; an editable install reads them where they are."""

    def run(self) -> None:
        """Build, then copy."""
        super().run()
        if not self.editable_mode:
            home = Path(__file__).parent / "schemas"
            shutil.copytree(home, Path(self.build_lib) / "reciplint" / "schemas", dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithSchemas})
