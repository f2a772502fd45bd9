import { Badge, Group, Select, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { first, PageLink, useView } from '../../platform/address';
import {
  BY_PAGE_TOKEN,
  stateVersionsListSubmissionsInfiniteOptions,
  stateVersionsSubmission,
  type SubmissionView,
} from '../../platform/client';
import { formatCount, Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { DownloadButton } from './download-button';
import { useStateOfPage } from './state-context';

const STATUSES = ['merged', 'refused'] as const;

/** Documents that were not simply stored: refused ones, and ones that were merged with what others had written. */
export function SubmissionsPage() {
  const state = useStateOfPage();
  usePage('Submissions', state.name);
  const [view, setView] = useView<{ status?: string }>();
  const status = STATUSES.find((known) => known === first(view.status));
  const query = useInfiniteQuery({
    ...stateVersionsListSubmissionsInfiniteOptions({ path: { stateId: state.id }, query: { status } }),
    ...BY_PAGE_TOKEN,
  });
  return (
    <>
      <Select
        label="Status"
        placeholder="All"
        clearable
        maw="12rem"
        data={[...STATUSES]}
        value={status ?? null}
        onChange={(value) => setView({ status: value ?? undefined })}
      />
      <Listing
        name="Submissions"
        query={query}
        rowsOf={(page) => page.results}
        rowKey={(submission) => submission.id}
        columns={COLUMNS}
        empty="No submissions. A write that was based on an older version appears here: merged when it touched other instances than those written meanwhile, refused when it touched the same ones."
      />
    </>
  );
}

const COLUMNS: Column<SubmissionView>[] = [
  {
    header: 'Status',
    cell: ({ status }) => (
      <Badge color={status === 'refused' ? 'red' : 'green'} variant="light" c="var(--mantine-color-text)">
        {status}
      </Badge>
    ),
  },
  { header: 'Sent', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
  { header: 'Serial', isNumber: true, isWide: true, cell: ({ serial }) => formatCount(serial) },
  {
    header: 'Outcome',
    cell: (submission) => <Outcome submission={submission} />,
  },
  { header: 'Actions', isHeaderHidden: true, cell: (submission) => <Actions submission={submission} /> },
];

function Outcome({ submission }: { submission: SubmissionView }) {
  const { conflicts_with, resulting_serial } = submission;
  if (conflicts_with.length === 0)
    return <>{resulting_serial === undefined ? '–' : `became serial ${formatCount(resulting_serial)}`}</>;
  return (
    <Text size="sm" component="span">
      touched the same instances as{' '}
      {conflicts_with.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <PageLink to={`/transactions/${id}`}>{id.slice(0, 8)}</PageLink>
        </span>
      ))}
    </Text>
  );
}

/** The comparison needs the version that the writer started from. */
function Actions({ submission }: { submission: SubmissionView }) {
  const state = useStateOfPage();
  return (
    <Group justify="flex-end" gap="xs">
      {submission.base_version !== undefined && (
        <PageLink to={`/states/${state.id}/submissions/${submission.id}/diff`}>Compare</PageLink>
      )}
      <DownloadButton
        isSmall
        file={`${state.name}-${submission.status}-${submission.serial}.tfstate`}
        read={() =>
          stateVersionsSubmission({
            path: { stateId: state.id, submissionId: submission.id },
            parseAs: 'blob',
            throwOnError: true,
          })
        }
      />
    </Group>
  );
}
