export {
  type CiJobEnd,
  type CodeEventBase,
  CodeEventHandlers,
  type CodeEventKind,
  type CodeEvents,
  HandlesCodeEvent,
} from './code-events.js';
export type {
  ChangedFile,
  ChangedFiles,
  CiRun,
  CloneCredentials,
  CodeHost,
  CommentReaction,
  CommitStatus,
  Comparison,
  DispatchRequest,
  DispatchResult,
  HostInstallation,
  HostIssue,
  HostPlace,
  HostPullRequest,
  HostRepository,
  HostRepositoryRef,
  HostReview,
  HostTree,
  MergeResult,
  RepositoryRole,
  Reviewers,
  StatusState,
  TreeEntry,
  WrittenComment,
} from './hosts/code-host.js';
export { REPOSITORY_ROLES } from './hosts/code-host.js';
export { CodeHosts } from './hosts/code-hosts.js';
export { InstallationEntity, type Provider, PROVIDERS } from './entities/installation.entity.js';
export { PullRequestEntity, type PullRequestState } from './entities/pull-request.entity.js';
export { RepositoryEntity } from './entities/repository.entity.js';
export { InstallationDeleted } from './installation-deleted.event.js';
export { InstallationUnlinked } from './installation-unlinked.event.js';
export { RepositoriesFound } from './repositories-found.event.js';
export {
  EnteredInstallation,
  InstallationGuard,
  InstallationsOf,
  type LinkedInstallation,
} from './installations/installation.guard.js';
export { InstallationQueries } from './installations/installations.queries.js';
export { GithubApp } from './hosts/github-app.js';
export { VcsSettings } from './hosts/vcs-settings.js';
export {
  decodePosition,
  type KeysetPage,
  keysetPage,
  listLimit,
  type PageKeys,
  type PagePosition,
} from './repositories/keyset-page.js';
export { PullRequestsStore } from './repositories/pull-requests.store.js';
export { RepositorySync } from './repositories/repository-sync.service.js';
export { vcsErrors } from './vcs.errors.js';
export { VcsModule } from './vcs.module.js';
