import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Reports that come in parts. Nothing sensitive is stored before it is masked, and a part cannot be masked: so parts are
 * sealed with the runner's token, which the service does not keep.
 */
@Injectable()
export class ReportParts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
  ) {}

  /** Sent again, a part replaces itself. */
  async keep(taskId: string, idx: number, data: string, token: string): Promise<void> {
    await this.work.query(
      `INSERT INTO transaction_report_parts (task_id, idx, sealed) VALUES ($1, $2, $3)
       ON CONFLICT (task_id, idx) DO UPDATE SET sealed = EXCLUDED.sealed`,
      [taskId, idx, this.seal(withWholeCharacters(data), token)],
    );
  }

  /** Bytes kept for a task so far. */
  async size(taskId: string): Promise<number> {
    const [row] = await this.work.query<{ size: string | null }>(
      'SELECT sum(length(sealed)) AS size FROM transaction_report_parts WHERE task_id = $1',
      [taskId],
    );
    return Number(row?.size ?? 0);
  }

  /** The whole, or undefined when parts are missing or came with another token. */
  async whole(taskId: string, count: number, token: string): Promise<string | undefined> {
    const rows = await this.work.query<{ idx: number; sealed: Buffer }>(
      'SELECT idx, sealed FROM transaction_report_parts WHERE task_id = $1 AND idx < $2 ORDER BY idx',
      [taskId, count],
    );
    if (count === 0 || rows.length !== count) return undefined;
    const parts = rows.map(({ sealed }) => unseal(sealed, token));
    return parts.includes(undefined) ? undefined : parts.join('');
  }

  async forget(taskId: string): Promise<void> {
    await this.work.query('DELETE FROM transaction_report_parts WHERE task_id = $1', [taskId]);
  }

  /** @param age an interval, counted from the beginning of the step */
  async forgetOlderThan(age: string): Promise<void> {
    await this.work.query(
      'DELETE FROM transaction_report_parts p USING tasks k WHERE k.id = p.task_id AND k.created_at < now() - $1::interval',
      [age],
    );
  }

  private seal(data: string, token: string): Buffer {
    const iv = this.secrets.bytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', keyOf(token), iv);
    const sealed = [cipher.update(data, 'utf8'), cipher.final()];
    return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]);
  }
}

/** A part may end in the middle of a character, which UTF-8 cannot: the halves become escapes of the JSON text they belong to. */
function withWholeCharacters(data: string): string {
  return data.replace(/[\ud800-\udfff]/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

function unseal(sealed: Buffer, token: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(token), sealed.subarray(0, IV_BYTES));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const text = [decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(text).toString('utf8');
  } catch {
    return undefined; // sealed with another token
  }
}

function keyOf(token: string): Buffer {
  return createHash('sha256').update(`report parts ${token}`).digest();
}
