"""What the chapters compare: intervals, convergence, similarity, other readings of the text, peers."""
