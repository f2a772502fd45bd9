import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { referencePage } from './api-reference.rules.js';

const DOCUMENT = JSON.parse(
  readFileSync(join(__dirname, '..', '..', '..', 'docs', 'openapi.json'), 'utf8'),
) as OpenAPIObject;

describe('The reference of the API', () => {
  const page = referencePage(DOCUMENT);

  it('has every operation and every schema', () => {
    for (const path of Object.keys(DOCUMENT.paths)) expect(page).toContain(`<code>${path}</code>`);
    for (const name of Object.keys(DOCUMENT.components?.schemas ?? {}))
      expect(page).toContain(`id="schema-${name}"`);
  });

  it('runs no script and loads nothing', () => {
    expect(page).not.toMatch(/<script|<link|src=|https?:\/\//);
  });

  it('never takes a text for markup', () => {
    const document = { ...DOCUMENT, info: { ...DOCUMENT.info, description: '<img src=x onerror="a">' } };
    expect(referencePage(document)).not.toContain('<img');
  });
});
