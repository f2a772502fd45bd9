import type {
  ClaimableInstallationView,
  InstallationView,
  TenantInstallationView,
} from '../dto/installations.dto.js';
import type { InstallationEntity } from '../entities/installation.entity.js';

export function toTenantInstallationView(installation: InstallationEntity): TenantInstallationView {
  const { id, provider, installationId, name, state, createdAt, updatedAt, linkedAt } = installation;
  return {
    provider,
    installation_core_id: id,
    installation_id: installationId,
    name,
    state,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    ...(linkedAt ? { linked_at: linkedAt.toISOString() } : {}),
  };
}

export function toClaimableView(installation: InstallationEntity): ClaimableInstallationView {
  const { id, installationId, name, targetType, state, createdAt } = installation;
  return {
    installation_core_id: id,
    github_id: installationId,
    login: name,
    target_type: targetType,
    state,
    created_at: createdAt.toISOString(),
  };
}

export function toInstallationView(installation: InstallationEntity): InstallationView {
  const { installationId, name, state, createdAt } = installation;
  return {
    id: installationId,
    name,
    account_status: state,
    created_at: createdAt.toISOString(),
    tier: { name: 'unlimited', features: {} },
  };
}
