-- When the effect of a command took place; its answer may come much later, while the provider is down.
ALTER TABLE comment_commands ADD COLUMN carried_out_at timestamptz;
-- Deliveries that stepped aside, by when they are due: a look reads those and no others.
CREATE INDEX IF NOT EXISTS webhook_deliveries_aside ON webhook_deliveries (retry_at) WHERE state = 'received' AND lane LIKE 'aside:%';
