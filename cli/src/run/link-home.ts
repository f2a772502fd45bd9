import { existsSync, lstatSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Terraform's own, configuration, values and states: what a run has of its own, or must not see. */
const OWN =
  /^(?:\.terraform.*|\.git|\.infrastate|terraform\.tfstate\.d|tfplan|.*\.tfstate(?:\..*)?|.*\.(?:tf|tofu|tfvars)(?:\.json)?|errored\.infrastate\.json)$/;

/**
 * Lets a run find everything of the user's directory under the same relative paths, for providers that read files by
 * name. What the run has itself stays; nothing is ever written into a linked directory by us.
 */
export function linkHome(home: string, root: string): void {
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    if (OWN.test(entry.name)) continue;
    const [own, target] = [join(home, entry.name), join(root, entry.name)];
    if (!existsSync(target)) symlinkSync(own, target);
    else if (entry.isDirectory() && lstatSync(target).isDirectory()) linkHome(own, target);
  }
}

export function isRunsOwn(name: string): boolean {
  return OWN.test(name);
}
