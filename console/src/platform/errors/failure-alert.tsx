import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { ApiFailure } from '../client';
import { plural } from '../formats/numbers';
import { IconWarning } from '../icons';

interface FailureAlertProps {
  failure: unknown;
  /** shows `Try again` */
  retry?: () => void;
  title?: string;
}

/** What was refused or failed, in the service's words. Never a raw body. */
export function FailureAlert({ failure, retry, title }: FailureAlertProps) {
  if (!failure) return null;
  const { requestId, retryAfter, status } =
    failure instanceof ApiFailure ? failure : ({} as Partial<ApiFailure>);
  return (
    <Alert color="red" variant="light" title={title} icon={<IconWarning />} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {wordsOf(failure)}
        </Text>
        {retryAfter !== undefined && (
          <Text size="sm">The service asks to wait {plural(retryAfter, 'second')}.</Text>
        )}
        {(status ?? 0) >= 500 && requestId !== undefined && (
          <Text size="sm">
            Request <Code>{requestId}</Code>
          </Text>
        )}
        {retry && (
          <Group>
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** Words for a failure of any kind. */
export function wordsOf(failure: unknown): string {
  if (failure instanceof ApiFailure) return failure.message;
  if (failure instanceof SyntaxError) return 'The service answered with broken JSON instead of data.';
  return 'Something unexpected happened in this page.';
}

/**
 * The refusal of one field of a form: the service's message when it names the field. Fields are named as in the body
 * (`invited_email`), messages begin with them.
 */
export function fieldFailure(failure: unknown, field: string): string | undefined {
  if (!(failure instanceof ApiFailure) || failure.status < 400 || failure.status >= 500) return undefined;
  const named = new RegExp(`(?:^|[\\s;,"\`'])${field}(?:[\\s.:"\`'\\[]|$)`, 'i');
  return named.test(failure.message) ? failure.message : undefined;
}
