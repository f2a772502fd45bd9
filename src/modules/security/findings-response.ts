import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { clientLeft, type PageLinks } from '../../platform/http/index.js';
import type { ListTenantFindingsQuery } from './dto/security.dto.js';
import type { FindingLists, ListedPlace } from './findings/finding-lists.service.js';

/** A page of findings with its Link header, or the whole list as SARIF. */
export async function sendFindings(
  findings: FindingLists,
  of: { place: ListedPlace; query: ListTenantFindingsQuery },
  to: { response: Response; pages: PageLinks },
): Promise<void> {
  if (of.query.format === 'sarif') {
    await sendSarif(findings.sarif(of.place, of.query), to.response);
    return;
  }
  const list = await findings.list(of.place, of.query);
  to.pages.set(to.response, { next: list.next_page });
  to.response.json(list);
}

/** Nothing is sent before the first page of findings was read: until then a failure is answered as such. */
async function sendSarif(parts: AsyncGenerator<string>, response: Response): Promise<void> {
  const head = [await parts.next(), await parts.next()].flatMap(({ value }) =>
    typeof value === 'string' ? [value] : [],
  );
  response.type('application/sarif+json');
  try {
    await pipeline(Readable.from(inOrder(head, parts)), response);
  } catch (error) {
    if (!clientLeft(error)) throw error;
  }
}

async function* inOrder(head: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* head;
  yield* rest;
}
