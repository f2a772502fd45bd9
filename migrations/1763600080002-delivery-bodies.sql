-- Sealed bodies do not compress, and their first bytes are looked at when keys are rotated.
ALTER TABLE webhook_deliveries ALTER COLUMN body SET STORAGE EXTERNAL;
