import * as fc from 'fast-check';
import { cloudIdsOf, cloudOf, lookupIdsOf, partIdsOf } from './cloud-ids.rules.js';

const REGION = 'eu-west-1:123456789012';

describe('Cloud ids of instances', () => {
  it.each([
    [
      'aws_instance',
      { id: 'i-0abc', arn: `arn:aws:ec2:${REGION}:instance/i-0abc` },
      [`arn:aws:ec2:${REGION}:instance/i-0abc`, 'i-0abc'],
    ],
    [
      'aws_cloudwatch_log_group',
      { id: '/app', arn: `arn:aws:logs:${REGION}:log-group:/app:*` },
      [`arn:aws:logs:${REGION}:log-group:/app`],
    ],
    [
      'aws_lambda_function',
      { id: 'f', arn: `arn:aws:lambda:${REGION}:function:f:7` },
      [`arn:aws:lambda:${REGION}:function:f`],
    ],
    [
      'aws_sqs_queue',
      { id: 'https://sqs.eu-west-1.amazonaws.com/123456789012/q', arn: `arn:aws:sqs:${REGION}:q` },
      [`arn:aws:sqs:${REGION}:q`, 'https://sqs.eu-west-1.amazonaws.com/123456789012/q'],
    ],
    ['aws_s3_bucket', { id: 'logs', bucket: 'logs' }, ['arn:aws:s3:::logs']],
    ['aws_s3_bucket_policy', { id: 'logs', bucket: 'logs' }, []],
    ['aws_sns_topic_policy', { id: `arn:aws:sns:${REGION}:t`, arn: `arn:aws:sns:${REGION}:t` }, []],
    [
      'aws_db_instance',
      { id: 'db-CA52517F', arn: `arn:aws:rds:${REGION}:db:main` },
      [`arn:aws:rds:${REGION}:db:main`],
    ],
    [
      'azurerm_subnet',
      { id: '/subscriptions/S/resourceGroups/RG/providers/Microsoft.Network/virtualNetworks/V/subnets/N/' },
      ['/subscriptions/s/resourcegroups/rg/providers/microsoft.network/virtualnetworks/v/subnets/n'],
    ],
    ['azurerm_subnet_network_security_group_association', { id: '/subscriptions/S/x' }, []],
    [
      'google_compute_instance',
      {
        id: 'projects/p/zones/z/instances/n',
        self_link: 'https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/n',
        instance_id: '499',
        zone: 'z',
      },
      ['projects/p/zones/z/instances/n', 'projects/-/zones/z/instances/499'],
    ],
    [
      'google_storage_bucket',
      { id: 'b', name: 'b', self_link: 'https://www.googleapis.com/storage/v1/b/b' },
      ['projects/_/buckets/b'],
    ],
    ['google_storage_bucket_iam_member', { id: 'b/b/roles/storage.admin/allUsers' }, []],
    ['random_password', { id: 'none' }, []],
  ])('of %s', (type, attributes, expected) => {
    expect(cloudIdsOf(type, attributes)).toEqual(expected);
  });

  it('are none for values of any other type', () => {
    for (const id of [null, 7, [], {}, '', 'x'.repeat(2_000), 'a\0b'])
      for (const type of [
        'aws_instance',
        'azurerm_subnet',
        'google_compute_instance',
        'google_storage_bucket',
        'aws_s3_bucket',
      ])
        expect(
          cloudIdsOf(type, { id, arn: id, self_link: id, name: id, bucket: id, instance_id: id, zone: id }),
        ).toEqual([]);
  });

  it.each([
    [
      'aws_instance',
      {
        id: 'i-0abc',
        root_block_device: [{ volume_id: 'vol-0root' }],
        ebs_block_device: [{ volume_id: 'vol-0data' }, { volume_id: 'vol-0data' }, { volume_id: '' }],
      },
      ['vol-0root', 'vol-0data'],
    ],
    ['aws_launch_template', { id: 'lt-0abc', root_block_device: [{ volume_id: 'vol-0root' }] }, []],
    [
      'azurerm_virtual_machine',
      {
        id: '/subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/V',
        storage_os_disk: [
          { managed_disk_id: '/subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute/disks/OS' },
        ],
        storage_data_disk: [{ name: 'logs', managed_disk_id: '' }],
      },
      [
        '/subscriptions/s/resourcegroups/rg/providers/microsoft.compute/disks/os',
        '/subscriptions/s/resourcegroups/rg/providers/microsoft.compute/disks/logs',
      ],
    ],
    [
      'azurerm_linux_virtual_machine',
      {
        id: '/subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/V',
        os_disk: [{ name: 'V_OsDisk_1' }],
      },
      ['/subscriptions/s/resourcegroups/rg/providers/microsoft.compute/disks/v_osdisk_1'],
    ],
    ['azurerm_windows_virtual_machine', { id: 'V', os_disk: [{ name: 'V_OsDisk_1' }] }, []],
    [
      'azurerm_linux_virtual_machine',
      {
        id: `/subscriptions/S/resourceGroups/${'g'.repeat(700)}/providers/Microsoft.Compute/virtualMachines/V`,
        os_disk: [{ name: 'd'.repeat(700) }],
      },
      [],
    ],
    [
      'google_compute_instance',
      {
        id: 'projects/p/zones/z/instances/n',
        boot_disk: [{ source: 'https://www.googleapis.com/compute/v1/projects/p/zones/z/disks/n' }],
        attached_disk: [{ source: 'projects/p/zones/z/disks/more' }, { source: 'a name' }],
      },
      ['projects/p/zones/z/disks/n', 'projects/p/zones/z/disks/more'],
    ],
  ])('of disks that an %s carries', (type, attributes, expected) => {
    expect(partIdsOf(type, attributes)).toEqual(expected);
    for (const odd of [null, 7, 'x', {}, [null, 7, [], { volume_id: 7, source: {}, id: [], name: 1 }]])
      expect(partIdsOf(type, Object.fromEntries(Object.keys(attributes).map((name) => [name, odd])))).toEqual(
        [],
      );
  });

  it('are found by what bills and inventories say', () => {
    expect(lookupIdsOf('aws', `arn:aws:ec2:${REGION}:volume/vol-0a1b`)).toContain('vol-0a1b');
    expect(lookupIdsOf('aws', `arn:aws:iam::123456789012:role/i-0abc`)).not.toContain('i-0abc');
    expect(lookupIdsOf('aws', 'logs', 'AmazonS3')).toContain('arn:aws:s3:::logs');
    expect(lookupIdsOf('aws', 'main')).toEqual([]);
    expect(lookupIdsOf('gcp', '//storage.googleapis.com/b')).toEqual(['projects/_/buckets/b']);
    expect(lookupIdsOf('gcp', '//compute.googleapis.com/projects/42/zones/z/instances/499')).toContain(
      'projects/-/zones/z/instances/499',
    );
    expect(lookupIdsOf('azure', '/SUBSCRIPTIONS/S/resourceGroups/RG')).toEqual([
      '/subscriptions/s/resourcegroups/rg',
    ]);
    expect(cloudOf('azapi_resource')).toBe('azure');
  });

  it('match in every spelling and form that clouds write one id in, and in no other', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
    const account = fc.stringMatching(/^[0-9]{12}$/);
    const hex = fc.stringMatching(/^[0-9a-f]{17}$/);
    const meets = (held: readonly string[], asked: readonly string[]): boolean =>
      asked.some((id) => held.includes(id));
    fc.assert(
      fc.property(
        fc.record({ word, other: word, account, hex, upper: fc.boolean(), slash: fc.boolean() }),
        ({ word: name, other, account: owner, hex: number, upper, slash }) => {
          const path = `/subscriptions/${owner}/resourceGroups/${name}/providers/Microsoft.X/things/${other}`;
          const spelled = `${upper ? path.toUpperCase() : path}${slash ? '/' : ''}`;
          expect(lookupIdsOf('azure', spelled)).toEqual(cloudIdsOf('azurerm_thing', { id: path }));
          expect(lookupIdsOf('azure', path)).toEqual(cloudIdsOf('azurerm_thing', { id: spelled }));

          const volume = { id: `vol-${number}` };
          const arn = `arn:aws:ec2:eu-west-1:${owner}:volume/vol-${number}`;
          for (const held of [volume, { ...volume, arn }])
            for (const billed of [volume.id, arn])
              expect(meets(cloudIdsOf('aws_ebs_volume', held), lookupIdsOf('aws', billed))).toBe(true);
          const lambda = `arn:aws:lambda:eu-west-1:${owner}:function:${name}`;
          for (const held of [lambda, `${lambda}:7`])
            for (const billed of [lambda, `${lambda}:7`, `${lambda}:live`])
              expect(
                meets(cloudIdsOf('aws_lambda_function', { arn: held }), lookupIdsOf('aws', billed)),
              ).toBe(true);
          // The same name of another region, account or kind is another resource.
          for (const billed of [
            lambda.replace('eu-west-1', 'eu-west-2'),
            lambda.replace(owner, '000000000000'),
            lambda.replace(':function:', ':layer:'),
            name,
          ])
            if (billed !== lambda)
              expect(
                meets(cloudIdsOf('aws_lambda_function', { arn: lambda }), lookupIdsOf('aws', billed)),
              ).toBe(false);

          const link = `projects/${name}/zones/${other}/instances/vm`;
          const held = cloudIdsOf('google_compute_instance', {
            id: link,
            self_link: `https://www.googleapis.com/compute/v1/${link}`,
            instance_id: owner,
            zone: other,
          });
          for (const billed of [
            link,
            `//compute.googleapis.com/${link}`,
            `https://compute.googleapis.com/compute/beta/${link}`,
            `//compute.googleapis.com/projects/${owner}/zones/${other}/instances/${owner}`,
          ])
            expect(meets(held, lookupIdsOf('gcp', billed))).toBe(true);
          expect(meets(held, lookupIdsOf('gcp', `projects/${name}x/zones/${other}/instances/vm`))).toBe(
            false,
          );
        },
      ),
    );
  });
});
