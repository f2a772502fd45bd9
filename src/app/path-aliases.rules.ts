/** The interface writes the two code-hosting providers with neutral words; the routes carry their own. */
const SPELLINGS: Readonly<Record<string, string>> = { vcs_a: 'github', vcs_b: 'gitlab' };

/** Routes whose address has the provider before the version. */
const PROVIDER_FIRST = /^\/api\/(vcs_a|vcs_b|github|gitlab)\/v1(?=[/?]|$)/i;
/** Of these, webhooks are served below `/api/v1` as well, where their route stands. */
const EVENTS = /^\/api\/(github|gitlab)\/v1\/events(?=[/?]|$)/i;

/** What stands before a provider in a path of section 4.14. */
const POSITIONS = [
  /^(\/api\/v1\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
  /^(\/api\/v1\/user\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
  /^(\/api\/v1\/vcs-installations\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
  /^(\/api\/v1\/tenants\/[^/?]+\/vcs-installations\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
];

/** The address of the route that a request target means. */
export function aliasedPath(target: string): string {
  let path = target
    .replace(PROVIDER_FIRST, (_, name: string) => `/api/${spelled(name)}/v1`)
    .replace(EVENTS, (_, name: string) => `/api/v1/${name}/events`);
  for (const pattern of POSITIONS)
    path = path.replace(pattern, (_, before: string, name: string) => before + spelled(name));
  return path;
}

function spelled(name: string): string {
  return SPELLINGS[name.toLowerCase()] ?? name.toLowerCase();
}
