-- Signing keys are sealed with SERVICE_ENCRYPTION_KEYS where it is set; one of the two columns holds the key.
ALTER TABLE signing_keys ALTER COLUMN secret DROP NOT NULL;
ALTER TABLE signing_keys ADD COLUMN sealed_secret bytea;
ALTER TABLE signing_keys ADD CONSTRAINT signing_keys_one_secret CHECK (num_nonnulls(secret, sealed_secret) = 1);
