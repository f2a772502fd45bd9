import { defineErrors } from '../../platform/errors/index.js';

export const vcsErrors = defineErrors({
  ORCHESTRATION_DISABLED: [503, 'orchestration not enabled on this server'],
  PROVISIONING_DISABLED: [503, 'provisioning not enabled on this server'],
  LINKING_NOT_CONFIGURED: [503, 'no OAuth application is configured for linking accounts of this code host'],
  CLAIM_NOT_CONFIGURED: [
    503,
    'connecting a GitHub installation requires the client id and the client secret of the GitHub app',
  ],
  WEBHOOK_NOT_CONFIGURED: [503, 'the webhook secret of the app is not configured on this server'],
  PROVIDER_NOT_CONFIGURED: [503, 'the app of this code host is not configured on this server'],
  PROVIDER_UNAVAILABLE: [503, 'the code host does not answer; try again later'],
  PROVIDER_REFUSED: [502, 'the code host refused the request'],
  PROVIDER_TOKEN_REFUSED: [
    400,
    'the token must belong to this group, with the scope api and the role Maintainer or Owner',
  ],
  CLAIM_PROOF_MISSING: [
    412,
    'the confirmation by the code host is missing; connect the installation again, and confirm at the code host that you administer it',
  ],
  CLAIM_NOT_PROVED: [
    403,
    'the code host did not confirm that you administer this installation; connect it again',
  ],
  INSTALLATION_NOT_FOUND: [404, 'installation not found'],
  INSTALLATION_LINKED: [409, 'the installation is linked to another tenant'],
  SYSTEM_USER_IN_USE: [
    409,
    'runs of a linked installation act as this user; unlink the installation, which deletes the user',
  ],
  GROUP_EXISTS: [409, 'the group is already connected'],
  INVALID_REPO_ID: [400, 'the repository id must be a whole number'],
  REPO_NOT_FOUND: [400, 'repository not found in this installation'],
  REPO_NOT_ARCHIVED: [400, 'the repository must be archived at the code host before it can be removed'],
  SIGNATURE_MISSING: [400, 'the webhook delivery has no signature in X-Hub-Signature-256'],
  SIGNATURE_INVALID: [401, 'the signature of the webhook delivery does not match its body'],
  WEBHOOK_SECRET_MISSING: [400, 'the header X-Gitlab-Token is missing'],
  WEBHOOK_SECRET_UNKNOWN: [500, 'no connected group has the webhook secret in X-Gitlab-Token'],
});
