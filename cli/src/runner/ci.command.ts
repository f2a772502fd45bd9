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

/** Audiences of `oidc` hooks that need nothing of one's own; Google's has the name of its provider in it. */
const AUDIENCES: Readonly<Record<string, string>> = {
  INFRASTATE_ID_TOKEN: 'sts.amazonaws.com',
  INFRASTATE_ID_TOKEN_AZURE: 'api://AzureADTokenExchange',
};

/** GitLab refuses an empty environment, and takes an empty tag for one: a job without them is another job. */
const rulesFor = (environment: '==' | '!=', runsOn: '==' | '!='): string => `  rules:
    - if: '"$[[ inputs.work_token ]]" != "" && "$[[ inputs.environment ]]" ${environment} "" && "$[[ inputs.runs_on ]]" ${runsOn} ""'
`;
const ENVIRONMENT = `  environment: { name: $INFRASTATE_ENVIRONMENT }
`;
const TAGS = `  tags: ['$[[ inputs.runs_on ]]']
`;

/** `.gitlab-ci.yml`; every input has a default, for a pipeline without one is refused. One of the jobs runs. */
const gitlabFile = (image?: string, audiences: readonly string[] = []): string => {
  const tokens = [
    ...Object.entries(AUDIENCES),
    ...audiences.map((audience, n) => [`INFRASTATE_ID_TOKEN_${n + 1}`, audience] as const),
  ];
  return `${image === undefined ? NEEDS : ''}spec:
  inputs:
    work_token: { default: '' }
    api_base_url: { default: '' }
    environment: { default: '' }
    runs_on: { default: '' }
---
infrastate:
${rulesFor('==', '==')}  image: { name: '${image ?? IMAGE}', entrypoint: [''] }
  id_tokens:
${tokens.map(([name, audience]) => `    ${name}: { aud: '${audience}' }\n`).join('')}  variables:
    INFRASTATE_WORK_TOKEN: $[[ inputs.work_token ]]
    INFRASTATE_API_BASE: $[[ inputs.api_base_url ]]
    INFRASTATE_ENVIRONMENT: $[[ inputs.environment ]]
  script:
    - infrastate run
# The same job in an environment, on runners with a tag, and both.
infrastate-environment:
  extends: infrastate
${ENVIRONMENT}${rulesFor('!=', '==')}infrastate-tagged:
  extends: infrastate
${TAGS}${rulesFor('==', '!=')}infrastate-environment-tagged:
  extends: infrastate
${ENVIRONMENT}${TAGS}${rulesFor('!=', '!=')}`;
};

export const registerCi: RegisterCommand = (program, run) => {
  program
    .command('ci')
    .argument('<provider>', 'github or gitlab')
    .description('print the workflow or pipeline file that runs infrastate in a CI')
    .option('--image <image>', 'container image of the job, with infrastate, git and terraform')
    .option(
      '--audience <audiences...>',
      'gitlab: audiences of more id tokens for oidc hooks, besides those of AWS and Azure',
    )
    .action(
      run<{ image?: string; audience?: string[] }>((context, [provider], { image, audience }) => {
        if (provider !== 'github' && provider !== 'gitlab')
          throw new UsageFailure('the provider must be github or gitlab');
        if (image !== undefined && !/^[\w$][\w$./:@-]*$/.test(image))
          throw new UsageFailure('--image must look like registry.example.com/infrastate-runner:1');
        if (provider === 'github' && audience)
          throw new UsageFailure('--audience is for gitlab: a job of GitHub gets id tokens for any audience');
        if (audience?.some((each) => !/^[\w:/.@?=&+~-]+$/.test(each)))
          throw new UsageFailure('--audience must look like an address or a name, without blanks and quotes');
        context.streams.stdout.write(provider === 'github' ? githubFile(image) : gitlabFile(image, audience));
        return Promise.resolve();
      }),
    );
};
