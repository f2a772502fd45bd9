import { awsCloudwatch } from './aws-cloudwatch.pricing.js';
import { awsEc2 } from './aws-ec2.pricing.js';
import { awsEks } from './aws-eks.pricing.js';
import { awsElb } from './aws-elb.pricing.js';
import { awsLambda } from './aws-lambda.pricing.js';
import { awsRds } from './aws-rds.pricing.js';
import { awsSecurity } from './aws-security.pricing.js';
import type { Rule, Rules } from './resource-draft.js';

interface TypeRule {
  rule: Rule;
  /** first part of the price book's keys: the type without its provider unless it shares another's prices */
  family: string;
}

const SERVICES: readonly Rules[] = [awsEc2, awsRds, awsElb, awsLambda, awsEks, awsSecurity, awsCloudwatch];

const RULES = new Map<string, TypeRule>();
for (const rules of SERVICES) {
  for (const [type, entry] of Object.entries(rules)) {
    const family = typeof entry === 'function' ? type.slice(type.indexOf('_') + 1) : entry[0];
    RULES.set(type, { family, rule: typeof entry === 'function' ? entry : entry[1] });
  }
}

export function ruleOf(type: string): TypeRule | undefined {
  return RULES.get(type);
}

/** Every type that has a rule, in the order of the services. */
export function pricedTypes(): string[] {
  return [...RULES.keys()];
}
