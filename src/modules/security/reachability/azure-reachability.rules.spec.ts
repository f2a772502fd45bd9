import fc from 'fast-check';
import { type Json, UNKNOWN } from '../engine/attribute-path.rules.js';
import { azureReachability } from './azure-reachability.rules.js';
import { anyInstances, type Case, changed, type Estate, instancesOf, reachOf } from './estate.fixture.js';

const id = (kind: string, name: string): string =>
  `/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/${kind}/${name}`;
const rule = (given: Record<string, Json>): Json => ({
  direction: 'Inbound',
  access: 'Allow',
  priority: 100,
  protocol: 'Tcp',
  source_address_prefix: '*',
  destination_port_range: '22',
  ...given,
});
const group = (name: string, ...security_rule: Json[]): Record<string, Json> => ({
  id: id('networkSecurityGroups', name),
  name,
  resource_group_name: 'rg',
  security_rule,
});
const NIC = 'azurerm_network_interface.n';
const HOST: Estate = {
  'azurerm_public_ip.p': { id: id('publicIPAddresses', 'p'), sku: 'Standard' },
  [NIC]: {
    id: id('networkInterfaces', 'n'),
    ip_configuration: [
      { subnet_id: id('subnets', 'sub'), public_ip_address_id: id('publicIPAddresses', 'p') },
    ],
  },
  'azurerm_network_security_group.g': group('g', rule({})),
  'azurerm_network_interface_security_group_association.a': {
    network_interface_id: id('networkInterfaces', 'n'),
    network_security_group_id: id('networkSecurityGroups', 'g'),
  },
  'azurerm_linux_virtual_machine.m': {
    id: id('virtualMachines', 'm'),
    network_interface_ids: [id('networkInterfaces', 'N')],
  },
};
const withRules = (...rules: Json[]): Estate => ({
  'azurerm_network_security_group.g': group('g', ...rules),
});
const SUBNET: Estate = {
  ...HOST,
  'azurerm_network_security_group.s': group('s', rule({ destination_port_range: '20-30' })),
  'azurerm_subnet_network_security_group_association.a': {
    subnet_id: id('subnets', 'sub'),
    network_security_group_id: id('networkSecurityGroups', 's'),
  },
};
const PRIVATE_NIC = {
  [NIC]: { id: id('networkInterfaces', 'n'), ip_configuration: [{ subnet_id: id('subnets', 'sub') }] },
};
const BALANCED: Estate = {
  ...HOST,
  ...PRIVATE_NIC,
  'azurerm_lb.l': {
    id: id('loadBalancers', 'l'),
    frontend_ip_configuration: [{ public_ip_address_id: id('publicIPAddresses', 'p') }],
  },
  'azurerm_lb_backend_address_pool.b': { id: id('pools', 'b'), loadbalancer_id: id('loadBalancers', 'l') },
  'azurerm_lb_rule.r': {
    loadbalancer_id: id('loadBalancers', 'l'),
    backend_address_pool_ids: [id('pools', 'b')],
    frontend_port: 2222,
    backend_port: 22,
  },
  'azurerm_network_interface_backend_address_pool_association.a': {
    network_interface_id: id('networkInterfaces', 'n'),
    backend_address_pool_id: id('pools', 'B'),
  },
};
const GATEWAY: Estate = {
  'azurerm_application_gateway.g': {
    id: id('applicationGateways', 'g'),
    frontend_ip_configuration: [{ public_ip_address_id: id('publicIPAddresses', 'p') }],
    frontend_port: [{ port: 443 }],
    gateway_ip_configuration: [{ subnet_id: id('subnets', 'gw') }],
  },
};
const SCALE_SET: Estate = {
  'azurerm_network_security_group.g': group('g', rule({})),
  'azurerm_linux_virtual_machine_scale_set.s': {
    id: id('virtualMachineScaleSets', 's'),
    network_interface: [
      {
        network_security_group_id: id('networkSecurityGroups', 'g'),
        ip_configuration: [{ public_ip_address: [{ name: 'p' }] }],
      },
    ],
  },
};
const SERVER = { id: id('servers', 'db'), name: 'db', public_network_access_enabled: true };
const DATABASE: Estate = {
  'azurerm_mssql_server.d': SERVER,
  'azurerm_mssql_firewall_rule.r': {
    id: 'all',
    server_id: id('servers', 'db'),
    start_ip_address: '0.0.0.0',
    end_ip_address: '255.255.255.255',
  },
};
const AKS: Estate = { 'azurerm_kubernetes_cluster.k': { id: id('managedClusters', 'k') } };

const CASES: Case[] = [
  ['an interface without a public address', HOST, NIC, PRIVATE_NIC],
  ['a group for known networks', HOST, NIC, withRules(rule({ source_address_prefix: '10.0.0.0/8' }))],
  ['a group that denies', HOST, NIC, withRules(rule({ access: 'Deny' }))],
  [
    'a denial that comes first',
    HOST,
    NIC,
    withRules(rule({}), rule({ priority: 90, access: 'Deny', destination_port_range: '*' })),
  ],
  [
    'a denial that comes later',
    { ...HOST, ...withRules(rule({}), rule({ priority: 200, access: 'Deny' })) },
    NIC,
    withRules(rule({ priority: 300 }), rule({ priority: 200, access: 'Deny' })),
  ],
  ['a rule for what leaves', HOST, NIC, withRules(rule({ direction: 'Outbound' }))],
  [
    'a rule from the internet by its name',
    { ...HOST, ...withRules(rule({ source_address_prefix: 'Internet' })) },
    NIC,
    withRules(rule({ source_address_prefix: 'VirtualNetwork' })),
  ],
  [
    'one of several prefixes',
    {
      ...HOST,
      ...withRules(rule({ source_address_prefix: '', source_address_prefixes: ['10.0.0.0/8', '0.0.0.0/0'] })),
    },
    NIC,
    withRules(rule({ source_address_prefix: '', source_address_prefixes: ['10.0.0.0/8'] })),
  ],
  [
    'a rule resource',
    {
      ...HOST,
      ...withRules(),
      'azurerm_network_security_rule.r': {
        ...(rule({}) as Record<string, Json>),
        resource_group_name: 'RG',
        network_security_group_name: 'G',
      },
    },
    NIC,
    {
      'azurerm_network_security_rule.r': {
        ...(rule({ access: 'Deny' }) as Record<string, Json>),
        resource_group_name: 'RG',
        network_security_group_name: 'G',
      },
    },
  ],
  [
    'the group of its subnet as well',
    SUBNET,
    NIC,
    { 'azurerm_network_security_group.s': group('s', rule({ destination_port_range: '443' })) },
  ],
  [
    'an address without a group',
    {
      ...HOST,
      'azurerm_network_interface_security_group_association.a': {},
      'azurerm_public_ip.p': { id: id('publicIPAddresses', 'p'), sku: 'Basic' },
    },
    NIC,
    { 'azurerm_public_ip.p': { id: id('publicIPAddresses', 'p'), sku: 'Standard' } },
  ],
  ['a machine, by its interface', HOST, 'azurerm_linux_virtual_machine.m', PRIVATE_NIC],
  ['what a group guards', HOST, 'azurerm_network_security_group.g', PRIVATE_NIC],
  ['an interface behind a balancer', BALANCED, NIC, withRules(rule({ destination_port_range: '443' }))],
  [
    'a balancer',
    BALANCED,
    'azurerm_lb.l',
    changed(BALANCED, 'azurerm_lb.l', { frontend_ip_configuration: [{ subnet_id: 'x' }] }),
  ],
  [
    'an application gateway',
    GATEWAY,
    'azurerm_application_gateway.g',
    changed(GATEWAY, 'azurerm_application_gateway.g', { frontend_ip_configuration: [{ subnet_id: 'x' }] }),
  ],
  [
    'the group of a gateway',
    GATEWAY,
    'azurerm_application_gateway.g',
    {
      'azurerm_network_security_group.gw': group('gw', rule({ destination_port_range: '80' })),
      'azurerm_subnet_network_security_group_association.gw': {
        subnet_id: id('subnets', 'gw'),
        network_security_group_id: id('networkSecurityGroups', 'gw'),
      },
    },
  ],
  ['a scale set', SCALE_SET, 'azurerm_linux_virtual_machine_scale_set.s', withRules()],
  [
    'a database',
    DATABASE,
    'azurerm_mssql_server.d',
    { 'azurerm_mssql_server.d': { ...SERVER, public_network_access_enabled: false } },
  ],
  [
    'a rule of a database',
    DATABASE,
    'azurerm_mssql_firewall_rule.r',
    changed(DATABASE, 'azurerm_mssql_firewall_rule.r', {
      start_ip_address: '192.0.2.1',
      end_ip_address: '192.0.2.9',
    }),
  ],
  [
    'a cluster',
    AKS,
    'azurerm_kubernetes_cluster.k',
    changed(AKS, 'azurerm_kubernetes_cluster.k', { private_cluster_enabled: true }),
  ],
  [
    'a cluster for known networks',
    AKS,
    'azurerm_kubernetes_cluster.k',
    changed(AKS, 'azurerm_kubernetes_cluster.k', {
      api_server_access_profile: [{ authorized_ip_ranges: ['192.0.2.0/24'] }],
    }),
  ],
];

describe('Reachability on Azure', () => {
  it.each(CASES)('%s', (_name, estate, address, change) => {
    expect([
      reachOf(azureReachability, estate, address),
      reachOf(azureReachability, { ...estate, ...change }, address),
    ]).toEqual(['reachable', 'closed']);
  });

  it('the evidence names each hop from the internet to the Azure resource', () => {
    const [verdict] = azureReachability.judge(instancesOf(SUBNET)).filter(({ ref }) => ref === NIC);
    expect(verdict).toEqual({
      ref: NIC,
      reach: 'reachable',
      evidence: 'internet > p > g > s > n',
      ports: '22',
    });
  });

  it('does not decide where a group or a rule is not known', () => {
    const unclear = { ...HOST, ...withRules(rule({ source_address_prefix: UNKNOWN })) };
    expect(reachOf(azureReachability, unclear, NIC)).toBe('undecided');
    const dangling = changed(HOST, 'azurerm_network_interface_security_group_association.a', {
      network_security_group_id: id('networkSecurityGroups', 'elsewhere'),
    });
    expect(reachOf(azureReachability, { ...HOST, ...dangling }, NIC)).toBe('undecided');
  });

  it('is total on any JSON', () => {
    const names = [
      'id',
      'name',
      'ip_configuration',
      'security_rule',
      'network_interface',
      'subnet_id',
      'sku',
    ];
    const more = [
      'network_interface_ids',
      'server_id',
      'start_ip_address',
      'frontend_ip_configuration',
      'priority',
    ];
    fc.assert(
      fc.property(anyInstances(azureReachability, [...names, ...more]), (list) => {
        const verdicts = azureReachability.judge(list);
        expect(new Set(verdicts.map(({ ref }) => ref)).size).toBe(verdicts.length);
      }),
    );
  });
});
