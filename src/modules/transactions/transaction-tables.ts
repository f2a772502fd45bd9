import { MARKER, MAX_VALUE_BYTES, type QueryColumn, type QueryTable } from '../mql/index.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});
const text = (value: string, description: string) => column('text', `${value} COLLATE "C"`, description);
/** One of a few words. */
const word = (value: string, description: string): QueryColumn => ({
  ...text(value, description),
  isBounded: true,
});
const inTenants = (tenants: string) => `t.tenant_id = ANY (${tenants}::uuid[])`;

/** Of what a remote state has read, its client does not say what is sensitive. */
const IS_SENSITIVE = `l.data ->> 'type' = 'terraform_remote_state'
  OR (jsonb_typeof(l.data -> 'sensitive_attributes') = 'array' AND l.data -> 'sensitive_attributes' <> '[]')`;
/** Blocks with secrets of a backend (of entries from before these were left out), and variables that are marked. */
const HAS_SECRETS = `l.data @? '$.data.terraform ? (exists(@.backend) || exists(@.cloud))'
  OR l.data @? '$.data.variable.* ? (@.sensitive == true || @.sensitive == "true")'`;
/** What a log entry says without what it marks sensitive, and without what providers keep to themselves. */
const DATA = `CASE
  WHEN l.object_type = 'instance' AND (${IS_SENSITIVE}) THEN l.data - 'private' - 'attributes' - 'attributes_flat'
  WHEN l.object_type = 'hcl' AND (${HAS_SECRETS}) THEN l.data - 'data'
  WHEN l.object_type = 'output' AND l.data -> 'sensitive' = 'true' THEN (l.data - 'value') || '{"value": "(sensitive value)"}'
  WHEN l.object_type = 'tfvar' THEN l.data - 'data'
  ELSE l.data - 'private' END`;

/** The size is a column: what is too large is not read at all. */
const BOUNDED_DATA = `CASE WHEN l.size <= ${MAX_VALUE_BYTES} THEN ${DATA} ELSE ${MARKER} END`;

/** Transactions as SQL queries see them (contract-notes.md section 4). */
export const transactionTables: readonly QueryTable[] = [
  {
    name: 'transactions',
    description: 'Units of change over states: plans, sessions, and one for every write of its own',
    from: 'transactions t',
    where: inTenants,
    columns: {
      id: column('uuid', 't.id', 'id of the transaction'),
      tenant_id: column('uuid', 't.tenant_id', 'the tenant it belongs to'),
      state: word('t.state', '`open`, `previewed`, `committed`, `failed`, `aborted` and the steps between'),
      tags: column('jsonb', 't.tags', 'free metadata'),
      params: column('jsonb', 't.params', 'how it was asked to work'),
      created_at: column('timestamptz', 't.created_at', 'when it was created'),
      created_by: column('uuid', 't.created_by', 'user who created it'),
      completed_at: column('timestamptz', 't.completed_at', 'when it ended; null while it goes on'),
      completed_by: column('uuid', 't.completed_by', 'user who ended it'),
    },
  },
  {
    name: 'transaction_logs',
    description: 'What a transaction consists of, as its client said it; sensitive values are left out',
    from: 'transaction_logs l JOIN transactions t ON t.id = l.tx_id',
    where: inTenants,
    columns: {
      id: column('uuid', 'l.id', 'id of the entry'),
      tx_id: column('uuid', 'l.tx_id', 'the transaction'),
      action: word('l.action', 'what was done, such as `hcl_set`'),
      object_type: word('l.object_type', 'to what, such as `instance`'),
      state_id: column('uuid', 'l.state_id', 'the state it touches'),
      user_id: column('uuid', 'l.user_id', 'user who said it'),
      data: {
        ...column('jsonb', BOUNDED_DATA, 'the entry without values of variables and what is sensitive'),
        isBounded: true,
      },
      created_at: column('timestamptz', 'l.created_at', 'when it was said'),
    },
  },
  {
    name: 'transaction_plan_operations',
    description: 'What a transaction plans to do to which instance',
    from: 'transaction_plan_operations o JOIN transactions t ON t.id = o.tx_id',
    where: inTenants,
    columns: {
      tx_id: column('uuid', 'o.tx_id', 'the transaction'),
      state_id: column('uuid', 'o.state_id', 'the state it touches'),
      address: column('text', 'o.address', 'address of the instance'),
      operation: word('o.operation', '`create`, `update`, `replace` or `destroy`'),
    },
  },
];
