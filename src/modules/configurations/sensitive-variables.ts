/** SQL for the names of the variables that a block in the JSON syntax marks, a row each. */
export function sensitiveVariablesIn(block: string): string {
  return `jsonb_path_query(${block},
    '$.variable.keyvalue() ? (@.value.sensitive == true || @.value.sensitive == "true").key') #>> '{}'`;
}
