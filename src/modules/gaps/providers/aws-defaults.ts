import { Injectable } from '@nestjs/common';
import type { AwsClients } from './aws-clients.js';
import { CloudFailure, type ScanPart } from '../clouds/cloud-inventory.js';
import { queryEc2 } from './aws-query.js';
import { SeenTokens } from '../clouds/seen-tokens.js';

/** Parts of a default VPC: how they are asked for, and how their ARNs begin. `{vpc}` stands for its id. */
const VPC_PARTS = [
  ['DescribeSubnets', 'subnetId', 'subnet', { 'vpc-id': '{vpc}', 'default-for-az': 'true' }],
  ['DescribeRouteTables', 'routeTableId', 'route-table', { 'vpc-id': '{vpc}', 'association.main': 'true' }],
  ['DescribeNetworkAcls', 'networkAclId', 'network-acl', { 'vpc-id': '{vpc}', default: 'true' }],
  ['DescribeSecurityGroups', 'groupId', 'security-group', { 'vpc-id': '{vpc}', 'group-name': 'default' }],
  ['DescribeInternetGateways', 'internetGatewayId', 'internet-gateway', { 'attachment.vpc-id': '{vpc}' }],
] as const;

/** What AWS makes in every account and Resource Explorer does not tell from the rest. Needs optional permissions. */
@Injectable()
export class AwsDefaults {
  /** Whether both permissions are there, asked in one region. */
  async areTold(clients: AwsClients, region: string): Promise<boolean> {
    try {
      await Promise.all([defaultVpcs(clients, region), this.managedKeys(clients, region, 1)]);
      return true;
    } catch (error) {
      if (error instanceof CloudFailure) return false;
      throw error;
    }
  }

  /** The default VPC with its parts, and AWS-managed keys, as ARNs of the caller's own account. */
  async *list(clients: AwsClients, region: string): AsyncGenerator<ScanPart, void> {
    const account = await allowed(() => accountOf(clients));
    if (account === undefined) return;
    const arn = (service: string, resource: string): string =>
      `arn:${clients.partition}:${service}:${region}:${account}:${resource}`;
    const vpcs = (await allowed(() => defaultVpcs(clients, region))) ?? [];
    for (const { id, dhcpOptions } of vpcs) {
      const found = [arn('ec2', `vpc/${id}`)];
      for (const [action, tag, kind, filters] of VPC_PARTS) {
        const xml = await allowed(() =>
          queryEc2(clients, region, { Action: action, ...filtersOf(filters, id) }),
        );
        found.push(...idsIn(xml ?? '', tag).map((part) => arn('ec2', `${kind}/${part}`)));
      }
      if (
        dhcpOptions !== undefined &&
        (await allowed(() => isOnlyOfDefaults(clients, region, dhcpOptions))) === true
      )
        found.push(arn('ec2', `dhcp-options/${dhcpOptions}`));
      yield { phantoms: found, rule: 'default-vpc' };
    }
    const keys = (await allowed(() => this.managedKeys(clients, region, 100))) ?? [];
    yield { phantoms: keys.map((id) => arn('kms', `key/${id}`)), rule: 'aws-managed-key' };
  }

  /** Keys behind the aliases that AWS reserves for itself. `rows`: of a page; 1 asks for one page only. */
  private async managedKeys(clients: AwsClients, region: string, rows: number): Promise<string[]> {
    const { ListAliasesCommand } = clients.sdk.kms;
    const kms = clients.kms(region);
    const found: string[] = [];
    const markers = new SeenTokens('kms:ListAliases');
    for (let marker: string | undefined; ;) {
      const input = { Limit: rows, ...(marker === undefined ? {} : { Marker: marker }) };
      const page = await clients.call('kms:ListAliases', (abort) =>
        kms.send(new ListAliasesCommand(input), abort),
      );
      for (const { AliasName: name, TargetKeyId: id } of page.Aliases ?? [])
        if (name?.startsWith('alias/aws/') === true && id !== undefined) found.push(id);
      marker = page.Truncated === true && rows > 1 ? markers.next(page.NextMarker) : undefined;
      if (marker === undefined || found.length > MAX_KEYS) return found;
    }
  }
}

const MAX_KEYS = 1_000;

/**
 * Undefined when the permission is missing: the resources are then listed as any others. Throttling and lost connections
 * fail the scan, since its result would differ from that of the next one.
 */
async function allowed<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CloudFailure && !isPassing(error)) return undefined;
    throw error;
  }
}

function isPassing({ view: { code } }: CloudFailure): boolean {
  return code === 'THROTTLED' || code === 'UNREACHABLE';
}

async function accountOf(clients: AwsClients): Promise<string | undefined> {
  const { GetCallerIdentityCommand } = clients.sdk.sts;
  const { Account: account } = await clients.call('sts:GetCallerIdentity', (abort) =>
    clients.sts().send(new GetCallerIdentityCommand({}), abort),
  );
  return account;
}

async function defaultVpcs(
  clients: AwsClients,
  region: string,
): Promise<{ id: string; dhcpOptions: string | undefined }[]> {
  const xml = await queryEc2(clients, region, {
    Action: 'DescribeVpcs',
    ...filtersOf({ 'is-default': 'true' }, ''),
  });
  const [dhcpOptions] = idsIn(xml, 'dhcpOptionsId');
  return idsIn(xml, 'vpcId').map((id) => ({ id, dhcpOptions }));
}

async function isOnlyOfDefaults(clients: AwsClients, region: string, dhcpOptions: string): Promise<boolean> {
  const xml = await queryEc2(clients, region, {
    Action: 'DescribeVpcs',
    ...filtersOf({ 'dhcp-options-id': dhcpOptions }, ''),
  });
  return !/<isDefault>\s*false\s*</.test(xml);
}

function filtersOf(filters: Readonly<Record<string, string>>, vpc: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value], at) => [
      [`Filter.${at + 1}.Name`, name],
      [`Filter.${at + 1}.Value.1`, value.replace('{vpc}', vpc)],
    ]),
  );
}

/** Ids in elements of this name. Rules of a group name other groups, so they are left out. */
function idsIn(xml: string, tag: string): string[] {
  const plain = xml.replace(/<(ipPermissions|ipPermissionsEgress)>[^]*?<\/\1>/g, '');
  const found = plain.matchAll(new RegExp(`<${tag}>\\s*([a-z0-9-]{1,64})\\s*</${tag}>`, 'g'));
  return [...new Set([...found].map(([, id = '']) => id))];
}
