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
  /** id of the last failure, see docs/errors.md; of a delivery that is `received`, it is tried again */
  error?: string;
  /** number of attempts */
  attempts: number;
  /** when it was verified and stored */
  received_at: string;
  /** when a delivery that failed is tried again: for a week, at least every two hours */
  next_attempt_at?: string;
  /** absent before it was processed, ignored or given up */
  processed_at?: string;
}

export class DeliveryListView {
  results: DeliveryView[];
  /** token of the next page; absent at the end */
  next_page?: string;
}
