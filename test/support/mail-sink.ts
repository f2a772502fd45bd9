import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface MailSink {
  /** for SERVICE_SMTP_URL */
  url: string;
  mails: { to: string[]; raw: string }[];
  /** answer 550 to every recipient from now on */
  refuse(value: boolean): void;
  stop(): Promise<void>;
}

/** A real mail server on loopback that keeps what it gets. */
export async function aMailSink(): Promise<MailSink> {
  const mails: MailSink['mails'] = [];
  let refusing = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: (_address, _session, done) => {
      if (refusing) done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
      else done();
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.once('end', () => {
        const to = session.envelope.rcptTo.map((recipient) => recipient.address);
        mails.push({ to, raw: Buffer.concat(parts).toString() });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}?ignoreTLS=true`,
    mails,
    refuse: (value) => (refusing = value),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
