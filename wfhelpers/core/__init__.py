"""The paper: everything that decides a result, and nothing else. The hash that names a result covers this room."""
