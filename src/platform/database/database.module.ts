import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { ClientBase } from 'pg';
import { Config } from '../config/config.js';
import { connectionOf } from './connection.js';
import { UnitOfWork } from './unit-of-work.js';

/** Of waiting for the pool, and for a server to accept a connection. */
const CONNECT_TIMEOUT_MS = 20_000;
/** A server that went away without a word is noticed by the operating system. */
const KEEP_ALIVE_DELAY_MS = 10_000;

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
          // A request that gets no connection in this time is answered 503, and comes again.
          connectTimeoutMS: CONNECT_TIMEOUT_MS,
          extra: {
            onConnect: readCommitted,
            keepAlive: true,
            keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
          },
        };
      },
    }),
  ],
  providers: [UnitOfWork],
  exports: [UnitOfWork],
})
export class DatabaseModule {}
