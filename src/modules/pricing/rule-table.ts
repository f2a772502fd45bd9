import { awsApps } from './aws/aws-apps.pricing.js';
import { awsBeanstalk } from './aws/aws-beanstalk.pricing.js';
import { awsCloudfront } from './aws/aws-cloudfront.pricing.js';
import { awsCloudwatch } from './aws/aws-cloudwatch.pricing.js';
import { awsContainers } from './aws/aws-containers.pricing.js';
import { awsDatabases } from './aws/aws-databases.pricing.js';
import { awsEbsSnapshots } from './aws/aws-ebs-snapshots.pricing.js';
import { awsEc2 } from './aws/aws-ec2.pricing.js';
import { awsEc2Groups } from './aws/aws-ec2-groups.pricing.js';
import { awsElb } from './aws/aws-elb.pricing.js';
import { awsLambda } from './aws/aws-lambda.pricing.js';
import { awsMessaging } from './aws/aws-messaging.pricing.js';
import { awsNetwork } from './aws/aws-network.pricing.js';
import { awsRds } from './aws/aws-rds.pricing.js';
import { awsS3 } from './aws/aws-s3.pricing.js';
import { awsSecurity } from './aws/aws-security.pricing.js';
import { awsStorage } from './aws/aws-storage.pricing.js';
import { azureAi } from './azure/azure-ai.pricing.js';
import { azureCdn } from './azure/azure-cdn.pricing.js';
import { azureCompute } from './azure/azure-compute.pricing.js';
import { azureContainers } from './azure/azure-containers.pricing.js';
import { azureCosmos } from './azure/azure-cosmos.pricing.js';
import { azureDatabases } from './azure/azure-databases.pricing.js';
import { azureIntegration } from './azure/azure-integration.pricing.js';
import { azureMonitor } from './azure/azure-monitor.pricing.js';
import { azureNetwork } from './azure/azure-network.pricing.js';
import { azureSecurity } from './azure/azure-security.pricing.js';
import { azureSql } from './azure/azure-sql.pricing.js';
import { azureStorage } from './azure/azure-storage.pricing.js';
import { azureWeb } from './azure/azure-web.pricing.js';
import { googleApps } from './google/google-apps.pricing.js';
import { googleCompute } from './google/google-compute.pricing.js';
import { googleContainers } from './google/google-containers.pricing.js';
import { googleDatabases } from './google/google-databases.pricing.js';
import { googleStorage } from './google/google-storage.pricing.js';
import type { Rule, Rules } from './resource-draft.js';

interface TypeRule {
  rule: Rule;
  /** first part of the price book's keys: the type without its provider unless it shares another's prices */
  family: string;
}

const SERVICES: readonly Rules[] = [
  awsApps,
  awsBeanstalk,
  awsCloudfront,
  awsCloudwatch,
  awsContainers,
  awsDatabases,
  awsEbsSnapshots,
  awsEc2,
  awsEc2Groups,
  awsElb,
  awsLambda,
  awsMessaging,
  awsNetwork,
  awsRds,
  awsS3,
  awsSecurity,
  awsStorage,
  azureAi,
  azureCdn,
  azureCompute,
  azureContainers,
  azureCosmos,
  azureDatabases,
  azureIntegration,
  azureMonitor,
  azureNetwork,
  azureSecurity,
  azureSql,
  azureStorage,
  azureWeb,
  googleApps,
  googleCompute,
  googleContainers,
  googleDatabases,
  googleStorage,
];

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
