import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ImportTextsView } from '../../platform/client';
import { CopyButton, saveFile } from '../../platform/formats';

/** The generated configuration, to copy or to keep as files. */
export function ImportTexts({ texts }: { texts: ImportTextsView }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        {texts.supported_count} resources are imported, {texts.unsupported_count} cannot be.
      </Text>
      {texts.unsupported_resources.map(({ arn, reason }) => (
        <Text key={arn} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{arn}</bdi>: {reason}
        </Text>
      ))}
      <OneText title="Import blocks" file="import.tf" text={texts.import_blocks} />
      <OneText title="Providers" file="providers.tf" text={texts.provider_hcl} />
      <OneText title="Resources" file="resources.tf" text={texts.generated_hcl} />
    </Stack>
  );
}

function OneText({ title, file, text }: { title: string; file: string; text: string }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Group gap="xs">
          <CopyButton text={text} />
          <Button variant="default" size="xs" onClick={() => saveFile(file, text, 'text/plain')}>
            Download {file}
          </Button>
        </Group>
      </Group>
      <Code block tabIndex={0} mah="24rem" style={{ overflow: 'auto' }}>
        {text}
      </Code>
    </Stack>
  );
}
