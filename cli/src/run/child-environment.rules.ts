/** Ours, or about another directory or configuration than the one terraform runs in. */
const WITHHELD =
  /^(?:INFRASTATE_.*|TF_VAR_.*|TF_CLI_ARGS.*|TF_DATA_DIR|TF_WORKSPACE|TF_IN_AUTOMATION|TF_INPUT)$/;

/** What terraform gets of the environment, with the values of variables that are never stored. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  privateValues: ReadonlyMap<string, unknown>,
): Record<string, string> {
  const found: Record<string, string> = { TF_IN_AUTOMATION: '1', TF_INPUT: '0' };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !WITHHELD.test(name)) found[name] = value;
  }
  for (const [name, value] of privateValues) {
    found[`TF_VAR_${name}`] = typeof value === 'string' ? value : expressionText(value);
  }
  return found;
}

/** JSON is an expression once its strings hold no templates. */
function expressionText(value: unknown): string {
  return JSON.stringify(value).replace(/[$%](?=\{)/g, (char) => char + char);
}
