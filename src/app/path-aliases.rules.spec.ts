import { aliasedPath } from './path-aliases.rules.js';

describe('The aliases of the code-hosting providers', () => {
  it.each([
    ['/api/v1/vcs_a/whoami', '/api/v1/github/whoami'],
    ['/api/v1/VCS_B/groups?page=1', '/api/v1/gitlab/groups?page=1'],
    ['/api/v1/user/vcs_a/installations', '/api/v1/user/github/installations'],
    ['/api/v1/vcs-installations/vcs_a/unclaimed', '/api/v1/vcs-installations/github/unclaimed'],
    ['/api/v1/tenants/t/vcs-installations/vcs_b/7', '/api/v1/tenants/t/vcs-installations/gitlab/7'],
    ['/api/v1/tenants/t/vcs-installations/vcs_a', '/api/v1/tenants/t/vcs-installations/github'],
    ['/api/vcs_a/v1/events', '/api/v1/github/events'],
    ['/api/github/v1/events', '/api/v1/github/events'],
    ['/api/vcs_a/v1/work-manifests/w/workspaces', '/api/github/v1/work-manifests/w/workspaces'],
  ])('turn %s into %s', (target, path) => expect(aliasedPath(target)).toBe(path));

  it.each([
    '/api/v1/github/kv/1/key/vcs_a',
    '/api/v1/states/vcs_a',
    '/api/v1/vcs_ax/whoami',
    '/api/v1/user/tenants?rd=/vcs_a/',
    '/ui/api/vcs_a/v1/events',
  ])('leave %s alone', (target) => expect(aliasedPath(target)).toBe(target));
});
