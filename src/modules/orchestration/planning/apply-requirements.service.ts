import { Injectable } from '@nestjs/common';
import {
  type ApplyRequirements,
  type Dirspace,
  taggedDirectory,
  taggingOf,
} from '../../repo-config/index.js';
import { directoryMatcher, parseTagQuery } from '../../tag-query/index.js';
import { CodeHosts, PullRequestsStore } from '../../vcs/index.js';
import { approvers, missingReviews, unmetRequirements } from './apply-requirements.rules.js';
import type { Change } from './changes.js';
import { inlineCode, inlineText } from './inline-text.rules.js';
import { OpenGates } from './open-gates.js';
import { Permissions } from './permissions.service.js';

/** Where a requirement names nobody: on a public repository, everybody in the world can approve. */
const ANYBODY = ['role:write'];

/** Everything that stands in the way of an apply, asked of the provider at this moment. */
@Injectable()
export class ApplyRequirementChecks {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly gates: OpenGates,
    private readonly permissions: Permissions,
    private readonly pullRequests: PullRequestsStore,
  ) {}

  /** Every reason once; empty when nothing stands in the way. */
  async reasons(change: Change, dirspaces: readonly Dirspace[]): Promise<string[]> {
    const { place, pullRequest } = change;
    const host = this.hosts.of(place.installation.provider);
    const distinct = new Set(requirementsFor(change, dirspaces));
    const needsStatuses = [...distinct].some(({ status_checks }) => status_checks.enabled);
    const needsReviews = [...distinct].some(({ approved }) => approved.enabled);
    const statuses = needsStatuses ? await host.listStatuses(place, pullRequest.sha) : [];
    const by = needsReviews ? approvers(await host.listReviews(place, pullRequest.number), pullRequest) : [];
    const needsPusher = [...distinct].some(({ approved }) => approved.enabled && approved.any_of_count > 1);
    const pushedBy = needsPusher && by.length > 0 ? await this.findPusher(change) : undefined;
    const reasons: string[] = [];
    for (const requirements of distinct) {
      reasons.push(...unmetRequirements(requirements, pullRequest, statuses));
      if (requirements.approved.enabled)
        reasons.push(...(await this.missingReviews(change, requirements, { by, pushedBy })));
    }
    reasons.push(...(await this.openGates(change)));
    return [...new Set(reasons)];
  }

  /** Asked of the provider; where it does not say, what GitHub signed. Maintainers of a group can forge its webhooks. */
  async findPusher({ place, pullRequest }: Change): Promise<string | undefined> {
    const { branch, sha, number } = pullRequest;
    const told = await this.hosts.of(place.installation.provider).findPusher(place, { branch, sha });
    if (told !== undefined || place.installation.provider !== 'github') return told;
    return this.pullRequests.findPusher({ repositoryId: place.repository.id, number }, sha);
  }

  private async missingReviews(
    change: Change,
    { approved }: ApplyRequirements,
    { by, pushedBy }: { by: readonly string[]; pushedBy: string | undefined },
  ): Promise<string[]> {
    const missing: string[] = [];
    for (const entry of approved.all_of)
      if ((await this.thoseOf(change, by, [entry])).length === 0) missing.push(entry);
    const people = approved.any_of.length > 0 ? approved.any_of : [...approved.all_of, ...ANYBODY];
    const eligible = await this.thoseOf(change, by, people);
    return missingReviews(approved, { missing, eligible, pushedBy });
  }

  /** Those of the usernames who are one of the people. */
  private async thoseOf(
    { place }: Change,
    by: readonly string[],
    people: readonly string[],
  ): Promise<string[]> {
    const areNamed = await Promise.all(
      by.map((username) => this.permissions.isOneOf(place, username, people)),
    );
    return by.filter((_, n) => areNamed[n]);
  }

  private async openGates({ place, pullRequest }: Change): Promise<string[]> {
    const { number: pullNumber, sha } = pullRequest;
    const open = await this.gates.list(place, { repositoryId: place.repository.id, pullNumber, sha });
    return open.map(
      ({ token, name, missing }) =>
        `the gate \`${inlineCode(name ?? token)}\` ${inlineText(missing)} (\`infrastate gate approve ${inlineCode(token)}\`)`,
    );
  }
}

/**
 * The first entry of `checks` that matches a dirspace counts, else the requirements of the whole. Tags and environments
 * count as both branches have them: a pull request adds requirements by changing its own, and takes none away before it
 * is merged.
 */
function requirementsFor(
  { config, base, pullRequest }: Change,
  dirspaces: readonly Dirspace[],
): ApplyRequirements[] {
  const { checks, ...whole } = config.apply_requirements;
  const matchers = checks.map((check) => ({
    check,
    matches: directoryMatcher(parseTagQuery(check.tag_query)),
  }));
  const ofBase = taggingOf(base);
  return dirspaces.flatMap((dirspace) =>
    [ofBase(dirspace), ...(pullRequest.state === 'merged' ? [] : [taggedDirectory(dirspace)])].map(
      (directory) => matchers.find(({ matches }) => matches(directory))?.check ?? whole,
    ),
  );
}
