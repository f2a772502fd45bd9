import { randomBytes } from 'node:crypto';
import { isSignedWith, scopeOf, type SignedScope } from './aws-signature.js';
import { type CloudAnswer, type CloudCall, type Fault, StandIn } from './stand-in.js';

export interface AwsResource {
  Arn: string;
  OwningAccountId: string;
  Region: string;
  ResourceType: string;
  Service: string;
  LastReportedAt?: string;
  Properties?: { Name: string; LastReportedAt: string; Data: unknown }[];
}

export interface AwsAccount {
  id: string;
  /** name of the role that the service may assume, with this external id */
  roleName: string;
  externalId: string;
  indexes: { region: string; type: 'AGGREGATOR' | 'LOCAL'; state?: string }[];
  /** regions with a default view */
  views: string[];
  /** id of the default views; another one when the administrator makes another view the default */
  viewId?: string;
  resources: AwsResource[];
  /** ids of default VPCs; undefined: EC2 and KMS may not be asked */
  defaultVpcs?: string[];
  managedKeys?: string[];
}

interface Credentials {
  secret: string;
  token: string | undefined;
  account: string;
  expiresAt: number;
}

export const SERVER_KEY = {
  AWS_ACCESS_KEY_ID: 'AKIASERVERSERVERSERV',
  AWS_SECRET_ACCESS_KEY: 'server/secret+key',
};
export const SERVER_ACCOUNT = '999999999999';
const JSON_TYPE = { 'content-type': 'application/json' };
const XML_TYPE = { 'content-type': 'text/xml' };

/** STS, Resource Explorer, EC2 and KMS of any number of accounts. Every request has to be signed. */
export class AwsCloud extends StandIn {
  readonly accounts: AwsAccount[] = [];
  credentialLifetimeMs = 3_600_000;
  tokenLifetimeMs = 24 * 3_600_000;
  private readonly credentials = new Map<string, Credentials>([
    [
      SERVER_KEY.AWS_ACCESS_KEY_ID,
      {
        secret: SERVER_KEY.AWS_SECRET_ACCESS_KEY,
        token: undefined,
        account: SERVER_ACCOUNT,
        expiresAt: Infinity,
      },
    ],
  ]);

  protected actionOf(call: CloudCall): string {
    const target = call.headers['x-amz-target'];
    if (target !== undefined) return target.slice(target.indexOf('.') + 1);
    return call.path === '/'
      ? (new URLSearchParams(call.body).get('Action') ?? 'unknown')
      : call.path.slice(1);
  }

  protected refusal(
    { status, type = 'InternalServerException', headers }: Extract<Fault, { kind: 'status' }>,
    call: CloudCall,
  ): CloudAnswer {
    return {
      ...this.error(call, status, type),
      headers: { ...this.error(call, status, type).headers, ...headers },
    };
  }

  protected answer(call: CloudCall): CloudAnswer {
    const scope = scopeOf(call);
    const who = scope && this.credentials.get(scope.accessKeyId);
    if (!scope || !who) return this.error(call, 403, 'UnrecognizedClientException');
    if (!isSignedWith(call, who.secret) || call.headers['x-amz-security-token'] !== who.token)
      return this.error(call, 403, 'InvalidSignatureException');
    if (who.expiresAt < Date.now()) return this.error(call, 403, 'ExpiredTokenException');
    if (scope.service === 'sts') return this.sts(call, who);
    const account = this.accounts.find(({ id }) => id === who.account);
    if (!account) return this.error(call, 403, 'AccessDeniedException');
    if (scope.service === 'ec2') return this.ec2(call, account);
    if (scope.service === 'kms') return this.kms(call, account);
    return this.explorer(call, scope, account);
  }

  private sts(call: CloudCall, who: Credentials): CloudAnswer {
    const form = new URLSearchParams(call.body);
    if (form.get('Action') === 'GetCallerIdentity')
      return xml(`<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
        <Arn>arn:aws:sts::${who.account}:assumed-role/x/y</Arn><UserId>u</UserId><Account>${who.account}</Account>
        </GetCallerIdentityResult></GetCallerIdentityResponse>`);
    const account = this.accounts.find(
      ({ id, roleName }) => form.get('RoleArn') === `arn:aws:iam::${id}:role/${roleName}`,
    );
    if (!account || who.account !== SERVER_ACCOUNT || form.get('ExternalId') !== account.externalId)
      return this.error(call, 403, 'AccessDenied');
    const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    const made = {
      ...{ secret: randomBytes(20).toString('base64'), token: randomBytes(60).toString('base64') },
      ...{ account: account.id, expiresAt: Date.now() + this.credentialLifetimeMs },
    };
    this.credentials.set(accessKeyId, made);
    return xml(`<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
      <AssumedRoleUser><Arn>arn:aws:sts::${account.id}:assumed-role/x/y</Arn><AssumedRoleId>x:y</AssumedRoleId></AssumedRoleUser>
      <Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${made.secret}</SecretAccessKey>
      <SessionToken>${made.token}</SessionToken><Expiration>${new Date(made.expiresAt).toISOString()}</Expiration></Credentials>
      </AssumeRoleResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></AssumeRoleResponse>`);
  }

  private explorer(call: CloudCall, { region }: SignedScope, account: AwsAccount): CloudAnswer {
    const input = JSON.parse(call.body || '{}') as Record<string, unknown>;
    const index = account.indexes.find((each) => each.region === region);
    switch (call.path) {
      case '/ListIndexes':
        return json({
          Indexes: account.indexes.map(({ region: at, type }) => ({
            Arn: `arn:aws:resource-explorer-2:${at}:${account.id}:index/x`,
            Region: at,
            Type: type,
          })),
        });
      case '/GetIndex':
        return index
          ? json({ State: index.state ?? 'ACTIVE', Type: index.type })
          : this.error(call, 404, 'ResourceNotFoundException');
      case '/GetDefaultView':
        if (!index) return this.error(call, 401, 'UnauthorizedException');
        return json(account.views.includes(region) ? { ViewArn: viewOf(account, region) } : {});
      case '/ListResources':
        return this.list(call, account, region, input);
      default:
        return this.error(call, 404, 'ResourceNotFoundException');
    }
  }

  private list(
    call: CloudCall,
    account: AwsAccount,
    region: string,
    input: Record<string, unknown>,
  ): CloudAnswer {
    if (input['ViewArn'] !== viewOf(account, region)) return this.error(call, 401, 'UnauthorizedException');
    const rows = Number(input['MaxResults'] ?? 100);
    if (!(rows >= 1 && rows <= 1_000)) return this.error(call, 400, 'ValidationException');
    const isWhole = account.indexes.some((each) => each.region === region && each.type === 'AGGREGATOR');
    const all = isWhole
      ? account.resources
      : account.resources.filter((each) => each.Region === region || each.Region === 'global');
    const [offset = 0, madeAt = Date.now()] = tokenParts(input['NextToken']);
    if (Date.now() - madeAt > this.tokenLifetimeMs || this.isExpired(input['NextToken']))
      return this.error(call, 400, 'ValidationException');
    const next = offset + rows;
    // The service answers no token when exactly 1,000 rows are asked for.
    const token =
      next < all.length && rows < 1_000
        ? Buffer.from(JSON.stringify([next, Date.now()])).toString('base64')
        : undefined;
    return json({
      Resources: all.slice(offset, next),
      ViewArn: viewOf(account, region),
      ...(token === undefined ? {} : { NextToken: token }),
    });
  }

  private ec2(call: CloudCall, { defaultVpcs }: AwsAccount): CloudAnswer {
    if (!defaultVpcs) return this.error(call, 403, 'UnauthorizedOperation');
    const form = new URLSearchParams(call.body);
    const vpc = defaultVpcs[0] ?? '';
    const part = vpc.slice('vpc-'.length);
    const item = (body: string): CloudAnswer =>
      xml(`<Response><set>${vpc === '' ? '' : `<item>${body}</item>`}</set></Response>`);
    switch (form.get('Action') ?? '') {
      case 'DescribeVpcs':
        return item(
          `<vpcId>${vpc}</vpcId><dhcpOptionsId>dopt-${part}</dhcpOptionsId><isDefault>true</isDefault>`,
        );
      case 'DescribeSubnets':
        return item(`<subnetId>subnet-${part}</subnetId>`);
      case 'DescribeRouteTables':
        return item(`<routeTableId>rtb-${part}</routeTableId>`);
      case 'DescribeNetworkAcls':
        return item(`<networkAclId>acl-${part}</networkAclId>`);
      case 'DescribeSecurityGroups':
        return item(
          `<groupId>sg-${part}</groupId><ipPermissions><item><groups><item><groupId>sg-other</groupId></item></groups></item></ipPermissions>`,
        );
      case 'DescribeInternetGateways':
        return item(`<internetGatewayId>igw-${part}</internetGatewayId>`);
      default:
        return this.error(call, 400, 'InvalidAction');
    }
  }

  private kms(call: CloudCall, { defaultVpcs, managedKeys = [] }: AwsAccount): CloudAnswer {
    if (!defaultVpcs) return this.error(call, 400, 'AccessDeniedException');
    const aliases = managedKeys.map((id, at) => ({ AliasName: `alias/aws/service${at}`, TargetKeyId: id }));
    return {
      ...json({
        Aliases: [...aliases, { AliasName: 'alias/own', TargetKeyId: 'own-key' }],
        Truncated: false,
      }),
    };
  }

  private error(call: CloudCall, status: number, type: string): CloudAnswer {
    const isQuery = call.path === '/' && call.headers['x-amz-target'] === undefined;
    if (isQuery && scopeOf(call)?.service === 'ec2')
      return {
        status,
        headers: XML_TYPE,
        body: `<Response><Errors><Error><Code>${type}</Code><Message>no</Message></Error></Errors></Response>`,
      };
    if (isQuery)
      return {
        status,
        headers: XML_TYPE,
        body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${type}</Code><Message>no</Message></Error></ErrorResponse>`,
      };
    return {
      status,
      headers: { ...JSON_TYPE, 'x-amzn-errortype': type },
      body: JSON.stringify({ __type: type, Message: 'no' }),
    };
  }
}

function tokenParts(token: unknown): number[] {
  return typeof token === 'string' ? (JSON.parse(Buffer.from(token, 'base64').toString()) as number[]) : [];
}

function viewOf({ id, viewId = '11111111-1111-4111-8111-111111111111' }: AwsAccount, region: string): string {
  return `arn:aws:resource-explorer-2:${region}:${id}:view/all/${viewId}`;
}

function json(value: unknown): CloudAnswer {
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(value) };
}

function xml(body: string): CloudAnswer {
  return { status: 200, headers: XML_TYPE, body };
}

/** An account with one aggregator and these resources. */
export function anAccount(values: Partial<AwsAccount> = {}): AwsAccount {
  return {
    ...{ id: '111111111111', roleName: 'inventory', externalId: '' },
    indexes: [
      { region: 'eu-west-1', type: 'AGGREGATOR' },
      { region: 'us-east-1', type: 'LOCAL' },
    ],
    ...{ views: ['eu-west-1'], resources: [] },
    ...values,
  };
}

/** A resource as Resource Explorer lists it; the rest is read from the ARN. */
export function awsResource(
  Arn: string,
  ResourceType: string,
  tags: Record<string, string> = {},
  where: { region?: string; account?: string } = {},
): AwsResource {
  const [, , Service = '', region = '', account = ''] = Arn.split(':');
  const Data = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return {
    ...{ Arn, ResourceType, Service },
    OwningAccountId: account === '' ? (where.account ?? '111111111111') : account,
    Region: region === '' ? (where.region ?? 'global') : region,
    LastReportedAt: '2026-01-02T03:04:05Z',
    ...(Data.length === 0
      ? {}
      : { Properties: [{ Name: 'tags', LastReportedAt: '2026-01-02T03:04:05Z', Data }] }),
  };
}
