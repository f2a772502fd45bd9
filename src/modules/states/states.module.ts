import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { DocumentsModule } from '../documents/index.js';
import { BackendController } from './backend.controller.js';
import { BackendService } from './backend.service.js';
import { BackendTargets } from './backend-target.service.js';
import { ClientBases } from './client-bases.store.js';
import { ClientConnections } from './client-connections.js';
import { DecompositionReplay } from './replay-decompositions.job.js';
import { DocumentAssembly } from './document-assembly.js';
import { DocumentChunks } from './document-chunks.store.js';
import { DocumentEditor } from './document-editor.service.js';
import { DocumentIntake } from './document-intake.js';
import { DocumentMerger } from './document-merger.service.js';
import { DocumentRevisions } from './document-revisions.service.js';
import { DocumentReading } from './document-reading.service.js';
import { StateBaseEntity } from './entities/state-base.entity.js';
import { StateChangeEntity } from './entities/state-change.entity.js';
import { StateChunkEntity } from './entities/state-chunk.entity.js';
import { StateLockEntity } from './entities/state-lock.entity.js';
import { StateSubmissionEntity } from './entities/state-submission.entity.js';
import { StateVersionEntity } from './entities/state-version.entity.js';
import { StateEntity } from './entities/state.entity.js';
import { HistoryRetention } from './retention.job.js';
import { StateLockController } from './state-lock.controller.js';
import { StateLockService } from './state-lock.service.js';
import { RunRecords } from './run-records.service.js';
import { StateLocks } from './state-locks.service.js';
import { StateEditor } from './state-editor.service.js';
import { StateGroups } from './state-groups.store.js';
import { StateSlices } from './state-slices.service.js';
import { StateRowQueries } from './state-rows.queries.js';
import { StateScope } from './state.scope.js';
import { StateVersionsController } from './state-versions.controller.js';
import { StateVersionsService } from './state-versions.service.js';
import { StateWriter } from './state-writer.service.js';
import { StatesController } from './states.controller.js';
import { StateQueries } from './states.queries.js';
import { StatesService } from './states.service.js';
import { StoredDocuments } from './stored-documents.store.js';
import { SubmissionAcceptance } from './submission-acceptance.service.js';
import { TenantStatesController } from './tenant-states.controller.js';
import { VersionPublisher } from './version-publisher.js';
import { WriteDecisions } from './write-decisions.service.js';

const entities = [
  StateEntity,
  StateVersionEntity,
  StateSubmissionEntity,
  StateChunkEntity,
  StateChangeEntity,
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
  ],
  providers: [
    BackendService,
    BackendTargets,
    ClientBases,
    ClientConnections,
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
    StateVersionsService,
    StateWriter,
    SubmissionAcceptance,
    StatesService,
    StoredDocuments,
    VersionPublisher,
    WriteDecisions,
  ],
  exports: [StateEditor, StateSlices, StatesService],
})
export class StatesModule {}
