import { serverVersion } from '@infrastate/sdk';
import { clientVersion } from '../client-version.js';
import { answer } from '../service/api-client.js';
import type { RegisterCommand } from './command.js';

export const registerVersion: RegisterCommand = (program, run) => {
  program
    .command('version')
    .description('show the version of this client and, when signed in, of the service')
    .action(
      run(async (context) => {
        const client = clientVersion();
        const { address, apiKey } = context.settings;
        const server =
          address === undefined || apiKey === undefined
            ? null
            : await answer(serverVersion({ client: context.api() }));
        await context.output.result({ client, server }, () =>
          [
            `infrastate ${client}`,
            ...(server ? [`service ${server.version}, state schema ${server.state_schema_version}`] : []),
          ].join('\n'),
        );
      }),
    );
};
