/** A resource as a cloud lists it. */
export interface CloudResource {
  /** ARN, asset name or ARM id */
  id: string;
  service: string;
  resourceType: string;
  name?: string | undefined;
  region?: string | undefined;
  account?: string | undefined;
  tags?: Record<string, string> | undefined;
  /** what tells Terraform types of one cloud type apart */
  attributes?: Record<string, string> | undefined;
  /** further names of the same resource, such as one with the project's number */
  aliases?: readonly string[] | undefined;
}

/** Where a scan goes on. */
export interface ScanPosition {
  /** which of the provider's listings, such as a view: a page token means nothing in another one */
  readonly listing: string;
  /** token of the next page; null: the listing has been read to its end */
  readonly page: string | null;
  /** what the provider needs to remember of the pages before */
  readonly seen?: readonly string[];
}

/** A part of a scan: a page of resources and what follows it, or ids that the cloud itself turned out to have made. */
export type ScanPart =
  | { readonly resources: readonly CloudResource[]; readonly position: ScanPosition }
  | { readonly phantoms: readonly string[]; readonly rule: string };

export const WARNING_TEXTS = {
  ACCESS_DENIED: 'the cloud refuses the configured credentials',
  UNREACHABLE: 'the cloud does not answer',
  CLOUD_ERROR: 'the cloud answered with an error',
  INVALID_RESPONSE: 'the cloud sent an invalid response',
  THROTTLED: 'the cloud throttles requests of this account',
  NO_INDEX: 'Resource Explorer has no index in this account; create one in each region to list its resources',
  NO_AGGREGATOR: 'there is no active aggregator index; each indexed region is read separately',
  NO_VIEW: 'there is no default view; create one in the aggregator region',
  DEFAULTS_NOT_TOLD:
    'default VPCs and AWS-managed keys are listed as unmanaged; allow the EC2 and KMS permissions of docs/gaps.md',
} as const;
export type WarningCode = keyof typeof WARNING_TEXTS;

export interface CloudWarning {
  code: WarningCode;
  message: string;
}

export function warningOf(code: WarningCode, message: string = WARNING_TEXTS[code]): CloudWarning {
  return { code, message };
}

/** What can be said of a cloud before it is scanned. */
export interface CloudDescription {
  status: 'partial' | 'ready' | 'error';
  isReady: boolean;
  aggregatorRegion: string | null;
  /** sorted */
  indexedRegions: string[];
  warnings: CloudWarning[];
}

/** Becomes a part of a host name. */
export const AWS_REGION = /^[a-z]{2}(?:-[a-z]{2,10}){1,3}-\d{1,2}$/;

export interface AwsSettings {
  provider: 'aws';
  /** undefined: the server's own identity itself */
  roleArn: string | undefined;
  externalId: string;
  region: string | undefined;
}
export interface GcpSettings {
  provider: 'gcp';
  scope: string;
  clientEmail: string;
  privateKey: string;
  privateKeyId: string | undefined;
}
export interface AzureSettings {
  provider: 'azure';
  directoryId: string;
  clientId: string;
  clientSecret: string;
  subscriptions: string[];
}
/** With secrets in clear: never logged, answered or stored. */
export type CloudSettings = AwsSettings | GcpSettings | AzureSettings;

/** Reads one cloud. Failures are `CloudFailure`. */
export interface CloudInventory<Settings extends CloudSettings = CloudSettings> {
  describe(settings: Settings, signal: AbortSignal): Promise<CloudDescription>;
  /** @param from what an earlier attempt has stored stands before this position; undefined: nothing is stored */
  scan(
    settings: Settings,
    signal: AbortSignal,
    from: ScanPosition | undefined,
  ): AsyncGenerator<ScanPart, void>;
}

export type FailureCode =
  | 'ACCESS_DENIED'
  | 'UNREACHABLE'
  | 'CLOUD_ERROR'
  | 'INVALID_RESPONSE'
  | 'THROTTLED'
  | 'TIME_LIMIT'
  | 'ABORTED'
  | 'NOT_READY';

/** As it is stored and answered: nothing that the cloud wrote except its error code. */
export interface CloudFailureView {
  code: FailureCode;
  message: string;
  /** what was asked of the cloud, such as `resource-explorer-2:ListResources` */
  action?: string;
  /** the cloud's own error code */
  cloud_code?: string;
}

const FAILURE_TEXTS: Record<FailureCode, string> = {
  ...{ ACCESS_DENIED: WARNING_TEXTS.ACCESS_DENIED, UNREACHABLE: WARNING_TEXTS.UNREACHABLE },
  ...{ CLOUD_ERROR: WARNING_TEXTS.CLOUD_ERROR, INVALID_RESPONSE: WARNING_TEXTS.INVALID_RESPONSE },
  THROTTLED: WARNING_TEXTS.THROTTLED,
  TIME_LIMIT: 'the scan exceeded its time limit',
  ABORTED: 'the scan was aborted',
  NOT_READY: 'the cloud is not set up for a scan',
};

/** Error codes of clouds are names; anything else could be a message, so leave it out. */
const CLOUD_CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,79}$/;

/** Something that a cloud did. The message is ours, so that no text of the cloud reaches a log or a tenant. */
export class CloudFailure extends Error {
  readonly view: CloudFailureView;

  constructor(
    code: FailureCode,
    detail: { action?: string; cloudCode?: string | undefined; message?: string } = {},
  ) {
    const { action, cloudCode } = detail;
    super(detail.message ?? FAILURE_TEXTS[code]);
    this.view = {
      code,
      message: this.message,
      ...(action === undefined ? {} : { action }),
      ...(cloudCode !== undefined && CLOUD_CODE.test(cloudCode) ? { cloud_code: cloudCode } : {}),
    };
  }
}

/** `describe` of a cloud that refused or failed. */
export function describedFailure(failure: CloudFailure): CloudDescription {
  const { code, action, cloud_code } = failure.view;
  const known = code in WARNING_TEXTS ? (code as WarningCode) : 'UNREACHABLE';
  const detail = [action, cloud_code].filter((text) => text !== undefined).join(', ');
  const message = detail === '' ? WARNING_TEXTS[known] : `${WARNING_TEXTS[known]} (${detail})`;
  return {
    ...{ status: 'error', isReady: false, aggregatorRegion: null, indexedRegions: [] },
    warnings: [warningOf(known, message)],
  };
}
