export { CapabilitiesModule } from './capabilities.module.js';
export { CapabilityDefaults } from './capability-defaults.js';
export { GRANTS_SCHEMA } from './dto/capabilities.dto.js';
export { GroupRulesReduced, LOSES_RULES, reductionOf, REMAINING_RULES } from './group-rules-reduced.event.js';
export { GroupRules, tenantsOfStates } from './group-rules.store.js';
export { RightsReduced } from './rights-reduced.event.js';
export { UserGrants } from './user-grants.js';
