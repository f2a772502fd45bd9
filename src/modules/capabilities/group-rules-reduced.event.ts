/**
 * Sessions and keys of a user keep only some of the group rules that they were given; published in the transaction that
 * takes the others away. The modules of sessions and keys change their own rows.
 */
export class GroupRulesReduced {
  constructor(
    readonly userId: string,
    readonly ruleIds: readonly string[],
    /** whether `ruleIds` are the rules that are kept, or those that are lost */
    readonly fate: 'kept' | 'lost',
  ) {}
}

/** Rules that remain, for a statement whose parameters begin with those of `reductionOf`. */
export const REMAINING_RULES =
  'ARRAY(SELECT id FROM unnest(rule_ids) id WHERE (id = ANY ($2::uuid[])) = $3::boolean)';
export const LOSES_RULES =
  'EXISTS (SELECT FROM unnest(rule_ids) id WHERE (id = ANY ($2::uuid[])) <> $3::boolean)';

export function reductionOf({ userId, ruleIds, fate }: GroupRulesReduced): unknown[] {
  return [userId, ruleIds, fate === 'kept'];
}
