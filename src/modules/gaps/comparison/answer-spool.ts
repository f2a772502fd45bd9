import type { Response } from 'express';
import { TemporaryFile } from '../../../platform/files/index.js';
import { sendParts } from '../../../platform/http/index.js';

const MAX_HELD_CHARACTERS = 1024 * 1024;

/**
 * The text of one answer: 1 MiB in memory, the rest in a temporary file. The database is done with the comparison before
 * the answer is sent, so a slow client holds no connection.
 */
export class AnswerSpool {
  private held: string[] = [];
  private heldLength = 0;
  private file: TemporaryFile | undefined;

  async add(text: string): Promise<void> {
    this.held.push(text);
    this.heldLength += text.length;
    if (this.heldLength >= MAX_HELD_CHARACTERS) await this.flush();
  }

  async sendTo(response: Response): Promise<void> {
    if (!this.file) return sendParts(response, chunksOf(this.held));
    await this.flush();
    await sendParts(response, this.file.stream());
  }

  async dispose(): Promise<void> {
    this.held = [];
    await this.file?.close();
    this.file = undefined;
  }

  private async flush(): Promise<void> {
    this.file ??= await TemporaryFile.create();
    const bytes = Buffer.from(this.held.join(''));
    this.held = [];
    this.heldLength = 0;
    await this.file.append(bytes);
  }
}

async function* chunksOf(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}
