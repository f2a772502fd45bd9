import { randomUUID } from 'node:crypto';
import bcrypt from 'bcrypt';
import { AbstractLogger, type DataSource } from 'typeorm';
import { RateLimits } from '../../src/modules/access/rate-limits.js';
import { Audit } from '../../src/modules/audit/audit.js';
import { AuditEntryEntity } from '../../src/modules/audit/entities/audit-entry.entity.js';
import { PasswordLogin } from '../../src/modules/auth/password-login.js';
import type { Sessions } from '../../src/modules/auth/sessions.js';
import { TenantEntity } from '../../src/modules/tenants/entities/tenant.entity.js';
import { UserEntity } from '../../src/modules/users/entities/user.entity.js';
import { Passwords } from '../../src/modules/users/passwords.js';
import { UserDirectory } from '../../src/modules/users/user-directory.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Events } from '../../src/platform/events/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

/** Keeps the statements that are sent, without their parameters. */
class Statements extends AbstractLogger {
  sent: string[] = [];

  constructor() {
    super('all');
  }

  override logQuery(query: string): void {
    this.sent.push(query);
  }

  protected override writeLog(): void {}
}

describe('A refused login', () => {
  let database: TestDatabase;
  let source: DataSource;
  const statements = new Statements();

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database, {
      entities: [UserEntity, TenantEntity, AuditEntryEntity],
      logger: statements,
    });
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  afterEach(() => jest.restoreAllMocks());

  /** No session begins here. */
  const noSessions = { begin: () => Promise.reject(new Error('somebody got in')) } as unknown as Sessions;

  it('costs the same for a wrong password, an unknown address and an account without a password', async () => {
    const [work, clock, passwords] = [new UnitOfWork(source), new Clock(), new Passwords()];
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      DB_HOST: 'x',
      DB_USER: 'x',
      DB_PASS: 'x',
      DB_NAME: 'x',
    });
    const users = new UserDirectory(work, clock, new Events({ getProviders: () => [] } as never));
    const login = new PasswordLogin(
      config,
      work,
      new RateLimits(source, clock),
      users,
      passwords,
      noSessions,
      new Audit(work, clock),
    );
    const known = { type: 'user', name: 'Known', email: 'known@example.com' } as const;
    await users.create({ ...known, passwordHash: await passwords.hash('the right password', 'test') });
    await users.create({
      type: 'user',
      name: 'Single sign-on',
      email: 'sso@example.com',
      authOrigin: 'oidc',
    });
    const compare = jest.spyOn(bcrypt, 'compare');
    const attempt = async (email: string) => {
      compare.mockClear();
      statements.sent = [];
      const refused = login.login(
        { email, password: `wrong ${randomUUID()}` },
        `10.0.0.${email.length}`,
        new AbortController().signal,
      );
      await expect(refused).rejects.toMatchObject({ status: 401, id: 'UNAUTHENTICATED' });
      return {
        comparisons: compare.mock.calls.map(([, hash]) => bcrypt.getRounds(hash)),
        statements: statements.sent,
      };
    };
    const wrong = await attempt('known@example.com');
    expect(wrong.comparisons).toEqual([10]);
    expect(wrong.statements.length).toBeGreaterThan(3);
    expect(await attempt('nobody@example.com')).toEqual(wrong);
    expect(await attempt('sso@example.com')).toEqual(wrong);
  });
});
