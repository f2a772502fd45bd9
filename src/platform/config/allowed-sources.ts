/** What the operator lets tenants read (`SERVICE_BILLING_ALLOWED_SOURCES`). */
export interface AllowedSource {
  prefix: string;
  /** undefined: every tenant */
  tenantId: string | undefined;
}

/** `s3://bucket/path, gs://other=<tenant id>`; throws for an entry that is not an address. */
export function parseAllowedSources(text: string): AllowedSource[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, named, tenant] =
        /^(.*)=([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i.exec(entry) ?? [];
      const prefix = (named ?? entry).replace(/\/+$/, '');
      if (!/^(?:s3|gs|abfss|file):\/\/[^*\s]+$/.test(prefix))
        throw new Error('an entry must look like s3://bucket/path or s3://bucket/path=<tenant id>');
      return { prefix, tenantId: tenant?.toLowerCase() };
    });
}
