import { Code, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../platform/formats';

/** What the tenant's role in AWS must say before the service can assume it. */
export function TrustPolicy({ externalId }: { externalId: string }) {
  const policy = JSON.stringify(
    {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: 'ARN of the identity that the service runs with' },
          Action: 'sts:AssumeRole',
          Condition: { StringEquals: { 'sts:ExternalId': externalId } },
        },
      ],
    },
    null,
    2,
  );
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">Trust policy of the role:</Text>
      <Code block w="100%">
        {policy}
      </Code>
      <CopyButton text={policy} />
    </Stack>
  );
}
