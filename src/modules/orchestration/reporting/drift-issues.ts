import { Injectable } from '@nestjs/common';
import { CodeHosts } from '../../vcs/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { Runs } from '../runs/runs.store.js';
import type { StepText } from './comment-text.rules.js';
import { DRIFT_LABEL, driftIssueChanges, type DriftGrouping } from './drift-issues.rules.js';
import { RunComments } from './run-comments.js';

/** Keeps the issues that `drift_create_issue` asks for. Doing it again changes nothing. */
@Injectable()
export class DriftIssues {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly runs: Runs,
    private readonly comments: RunComments,
  ) {}

  async keep(place: RepositoryPlace, run: WorkManifestEntity): Promise<void> {
    if (run.kind !== 'drift' || run.runType !== 'plan' || run.state !== 'completed') return;
    const steps = await this.comments.stepsOf(run.id);
    const groupings = new Set(
      steps.filter(({ step }) => step === 'drift_create_issue').map(({ payload }) => groupingOf(payload)),
    );
    if (groupings.size === 0) return;
    const host = this.hosts.of(place.installation.provider);
    const dirspaces = (await this.runs.dirspaces(run.id)).map((dirspace) => ({
      ...dirspace,
      plan: planOf(steps, dirspace),
    }));
    const drift = {
      repo: `${place.repository.owner}/${place.repository.name}`,
      tagQuery: run.tagQuery,
      environment: run.environment,
      runPage: this.comments.runPage(place, run.id),
      dirspaces,
    };
    for (const grouping of groupings) {
      const open = await host.listOpenIssues(place, DRIFT_LABEL);
      const { create, close } = driftIssueChanges(open, drift, grouping);
      for (const issue of create) await host.createIssue(place, { ...issue, label: DRIFT_LABEL });
      for (const number of close) await host.closeIssue(place, number);
    }
  }
}

function groupingOf(payload: StepText['payload']): DriftGrouping {
  return payload?.['group_by'] === 'dirspace' ? 'dirspace' : 'all';
}

function planOf(steps: readonly StepText[], { dir, workspace }: { dir: string; workspace: string }): string {
  const step = steps.find(
    (each) => each.step === 'tf/plan' && each.dir === dir && each.workspace === workspace,
  );
  const plan = step?.payload?.['plan'];
  return typeof plan === 'string' ? plan : '';
}
