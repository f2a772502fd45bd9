/** The client that a proxy forwarded a request for. */
export interface ForwardedClient {
  address: string;
  /** undefined when the proxy does not tell it */
  port: string | undefined;
}

/** An IPv6 address with zone and port, with room; an index entry must not be longer than PostgreSQL's pages allow. */
const MAX_ADDRESS_LENGTH = 200;

/**
 * The client as the headers `Forwarded` (RFC 7239) and `X-Forwarded-For` name it: the first address of the list, as
 * those after it belong to proxies. A port counts only where the chain has one proxy: the port of a proxy before it
 * would be shared by many clients. Undefined for a request without these headers.
 */
export function forwardedClientOf(
  forwarded: string | undefined,
  forwardedFor: string | undefined,
): ForwardedClient | undefined {
  const named = chainOf(forwarded === undefined ? [] : elementsOf(forwarded));
  const listed = chainOf(forwardedFor?.split(',').map((part) => part.trim()) ?? []);
  const [client, other] = [named.client, listed.client];
  if (!client) return other && { ...other, port: listed.length === 1 ? other.port : undefined };
  const agrees = other === undefined || (listed.length === 1 && other.address === client.address);
  if (named.length === 1 && agrees) return client;
  // X-Forwarded-For is what most proxies maintain; Forwarded may be left from further out.
  return { ...(other ?? client), port: undefined };
}

function chainOf(nodes: readonly string[]): { client: ForwardedClient | undefined; length: number } {
  const [first] = nodes;
  return { client: first === undefined ? undefined : splitPort(first), length: nodes.length };
}

/** The value of `for` in each element of a Forwarded header; empty text where an element has none. */
function elementsOf(header: string): string[] {
  return header.split(',').map((element) => {
    for (const pair of element.split(';')) {
      const [name = '', value = ''] = pair.trim().split(/=(.*)/s);
      if (name.toLowerCase() === 'for') return value.replace(/^"(.*)"$/s, '$1');
    }
    return '';
  });
}

/** `192.0.2.1:4711`, `[2001:db8::1]:4711`; a bare IPv6 address has no port. */
function splitPort(node: string): ForwardedClient {
  const text = node.slice(0, MAX_ADDRESS_LENGTH);
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\w+)?)?$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  return address === undefined ? { address: text, port: undefined } : { address, port };
}
