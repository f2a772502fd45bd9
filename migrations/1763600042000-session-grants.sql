-- What a session's token allows. It is kept here and not in the token: a key may name more states than a header has room for.
ALTER TABLE transactions ADD grants jsonb;
