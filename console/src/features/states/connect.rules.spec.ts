import { backendBlock, credentialLines } from './connect.rules';

describe('What the page Connect shows', () => {
  it('names the run beside the key', () => {
    expect(credentialLines()).toBe(
      'export TF_HTTP_USERNAME=run-${CI_JOB_ID:-$$}\nexport TF_HTTP_PASSWORD=<API key>\n',
    );
  });

  it('leaves the user name out of the backend block, where it would win over the environment', () => {
    expect(backendBlock('http://localhost/x')).not.toContain('username');
  });
});
