import type { RegisterCommand } from './commands/command.js';

/** Every command by its first word, in the order `--help` shows them; loaded when it is needed. */
export const COMMANDS: Readonly<Record<string, () => Promise<RegisterCommand>>> = {
  login: async () => (await import('./commands/login.command.js')).registerLogin,
  logout: async () => (await import('./commands/logout.command.js')).registerLogout,
  whoami: async () => (await import('./commands/whoami.command.js')).registerWhoami,
  states: async () => (await import('./commands/states.command.js')).registerStates,
  plan: async () => (await import('./commands/plan.command.js')).registerPlan,
  apply: async () => (await import('./commands/apply.command.js')).registerApply,
  'backend-config': async () => (await import('./commands/backend-config.command.js')).registerBackendConfig,
  tx: async () => (await import('./commands/tx.command.js')).registerTransactions,
  query: async () => (await import('./commands/query.command.js')).registerQuery,
  'blast-radius': async () => (await import('./commands/blast-radius.command.js')).registerBlastRadius,
  security: async () => (await import('./commands/security.command.js')).registerSecurity,
  costs: async () => (await import('./commands/costs.command.js')).registerCosts,
  gaps: async () => (await import('./commands/gaps.command.js')).registerGaps,
  kv: async () => (await import('./commands/kv.command.js')).registerKv,
  tasks: async () => (await import('./commands/tasks.command.js')).registerTasks,
  run: async () => (await import('./runner/run.command.js')).registerRun,
  runner: async () => (await import('./runner/runner.command.js')).registerRunner,
  ci: async () => (await import('./runner/ci.command.js')).registerCi,
  version: async () => (await import('./commands/version.command.js')).registerVersion,
};
