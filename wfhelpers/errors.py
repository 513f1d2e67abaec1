"""The base of all refusals of wrong input."""


class InputError(ValueError):
    """Input that cannot be used; its message is one sentence: what was wrong, what was expected, what to do."""

    def _render_traceback_(self) -> list[str]:
        """Show the sentence alone: IPython calls this instead of printing frames that say nothing to the user."""
        return [f"{type(self).__name__}: {self}"]
