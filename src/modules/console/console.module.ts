import { Module } from '@nestjs/common';
import { ConsoleFiles } from './console-files.js';

/** Serves the browser console; it has no route of the API. */
@Module({ providers: [ConsoleFiles], exports: [ConsoleFiles] })
export class ConsoleModule {}
