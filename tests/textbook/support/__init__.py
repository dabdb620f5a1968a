"""What the problems of the gallery share: a server to ask, models to ask it about, rows of a table, independent solvers."""
