import { Module } from '@nestjs/common';
import { DocumentIngest } from './document-ingest.js';

/** State documents as bytes, chunks and instances; knows no database. */
@Module({ providers: [DocumentIngest], exports: [DocumentIngest] })
export class DocumentsModule {}
