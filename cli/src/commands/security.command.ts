import {
  ApiError,
  type FindingView,
  type ImpactView,
  type ScanView,
  stateSecurityScan,
  stateSecurityScans,
  stateSecuritySummary,
  tenantSecurityHistory,
  tenantSecuritySummary,
  transactionSecurityImpact,
  waitForTask,
} from '@infrastate/sdk';
import type { Command } from 'commander';
import type { Context } from '../context/context.js';
import { Failure, UsageFailure } from '../failure.js';
import { table } from '../output/table.rules.js';
import { type FindingFilters, type FindingPlace, findingsOf, sarifOf } from '../security/finding-lists.js';
import { whenComputed } from '../security/impact-wait.js';
import {
  breakdownOf,
  breakdownText,
  countFrom,
  impactLine,
  severityOption,
} from '../security/severity.rules.js';
import { answer } from '../service/api-client.js';
import { findState } from '../states/state-lookup.js';
import type { RegisterCommand } from './command.js';
import { registerWaivers } from './waivers.command.js';

interface FormatOptions {
  format?: string;
}
interface FindingsOptions extends FormatOptions, FindingFilters {
  failOn?: string;
}
interface ImpactOptions extends FormatOptions {
  failOn?: string;
}

/** Exit code of `--fail-on`: what was asked went well, and there are findings as bad as that. */
const FINDINGS = 3;
const IMPACT_WAIT_SECONDS = 120;
const SCAN_POLL_MS = 250;
const FAIL_ON = [
  '--fail-on <severity>',
  `exit with code ${FINDINGS} if there are findings of this severity or higher`,
] as const;

export const registerSecurity: RegisterCommand = (program, run) => {
  const security = program.command('security').description('findings of the security scan');
  const define = (name: string, description: string, formats = 'table or json'): Command =>
    security
      .command(name)
      .description(description)
      .option('--format <format>', `output format: ${formats} (default: table)`);
  define('findings', 'list findings of a state, or of the tenant', 'table, json or sarif')
    .argument('[state]', 'name or id (default: all states of the tenant)')
    .option('--severity <names>', 'only findings with these effective severities, such as critical,high')
    .option('--check <id>', 'only findings of this check; give its id or an alias')
    .option('--reachable', 'only findings of resources that the internet reaches')
    .option('--status <status>', 'status of the findings: open (default), suppressed, resolved or all')
    .option(...FAIL_ON)
    .action(run<FindingsOptions>(findings));
  define('summary', 'count the open findings by severity and by check')
    .argument('[state]', 'name or id (default: all states of the tenant)')
    .action(run<FormatOptions>(summary));
  define('scan', 'scan a whole state now, and wait for the result')
    .argument('<state>')
    .action(run<FormatOptions>(scan));
  define('scans', 'list the newest scans of a state').argument('<state>').action(run<FormatOptions>(scans));
  define('history', 'show how many findings were open at the end of each day')
    .option('--from <date>', 'first day (default: 30 days before the last)')
    .option('--to <date>', 'last day (default: today)')
    .action(run<FormatOptions & { from?: string; to?: string }>(history));
  define('impact', 'show which findings a transaction adds and which it resolves')
    .argument('<transaction>')
    .option(...FAIL_ON)
    .action(run<ImpactOptions>(impact));
  registerWaivers(security, run);
};

/** Prints a table or JSON; `--json` and `--format json` are the same. */
async function print(
  context: Context,
  format: string | undefined,
  value: unknown,
  human: () => string,
): Promise<void> {
  if (format !== undefined && format !== 'table' && format !== 'json')
    throw new UsageFailure('--format must be table or json');
  if (format === 'json') await context.output.write(`${JSON.stringify(value, null, 2)}\n`);
  else await context.output.result(value, human);
}

async function findings(
  context: Context,
  [name]: readonly string[],
  { format, failOn, ...filters }: FindingsOptions,
): Promise<number> {
  const threshold = severityOption(failOn);
  const place = await placeOf(context, name);
  if (format === 'sarif') {
    await context.output.write(`${await sarifOf(context, place, filters)}\n`);
    if (threshold === undefined) return 0;
  }
  const found = await findingsOf(context, place, filters);
  if (format !== 'sarif')
    await print(context, format, { findings: found }, () => findingTable(context, found));
  const open = found.filter(({ status }) => status === 'open');
  return threshold !== undefined && countFrom(threshold, breakdownOf(open)) > 0 ? FINDINGS : 0;
}

async function placeOf(context: Context, name: string | undefined): Promise<FindingPlace> {
  if (name === undefined) return { tenantId: await context.tenantId() };
  return { stateId: (await findState(context, name)).id };
}

function findingTable(context: Context, found: readonly FindingView[]): string {
  if (found.length === 0) return 'No findings.';
  return table(
    ['SEVERITY', 'CHECK', 'RESOURCE', 'STATE', 'REACHABLE', 'TITLE'],
    found.map((one) => [
      one.severity_effective,
      one.check_id,
      one.resource_fq_address,
      one.state_name ?? one.workspace,
      one.is_internet_reachable === undefined ? '' : one.is_internet_reachable ? 'yes' : 'no',
      one.title,
    ]),
    context.output.width,
  );
}

async function summary(
  context: Context,
  [name]: readonly string[],
  { format }: FormatOptions,
): Promise<void> {
  const place = await placeOf(context, name);
  const client = context.api();
  const found = await answer(
    'stateId' in place
      ? stateSecuritySummary({ client, path: place })
      : tenantSecuritySummary({ client, path: place }),
  );
  await print(context, format, found, () =>
    [
      `${found.total} open findings${found.total > 0 ? `: ${breakdownText(found.severity_breakdown)}` : ''}`,
      `${found.internet_reachable_count} on resources that the internet reaches, ${found.suppressed_count} suppressed`,
      ...(found.top_checks.length === 0 ? [] : ['', topChecks(context, found.top_checks)]),
    ].join('\n'),
  );
}

function topChecks(
  context: Context,
  checks: readonly { check_id: string; count: number; title: string }[],
): string {
  return table(
    ['COUNT', 'CHECK', 'TITLE'],
    checks.map(({ check_id, count, title }) => [String(count), check_id, title]),
    context.output.width,
  );
}

async function scan(
  context: Context,
  [name = '']: readonly string[],
  { format }: FormatOptions,
): Promise<void> {
  const { id: stateId } = await findState(context, name);
  const client = context.api('all');
  const started = await answer(stateSecurityScan({ client, path: { stateId } }));
  const task = await waitForTask({ client, taskId: started.id, intervalMs: SCAN_POLL_MS }).catch(
    (error: unknown) => {
      throw error instanceof ApiError ? new Failure('TASK_FAILED', `${error.id}: ${error.message}`) : error;
    },
  );
  const [newest] = await newestScans(context, stateId);
  await print(context, format, newest ?? task, () => (newest ? scanTable(context, [newest]) : 'scanned'));
}

async function newestScans(context: Context, stateId: string): Promise<ScanView[]> {
  const client = context.api();
  return (await answer(stateSecurityScans({ client, path: { stateId }, query: { kind: 'current' } }))).scans;
}

async function scans(
  context: Context,
  [name = '']: readonly string[],
  { format }: FormatOptions,
): Promise<void> {
  const found = await newestScans(context, (await findState(context, name)).id);
  await print(context, format, { scans: found }, () => scanTable(context, found));
}

function scanTable(context: Context, found: readonly ScanView[]): string {
  if (found.length === 0) return 'No scans yet.';
  return table(
    ['SCANNED', 'STATUS', 'FINDINGS', 'BY', 'VERSION', 'ERROR'],
    found.map((one) => [
      one.scanned_at,
      one.status,
      String(one.finding_count),
      one.triggered_by,
      String(one.version ?? ''),
      one.error_message ?? '',
    ]),
    context.output.width,
  );
}

async function history(
  context: Context,
  _args: readonly string[],
  { format, from, to }: FormatOptions & { from?: string; to?: string },
): Promise<void> {
  const found = await answer(
    tenantSecurityHistory({
      client: context.api(),
      path: { tenantId: await context.tenantId() },
      query: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
    }),
  );
  await print(context, format, found, () =>
    table(
      ['DATE', 'OPEN', 'BY SEVERITY'],
      found.points.map((point) => [
        point.date,
        String(point.findings_total_count),
        breakdownText(point.severity_breakdown),
      ]),
      context.output.width,
    ),
  );
}

async function impact(
  context: Context,
  [txId = '']: readonly string[],
  { format, failOn }: ImpactOptions,
): Promise<number> {
  const threshold = severityOption(failOn);
  const client = context.api();
  const found = await whenComputed<ImpactView>(
    async () => answer(transactionSecurityImpact({ client, path: { txId } })),
    IMPACT_WAIT_SECONDS,
  );
  if (!found) throw new Failure('IMPACT_PENDING', 'the impact is not computed yet', 'ask again in a moment');
  const added = breakdownOf(found.findings_added);
  await print(context, format, found, () =>
    [
      impactLine(added, breakdownOf(found.findings_resolved)),
      ...(found.findings_added.length === 0
        ? []
        : ['', 'Added:', findingTable(context, found.findings_added)]),
      ...(found.findings_resolved.length === 0
        ? []
        : ['', 'Resolved:', findingTable(context, found.findings_resolved)]),
    ].join('\n'),
  );
  return threshold !== undefined && countFrom(threshold, added) > 0 ? FINDINGS : 0;
}
