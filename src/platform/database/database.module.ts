import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/config.js';
import { connectionOf } from './connection.js';
import { UnitOfWork } from './unit-of-work.js';

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
        };
      },
    }),
  ],
  providers: [UnitOfWork],
  exports: [UnitOfWork],
})
export class DatabaseModule {}
