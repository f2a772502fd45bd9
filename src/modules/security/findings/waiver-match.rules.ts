/** A waiver that has not ended, as findings are matched with it. */
export interface ActiveWaiver {
  readonly id: string;
  /** our id, or `*` */
  readonly matchedId: string;
  readonly stateId: string | null;
  /** exact, or with `*` for any characters */
  readonly address: string | null;
  readonly expiresAt: Date | null;
}

export interface WaivableFinding {
  readonly checkId: string;
  readonly stateId: string;
  readonly address: string;
}

export function waiverMatches(waiver: ActiveWaiver, finding: WaivableFinding): boolean {
  return (
    (waiver.matchedId === '*' || waiver.matchedId === finding.checkId) &&
    (waiver.stateId === null || waiver.stateId === finding.stateId) &&
    (waiver.address === null || addressMatches(waiver.address, finding.address))
  );
}

/** Of the matching waivers the one that ends last: when it ends, no other one holds. */
export function matchingWaiver(
  waivers: readonly ActiveWaiver[],
  finding: WaivableFinding,
): ActiveWaiver | undefined {
  return waivers
    .filter((waiver) => waiverMatches(waiver, finding))
    .reduce<ActiveWaiver | undefined>(
      (last, waiver) => (last && endOf(last) >= endOf(waiver) ? last : waiver),
      undefined,
    );
}

/** `*` stands for any characters; everything else, `?` and `[` too, for itself. Linear: parts are found in turn. */
function addressMatches(pattern: string, address: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  if (!address.startsWith(first)) return false;
  let at = first.length;
  if (rest.length === 0) return at === address.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = address.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return address.length - last.length >= at && address.endsWith(last);
}

function endOf({ expiresAt }: ActiveWaiver): number {
  return expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
}
