-- A run that reconciles drift has no pull request that its holds would go with: they end with the repository.
DELETE FROM dirspace_holds h WHERE NOT EXISTS (SELECT FROM repositories r WHERE r.id = h.repository_id);
ALTER TABLE dirspace_holds ADD FOREIGN KEY (repository_id) REFERENCES repositories (id) ON DELETE CASCADE;
