import type { Provider } from '../entities/installation.entity.js';
import { idAt, textAt, wordAt } from '../hosts/json-fields.js';

/** A verified delivery as it is stored. */
export interface ReceivedDelivery {
  provider: Provider;
  /** who signed it: `app`, or the id of the group's installation */
  source: string;
  deliveryId: string;
  /** ours, where the secret says which it is */
  installationId: string | undefined;
  providerInstallationId: string | undefined;
  event: string;
  action: string | undefined;
  lane: string;
  body: Buffer;
}

const MAX_WORD_LENGTH = 64;

function shortWord(text: string | undefined): string | undefined {
  return text?.slice(0, MAX_WORD_LENGTH);
}

/** Deliveries of one repository share a lane, the others one of their installation. */
export function githubDelivery(
  head: { deliveryId: string; event: string },
  payload: unknown,
  body: Buffer,
): ReceivedDelivery {
  const installation = idAt(payload, 'installation', 'id');
  const repository = idAt(payload, 'repository', 'id');
  return {
    provider: 'github',
    source: 'app',
    deliveryId: head.deliveryId,
    installationId: undefined,
    providerInstallationId: installation,
    event: shortWord(head.event) ?? '',
    action: shortWord(wordAt(payload, 'action')),
    lane: repository === undefined ? `github installation ${installation ?? 'none'}` : `github ${repository}`,
    body,
  };
}

export function gitlabDelivery(
  head: { deliveryId: string; installationId: string; providerInstallationId: string },
  payload: unknown,
  body: Buffer,
): ReceivedDelivery {
  const project = idAt(payload, 'project', 'id') ?? idAt(payload, 'project_id');
  return {
    provider: 'gitlab',
    source: head.installationId,
    deliveryId: head.deliveryId,
    installationId: head.installationId,
    providerInstallationId: head.providerInstallationId,
    event: shortWord(wordAt(payload, 'object_kind') ?? textAt(payload, 'event_name')) ?? '',
    action: shortWord(wordAt(payload, 'object_attributes', 'action')),
    lane: `gitlab ${head.installationId} ${project ?? 'none'}`,
    body,
  };
}
