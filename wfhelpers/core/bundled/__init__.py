"""Small real samples of MNIST and Citeseer; see README.md in this folder for where they come from."""
