import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { ClientBase } from 'pg';
import { Config } from '../config/config.js';
import { connectionOf } from './connection.js';
import { UnitOfWork } from './unit-of-work.js';

/** Once for each connection, so that a transaction begins with one statement. */
async function readCommitted(client: ClientBase): Promise<void> {
  await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED');
}

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => {
        const { host, port, user, password, database } = connectionOf(config);
        return {
          type: 'postgres' as const,
          host,
          port,
          username: user,
          password: password as string,
          database,
          autoLoadEntities: true,
          synchronize: false,
          uuidExtension: 'pgcrypto' as const,
          installExtensions: false,
          // A connection is opened by the first query: the listener is up before the database answers.
          manualInitialization: false,
          poolSize: config.get('DB_POOL_SIZE'),
          applicationName: 'infrastructure-state-service',
          extra: { onConnect: readCommitted },
        };
      },
    }),
  ],
  providers: [UnitOfWork],
  exports: [UnitOfWork],
})
export class DatabaseModule {}
