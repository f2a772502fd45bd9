import { costsOf } from '../support/costs.js';
import { PlanSuite } from '../support/plan-suite.js';
import { describeWith } from '../support/terraform.js';

const instance = (type: string, count: number): Record<string, string> => ({
  'main.tf': `
variable "region" { default = "us-east-1" }
resource "aws_vpc" "main" { cidr_block = "10.0.0.0/16" }
resource "aws_subnet" "main" {
  vpc_id     = aws_vpc.main.id
  cidr_block = "10.0.1.0/24"
}
resource "aws_instance" "web" {
  count         = ${count}
  ami           = "ami-1"
  instance_type = "${type}"
  subnet_id     = aws_subnet.main.id
}
`,
});

describeWith('terraform', 'infrastate plan where costs are estimated', () => {
  let suite: PlanSuite;
  beforeAll(async () => {
    suite = await PlanSuite.start({ SERVICE_COST_ENABLED: 'true' });
  }, 120_000);
  afterAll(() => suite?.stop());

  it('says what the plan would cost, and the apply makes it so', async () => {
    const wait = { INFRASTATE_COSTS_WAIT_SECONDS: '60' };
    const home = await suite.aHome(instance('m5.large', 1));
    const first = await home.run(['plan'], { env: wait });
    expect(first.stdout).toContain('Costs a month: +70.88 USD, to 70.88');
    await home.apply();
    const costs = await costsOf(suite.backend, home.state.id, ({ resource_count: count }) => count === 3);
    expect(costs).toMatchObject({ resource_count: 3, triggered_by: 'actuator_commit' });
    // The provider says where it made the instance: its price is that of the region.
    const web = costs.instance_costs.find(({ address }) => address === 'aws_instance.web[0]');
    expect(web).toMatchObject({ region: 'eu-central-1', components: [{ monthly_cost: '83.95' }, {}] });
    home.write(instance('m5.xlarge', 1));
    const second = await home.run(['plan', '--json'], { env: wait });
    expect(JSON.parse(second.stdout)).toMatchObject({
      delta_monthly_cost: expect.stringMatching(/^\+83\.95 USD/) as string,
    });
    const impatient = await home.run(['plan', '--full', '--json'], {
      env: { INFRASTATE_COSTS_WAIT_SECONDS: 'x' },
    });
    expect(impatient.code).toBe(2);
  }, 240_000);
});
