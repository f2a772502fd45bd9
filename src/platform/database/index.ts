export { ADVISORY_LOCK_CLASSES, ADVISORY_LOCKS } from './advisory-locks.js';
export { connectionOf } from './connection.js';
export { DatabaseModule } from './database.module.js';
export { DatabaseTooOld, migrate, migrationsDirectory } from './migrations.js';
export { isDatabaseUnavailable } from './database-unavailable.js';
export { MAX_PAGE_BYTES, rowsOfPage, type SizedRow, sizedRows } from './page-bytes.js';
export { databaseAnswers } from './readiness.js';
export { type PreparedStatement, UnitOfWork } from './unit-of-work.js';
