"""What the processor can do."""

from pathlib import Path


def instructions() -> set[str]:
    """Sets of instructions that the processor has, as Linux names them; empty on other systems."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {word for line in lines if line.startswith("flags") for word in line.partition(":")[2].split()}
