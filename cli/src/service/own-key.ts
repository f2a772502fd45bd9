import { tokensList, tokensRevoke } from '@infrastate/sdk';
import { answer, type ApiClient } from './api-client.js';

/** Revokes the key of that name that the client itself uses; false when that could not be done. */
export async function revokeKeyNamed(client: ApiClient, name: string): Promise<boolean> {
  try {
    const { tokens } = await answer(tokensList({ client }));
    const key = tokens.find((candidate) => candidate.name === name);
    if (!key) return false;
    await answer(tokensRevoke({ client, query: { token_id: key.id } }));
    return true;
  } catch {
    return false;
  }
}
