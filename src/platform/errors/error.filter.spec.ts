import { setImmediate } from 'node:timers/promises';
import { type ArgumentsHost, Logger } from '@nestjs/common';
import { defineErrors, httpErrors } from './app-error.js';
import { ErrorFilter } from './error.filter.js';
import { DescribedFailure } from './failure-report.js';

interface Line {
  level: 'warn' | 'error';
  [field: string]: unknown;
}

/** What is answered to a request, and what is logged, when `error` is thrown. */
async function caught(
  error: unknown,
  request: { complete?: boolean } = {},
): Promise<{ status: number; body: unknown; lines: Line[] }> {
  const lines: Line[] = [];
  for (const level of ['warn', 'error'] as const)
    jest
      .spyOn(Logger.prototype, level)
      .mockImplementation((...[line]: unknown[]) => void lines.push({ level, ...(line as object) }));
  const answer = { status: 0, body: undefined as unknown };
  const response = {
    headersSent: false,
    locals: {},
    status: (status: number) => ((answer.status = status), response),
    set: () => response,
    json: (body: unknown) => ((answer.body = body), response),
  };
  const http = {
    getRequest: () => ({
      headers: { 'x-request-id': 'r1' },
      complete: true,
      destroyed: true,
      is: () => false,
      ...request,
    }),
    getResponse: () => response,
  };
  new ErrorFilter().catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
  // The answer waits for what is left of the body, of which not found.
  await setImmediate();
  return { ...answer, lines };
}

describe('ErrorFilter', () => {
  afterEach(() => jest.restoreAllMocks());

  it('logs the reason of a 503 and the failure behind it, and tells the client the reason only', async () => {
    const failure = new DescribedFailure({ kind: 'DataCloneError', stack: '    at send' });

    const { status, body, lines } = await caught(httpErrors.UNAVAILABLE('try again').because(failure));

    expect(status).toBe(503);
    expect(body).toEqual({ id: 'UNAVAILABLE', data: 'try again' });
    expect(lines).toEqual([
      {
        level: 'warn',
        msg: 'request refused',
        requestId: 'r1',
        status: 503,
        id: 'UNAVAILABLE',
        reason: 'try again',
        kind: 'DataCloneError',
        stack: '    at send',
      },
    ]);
  });

  it('never logs the text of the failure behind an answer, which can quote a value', async () => {
    const { lines } = await caught(httpErrors.UNAVAILABLE().because(new Error('password=hunter2')));

    expect(lines).toEqual([expect.objectContaining({ kind: 'Error' })]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('logs no reason for what the client did wrong', async () => {
    expect((await caught(httpErrors.NOT_FOUND())).lines).toEqual([]);
  });

  it('logs no reason for a feature that the operator switched off', async () => {
    const { EXAMPLE_DISABLED } = defineErrors({ EXAMPLE_DISABLED: [503, 'examples are switched off'] });
    const { status, lines } = await caught(EXAMPLE_DISABLED());
    expect([status, lines]).toEqual([503, []]);
  });

  it('takes a body that was cut off for what it is, and no failure of the service', async () => {
    const cutOff = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });

    expect(await caught(cutOff, { complete: false })).toEqual({
      status: 400,
      body: { id: 'INVALID_REQUEST', data: 'the body ended too early' },
      lines: [],
    });
  });

  it('logs what nobody expected, and answers with the id of the request', async () => {
    const { status, body, lines } = await caught(new TypeError('secret'));

    expect(status).toBe(500);
    expect(body).toEqual({ id: 'INTERNAL_ERROR', data: 'unexpected error, request r1' });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', msg: 'unexpected error', kind: 'TypeError' }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});
