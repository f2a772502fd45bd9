/** Deletions of nodes that a configuration no longer has, by the form of their names. */
export type Deletion =
  | { action: 'hcl_delete'; object_type: 'hcl'; data: { node_id: string } }
  | { action: 'tfvar_delete'; object_type: 'tfvar'; data: { node_id: string } }
  | { action: 'file_delete'; object_type: 'file'; data: { filepath: string } };

/** How a node is deleted that the configuration no longer has. */
export function deletionOf(node: string): Deletion {
  if (node.startsWith('file:')) {
    return { action: 'file_delete', object_type: 'file', data: { filepath: node.slice('file:'.length) } };
  }
  return isVariableValue(node)
    ? { action: 'tfvar_delete', object_type: 'tfvar', data: { node_id: node } }
    : { action: 'hcl_delete', object_type: 'hcl', data: { node_id: node } };
}

/** `terraform.tfvars:region`, `env:region`, `-var:region`; only blocks named by their file hold both a colon and an @. */
function isVariableValue(node: string): boolean {
  return /:[^:.[\]"]+$/.test(node) && !/(?:^|\.)(?:moved|removed|import)@/.test(node);
}
