"""The build back end of the folder above python/: setuptools, called in python/."""

import os

from setuptools import build_meta


def _in_python(hook):
    def call(*arguments, **named):
        os.chdir(os.path.join(os.path.dirname(__file__), os.pardir))
        return hook(*arguments, **named)
    return call


get_requires_for_build_sdist = _in_python(build_meta.get_requires_for_build_sdist)
get_requires_for_build_wheel = _in_python(build_meta.get_requires_for_build_wheel)
prepare_metadata_for_build_wheel = _in_python(build_meta.prepare_metadata_for_build_wheel)
build_sdist = _in_python(build_meta.build_sdist)
build_wheel = _in_python(build_meta.build_wheel)
