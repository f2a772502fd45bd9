import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { PullRequestState } from '../../vcs/index.js';
import { isOvertaken } from '../runs/run-progress.queries.js';
import { HOLDING_RUN } from './holding-run.js';

export interface PullRequestRow {
  repository_id: string;
  provider_id: string;
  owner: string;
  repository_name: string;
  web_url: string;
  number: number;
  title: string | null;
  username: string | null;
  state: PullRequestState;
  is_draft: boolean;
  is_fork: boolean;
  branch: string;
  base_branch: string;
  sha: string;
  merged_at: Date | null;
}
export interface DirectoryRunRow {
  dir: string;
  workspace: string;
  run_type: 'plan' | 'apply';
  run_id: string;
  state: string;
  hooks_failed: boolean;
  has_changes: boolean | null;
  summary: { add: number; change: number; destroy: number } | null;
  transaction_id: string | null;
  created_at: Date;
  is_overtaken: boolean;
}
export interface HoldRow {
  dir: string;
  workspace: string;
  /** null: a run that reconciles drift holds it */
  pull_number: number | null;
  username: string | null;
  created_at: Date;
  run_id: string | null;
  run_state: string | null;
}

const FIND = `
  SELECT p.repository_id, r.provider_id, r.owner, r.name AS repository_name, r.web_url, p.number, p.title, p.username, p.state,
         p.is_draft, p.is_fork, p.branch, p.base_branch, p.sha, p.merged_at
    FROM pull_requests p JOIN repositories r ON r.id = p.repository_id
   WHERE r.installation_id = $1 AND r.provider_id = $2 AND p.number = $3`;

/**
 * The newest plan and the newest apply of each directory for a commit and its base branch, those that were given up
 * included. What a runner reports of a plan that was given up counts no more.
 */
const RUNS = `
  SELECT DISTINCT ON (d.dir, d.workspace, d.run_type) d.dir, d.workspace, d.run_type, d.work_manifest_id AS run_id,
         CASE WHEN d.run_type = 'plan' AND m.state = 'aborted' THEN 'aborted' ELSE d.state END AS state, m.hooks_failed,
         d.has_changes, d.summary, d.transaction_id, d.created_at,
         ${isOvertaken('d')} AS is_overtaken
    FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id AND m.base_branch = $4
   WHERE d.repository_id = $1 AND d.pull_number = $2 AND d.sha = $3 AND d.run_type IN ('plan', 'apply')
   ORDER BY d.dir, d.workspace, d.run_type, d.created_at DESC, d.work_manifest_id DESC`;

const HOLDS = `
  SELECT h.dir, h.workspace, h.pull_number, h.username, h.created_at, a.work_manifest_id AS run_id, a.state AS run_state
    FROM dirspace_holds h ${HOLDING_RUN}
   WHERE h.repository_id = $1 AND (h.pull_number = $2 OR EXISTS (
     SELECT FROM work_manifest_dirspaces d
      WHERE d.repository_id = $1 AND d.pull_number = $2 AND d.sha = $3 AND d.dir = h.dir AND d.workspace = h.workspace))
   ORDER BY h.dir, h.workspace`;

@Injectable()
export class PullRequestOverviewQueries {
  constructor(private readonly work: UnitOfWork) {}

  async find(installationId: string, repoId: string, number: number): Promise<PullRequestRow | undefined> {
    const [row] = await this.work.query<PullRequestRow>(FIND, [installationId, repoId, number]);
    return row;
  }

  async runs({ repository_id, number, sha, base_branch }: PullRequestRow): Promise<DirectoryRunRow[]> {
    return this.work.query<DirectoryRunRow>(RUNS, [repository_id, number, sha, base_branch]);
  }

  async holds({ repository_id, number, sha }: PullRequestRow): Promise<HoldRow[]> {
    return this.work.query<HoldRow>(HOLDS, [repository_id, number, sha]);
  }
}
