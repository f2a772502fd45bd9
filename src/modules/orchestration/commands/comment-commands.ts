import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { Audit } from '../../audit/index.js';
import { DependencyCycle, InvalidRepoConfig, type RepoConfig } from '../../repo-config/index.js';
import type { CommentReaction } from '../../vcs/index.js';
import { CommentCommandEntity } from '../entities/gate.entities.js';
import { type Change, Changes, UnreadableChange } from '../planning/changes.js';
import { Permissions } from '../planning/permissions.service.js';
import { inlineCode, inlineText } from '../planning/inline-text.rules.js';
import { Replies } from '../reporting/replies.js';
import { CommandRefused, type CommandContext, triggerOf } from './command-context.js';
import { CommandActions } from './command-actions.js';
import { Runs } from '../runs/runs.store.js';
import { type CommentCommand, HELP, isTooLate, lateText, parseComment } from './comment.rules.js';
import { isTagQueryForSure, readTagQuery, type TagQueryReading, type Vocabulary } from './prose.rules.js';

interface KnownCommand {
  answered_at: Date | null;
  carried_out_at: Date | null;
  created_at: Date;
  /** no earlier attempt may have answered it */
  is_new: boolean;
}

type Permitted = keyof RepoConfig['access_control'];

/** Which list of people a command asks for; undefined: everybody who can comment. */
const PERMISSION: Record<CommentCommand['name'], Permitted | undefined> = {
  plan: 'plan',
  apply: 'apply',
  'apply-autoapprove': 'apply_autoapprove',
  'apply-force': 'apply_force',
  unlock: 'unlock',
  'gate approve': undefined,
  help: undefined,
  'repo-config': undefined,
  unknown: undefined,
};

/** Comments on pull requests: each command is taken up once and answered once. */
@Injectable()
export class CommentCommands {
  private readonly logger = new Logger('CommentCommands');

  constructor(
    private readonly work: UnitOfWork,
    private readonly replies: Replies,
    private readonly changes: Changes,
    private readonly permissions: Permissions,
    private readonly actions: CommandActions,
    private readonly runs: Runs,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  async answer(context: CommandContext): Promise<void> {
    const command = parseComment(context.comment.body);
    if (!command) return;
    const { repository, comment } = context;
    const rows = await this.work.query<KnownCommand>(
      `INSERT INTO comment_commands (repository_id, comment_id) VALUES ($1, $2)
       ON CONFLICT (repository_id, comment_id) DO UPDATE SET comment_id = excluded.comment_id RETURNING answered_at, carried_out_at,
         created_at, xmax = 0 AS is_new`,
      [repository.id, comment.id],
    );
    const [known] = rows;
    if (known?.answered_at) return;
    const text = known?.carried_out_at ? doneText(context, command) : await this.replyTo(context, command);
    const since = known?.is_new === false ? known.created_at : undefined;
    if (text !== undefined)
      await this.replies.write(context, context.pullRequest.number, { key: triggerOf(context), text, since });
    await this.work.manager.update(
      CommentCommandEntity,
      { repositoryId: repository.id, commentId: comment.id },
      { answeredAt: () => 'now()' },
    );
  }

  /** Undefined without a reply, and for a sentence that only begins like a command. */
  private async replyTo(context: CommandContext, command: CommentCommand): Promise<string | undefined> {
    if (!(await this.isLate(context))) return this.execute(context, command);
    if (readingOf(command, undefined).kind === 'prose') return undefined;
    await this.react(context, 'confused');
    return lateText(context.receivedAt);
  }

  /** Says that a comment is taken up, or that it is not understood. The command goes on without. */
  private async react(context: CommandContext, reaction: CommentReaction): Promise<void> {
    const { number } = context.pullRequest;
    try {
      await this.replies.react(context, { number, id: context.comment.id }, reaction);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.logger.warn({ msg: 'reaction to a command failed', pullNumber: number, error: error.id });
    }
  }

  /** What has begun goes on, however long the provider refused to hear of it. */
  private async isLate(context: CommandContext): Promise<boolean> {
    if (!isTooLate(context.receivedAt, this.clock.now())) return false;
    const { repository, pullRequest } = context;
    return (await this.runs.askedBy(repository.id, pullRequest.number, triggerOf(context))).length === 0;
  }

  private async execute(context: CommandContext, command: CommentCommand): Promise<string | undefined> {
    // What may be a sentence is known with the tags of the configuration only.
    let hasReacted = command.name === 'unknown' || isSurelyMeant(command);
    if (hasReacted) await this.react(context, command.name === 'unknown' ? 'confused' : 'eyes');
    if (command.name === 'help') return HELP;
    if (command.name === 'unknown') return `\`${inlineCode(command.text)}\` is not a command.\n\n${HELP}`;
    let known: Vocabulary | undefined;
    try {
      const change = await this.changes.read(context, context.pullRequest.number, { awaitMergeable: true });
      known = vocabularyOf(change);
      const reading = readingOf(command, known);
      if (reading.kind === 'prose') return undefined;
      if (reading.kind === 'unknown tag') throw new CommandRefused(unknownTagText(reading));
      if (!hasReacted) await this.react(context, 'eyes');
      hasReacted = true;
      await this.permit(context, command, change);
      const finish = () => this.recordCarriedOut(context, command);
      const text = await this.actions.act(context, command, change, finish);
      // An unlock has done it in its own transaction.
      if (command.name !== 'unlock') await finish();
      return text;
    } catch (error) {
      const text = refusalText(error);
      if (readingOf(command, known).kind === 'prose') return undefined;
      if (!hasReacted) await this.react(context, 'confused');
      return text;
    }
  }

  /** Two workers may carry out the same comment: the second one must not unlock what is held since. */
  private async recordCarriedOut(context: CommandContext, command: CommentCommand): Promise<void> {
    await this.work.run(async () => {
      const rows = await this.work.query(
        `UPDATE comment_commands SET carried_out_at = now()
          WHERE repository_id = $1 AND comment_id = $2 AND carried_out_at IS NULL RETURNING comment_id`,
        [context.repository.id, context.comment.id],
      );
      if (rows.length > 0) await this.record(context, command);
      else if (command.name === 'unlock') throw new CommandRefused(DONE_TEXTS.unlock);
    });
  }

  private async permit(context: CommandContext, command: CommentCommand, change: Change): Promise<void> {
    if (change.refusal !== undefined && !isAnsweredWithoutRuns(command, change))
      throw new CommandRefused(`Nothing is run: ${change.refusal}.`);
    const permission = PERMISSION[command.name];
    if (permission === undefined) return;
    const people = change.config.access_control[permission];
    const { username } = context.comment;
    if (await this.permissions.isOneOf(context, username, people)) return;
    throw new CommandRefused(
      `@${username} may not do this: \`${command.name}\` is for ${people.map((entry) => `\`${inlineCode(entry)}\``).join(', ')} (\`access_control.${permission}\` of the base branch).`,
    );
  }

  private async record(
    { installation, comment, tenantId, pullRequest, repository }: CommandContext,
    command: CommentCommand,
  ) {
    if (command.name === 'repo-config') return;
    await this.audit.record({
      action: `pull-request.${command.name.replace(' ', '-')}`,
      objectType: 'pull-request',
      objectId: `${repository.owner}/${repository.name}#${pullRequest.number}`,
      tenantId,
      data: {
        provider: installation.provider,
        username: comment.username,
        commentId: comment.id,
        ...('numbers' in command && command.numbers.length > 0 ? { numbers: command.numbers } : {}),
        ...('tagQuery' in command && command.tagQuery ? { tagQuery: command.tagQuery } : {}),
      },
    });
  }
}

/** They start no run, and what an aborted apply left has to be unlocked also where runs are switched off by now. */
function isAnsweredWithoutRuns({ name }: CommentCommand, { pullRequest }: Change): boolean {
  return !pullRequest.isFork && (name === 'unlock' || name === 'repo-config');
}

/** Whatever the configuration says. */
function isSurelyMeant(command: CommentCommand): boolean {
  return !('trigger' in command) || isTagQueryForSure(command.tagQuery);
}

function readingOf(command: CommentCommand, known: Vocabulary | undefined): TagQueryReading {
  return 'trigger' in command ? readTagQuery(command, known) : { kind: 'command' };
}

/** Undefined while a run has to find the configuration out. */
function vocabularyOf({ config, awaits, all }: Change): Vocabulary | undefined {
  if (awaits === 'build-config') return undefined;
  const directories = Object.values(config.dirs);
  const workspaces = directories.flatMap((each) => Object.values(each.workspaces ?? {}));
  const tags = new Set([...directories, ...workspaces].flatMap((each) => each.tags));
  const keyed = new Map<string, string>();
  for (const { dir, workspace } of all) {
    if (workspace !== 'default') keyed.set(workspace, `workspace:${workspace}`);
    keyed.set(dir, `dir:${dir}`);
  }
  return { tags, keyed };
}

function unknownTagText({ tag, meant }: { tag: string; meant?: string }): string {
  const hint = meant === undefined ? '' : ` Did you mean \`${inlineCode(meant)}\`?`;
  return `Nothing was started: no directory has the tag \`${inlineCode(tag)}\`.${hint} A tag query consists of tags of \`dirs\` in the configuration, \`dir:<directory>\`, \`workspace:<name>\` and \`environment:<name>\`.`;
}

/**
 * For a command that was carried out while its answer was lost. It is not carried out again: what it did may have been
 * undone on purpose, and the head may be another one.
 */
function doneText({ comment }: CommandContext, { name }: CommentCommand): string | undefined {
  return name === 'gate approve' ? `@${comment.username} approved the gate.` : DONE_TEXTS[name];
}

/** Plan and apply are answered by their statuses and the comment on the run. */
const DONE_TEXTS: Partial<Record<CommentCommand['name'], string>> = {
  unlock: 'Unlocked.',
  'repo-config': 'The configuration was read, but its text was lost: write the command again.',
};

/** Mistakes of people are said to them; anything else is a failure, and the comment is taken up again. */
function refusalText(error: unknown): string {
  if (error instanceof CommandRefused) return error.message;
  if (error instanceof InvalidRepoConfig)
    return `The configuration is not valid:\n\n${error.mistakes.map(({ file, line, key, message }) => `- \`${inlineCode(file)}:${line}\` ${inlineText(key)}: ${inlineText(message)}`).join('\n')}`;
  if (error instanceof DependencyCycle || error instanceof UnreadableChange) return inlineText(error.message);
  if (error instanceof AppError && error.status === 400) return inlineText(error.message);
  throw error;
}
