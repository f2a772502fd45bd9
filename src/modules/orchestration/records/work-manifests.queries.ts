import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { RUN_TAGS } from '../../tag-query/index.js';
import type { WorkManifestView } from '../dto/work-manifest.dto.js';
import type { KeysetPage } from './keyset-page.js';
import { prepareList, type RecordList, type RecordListRequest } from './record-lists.js';
import { RUN_COLUMNS, toWorkManifestView, type WorkManifestRow } from './run-views.js';
import { isUuid } from '../../../platform/text/uuid.js';

const ofDirspaces = (column: string) => (compare: (column: string) => string) =>
  `EXISTS (SELECT FROM work_manifest_dirspaces d WHERE d.work_manifest_id = m.id AND ${compare(column)})`;

/** A completed run of which a directory did not succeed or a hook failed, or that has no directories and failed itself. */
const FAILED = `(m.state = 'completed' AND (m.hooks_failed OR EXISTS (
  SELECT FROM work_manifest_dirspaces f WHERE f.work_manifest_id = m.id AND f.success IS NOT TRUE)))`;

/** State of the run or of any of its directories; `success` and `failure` also of a completed run as a whole. */
const ofStates = (compare: (column: string) => string): string =>
  `(${compare('m.state')} OR (m.state = 'completed' AND ${compare(`CASE WHEN ${FAILED} THEN 'failure' ELSE 'success' END`)})
    OR ${ofDirspaces('d.state')(compare)})`;

const WORK_MANIFESTS: RecordList<typeof RUN_TAGS> = {
  name: 'work-manifests',
  catalog: RUN_TAGS,
  columns: {
    id: 'm.id',
    branch: 'm.branch',
    repo: 'm.repo',
    user: 'm.username',
    environment: 'm.environment',
    kind: 'm.kind',
    type: 'm.run_type',
    created_at: 'm.created_at',
    pr: 'm.pull_number',
    dir: ofDirspaces('d.dir'),
    workspace: ofDirspaces('d.workspace'),
    state: ofStates,
  },
  keys: [
    { column: 'm.created_at', type: 'timestamptz' },
    { column: 'm.id', type: 'uuid' },
  ],
  defaultSort: 'desc',
};

const COLUMNS = `${RUN_COLUMNS}, m.state, m.error_id, m.error_data, ${FAILED} AS failed,
  (SELECT r.provider_id FROM repositories r WHERE r.id = m.repository_id) AS repo_id,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('dir', d.dir, 'workspace', d.workspace, 'success', d.success) ORDER BY d.position), '[]')
     FROM work_manifest_dirspaces d WHERE d.work_manifest_id = m.id) AS dirspaces`;

/** A run and the tenant whose members may see it. */
export interface RunPlace {
  state: string;
  tenantId: string | null;
}

@Injectable()
export class WorkManifestQueries {
  constructor(private readonly work: UnitOfWork) {}

  async list(installationId: string, request: RecordListRequest): Promise<KeysetPage<WorkManifestView>> {
    const { where, parameters, page } = prepareList(WORK_MANIFESTS, request, [installationId]);
    const rows = await this.work.query<WorkManifestRow & { page_keys: string[] }>(
      `SELECT ${COLUMNS}, ${page.keys} AS page_keys
         FROM (SELECT * FROM work_manifests m WHERE m.installation_id = $1 AND ${where}
                ORDER BY ${page.order} LIMIT ${page.limit}) m
        ORDER BY ${page.order}`,
      parameters,
    );
    const { rows: shown, ...links } = page.pageOf(rows);
    return { rows: shown.map(toWorkManifestView), ...links };
  }

  /** Undefined when the installation has no such run. */
  async find(installationId: string, id: string): Promise<WorkManifestView | undefined> {
    if (!isUuid(id)) return undefined;
    const [row] = await this.work.query<WorkManifestRow>(
      `SELECT ${COLUMNS} FROM work_manifests m WHERE m.installation_id = $1 AND m.id = $2`,
      [installationId, id.toLowerCase()],
    );
    return row && toWorkManifestView(row);
  }

  async findPlace(id: string): Promise<RunPlace | undefined> {
    if (!isUuid(id)) return undefined;
    const [row] = await this.work.query<RunPlace>(
      `SELECT m.state, i.tenant_id AS "tenantId" FROM work_manifests m JOIN installations i ON i.id = m.installation_id
        WHERE m.id = $1`,
      [id.toLowerCase()],
    );
    return row;
  }

  async dirspaces(id: string): Promise<{ dir: string; workspace: string }[]> {
    return this.work.query(
      'SELECT dir, workspace FROM work_manifest_dirspaces WHERE work_manifest_id = $1 ORDER BY position',
      [id.toLowerCase()],
    );
  }
}
