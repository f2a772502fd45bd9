import type { RegisterCommand } from '../commands/command.js';
import { UsageFailure } from '../failure.js';

const NEEDS = `# The job needs infrastate, git and Node.js on its PATH: see "Give the job its programs" in docs/runs.md of the service.
# "infrastate ci <provider> --image <image>" prints this file with the image that you built.
`;
/** Placeholder for the image of a GitLab job. */
const IMAGE = 'infrastate-runner';

/** `.github/workflows/infrastate.yml` on the default branch. */
const githubFile = (image?: string): string => `${image === undefined ? NEEDS : ''}name: infrastate
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
${image === undefined ? '' : `    container: '${image}'\n`}    steps:
${image === undefined ? SETUP_TERRAFORM : ''}      - run: infrastate run
        env:
          INFRASTATE_WORK_TOKEN: \${{ inputs.work_token }}
          INFRASTATE_API_BASE: \${{ inputs.api_base_url }}
`;

/** Without an image of its own the job has Terraform from this step. */
const SETUP_TERRAFORM = `      - uses: hashicorp/setup-terraform@v3
        with: { terraform_wrapper: false }
`;

/** `.gitlab-ci.yml`; every input has a default, for a pipeline without one is refused. */
const gitlabFile = (image?: string): string => `${image === undefined ? NEEDS : ''}spec:
  inputs:
    work_token: { default: '' }
    api_base_url: { default: '' }
    environment: { default: '' }
    runs_on: { default: '' }
---
infrastate:
  rules:
    - if: '"$[[ inputs.work_token ]]" != ""'
  image: { name: '${image ?? IMAGE}', entrypoint: [''] }
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
    .option('--image <image>', 'container image of the job, with infrastate, git and terraform')
    .action(
      run<{ image?: string }>((context, [provider], { image }) => {
        if (provider !== 'github' && provider !== 'gitlab')
          throw new UsageFailure('the provider must be github or gitlab');
        if (image !== undefined && !/^[\w$][\w$./:@-]*$/.test(image))
          throw new UsageFailure('--image must look like registry.example.com/infrastate-runner:1');
        context.streams.stdout.write(provider === 'github' ? githubFile(image) : gitlabFile(image));
        return Promise.resolve();
      }),
    );
};
