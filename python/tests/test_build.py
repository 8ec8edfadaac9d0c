"""Which interpreters a wheel is built for."""

from __future__ import annotations

import platform
import sysconfig

import pqlab_build
import pytest


def test_interpreters_that_cannot_work_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pqlab_build.check_interpreter()
    asked = sysconfig.get_config_var
    with monkeypatch.context() as patch:
        patch.setattr(sysconfig, "get_config_var", lambda name: 1 if name == "Py_GIL_DISABLED" else asked(name))
        with pytest.raises(pqlab_build.Refused, match="free-threaded Python is not supported"):
            pqlab_build.check_interpreter()
    with monkeypatch.context() as patch:
        patch.setattr(platform, "python_implementation", lambda: "PyPy")
        with pytest.raises(pqlab_build.Refused, match="PyPy is not supported"):
            pqlab_build.build_wheel("nowhere")
