import { Injectable, Logger } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { Config } from '../config/config.js';

export interface Mail {
  to: string;
  replyTo: string;
  subject: string;
  text: string;
}

/** A mail server that does not answer must not hold a request for long; milliseconds. */
const PATIENCE = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/** Sends mail when `SERVICE_SMTP_URL` is set. A failure is an answer, never an exception. */
@Injectable()
export class Mailer {
  private readonly logger = new Logger('Mailer');
  private readonly transport: Transporter | undefined;
  private readonly sender: string;

  constructor(config: Config) {
    const url = config.get('SERVICE_SMTP_URL');
    this.transport = url === undefined ? undefined : createTransport({ ...PATIENCE, url } as { url: string });
    const { hostname } = new URL(config.get('SERVICE_UI_BASE'));
    this.sender = config.get('SERVICE_SMTP_FROM') ?? `Infrastructure State Service <noreply@${hostname}>`;
  }

  get isConfigured(): boolean {
    return this.transport !== undefined;
  }

  /** Whether the mail server accepted the mail. */
  async send(mail: Mail): Promise<boolean> {
    if (!this.transport) return false;
    try {
      await this.transport.sendMail({ from: this.sender, ...mail });
      return true;
    } catch (error) {
      // The server's answer may quote the address: only the kind of failure is logged.
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      this.logger.warn({ msg: 'a mail was not delivered', code });
      return false;
    }
  }
}
