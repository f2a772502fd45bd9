import {
  stateVersionsAcceptSubmission,
  stateVersionsListSubmissions,
  type SubmissionView,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import { collect, rowsOf } from '../service/pages.js';
import { exportToFile, exportToStdout } from '../states/state-export.js';
import { findState } from '../states/state-lookup.js';
import type { RegisterCommand } from './command.js';

const PAGE = 1000;
const STATUSES = ['refused', 'merged'] as const;

/** Documents that a backend refused, or merged into a version. */
export const registerSubmissions: RegisterCommand = (states, run) => {
  const submissions = states
    .command('submissions')
    .description('documents that the service refused or merged');
  submissions
    .command('list')
    .argument('<state>')
    .description('list the submissions of a state')
    .option('--status <status>', STATUSES.join(' or '))
    .action(run<{ status?: string }>(list));
  submissions
    .command('show')
    .argument('<state>')
    .argument('<submission>', 'id')
    .argument('[file]', 'file to write, readable only by you (default: stdout)')
    .description('print a document as it was sent')
    .action(run(show));
  submissions
    .command('accept')
    .argument('<state>')
    .argument('<submission>', 'id')
    .description('merge a refused document into the state')
    .option('--base-version <version>', 'version that the writer started from; default: the recorded one')
    .action(run<{ baseVersion?: string }>(accept));
};

async function list(
  context: Context,
  [name = '']: readonly string[],
  { status: wanted }: { status?: string },
): Promise<void> {
  const status = STATUSES.find((known) => known === wanted);
  if (wanted !== undefined && status === undefined)
    throw new UsageFailure(`--status must be ${STATUSES.join(' or ')}`);
  const { id } = await findState(context, name);
  const results: SubmissionView[] = await collect(
    rowsOf((page) =>
      answer(
        stateVersionsListSubmissions({
          client: context.api(),
          path: { stateId: id },
          query: {
            limit: PAGE,
            ...(status === undefined ? {} : { status }),
            ...(page === undefined ? {} : { page }),
          },
        }),
      ),
    ),
  );
  await context.output.result({ results }, () =>
    table(
      ['ID', 'STATUS', 'SERIAL', 'BASE VERSION', 'CREATED', 'CONFLICTS WITH'],
      results.map((row) => [
        row.id,
        row.status,
        String(row.serial),
        row.base_version === undefined ? 'unknown' : String(row.base_version),
        row.created_at,
        row.conflicts_with.join(' '),
      ]),
      context.output.width,
    ),
  );
}

async function show(
  context: Context,
  [name = '', submissionId = '', file]: readonly string[],
): Promise<void> {
  const { id: stateId } = await findState(context, name);
  const document = { stateId, submissionId };
  if (file === undefined || file === '-') return void (await exportToStdout(context, document));
  const bytes = await exportToFile(context, document, file);
  await context.output.result(
    { state_id: stateId, submission_id: submissionId, file, bytes },
    () => `${bytes} bytes in ${file}`,
  );
}

async function accept(
  context: Context,
  [name = '', submissionId = '']: readonly string[],
  { baseVersion }: { baseVersion?: string },
): Promise<void> {
  if (baseVersion !== undefined && !/^\d{1,9}$/.test(baseVersion))
    throw new UsageFailure('--base-version must be the number of a version');
  const { id: stateId } = await findState(context, name);
  const written = await answer(
    stateVersionsAcceptSubmission({
      client: context.api(),
      path: { stateId, submissionId },
      body: baseVersion === undefined ? {} : { base_version: Number(baseVersion) },
    }),
  );
  await context.output.result(
    written,
    () => `${written.result}: version ${written.version}, serial ${written.serial}`,
  );
}
