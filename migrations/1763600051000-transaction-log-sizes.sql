-- Bytes of an entry's JSON text, so that pages and totals are bounded without reading the entries.
ALTER TABLE transaction_logs
  ADD COLUMN size integer GENERATED ALWAYS AS (octet_length(data::text)) STORED;
