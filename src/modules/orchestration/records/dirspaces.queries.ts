import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { RUN_TAGS } from '../../tag-query/index.js';
import type { DirspaceView } from '../dto/work-manifest.dto.js';
import type { KeysetPage } from './keyset-page.js';
import { prepareList, type RecordList, type RecordListRequest } from './record-lists.js';
import { type DirspaceRow, RUN_COLUMNS, toDirspaceView } from './run-views.js';

const DIRSPACES: RecordList<typeof RUN_TAGS> = {
  name: 'dirspaces',
  catalog: RUN_TAGS,
  columns: {
    id: 'd.work_manifest_id',
    branch: 'd.branch',
    repo: 'd.repo',
    user: 'd.username',
    environment: 'd.environment',
    kind: 'd.kind',
    type: 'd.run_type',
    created_at: 'd.created_at',
    pr: 'd.pull_number',
    dir: 'd.dir',
    workspace: 'd.workspace',
    state: 'd.state',
  },
  keys: [
    { column: 'd.created_at', type: 'timestamptz' },
    { column: 'd.work_manifest_id', type: 'uuid' },
    { column: 'd.position', type: 'integer' },
  ],
  defaultSort: 'desc',
};

@Injectable()
export class DirspaceQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** The page is found in one table; only its rows are joined with their runs. */
  async list(installationId: string, request: RecordListRequest): Promise<KeysetPage<DirspaceView>> {
    const { where, parameters, page } = prepareList(DIRSPACES, request, [installationId]);
    const rows = await this.work.query<DirspaceRow & { page_keys: string[] }>(
      `SELECT ${RUN_COLUMNS}, d.dir, d.workspace, d.state AS dirspace_state, ${page.keys} AS page_keys
         FROM (SELECT * FROM work_manifest_dirspaces d WHERE d.installation_id = $1 AND ${where}
                ORDER BY ${page.order} LIMIT ${page.limit}) d
         JOIN work_manifests m ON m.id = d.work_manifest_id
        ORDER BY ${page.order}`,
      parameters,
    );
    const { rows: shown, ...links } = page.pageOf(rows);
    return { rows: shown.map(toDirspaceView), ...links };
  }
}
