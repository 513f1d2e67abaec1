import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wfhelpers._support import InputError
from wfhelpers.core.binarize import soft_step_slope
from wfhelpers.show.slider import StepSlider, flat_share


@given(st.floats(0.1, 300), st.floats(1e-4, 0.5), st.floats(0.5, 3))
@settings(deadline=None, max_examples=50)
def test_flat_share_is_what_counting_finds(sharpness, threshold, half_width):
    w = torch.linspace(-half_width, half_width, 20_001, dtype=torch.float64)
    counted = float((soft_step_slope(w, sharpness) < threshold).double().mean())
    assert flat_share(sharpness, threshold, half_width) == pytest.approx(counted, abs=2e-4)


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
