import { ImportBody } from './import-body.js';

const PART = 1000;

/** Says of each step how many parts had been asked for. */
async function* partsOf(text: string, asked: { parts: number }): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += PART) {
    asked.parts++;
    yield await Promise.resolve(Buffer.from(text.slice(at, at + PART)));
  }
}

async function read(body: ImportBody): Promise<string> {
  let text = '';
  for await (const part of body.document()) text += part.toString();
  return text;
}

function bodyOf(text: string, limit = 1_000_000): ImportBody {
  return new ImportBody(partsOf(text, { parts: 0 }), 0, limit);
}

describe('The body of an import', () => {
  const state = `{"version": 4, "x": "${'y'.repeat(50 * PART)}"}`;

  it('passes the document on while it arrives, and knows the rest at its end', async () => {
    const asked = { parts: 0 };
    const body = new ImportBody(partsOf(`{"state":${state},"name":"a"}`, asked), 0, 1_000_000);
    let text = '';
    for await (const part of body.document()) {
      text += part.toString();
      expect(Math.abs(asked.parts * PART - text.length)).toBeLessThan(2 * PART);
    }
    expect(text).toBe(state);
    expect(body.wanted).toEqual({ name: 'a' });
  });

  it.each([
    ['INVALID_REQUEST', `{"state":${state},"name":"a"`],
    ['INVALID_REQUEST', `{"state":${state},"name":"a"}}`],
    ['INVALID_REQUEST', `{"state":${state},"state":${state},"name":"a"}`],
    ['INVALID_REQUEST', `{"state":${state},"name":"a","more":tru}`],
    ['INVALID_REQUEST', `{"state":${state},"name":"a\\u0000"}`],
    ['INVALID_REQUEST', `{"state":${state},"name":"a","workspace":"\\ud800"}`],
    ['INVALID_REQUEST', `{"state":${state}}`],
    ['INVALID_STATE', `{"state":[${state}],"name":"a"}`],
    ['INVALID_STATE', `{"name":"a"}`],
  ])('is refused with %s: %.5s…', async (id, text) => {
    const body = bodyOf(text);
    await expect(read(body)).rejects.toMatchObject({ id, status: 400 });
    expect(() => body.wanted).toThrow();
  });

  it('is refused beyond the limit', async () => {
    await expect(read(bodyOf(`{"state":${state},"name":"a"}`, 10 * PART))).rejects.toMatchObject({
      status: 413,
    });
  });
});
