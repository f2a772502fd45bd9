import { readTagQuery } from './prose.rules.js';

const KNOWN = {
  tags: new Set(['prod', 'eu', 'on call']),
  keyed: new Map([
    ['network', 'dir:network'],
    ['staging', 'workspace:staging'],
  ]),
};
const read = (comment: string, known = KNOWN) => {
  const [trigger = '', , ...rest] = comment.split(' ');
  return readTagQuery({ trigger, tagQuery: rest.join(' ') }, known);
};

describe('Text after plan or apply', () => {
  it.each([
    'infrastate apply',
    'terraform apply',
    'terraform apply prod',
    'infrastate plan prod eu',
    'terraform plan not prod',
    'terraform apply (prod or eu) and dir:a',
    'infrastate apply dir:no-such-directory',
    'infrastate apply nothing known dir:a',
    'terraform apply pr:3',
    'infrastate apply "on call"',
    'infrastate apply "on call" prod',
    'infrastate apply prod or',
  ])('is a command: %s', (comment) => {
    expect(read(comment)).toEqual({ kind: 'command' });
  });

  it.each([
    'terraform apply worked for me yesterday',
    'terraform apply not working',
    'terraform apply failed',
    'terraform plan looks good for prod',
    'infrastate apply worked, thanks!',
    "infrastate plan doesn't say why",
    'infrastate apply not working here',
    'terraform plan and apply',
    'terraform plan or',
    'terraform apply: see https://example.com',
  ])('is a sentence: %s', (comment) => {
    expect(read(comment)).toEqual({ kind: 'prose' });
  });

  it.each([
    ['infrastate apply prodd', 'prodd'],
    ['infrastate apply not legacy', 'legacy'],
    ['infrastate plan prod and us', 'us'],
    ['terraform apply prodd', 'prodd'],
    ['infrastate apply legacy us', 'legacy'],
  ])('names an unknown tag: %s', (comment, tag) => {
    expect(read(comment)).toEqual({ kind: 'unknown tag', tag });
  });

  it.each([
    ['infrastate plan network', 'network', 'dir:network'],
    ['terraform plan staging prod', 'staging', 'workspace:staging'],
    ['infrastate apply network staging', 'network', 'dir:network'],
  ])('names the key that was forgotten: %s', (comment, tag, meant) => {
    expect(read(comment)).toEqual({ kind: 'unknown tag', tag, meant });
  });

  it('is a sentence about a directory', () => {
    expect(read('terraform apply network failed')).toEqual({ kind: 'prose' });
  });

  it('is a sentence only when it is long, while the tags are not known', () => {
    expect(readTagQuery({ trigger: 'infrastate', tagQuery: 'prod eu' }, undefined).kind).toBe('command');
    expect(readTagQuery({ trigger: 'terraform', tagQuery: 'worked for me' }, undefined).kind).toBe('prose');
  });
});
