/** A string of HCL: `${` and `%{` begin templates, and quotes end it. */
export function hclString(text: string): string {
  const escaped = text
    .replace(/["\\]/g, (sign) => `\\${sign}`)
    .replace(/\n/g, '\\n')
    .replace(/([$%])\{/g, (_, sign: string) => `${sign}${sign}{`);
  return `"${escaped}"`;
}

/** The backend of a configuration. */
export function backendBlock(address: string): string {
  const value = hclString(address);
  return `terraform {
  backend "http" {
    address        = ${value}
    lock_address   = ${value}
    unlock_address = ${value}
    lock_method    = "LOCK"
    unlock_method  = "UNLOCK"
  }
}
`;
}

/** How Terraform gets its key without it standing in a file, and the run its name. */
export function credentialLines(): string {
  return `export TF_HTTP_USERNAME=run-\${CI_JOB_ID:-$$}
export TF_HTTP_PASSWORD=<API key>
`;
}

/** How another configuration reads the outputs. */
export function remoteStateBlock(address: string): string {
  return `data "terraform_remote_state" "this" {
  backend = "http"
  config = {
    address = ${hclString(address)}
  }
}
`;
}

/** The command-line client; names are quoted for a shell. */
export function clientCommands({
  state,
  service,
  tenant,
}: {
  state: string;
  service: string;
  /** name or id; later commands work in the tenant of the login */
  tenant: string;
}): string {
  const name = shellWord(state);
  return `infrastate login --api-base ${service} --tenant ${shellWord(tenant)}
infrastate plan --state ${name}
infrastate apply --state ${name}
`;
}

function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
