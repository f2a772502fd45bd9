/** How a list of states can be sorted, besides the default: the oldest first. */
export const STATE_ORDERS = ['name', '-updated_at'] as const;
export type StateOrder = (typeof STATE_ORDERS)[number];
