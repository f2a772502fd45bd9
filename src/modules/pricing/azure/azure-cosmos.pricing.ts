import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import { normalRegion } from '../region.rules.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/providers/terraform/azure/cosmosdb_*.go (Apache-2.0). What is
// stored and provisioned is billed in every location of the account.

interface Account {
  attributes: AttributeReader;
  locations: readonly { label: string; region: string; redundant: boolean }[];
  multiMaster: boolean;
}

function accountOf(r: ResourceDraft): Account | undefined {
  const { attributes } = r;
  const parent = PARENTS.find(([attribute]) => attributes.has(attribute));
  const keyspace = parent && r.linked(parent[1], attributes.text(parent[0]));
  const name = attributes.text('account_name') ?? keyspace?.text('account_name');
  const account = r.linked('azurerm_cosmosdb_account', name);
  if (account === undefined) return undefined;
  const locations = account.blocks('geo_location').map((block) => {
    const label = block.required('location');
    return { ...placeOf(label), redundant: block.computed.isTrue('zone_redundant') };
  });
  return {
    attributes: account,
    locations: locations.length > 0 ? locations : [{ ...placeOf(r.region), redundant: false }],
    multiMaster:
      account.isTrue('enable_multiple_write_locations') || account.isTrue('multiple_write_locations_enabled'),
  };
}

const PARENTS = [['cassandra_keyspace_id', 'azurerm_cosmosdb_cassandra_keyspace']] as const;

/** Names of locations as the estimates write them. */
const LOCATIONS: Record<string, string> = {
  westus: 'West US',
  eastus: 'East US',
  centralus: 'Central US',
  eastus2: 'East US 2',
  westus2: 'West US 2',
  westeurope: 'West Europe',
  northeurope: 'North Europe',
  uksouth: 'UK South',
  southeastasia: 'Southeast Asia',
};

function placeOf(text: string): { label: string; region: string } {
  const region = normalRegion('azure', text) ?? text;
  return { label: LOCATIONS[region] ?? text, region };
}

function container(r: ResourceDraft): void {
  const account = accountOf(r);
  if (account === undefined) {
    r.log.note('account_name');
    r.perUse('Transactional storage', 'GB', undefined);
    return;
  }
  throughput(r, account);
  const storage = r.usage('storage_gb');
  for (const { label, region } of account.locations) {
    r.perUse(`Transactional storage (${label})`, 'GB', storage, {
      key: 'cosmosdb/transactional-storage',
      region,
    });
    if (!account.attributes.isTrue('analytical_storage_enabled')) continue;
    r.perUse(`Analytical storage (${label})`, 'GB', storage, { key: 'cosmosdb/analytical-storage', region });
    r.perUse(
      `Analytical write operations (${label})`,
      '10K operations',
      r.usage('monthly_analytical_storage_write_operations', 10_000),
      {
        key: 'cosmosdb/analytical-write-operations',
        region,
      },
    );
    r.perUse(
      `Analytical read operations (${label})`,
      '10K operations',
      r.usage('monthly_analytical_storage_read_operations', 10_000),
      {
        key: 'cosmosdb/analytical-read-operations',
        region,
      },
    );
  }
  backups(r, account, storage);
}

/** Autoscale costs half more; a redundant zone a quarter, where one location writes. */
function throughput(r: ResourceDraft, account: Account): void {
  const { attributes } = r;
  const fixed = attributes.computed.number('throughput');
  const most = attributes.first('autoscale_settings')?.computed.number('max_throughput');
  const master = account.multiMaster ? 'multi-master' : 'single-master';
  if (fixed === undefined && most === undefined) return serverless(r, account);
  const percent = r.usage('max_request_units_utilization_percentage');
  for (const { label, region, redundant } of account.locations) {
    const where = { key: `cosmosdb/throughput/${master}`, region };
    if (fixed !== undefined) {
      const factor = !account.multiMaster && redundant ? Decimal.of('1.25') : Decimal.ONE;
      r.monthly(
        `Provisioned throughput (provisioned, ${label})`,
        'RU/s x 100',
        fixed.dividedBy(100).times(factor),
        where,
      );
    } else {
      const factor = account.multiMaster ? Decimal.ONE : Decimal.of('1.5');
      const used = percent && most?.times(percent).dividedBy(10_000).times(factor);
      r.perUse(`Provisioned throughput (autoscale, ${label})`, 'RU/s x 100', used, where);
    }
  }
}

function serverless(r: ResourceDraft, { locations: [first] }: Account): void {
  const factor = first?.redundant === true ? Decimal.of('1.25') : Decimal.ONE;
  const units = r.usage('monthly_serverless_request_units', 1_000_000)?.times(factor);
  r.perUse('Provisioned throughput (serverless)', '1M RU', units, {
    key: 'cosmosdb/serverless-request-units',
    ...(first ? { region: first.region } : {}),
  });
}

function backups(r: ResourceDraft, account: Account, storage: Decimal | undefined): void {
  const backup = account.attributes.first('backup');
  const periodic = backup?.text('type')?.toLowerCase() === 'periodic';
  let stored = storage;
  if (periodic) {
    const interval = (backup.computed.number('interval_in_minutes') ?? Decimal.of(240)).dividedBy(60);
    const kept = backup.computed.number('retention_in_hours') ?? Decimal.of(8);
    // Two copies are free.
    const copies = interval.isZero()
      ? Decimal.ZERO
      : Decimal.of(Math.floor(Number(kept.dividedBy(interval).toString())) - 2).atLeast(0);
    stored = storage?.times(copies);
  }
  const name = periodic ? 'Periodic backup' : 'Continuous backup';
  const key = `cosmosdb/${periodic ? 'periodic' : 'continuous'}-backup`;
  if (stored?.isZero() !== true)
    for (const { label, region } of account.locations)
      r.perUse(`${name} (${label})`, 'GB', stored, { key, region });
  r.perUse('Restored data', 'GB', r.usage('monthly_restored_data_gb'), { key: 'cosmosdb/restored-data' });
}

export const azureCosmos: Rules = Object.fromEntries(
  [
    'cassandra_keyspace',
    'cassandra_table',
    'gremlin_database',
    'gremlin_graph',
    'mongo_collection',
    'mongo_database',
    'sql_container',
    'sql_database',
    'table',
  ].map((name) => [`azurerm_cosmosdb_${name}`, container]),
);
