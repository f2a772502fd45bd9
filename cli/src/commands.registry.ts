import type { RegisterCommand } from './commands/command.js';
import { registerApply } from './commands/apply.command.js';
import { registerBackendConfig } from './commands/backend-config.command.js';
import { registerBlastRadius } from './commands/blast-radius.command.js';
import { registerLogin } from './commands/login.command.js';
import { registerLogout } from './commands/logout.command.js';
import { registerPlan } from './commands/plan.command.js';
import { registerQuery } from './commands/query.command.js';
import { registerStates } from './commands/states.command.js';
import { registerTasks } from './commands/tasks.command.js';
import { registerTransactions } from './commands/tx.command.js';
import { registerVersion } from './commands/version.command.js';
import { registerWhoami } from './commands/whoami.command.js';

/** Every command, in the order `--help` shows them. */
export const COMMANDS: readonly RegisterCommand[] = [
  registerLogin,
  registerLogout,
  registerWhoami,
  registerStates,
  registerPlan,
  registerApply,
  registerBackendConfig,
  registerTransactions,
  registerQuery,
  registerBlastRadius,
  registerTasks,
  registerVersion,
];
