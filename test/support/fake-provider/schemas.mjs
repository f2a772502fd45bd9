// A handful of types that look like those of the real provider. A flag each: r required, o optional, c computed,
// s sensitive, f a change replaces the object.
const STRING = '"string"';
const NUMBER = '"number"';
const BOOL = '"bool"';
const MAP = '["map","string"]';
const LIST = '["list","string"]';
const RULES =
  '["list",["object",{"from_port":"number","to_port":"number","protocol":"string","cidr_blocks":["list","string"],"description":"string"}]]';

const common = { id: [STRING, 'c'], arn: [STRING, 'c'], tags: [MAP, 'o'] };

export const RESOURCES = {
  aws_vpc: { ...common, cidr_block: [STRING, 'rf'], enable_dns_hostnames: [BOOL, 'o'] },
  aws_subnet: {
    ...common,
    vpc_id: [STRING, 'rf'],
    cidr_block: [STRING, 'rf'],
    availability_zone: [STRING, 'ocf'],
  },
  // Rules may be written as blocks or as a list, as with the real provider.
  aws_security_group: {
    ...common,
    name: [STRING, 'of'],
    vpc_id: [STRING, 'of'],
    description: [STRING, 'of'],
    ingress: [RULES, 'oc'],
  },
  aws_instance: {
    ...common,
    ami: [STRING, 'rf'],
    instance_type: [STRING, 'r'],
    subnet_id: [STRING, 'of'],
    vpc_security_group_ids: [LIST, 'o'],
    private_ip: [STRING, 'c'],
    user_data: [STRING, 'o'],
    ebs_block_device: { nesting: 2, block: { device_name: [STRING, 'r'], volume_size: [NUMBER, 'o'] } },
  },
  aws_s3_bucket: { ...common, bucket: [STRING, 'rf'], acl: [STRING, 'o'] },
  aws_db_instance: {
    ...common,
    identifier: [STRING, 'of'],
    engine: [STRING, 'rf'],
    instance_class: [STRING, 'r'],
    password: [STRING, 'os'],
    endpoint: [STRING, 'c'],
  },
};

export const DATA_SOURCES = {
  aws_ami: { id: [STRING, 'c'], owners: [LIST, 'r'], name: [STRING, 'c'] },
};

/** Names of what a block holds that is an attribute, and of what is a block. */
export const attributesOf = (type) => Object.entries(type).filter(([, kind]) => Array.isArray(kind));
export const blocksOf = (type) => Object.entries(type).filter(([, kind]) => !Array.isArray(kind));

export function schemaOf(type, version = 0) {
  return { version, block: blockOf(type) };
}

function blockOf(type) {
  return {
    attributes: attributesOf(type).map(([name, [attributeType, flags]]) => ({
      name,
      type: Buffer.from(attributeType),
      required: flags.includes('r'),
      optional: flags.includes('o'),
      computed: flags.includes('c'),
      sensitive: flags.includes('s'),
    })),
    block_types: blocksOf(type).map(([name, { nesting, block }]) => ({
      type_name: name,
      nesting,
      block: blockOf(block),
    })),
  };
}
