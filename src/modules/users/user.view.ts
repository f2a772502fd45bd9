import { type Grants, isInstallationAdmin } from '../access/index.js';
import type { AdminRightsView, UserView } from './dto/users.dto.js';
import type { UserEntity } from './entities/user.entity.js';

export function toUserView(user: UserEntity, grants: Grants): UserView {
  return {
    id: user.id,
    name: user.name,
    ...(user.email === null ? {} : { email: user.email }),
    type: user.type,
    admin_rights: adminRightsOf(grants),
    ...(user.authOrigin === null ? {} : { auth_origin: user.authOrigin }),
    ...(user.avatarUrl === null ? {} : { avatar_url: user.avatarUrl }),
    created_at: user.createdAt.toISOString(),
  };
}

/** Never both: an unscoped grant includes the other. */
function adminRightsOf(grants: Grants): AdminRightsView {
  const installation = isInstallationAdmin(grants);
  return { is_instance_admin: installation, is_tenant_admin: !installation && grants.admin !== undefined };
}
