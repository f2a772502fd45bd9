import { authLogin, authLogout, authWhoami, tenantsListOfCaller, tokensCreate } from '@infrastate/sdk';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { isExposed, parseAddress } from '../context/address.rules.js';
import type { Context } from '../context/context.js';
import type { StoredCredential } from '../context/credentials.store.js';
import { chooseTenant } from '../context/tenant.rules.js';
import { Failure, ServiceFailure } from '../failure.js';
import { answer, createApiClient } from '../service/api-client.js';
import { revokeKeyNamed } from '../service/own-key.js';
import { Prompt } from '../terminal/prompt.js';
import type { RegisterCommand } from './command.js';

interface LoginOptions {
  apiKeyStdin?: boolean;
}

/** A key, and its name when it was made here. */
type Key = Pick<StoredCredential, 'api_key' | 'key_name'>;

export const registerLogin: RegisterCommand = (program, run) => {
  program
    .command('login')
    .description('sign in with email and password, or with an API key; only the key is stored')
    .option('--api-key-stdin', 'read an API key from stdin without prompting')
    .addHelpText('after', '\nLater commands work in the tenant that you give here with --tenant.')
    .action(
      run<LoginOptions>(async (context, _args, { apiKeyStdin = false }) => {
        const { address, key } = apiKeyStdin ? await givenKey(context) : await askedKey(context);
        const client = createApiClient({ address, apiKey: key.api_key });
        const [user, { results: tenants }] = await Promise.all([
          answer(authWhoami({ client })),
          answer(tenantsListOfCaller({ client })),
        ]);
        const { tenant } = context.settings;
        if (tenant !== undefined) chooseTenant(tenants, tenant);
        const earlier = store(context, address, { ...key, ...(tenant === undefined ? {} : { tenant }) });
        if (earlier?.key_name !== undefined && earlier.key_name !== key.key_name)
          await revokeKeyNamed(createApiClient({ address, apiKey: earlier.api_key }), earlier.key_name);
        if (context.streams.env['INFRASTATE_API_KEY'])
          context.output.printNote('INFRASTATE_API_KEY is set and goes before what was stored now');
        const { path } = context.credentials;
        await context.output.result({ address, user, tenants, credentials: path }, () => {
          context.output.printNote(`the key is in ${path}`);
          return `signed in at ${address} as ${user.name}`;
        });
      }),
    );
};

async function givenKey(context: Context): Promise<{ address: string; key: Key }> {
  const { address, streams } = context;
  if (!streams.stdin.isTTY) return { address, key: { api_key: keyIn(await text(streams.stdin)) } };
  const prompt = new Prompt(streams);
  try {
    return { address, key: { api_key: keyIn(await prompt.askSecret('API key: ')) } };
  } finally {
    prompt.close();
  }
}

async function askedKey(context: Context): Promise<{ address: string; key: Key }> {
  const prompt = new Prompt(context.streams);
  try {
    const address = context.settings.address ?? parseAddress(await prompt.ask('Address of the service: '));
    context.output.printNote(`signing in at ${address}`);
    if (isExposed(address))
      context.output.printNote('this address does not use TLS: others can read what you send');
    const email = (await prompt.ask('Email (empty to give an API key): ')).trim();
    if (email === '') {
      return { address, key: { api_key: keyIn(await prompt.askSecret('API key: ')) } };
    }
    return { address, key: await keyFor(address, email, await prompt.askSecret('Password: ')) };
  } finally {
    prompt.close();
  }
}

function keyIn(answer: string): string {
  const key = answer.trim();
  if (!/^\S+$/.test(key)) throw new Failure('NO_SECRET', 'no API key was given');
  return key;
}

/** Signs in, makes a key, and ends the session again. */
async function keyFor(address: string, email: string, password: string): Promise<Key> {
  const client = createApiClient({ address });
  const { session_token: session } = await answer(authLogin({ client, body: { email, password } })).catch(
    explained,
  );
  const signedIn = createApiClient({ address, apiKey: session });
  const name = `infrastate on ${hostname()} ${randomBytes(4).toString('hex')}`;
  const { token } = await answer(tokensCreate({ client: signedIn, body: { name } }));
  // The route is open to everybody, so the client sends no credential by itself; it answers with a redirect.
  await authLogout({ client, headers: { Authorization: `Bearer ${session}` } }).catch(() => undefined);
  return { api_key: token, key_name: name };
}

function explained(error: unknown): never {
  if (error instanceof ServiceFailure && error.status === 401)
    throw new ServiceFailure(401, error.id, 'the email or the password is wrong');
  if (error instanceof ServiceFailure && error.status === 403)
    throw new ServiceFailure(
      403,
      error.id,
      error.message,
      'create an API key in the console and use --api-key-stdin',
    );
  throw error;
}

function store(
  context: Context,
  address: string,
  credential: StoredCredential,
): StoredCredential | undefined {
  const { services } = context.credentials.read();
  context.credentials.write({ current: address, services: { ...services, [address]: credential } });
  return services[address];
}
