/** A part of the text, by its offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * What one kind of encoding has found: in order, none over another one. A span that is added ends behind all earlier ones,
 * so that joining it with those that it lies over takes one step for each span in all.
 */
export class SpanQueue {
  private spans: Span[] = [];
  private taken = 0;

  get first(): Span | undefined {
    return this.spans[this.taken];
  }

  /** Joins what lies over each other; what only touches is hidden by a mask of its own. */
  add(span: Span): void {
    let { start } = span;
    while (this.spans.length > this.taken) {
      const last = this.spans.at(-1);
      if (last === undefined || last.end <= start) break;
      start = Math.min(last.start, start);
      this.spans.pop();
    }
    this.spans.push(start === span.start ? span : { start, end: span.end });
  }

  takeFirst(): void {
    this.taken++;
    if (this.taken * 2 < this.spans.length) return;
    this.spans = this.spans.slice(this.taken);
    this.taken = 0;
  }

  clear(): void {
    this.spans = [];
    this.taken = 0;
  }
}

/** Takes the spans that begin before an offset out of all queues, by their beginnings. */
export function* takeBefore(until: number, queues: readonly SpanQueue[]): Generator<Span> {
  for (;;) {
    let next: SpanQueue | undefined;
    let start = until;
    for (const queue of queues) {
      const candidate = queue.first?.start ?? Infinity;
      if (candidate < start) [next, start] = [queue, candidate];
    }
    const span = next?.first;
    if (next === undefined || span === undefined) return;
    next.takeFirst();
    yield span;
  }
}
