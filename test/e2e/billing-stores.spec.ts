import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import S3rver from 's3rver';
import { AzureLogin, PRINCIPAL } from '../support/azure-login.js';
import { Azurite, AZURITE_ACCOUNT, AZURITE_KEY, hasAzurite } from '../support/azurite.js';
import { aBackend } from '../support/backend.js';
import { aLine, BillingEstate, focusCsv, type Source } from '../support/billing.js';
import { GoogleStorage } from '../support/google-storage.js';

const S3_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

if (!hasAzurite)
  process.stderr.write(
    'Azurite is not installed (npm ci in test/stores): billing from abfss:// is NOT tested\n',
  );

describe('Stores of bills', () => {
  let folder: string;
  let stores: S3rver;
  let s3: S3Client;
  let google: GoogleStorage;
  let azurite: Azurite | undefined;
  let estate: BillingEstate;
  let tenantId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stores-'));
    stores = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: join(folder, 's3'),
      configureBuckets: [{ name: 'bills', configs: [] }],
    });
    const endpoint = `http://127.0.0.1:${(await stores.run()).port}`;
    s3 = new S3Client({
      endpoint,
      region: 'us-east-1',
      credentials: S3_KEYS,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    google = await GoogleStorage.start();
    await google.writeKeyFile(join(folder, 'google.json'));
    azurite = hasAzurite ? await Azurite.start(join(folder, 'azure')) : undefined;
    estate = await BillingEstate.create((env) => aBackend({ env }), {
      SERVICE_BILLING_S3_ENDPOINT: endpoint,
      AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
      SERVICE_BILLING_GCS_ENDPOINT: google.url,
      GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'google.json'),
      AZURE_STORAGE_ACCOUNT: AZURITE_ACCOUNT,
      AZURE_STORAGE_KEY: AZURITE_KEY,
      ...(azurite === undefined ? {} : { SERVICE_BILLING_AZURE_ENDPOINT: azurite.url }),
    });
    tenantId = await estate.backend.aTenant();
  }, 180_000);
  afterAll(async () => {
    await estate.stop();
    await azurite?.stop();
    await google.stop();
    s3.destroy();
    await stores.close();
    await rm(folder, { recursive: true, force: true });
  });

  const bill = (cost: string): string => focusCsv([aLine({ BilledCost: cost })]);
  async function synced(uri: string, provider = 'aws'): Promise<Source> {
    const { id } = await estate.aSource(tenantId, uri, { provider });
    const { last_error = '', ...source } = await estate.sync(tenantId, id);
    return { ...source, last_error };
  }
  async function failure(uri: string, provider = 'aws'): Promise<string | undefined> {
    const source = await synced(uri, provider);
    expect(source.last_status).toBe('error');
    return source.last_error;
  }

  describe('s3://', () => {
    const put = async (key: string, content: string | Buffer): Promise<void> => {
      await s3.send(
        new PutObjectCommand({
          Bucket: 'bills',
          Key: key,
          // The SDK takes a Buffer of this realm for text, and sends a stream once only.
          Body: typeof content === 'string' ? content : Readable.from([content]),
          ContentLength: Buffer.byteLength(content),
        }),
      );
    };

    // Its pages need a cipher that OpenSSL no longer has: HeldStore lists in pages.
    it('are matched by globs, unpacked and loaded', async () => {
      await put('focus/2026/a.csv', bill('1'));
      await put('focus/2026/deep/b.csv.gz', gzipSync(bill('2')));
      await put('focus/manifest.json', '{}');
      await put('other/c.csv', 'no bill at all');
      expect(await synced('s3://bills/focus/**')).toMatchObject({
        last_error: '',
        last_status: 'ok',
        last_row_count: 2,
      });
      expect(await synced('s3://bills/focus/*/a.csv')).toMatchObject({
        last_error: '',
        last_status: 'ok',
        last_row_count: 1,
      });
    });

    it('say which bucket, file or line is to blame, and nothing of the content', async () => {
      await put('broken/half.csv.gz', gzipSync(bill('1').repeat(100)).subarray(0, 60));
      await put('ragged/r.csv', `${bill('1')}hunter2,USD\n`);
      expect(await failure('s3://missing/a.csv')).toBe('the bucket or folder does not exist');
      expect(await failure('s3://bills/nothing/*')).toBe(
        'no billing file (.csv, .csv.gz or .parquet) matches the address',
      );
      expect(await failure('s3://bills/broken/*')).toBe(
        'broken/half.csv.gz: the file is not a whole gzip file',
      );
      expect(await failure('s3://bills/ragged/*')).toBe(
        'ragged/r.csv: line 3: it has more or fewer columns than the header',
      );
    });
  });

  describe('gs://', () => {
    it('are read as a service account, in pages', async () => {
      for (const [at, cost] of ['1', '2', '4'].entries())
        google.objects.set(`focus/part ${at}/a.csv`, Buffer.from(bill(cost)));
      google.objects.set('focus/notes.txt', Buffer.from('x'));
      expect(await synced('gs://bills/focus/**', 'gcp')).toMatchObject({
        last_status: 'ok',
        last_row_count: 3,
      });
      expect(google.requests.filter((line) => line === 'POST /token')).toHaveLength(1);
      expect(google.requests.filter((line) => line === 'GET /storage/v1/b/bills/o')).toHaveLength(2);
    });

    it('say that access is denied, and nothing that the store said', async () => {
      google.refusal = 403;
      expect(await failure('gs://bills/denied/*', 'gcp')).toBe(
        "the store denied access to the server's credentials",
      );
      google.refusal = 500;
      expect(await failure('gs://bills/down/*', 'gcp')).toBe('the store could not be read (status 500)');
      google.refusal = undefined;
      expect(await failure('gs://gone-bucket/*', 'gcp')).toBe('the bucket or folder does not exist');
    });
  });

  (hasAzurite ? describe : describe.skip)('abfss://', () => {
    it('are read with the key of the account, the newest run of each period', async () => {
      const container = new ContainerClient(
        `${azurite?.url}/${AZURITE_ACCOUNT}/costs`,
        new StorageSharedKeyCredential(AZURITE_ACCOUNT, AZURITE_KEY),
      );
      await container.create();
      const put = async (name: string, content: string): Promise<void> => {
        await container.getBlockBlobClient(name).upload(content, Buffer.byteLength(content));
      };
      await put('focus/20260101-20260131/run-b/part_0.csv', bill('1'));
      await put('focus/20260101-20260131/run-a/part_0.csv', bill('2'));
      await put('focus/20260101-20260131/run-a/manifest.json', '{}');
      const host = `abfss://costs@${AZURITE_ACCOUNT}.dfs.core.windows.net`;
      expect(await synced(`${host}/focus/**`, 'azure')).toMatchObject({
        last_error: '',
        last_status: 'ok',
        last_row_count: 1,
      });
      expect(await failure(`${host.replace('costs', 'missing')}/a.csv`, 'azure')).toBe(
        'the bucket or folder does not exist',
      );
      expect(await failure('abfss://costs@another.dfs.core.windows.net/a.csv', 'azure')).toBe(
        'the server has no credentials for Azure Storage',
      );
    });
  });

  it('leave neither credentials nor addresses in the log', () => {
    const output = estate.worker.output();
    for (const secret of [AZURITE_KEY, 'PRIVATE KEY', 'granted', 's3://', 'gs://', 'hunter2', 'S3RVER'])
      expect(output).not.toContain(secret);
  });
});

describe('Stores of bills by other credentials', () => {
  let folder: string;
  let stores: S3rver;
  let login: AzureLogin;
  let azurite: Azurite | undefined;
  let estate: BillingEstate;
  let tenantId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stores-'));
    stores = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: join(folder, 's3'),
      configureBuckets: [{ name: 'bills', configs: [] }],
    });
    const endpoint = `http://127.0.0.1:${(await stores.run()).port}`;
    const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials: S3_KEYS, forcePathStyle: true });
    for (const [at, cost] of ['1', '2'].entries())
      await s3.send(new PutObjectCommand({ Bucket: 'bills', Key: `focus/part ${at}.csv`, Body: bill(cost) }));
    s3.destroy();
    login = await AzureLogin.start();
    const certificate = hasAzurite ? aCertificate(folder) : undefined;
    azurite = certificate && (await startFilledAzurite(join(folder, 'azure'), certificate));
    estate = await BillingEstate.create((env) => aBackend({ env }), {
      SERVICE_BILLING_GCS_ENDPOINT: `${endpoint}/`,
      GCS_HMAC_ACCESS_ID: S3_KEYS.accessKeyId,
      GCS_HMAC_SECRET: S3_KEYS.secretAccessKey,
      AZURE_TENANT_ID: PRINCIPAL.tenantId,
      AZURE_CLIENT_ID: PRINCIPAL.clientId,
      AZURE_CLIENT_SECRET: PRINCIPAL.clientSecret,
      AZURE_AUTHORITY_HOST: `${login.url}/`,
      ...(azurite === undefined ? {} : { SERVICE_BILLING_AZURE_ENDPOINT: azurite.url }),
      ...(certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate.cert }),
    });
    tenantId = await estate.backend.aTenant();
  }, 180_000);
  afterAll(async () => {
    await estate.stop();
    await azurite?.stop();
    await login.stop();
    await stores.close();
    await rm(folder, { recursive: true, force: true });
  });

  const bill = (cost: string): string => focusCsv([aLine({ BilledCost: cost })]);
  const CONTAINER = `abfss://costs@${AZURITE_ACCOUNT}.dfs.core.windows.net`;

  /** The store keeps what the account's key put there when bearer tokens are asked for afterwards. */
  async function startFilledAzurite(
    where: string,
    certificate: { cert: string; key: string },
  ): Promise<Azurite> {
    const filling = await Azurite.start(where);
    const key = new StorageSharedKeyCredential(AZURITE_ACCOUNT, AZURITE_KEY);
    const container = new ContainerClient(`${filling.url}/${AZURITE_ACCOUNT}/costs`, key);
    await container.create();
    for (const [at, cost] of ['4', '8'].entries())
      await container.getBlockBlobClient(`focus/part_${at}.csv`).upload(bill(cost), bill(cost).length);
    await filling.stop('SIGTERM');
    return Azurite.start(where, certificate);
  }

  it('are read from Google with an HMAC key, by the S3-compatible API', async () => {
    const { id } = await estate.aSource(tenantId, 'gs://bills/focus/**', { provider: 'gcp' });
    expect(await estate.sync(tenantId, id)).toMatchObject({ last_status: 'ok', last_row_count: 2 });
    const missing = await estate.aSource(tenantId, 'gs://missing/a.csv', { provider: 'gcp' });
    expect((await estate.sync(tenantId, missing.id)).last_error).toBe('the bucket or folder does not exist');
  });

  (hasAzurite ? it : it.skip)('are read from Azure as a service principal', async () => {
    const { id } = await estate.aSource(tenantId, `${CONTAINER}/focus/**`, { provider: 'azure' });
    const source = await estate.sync(tenantId, id);
    expect([source.last_error, source.last_status, source.last_row_count]).toEqual([undefined, 'ok', 2]);
    expect(login.requests).toContain(`POST /${PRINCIPAL.tenantId}/oauth2/v2.0/token`);
  });

  it('say that access is denied when the secret of the principal is not valid any more', async () => {
    login.secret = 'another one';
    const { id } = await estate.aSource(tenantId, `${CONTAINER}/other/**`, { provider: 'azure' });
    expect((await estate.sync(tenantId, id)).last_error).toBe(
      "the store denied access to the server's credentials",
    );
    const output = estate.worker.output();
    for (const secret of [PRINCIPAL.clientSecret, 'AADSTS', S3_KEYS.secretAccessKey, 'abfss://', 'gs://'])
      expect(output).not.toContain(secret);
  });
});

/** A certificate of this machine's loopback address, which vouches for itself. */
function aCertificate(folder: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  return { cert, key };
}

describe('A store that refuses', () => {
  let server: Server;
  let estate: BillingEstate;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end(
          '<Error><Code>AccessDenied</Code><Message>user arn:aws:iam::1:user/secret may not</Message></Error>',
        );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    estate = await BillingEstate.create((env) => aBackend({ env }), {
      SERVICE_BILLING_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    });
  }, 120_000);
  afterAll(async () => {
    await estate.stop();
    server.close();
  });

  it.each(['s3://bills/*', 's3://bills/a.csv'])(
    'is named so, and nothing it says is passed on (%s)',
    async (uri) => {
      const { id } = await estate.aSource(estate.backend.tenantId, uri);
      const source = await estate.sync(estate.backend.tenantId, id);
      expect(source).toMatchObject({
        last_status: 'error',
        last_error: "the store denied access to the server's credentials",
        task: { state: 'failed', error: 'BILLING_SYNC_FAILED' },
      });
      expect(estate.worker.output()).not.toContain('arn:aws:iam');
    },
  );

  it.each(['gs://bills/*', 'abfss://c0ntainer@account.dfs.core.windows.net/*'])(
    'is not asked without credentials (%s)',
    async (uri) => {
      const { id } = await estate.aSource(estate.backend.tenantId, uri);
      expect((await estate.sync(estate.backend.tenantId, id)).last_error).toMatch(
        /^the server has no credentials for /,
      );
    },
  );
});
