import { providerOf } from './provider';

it('knows both spellings of a provider, and nothing else', () => {
  expect(['github', 'vcs_a', 'gitlab', 'vcs_b', 'constructor', ''].map(providerOf)).toEqual([
    'github',
    'github',
    'gitlab',
    'gitlab',
    undefined,
    undefined,
  ]);
});
