import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { MISSING_PARTS, type ReportContents, type ReportPart, reported } from './report-contents.rules.js';
import { IV_BYTES, sealed } from './sealed-part.rules.js';

const TOKEN = 'the token of a runner';

const ofBody = (text: string) => reported({ bytes: [Buffer.from(text)] });
const whole = (request: string) => ofBody(`{"idx":0,"request":${request}}`);

/** As its parts came, one request each, and were kept. */
function inParts(request: string, ends: readonly number[]): ReportContents | ReportPart | string {
  const cuts = [...new Set(ends.map((end) => end % request.length))].toSorted((a, b) => a - b);
  const bytes = [...cuts, request.length].map((end, idx) => {
    const data = request.slice(idx === 0 ? 0 : cuts[idx - 1], end);
    const part = ofBody(JSON.stringify({ idx, request: { kind: 'chunk', data } }));
    if (typeof part === 'string' || part.kind !== 'chunk') throw new Error('no part');
    expect(part.idx).toBe(idx);
    return sealed(part.data, TOKEN, randomBytes(IV_BYTES));
  });
  return reported({ bytes, token: TOKEN });
}

const STATE =
  '{"version":4,"serial":1,"outputs":{"big":{"value":12345678901234567890.10,"type":"number"}},"resources":[]}';
const PLAN = {
  resource_changes: [
    {
      address: 'a.b',
      change: { actions: ['create'], after: { secret: 'hush' }, after_sensitive: { secret: true } },
    },
  ],
};
const REQUESTS = [
  JSON.stringify({ kind: 'preview', has_changes: true, plan: 'päng \u{1F600}\0', plan_json: PLAN }),
  `{"kind":"commit","output":"done \u{1F600}","state":${STATE}}`,
  `{"kind":"commit_failed","failure":{"reason":{"code":"timeout","message":"\u{1F600}"}},"state":${STATE}}`,
  '{"kind":"failure","reason":{"code":"refused","message":"no"}}',
];

describe('A report', () => {
  it('is the same whole and in parts, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...REQUESTS),
        fc.array(fc.nat(1_000), { maxLength: 5 }),
        (request, ends) => {
          expect(inParts(request, ends)).toEqual(whole(request));
        },
      ),
    );
  });

  it('the report of a plan has its operations, and its JSON without sensitive values', () => {
    const report = whole(REQUESTS[0] ?? '');
    expect(report).toMatchObject({
      kind: 'preview',
      hasChanges: true,
      plan: 'päng \u{1F600}\ufffd',
      changes: { operations: [{ address: 'a.b', operation: 'create' }] },
    });
    expect(JSON.stringify(report)).not.toContain('hush');
  });

  it('the report of a run has the state with every digit, and the output or the failure', () => {
    expect(whole(REQUESTS[1] ?? '')).toEqual({
      kind: 'commit',
      isFailure: false,
      document: STATE,
      output: '"done \u{1F600}"',
    });
    expect(whole(REQUESTS[2] ?? '')).toEqual({
      kind: 'commit',
      isFailure: true,
      document: STATE,
      output: '{"kind":"failure","reason":{"code":"timeout","message":"\u{1F600}"}}',
    });
  });

  it('leaves the document that was looked at: of members of one name the last', () => {
    const state = '"state":{"version":3},"state":{"version":4,"resources":[]}';
    expect(whole(`{"kind":"commit","output":"",${state}}`)).toMatchObject({
      document: '{"version":4,"resources":[]}',
    });
  });

  it('cannot be taken with a plan that is none, or a document that cannot be taken apart', () => {
    const plan = '{"kind":"preview","has_changes":true,"plan":"","plan_json":{"resource_changes":7}}';
    expect(whole(plan)).toEqual({
      kind: 'unusable',
      problem: 'plan_json.resource_changes is missing or malformed',
    });
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const document of ['{"version":4,"resources":7}', `{"version":4,"resources":[],"x":${deep}}`])
      expect(whole(`{"kind":"commit","output":"","state":${document}}`)).toMatchObject({ kind: 'unusable' });
  });

  it('is none without its parts, with those of another token, or of the wrong shape', () => {
    const part = sealed(Buffer.from('{}'), 'another token', randomBytes(IV_BYTES));
    expect(reported({ bytes: [part], token: TOKEN })).toBe(MISSING_PARTS);
    expect(reported({ bytes: [], token: TOKEN })).toBe(MISSING_PARTS);
    expect(inParts('{"kind":"done"}', [3])).toBe('the parts make no report');
    expect(inParts('{"kind":', [3])).toBe('the parts make no report: the body is not JSON');
    expect(ofBody('{"idx":0}')).toBe('request is missing or malformed');
    expect(ofBody('{"idx":4,"request":{"kind":"done"}}')).toEqual({ kind: 'done', idx: 4 });
  });
});
