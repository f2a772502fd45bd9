import type { RegisterCommand } from '../commands/command.js';
import { UsageFailure } from '../failure.js';

/** `.github/workflows/infrastate.yml` on the default branch. */
const GITHUB = `name: infrastate
on:
  workflow_dispatch:
    inputs:
      work_token: { required: true, type: string }
      api_base_url: { required: true, type: string }
      environment: { required: false, type: string, default: '' }
      runs_on: { required: false, type: string, default: ubuntu-latest }
permissions:
  contents: read
  id-token: write
jobs:
  infrastate:
    runs-on: \${{ inputs.runs_on }}
    environment: \${{ inputs.environment }}
    steps:
      - uses: hashicorp/setup-terraform@v3
        with: { terraform_wrapper: false }
      - run: infrastate run
        env:
          INFRASTATE_WORK_TOKEN: \${{ inputs.work_token }}
          INFRASTATE_API_BASE: \${{ inputs.api_base_url }}
`;

/** `.gitlab-ci.yml`; every input has a default, for a pipeline without one is refused. */
const GITLAB = `spec:
  inputs:
    work_token: { default: '' }
    api_base_url: { default: '' }
    environment: { default: '' }
    runs_on: { default: '' }
---
infrastate:
  rules:
    - if: '"$[[ inputs.work_token ]]" != ""'
  image: hashicorp/terraform:1.11
  id_tokens:
    INFRASTATE_ID_TOKEN: { aud: sts.amazonaws.com }
  variables:
    INFRASTATE_WORK_TOKEN: $[[ inputs.work_token ]]
    INFRASTATE_API_BASE: $[[ inputs.api_base_url ]]
  script:
    - infrastate run
`;

export const registerCi: RegisterCommand = (program, run) => {
  program
    .command('ci')
    .argument('<provider>', 'github or gitlab')
    .description('print the workflow or pipeline file that runs infrastate in a CI')
    .action(
      run((context, [provider]) => {
        if (provider !== 'github' && provider !== 'gitlab')
          throw new UsageFailure('the provider must be github or gitlab');
        context.streams.stdout.write(provider === 'github' ? GITHUB : GITLAB);
        return Promise.resolve();
      }),
    );
};
