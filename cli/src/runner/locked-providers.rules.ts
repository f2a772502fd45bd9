const PROVIDER = /^provider "([^"\n]+)" \{\s+version\s*=\s*"([^"\n]+)"/gm;

/** A configuration, in Terraform's JSON syntax, that needs the providers of a dependency lock file in these versions. */
export function lockedProviders(lock: string): object {
  const providers = [...lock.matchAll(PROVIDER)].map(([, source, version], n) => [
    `p${n}`,
    { source, version },
  ]);
  return { terraform: { required_providers: Object.fromEntries(providers) as object } };
}
