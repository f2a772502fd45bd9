import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config, ConfigurationError } from '../config/index.js';
import { cryptoErrors } from './crypto.errors.js';
import type { EncryptionKey } from './encryption-keys.js';
import {
  keyIdOf,
  openValue,
  rewrapValue,
  type SealedPlace,
  sealedPrefix,
  sealValue,
} from './sealed-value.js';

/** Encrypts what must not lie in the database in clear. The first of `SERVICE_ENCRYPTION_KEYS` seals, every one opens. */
@Injectable()
export class Sealing implements OnApplicationBootstrap {
  private readonly keys: readonly EncryptionKey[];

  constructor(config: Config) {
    this.keys = config.get('SERVICE_ENCRYPTION_KEYS') ?? [];
  }

  onApplicationBootstrap(): void {
    if (this.isConfigured) return;
    new Logger('Sealing').warn({
      msg: 'SERVICE_ENCRYPTION_KEYS is not set; signing keys are stored in clear and other secrets are refused',
    });
  }

  /** Whether there is a key to seal with. Check it where a secret is optional; `seal` refuses without one. */
  get isConfigured(): boolean {
    return this.keys.length > 0;
  }

  /** Binary, for a `bytea` column. 503 `ENCRYPTION_NOT_CONFIGURED` without keys. */
  seal(value: Buffer | string, place: SealedPlace): Buffer {
    return sealValue(Buffer.from(value), place, this.newestKey());
  }

  /** The value as it was sealed; throws when the value was changed or moved from another place. */
  open(sealed: Buffer, place: SealedPlace): Buffer {
    const key = this.findKey(keyIdOf(sealed));
    if (!key) throw missingKey(keyIdOf(sealed), place);
    return openValue(sealed, place, key);
  }

  /** The same value under the newest key. A value that the newest key seals already is returned unchanged. */
  reseal(sealed: Buffer, place: SealedPlace): Buffer {
    const from = this.findKey(keyIdOf(sealed));
    if (!from) throw missingKey(keyIdOf(sealed), place);
    const to = this.newestKey();
    return from === to ? sealed : rewrapValue(sealed, place, { from, to });
  }

  /** First bytes of every value that the newest key seals; undefined without keys. */
  get newestPrefix(): Buffer | undefined {
    return this.keys[0] && sealedPrefix(this.keys[0].id);
  }

  /** A rotation is under way: older keys are configured besides the newest one. */
  get hasOlderKeys(): boolean {
    return this.keys.length > 1;
  }

  hasKey(id: string): boolean {
    return this.findKey(id) !== undefined;
  }

  /**
   * HMACs by which a sealed secret is found: store the first, search for any of them (`= ANY`), as an older row may
   * have been stored under an older key. `purpose` separates look-ups from each other, for example `webhook secret`.
   */
  lookupHashes(secret: string, purpose: string): [newest: Buffer, ...older: Buffer[]] {
    const [newest, ...older] = this.keys;
    if (!newest) throw cryptoErrors.ENCRYPTION_NOT_CONFIGURED();
    const hash = ({ key }: EncryptionKey) =>
      createHmac('sha256', lookupKey(key, purpose)).update(secret).digest();
    return [hash(newest), ...older.map(hash)];
  }

  private newestKey(): EncryptionKey {
    const [key] = this.keys;
    if (!key) throw cryptoErrors.ENCRYPTION_NOT_CONFIGURED();
    return key;
  }

  private findKey(id: string): EncryptionKey | undefined {
    return this.keys.find((key) => key.id === id);
  }
}

/** A sealed value whose key is not configured: an operator has to add the key back, so the process does not go on. */
export function missingKey(id: string, { table, column }: Omit<SealedPlace, 'row'>): ConfigurationError {
  return new ConfigurationError(
    `configuration error: SERVICE_ENCRYPTION_KEYS has no key "${id}", which seals values in ${table}.${column}; ` +
      'add the key back after the newer ones',
  );
}

function lookupKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `infrastate lookup: ${purpose}`, 32));
}
