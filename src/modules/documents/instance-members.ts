/** The members of an instance in the order in which Terraform 1.11 writes them (`statefile/version4.go`). */
export const INSTANCE_MEMBERS = [
  'index_key',
  'status',
  'deposed',
  'schema_version',
  'attributes',
  'attributes_flat',
  'sensitive_attributes',
  'identity_schema_version',
  'identity',
  'private',
  'dependencies',
  'create_before_destroy',
];
