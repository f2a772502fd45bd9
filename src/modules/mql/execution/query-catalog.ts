import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ADVISORY_LOCKS, UnitOfWork } from '../../../platform/database/index.js';
import { QUERY_SCHEMA } from '../tables/query-table.js';
import { creationAdvice, functionsOfReader, quoted, readerOf } from './query-role.rules.js';
import { QueryTables } from '../tables/query-tables.js';
import { viewNames, viewsOf } from './query-views.rules.js';

/** Raised when the statements below change. */
const FORM = 1;

const MOST_ATTEMPTS = 5;
/** unique_violation and duplicate_object; a tuple of the catalog that was updated at the same time */
const MADE_BY_ANOTHER: ReadonlySet<unknown> = new Set(['23505', '42710', 'XX000']);

interface RoleFacts {
  owner: string;
  version: number;
  is_superuser: boolean;
  exists: boolean;
  is_harmless: boolean;
  is_member: boolean;
}

/** Makes what queries run on (role, views, functions) agree with the definitions, when the service starts. */
@Injectable()
export class QueryCatalog implements OnApplicationBootstrap {
  private readonly logger = new Logger('QueryCatalog');
  /** why there are no queries, or undefined */
  unavailable: string | undefined = 'the service is starting';

  constructor(
    private readonly work: UnitOfWork,
    private readonly tables: QueryTables,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.publish();
  }

  /** Only a missing right switches queries off; every other failure stops the start. */
  async publish(): Promise<void> {
    this.unavailable = await this.work.run(async () => {
      await this.work.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.queryCatalog]);
      const { owner, obstacle } = await this.role();
      if (obstacle === undefined) await this.renew(owner);
      return obstacle;
    });
    if (this.unavailable !== undefined) this.logger.warn({ msg: this.unavailable });
  }

  private async role(): Promise<{ owner: string; obstacle: string | undefined }> {
    for (let attempt = 1; ; attempt++) {
      const role = await this.facts();
      await this.work.query('SAVEPOINT role');
      try {
        return { owner: role.owner, obstacle: await this.prepareRole(role) };
      } catch (error) {
        await this.work.query('ROLLBACK TO SAVEPOINT role');
        const code = (error as { code?: unknown }).code;
        if (code === '42501' || code === '0LP01')
          return { owner: role.owner, obstacle: creationAdvice(role.owner) };
        // A service on another database of the same server was making the same role: look again.
        if (attempt === MOST_ATTEMPTS || !MADE_BY_ANOTHER.has(code)) throw error;
      }
    }
  }

  private async facts(): Promise<RoleFacts> {
    const [row] = await this.work.query<RoleFacts>(
      `SELECT current_user AS owner, current_setting('server_version_num')::int AS version, o.rolsuper AS is_superuser, r.oid IS NOT NULL AS exists,
         coalesce(NOT (r.rolsuper OR r.rolcanlogin OR r.rolcreaterole OR r.rolcreatedb OR r.rolbypassrls OR r.rolreplication)
                  AND NOT EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid), true) AS is_harmless,
         coalesce(pg_has_role(current_user, r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END), false) AS is_member
       FROM pg_roles o LEFT JOIN pg_roles r ON r.rolname = left(o.rolname, 58) || '_mql' WHERE o.rolname = current_user`,
    );
    if (!row) throw new Error('the role of the connection is not listed');
    return row;
  }

  private async prepareRole(role: RoleFacts): Promise<string | undefined> {
    const reader = quoted(readerOf(role.owner));
    if (!role.is_harmless)
      return `SQL queries are off: the role ${reader} has rights that a reader must not have`;
    const grant = role.version >= 160_000 ? ' WITH INHERIT FALSE, SET TRUE' : '';
    const wanted = [
      ...(role.exists ? [] : [`CREATE ROLE ${reader} NOLOGIN NOINHERIT`]),
      ...(role.is_member || role.is_superuser ? [] : [`GRANT ${reader} TO CURRENT_USER${grant}`]),
    ];
    for (const statement of wanted) await this.work.query(statement);
    return undefined;
  }

  /** Everything at once, and only when a definition changed. */
  private async renew(owner: string): Promise<void> {
    const tables = [...this.tables.all.values()];
    const views = tables.flatMap(viewsOf);
    const reader = quoted(readerOf(owner));
    const statements = [...views, ...functionsOfReader(owner)];
    const definitions = createHash('sha256')
      .update(`${FORM} ${reader} ${statements.join(';')}`)
      .digest('hex');
    const [known] = await this.work.query<{ definitions: string }>('SELECT definitions FROM query_catalog');
    if (known?.definitions === definitions) return;
    const present = await this.work.query<{ name: string }>(
      'SELECT viewname AS name FROM pg_views WHERE schemaname = $1',
      [QUERY_SCHEMA],
    );
    for (const { name } of present) await this.work.query(`DROP VIEW ${QUERY_SCHEMA}.${quoted(name)}`);
    for (const view of views) await this.work.query(view);
    const names = tables.flatMap(viewNames).map((name) => `${QUERY_SCHEMA}.${quoted(name)}`);
    await this.work.query(`GRANT SELECT ON ${names.join(', ')} TO ${reader}`);
    await this.work.query(`GRANT USAGE, CREATE ON SCHEMA ${QUERY_SCHEMA} TO ${reader}`);
    await this.work.query(
      `GRANT EXECUTE ON FUNCTION mql.scope_text(), mql.tenant_ids(), mql.everything(), mql.contained(integer), mql.within_bytes(bigint, bigint) TO ${reader}`,
    );
    const former = await this.work.query<{ signature: string }>(
      `SELECT p.oid::regprocedure::text AS signature FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
       WHERE p.pronamespace = $1::regnamespace AND r.rolname = $2`,
      [QUERY_SCHEMA, readerOf(owner)],
    );
    await this.work.query(`SET LOCAL ROLE ${reader}`);
    for (const { signature } of former) await this.work.query(`DROP ROUTINE ${signature}`);
    for (const statement of functionsOfReader(owner)) await this.work.query(statement);
    await this.work.query('RESET ROLE');
    await this.work.query(`REVOKE CREATE ON SCHEMA ${QUERY_SCHEMA} FROM ${reader}`);
    await this.work.query(
      'INSERT INTO query_catalog (definitions) VALUES ($1) ON CONFLICT (id) DO UPDATE SET definitions = $1',
      [definitions],
    );
    this.logger.log({ msg: 'queryable tables renewed', tables: tables.length });
  }
}
