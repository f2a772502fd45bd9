import { childEnvironment } from './child-environment.rules.js';

describe('the environment of terraform', () => {
  it('has what providers need, and nothing of ours or about other directories', () => {
    const environment = {
      PATH: '/bin',
      AWS_PROFILE: 'p',
      INFRASTATE_API_KEY: 'key',
      TF_VAR_region: 'x',
      TF_CLI_ARGS_plan: '-var-file=x',
      TF_DATA_DIR: 'd',
      TF_WORKSPACE: 'w',
      TF_REATTACH_PROVIDERS: '{}',
      UNSET: undefined,
    };
    expect(childEnvironment(environment, new Map())).toEqual({
      PATH: '/bin',
      AWS_PROFILE: 'p',
      TF_REATTACH_PROVIDERS: '{}',
      TF_IN_AUTOMATION: '1',
      TF_INPUT: '0',
    });
  });

  it('has the values that are never stored, texts as they are and all else as expressions', () => {
    const privateValues = new Map<string, unknown>([
      ['text', '${not} "evaluated"'],
      ['list', ['a ${b} %{c}', 1, null]],
    ]);
    expect(childEnvironment({}, privateValues)).toMatchObject({
      TF_VAR_text: '${not} "evaluated"',
      TF_VAR_list: '["a $${b} %%{c}",1,null]',
    });
  });
});
