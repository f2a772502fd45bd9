export const TRANSACTION_STATES = [
  'open',
  'previewing',
  'previewed',
  'committing',
  'committed',
  'failed',
  'failed-committed',
  'aborted',
] as const;
export type TransactionState = (typeof TRANSACTION_STATES)[number];

export type Trigger =
  | 'preview'
  | 'preview-done'
  | 'preview-failed'
  | 'commit'
  | 'commit-done'
  | 'commit-failed'
  | 'apply-done'
  | 'abort';

interface Transition {
  from: readonly TransactionState[];
  to: TransactionState;
}

/** contract-notes.md section 3. Every change of state is one of these, made by a conditional update. */
export const TRANSITIONS: Readonly<Record<Trigger, Transition>> = {
  preview: { from: ['open', 'previewed'], to: 'previewing' },
  'preview-done': { from: ['previewing'], to: 'previewed' },
  'preview-failed': { from: ['previewing'], to: 'failed' },
  commit: { from: ['open', 'previewed'], to: 'committing' },
  'commit-done': { from: ['committing'], to: 'committed' },
  'commit-failed': { from: ['committing'], to: 'failed-committed' },
  'apply-done': { from: ['open', 'previewed', 'failed-committed'], to: 'committed' },
  abort: { from: ['open', 'previewing', 'previewed', 'committing'], to: 'aborted' },
};

/** Active: something may still come of it. */
export function isActive(state: TransactionState): boolean {
  return TRANSITIONS.abort.from.includes(state);
}

export function next(state: TransactionState, trigger: Trigger): TransactionState | undefined {
  const { from, to } = TRANSITIONS[trigger];
  return from.includes(state) ? to : undefined;
}
