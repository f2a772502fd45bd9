import { Injectable } from '@nestjs/common';
import { AccessDecisions, type Principal } from '../../access/index.js';
import { VcsSettings } from '../../vcs/index.js';
import type {
  DirspaceView,
  ListOutputsQuery,
  StepOutputView,
  WorkManifestView,
} from '../dto/work-manifest.dto.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { DirspaceQueries } from './dirspaces.queries.js';
import type { KeysetPage } from './keyset-page.js';
import { OutputQueries } from './outputs.queries.js';
import type { RecordListRequest } from './record-lists.js';
import { WorkManifestQueries } from './work-manifests.queries.js';

/** What has run, as the API shows it. Callers were let into the installation before. */
@Injectable()
export class RunRecords {
  constructor(
    private readonly dirspaceQueries: DirspaceQueries,
    private readonly workManifestQueries: WorkManifestQueries,
    private readonly outputQueries: OutputQueries,
    private readonly access: AccessDecisions,
    private readonly settings: VcsSettings,
  ) {}

  dirspaces(installationId: string, request: RecordListRequest): Promise<KeysetPage<DirspaceView>> {
    return this.dirspaceQueries.list(installationId, request);
  }

  workManifests(installationId: string, request: RecordListRequest): Promise<KeysetPage<WorkManifestView>> {
    return this.workManifestQueries.list(installationId, request);
  }

  async workManifest(installationId: string, id: string): Promise<WorkManifestView> {
    const found = await this.workManifestQueries.find(installationId, id);
    if (!found) throw orchestrationErrors.WORK_MANIFEST_NOT_FOUND();
    return found;
  }

  async outputs(
    installationId: string,
    id: string,
    request: ListOutputsQuery,
  ): Promise<KeysetPage<StepOutputView>> {
    const found = await this.workManifest(installationId, id);
    return this.outputQueries.list(found.id, request);
  }

  /** For tools of a run: 404 to strangers as for an unknown id, 403 while the run is not running. Nothing is known while orchestration is off. */
  async workspaces(caller: Principal, id: string): Promise<{ dir: string; workspace: string }[]> {
    const place = this.settings.isEnabled ? await this.workManifestQueries.findPlace(id) : undefined;
    if (!place || place.tenantId === null || !this.access.isMember(caller, place.tenantId))
      throw orchestrationErrors.WORK_MANIFEST_NOT_FOUND();
    if (place.state !== 'running') throw orchestrationErrors.WORK_MANIFEST_NOT_RUNNING();
    return this.workManifestQueries.dirspaces(id);
  }
}
