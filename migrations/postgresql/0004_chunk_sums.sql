-- The SHA-256 of every chunk, so that a piece of a result can be checked without the rest of it. NULL: written before, or by a program that
-- knows no sums: such a result is read as a whole.
ALTER TABLE chunks ADD COLUMN sha256 text;
