import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../../access/index.js';
import { mqlErrors } from '../mql.errors.js';
import { openPosition, type PagePosition, sealPosition } from './page-position.js';

/** Page tokens under the installation's signing keys, so that every replica opens what another one sealed. */
@Injectable()
export class PageTokens {
  constructor(private readonly keys: SigningKeys) {}

  async seal(position: PagePosition, query: string): Promise<string> {
    const { id, secret } = await this.keys.newest();
    return `${id}.${sealPosition(position, query, secret)}`;
  }

  async open(token: string, query: string): Promise<PagePosition> {
    const dot = token.indexOf('.');
    const key = dot > 0 ? await this.keys.find(token.slice(0, dot)) : undefined;
    if (!key) throw mqlErrors.APPLY_PAGE_ERR();
    return openPosition(token.slice(dot + 1), query, key.secret);
  }
}
