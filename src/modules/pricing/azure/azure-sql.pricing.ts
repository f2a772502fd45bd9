import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/azure/{sql_database,mssql_elasticpool,*managed_instance}.go
// (Apache-2.0).

const REDUNDANCY: Record<string, string> = {
  geo: 'RA-GRS',
  local: 'LRS',
  zone: 'ZRS',
  geozone: 'RA-GZRS',
  grs: 'RA-GRS',
  lrs: 'LRS',
  zrs: 'ZRS',
};
const PREMIUM_INCLUDED_GB: Record<string, number> = {
  p1: 500,
  p2: 500,
  p4: 500,
  p6: 500,
  p11: 4096,
  p15: 4096,
};
const STANDARD_INCLUDED_GB = 250;
const DEFAULT_VCORE_GB = 5;
/** A managed instance includes this. */
const INSTANCE_INCLUDED_GB = 32;

interface Sku {
  name: string;
  /** `gp`, `bc`, `hs`, undefined for DTU */
  tier?: string;
  serverless: boolean;
  cores?: Decimal;
}

function skuOf(name: string): Sku {
  const parts = name.split('_');
  const tier = parts[0]?.toLowerCase() ?? '';
  const cores = Decimal.parse(parts.at(-1) ?? '');
  if (!['gp', 'bc', 'hs'].includes(tier) || cores === undefined) return { name, serverless: false };
  return { name, tier, serverless: parts[1]?.toLowerCase() === 's', cores };
}

interface Database {
  sku: Sku;
  size: Decimal | undefined;
  redundancy: string;
  zoneRedundant: boolean;
  licensed: boolean;
  replicas?: Decimal;
}

function describeDatabase(r: ResourceDraft, database: Database): void {
  const { sku } = database;
  if (sku.name.toLowerCase() === 'elasticpool') return backups(r, database);
  if (sku.tier === undefined) {
    r.monthly(`Compute (${sku.name.charAt(0).toUpperCase()}${sku.name.slice(1)})`, 'hours', 730, {
      key: `sql/dtu/${sku.name.toLowerCase()}`,
    });
    r.part(() => extraStorage(r, sku, database.size));
    return backups(r, database);
  }
  compute(r, database);
  const zone = database.zoneRedundant ? '-zone-redundant' : '';
  if (sku.tier === 'hs')
    r.hours('Read replicas', {
      count: database.replicas ?? Decimal.ZERO,
      key: `sql/read-replicas/${sku.name.toLowerCase()}`,
    });
  if (!sku.serverless && database.licensed)
    r.monthly('SQL license', 'vCore-hours', (sku.cores ?? Decimal.ZERO).times(730), {
      key: `sql/license/${sku.tier}`,
    });
  r.monthly('Storage', 'GB', database.size ?? Decimal.of(DEFAULT_VCORE_GB), {
    key: `sql/storage/${sku.tier}${zone}`,
  });
  if (sku.tier !== 'hs') backups(r, database);
  return undefined;
}

function compute(r: ResourceDraft, { sku, zoneRedundant }: Database): void {
  const name = sku.name;
  if (sku.serverless) {
    const hours = r.usage('monthly_vcore_hours');
    r.perUse(`Compute (serverless, ${name})`, 'vCore-hours', hours, { key: 'sql/serverless/vcore-hours' });
    if (zoneRedundant)
      r.perUse(`Zone redundancy (serverless, ${name})`, 'vCore-hours', hours, {
        key: 'sql/serverless/zone-redundancy',
      });
    return;
  }
  r.hours(`Compute (provisioned, ${name})`, { key: `sql/provisioned/${name.toLowerCase()}` });
  if (zoneRedundant && sku.tier === 'gp')
    r.hours(`Zone redundancy (provisioned, ${name})`, { key: `sql/zone-redundancy/${name.toLowerCase()}` });
}

function extraStorage(r: ResourceDraft, sku: Sku, size: Decimal | undefined): void {
  const name = sku.name.toLowerCase();
  if (name === 'basic') return;
  const given = r.usage('extra_data_storage_gb');
  const included = name.startsWith('p') ? PREMIUM_INCLUDED_GB[name] : STANDARD_INCLUDED_GB;
  const extra = given ?? (included === undefined ? undefined : size?.minus(Decimal.of(included)));
  if (extra?.isMore(0) === true)
    r.monthly('Extra data storage', 'GB', extra, {
      key: `sql/extra-data-storage/${name.startsWith('p') ? 'premium' : 'standard'}`,
    });
}

function backups(r: ResourceDraft, { redundancy }: Database): void {
  const kind = redundancy.toLowerCase();
  r.perUse(`Long-term retention (${redundancy})`, 'GB', r.usage('long_term_retention_storage_gb'), {
    key: `sql/long-term-retention/${kind}`,
  });
  r.perUse(`PITR backup storage (${redundancy})`, 'GB', r.usage('backup_storage_gb'), {
    key: `sql/pitr-backup/${kind}`,
  });
}

function database(r: ResourceDraft): void {
  const { attributes } = r;
  if ((attributes.text('elastic_pool_id') ?? '') !== '')
    return backups(r, {
      ...poolDatabase,
      redundancy: redundancyOf(attributes.computed.text('storage_account_type')),
    });
  const replicas = attributes.number('read_replica_count');
  return describeDatabase(r, {
    sku: skuOf(attributes.text('sku_name') ?? 'GP_S_Gen5_2'),
    size: attributes.computed.number('max_size_gb'),
    redundancy: redundancyOf(attributes.computed.text('storage_account_type')),
    zoneRedundant: attributes.computed.isTrue('zone_redundant'),
    licensed:
      (attributes.computed.text('license_type') ?? 'LicenseIncluded').toLowerCase() === 'licenseincluded',
    ...(replicas ? { replicas } : {}),
  });
}

const poolDatabase: Omit<Database, 'redundancy'> = {
  sku: { name: 'ElasticPool', serverless: false },
  size: undefined,
  zoneRedundant: false,
  licensed: false,
};

function redundancyOf(type: string | undefined): string {
  return REDUNDANCY[(type ?? 'Geo').toLowerCase()] ?? 'RA-GRS';
}

const EDITIONS: Record<string, string> = {
  basic: 'Basic',
  standard: 'S0',
  premium: 'P1',
  datawarehouse: 'DW100c',
};

/** The type that Azure retires names its tier by edition and objective. */
function oldDatabase(r: ResourceDraft): void {
  const { attributes } = r;
  const edition = attributes.computed.text('edition')?.toLowerCase() ?? '';
  const name = attributes.computed.text('requested_service_objective_name') ?? defaultObjective(edition);
  const bytes = attributes.computed.number('max_size_bytes');
  const readScale = attributes.isTrue('read_scale');
  describeDatabase(r, {
    sku: skuOf(name),
    size: bytes?.dividedBy(1024 ** 3),
    redundancy: 'RA-GRS',
    zoneRedundant: attributes.isTrue('zone_redundant'),
    licensed: false,
    ...(readScale ? { replicas: Decimal.ONE } : {}),
  });
}

function defaultObjective(edition: string): string {
  if (edition === 'generalpurpose') return 'GP_Gen5_2';
  if (edition === 'businesscritical') return 'BC_Gen5_2';
  if (edition === 'hyperscale') return 'HS_Gen5_2';
  return EDITIONS[edition] ?? 'S0';
}

function elasticPool(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.block('sku');
  const name = sku.required('name');
  const capacity = sku.number('capacity');
  if (capacity === undefined) sku.required('capacity');
  const size =
    attributes.computed.number('max_size_gb') ??
    attributes.computed.number('max_size_bytes')?.dividedBy(1024 ** 3);
  const [tier = ''] = name.split('_');
  if (['gp', 'bc', 'hs'].includes(tier.toLowerCase()))
    return poolCores(r, { name, tier: tier.toLowerCase(), cores: capacity, size });
  poolUnits(r, { tier: name.replace(/pool$/i, ''), units: capacity ?? Decimal.ZERO, size });
}

function poolCores(
  r: ResourceDraft,
  pool: { name: string; tier: string; cores: Decimal | undefined; size: Decimal | undefined },
): void {
  const { attributes } = r;
  const { name, tier, size } = pool;
  const cores = pool.cores?.toString() ?? '';
  const family = name.toLowerCase();
  const label = `${name}, ${cores} vCore`;
  const zoneRedundant = attributes.isTrue('zone_redundant');
  r.hours(`Compute (${label})`, { key: `sql-pool/provisioned/${family}/${cores}` });
  if (zoneRedundant)
    r.hours(`Zone redundancy (${label})`, { key: `sql-pool/zone-redundancy/${family}/${cores}` });
  if ((attributes.computed.text('license_type') ?? 'LicenseIncluded').toLowerCase() === 'licenseincluded')
    r.monthly('SQL license', 'vCore-hours', (pool.cores ?? Decimal.ZERO).times(730), {
      key: `sql/license/${tier}`,
    });
  r.monthly('Storage', 'GB', size ?? Decimal.of(DEFAULT_VCORE_GB), {
    key: `sql-pool/storage/${tier}${zoneRedundant ? '-zone-redundant' : ''}`,
  });
}

/** What a pool's units include: https://learn.microsoft.com/azure/azure-sql/database/resource-limits-dtu-elastic-pools (2026-07). */
const POOL_INCLUDED_GB: Record<string, Record<string, number>> = {
  standard: {
    '50': 50,
    '100': 100,
    '200': 200,
    '300': 300,
    '400': 400,
    '800': 800,
    '1200': 1200,
    '1600': 1600,
    '2000': 2000,
    '2500': 2500,
    '3000': 3000,
  },
  premium: {
    '125': 250,
    '250': 500,
    '500': 750,
    '1000': 1024,
    '1500': 1536,
    '2000': 2048,
    '2500': 2560,
    '3000': 3072,
    '3500': 3584,
    '4000': 4096,
  },
};

function poolUnits(
  r: ResourceDraft,
  pool: { tier: string; units: Decimal; size: Decimal | undefined },
): void {
  const units = pool.units.toString();
  r.monthly(`Compute (${pool.tier}, ${units} DTUs)`, 'hours', 730, {
    key: `sql-pool/dtu/${pool.tier.toLowerCase()}/${units}`,
  });
  const included = POOL_INCLUDED_GB[pool.tier.toLowerCase()]?.[units];
  const extra = included === undefined ? undefined : pool.size?.minus(Decimal.of(included));
  if (extra?.isMore(0) === true)
    r.monthly('Extra data storage', 'GB', extra, {
      key: `sql/extra-data-storage/${pool.tier.toLowerCase()}`,
    });
}

function oldElasticPool(r: ResourceDraft): void {
  const { attributes } = r;
  const units = attributes.number('dtu');
  if (units === undefined) attributes.required('dtu');
  const size = attributes.computed.number('pool_size')?.dividedBy(1024);
  poolUnits(r, { tier: attributes.required('edition'), units: units ?? Decimal.ZERO, size });
}

function managedInstance(word: string, storage: string): (r: ResourceDraft) => void {
  return (r) => {
    const { attributes } = r;
    const sku = attributes.required('sku_name').toUpperCase();
    const cores = attributes.number('vcores');
    if (cores === undefined) attributes.required('vcores');
    r.hours(`Compute (${sku} ${cores?.toString() ?? ''} ${word})`, {
      key: `sql-instance/compute/${sku.toLowerCase()}/${cores?.toString() ?? ''}`,
    });
    r.part(() => {
      const size = attributes.number('storage_size_in_gb');
      if (size === undefined) attributes.required('storage_size_in_gb');
      const extra = (size ?? Decimal.ZERO).minus(Decimal.of(INSTANCE_INCLUDED_GB)).atLeast(0);
      r.monthly(storage, 'GB', extra, {
        key: `sql-instance/storage/${sku.toLowerCase().split('_')[0] ?? ''}`,
      });
    });
    const kind = (attributes.computed.text('storage_account_type') ?? 'LRS').toUpperCase();
    r.perUse(`PITR backup storage (${kind})`, 'GB', r.usage('backup_storage_gb'), {
      key: `sql-instance/pitr-backup/${kind.toLowerCase()}`,
    });
    if ((attributes.text('license_type') ?? 'LicenseIncluded') === 'LicenseIncluded')
      r.monthly('SQL license', 'vCore-hours', (cores ?? Decimal.ZERO).times(730), {
        key: `sql-instance/license/${sku.toLowerCase().split('_')[0] ?? ''}`,
      });
    r.perUse(`LTR backup storage (${kind})`, 'GB', r.usage('long_term_retention_storage_gb'), {
      key: `sql-instance/ltr-backup/${kind.toLowerCase()}`,
    });
  };
}

export const azureSql: Rules = {
  azurerm_mssql_database: database,
  azurerm_sql_database: oldDatabase,
  azurerm_mssql_elasticpool: elasticPool,
  azurerm_sql_elasticpool: oldElasticPool,
  azurerm_mssql_managed_instance: managedInstance('cores', 'Additional Storage'),
  azurerm_sql_managed_instance: managedInstance('Cores', 'Storage'),
};
