"""The parts of the page Lab: one module for each."""
