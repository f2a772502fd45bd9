import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORK_ATTRIBUTES } from './network-attributes.js';

/** Texts of the rules that look like attributes and are values, verdicts or parts of evidence. */
const NO_ATTRIBUTES = new Set(
  `
  ah alb all allauthenticatedusers allusers authenticatedread basic closed enforced esp false firewall icmp icmpv6 inbound internet machine none publicread publicreadwrite reachable ref tcp true udp undecided unknown
  `
    .trim()
    .split(/\s+/),
);
const TYPE = /^(?:aws|azurerm|google|kubernetes)_/;

/** The first part of every text in the rules that may be a path. */
function namesInRules(): Set<string> {
  const files = readdirSync(__dirname).filter(
    (file) =>
      file.endsWith('.ts') && !/\.(?:spec|fixture)\.ts$/.test(file) && file !== 'network-attributes.ts',
  );
  const names = files.flatMap((file) =>
    [...readFileSync(join(__dirname, file), 'utf8').matchAll(/'([a-z_][a-z0-9_]*)(?:\.[a-z0-9_]+)*'/g)].map(
      ([, name = '']) => name,
    ),
  );
  return new Set(names.filter((name) => !TYPE.test(name) && !NO_ATTRIBUTES.has(name)));
}

describe('Attributes that reachability rules read', () => {
  it('are all that estates keep of a network instance', () => {
    const names = namesInRules();
    expect(names.size).toBeGreaterThan(100);
    expect([...names].filter((name) => !NETWORK_ATTRIBUTES.has(name))).toEqual([]);
  });

  it('are listed only while a rule reads them', () => {
    const names = namesInRules();
    expect([...NETWORK_ATTRIBUTES].filter((name) => !names.has(name))).toEqual([]);
  });
});
