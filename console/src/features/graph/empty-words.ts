import type { StateView } from '../../platform/client';

/** Why a page of a state shows nothing: a document that cannot be read as a graph will not do so after an apply either. */
export function emptyWords({ graph_error: reason }: StateView, usual: string): string {
  return reason === undefined
    ? usual
    : `This document has no graph (${reason}), so nothing can be shown here. It is stored and served all the same.`;
}
