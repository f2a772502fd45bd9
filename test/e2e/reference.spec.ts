import { type RunningService, startService } from '../support/service.js';

describe('The reference of the API', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({ env: { SERVICE_POTR: '9999' } });
  });
  afterAll(() => service.stop());

  it('can be read without a credential, while the description itself asks for one', async () => {
    const page = await fetch(`${service.url}/reference`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('/api/v1/states/backend/{groupId}');
    expect((await fetch(`${service.url}/api/v1/openapi`)).status).toBe(401);
    expect((await fetch(`${service.url}/reference/x`)).status).toBe(404);
  });

  it('tells a body of another type apart from one without members, and a bad credential from none', async () => {
    const login = await fetch(`${service.url}/api/v1/login/password`, {
      method: 'POST',
      body: '{"email":"a"}',
    });
    expect([login.status, await login.json()]).toEqual([
      415,
      {
        id: 'UNSUPPORTED_MEDIA_TYPE',
        data: 'the body must be sent with Content-Type: application/json',
      },
    ]);
    const answers = await Promise.all(
      [undefined, { authorization: 'Bearer nonsense' }].map(async (headers) => {
        const answer = await fetch(`${service.url}/api/v1/whoami`, headers ? { headers } : {});
        return [answer.status, ((await answer.json()) as { data: string }).data];
      }),
    );
    expect(answers).toEqual([
      [401, 'a valid credential is required'],
      [401, 'the credential is unknown, revoked, expired, or not for this route'],
    ]);
  });

  it('starts with a warning of each variable that nothing reads', () => {
    const warnings = service
      .output()
      .split('\n')
      .filter((line) => line.includes('unknown variable ignored'))
      .map((line) => (JSON.parse(line) as { variable: string }).variable);
    expect(warnings).toEqual(['SERVICE_POTR']);
  });

  it('starts with a warning when nothing seals its signing keys', () => {
    expect(service.output()).toContain(
      'SERVICE_ENCRYPTION_KEYS is not set; signing keys are stored in clear',
    );
  });
});
