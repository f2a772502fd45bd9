import { type IdAttributes, idText } from './cloud-id.js';

/** Settings of another resource, which carry that resource's id as their own. */
const BORROWED =
  /_association$|^azurerm_storage_account_(?:network_rules|customer_managed_key|queue_properties|static_website)$|^azurerm_virtual_network_dns_servers$/;

/** ARM ids in lower case: Azure spells one id in several ways. */
export function azureIdsOf(type: string, attributes: IdAttributes): string[] {
  if (BORROWED.test(type)) return [];
  const ids = ['id', 'resource_manager_id'].flatMap((name) => azureLookupIds(idText(attributes[name]) ?? ''));
  return [...new Set(ids)];
}

export function azureLookupIds(id: string): string[] {
  const lower = id.toLowerCase();
  if (!lower.startsWith('/subscriptions/') || lower.includes('|')) return [];
  return [lower.replace(/\/+$/, '')];
}
