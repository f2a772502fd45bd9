import type { Rules } from './resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/cloudwatch_*.go (Apache-2.0).

export const awsCloudwatch: Rules = {
  aws_cloudwatch_log_group: (r) => {
    r.perUse('Data ingested', 'GB', r.usage('monthly_data_ingested_gb'));
    r.perUse('Archival Storage', 'GB', r.usage('storage_gb'));
    r.perUse('Insights queries data scanned', 'GB', r.usage('monthly_data_scanned_gb'));
  },
};
