import type { Work } from './protocol.js';

export interface JobCheckout {
  url: string;
  username: string;
  password: string;
}

/** What a GitLab job may clone its own project with, which ends with the job. */
export function jobCheckoutOf(env: Readonly<Record<string, string | undefined>>): JobCheckout | undefined {
  const address = env['CI_REPOSITORY_URL'];
  if (env['GITLAB_CI'] !== 'true' || address === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if (!username || !password) return undefined;
  url.username = '';
  url.password = '';
  return { url: url.href, username, password };
}

export function withCheckout(work: Work, own: JobCheckout | undefined): Work {
  if (!own) return work;
  const { url: clone_url, username, password } = own;
  return {
    ...work,
    repository: { ...work.repository, clone_url },
    checkout: { ...work.checkout, username, password },
  };
}
