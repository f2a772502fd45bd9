import { aBackend, BackendClient, type TestBackend, type TestState } from '../support/backend.js';
import { PythonClient } from '../support/python-client.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

/** More than 32 bits hold; a float would print it as 4.294967297e+09. */
const SERIAL = 4_294_967_297;

/** A client in another language is what a description that is only nearly true breaks first. */
describeWith('python3', 'A Python client generated from the description', () => {
  let backend: TestBackend;
  let state: TestState;
  let python: PythonClient;
  beforeAll(async () => {
    backend = await aBackend();
    state = await backend.aState({ name: 'network' });
    const client = new BackendClient(state.address, backend.key);
    const instances = [{ index_key: 'a', schema_version: 0, attributes: { id: 'x', size: 7 } }];
    const provider = 'provider["registry.terraform.io/hashicorp/null"]';
    const document = {
      version: 4,
      terraform_version: '1.11.4',
      serial: SERIAL,
      lineage: 'python',
      outputs: { url: { value: 'https://example.test', type: 'string' } },
      resources: [{ mode: 'managed', type: 'null_resource', name: 'one', provider, instances }],
    };
    expect((await client.post(JSON.stringify(document))).status).toBe(200);
    client.close();
  });
  afterAll(async () => {
    python?.remove();
    await backend?.stop();
  });

  it('reads the answers of the service, with serials, versions, sizes and counts as integers', async () => {
    const tenant = `/tenants/${backend.tenantId}`;
    const answers = {
      StateView: `/states/${state.id}`,
      StateListView: `${tenant}/states`,
      StateVersionListView: `/states/${state.id}/versions`,
      SubmissionListView: `/states/${state.id}/submissions`,
      TenantSubmissionListView: `${tenant}/submissions`,
      TransactionListView: `${tenant}/tx`,
      InstanceListView: `/states/${state.id}/instances`,
      GraphView: `/states/${state.id}/graph`,
      OutputValueListView: `/states/${state.id}/outputs`,
      TenantSummaryView: `${tenant}/summary`,
      MemberPageView: `${tenant}/members`,
      UserPageView: '/users',
      AuditPageView: '/audit',
      ServerVersionView: '/version',
    };
    python = await PythonClient.generate(Object.keys(answers));
    const found = await python.read(backend, answers);
    expect(Object.entries(found).filter(([, { same }]) => !same)).toEqual([]);
    const typesOf = (name: keyof typeof answers) => found[name]?.types;
    expect(typesOf('StateView')).toMatchObject({
      serial: 'int',
      version: 'int',
      instances: 'int',
      id: 'UUID',
      created_at: 'datetime',
      format: 'StateFormat',
    });
    expect(typesOf('StateListView')).toMatchObject({ results: [{ serial: 'int', resources: 'int' }] });
    expect(typesOf('StateVersionListView')).toMatchObject({
      results: [{ serial: 'int', version: 'int', size: 'int', tx_id: 'UUID' }],
    });
    expect(typesOf('TransactionListView')).toMatchObject({
      results: [{ plan_summary: { add: 'int', change: 'int', destroy: 'int' } }],
    });
    expect(typesOf('TenantSummaryView')).toMatchObject({ total_states: 'int', total_instances: 'int' });
    expect(typesOf('UserPageView')).toMatchObject({ total_count: 'int' });
    expect(typesOf('ServerVersionView')).toMatchObject({ state_schema_version: 'int' });
    expect(JSON.stringify(found)).not.toContain('"float"');
  });
});
