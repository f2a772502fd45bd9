import { storableText } from '../../platform/database/storable-text.js';
import { defineThreadWork } from '../../platform/threads/index.js';
import {
  acceptableJson,
  member,
  minifiedJson,
  parseRaw,
  printRaw,
  type RawJson,
  readContent,
} from '../documents/index.js';
import { readPlan, type StoredPlan } from './plan-json.rules.js';
import { type FailureReason, readReport, readRequest, type ReportRequest } from './report-request.rules.js';
import { unsealed } from './sealed-part.rules.js';

/** What came: one body, or the parts of a request, sealed with the token. Plain data, for it may go to another thread. */
export interface ReportMessage {
  bytes: readonly Uint8Array[];
  token?: string;
}

/** A report taken apart, as it is kept. */
export type ReportContents =
  | {
      kind: 'preview';
      hasChanges: boolean;
      plan: string;
      /** JSON text, masked */
      planJson: string;
      changes: Omit<StoredPlan, 'masked'>;
    }
  /** `document` is what the run left, every digit of it; `output` JSON text, of a run that failed why it did */
  | { kind: 'commit'; isFailure: boolean; document: string; output: string }
  | { kind: 'failure'; reason: FailureReason }
  /** it has the shape of a report, but cannot be taken */
  | { kind: 'unusable'; problem: string };

/** `data` is UTF-8. */
export type ReportPart = { kind: 'chunk'; idx: number; data: Uint8Array } | { kind: 'done'; idx: number };

/** Does all that takes long with a report; answers what is wrong with it when it is none. */
export function reported({ bytes, token }: ReportMessage): ReportContents | ReportPart | string {
  if (token === undefined) return ofBody(textOf(bytes));
  const parts = bytes.map((part) => unsealed(part, token));
  const whole = parts.filter((part) => part !== undefined);
  return whole.length < parts.length || parts.length === 0 ? MISSING_PARTS : ofParts(textOf(whole));
}

export const MISSING_PARTS = 'parts of the report are missing';
export const NO_REPORT = 'the parts make no report';

function ofBody(text: string): ReportContents | ReportPart | string {
  const report = readReport(text);
  if (typeof report === 'string') return report;
  const { idx, request } = report;
  if (request.kind === 'done') return { kind: 'done', idx };
  if (request.kind === 'chunk') return { kind: 'chunk', idx, data: withWholeCharacters(request.data) };
  return contentsOf(request, () => member(parseRaw(minifiedJson(text)), 'request'));
}

function ofParts(text: string): ReportContents | string {
  const request = readRequest(text);
  if (typeof request === 'string') return `${NO_REPORT}: ${request}`;
  if (request.kind === 'chunk' || request.kind === 'done') return NO_REPORT;
  return contentsOf(request, () => parseRaw(minifiedJson(text)));
}

function contentsOf(
  request: Exclude<ReportRequest, { kind: 'chunk' | 'done' }>,
  raw: () => RawJson | undefined,
): ReportContents {
  if (request.kind === 'failure') return { kind: 'failure', reason: request.reason };
  if (request.kind === 'preview') {
    const plan = readPlan(request.plan_json);
    if (typeof plan === 'string') return { kind: 'unusable', problem: plan };
    const { masked, ...changes } = plan;
    return {
      kind: 'preview',
      hasChanges: request.has_changes,
      plan: storableText(request.plan),
      planJson: acceptableJson(JSON.stringify(masked)),
      changes,
    };
  }
  const document = readableDocument(raw);
  if (document === undefined)
    return {
      kind: 'unusable',
      problem: 'request.state is not a version 4 document that can be taken apart',
    };
  const isFailure = request.kind === 'commit_failed';
  const output = isFailure ? failureText(request.failure.reason) : JSON.stringify(request.output);
  return { kind: 'commit', isFailure, document, output };
}

/** What is kept as the output of a run that failed. */
export function failureText(reason: FailureReason): string {
  return JSON.stringify({ kind: 'failure', reason });
}

/** Undefined when there is none that can be taken apart, be it for its depth. */
function readableDocument(raw: () => RawJson | undefined): string | undefined {
  try {
    const document = printRaw(member(raw(), 'state') ?? '{}');
    readContent(Buffer.from(document), { stateId: NOBODY, tenantId: NOBODY });
    return document;
  } catch {
    return undefined;
  }
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A part may end in the middle of a character, which UTF-8 cannot: the halves become escapes of the JSON text they belong to. */
function withWholeCharacters(data: string): Buffer {
  return Buffer.from(data.replace(/[\ud800-\udfff]/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`));
}

function textOf(parts: readonly Uint8Array[]): string {
  const [first, ...others] = parts;
  if (first && others.length === 0)
    return Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString();
  return Buffer.concat(parts).toString();
}

/** Takes a report apart; may run in a thread. */
export const READ_REPORT = defineThreadWork(__filename, 'READ_REPORT', reported);
