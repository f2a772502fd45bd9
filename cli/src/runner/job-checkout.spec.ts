import { jobCheckoutOf } from './job-checkout.js';

describe('The checkout of a GitLab job', () => {
  const env = {
    GITLAB_CI: 'true',
    CI_REPOSITORY_URL: 'https://gitlab-ci-token:glcbt%2Fsecret@gitlab.example/acme/infra.git',
  };

  it('is made with the token of the job', () => {
    expect(jobCheckoutOf(env)).toEqual({
      url: 'https://gitlab.example/acme/infra.git',
      username: 'gitlab-ci-token',
      password: 'glcbt/secret',
    });
  });

  it.each([
    ['outside of GitLab', { ...env, GITLAB_CI: undefined }],
    ['without an address', { GITLAB_CI: 'true' }],
    ['without a token', { ...env, CI_REPOSITORY_URL: 'https://gitlab.example/acme/infra.git' }],
    ['with what is no address', { ...env, CI_REPOSITORY_URL: 'gitlab.example:acme' }],
  ])('is made with the credential of the service: %s', (_, job) => {
    expect(jobCheckoutOf(job)).toBeUndefined();
  });
});
