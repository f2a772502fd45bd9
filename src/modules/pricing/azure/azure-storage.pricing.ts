import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and which kind of account has which: infracost/infracost@95ba4f49 internal/resources/azure/storage_*.go (Apache-2.0).

interface Account {
  kind: string;
  /** `standard-hot-lrs`: what the prices of an account depend on */
  plan: string;
  premium: boolean;
  hot: boolean;
  cool: boolean;
  files: boolean;
  v1: boolean;
  v2: boolean;
  nfs: boolean;
  blob: boolean;
}

function accountOf(r: ResourceDraft): Account {
  const { attributes } = r;
  const kind = (attributes.text('account_kind') ?? 'StorageV2').toLowerCase();
  const tier = attributes.required('account_tier').toLowerCase();
  const premium = tier === 'premium';
  const access = premium
    ? 'premium'
    : kind === 'storage'
      ? 'standard'
      : (attributes.computed.text('access_tier') ?? 'Hot').toLowerCase();
  const nfs = attributes.isTrue('nfsv3_enabled');
  const replication = attributes.required('account_replication_type').toLowerCase();
  return {
    kind,
    plan: `${kind}${nfs ? '-nfsv3' : ''}/${access}/${replication}`,
    premium,
    hot: access === 'hot',
    cool: access === 'cool',
    files: kind === 'filestorage',
    v1: kind === 'storage',
    v2: kind === 'storagev2',
    blob: kind === 'blobstorage',
    nfs,
  };
}

type AddComponent = (name: string, unit: string, quantity: Decimal | undefined) => void;

function account(r: ResourceDraft): void {
  const kind = accountOf(r);
  const add: AddComponent = (name, unit, quantity) =>
    r.perUse(name, unit, quantity, {
      key: `storage_account/${kind.plan}/${name.toLowerCase().replaceAll(' ', '-')}`,
    });
  accountData(r, kind, add);
  accountOperations(r, kind, add);
  accountAccess(r, kind, add);
}

function accountData(r: ResourceDraft, { files, premium }: Account, add: AddComponent): void {
  if (!files) return add('Capacity', 'GB', r.usage('storage_gb'));
  add('Data at rest', 'GB', r.usage('data_at_rest_storage_gb'));
  add('Snapshots', 'GB', r.usage('snapshots_storage_gb'));
  if (!premium) add('Metadata at rest', 'GB', r.usage('metadata_at_rest_storage_gb'));
}

function accountOperations(r: ResourceDraft, kind: Account, add: AddComponent): void {
  const { premium, files, v2, nfs } = kind;
  const operations = (name: string, usage: string) => add(name, '10k operations', r.usage(usage, 10_000));
  const isIterative = v2 && nfs && !premium;
  const isBilled = !(files && premium);
  if (isIterative)
    add('Iterative write operations', '100 operations', r.usage('monthly_iterative_write_operations', 100));
  if (isBilled) {
    operations('Write operations', 'monthly_write_operations');
    operations(
      files ? 'List operations' : 'List and create container operations',
      'monthly_list_and_create_container_operations',
    );
  }
  if (isIterative) operations('Iterative read operations', 'monthly_iterative_read_operations');
  if (isBilled) {
    operations('Read operations', 'monthly_read_operations');
    operations('All other operations', 'monthly_other_operations');
  }
}

function accountAccess(r: ResourceDraft, kind: Account, add: AddComponent): void {
  const { hot, cool, files, v1, v2, nfs, blob } = kind;
  const isBlock = kind.kind === 'blockblobstorage';
  if (cool && !v1) add('Data retrieval', 'GB', r.usage('monthly_data_retrieval_gb'));
  if (blob && cool) add('Data write', 'GB', r.usage('monthly_data_write_gb'));
  if (v2 && !nfs && (hot || cool)) add('Blob index', '10k tags', r.usage('blob_index_tags', 10_000));
  if (cool && (isBlock || blob || v2 || files)) add('Early deletion', 'GB', r.usage('early_deletion_gb'));
}

function replicationOf(r: ResourceDraft): string {
  const found = r.linked(
    'azurerm_storage_account',
    r.attributes.text('storage_account_name') ?? r.attributes.text('storage_account_id'),
  );
  const replication =
    r.attributes.text('account_replication_type') ?? found?.text('account_replication_type');
  if (replication === undefined) r.log.note('storage_account_name');
  const kind = found?.text('account_kind') ?? 'StorageV2';
  return `${(kind ?? '').toLowerCase()}/${(replication ?? 'unknown').toLowerCase()}`;
}

function table(r: ResourceDraft): void {
  const plan = replicationOf(r).split('/')[1] ?? '';
  const add = (name: string, unit: string, quantity: Decimal | undefined) =>
    r.perUse(name, unit, quantity, {
      key: `storage_table/${plan}/${name.toLowerCase().replaceAll(' ', '-')}`,
    });
  add('Capacity', 'GB', r.usage('monthly_storage_gb'));
  for (const [name, usage] of [
    ['Write operations', 'monthly_write_operations'],
    ['Batch Write operations', 'monthly_batch_write_operations'],
    ['Read operations', 'monthly_read_operations'],
    ['Scan operations', 'monthly_scan_operations'],
    ['List operations', 'monthly_list_operations'],
    ['Delete operations', 'monthly_delete_operations'],
  ] as const)
    add(name, '10k operations', r.usage(usage, 10_000));
}

function queue(r: ResourceDraft): void {
  const plan = replicationOf(r);
  const add = (name: string, unit: string, quantity: Decimal | undefined) =>
    r.perUse(name, unit, quantity, {
      key: `storage_queue/${plan}/${name.toLowerCase().replaceAll(' ', '-')}`,
    });
  add('Capacity', 'GB', r.usage('monthly_storage_gb'));
  add('Class 1 operations', '10k operations', r.usage('monthly_class_1_operations', 10_000));
  add('Class 2 operations', '10k operations', r.usage('monthly_class_2_operations', 10_000));
  if (/\/(gz?rs|ra-?gz?rs)$/.test(plan))
    add('Geo-replication data transfer', 'GB', r.usage('monthly_geo_replication_data_transfer_gb'));
}

function share(r: ResourceDraft): void {
  const access = (r.attributes.computed.text('access_tier') ?? 'TransactionOptimized').toLowerCase();
  const plan = `${access}/${replicationOf(r).split('/')[1] ?? ''}`;
  const premium = access === 'premium';
  const add = (name: string, unit: string, quantity: Decimal | undefined) =>
    r.perUse(name, unit, quantity, {
      key: `storage_share/${plan}/${name.toLowerCase().replaceAll(' ', '-')}`,
    });
  const quota = r.attributes.number('quota');
  if (premium && quota) r.monthly('Data at rest', 'GB', quota, { key: `storage_share/${plan}/data-at-rest` });
  else add('Data at rest', 'GB', r.usage('storage_gb'));
  add('Snapshots', 'GB', r.usage('snapshots_storage_gb'));
  if (premium) return;
  if (access !== 'transactionoptimized')
    add('Metadata at rest', 'GB', r.usage('metadata_at_rest_storage_gb'));
  add('Write operations', '10k operations', r.usage('monthly_write_operations', 10_000));
  add('List operations', '10k operations', r.usage('monthly_list_operations', 10_000));
  add('Read operations', '10k operations', r.usage('monthly_read_operations', 10_000));
  add('Other operations', '10k operations', r.usage('monthly_other_operations', 10_000));
  if (access === 'cool') add('Data retrieval', 'GB', r.usage('monthly_data_retrieval_gb'));
}

export const azureStorage: Rules = {
  azurerm_storage_account: account,
  azurerm_storage_account_customer_managed_key: () => undefined,
  azurerm_storage_table: table,
  azurerm_storage_queue: queue,
  azurerm_storage_share: share,
};
