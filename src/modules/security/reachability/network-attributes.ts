/**
 * The attributes that reachability rules of any provider read, by the name at the top. Estates keep nothing else of a network
 * instance, and a change of anything else changes no verdict. A test compares the list with the sources of the rules.
 */
export const NETWORK_ATTRIBUTES: ReadonlySet<string> = new Set(
  `
  access access_config access_control_policy access_policies acl action alb_target_group_arn allocation_id
  allow api_id api_server_access_profile api_server_authorized_ip_ranges arn associate_public_ip_address
  authorization_type autoscaling_group_name backend_address_pool_id backend_address_pool_ids backend_port
  binding broker_node_group_info bucket cidr_block cidr_blocks cidr_ipv4 cidr_ipv6 cloud_function
  cluster_identifier cluster_subnet_group_name connection_name container_port db_subnet_group_name
  default_action default_network_acl_id default_route_table_id delegated_subnet_id deny
  destination_cidr_block destination_ipv6_cidr_block destination_port_range destination_port_ranges direction
  disable_execute_api_endpoint disabled dns_name domain_name egress elb email enabled endpoint
  endpoint_configuration entity forward from_port frontend_ip_configuration frontend_port function_name
  gateway_id gateway_ip_configuration grant grantee id identifier ignore_public_acls ingress ingress_settings
  instance instance_id instances integration_uri internal ip_address ip_configuration ip_protocol ipv6_access_config
  ipv6_addresses ipv6_cidr_block ipv6_cidr_blocks key_id launch_configuration launch_template
  lb_target_group_arn listener_arn load_balancer load_balancer_arn load_balancer_backend_address_pool_ids
  load_balancer_backend_address_pools_ids load_balancer_type load_balancers load_balancing_scheme
  loadbalancer_id main_route_table_id map_public_ip_on_launch master_authorized_networks_config member
  members metadata mixed_instances_policy name network network_acl_id network_configuration network_interface
  network_interface_id network_interface_ids network_interfaces network_security_group_id
  network_security_group_name node_port object origin policy policy_data port port_range ports predefined_acl
  priority private_cluster_config private_cluster_enabled protocol public_access_prevention public_ip
  public_ip_address public_ip_address_id public_network_access_enabled publicly_accessible queue_url
  referenced_security_group_id replication_subnet_group_id repository resource_group_name rest_api_id
  restrict_public_buckets role_entity route route_table_id rule_action rule_no rule_number secret_arn
  security_group_id security_group_ids security_groups security_rule self self_link server_id server_name
  service service_account service_config settings sku source_address_prefix source_address_prefixes
  source_ranges source_security_group_id source_service_accounts source_tags spec start_ip_address subnet_id
  subnet_ids subnetwork tags target_group_arn target_group_arns target_id target_service_accounts target_tags
  to_port type uri url value vpc_config vpc_id vpc_options vpc_security_group_ids vpc_zone_identifier website
  `
    .trim()
    .split(/\s+/),
);
