-- Documents of formats after version 4 are stored and served without a graph.
ALTER TABLE states DROP CONSTRAINT states_format_check,
  ADD CONSTRAINT states_format_check CHECK (format IN ('empty', 'terraform', 'legacy', 'future', 'encrypted')) NOT VALID;
