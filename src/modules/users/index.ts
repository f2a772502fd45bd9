export { AdminRightsView, UserView } from './dto/users.dto.js';
export type { UserEntity } from './entities/user.entity.js';
export { LONGEST_PASSWORD, Passwords, SHORTEST_PASSWORD } from './passwords.js';
export { UserDeleted } from './user-deleted.event.js';
export { UserDirectory } from './user-directory.js';
export { userErrors } from './user.errors.js';
export { toUserView } from './user.view.js';
export { UsersModule } from './users.module.js';
