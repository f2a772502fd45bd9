import { Failure } from '../../failure.js';

/** Id tokens that a job of GitLab got, each for the audience that its pipeline file names. */
export const ID_TOKEN = /^INFRASTATE_ID_TOKEN(_\w+)?$/;

/** The token of the job that is for an audience. What cannot be read is left to the cloud to judge. */
export function idTokenFor(environment: Readonly<Record<string, string>>, audience: string): string {
  const tokens = Object.entries(environment)
    .filter(([name, token]) => ID_TOKEN.test(name) && token !== '')
    .map(([name, token]) => ({ name, token, audiences: audiencesOf(token) }));
  if (tokens.length === 0)
    throw new Failure(
      'OIDC_UNAVAILABLE',
      'there is no id token: the job needs id-token: write (GitHub), or INFRASTATE_ID_TOKEN below id_tokens (GitLab)',
    );
  const found =
    tokens.find(({ audiences }) => audiences?.includes(audience)) ??
    tokens.find(({ audiences }) => audiences === undefined);
  if (found) return found.token;
  const known = tokens.map(({ name, audiences }) => `${name} is for ${audiences?.join(', ') ?? ''}`);
  throw new Failure(
    'OIDC_AUDIENCE',
    `no id token of the job is for the audience ${audience} (${known.join('; ')}); add one below id_tokens of the job in the pipeline file, such as INFRASTATE_ID_TOKEN_OTHER: { aud: '${audience}' }, or set audience of the hook`,
  );
}

/** Undefined for what is no JWT with an audience. */
function audiencesOf(token: string): readonly string[] | undefined {
  try {
    const { aud } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      aud?: unknown;
    };
    const audiences = Array.isArray(aud) ? aud : [aud];
    return audiences.every((each) => typeof each === 'string') ? audiences : undefined;
  } catch {
    return undefined;
  }
}
