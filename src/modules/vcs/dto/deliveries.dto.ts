import type { Provider } from '../entities/installation.entity.js';
import type { DeliveryState } from '../entities/webhook-delivery.entity.js';

/** A webhook delivery, without its body. */
export class DeliveryView {
  id: string;
  provider: Provider;
  /** the provider's own id */
  installation_id: string;
  /** kind of event, as the provider names it */
  event: string;
  action?: string;
  state: DeliveryState;
  /** id of the failure, see docs/errors.md */
  error?: string;
  /** number of attempts */
  attempts: number;
  /** when it was verified and stored */
  received_at: string;
  /** absent before the first attempt */
  processed_at?: string;
}

export class DeliveryListView {
  results: DeliveryView[];
  /** token of the next page; absent at the end */
  next_page?: string;
}
