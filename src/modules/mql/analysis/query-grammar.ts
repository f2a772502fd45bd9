import { Injectable, type OnModuleInit } from '@nestjs/common';
import { loadModule } from 'libpg-query';

/** Loads PostgreSQL's parser once, before the first query. */
@Injectable()
export class QueryGrammar implements OnModuleInit {
  async onModuleInit(): Promise<void> {
    await loadModule();
  }
}
