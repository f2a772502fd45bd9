import { lockedProviders } from './locked-providers.rules.js';

describe('lockedProviders', () => {
  it('requires every provider of a lock file in its version', () => {
    const lock = `# This file is maintained automatically by "terraform init".
# Manual edits may be lost in future updates.

provider "registry.terraform.io/hashicorp/aws" {
  version     = "5.1.0"
  constraints = "~> 5.0"
  hashes = [
    "h1:abc=",
  ]
}

provider "registry.opentofu.org/a/b" {
  version = "0.1.0-beta1"
}
`;
    expect(lockedProviders(lock)).toEqual({
      terraform: {
        required_providers: {
          p0: { source: 'registry.terraform.io/hashicorp/aws', version: '5.1.0' },
          p1: { source: 'registry.opentofu.org/a/b', version: '0.1.0-beta1' },
        },
      },
    });
  });

  it('requires none of an empty one', () => {
    expect(lockedProviders('')).toEqual({ terraform: { required_providers: {} } });
  });
});
