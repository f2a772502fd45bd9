import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { billingErrors } from '../billing.errors.js';
import { parseSourceAddress, type SourceAddress } from '../stores/source-address.rules.js';
import { isSourceAllowed } from './source-permission.rules.js';

export interface NamedSource {
  tenantId: string;
  uri: string;
  /** an installation administrator named it */
  isOperators: boolean;
}

/** Which addresses a tenant may read with the server's credentials. */
@Injectable()
export class SourcePermissions {
  constructor(private readonly config: Config) {}

  /** 400 for what is no address, 403 `SOURCE_NOT_ALLOWED` for one that is not the tenant's. */
  require(source: NamedSource): SourceAddress {
    const address = parseSourceAddress(source.uri);
    if (!address)
      throw httpErrors.INVALID_REQUEST(
        'source_uri must look like s3://bucket/key, gs://bucket/key, abfss://container@account.dfs.core.windows.net/path ' +
          'or file:///path',
      );
    const fileRoot = this.config.get('SERVICE_BILLING_FILE_ROOT');
    const allowed = this.config.get('SERVICE_BILLING_ALLOWED_SOURCES');
    if (!isSourceAllowed({ ...source, address }, { allowed, fileRoot }))
      throw billingErrors.SOURCE_NOT_ALLOWED();
    return address;
  }

  /** The folder that files of a source must really lie in. */
  fileFence({ tenantId, uri, isOperators }: NamedSource): string {
    const root = (this.config.get('SERVICE_BILLING_FILE_ROOT') ?? '/nowhere').replace(/\/+$/, '');
    if (isOperators) return root;
    const own = `${root}/${tenantId}`;
    if (uri.startsWith(`file://${own}/`)) return own;
    const prefix = this.config
      .get('SERVICE_BILLING_ALLOWED_SOURCES')
      .find(
        (allowed) =>
          (allowed.tenantId ?? tenantId) === tenantId &&
          (uri === allowed.prefix || uri.startsWith(`${allowed.prefix}/`)),
      )?.prefix;
    return prefix?.startsWith('file://') ? prefix.slice('file://'.length) : own;
  }
}
