import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/{resources,providers/terraform}/azure/{key_vault_*,security_center_*,
// active_directory_*,app_configuration,federated_identity_credential,backup_protected_vm,recovery_services_vault}.go (Apache-2.0).

function vaultSku(r: ResourceDraft): string {
  const vault = r.linked('azurerm_key_vault', r.attributes.text('key_vault_id'));
  const sku = vault?.text('sku_name');
  if (sku === undefined) r.log.note('key_vault_id');
  return (sku ?? 'unknown').toLowerCase();
}

function vaultKey(r: ResourceDraft): void {
  r.perUse('Secrets operations', '10K transactions', r.usage('monthly_secrets_operations', 10_000));
  r.perUse('Storage key rotations', 'renewals', r.usage('monthly_key_rotation_renewals'));
  const type = r.attributes.required('key_type').toUpperCase();
  const size = r.attributes.computed.number('key_size')?.toString() ?? '2048';
  const simple = type.startsWith('RSA') && size === '2048';
  r.part(() => {
    const sku = vaultSku(r);
    if (!type.endsWith('-HSM')) {
      r.perUse(
        'Software-protected keys',
        '10K transactions',
        r.usage('monthly_protected_keys_operations', 10_000),
        {
          key: `key_vault_key/software-protected/${simple ? 'rsa-2048' : 'advanced'}`,
        },
      );
      return;
    }
    if (sku !== 'premium' && sku !== 'unknown') return;
    const keys = r.usage('hsm_protected_keys');
    r.perUse('HSM-protected keys', 'months', keys, {
      key: `key_vault_key/hsm-protected/${simple ? 'rsa-2048' : 'advanced'}`,
    });
    r.perUse(
      'HSM-protected keys operations',
      '10K transactions',
      r.usage('monthly_protected_keys_operations', 10_000),
      {
        key: `key_vault_key/hsm-operations/${simple ? 'rsa-2048' : 'advanced'}`,
      },
    );
  });
}

const DEFENDER: Record<string, readonly [name: string, unit: string, usage: string]> = {
  appservices: ['Defender for app service', 'node', 'monthly_app_service_nodes'],
  containerregistry: ['Defender for container registries', 'image', 'monthly_container_registry_images'],
  keyvaults: ['Defender for Key Vault', 'key vault', 'monthly_key_vaults'],
  kubernetesservice: ['Defender for kubernetes', 'core', 'monthly_kubernetes_cores'],
  sqlservers: ['Defender for SQL, Azure-connected', 'instance', 'monthly_sql_azure_connected_instances'],
  sqlservervirtualmachines: ['Defender for SQL, outside Azure', 'vCore', 'monthly_sql_outside_azure_vcores'],
  storageaccounts: ['Defender for storage', 'storage account', 'monthly_storage_accounts'],
  arm: ['Defender for ARM', 'subscription', 'monthly_arm_subscriptions'],
  dns: ['Defender for DNS', '1M queries', 'monthly_dns_queries'],
  containers: ['Defender for containers', 'vCore', 'monthly_containers_vcores'],
  cosmosdbs: ['Defender for Cosmos DB', 'RU/s x 100', 'cosmosdb_request_units'],
};

function defender(r: ResourceDraft): void {
  const { attributes } = r;
  if ((attributes.text('tier') ?? 'Free').toLowerCase() === 'free') return;
  const type = (attributes.text('resource_type') ?? 'VirtualMachines').toLowerCase();
  if (type === 'virtualmachines') {
    describeUse(r, [
      ['Defender for servers, plan 1', 'server', 'monthly_servers_plan_1_nodes'],
      ['Defender for servers, plan 2', 'server', 'monthly_servers_plan_2_nodes'],
    ]);
    return;
  }
  if (type === 'opensourcerelationaldatabases') {
    describeUse(r, [
      ['Defender for MariaDB', 'instance', 'monthly_mariadb_instances'],
      ['Defender for MySQL', 'instance', 'monthly_mysql_instances'],
      ['Defender for PostgreSQL', 'instance', 'monthly_postgresql_instances'],
    ]);
    return;
  }
  const plan = DEFENDER[type];
  if (plan === undefined) r.attributes.required(`resource_type ${type}`);
  const [name = 'Defender', unit = '', usage = ''] = plan ?? [];
  const per = unit === '1M queries' ? 1_000_000 : unit === 'RU/s x 100' ? 100 : 1;
  r.perUse(name, unit, r.usage(usage, per));
}

const DAYS_PER_MONTH = 30;

function configuration(r: ResourceDraft): void {
  const { attributes } = r;
  if ((attributes.text('sku') ?? 'free').toLowerCase() !== 'standard') return;
  const replicas = attributes.blocks('replica').length;
  r.monthly('Instance', 'days', DAYS_PER_MONTH);
  if (replicas > 0)
    r.monthly(
      `Instance (${replicas} replica${replicas === 1 ? '' : 's'})`,
      'days',
      DAYS_PER_MONTH * replicas,
      { key: 'app_configuration/replica' },
    );
  r.perUse(
    'Requests (over 200k/day per replica)',
    '10k requests',
    r.usage('monthly_additional_requests', 10_000),
    {
      key: 'app_configuration/requests',
    },
  );
}

function domainService(name: string): (r: ResourceDraft) => void {
  return (r) => {
    const linked = r.linked(
      'azurerm_active_directory_domain_service',
      r.attributes.text('domain_service_id'),
    );
    const sku = r.attributes.text('sku') ?? linked?.text('sku') ?? r.attributes.required('sku');
    r.hours(`${name} (${sku})`, { key: `active_directory_domain_service/${sku.toLowerCase()}` });
  };
}

const ACTIVE_USERS_FREE = 50_000;

function activeUsers(r: ResourceDraft): void {
  for (const plan of ['p1', 'p2']) {
    const users = r.usage(`monthly_active_${plan}_users`);
    r.perUse(
      `Active users (${plan.toUpperCase()})`,
      'users',
      users?.minus(Decimal.of(ACTIVE_USERS_FREE)).atLeast(0),
    );
  }
}

const BACKUP_KINDS: Record<string, string> = {
  georedundant: 'GRS',
  locallyredundant: 'LRS',
  zoneredundant: 'ZRS',
};

/** What the vault stores is billed with the machines it protects. */
function protectedMachine(r: ResourceDraft): void {
  const { attributes } = r;
  const kind = redundancyOf(
    r.linked('azurerm_recovery_services_vault', attributes.text('recovery_vault_name')),
  );
  const size = diskSize(r);
  if (size === undefined) r.log.note('source_vm_id');
  const gigabytes = size ?? Decimal.ZERO;
  const small = !gigabytes.isMore(50);
  const name = small
    ? 'Instance backup (under 50 GB)'
    : gigabytes.isMore(500)
      ? 'Instance backup (over 500 GB)'
      : 'Instance backup (under 500 GB)';
  const count = gigabytes.isMore(500) ? gigabytes.dividedBy(500).ceiling() : Decimal.ONE;
  r.monthly(name, 'month', count, { key: `backup/instance/${small ? 'under-50' : '500'}` });
  const used = r.usage('disk_utilization_gb') ?? size;
  const extra = r.usage('additional_backup_retention_gb') ?? Decimal.ZERO;
  r.perUse(`${kind} data stored`, 'GB', used?.plus(extra), {
    key: `backup/data-stored/${kind.toLowerCase()}`,
  });
}

function redundancyOf(vault: AttributeReader | undefined): string {
  const mode = (vault?.text('storage_mode_type') ?? 'GeoRedundant').toLowerCase();
  const plain = BACKUP_KINDS[mode] ?? 'GRS';
  return plain === 'GRS' && vault?.isTrue('cross_region_restore_enabled') === true ? 'RA-GRS' : plain;
}

function diskSize(r: ResourceDraft): Decimal | undefined {
  const id = r.attributes.text('source_vm_id');
  for (const type of [
    'azurerm_virtual_machine',
    'azurerm_linux_virtual_machine',
    'azurerm_windows_virtual_machine',
  ]) {
    const machine = r.linked(type, id);
    if (machine === undefined) continue;
    const disks = ['os_disk', 'storage_os_disk', 'storage_data_disk'].flatMap((name) => machine.blocks(name));
    const sizes = disks.map((disk) => disk.computed.number('disk_size_gb'));
    const known = sizes.filter((each) => each !== undefined);
    if (known.length === 0) return r.usage('disk_utilization_gb');
    return known.reduce((sum, each) => sum.plus(each), Decimal.ZERO);
  }
  return r.usage('disk_utilization_gb');
}

export const azureSecurity: Rules = {
  azurerm_key_vault_key: vaultKey,
  azurerm_key_vault_certificate: onlyUse(
    ['Certificate renewals', 'requests', 'monthly_certificate_renewal_requests'],
    ['Certificate operations', '10K transactions', 'monthly_certificate_other_operations', 10_000],
  ),
  azurerm_key_vault_managed_hardware_security_module: (r) => r.hours('HSM pools'),
  azurerm_security_center_subscription_pricing: defender,
  azurerm_app_configuration: configuration,
  azurerm_active_directory_domain_service: domainService('Active directory domain service'),
  azurerm_active_directory_domain_service_replica_set: domainService(
    'Active directory domain service replica set',
  ),
  azurerm_federated_identity_credential: activeUsers,
  azurerm_backup_protected_vm: protectedMachine,
  azurerm_recovery_services_vault: onlyUse(),
};
