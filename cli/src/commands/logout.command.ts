import { createApiClient } from '../service/api-client.js';
import { revokeKeyNamed } from '../service/own-key.js';
import type { RegisterCommand } from './command.js';

export const registerLogout: RegisterCommand = (program, run) => {
  program
    .command('logout')
    .description('delete the stored key, and revoke it if login created it')
    .action(
      run(async (context) => {
        const { address, credentials, output } = context;
        const { current, services } = credentials.read();
        const { [address]: stored, ...others } = services;
        if (stored) credentials.write({ ...(current === undefined ? {} : { current }), services: others });
        const revoked =
          stored?.key_name !== undefined &&
          (await revokeKeyNamed(createApiClient({ address, apiKey: stored.api_key }), stored.key_name));
        if (stored?.key_name !== undefined && !revoked)
          output.printNote(`the key "${stored.key_name}" could not be revoked; revoke it in the service`);
        await output.result({ address, signed_out: stored !== undefined, revoked }, () =>
          stored ? `signed out at ${address}` : `nobody was signed in at ${address}`,
        );
      }),
    );
};
