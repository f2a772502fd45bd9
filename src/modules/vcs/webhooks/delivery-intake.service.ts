import { Injectable, Logger } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { describeFailure, httpErrors } from '../../../platform/errors/index.js';
import { parseJson } from '../../../platform/http/index.js';
import { Jobs } from '../../../platform/queue/index.js';
import { GroupCredentials, type WebhookGroup } from '../hosts/group-credentials.store.js';
import { VcsMetrics } from '../hosts/vcs-metrics.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { vcsErrors } from '../vcs.errors.js';
import { ProcessDeliveriesJob } from './delivery-jobs.js';
import { DeliveryBatches } from './delivery-batches.js';
import { githubDelivery, gitlabDelivery, type ReceivedDelivery } from './received-delivery.js';
import { isSignedBy } from './webhook-signature.rules.js';

/** A payload beyond this is none that a provider sends. */
const BOUNDS = { members: 4_000_000, depth: 200 };
const ENQUEUE_DELAY_MS = 20;

/** Verifies a delivery and stores it. Nothing is asked of a provider while one waits for the answer. */
@Injectable()
export class DeliveryIntake {
  private readonly logger = new Logger('DeliveryIntake');
  private isEnqueueing = false;

  constructor(
    private readonly settings: VcsSettings,
    private readonly deliveries: DeliveryBatches,
    private readonly credentials: GroupCredentials,
    private readonly metrics: VcsMetrics,
    private readonly jobs: Jobs,
    private readonly secrets: Secrets,
  ) {}

  /** Before the body is read: 503 without a secret, 400 without a signature. */
  checkGithubHead(signature: string | undefined): void {
    this.settings.requireEnabled();
    if (this.settings.githubWebhookSecret === undefined) throw vcsErrors.WEBHOOK_NOT_CONFIGURED();
    if (signature === undefined || signature === '') throw vcsErrors.SIGNATURE_MISSING();
  }

  async receiveGithub(
    head: { signature: string; deliveryId: string | undefined; event: string | undefined },
    body: Buffer,
  ): Promise<void> {
    const secret = this.settings.githubWebhookSecret;
    if (secret === undefined) throw vcsErrors.WEBHOOK_NOT_CONFIGURED();
    if (!isSignedBy(secret, body, head.signature)) {
      this.metrics.countDelivery('github', 'unverified', 'refused');
      throw vcsErrors.SIGNATURE_INVALID();
    }
    const payload = parseJson(body, BOUNDS);
    const { deliveryId, event } = head;
    if (deliveryId === undefined || !isDeliveryId(deliveryId))
      throw httpErrors.INVALID_REQUEST('X-GitHub-Delivery must be the id of the delivery');
    await this.store(githubDelivery({ deliveryId, event: event ?? '' }, payload, body));
  }

  /** Before the body is read: 400 without a secret, 500 for one that no group has. */
  async findGroup(secret: string | undefined): Promise<WebhookGroup> {
    if (secret === undefined || secret === '') throw vcsErrors.WEBHOOK_SECRET_MISSING();
    const group = this.settings.isEnabled ? await this.credentials.findGroup(secret) : undefined;
    if (!group) {
      this.metrics.countDelivery('gitlab', 'unverified', 'refused');
      throw vcsErrors.WEBHOOK_SECRET_UNKNOWN();
    }
    return group;
  }

  async receiveGitlab(group: WebhookGroup, deliveryId: string | undefined, body: Buffer): Promise<void> {
    const head = {
      deliveryId: deliveryId !== undefined && isDeliveryId(deliveryId) ? deliveryId : this.secrets.uuid(),
      installationId: group.installationId,
      providerInstallationId: group.providerInstallationId,
    };
    let payload: unknown;
    try {
      payload = parseJson(body, BOUNDS);
    } catch {
      // An undecodable delivery is answered with 200; it still shows that the webhook works.
      await this.deliveries.store({
        ...gitlabDelivery(head, {}, body),
        event: 'undecodable',
        state: 'ignored',
      });
      this.metrics.countDelivery('gitlab', 'undecodable', 'ignored');
      return;
    }
    await this.store(gitlabDelivery(head, payload, body));
  }

  private async store(delivery: ReceivedDelivery): Promise<void> {
    const isNew = await this.deliveries.store(delivery);
    this.metrics.countDelivery(delivery.provider, delivery.event, isNew ? 'stored' : 'known');
    if (isNew) this.enqueueProcessing();
  }

  /** Enqueues one job for all deliveries of a short time. A sweep finds deliveries whose job was lost. */
  private enqueueProcessing(): void {
    if (this.isEnqueueing) return;
    this.isEnqueueing = true;
    setTimeout(() => {
      this.isEnqueueing = false;
      this.jobs.enqueue(ProcessDeliveriesJob, {}).catch((error: unknown) => {
        this.logger.warn({ msg: 'deliveries wait for the next sweep', ...describeFailure(error) });
      });
    }, ENQUEUE_DELAY_MS).unref();
  }
}

/** Printable ASCII of a length that an index takes. */
function isDeliveryId(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text);
}
