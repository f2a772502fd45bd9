const SPELLINGS: Readonly<Record<string, 'github' | 'gitlab'>> = {
  github: 'github',
  vcs_a: 'github',
  gitlab: 'gitlab',
  vcs_b: 'gitlab',
};

/** Undefined for a provider that is not known. */
export function providerOf(vcs: string): 'github' | 'gitlab' | undefined {
  return Object.hasOwn(SPELLINGS, vcs) ? SPELLINGS[vcs] : undefined;
}
