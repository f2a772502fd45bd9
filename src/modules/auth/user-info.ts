const PATIENCE_MS = 10_000;

/** What the userinfo endpoint says of whoever the access token is for. */
export async function fetchUserInfo(endpoint: string, accessToken: string): Promise<Record<string, unknown>> {
  const answer = await fetch(endpoint, {
    headers: { Accept: 'application/json', Authorization: `Bearer ${accessToken}` },
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const body: unknown = await answer.json();
  if (!answer.ok || typeof body !== 'object' || body === null) {
    throw new Error(`the userinfo endpoint answered ${answer.status}`);
  }
  return body as Record<string, unknown>;
}
