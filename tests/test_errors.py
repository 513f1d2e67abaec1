from wfhelpers.errors import InputError


def test_a_notebook_shows_the_sentence_alone():
    class MadeUpError(InputError):
        """Made for this test."""

    assert MadeUpError("Give two.")._render_traceback_() == ["MadeUpError: Give two."]
