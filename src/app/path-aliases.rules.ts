/** The interface writes the two code-hosting providers with neutral words; the routes carry their own. */
const SPELLINGS: Readonly<Record<string, string>> = { vcs_a: 'github', vcs_b: 'gitlab' };

/** Routes that stand behind the provider in the path, and are served below `/api/v1` like all others. */
const PROVIDER_FIRST = /^\/api\/(vcs_a|vcs_b|github|gitlab)\/v1(?=[/?]|$)/i;

/** What stands before a provider in a path of section 4.14. */
const POSITIONS = [
  /^(\/api\/v1\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
  /^(\/api\/v1\/user\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
  /^(\/api\/v1\/vcs-installations\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
  /^(\/api\/v1\/tenants\/[^/?]+\/vcs-installations\/)(vcs_a|vcs_b)(?=[/?]|$)/i,
];

/** The address of the route that a request target means. */
export function aliasedPath(target: string): string {
  let path = target.replace(PROVIDER_FIRST, (_, name: string) => `/api/v1/${spelled(name)}`);
  for (const pattern of POSITIONS)
    path = path.replace(pattern, (_, before: string, name: string) => before + spelled(name));
  return path;
}

function spelled(name: string): string {
  return SPELLINGS[name.toLowerCase()] ?? name.toLowerCase();
}
