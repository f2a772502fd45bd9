import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { flag, parsedWith } from './setting-types.js';

/** A private key as PEM, with `\\n` written as two characters, or in base64. */
function parsePem(text: string): string {
  const unescaped = text.replaceAll('\\n', '\n').trim();
  const pem = unescaped.startsWith('-----') ? unescaped : Buffer.from(unescaped, 'base64').toString().trim();
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return pem;
  } catch {
    // The parser's message may quote the key.
  }
  throw new Error('it must be an RSA private key in PEM, or base64 of it');
}

/** Code hosting: where the hosts are, and what the service is registered as there. */
export const codeHostingSettings = {
  SERVICE_ORCHESTRATION_ENABLED: flag
    .default(false)
    .describe('turns on orchestration (GitHub and GitLab); it needs SERVICE_ENCRYPTION_KEYS'),
  SERVICE_API_BASE: z
    .url()
    .optional()
    .describe('address where code hosts and runners reach the API; default SERVICE_UI_BASE'),
  SERVICE_GITHUB_APP_ID: z
    .string()
    .regex(/^\d+$/, 'it must be a whole number')
    .optional()
    .describe('id of the GitHub app'),
  SERVICE_GITHUB_APP_PEM: z
    .string()
    .transform(parsedWith(parsePem))
    .optional()
    .describe('private key of the GitHub app: PEM (line ends may be written as \\n), or the base64 of it'),
  SERVICE_GITHUB_APP_CLIENT_ID: z.string().optional().describe('client id of the GitHub app'),
  SERVICE_GITHUB_APP_CLIENT_SECRET: z.string().optional().describe('client secret of the GitHub app'),
  SERVICE_GITHUB_WEBHOOK_SECRET: z
    .string()
    .optional()
    .describe('webhook secret of the GitHub app; without it deliveries are refused'),
  SERVICE_GITHUB_APP_URL: z
    .url()
    .optional()
    .describe('page where you install the GitHub app; default: the page that the API of GitHub returns'),
  SERVICE_GITHUB_API_BASE_URL: z
    .url()
    .default('https://api.github.com')
    .describe('API of GitHub, with /api/v3 for an enterprise server'),
  SERVICE_GITHUB_WEB_BASE_URL: z.url().default('https://github.com').describe('web address of GitHub'),
  SERVICE_GITLAB_APP_ID: z
    .string()
    .optional()
    .describe('id of the GitLab OAuth application with which users link their accounts'),
  SERVICE_GITLAB_APP_SECRET: z.string().optional().describe('secret of that application'),
  SERVICE_GITLAB_API_BASE_URL: z.url().default('https://gitlab.com/api/v4').describe('API of GitLab'),
  SERVICE_GITLAB_WEB_BASE_URL: z.url().default('https://gitlab.com').describe('web address of GitLab'),
  SERVICE_GITLAB_PROVISIONING_ENABLED: flag
    .default(true)
    .describe('lets administrators of tenants connect GitLab groups'),
};
