import { defineErrors } from '../../platform/errors/index.js';

export const costErrors = defineErrors({
  COST_DISABLED: [503, 'cost estimation is switched off on this server'],
  COSTS_NOT_FOUND: [404, 'the state has no cost estimate yet'],
  INVALID_GROUP_BY: [400, 'group_by must be provider, type or tag; tag needs tag_key'],
});
