"""Written by api/write_kinds.py from the tables of the engine: change those."""

# Codes of warnings that say that a result is not to be trusted.
UNTRUE = ("energy_error", "loop_work", "loop_open", "unconverged", "inside_out", "wrong_derivative")
