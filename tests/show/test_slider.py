import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wfhelpers._support import InputError
from wfhelpers.core.binarize import soft_step, soft_step_slope
from wfhelpers.show.slider import StepSlider, flat_share


@given(st.floats(0.1, 300), st.floats(1e-4, 0.5), st.floats(0.5, 3))
@settings(deadline=None, max_examples=50)
def test_flat_share_is_what_counting_finds(sharpness, threshold, half_width):
    w = torch.linspace(-half_width, half_width, 20_001, dtype=torch.float64)
    counted = float((soft_step_slope(w, sharpness) < threshold).double().mean())
    assert flat_share(sharpness, threshold, half_width) == pytest.approx(counted, abs=2e-4)


def points(html: str, name: str) -> np.ndarray:
    path = re.search(rf'id="step-slider-{name}" d="M([^"]*)"', html).group(1)
    return np.array([place.split() for place in path.split("L")], dtype=float)


@pytest.mark.parametrize("sharpness", [1, 5, 200])
def test_picture_shows_the_step_and_its_slope(sharpness):
    html = StepSlider([sharpness])._repr_html_()
    step, slope = points(html, "step"), points(html, "slope")
    w = torch.from_numpy((step[:, 0] - 50) / 120 - 1)
    np.testing.assert_allclose((180 - step[:, 1]) / 160, soft_step(w, sharpness), atol=0.001)
    expected = np.clip(np.log10(soft_step_slope(w, sharpness).numpy() + 1e-300), -6, 2)
    np.testing.assert_allclose((180 - slope[:, 1]) / 20 - 6, expected, atol=0.005)


def test_piece_stands_alone_and_can_be_used_without_a_mouse():
    html = StepSlider()._repr_html_()
    assert "http" not in html
    assert " src=" not in html
    assert '<label for="step-slider-input">' in html
    assert '<input id="step-slider-input" type="range"' in html
    assert html == StepSlider()._repr_html_()


def test_every_identifier_belongs_to_its_own_piece():
    found = re.findall(r'id="([^"]*)"', StepSlider(element_id="other")._repr_html_())
    assert len(set(found)) == len(found)
    assert all(name.startswith("other") for name in found)


@pytest.mark.parametrize("bad", [[], [1, 0], [-2]])
def test_bad_sharpness_is_refused(bad):
    with pytest.raises(InputError, match="expected at least one positive number"):
        StepSlider(bad)
