"""What the tests share."""

import os
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

# The checkout, for the tests that compare with its headers, its tables and its command.
ROOT = Path(os.environ.get("MSD_ROOT", Path(__file__).resolve().parents[2]))


@pytest.fixture
def root():
    if not (ROOT / "engine/include/msd").is_dir():
        pytest.skip("not in a checkout")
    return ROOT
