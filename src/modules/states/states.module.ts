import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { DocumentsModule } from '../documents/index.js';
import { BackendController } from './backend/backend.controller.js';
import { BackendLocking } from './backend/backend-locking.service.js';
import { BackendService } from './backend/backend.service.js';
import { BackendTargets } from './backend/backend-target.service.js';
import { ClientBases } from './writing/client-bases.store.js';
import { ClientConnections } from './writing/client-connections.js';
import { DecompositionReplay } from './history/replay-decompositions.job.js';
import { DocumentAssembly } from './merging/document-assembly.js';
import { DocumentChunks } from './chunks/document-chunks.store.js';
import { DocumentEditor } from './merging/document-editor.service.js';
import { DocumentIntake } from './chunks/document-intake.js';
import { DocumentMerger } from './merging/document-merger.service.js';
import { DocumentRevisions } from './merging/document-revisions.service.js';
import { DocumentReading } from './chunks/document-reading.service.js';
import { StateBaseEntity } from './entities/state-base.entity.js';
import { StateGroupEntity } from './entities/state-group.entity.js';
import { StateLockEntity } from './entities/state-lock.entity.js';
import { StateSubmissionEntity } from './entities/state-submission.entity.js';
import { StateVersionEntity } from './entities/state-version.entity.js';
import { StateEntity } from './entities/state.entity.js';
import { HistoryRetention } from './history/retention.job.js';
import { StateLockController } from './backend/state-lock.controller.js';
import { StateLockService } from './backend/state-lock.service.js';
import { RunRecords } from './writing/run-records.service.js';
import { StateLocks } from './backend/state-locks.service.js';
import { StateEditor } from './editing/state-editor.service.js';
import { StateGroups } from './state-groups.store.js';
import { StateSlices } from './editing/state-slices.service.js';
import { StateRowQueries } from './state-rows.queries.js';
import { StateScope } from './state.scope.js';
import { StateVersionsController } from './history/state-versions.controller.js';
import { StateRestoration } from './history/state-restoration.service.js';
import { StateVersionsService } from './history/state-versions.service.js';
import { AcceptedVersions } from './writing/accepted-versions.service.js';
import { ClientWrites } from './writing/client-writes.service.js';
import { StateWriter } from './writing/state-writer.service.js';
import { StatesController } from './states.controller.js';
import { StateQueries } from './states.queries.js';
import { StateDeletion } from './state-deletion.service.js';
import { StatesService } from './states.service.js';
import { StoredDocuments } from './chunks/stored-documents.store.js';
import { SubmissionAcceptance } from './history/submission-acceptance.service.js';
import { SubmissionQueries } from './submission.queries.js';
import { TenantSubmissionsController } from './history/tenant-submissions.controller.js';
import { TenantStatesController } from './tenant-states.controller.js';
import { VersionPublisher } from './publishing/version-publisher.js';
import { WriteMerges } from './writing/write-merges.service.js';
import { WriteDecisions } from './writing/write-decisions.service.js';

const entities = [
  StateEntity,
  StateVersionEntity,
  StateSubmissionEntity,
  StateGroupEntity,
  StateBaseEntity,
  StateLockEntity,
];

@Module({
  imports: [TypeOrmModule.forFeature(entities), AccessModule, AuditModule, DocumentsModule],
  controllers: [
    BackendController,
    TenantStatesController,
    StatesController,
    StateLockController,
    StateVersionsController,
    TenantSubmissionsController,
  ],
  providers: [
    AcceptedVersions,
    BackendLocking,
    BackendService,
    BackendTargets,
    ClientBases,
    ClientConnections,
    ClientWrites,
    DecompositionReplay,
    DocumentAssembly,
    DocumentChunks,
    DocumentEditor,
    DocumentIntake,
    DocumentMerger,
    DocumentReading,
    DocumentRevisions,
    HistoryRetention,
    RunRecords,
    StateLockService,
    StateLocks,
    StateQueries,
    StateRowQueries,
    StateEditor,
    StateGroups,
    StateScope,
    StateSlices,
    StateRestoration,
    StateVersionsService,
    StateWriter,
    SubmissionAcceptance,
    SubmissionQueries,
    StateDeletion,
    StatesService,
    StoredDocuments,
    VersionPublisher,
    WriteDecisions,
    WriteMerges,
  ],
  exports: [StateEditor, StateSlices, StatesService],
})
export class StatesModule {}
