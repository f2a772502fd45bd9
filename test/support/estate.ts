import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BackendClient, type TestBackend, type TestState } from './backend.js';

/** A managed resource with one instance, or with several by key. */
export interface EstateResource {
  type: string;
  name: string;
  module?: string;
  mode?: 'managed' | 'data';
  attributes?: Record<string, unknown>;
  instances?: Record<string, unknown>[];
  dependencies?: string[];
  /** names of attributes that are masked */
  sensitive?: string[];
}

export function providerOf(type: string): string {
  const [prefix = ''] = type.split('_');
  const name = { azurerm: 'azurerm', google: 'google' }[prefix] ?? prefix;
  return `provider["registry.terraform.io/hashicorp/${name}"]`;
}

/** A state document of these resources. */
export function estateDocument(
  resources: readonly EstateResource[],
  {
    serial = 1,
    lineage = 'estate',
    outputs = {},
  }: { serial?: number; lineage?: string; outputs?: Record<string, string> } = {},
): Buffer {
  const document = {
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage,
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
    ),
    resources: resources.map(({ module, mode = 'managed', type, name, ...rest }) => ({
      ...(module === undefined ? {} : { module }),
      mode,
      type,
      name,
      provider: providerOf(type),
      instances: rest.instances ?? [
        {
          schema_version: 0,
          attributes: rest.attributes ?? {},
          sensitive_attributes: (rest.sensitive ?? []).map((value) => [{ type: 'get_attr', value }]),
          ...(rest.dependencies === undefined ? {} : { dependencies: rest.dependencies }),
        },
      ],
    })),
    check_results: null,
  };
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}

/** Writes documents of one state through the backend, with rising serials. */
export class EstateWriter {
  private serial = 0;
  private readonly lineage = randomUUID();

  constructor(
    private readonly backend: TestBackend,
    readonly state: TestState,
  ) {}

  async write(resources: readonly EstateResource[], outputs: Record<string, string> = {}): Promise<void> {
    this.serial += 1;
    const client = new BackendClient(this.state.address, this.backend.key);
    const answer = await client.post(
      estateDocument(resources, { serial: this.serial, lineage: this.lineage, outputs }),
    );
    client.close();
    if (answer.status >= 300) throw new Error(`write refused: ${answer.status} ${answer.bytes.toString()}`);
  }

  /** Makes the document of an older version the current one; later writes follow it. */
  async restore(serial: number): Promise<void> {
    const path = `/states/${this.state.id}/versions/${serial}/restore`;
    const answer = await this.backend.api('POST', path);
    if (answer.status !== 200)
      throw new Error(`restore refused: ${answer.status} ${answer.bytes.toString()}`);
    this.serial = (answer.json() as { serial: number }).serial;
  }

  /** How many versions were written; their serials begin with 1. */
  get newest(): number {
    return this.serial;
  }
}

/** A data source that reads an output of another state. */
export function remoteState(name: string, address: string, outputs: Record<string, string>): EstateResource {
  const types = ['object', Object.fromEntries(Object.keys(outputs).map((key) => [key, 'string']))];
  return {
    mode: 'data',
    type: 'terraform_remote_state',
    name,
    attributes: {
      backend: 'http',
      config: { value: { address }, type: ['object', { address: 'string' }] },
      outputs: { value: outputs, type: types },
    },
  };
}

/** Asks until the answer is defined; fails after two minutes with what was asked for. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const begun = Date.now(); Date.now() - begun < 120_000;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await delay(20);
  }
  throw new Error(`never happened: ${what}`);
}
