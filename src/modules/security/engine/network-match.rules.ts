import { elementsOf, type Json, numberOf, textOf, UNKNOWN } from './attribute-path.rules.js';
import { someTruth, type Truth } from './truth.rules.js';

const ALL_PROTOCOLS = new Set(['-1', 'all']);
const PROTOCOLS_WITHOUT_PORTS = new Set(['icmp', '1', 'icmpv6', '58']);
const AZURE_WORLD = new Set(['*', '0.0.0.0', 'internet', 'any']);

/** A /0 prefix of either family, or `*`. */
export function isWorldCidr(text: string): boolean {
  return text === '*' || /^[0-9a-f.:]{1,45}\/0$/i.test(text);
}

/** An Azure address prefix that includes the whole internet. */
export function isAzureWorld(text: string): boolean {
  return AZURE_WORLD.has(text.toLowerCase()) || isWorldCidr(text);
}

/** Whether one of the texts, or of the elements of the lists, passes the test; unknown elements may. */
export function someText(values: readonly (Json | undefined)[], test: (text: string) => boolean): Truth {
  return someTruth(values, (value) =>
    someTruth(elementsOf(value), (element) => {
      if (element === UNKNOWN) return undefined;
      const text = textOf(element);
      return text !== undefined && test(text);
    }),
  );
}

/** An AWS rule: protocol, from and to port. */
export function awsRuleCovers(
  ports: readonly number[],
  rule: { from: Json | undefined; to: Json | undefined; protocol: Json | undefined },
): Truth {
  if (rule.protocol === UNKNOWN) return undefined;
  const protocol = (textOf(rule.protocol) ?? '').toLowerCase();
  if (ALL_PROTOCOLS.has(protocol)) return true;
  if (PROTOCOLS_WITHOUT_PORTS.has(protocol)) return false;
  if (rule.from === UNKNOWN || rule.to === UNKNOWN) return undefined;
  const from = numberOf(rule.from);
  const to = numberOf(rule.to);
  if (from === undefined || to === undefined) return false;
  if (from === -1 && to === -1) return true;
  return ports.some((port) => from <= port && port <= to);
}

/** An Azure or Google port text: "22", "20-30", "*", or a comma list of these. */
export function portTextCovers(text: string, ports: readonly number[]): boolean {
  return text.split(',').some((part) => {
    const range = part.trim();
    if (range === '*') return true;
    const [from, to = from] = range.split('-').map((end) => numberOf(end));
    return from !== undefined && to !== undefined && ports.some((port) => from <= port && port <= to);
  });
}

/** A Google firewall's `ports`: none means all. */
export function googlePortsCover(value: Json | undefined, ports: readonly number[]): Truth {
  if (value === UNKNOWN) return undefined;
  if (elementsOf(value).length === 0) return true;
  return someText([value], (text) => portTextCovers(text, ports));
}
