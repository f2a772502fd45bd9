import { backendBlock, clientCommands, credentialLines } from './connect.rules';

describe('What the page Connect shows', () => {
  it('names the run beside the key', () => {
    expect(credentialLines()).toBe(
      'export TF_HTTP_USERNAME=run-${CI_JOB_ID:-$$}\nexport TF_HTTP_PASSWORD=<API key>\n',
    );
  });

  it('leaves the user name out of the backend block, where it would win over the environment', () => {
    expect(backendBlock('http://localhost/x')).not.toContain('username');
  });

  it('signs in to the tenant of the state, and quotes names for a shell', () => {
    expect(clientCommands({ state: 'first', service: 'https://infra.example', tenant: "Ada's team" })).toBe(
      `infrastate login --api-base https://infra.example --tenant 'Ada'\\''s team'
infrastate plan --state first
infrastate apply --state first
`,
    );
  });
});
