"""What is stored: the list of experiments, the store, the measurements, and the command that makes them again."""
