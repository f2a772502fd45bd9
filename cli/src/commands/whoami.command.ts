import { authWhoami, tenantsListOfCaller } from '@infrastate/sdk';
import { answer } from '../service/api-client.js';
import type { RegisterCommand } from './command.js';

export const registerWhoami: RegisterCommand = (program, run) => {
  program
    .command('whoami')
    .description('show the signed-in user, the service and the accessible tenants')
    .action(
      run(async (context) => {
        const client = context.api();
        const [user, { results: tenants }] = await Promise.all([
          answer(authWhoami({ client })),
          answer(tenantsListOfCaller({ client })),
        ]);
        const { address } = context;
        await context.output.result({ address, user, tenants }, () =>
          [
            `${user.name}${user.email ? ` <${user.email}>` : ''} at ${address}`,
            ...tenants.map(({ id, name }) => `tenant ${name} (${id})`),
          ].join('\n'),
        );
      }),
    );
};
