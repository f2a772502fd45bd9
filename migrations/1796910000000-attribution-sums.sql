-- What a tenant was billed, by provider and currency, as the last match left it: read in place of all billed resources.
-- Null: to be read from the billed resources, because a source was deleted since.
ALTER TABLE billing_attributions ADD COLUMN sums jsonb;
