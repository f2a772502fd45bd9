/** Where Terraform finds a state: the address of its backend. `default` is what an address without a workspace means. */
export function backendAddress(address: string, groupId: string, workspace: string): string {
  const base = `${address}/api/v1/states/backend/${groupId}`;
  return workspace === 'default' ? base : `${base}/${encodeURIComponent(workspace)}`;
}

/** The block to paste. It holds no credential: Terraform reads that from the environment. */
export function backendBlock(address: string, { locks }: { locks: boolean }): string {
  const settings: [string, string][] = [
    ['address', address],
    ...(locks
      ? ([
          ['lock_address', address],
          ['lock_method', 'LOCK'],
          ['unlock_address', address],
          ['unlock_method', 'UNLOCK'],
        ] satisfies [string, string][])
      : []),
  ];
  const width = Math.max(...settings.map(([name]) => name.length));
  const lines = settings.map(([name, value]) => `    ${name.padEnd(width)} = ${quoted(value)}\n`);
  return `terraform {\n  backend "http" {\n${lines.join('')}  }\n}\n`;
}

/** A template sequence in a string would be evaluated. */
function quoted(value: string): string {
  return JSON.stringify(value).replace(/[$%](?=\{)/g, (sign) => sign + sign);
}
