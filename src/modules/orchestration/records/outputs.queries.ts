import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { OUTPUT_TAGS } from '../../tag-query/index.js';
import type { StepOutputView } from '../dto/work-manifest.dto.js';
import type { KeysetPage } from './keyset-page.js';
import { prepareList, type RecordList, type RecordListRequest } from './record-lists.js';
import { type OutputRow, toStepView } from './run-views.js';

const OUTPUTS: RecordList<typeof OUTPUT_TAGS> = {
  name: 'outputs',
  catalog: OUTPUT_TAGS,
  columns: {
    flow: 'o.flow',
    subflow: 'o.subflow',
    scope: 'o.scope',
    step: 'o.step',
    idx: 'o.idx',
    ignore_errors: 'o.ignore_errors',
    state: 'o.state',
    dir: 'o.dir',
    workspace: 'o.workspace',
  },
  keys: [{ column: 'o.idx', type: 'integer' }],
  defaultSort: 'asc',
};

@Injectable()
export class OutputQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** Steps of a run. `lite` does not read the payloads at all. */
  async list(
    workManifestId: string,
    request: RecordListRequest & { lite?: boolean | undefined },
  ): Promise<KeysetPage<StepOutputView>> {
    const { where, parameters, page } = prepareList(OUTPUTS, request, [workManifestId]);
    const payload =
      request.lite === true
        ? ''
        : `, (SELECT p.payload FROM work_manifest_payloads p WHERE p.work_manifest_id = o.work_manifest_id AND p.idx = o.idx) AS payload`;
    const rows = await this.work.query<OutputRow & { page_keys: string[] }>(
      `SELECT o.*, ${page.keys} AS page_keys${payload}
         FROM (SELECT * FROM work_manifest_outputs o WHERE o.work_manifest_id = $1 AND ${where}
                ORDER BY ${page.order} LIMIT ${page.limit}) o
        ORDER BY ${page.order}`,
      parameters,
    );
    const { rows: shown, ...links } = page.pageOf(rows);
    return { rows: shown.map((row) => toStepView({ ...row, payload: row.payload ?? undefined })), ...links };
  }
}
